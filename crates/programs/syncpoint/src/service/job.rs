//! Jobs of the published tools: their steps' options carried out.

use std::path::Path;

use binding::Parameters;
use binding::file::Origin;
use diagnostics::{Diagnostic, Source, TextPlace};

use super::make::Work;
use crate::application::{Messages, read};
use crate::codes;

/// Procedures of the tools, and what each makes a service from.
const PROCEDURES: [(&str, Origin); 6] = [
    ("DFHLS2WS", Origin::Copybook),
    ("DFHLS2JS", Origin::Copybook),
    ("DFHWS2LS", Origin::Wsdl),
    ("DFHJS2LS", Origin::JsonSchema),
    ("DFHLS2SC", Origin::Record),
    ("DFHSC2LS", Origin::Schema),
];
/// The ddname of the options.
const INPUT: &str = "SYSUT1";

/// Carries out the steps of a job that run the tools: one that cannot be keeps no other from it.
pub(super) fn carry_out(path: &Path, library: &Path, files: &Path) -> Result<(), Messages> {
    let source = Source::new(path.display().to_string(), read(path)?);
    let job = jcl::read(&source);
    let (mut steps, mut wrong) = (0, Messages::new());
    for step in &job.steps {
        let procedure = step.procedure.as_deref().unwrap_or_default();
        let place = || TextPlace::new(&job.source, step.line, 1, 1);
        let Some((_, origin)) = PROCEDURES.iter().find(|(name, _)| *name == procedure) else { continue };
        let input = step.dds.iter().find(|dd| dd.name.rsplit('.').next() == Some(INPUT));
        let Some(lines) = input.and_then(|dd| dd.in_stream.clone()) else {
            let problem = format!("the step of {procedure} has no options in the job");
            let help = "put them behind //INPUT.SYSUT1 DD *";
            wrong.push(Diagnostic::error(codes::NO_SERVICE, problem).at(place()).help(help));
            continue;
        };
        let options = jcl::InStream { source: job.source.clone(), lines };
        let options: String = options.text().flat_map(|line| [line.trim_end(), "\n"]).collect();
        let work = Work { origin: of(*origin, &options), options, library, files: Some(files) };
        if let Err(messages) = work.carry_out() {
            wrong.extend(messages);
            let problem = format!("the step of {procedure} is not carried out");
            wrong.push(Diagnostic::error(codes::NO_SERVICE, problem).at(place()));
        }
        steps += 1;
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if steps == 0 {
        let names = PROCEDURES.map(|(name, _)| name).join(", ");
        let problem = format!("{} has no step of {names}", path.display());
        return Err(vec![
            Diagnostic::error(codes::NO_SERVICE, problem).help("other steps are not carried out"),
        ]);
    }
    Ok(())
}

/// Returns the origin from which a step makes a service: DFHSC2LS takes a JSON Schema, too.
fn of(origin: Origin, options: &str) -> Origin {
    let (parameters, _) = Parameters::read(&Source::new("options", options));
    let has = |option: &str| parameters.files.iter().any(|(known, _)| known == option);
    match origin {
        Origin::Schema if has("JSON-SCHEMA") && !has("SCHEMA") => Origin::JsonSchema,
        origin => origin,
    }
}
