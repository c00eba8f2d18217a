//! Instructions, counted by Cachegrind: work is run in two lengths by a process of its own (`counted`), and the difference counts.

use std::path::Path;

use crate::clock::progress;
use crate::valgrind;

/// `bench counted KIND FOLDER TIMES`: what is counted.
pub(crate) const WORD: &str = "counted";

/// The work of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The mix.
    Mix,
    /// Tasks of a region that CALL ten thousand times.
    Calls,
    /// Tasks of a region with a hundred thousand EXEC CICS ASSIGN.
    Execs,
    /// With as many ASKTIME.
    Asks,
    /// With as many READs of the same record.
    Reads,
    /// Tasks of a region that LINK ten thousand times.
    Links,
    /// Tasks that do nothing, a thousand at a time.
    Nulls,
    /// The same without an internal trace.
    Untraced,
    /// The same without sums of their work.
    Unsummed,
    /// The same with spans, which no collector wants.
    Spanned,
    /// Tasks with some of everything, a hundred at a time.
    Transactions,
    /// The same under the rules of a policy.
    Ruled,
    /// The same in a region that captures events at a command that they do not give.
    Captured,
}

pub(super) const KINDS: [(&str, Work); 13] = [
    ("mix", Work::Mix),
    ("calls", Work::Calls),
    ("execs", Work::Execs),
    ("asks", Work::Asks),
    ("reads", Work::Reads),
    ("links", Work::Links),
    ("nulls", Work::Nulls),
    ("untraced", Work::Untraced),
    ("unsummed", Work::Unsummed),
    ("spanned", Work::Spanned),
    ("transactions", Work::Transactions),
    ("ruled", Work::Ruled),
    ("captured", Work::Captured),
];

impl Work {
    /// Returns the amount of it that is done each time.
    pub(super) fn size(self) -> f64 {
        match self {
            Self::Mix => 1.0,
            Self::Calls | Self::Links => 10_000.0,
            Self::Execs | Self::Asks | Self::Reads => 100_000.0,
            Self::Nulls | Self::Untraced | Self::Unsummed | Self::Spanned => NULLS as f64,
            Self::Transactions | Self::Ruled | Self::Captured => TRANSACTIONS as f64,
        }
    }
}

/// Null tasks that are one piece of work.
pub(super) const NULLS: usize = 1000;
/// Transactions that are one piece of work.
pub(super) const TRANSACTIONS: usize = 100;

/// Instructions of each piece of work; `quick` to see that it runs.
pub(super) fn instructions(work: Work, folder: &Path, times: [usize; 2], quick: bool) -> Result<f64, String> {
    // The first one makes what the others find: code for the processor that Cachegrind shows them.
    if !quick {
        count(work, folder, 1)?;
    }
    let [few, many] = [count(work, folder, times[0])?, count(work, folder, times[1])?];
    Ok((many - few) / ((times[1] - times[0]) as f64 * work.size()))
}

fn count(work: Work, folder: &Path, times: usize) -> Result<f64, String> {
    progress(&format!("instructions are counted: {work:?}, {times}"));
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = KINDS.iter().find(|(_, own)| *own == work).map_or("", |(name, _)| name);
    let mut command = valgrind::command(&this);
    command.args([WORD, name]).arg(folder).arg(times.to_string());
    let output = command.output().map_err(|error| valgrind::cannot_start(&error))?;
    progress("");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // A task that has abended has not done what is counted.
    if !output.status.success() || said.contains("abend") {
        return Err(said);
    }
    valgrind::instructions(&said)
}
