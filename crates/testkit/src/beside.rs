//! A test with the programs of both compilers, one after the other: what they ask for, and what they hold then, must be the
//! same.
//!
//! At each command, and each CALL of a service, its name, its arguments, and all storage of the program that asks for it are
//! recorded (`debugger::recording`), item by item. Tasks are compared by transaction, in the order in which they began. What must
//! differ everywhere is in [`is_same`] and [`OF_THE_TRANSLATOR`]; the rest is a table ([`Known`]).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use config::CobolCompiler;
use debugger::recording::{Recorder, Recording, Stop};
use kernel::exec::Watcher;

use crate::document::Document;
use crate::suite;

/// Differences that are shown of a task: what comes behind the first mostly follows from it.
const SHOWN: usize = 6;

/// A record, by its level and name.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    name: String,
    /// Its items, or itself, and their values.
    values: Vec<(String, String)>,
}

/// Records that the translator puts into a hosted program, and that a natively compiled one does not need.
const OF_THE_TRANSLATOR: [&str; 1] = ["01 DFHEIV"];

/// A record as its dump shows it: its line is indented by two blanks, those of its items by more.
fn record(text: &str) -> Record {
    let mut record = Record { name: String::new(), values: Vec::new() };
    // What redefines is the same bytes once more.
    for line in text.lines().filter(|line| !line.contains(" redefines ")) {
        let (name, value) = line.trim_start().split_once("  ").unwrap_or((line.trim(), ""));
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if line.starts_with("   ") {
            record.values.extend(elements(&name).into_iter().map(|name| (name, value.clone())));
            continue;
        }
        record.name = name;
        if !value.is_empty() {
            record.values.push((String::new(), value));
        }
    }
    record
}

/// The elements that a line stands for: `T(2) to (4)` are three.
fn elements(path: &str) -> Vec<String> {
    let range = || {
        let (first, last) = path.split_once(" to (")?;
        let last: usize = last.trim_end_matches(')').parse().ok()?;
        let (table, subscripts) = first.rsplit_once('(')?;
        let (outer, first) = match subscripts.trim_end_matches(')').rsplit_once(',') {
            Some((outer, first)) => (format!("{outer},"), first),
            None => (String::new(), subscripts.trim_end_matches(')')),
        };
        let first: usize = first.trim().parse().ok()?;
        Some((first..=last).map(|place| format!("{table}({outer}{place})")).collect())
    };
    range().unwrap_or_else(|| vec![path.to_owned()])
}

/// What has come of both.
#[derive(Debug, Default)]
pub struct Compared {
    /// Tasks that were compared.
    pub tasks: usize,
    /// Commands and CALLs of services that were compared.
    pub commands: usize,
    /// How they differ.
    pub differences: Vec<String>,
    /// Differences that are known, by their place in the table.
    pub known: BTreeMap<usize, usize>,
}

/// Runs a test by either compiler, and compares. Call it within a `LocalSet`.
///
/// # Errors
/// One of them does not run it.
pub async fn compare(document: &Document, folder: &Path, known: &[Known]) -> Result<Compared, String> {
    let mut settings =
        document.blocks.iter().filter(|block| block.kind == "toml").flat_map(|block| &block.text);
    if settings.any(|line| line.trim() == "[cobol]") {
        return Err(String::from("it says by which compiler its programs are compiled"));
    }
    let mut both = Vec::new();
    for (compiler, name) in [(CobolCompiler::Hosted, "hosted"), (CobolCompiler::Auto, "native")] {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let path = folder.join("recording");
        let recorder = Arc::new(Recorder::begin(&path).map_err(|error| error.to_string())?);
        let watcher = Arc::clone(&recorder) as Arc<dyn Watcher>;
        let report = suite::run_watched(document, &folder, compiler, watcher).await;
        if let Some(failure) = report.failures.iter().find(|failure| failure.line == 0) {
            return Err(format!("{name}: {}", failure.what));
        }
        recorder.end()?;
        both.push(Recording::read(&path).map_err(|error| error.to_string())?);
    }
    let (native, hosted) = (both.pop().unwrap_or_default(), both.pop().unwrap_or_default());
    Ok(compare_recordings(&hosted, &native, known))
}

