//! Steps that compile and link: programs are built from the application's sources, wherever the job says that they lie.

use diagnostics::{Diagnostic, TextPlace};
use jcl::stream::{Part, Step, What};
use toolchain::Toolchain;

use super::codes;
use super::programs::Utility;

/// Checks that the programs which a step compiles or links are those of the application.
pub(super) fn check(step: &Step, utility: Utility, toolchain: &Toolchain, messages: &mut Vec<Diagnostic>) {
    let names = match utility {
        Utility::Compile => {
            if let Some(message) = in_the_job(step) {
                messages.push(message);
            }
            if step.parm.as_deref().is_some_and(|parm| !parm.trim().is_empty()) {
                let text = "PARM of a compiler is passed over";
                let help = "options of programs stand in [cobol] of region.toml and in CBL statements";
                messages.push(Diagnostic::warning(codes::CONTROL, text).at(step.place.clone()).help(help));
            }
            compiled(step).into_iter().collect()
        }
        _ => linked(step),
    };
    for (name, place) in names {
        if let Some(missing) = toolchain.absent(&name) {
            messages.push(Diagnostic { code: codes::PROGRAM, ..missing }.at(place));
        }
    }
}

/// Returns the program that a step compiles, with the place that names it: the member of a library behind SYSIN. Of what another
/// step has translated there is none.
pub(super) fn compiled(step: &Step) -> Option<(String, TextPlace)> {
    step.dd("SYSIN")?.parts.iter().find_map(member)
}

/// Refuses a program whose text is no member of a library.
fn in_the_job(step: &Step) -> Option<Diagnostic> {
    let part = step.dd("SYSIN")?.parts.first()?;
    let text = match &part.what {
        What::Lines(_) => "a program whose text stands in the job is not built",
        What::Named(_) if member(part).is_none() => "a program that is no member of a library is not built",
        _ => return None,
    };
    let help = "put it into a folder of the application, and leave the step out";
    Some(Diagnostic::error(codes::CONTROL, text).at(part.place.clone()).help(help))
}

/// Returns the programs that a step links: members behind SYSLMOD, and names of NAME statements.
fn linked(step: &Step) -> Vec<(String, TextPlace)> {
    let mut names: Vec<(String, TextPlace)> = Vec::new();
    names.extend(step.dd("SYSLMOD").into_iter().flat_map(|dd| &dd.parts).filter_map(member));
    let control = ["SYSLIN", "SYSIN"].into_iter().filter_map(|ddname| step.dd(ddname));
    for part in control.flat_map(|dd| &dd.parts) {
        let What::Lines(data) = &part.what else { continue };
        for (line, number) in data.lines.iter().zip(data.first..) {
            let mut words = line.split_whitespace();
            if let (Some("NAME"), Some(name)) = (words.next(), words.next()) {
                let name = name.split('(').next().unwrap_or_default().to_owned();
                names.push((name, TextPlace::new(&data.source, number, 1, 0)));
            }
        }
    }
    names.dedup_by(|one, other| one.0 == other.0);
    names
}

/// Returns the member that a DD statement names.
fn member(part: &Part) -> Option<(String, TextPlace)> {
    let What::Named(name) = &part.what else { return None };
    let (_, member) = name.split_once('(')?;
    Some((member.trim_end_matches(')').to_owned(), part.place.clone()))
}

/// Returns the step without the libraries that it names: they mean nothing, like STEPLIB.
pub(super) fn without_libraries(step: &Step) -> Step {
    let mut step = step.clone();
    for dd in &mut step.dds {
        dd.parts.retain(|part| !matches!(part.what, What::Named(_)));
    }
    step.dds.retain(|dd| !dd.parts.is_empty());
    step
}
