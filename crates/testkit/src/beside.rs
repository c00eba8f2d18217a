//! A test with the programs of both compilers, one after the other: what they ask for, and what they hold then, must be the
//! same.
//!
//! At each command its name, its arguments, and all storage of the program that asks for it are noted, item by item. Tasks are
//! compared by transaction, in the order in which they began. What is known to differ is in [`is_same`] and [`OF_THE_TRANSLATOR`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use config::CobolCompiler;
use kernel::debugging::storage_by_either;
use kernel::exec::{Call, Content, Parcel, Waiting, Watcher, place_of};
use kernel::raise::Outcome;
use kernel::storage::StorageAddress;
use kernel::task::Task;
use kernel::transactions::Supplied;
use parking_lot::Mutex;

use crate::document::Document;
use crate::suite;

/// Differences that are shown of a task: what comes behind the first mostly follows from it.
const SHOWN: usize = 6;

/// A program at one of its commands.
#[derive(Debug)]
struct Stop {
    task: u32,
    program: String,
    command: &'static str,
    /// Option and content.
    arguments: Vec<(String, String)>,
    /// The records of its storage.
    storage: Vec<Record>,
}

/// A record, by its level and name.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    name: String,
    /// Its items, or itself, and their values.
    values: Vec<(String, String)>,
}

/// Records that the translator puts into a hosted program, and that a natively compiled one does not need.
const OF_THE_TRANSLATOR: [&str; 1] = ["01 DFHEIV"];

/// Notes what programs ask for.
#[derive(Default)]
struct Notes(Mutex<BTreeMap<String, Vec<Stop>>>);

impl Watcher for Notes {
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        Box::pin(async move {
            if task.transaction.supplied == Supplied::No
                && let Some(place) = place_of(task, call)
            {
                let storage = storage_by_either(task, call).await.unwrap_or_default();
                let stop = Stop {
                    task: task.number,
                    program: place.program,
                    command: spec::command(call.command()).name,
                    arguments: arguments(&Parcel::copy_of(call)),
                    storage: records(&storage),
                };
                self.0.lock().entry(task.transaction.name.to_string()).or_default().push(stop);
            }
            Ok(())
        })
    }

    fn after<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move { outcome })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn arguments(parcel: &Parcel) -> Vec<(String, String)> {
    let text = |content| match content {
        Content::Nothing => String::from("-"),
        Content::Bytes(bytes) => format!("X'{}'", hexadecimal(&bytes)),
        Content::Number(number) => number.to_string(),
        // An address means nothing beside another.
        Content::Pointer(address) if address == StorageAddress::NULL => String::from("NULL"),
        Content::Pointer(_) => String::from("an address"),
    };
    let given = parcel.contents().map(|(option, content)| (option.name().to_owned(), text(content)));
    let keywords = parcel.keywords().map(|option| (option.name().to_owned(), String::new()));
    given.chain(keywords).collect()
}

/// The records of a program's storage, as a dump shows them: a record's line is indented by two blanks, an item's by more.
fn records(storage: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    // What redefines is the same bytes once more.
    for line in storage.lines().filter(|line| line.starts_with("  ") && !line.contains(" redefines ")) {
        let (name, value) = line.trim_start().split_once("  ").unwrap_or((line.trim(), ""));
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        match records.last_mut() {
            Some(record) if line.starts_with("   ") => {
                record.values.extend(elements(&name).into_iter().map(|name| (name, value.clone())));
            }
            _ => {
                let values = if value.is_empty() { Vec::new() } else { vec![(String::new(), value)] };
                records.push(Record { name, values });
            }
        }
    }
    records.retain(|record| !OF_THE_TRANSLATOR.contains(&record.name.as_str()));
    records
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
    /// Commands that were compared.
    pub commands: usize,
    /// How they differ.
    pub differences: Vec<String>,
}