/// Compares two recordings of the same work: that of hosted programs, and that of natively compiled ones.
pub fn compare_recordings(hosted: &Recording, native: &Recording, known: &[Known]) -> Compared {
    let mut beside = Beside { hosted, native, known, pairs: HashMap::new(), compared: Compared::default() };
    let (there, here) = (by_transaction(hosted), by_transaction(native));
    for transaction in there.keys().chain(here.keys().filter(|name| !there.contains_key(*name))) {
        let of = |tasks: &Tasks| tasks.get(transaction).cloned().unwrap_or_default();
        beside.tasks(transaction, &of(&there), &of(&here));
    }
    if hosted.is_full || native.is_full {
        let why = String::from("a recording is full: what comes behind was not compared");
        beside.compared.differences.push(why);
    }
    beside.compared
}

/// The tasks of each transaction, by their numbers, and the places of their stops.
type Tasks = BTreeMap<String, Vec<Vec<usize>>>;

fn by_transaction(recording: &Recording) -> Tasks {
    let mut tasks: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
    for (place, stop) in recording.stops.iter().enumerate() {
        tasks.entry((&stop.transaction, stop.task)).or_default().push(place);
    }
    let mut by_transaction = Tasks::new();
    for ((transaction, _), stops) in tasks {
        by_transaction.entry(transaction.to_owned()).or_default().push(stops);
    }
    by_transaction
}

/// How something differs: item or option, and what of it.
type Found = Vec<(String, String)>;

/// Two recordings beside each other.
struct Beside<'r> {
    hosted: &'r Recording,
    native: &'r Recording,
    known: &'r [Known],
    /// How two records differ: program, item, what of it.
    pairs: HashMap<(u32, u32), Rc<Found>>,
    compared: Compared,
}

impl Beside<'_> {
    /// The tasks of a transaction.
    fn tasks(&mut self, transaction: &str, hosted: &[Vec<usize>], native: &[Vec<usize>]) {
        if hosted.len() != native.len() {
            let (there, here) = (hosted.len(), native.len());
            let what = format!("{transaction}: {there} tasks by the hosted compiler, {here} natively");
            self.compared.differences.push(what);
        }
        for (number, (hosted, native)) in hosted.iter().zip(native).enumerate() {
            self.compared.tasks += 1;
            self.task(&format!("{transaction}, task {}", number + 1), hosted, native);
        }
    }

    fn task(&mut self, task: &str, hosted: &[usize], native: &[usize]) {
        let (hosted_all, native_all) = (self.hosted, self.native);
        for place in 0..hosted.len().max(native.len()) {
            self.compared.commands += 1;
            let there = hosted.get(place).map(|at| &hosted_all.stops[*at]);
            let here = native.get(place).map(|at| &native_all.stops[*at]);
            let mut found = match (there, here) {
                (Some(there), Some(here)) => self.differences(there, here),
                (Some(_), None) => unasked("the natively compiled program does not ask for it"),
                _ => unasked("the hosted program does not ask for it"),
            };
            let Some(stop) = there.or(here) else { return };
            found.retain(|(item, _)| !self.is_known(&stop.program, item));
            if found.is_empty() {
                continue;
            }
            let at = format!("{task}, command {}, {} in {}", place + 1, stop.asks, stop.program);
            let shown = found.iter().take(SHOWN).map(|(item, what)| format!("{at}: {item} {what}"));
            self.compared.differences.extend(shown);
            return;
        }
    }

    /// Whether a difference is one of the table.
    fn is_known(&mut self, program: &str, item: &str) -> bool {
        let Some(place) = self.known.iter().position(|known| known.is_of(program, item)) else {
            return false;
        };
        *self.compared.known.entry(place).or_default() += 1;
        true
    }

    /// How a program at a command differs: item, and what of it.
    fn differences(&mut self, hosted: &Stop, native: &Stop) -> Vec<(String, String)> {
        let (there, here) = ((&hosted.program, &hosted.asks), (&native.program, &native.asks));
        if there != here {
            return unasked(&format!("{there:?} by the hosted compiler, {here:?} natively"));
        }
        let mut found = Vec::new();
        for ((option, there), (other, here)) in hosted.arguments.iter().zip(&native.arguments) {
            if option != other || !is_same_argument(there, here) {
                found.push((
                    format!("({option})"),
                    format!("is {}, natively {other} {}", start(there), start(here)),
                ));
            }
        }
        if hosted.arguments.len() != native.arguments.len() {
            let (there, here) = (hosted.arguments.len(), native.arguments.len());
            found.push((String::from("()"), format!("{there} arguments, natively {here}")));
        }
        self.storage(&hosted.storage, &native.storage, &mut found);
        found
    }

    fn storage(&mut self, hosted: &[u32], mut native: &[u32], found: &mut Vec<(String, String)>) {
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
                    found.push((name.to_owned(), String::from("is not there natively")));
                }
                continue;
            };
            let here = native[place];
            native = &native[place + 1..];
            found.extend(self.pair(*there, here).iter().cloned());
        }
    }

    /// How two records of the same name differ.
    fn pair(&mut self, there: u32, here: u32) -> Rc<Found> {
        let (hosted, native) = (self.hosted, self.native);
        let pair = self.pairs.entry((there, here));
        let differ =
            || Rc::new(records_differ(&hosted.records[there as usize], &native.records[here as usize]));
        Rc::clone(pair.or_insert_with(differ))
    }
}

