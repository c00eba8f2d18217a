//! Traces of a program for those who look for faults: trace entries, dumps.
//!
//! Trace entries go to the internal trace, to files of the auxiliary trace while that is started, and to the region's log at
//! its debug level; dumps to files of a folder: one by command, or one by itself
//! for an abend that no program handles. Nothing here changes what a program does.

mod abend;
mod auxiliary;
mod dump;
mod entries;
mod levels;
mod programs;
mod scene;
mod storage;
mod trace;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::HashMap;
use keys::{AbendReasons, DiagnosticKeys};
use parking_lot::Mutex;
use spec::cond;

pub(crate) use abend::dump_abend;
pub use auxiliary::{AuxiliaryStatus, Trace, TraceOptions};
pub use levels::{COMPONENTS, FirstLevels, LEVEL_1, Tracing};
pub(crate) use programs::storage as own_storage;

use crate::exec::Answers;
use crate::limits::{DUMP_CODES_MAX, DUMPS_MAX, DUMPS_OF_A_KIND_MAX};
use crate::name::Name8;
use crate::notices::{Notice, Notices};
use crate::private;
use crate::raise::{AbendCode, Outcome, RaiseCondition};
use crate::region::Region;
use crate::security::User;
use crate::task::Task;

/// This domain's commands.
pub const HANDLERS: &[Answers] = &[trace::HANDLERS, dump::HANDLERS];

/// RESP2 of SUPPRESSED for more dumps than a region takes.
const TOO_MANY_DUMPS: i32 = 1;

/// Returns true if the terminal of this user shows the reason of an abend and its source line behind the code.
pub(crate) fn shows_reasons(region: &Region, user: &User) -> bool {
    match region.options.sections.get::<DiagnosticKeys>().abend_reasons {
        AbendReasons::Nobody => false,
        AbendReasons::Inquire => user.inquire,
        AbendReasons::Everybody => true,
    }
}

/// The diagnostics of a region.
pub struct Diagnostics {
    dumps: PathBuf,
    /// Dumps that abends have left, by code and program: no more than there are dumps.
    kinds: Mutex<HashMap<(AbendCode, Name8), u32>>,
    run: OnceLock<u32>,
    last_dump: AtomicU32,
    /// Dumps that were taken and that were not, by code: the first [`DUMP_CODES_MAX`] of them.
    codes: Mutex<BTreeMap<AbendCode, DumpCounts>>,
}

/// Counts of the dumps with one code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpCounts {
    /// Dumps that were taken.
    pub taken: u64,
    /// Dumps that were not: there were enough.
    pub suppressed: u64,
}

impl Diagnostics {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Dumps go to this folder, which is made when the first is taken.
    pub fn new(dumps: PathBuf) -> Self {
        Self {
            dumps,
            kinds: Mutex::default(),
            run: OnceLock::new(),
            last_dump: AtomicU32::new(0),
            codes: Mutex::default(),
        }
    }

    /// The dumps of this run by their code.
    pub fn dump_counts(&self) -> Vec<(AbendCode, DumpCounts)> {
        self.codes.lock().iter().map(|(code, counts)| (*code, *counts)).collect()
    }

    fn count_dump(&self, code: AbendCode, taken: bool) {
        let mut codes = self.codes.lock();
        if codes.len() >= DUMP_CODES_MAX && !codes.contains_key(&code) {
            return;
        }
        let counts = codes.entry(code).or_default();
        *(if taken { &mut counts.taken } else { &mut counts.suppressed }) += 1;
    }

    /// The next dump's identifier, for an abend; `None` if there are enough of this kind, or of all.
    fn next_dump_of(&self, code: AbendCode, program: Name8) -> Option<DumpId> {
        let mut kinds = self.kinds.lock();
        if kinds.get(&(code, program)).is_some_and(|taken| *taken >= DUMPS_OF_A_KIND_MAX) {
            self.count_dump(code, false);
            return None;
        }
        let id = self.next_dump(code).ok()?;
        *kinds.entry((code, program)).or_default() += 1;
        Some(id)
    }

