//! Pages at the same time: a process for each.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use command_line::{ends::Ends, event_loop, terminal::ProgressLine};
use diagnostics::Diagnostic;
use parking_lot::Mutex;

use super::Arguments;
use super::alone::{self, Played};
use super::found::Found;
use super::outcome::Outcome;
use crate::application::Messages;
use crate::codes;

/// Bytes of the output of a process that has broken off, at most: its end says why.
const OUTPUT_MAX: usize = 4_000;

/// All for the owner; others go through.
const PASSABLE: u32 = 0o711;

/// Runs the pages, and prints the outcome of each as it comes; the outcomes in the order of the pages.
///
/// # Errors
/// It is interrupted.
pub(super) fn run(arguments: &Arguments, pages: &[Found]) -> Result<Vec<Outcome>, Messages> {
    let crew = Crew {
        arguments,
        pages,
        next: AtomicUsize::new(0),
        ends: AtomicBool::new(false),
        outcomes: Mutex::new(pages.iter().map(|_| None).collect()),
        line: Mutex::new(ProgressLine::default()),
    };
    let count = arguments.parallel.map_or_else(processors, usize::from).min(pages.len());
    let interrupted = thread::scope(|scope| {
        let (done, all_done) = tokio::sync::oneshot::channel::<()>();
        let done = Mutex::new(Some(done));
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(|| crew.work())).collect();
        scope.spawn(move || {
            workers.into_iter().for_each(|worker| drop(worker.join()));
            drop(done.lock().take());
        });
        event_loop::run(async {
            let mut ends = Ends::new()?;
            tokio::select! {
                _ = all_done => Ok(false),
                _ = ends.next() => {
                    // Who is at the terminal has ended the pages' processes as well; a page that runs without one comes to its end.
                    crew.ends.store(true, Ordering::Relaxed);
                    Ok(true)
                }
            }
        })
    })?;
    if interrupted {
        return Err(vec![Diagnostic::error(
            codes::NO_PAGE,
            "interrupted: pages were not run, or not to their end",
        )]);
    }
    let broken = || Outcome::broken(String::from("the page was not run"), std::time::Duration::ZERO);
    Ok(crew.outcomes.into_inner().into_iter().map(|outcome| outcome.unwrap_or_else(broken)).collect())
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

struct Crew<'a> {
    arguments: &'a Arguments,
    pages: &'a [Found],
    /// The place of the next page to take.
    next: AtomicUsize,
    /// No further page begins.
    ends: AtomicBool,
    outcomes: Mutex<Vec<Option<Outcome>>>,
    line: Mutex<ProgressLine>,
}

impl Crew<'_> {
    /// Takes page after page.
    fn work(&self) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(found) = self.pages.get(at).filter(|_| !self.ends.load(Ordering::Relaxed)) else {
                return;
            };
            let begun = Instant::now();
            let outcome = match self.process(found) {
                Ok(played) => Outcome::of(played, begun.elapsed()),
                Err(what) => Outcome::broken(what, begun.elapsed()),
            };
            if !self.ends.load(Ordering::Relaxed) {
                self.tell(at, outcome);
            }
        }
    }

    fn tell(&self, at: usize, outcome: Outcome) {
        let mut line = self.line.lock();
        // What stands in the line gives way to the outcome.
        *line = ProgressLine::default();
        print!("{}", outcome.text(&self.pages[at]));
        let mut outcomes = self.outcomes.lock();
        outcomes[at] = Some(outcome);
        let done = outcomes.iter().flatten().count();
        line.show(done, self.pages.len(), "pages");
    }

    /// Runs a page in a process of its own.
    fn process(&self, found: &Found) -> Result<Played, String> {
        let failed = |error: io::Error| format!("the page's process cannot be started: {error}");
        // A PostgreSQL that is not root where this process is goes through this folder to its own.
        let folder = tempfile::tempdir().map_err(failed)?;
        fs::set_permissions(folder.path(), Permissions::from_mode(PASSABLE)).map_err(failed)?;
        let output = folder.path().join("output");
        let file = File::create(&output).map_err(failed)?;
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.arg("test").arg(&self.arguments.application.folder).arg(&found.name);
        command.arg("--folder").arg(&self.arguments.tests).arg("--alone").arg(folder.path());
        command.arg("--child-of").arg(std::process::id().to_string());
        if let Some(data) = &self.arguments.application.data {
            command.arg("--data").arg(data);
        }
        for setting in &self.arguments.application.settings {
            command.arg("--set").arg(setting);
        }
        if let Some(coverage) = &self.arguments.coverage {
            command.arg("--coverage").arg(coverage);
        }
        if self.arguments.update {
            command.arg("--update");
        }
        command.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
        let status = command.status().map_err(failed)?;
        let report = fs::read(folder.path().join(alone::REPORT)).ok();
        let report = report.and_then(|report| serde_json::from_slice(&report).ok());
        report.ok_or_else(|| broken(status, &output))
    }
}

/// Describes the end of a process that has left no report.
fn broken(status: ExitStatus, output: &Path) -> String {
    let said = fs::read(output).unwrap_or_default();
    let end = &said[said.len().saturating_sub(OUTPUT_MAX)..];
    format!("the page's process has broken off: {status}\n{}", String::from_utf8_lossy(end))
}
