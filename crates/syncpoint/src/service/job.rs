//! Jobs of the published tools: their steps' options carried out.

use std::path::Path;

use binding::file::Origin;
use diagnostics::{Diagnostic, Place, Source};

use super::make::Work;
use crate::application::{Messages, read};
use crate::codes;

/// Procedures of the tools that are carried out, and what each makes a service from.
const PROCEDURES: [(&str, Origin); 3] =
    [("DFHLS2WS", Origin::Copybook), ("DFHLS2JS", Origin::Copybook), ("DFHWS2LS", Origin::Wsdl)];
/// Those that are not, and what to do instead.
const OTHERS: [(&str, &str); 3] = [
    ("DFHJS2LS", "describe the service by OpenAPI 3 and use syncpoint service from-openapi"),
    ("DFHLS2SC", "use syncpoint service from-copybook: a binding serves EXEC CICS TRANSFORM, too"),
    ("DFHSC2LS", "put the schema into a WSDL 1.1 document and use syncpoint service from-wsdl"),
];
/// The ddname of the options.
const INPUT: &str = "SYSUT1";

/// Carries out the steps of a job that run the tools.
pub(super) fn carry_out(path: &Path, library: &Path, files: &Path) -> Result<(), Messages> {
    let source = Source::new(path.display().to_string(), read(path)?);
    let job = jcl::read(&source);
    let mut steps = 0;
    for step in &job.steps {
        let procedure = step.procedure.as_deref().unwrap_or_default();
        let place = || Place::new(&job.source, step.line, 1, 1);
        if let Some((name, help)) = OTHERS.iter().find(|(name, _)| *name == procedure) {
            let problem = format!("steps of {name} are not carried out");
            return Err(vec![Diagnostic::error(codes::NO_SERVICE, problem).at(place()).help(*help)]);
        }
        let Some((_, origin)) = PROCEDURES.iter().find(|(name, _)| *name == procedure) else { continue };
        let input = step.dds.iter().find(|dd| dd.name.rsplit('.').next() == Some(INPUT));
        let Some(lines) = input.and_then(|dd| dd.in_stream.clone()) else {
            let problem = format!("the step of {procedure} has no options in the job");
            let help = "put them behind //INPUT.SYSUT1 DD *";
            return Err(vec![Diagnostic::error(codes::NO_SERVICE, problem).at(place()).help(help)]);
        };
        let options = jcl::InStream { source: job.source.clone(), lines };
        let options = options.text().flat_map(|line| [line.trim_end(), "\n"]).collect();
        Work { origin: *origin, options, library, files: Some(files) }.carry_out()?;
        steps += 1;
    }
    if steps == 0 {
        let problem = format!("{} has no step of DFHLS2WS, DFHWS2LS or DFHLS2JS", path.display());
        return Err(vec![
            Diagnostic::error(codes::NO_SERVICE, problem).help("other steps are not carried out"),
        ]);
    }
    Ok(())
}