    /// The next dump's identifier.
    ///
    /// # Errors
    /// SUPPRESSED when the region has taken as many as it takes.
    fn next_dump(&self, code: AbendCode) -> Outcome<DumpId> {
        let number = self.last_dump.fetch_add(1, Ordering::Relaxed) + 1;
        self.count_dump(code, number <= DUMPS_MAX);
        if number > DUMPS_MAX {
            return Err(cond::SUPPRESSED.raise(TOO_MANY_DUMPS));
        }
        let run = *self.run.get_or_init(|| last_run(&self.dumps) % RUN_MAX + 1);
        Ok(DumpId { run, number })
    }
}

/// Runs have four digits.
const RUN_MAX: u32 = 9_999;

/// A dump's identifier: the region's run, and the dump's number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DumpId {
    run: u32,
    number: u32,
}

impl DumpId {
    /// As DUMPID has it.
    fn text(self) -> String {
        format!("{}/{:04}", self.run, self.number)
    }

    fn file(self) -> String {
        format!("dump-{:04}-{:04}.txt", self.run, self.number)
    }

    fn of_file(name: &str) -> Option<Self> {
        let (run, number) = name.strip_prefix("dump-")?.strip_suffix(".txt")?.split_once('-')?;
        Some(Self { run: run.parse().ok()?, number: number.parse().ok()? })
    }
}

/// Writes a dump for its owner alone: where it is.
fn write(folder: &Path, id: DumpId, text: &str) -> io::Result<String> {
    private::folder(folder)?;
    let path = folder.join(id.file());
    sealed::File::create(&path)?.write_all(text.as_bytes())?;
    Ok(path.display().to_string())
}

/// A dump is taken: those who listen hear of it.
fn heard(task: &Task, code: AbendCode) {
    if Notices::are_wanted(&task.region) {
        Notices::tell(&task.region, Some(&task.control), Notice::Dump { code });
    }
}

/// The last run that has left dumps in a folder.
fn last_run(folder: &Path) -> u32 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let ids = entries.flatten().filter_map(|entry| DumpId::of_file(entry.file_name().to_str()?));
    ids.map(|id| id.run).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_named_by_run_and_number_and_its_file_says_both() {
        let id = DumpId { run: 3, number: 12 };
        assert_eq!((id.text().as_str(), id.file().as_str()), ("3/0012", "dump-0003-0012.txt"));
        assert_eq!(DumpId::of_file("dump-0003-0012.txt"), Some(id));
        assert_eq!(DumpId::of_file("notes.txt"), None);
    }

    #[test]
    fn abends_of_a_kind_leave_a_few_dumps_only() {
        let diagnostics = Diagnostics::new(PathBuf::from("a folder that is not there"));
        let (code, program) = (AbendCode::from("ASRA"), Name8::from("PAYS"));
        let taken =
            (0..DUMPS_OF_A_KIND_MAX * 2).filter_map(|_| diagnostics.next_dump_of(code, program)).count();
        assert_eq!(taken, DUMPS_OF_A_KIND_MAX as usize);
        let counts = DumpCounts { taken: taken as u64, suppressed: DUMPS_OF_A_KIND_MAX.into() };
        assert_eq!(diagnostics.dump_counts(), [(code, counts)]);
        assert!(diagnostics.next_dump_of(code, Name8::from("OTHER")).is_some());
    }

    #[test]
    fn numbers_go_up_until_dumps_are_suppressed() {
        let diagnostics = Diagnostics::new(PathBuf::from("a folder that is not there"));
        let code = AbendCode::from("CODE");
        assert_eq!(diagnostics.next_dump(code), Ok(DumpId { run: 1, number: 1 }));
        diagnostics.last_dump.store(DUMPS_MAX, Ordering::Relaxed);
        assert_eq!(diagnostics.next_dump(code), Err(cond::SUPPRESSED.raise(1)));
    }
}
