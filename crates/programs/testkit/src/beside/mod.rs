//! A test beside what GnuCOBOL's programs did in it while GnuCOBOL compiled programs here: what they asked for, and what they held
//! then, must be the same.
//!
//! At each command, and each CALL of a service, its name, its arguments, and all storage of the program that asks for it are
//! recorded (`debugger::recording`), item by item. What GnuCOBOL's programs did is frozen (`frozen`). Tasks are compared by
//! transaction, in the order in which they began; where
//! one side asks for something that the other does not, what comes behind is compared all the same. What must differ
//! everywhere is in `same` and [`OF_THE_TRANSLATOR`]; the rest is a table ([`Known`]).

mod dump;
mod frozen;
mod kinds;
mod same;
mod table;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use debugger::recording::{Recorder, Recording, Stop};
use kernel::exec::Watcher;

use crate::diff::{Pair, pairs};
use crate::document::Document;
use crate::suite;
use dump::name_of;
pub use frozen::{Frozen, digest, table};
pub use kinds::Kind;
use kinds::Kinds;
pub use table::Known;

/// Records that the translator puts into a hosted program, and that a natively compiled one does not need.
const OF_THE_TRANSLATOR: [&str; 1] = ["01 DFHEIV"];

/// The beginning of the line that names records which the hosted compiler leaves out.
const UNUSED: &str = "without storage";

/// The outcome of comparing both.
#[derive(Debug, Default)]
pub struct Compared {
    /// Tasks that were compared.
    pub tasks: usize,
    /// Commands and CALLs of services that were compared.
    pub commands: usize,
    /// Their differences.
    pub differences: Vec<Kind>,
    /// Differences that are known, by their place in the table.
    pub known: BTreeMap<usize, usize>,
}

/// Runs a test, and compares with what is frozen of it. Call it within a `LocalSet`.
///
/// # Errors
/// It does not run, or the recording cannot be read.
pub async fn compare(
    document: &Document,
    folder: &Path,
    frozen: &Recording,
    known: &[Known],
) -> Result<Compared, String> {
    let report = record(document, folder).await?;
    Ok(compare_recordings(frozen, &report, known))
}

/// Runs a test, and returns the recording of what its programs do. Call it within a `LocalSet`.
///
/// # Errors
/// It does not run, or the recording cannot be read.
pub async fn record(document: &Document, folder: &Path) -> Result<Recording, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join("recording");
    let recorder = Arc::new(Recorder::begin(&path).map_err(|error| error.to_string())?);
    let watcher = Arc::clone(&recorder) as Arc<dyn Watcher>;
    let report = suite::run_watched(document, folder, watcher).await;
    if let Some(failure) = report.failures.iter().find(|failure| failure.line == 0) {
        return Err(failure.what.clone());
    }
    recorder.end()?;
    Recording::read(&path).map_err(|error| error.to_string())
}

/// Compares two recordings of the same work: that of hosted programs, and that of natively compiled ones.
pub fn compare_recordings(hosted: &Recording, native: &Recording, known: &[Known]) -> Compared {
    let (pairs, compared, kinds) = (HashMap::new(), Compared::default(), Kinds::default());
    let mut beside = Beside { hosted, native, known, pairs, compared, kinds };
    let (there, here) = (by_transaction(hosted), by_transaction(native));
    for transaction in there.keys().chain(here.keys().filter(|name| !there.contains_key(*name))) {
        let of = |tasks: &Tasks| tasks.get(transaction).cloned().unwrap_or_default();
        beside.tasks(transaction, &of(&there), &of(&here));
    }
    if hosted.is_full || native.is_full {
        beside.kinds.whole("a recording is full", "what comes behind was not compared");
    }
    Compared { differences: beside.kinds.end(), ..beside.compared }
}

/// The tasks of each transaction, in the order in which they began, and the places of their stops.
type Tasks = BTreeMap<String, Vec<Vec<usize>>>;

fn by_transaction(recording: &Recording) -> Tasks {
    let mut tasks: BTreeMap<(&str, i64, u32), Vec<usize>> = BTreeMap::new();
    for (place, stop) in recording.stops.iter().enumerate() {
        tasks.entry((&stop.transaction, stop.begun, stop.task)).or_default().push(place);
    }
    let mut by_transaction = Tasks::new();
    for ((transaction, ..), stops) in tasks {
        by_transaction.entry(transaction.to_owned()).or_default().push(stops);
    }
    by_transaction
}

/// The difference of an item of a program, or of an option of its command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The item; an option in brackets; of a command that one side alone asks for, its name.
    item: String,
    /// The bytes of an option, from 1.
    bytes: Option<(usize, usize)>,
    /// Both values.
    what: String,
}

