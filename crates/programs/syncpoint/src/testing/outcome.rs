//! The outcome of a page, and of all.

use std::time::Duration;

use command_line::terminal::counted;
use pages::coverage::Hit;
use pages::junit;
use pages::{Failure, Report};

use super::alone::Played;
use super::found::{Found, shown};

/// The outcome of a page.
pub(super) struct Outcome {
    pub failures: Vec<Failure>,
    /// Blocks to be rewritten, with their new lines.
    pub changes: Vec<(usize, Vec<String>)>,
    /// Their differences from the present text.
    pub differences: Vec<Failure>,
    /// Statements that it has reached, if they are counted.
    pub hits: Vec<Hit>,
    pub took: Duration,
}

impl Outcome {
    /// The outcome of a page that has come to its end.
    pub fn of(played: Played, took: Duration) -> Self {
        let Played { report: Report { failures, changes, differences }, hits } = played;
        Self { failures, changes, differences, hits, took }
    }

    /// That of one that has not.
    pub fn broken(what: String, took: Duration) -> Self {
        Self::of(Played { report: Report::of_whole(what), hits: Vec::new() }, took)
    }

    /// The outcome as servers of continuous integration read it.
    pub fn case(&self, found: &Found) -> junit::Outcome {
        junit::Outcome {
            name: found.name.clone(),
            title: found.page.title().to_owned(),
            file: shown(&found.path),
            failures: self.failures.clone(),
            took: self.took,
        }
    }

    /// The lines for people.
    pub fn text(&self, found: &Found) -> String {
        let state = if self.failures.is_empty() { "ok    " } else { "FAILED" };
        let mut text = format!("{state} {} ({:.1} s)\n", found.name, self.took.as_secs_f64());
        let file = shown(&found.path);
        for failure in &self.failures {
            text.push_str(&format!("\n{file}:{}: {}\n", failure.line, failure.what.trim_end()));
        }
        for change in &self.differences {
            text.push_str(&format!("\n{file}:{}: rewritten\n{}\n", change.line, change.what.trim_end()));
        }
        if !self.failures.is_empty() || !self.differences.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// The line below all.
pub(super) fn summary(outcomes: &[Outcome], took: Duration) -> String {
    let failed = outcomes.iter().filter(|outcome| !outcome.failures.is_empty()).count();
    let changed: usize = outcomes.iter().map(|outcome| outcome.changes.len()).sum();
    let rewritten = match changed {
        0 => String::new(),
        changed => format!(", {} rewritten", counted(changed, "block")),
    };
    let passed = counted(outcomes.len() - failed, "page");
    format!("{passed} passed, {failed} failed{rewritten} ({:.1} s)", took.as_secs_f64())
}
