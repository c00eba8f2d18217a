//! Records that the region reads by a copybook, and that programs by GnuCOBOL see otherwise.
//!
//! The region reads and writes records as z/OS has them, and so do programs of our compiler. COMP-5, COMP-1, COMP-2, pointers and
//! SYNCHRONIZED are something else to GnuCOBOL: values would be wrong without a word.

use std::sync::Arc;

use config::{CobolCompiler, CobolConfig};
use copybook::{Difference, hosted_differences};
use diagnostics::{Diagnostic, Severity, Source};

use crate::codes;

/// Messages about a copybook's records: errors where the program that sees them, or without one every program, is for GnuCOBOL,
/// warnings where some are.
pub(crate) fn differences(
    cobol: &CobolConfig,
    program: Option<&str>,
    source: &Arc<Source>,
) -> Vec<Diagnostic> {
    let Some(severity) = severity(cobol, program) else { return Vec::new() };
    let who = match (program, severity) {
        (Some(program), _) => format!("program {program} is compiled by GnuCOBOL"),
        (None, Severity::Error) => "programs are compiled by GnuCOBOL".to_owned(),
        (None, _) => "some programs may be compiled by GnuCOBOL".to_owned(),
    };
    let told = |Difference { field, place, reason }: Difference| {
        Diagnostic::new(severity, codes::HOSTED_RECORD, format!("{field} {reason}, and {who}"))
            .at(place)
            .help("take `compiler = \"gnucobol\"` or the program's name out of [cobol], or describe the field as COMP, COMP-3 or DISPLAY")
    };
    hosted_differences(source).into_iter().map(told).collect()
}

/// A warning if the configuration leaves programs to GnuCOBOL.
pub(crate) fn by_gnucobol(cobol: &CobolConfig) -> Option<Diagnostic> {
    let named = || cobol.programs.iter().filter(|(_, compiler)| *compiler == CobolCompiler::Hosted);
    let who = match cobol.compiler {
        CobolCompiler::Hosted => "programs are".to_owned(),
        CobolCompiler::Native => match named().count() {
            0 => return None,
            1 => format!("{} is", named().map(|(name, _)| name.as_str()).collect::<String>()),
            several => format!("{several} programs are"),
        },
    };
    let text = format!("{who} compiled by GnuCOBOL, as [cobol] says");
    Some(Diagnostic::warning(codes::BY_GNUCOBOL, text).help(
        "their numbers, records and statements differ from Enterprise COBOL's in places: docs/compiler.md; `syncpoint check` names those that a source shows",
    ))
}

fn severity(cobol: &CobolConfig, program: Option<&str>) -> Option<Severity> {
    match program.map(|program| cobol.of(program)) {
        Some(CobolCompiler::Native) => None,
        Some(CobolCompiler::Hosted) => Some(Severity::Error),
        None if cobol.is_native_only() => None,
        None if !cobol.is_mixed() => Some(Severity::Error),
        _ => Some(Severity::Warning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cobol: &CobolConfig, program: Option<&str>, expected: &str) {
        let source = Source::new("R.cpy", "       01 R.\n           05 N PIC S9(4) COMP-5.\n");
        let found = differences(cobol, program, &source);
        let shown: Vec<String> =
            found.iter().map(|message| format!("{:?} {}", message.severity, message.message)).collect();
        let first = shown.first().map_or("", String::as_str);
        assert!(first.starts_with(expected) && (expected.is_empty() == first.is_empty()), "{shown:?}");
    }

    #[test]
    fn records_that_hosted_programs_see_otherwise_are_told() {
        let by = |compiler, programs: &[(&str, CobolCompiler)]| CobolConfig {
            compiler,
            programs: programs.iter().map(|(name, compiler)| ((*name).to_owned(), *compiler)).collect(),
        };
        let (hosted, native) = (CobolCompiler::Hosted, CobolCompiler::Native);
        check(&by(native, &[]), None, "");
        check(&by(native, &[]), Some("P"), "");
        check(&by(hosted, &[]), None, "Error N is COMP-5");
        check(&by(native, &[("OLD", hosted)]), None, "Warning N is COMP-5");
        check(&by(native, &[("OLD", hosted)]), Some("OLD"), "Error N is COMP-5");
        check(&by(native, &[("OLD", hosted)]), Some("P"), "");
    }
}