impl Difference {
    fn new(item: String, what: String) -> Self {
        Self { item, bytes: None, what }
    }
}

type Found = Vec<Difference>;

/// Two recordings beside each other.
struct Beside<'r> {
    hosted: &'r Recording,
    native: &'r Recording,
    known: &'r [Known],
    /// The differences of two records.
    pairs: HashMap<(u32, u32), Rc<Found>>,
    compared: Compared,
    kinds: Kinds,
}

impl Beside<'_> {
    /// The tasks of a transaction.
    fn tasks(&mut self, transaction: &str, hosted: &[Vec<usize>], native: &[Vec<usize>]) {
        if hosted.len() != native.len() {
            let (there, here) = (hosted.len(), native.len());
            self.kinds.whole(transaction, &format!("{there} tasks by the hosted compiler, {here} natively"));
        }
        for (number, (hosted, native)) in hosted.iter().zip(native).enumerate() {
            self.compared.tasks += 1;
            self.task(&format!("{transaction}, task {}", number + 1), hosted, native);
        }
    }

    /// A task command by command: what only one side asks for is a difference of its own, and the next ones are compared again.
    fn task(&mut self, task: &str, hosted: &[usize], native: &[usize]) {
        let (hosted_all, native_all) = (self.hosted, self.native);
        let there = |place: usize| &hosted_all.stops[hosted[place]];
        let here = |place: usize| &native_all.stops[native[place]];
        let asks = |stop: &Stop| (stop.program.clone(), stop.asks.clone());
        let sequence: Vec<_> = (0..hosted.len()).map(|place| asks(there(place))).collect();
        let other: Vec<_> = (0..native.len()).map(|place| asks(here(place))).collect();
        for (place, pair) in pairs(&sequence, &other).into_iter().enumerate() {
            self.compared.commands += 1;
            let (stop, found) = match pair {
                Pair::Both(one, other) => (there(one), self.differences(there(one), here(other))),
                Pair::First(one) => (there(one), unasked(there(one), "the natively compiled program")),
                Pair::Second(other) => (here(other), unasked(here(other), "the hosted program")),
            };
            let first = || format!("{task}, command {}, {}", place + 1, stop.asks);
            for found in &found {
                if !self.compared.is_known(self.known, stop, found) {
                    self.kinds.add(&stop.program, &found.item, first, &found.what);
                }
            }
        }
    }

    /// Returns the differences of a program at a command: item, and its values.
    fn differences(&mut self, hosted: &Stop, native: &Stop) -> Found {
        let mut found = Vec::new();
        arguments("", &hosted.arguments, &native.arguments, &mut found);
        arguments(" answered", &hosted.answered, &native.answered, &mut found);
        self.storage(&hosted.storage, &native.storage, &mut found);
        found
    }

    fn storage(&mut self, hosted: &[u32], mut native: &[u32], found: &mut Found) {
        let (hosted_all, native_all) = (self.hosted, self.native);
        for there in hosted {
            let name = name_of(&hosted_all.records[*there as usize]);
            // A record of varying length has no description where its program is hosted.
            if name.ends_with(" bytes") {
                continue;
            }
            // What redefines is the same bytes once more.
            if OF_THE_TRANSLATOR.contains(&name) || name.contains(" redefines ") {
                continue;
            }
            let is_same = |here: &u32| name_of(&native_all.records[*here as usize]) == name;
            // What the hosted compiler leaves out, since no statement uses it, is natively there all the same.
            let Some(place) = native.iter().position(is_same) else {
                if !name.starts_with(UNUSED) {
                    found.push(Difference::new(name.to_owned(), String::from("is not there natively")));
                }
                continue;
            };
            let here = native[place];
            native = &native[place + 1..];
            found.extend(self.pair(*there, here).iter().cloned());
        }
    }

    /// Returns the differences of two records of the same name.
    fn pair(&mut self, there: u32, here: u32) -> Rc<Found> {
        let (hosted, native) = (&self.hosted.records, &self.native.records);
        let differ = || Rc::new(dump::differ(&hosted[there as usize], &native[here as usize]));
        Rc::clone(self.pairs.entry((there, here)).or_insert_with(differ))
    }
}

/// The counts of the comparison, then a line for each kind of unknown differences.
impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tasks, commands, differences, known } = self;
        let (kinds, known) = (differences.len(), known.values().sum::<usize>());
        let unknown: usize = differences.iter().map(|kind| kind.times).sum();
        write!(f, "{tasks} tasks, {commands} commands and CALLs, {known} differences by the table, ")?;
        write!(f, "{unknown} unknown ones of {kinds} kinds")?;
        differences.iter().try_for_each(|kind| write!(f, "\n  {kind}"))
    }
}