/// Runs a test by either compiler, and compares. Call it within a `LocalSet`.
///
/// # Errors
/// One of them does not run it.
pub async fn compare(document: &Document, folder: &Path) -> Result<Compared, String> {
    let mut settings =
        document.blocks.iter().filter(|block| block.kind == "toml").flat_map(|block| &block.text);
    if settings.any(|line| line.trim() == "[cobol]") {
        return Err(String::from("it says by which compiler its programs are compiled"));
    }
    let mut both = Vec::new();
    for (compiler, name) in [(CobolCompiler::Hosted, "hosted"), (CobolCompiler::Native, "native")] {
        let notes = Arc::new(Notes::default());
        let watcher = Arc::clone(&notes) as Arc<dyn Watcher>;
        let report = suite::run_watched(document, &folder.join(name), compiler, watcher).await;
        if let Some(failure) = report.failures.iter().find(|failure| failure.line == 0) {
            return Err(format!("{name}: {}", failure.what));
        }
        both.push(std::mem::take(&mut *notes.0.lock()));
    }
    let (native, hosted) = (both.pop().unwrap_or_default(), both.pop().unwrap_or_default());
    let mut compared = Compared::default();
    for transaction in hosted.keys().chain(native.keys().filter(|name| !hosted.contains_key(*name))) {
        let of = |notes| by_task(BTreeMap::get(notes, transaction).map_or(&[][..], Vec::as_slice));
        compare_tasks(transaction, &of(&hosted), &of(&native), &mut compared);
    }
    Ok(compared)
}

/// The tasks of a transaction beside each other.
fn compare_tasks(transaction: &str, hosted: &[Vec<&Stop>], native: &[Vec<&Stop>], compared: &mut Compared) {
    if hosted.len() != native.len() {
        let (there, here) = (hosted.len(), native.len());
        compared
            .differences
            .push(format!("{transaction}: {there} tasks by the hosted compiler, {here} natively"));
    }
    for (number, (hosted, native)) in hosted.iter().zip(native).enumerate() {
        for place in 0..hosted.len().max(native.len()) {
            compared.commands += 1;
            let found = match (hosted.get(place), native.get(place)) {
                (Some(hosted), Some(native)) => differences(hosted, native),
                (Some(_), None) => vec![String::from("the natively compiled program does not ask for it")],
                _ => vec![String::from("the hosted program does not ask for it")],
            };
            if found.is_empty() {
                continue;
            }
            let stop = hosted.get(place).or_else(|| native.get(place));
            let what = stop.map_or_else(String::new, |stop| format!("{} in {}", stop.command, stop.program));
            let at = format!("{transaction}, task {}, command {}, {what}", number + 1, place + 1);
            compared.differences.extend(found.iter().take(SHOWN).map(|found| format!("{at}: {found}")));
            break;
        }
    }
}

fn by_task(stops: &[Stop]) -> Vec<Vec<&Stop>> {
    let mut tasks: BTreeMap<u32, Vec<&Stop>> = BTreeMap::new();
    for stop in stops {
        tasks.entry(stop.task).or_default().push(stop);
    }
    tasks.into_values().collect()
}

fn differences(hosted: &Stop, native: &Stop) -> Vec<String> {
    let mut found = Vec::new();
    let (there, here) = ((&hosted.program, hosted.command), (&native.program, native.command));
    if there != here {
        return vec![format!("{there:?} by the hosted compiler, {here:?} natively")];
    }
    for ((option, there), (other, here)) in hosted.arguments.iter().zip(&native.arguments) {
        if option != other || !is_same_argument(there, here) {
            found.push(format!("{option} is {}, natively {other} {}", start(there), start(here)));
        }
    }
    if hosted.arguments.len() != native.arguments.len() {
        found.push(format!("{:?}, natively {:?}", hosted.arguments, native.arguments));
    }
    let mut rest = native.storage.as_slice();
    for there in &hosted.storage {
        // What the hosted compiler leaves out, since no statement uses it, is natively there all the same.
        let Some(place) = rest.iter().position(|here| here.name == there.name) else {
            if !there.name.starts_with(UNUSED) {
                found.push(format!("{} is not there natively", there.name));
            }
            continue;
        };
        let here = &rest[place];
        rest = &rest[place + 1..];
        if there.values.len() != here.values.len() {
            found.push(format!("{there:?}, natively {here:?}"));
        }
        for ((item, there_value), (other, here_value)) in there.values.iter().zip(&here.values) {
            if item != other || !is_same(there_value, here_value) {
                found.push(format!("{} {item}: {there_value}, natively {other} {here_value}", there.name));
            }
        }
    }
    found
}