fn unasked(what: &str) -> Vec<(String, String)> {
    vec![(String::new(), what.to_owned())]
}

/// The level and name of a record.
fn name_of(record: &str) -> &str {
    let line = record.lines().next().unwrap_or_default().trim_start();
    line.split_once("  ").map_or(line, |(name, _)| name).trim()
}

fn records_differ(there: &str, here: &str) -> Vec<(String, String)> {
    if there == here {
        return Vec::new();
    }
    let (there, here) = (record(there), record(here));
    let mut found = Vec::new();
    if there.values.len() != here.values.len() {
        found.push((there.name.clone(), format!("{there:?}, natively {here:?}")));
    }
    for ((item, there_value), (other, here_value)) in there.values.iter().zip(&here.values) {
        if !is_same_name(item, other) || !is_same(there_value, here_value) {
            let item = format!("{} {item}", there.name);
            found.push((item.trim_end().to_owned(), format!("{there_value}, natively {other} {here_value}")));
        }
    }
    found
}

/// Something that must differ, or is known to.
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    /// The test or application.
    pub of: String,
    /// Program, and item or option; `*` stands for anything.
    pub program: String,
    /// See `program`.
    pub item: String,
    /// Why.
    pub reason: String,
}

impl Known {
    /// The rows of the table (`tests/beside.tsv`) for a test or application.
    ///
    /// # Errors
    /// A row that is none.
    pub fn read(table: &str, of: &str) -> Result<Vec<Self>, String> {
        let rows = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut known = Vec::new();
        for row in rows {
            let [whose, program, item, reason] = row.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!(
                    "'{row}' needs four columns: test or application, program, item, reason"
                ));
            };
            if is_like(whose, of) {
                let [of, program, item, reason] = [whose, program, item, reason].map(str::to_owned);
                known.push(Self { of, program, item, reason });
            }
        }
        Ok(known)
    }

    fn is_of(&self, program: &str, item: &str) -> bool {
        is_like(&self.program, program) && is_like(&self.item, item)
    }
}

/// Whether a pattern stands for a name.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(behind) = name.strip_prefix(start) else { return false };
    (0..=behind.len()).filter_map(|at| behind.get(at..)).any(|behind| is_like(rest, behind))
}

/// Whether two names are of the same item: one may be qualified, and have no subscripts where a group without a name has them.
fn is_same_name(hosted: &str, native: &str) -> bool {
    let parts = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or_default().to_owned();
        let (name, subscripts) = name.split_once('(').unwrap_or((&name, ""));
        (name.to_owned(), subscripts.to_owned())
    };
    let ((there, of_there), (here, of_here)) = (parts(hosted), parts(native));
    there == here && (of_there == of_here || of_there.is_empty() || of_here.is_empty())
}

/// As much of a long text as a line takes.
fn start(text: &str) -> String {
    const SHOWN: usize = 60;
    text.chars().take(SHOWN).collect()
}

/// How the line begins that names records which the hosted compiler leaves out.
const UNUSED: &str = "without storage";

