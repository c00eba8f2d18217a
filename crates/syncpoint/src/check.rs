//! `syncpoint check`: everything is built, everything wrong is told, nothing is started.

use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, any_error};
use toolchain::{Summary, Toolchain};

use crate::application::{Application, Messages, unwritable};
use crate::terminal::{self, ProgressLine, counted};
use crate::{codes, event_loop};

/// Builds all programs and maps of an application.
pub(crate) fn check(application: &Application) -> Result<(), Messages> {
    let begun = Instant::now();
    let toolchain = application.toolchain()?;
    let summary = {
        let line = ProgressLine::new();
        toolchain.all(|step| line.show(step.done, step.total, step.member.name()))
    };
    terminal::tell(toolchain.doubts());
    terminal::tell(&summary.messages);
    let definitions = definitions(application, &toolchain)?;
    terminal::tell(&definitions);
    println!("{}", said(&summary, begun.elapsed()));
    match (summary.failed.is_empty(), any_error(&definitions)) {
        (true, false) => Ok(()),
        (false, _) => Err(vec![failed(&summary)]),
        (true, true) => Err(vec![Diagnostic::error(codes::NOT_DEFINED, "the definitions are not in order")]),
    }
}

/// What is to be said of definitions, data and users.
fn definitions(application: &Application, toolchain: &Toolchain) -> Result<Messages, Messages> {
    let scratch = tempfile::tempdir().map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
    let members = toolchain.members();
    let (root, config) = (&application.root, &application.config);
    let mut messages = event_loop::run(async {
        Ok(region::check_definitions(root, config, &members, scratch.path()).await)
    })?;
    messages.extend(application.users().err().unwrap_or_default());
    Ok(messages)
}

fn said(summary: &Summary, took: Duration) -> String {
    let Summary { programs, mapsets, built, failed, .. } = summary;
    if programs + mapsets + failed.len() == 0 {
        return "no programs and no maps: is region.toml in the right folder?".to_owned();
    }
    let compiled = match built {
        0 => "nothing had to be compiled".to_owned(),
        _ => format!("{built} compiled now, in {:.1} s", took.as_secs_f64()),
    };
    format!("{}, {} in order; {compiled}", counted(*programs, "program"), counted(*mapsets, "mapset"))
}

fn failed(summary: &Summary) -> Diagnostic {
    let names: Vec<&str> = summary.failed.iter().map(toolchain::Member::name).collect();
    let verb = if names.len() == 1 { "does" } else { "do" };
    Diagnostic::error(codes::NOT_BUILT, format!("{} {verb} not build", names.join(", ")))
}