/// The same of an argument in hexadecimal: an item that the command is to fill.
fn is_same_argument(hosted: &str, native: &str) -> bool {
    /// What INITIALIZE gives characters and numbers.
    const INITIAL: [&str; 4] = ["20", "30", "00", "0C"];
    let bytes = |text: &str| -> Option<Vec<String>> {
        let inner = text.strip_prefix("X'")?.strip_suffix('\'')?;
        Some(inner.as_bytes().chunks(2).map(|pair| pair.iter().copied().map(char::from).collect()).collect())
    };
    let of = |text: &str, known: &[&str]| {
        bytes(text).is_some_and(|bytes| bytes.iter().all(|byte| known.contains(&byte.as_str())))
    };
    hosted == native || hosted.len() == native.len() && of(native, &INITIAL[2..3]) && of(hosted, &INITIAL)
}

/// As much of a long text as a line takes.
fn start(text: &str) -> String {
    const SHOWN: usize = 60;
    text.chars().take(SHOWN).collect()
}

/// How the line begins that names records which the hosted compiler leaves out.
const UNUSED: &str = "without storage";

/// Whether two values say the same. A pointer has eight bytes in a hosted program and four natively, and what it holds means
/// nothing beside the other. An item without VALUE that nobody has stored into holds binary zeros natively, and in a hosted
/// program what INITIALIZE would give it.
fn is_same(hosted: &str, native: &str) -> bool {
    let is_hexadecimal = |text: &str, digits: usize| {
        let inner = text.strip_prefix("X'").and_then(|rest| rest.strip_suffix('\''));
        inner.is_some_and(|inner| inner.len() == digits && inner.bytes().all(|c| c.is_ascii_hexdigit()))
    };
    let are_pointers = is_hexadecimal(hosted, 16) && (native == "NULL" || is_hexadecimal(native, 8));
    let untouched = native.trim_end_matches("  not a number");
    let is_untouched = native == "LOW-VALUES"
        || untouched.strip_prefix("X'").is_some_and(|rest| rest.bytes().all(|c| matches!(c, b'0' | b'\'')));
    let is_initial = hosted == "SPACES" || hosted.bytes().all(|c| b"0 .,:/'-+$*".contains(&c));
    hosted == native || are_pointers || is_untouched && is_initial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_taken_apart_and_known_differences_are_none() {
        let dump = "\nWORKING-STORAGE OF P\n  77 N                              5\n  01 R\n      T(1) to (3)                     7\n\
                    \x20 01 DFHEIV  X'00'\n";
        let record = |name: &str, values: &[(&str, &str)]| Record {
            name: name.to_owned(),
            values: values.iter().map(|(item, value)| ((*item).to_owned(), (*value).to_owned())).collect(),
        };
        let table = record("01 R", &[("T(1)", "7"), ("T(2)", "7"), ("T(3)", "7")]);
        assert_eq!(records(dump), [record("77 N", &[("", "5")]), table]);
        assert_eq!(elements("T(2,3) to (4)"), ["T(2,3)", "T(2,4)"]);
        assert!(is_same("X'0000000000000000'", "NULL") && is_same("'       0'", "LOW-VALUES"));
        assert!(is_same("0", "X'0000'  not a number") && is_same("SPACES", "LOW-VALUES"));
        assert!(!is_same("1", "LOW-VALUES") && !is_same("0", "1") && !is_same("SPACES", "'A'"));
    }
}