/// Whether two values say the same. A pointer has eight bytes in a hosted program and four natively, and what it holds means
/// nothing beside the other.
fn is_same(hosted: &str, native: &str) -> bool {
    let digits = |text: &str| {
        let inner = text.strip_prefix("X'")?.strip_suffix('\'')?;
        inner.bytes().all(|c| c.is_ascii_hexdigit()).then_some(inner.len())
    };
    const HOSTED: usize = 16;
    const NATIVE: usize = 8;
    let are_pointers = digits(hosted) == Some(HOSTED) && (native == "NULL" || digits(native) == Some(NATIVE));
    // The digits of binary zeros and of blanks are zeros, as natively compiled statements read them, and so does their dump;
    // that of the other says that they are none.
    let zeros = hosted.strip_suffix("'  not a number").and_then(|bytes| bytes.strip_prefix("X'"));
    let are_zeros = zeros.is_some_and(|bytes| bytes.bytes().skip(1).step_by(2).all(|digit| digit == b'0'))
        && native.bytes().all(|c| b"0.".contains(&c));
    hosted == native || are_pointers || are_zeros
}

/// The same of an argument. LENGTH OF is a binary number as the processor has it where a program is hosted.
fn is_same_argument(hosted: &str, native: &str) -> bool {
    const FULLWORD: usize = "X'00000000'".len();
    let reversed = || {
        let digits = hosted.strip_prefix("X'")?.strip_suffix('\'')?;
        let bytes: Vec<&str> = (0..digits.len()).step_by(2).filter_map(|at| digits.get(at..at + 2)).collect();
        Some(format!("X'{}'", bytes.into_iter().rev().collect::<String>()))
    };
    is_same(hosted, native) || hosted.len() <= FULLWORD && reversed().is_some_and(|bytes| bytes == native)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_taken_apart_and_known_differences_are_none() {
        let table = record("  01 R\n      T(1) to (3)                     7");
        let values = ["T(1)", "T(2)", "T(3)"].map(|item| (item.to_owned(), String::from("7")));
        assert_eq!(table, Record { name: String::from("01 R"), values: values.to_vec() });
        let alone = record("  77 N                              5");
        assert_eq!(alone.values, [(String::new(), String::from("5"))]);
        assert_eq!(elements("T(2,3) to (4)"), ["T(2,3)", "T(2,4)"]);
        assert!(is_same("X'0000000000000000'", "NULL") && is_same("X'D045437FA4720000'", "X'00012000'"));
        assert!(!is_same("SPACES", "LOW-VALUES") && !is_same("0", "1") && !is_same("X'00'", "NULL"));
        assert!(is_same_name("GIVEN.DOMAIN", "DOMAIN") && is_same_name("PTR", "PTR(2)"));
        assert!(!is_same_name("T(1)", "T(2)") && !is_same_name("A", "B"));
    }
    fn recording(asks: &str, value: &str) -> Recording {
        let stop = Stop {
            task: 1,
            transaction: String::from("WORK"),
            program: String::from("P"),
            line: 5,
            asks: asks.to_owned(),
            arguments: vec![(String::from("FILE"), String::from("X'C1'"))],
            storage: vec![0],
        };
        Recording { records: vec![format!("  77 N    {value}")], stops: vec![stop], is_full: false }
    }

    #[test]
    fn what_differs_is_said_once_a_task_unless_the_table_knows_it() {
        let said = |native: &Recording, known: &[Known]| {
            compare_recordings(&recording("READ", "5"), native, known).differences
        };
        assert!(said(&recording("READ", "5"), &[]).is_empty());
        assert_eq!(
            said(&recording("READ", "6"), &[]),
            ["WORK, task 1, command 1, READ in P: 77 N 5, natively  6"]
        );
        assert!(said(&recording("CALL EZASOKET", "5"), &[])[0].contains("by the hosted compiler"));
        assert!(said(&Recording::default(), &[])[0].contains("1 tasks by the hosted compiler, 0 natively"));
        let known = Known::read("# a table\na/page\tP\t77 *\ta time\nother\tP\t77 N\tno\n", "a/page");
        let known = known.expect("a table");
        assert_eq!(known.len(), 1);
        assert!(said(&recording("READ", "6"), &known).is_empty());
        assert!(Known::read("a\tb", "a").is_err());
    }
}
