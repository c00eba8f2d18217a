//! `syncpoint check`: everything is built, everything wrong is told, nothing is started.

use std::time::Instant;

use diagnostics::{Diagnostic, any_error};
use toolchain::Summary;

use crate::application::{Application, Messages};
use crate::codes;
use crate::terminal::{self, ProgressLine};

/// Builds all programs and maps of an application.
pub(crate) fn check(application: &Application) -> Result<(), Messages> {
    let begun = Instant::now();
    let toolchain = application.toolchain()?;
    terminal::tell(toolchain.compiler().doubt().as_slice());
    let summary = {
        let line = ProgressLine::new();
        toolchain.all(|step| line.show(step.done, step.total, step.member.name()))
    };
    terminal::tell(&summary.messages);
    let definitions = region::check_definitions(&application.root, &application.config, &toolchain.members());
    terminal::tell(&definitions);
    println!("{} ({:.1} s)", said(&summary), begun.elapsed().as_secs_f64());
    match (summary.failed.is_empty(), any_error(&definitions)) {
        (true, false) => Ok(()),
        (false, _) => Err(vec![failed(&summary)]),
        (true, true) => Err(vec![Diagnostic::error(codes::NOT_DEFINED, "the definitions are not in order")]),
    }
}

fn said(summary: &Summary) -> String {
    let Summary { programs, mapsets, built, .. } = summary;
    match programs + mapsets {
        0 if summary.failed.is_empty() => {
            "no programs and no maps: is region.toml in the right folder?".to_owned()
        }
        _ => format!(
            "{}, {} in order; {built} compiled now",
            counted(*programs, "program"),
            counted(*mapsets, "mapset")
        ),
    }
}

fn failed(summary: &Summary) -> Diagnostic {
    let names: Vec<&str> = summary.failed.iter().map(toolchain::Member::name).collect();
    let verb = if names.len() == 1 { "does" } else { "do" };
    Diagnostic::error(codes::NOT_BUILT, format!("{} {verb} not build", names.join(", ")))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