impl Compared {
    /// Returns true if a difference is one of the table.
    fn is_known(&mut self, known: &[Known], stop: &Stop, found: &Difference) -> bool {
        let is_it = |known: &Known| known.is_of(&stop.program, &stop.asks, found);
        let Some(place) = known.iter().position(is_it) else { return false };
        *self.known.entry(place).or_default() += 1;
        true
    }
}

/// Adds the differences of a command's options, or of a CALL's arguments, before it or after its answer.
fn arguments(when: &str, hosted: &[(String, String)], native: &[(String, String)], found: &mut Found) {
    for ((option, there), (other, here)) in hosted.iter().zip(native) {
        let option = format!("{option}{when}");
        match option == format!("{other}{when}") {
            true => found.extend(same::arguments_differ(&option, there, here)),
            false => {
                let what = format!("natively ({other}) stands there");
                found.push(Difference::new(format!("({option})"), what));
            }
        }
    }
    if hosted.len() != native.len() {
        let what = format!("{} arguments{when}, natively {}", hosted.len(), native.len());
        found.push(Difference::new(String::from("()"), what));
    }
}

/// A command that one side alone asks for.
fn unasked(stop: &Stop, who: &str) -> Found {
    vec![Difference::new(stop.asks.clone(), format!("{who} does not ask for it"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(asks: &str, record: u32) -> Stop {
        Stop {
            task: 1,
            begun: 1,
            transaction: String::from("WORK"),
            program: String::from("P"),
            line: 5,
            asks: asks.to_owned(),
            arguments: vec![(String::from("FILE"), String::from("X'C1'"))],
            answered: Vec::new(),
            storage: vec![record],
        }
    }

    /// A task with a command for each, and the value of its item then.
    fn recording(commands: &[(&str, &str)]) -> Recording {
        let mut recording = Recording::default();
        for (place, (asks, value)) in (0..).zip(commands) {
            recording.records.push(format!("  77 N    {value}"));
            recording.stops.push(stop(asks, place));
        }
        recording
    }

    fn said(native: &Recording, known: &[Known]) -> Vec<String> {
        let hosted = recording(&[("READ", "5"), ("SEND", "5"), ("RETURN", "5")]);
        compare_recordings(&hosted, native, known).differences.iter().map(Kind::to_string).collect()
    }

    #[test]
    fn what_differs_is_said_once_a_kind_unless_the_table_knows_it() {
        let native = recording(&[("READ", "5"), ("SEND", "6"), ("RETURN", "6")]);
        assert!(said(&recording(&[("READ", "5"), ("SEND", "5"), ("RETURN", "5")]), &[]).is_empty());
        let what = "2 × P: 77 N; first at WORK, task 1, command 2, SEND: 5, natively 6";
        assert_eq!(said(&native, &[]), [what]);
        let known = Known::read("a/page\tP\t77 *\ta time\n", "a/page").expect("a table");
        assert!(said(&native, &known).is_empty());
        assert_eq!(said(&Recording::default(), &[]), ["WORK: 1 tasks by the hosted compiler, 0 natively"]);
    }

    #[test]
    fn a_number_that_comes_again_after_a_restart_is_another_task() {
        let mut native = recording(&[("READ", "5"), ("SEND", "5"), ("RETURN", "5"), ("READ", "9")]);
        native.stops[3].begun = 2;
        assert_eq!(said(&native, &[]), ["WORK: 1 tasks by the hosted compiler, 2 natively"]);
        native.stops[3].begun = 0;
        assert_eq!(
            said(&native, &[])[1],
            "1 × P: 77 N; first at WORK, task 1, command 1, READ: 5, natively 9"
        );
    }

    #[test]
    fn behind_what_one_side_alone_asks_for_the_rest_is_compared() {
        let native = recording(&[("READ", "5"), ("WRITE", "5"), ("SEND", "5"), ("RETURN", "6")]);
        let extra =
            "1 × P: WRITE; first at WORK, task 1, command 2, WRITE: the hosted program does not ask for it";
        let behind = "1 × P: 77 N; first at WORK, task 1, command 4, RETURN: 5, natively 6";
        assert_eq!(said(&native, &[]), [extra, behind]);
        let known = Known::read("a\tP\tWRITE\ta loop\n", "a").expect("a table");
        assert_eq!(said(&native, &known), [behind]);
    }
}
