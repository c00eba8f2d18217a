//! Checks before the first step: programs that are not built, and control statements that stand in the job.

use diagnostics::{Diagnostic, Place, Source};
use jcl::stream::{Step, What};

use super::codes;
use super::copying;
use super::programs::{Utility, refused, utility};
use crate::{sort, tso};

/// Checks a step.
pub(super) fn check(step: &Step, messages: &mut Vec<Diagnostic>) {
    if let Some(why) = refused(&step.program) {
        let text = format!("the program {} is not built", step.program);
        messages.push(Diagnostic::error(codes::PROGRAM, text).at(step.place.clone()).help(why));
        return;
    }
    let mut wrong = |ddname: &str, found: Result<(), (usize, String, String)>| {
        let Err((line, text, help)) = found else { return };
        let data = step.dd(ddname).and_then(|dd| {
            dd.parts.iter().find_map(|part| match &part.what {
                What::Lines(data) => Some(data),
                _ => None,
            })
        });
        let place = match data {
            Some(data) if line > 0 => Place::new(&data.source, line, 1, 0),
            _ => step.place.clone(),
        };
        messages.push(Diagnostic::error(codes::CONTROL, text).at(place).help(help));
    };
    match utility(&step.program) {
        Some(Utility::Copy) => {
            if let Some((_, text)) = in_stream(step, "SYSIN") {
                wrong("SYSIN", copying::check(&text));
            }
        }
        Some(Utility::Sort) => {
            let symbols = in_stream(step, "SYMNAMES").map(|(_, text)| text);
            // Symbols in a data set are known when the step runs.
            if (step.dd("SYMNAMES").is_none() || symbols.is_some())
                && let Some((_, text)) = in_stream(step, "SYSIN")
            {
                {
                    wrong(
                        "SYSIN",
                        sort::check(&text, symbols.as_deref().unwrap_or_default(), step.parm.as_deref()),
                    );
                }
            }
        }
        Some(Utility::Terminal) => {
            if let Some((_, text)) = in_stream(step, "SYSTSIN") {
                wrong("SYSTSIN", tso::check(&text));
            } else if step.dd("SYSTSIN").is_none() {
                let text = "the step has no SYSTSIN: nothing says what is run";
                let help = "//SYSTSIN DD * with DSN and RUN PROGRAM(…)";
                messages.push(Diagnostic::error(codes::CONTROL, text).at(step.place.clone()).help(help));
            }
        }
        _ => {}
    }
}

/// Returns the lines behind a ddname, if all of them stand in the job: the name of their text, and the text with the line
/// numbers of the user's file.
pub(super) fn in_stream(step: &Step, ddname: &str) -> Option<(String, String)> {
    let dd = step.dd(ddname)?;
    let mut lines: Vec<&str> = Vec::new();
    let mut source: Option<&std::sync::Arc<Source>> = None;
    for part in &dd.parts {
        let What::Lines(data) = &part.what else { return None };
        let is_same = source.is_none_or(|source| std::sync::Arc::ptr_eq(source, &data.source));
        // Only lines of one text have numbers that mean something.
        let first = if is_same { data.first - 1 } else { lines.len() };
        lines.resize(lines.len().max(first), "");
        lines.extend(data.lines.iter().map(String::as_str));
        source.get_or_insert(&data.source);
    }
    let name = source.map_or_else(|| ddname.to_owned(), |source| source.name.clone());
    Some((name, lines.iter().flat_map(|line| [line, "\n"]).collect()))
}
