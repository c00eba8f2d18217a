//! Compares recordings (`[debug] record`) of strangers' programs: hosted, native, and native once more.
//!
//! `cargo run -p testkit --example strangers -- HOSTED NATIVE AGAIN [TABLE]`
//!
//! What differs from one native run to the next (the time, a number that counts on) says nothing of the compilers: it is left out.
//! So are the bytes of COMP-5 items within an argument: hosted programs have them as the processor does, the lowest first. The
//! items themselves are compared by their names.
//! TABLE has the form of `tests/beside.tsv`, for the application `strangers`. It prints, as JSON, what was compared and what
//! differs, by transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use debugger::recording::{Recording, Stop};
use serde_json::{Map, Value, json};
use testkit::beside::{Known, compare_recordings};

/// The name of these programs in a table.
const STRANGERS: &str = "strangers";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(recordings) = arguments.first_chunk::<3>() else {
        eprintln!("usage: strangers HOSTED NATIVE AGAIN [TABLE]");
        return ExitCode::FAILURE;
    };
    match compared(recordings, arguments.get(3)) {
        Ok(by_transaction) => println!("{by_transaction}"),
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn compared(recordings: &[String; 3], table: Option<&String>) -> Result<Value, String> {
    let table = table.map_or(Ok(String::new()), fs::read_to_string).map_err(|error| error.to_string())?;
    let read = |path: &String| Recording::read(Path::new(path)).map_err(|error| format!("{path}: {error}"));
    let [hosted, native, again] = [read(&recordings[0])?, read(&recordings[1])?, read(&recordings[2])?];
    let rules = Known::read(&table, STRANGERS)?;
    let known = table + &changing(&native, &again) + &turned(&hosted, &native);
    let known = Known::read(&known, STRANGERS)?;
    let all = [&hosted, &native].into_iter().flat_map(|recording| &recording.stops);
    let transactions: BTreeSet<&str> = all.map(|stop| stop.transaction.as_str()).collect();
    let mut by_transaction = Map::new();
    for transaction in transactions {
        let compared = compare_recordings(&of(&hosted, transaction), &of(&native, transaction), &known);
        let differences: Vec<String> = compared.differences.iter().map(ToString::to_string).collect();
        let used = compared.known.keys().filter_map(|place| rules.get(*place));
        let reasons: BTreeSet<&str> = used.map(|rule| rule.reason.as_str()).collect();
        by_transaction.insert(
            transaction.to_owned(),
            json!({
                "tasks": compared.tasks,
                "commands": compared.commands,
                "differences": differences,
                "rules": reasons,
            }),
        );
    }
    Ok(Value::Object(by_transaction))
}

/// What a recording has of one transaction.
fn of(recording: &Recording, transaction: &str) -> Recording {
    let stops = recording.stops.iter().filter(|stop| stop.transaction == transaction).cloned().collect();
    Recording { records: recording.records.clone(), stops, is_full: recording.is_full }
}

/// What differs from one native run to the next, as rows of a table.
fn changing(native: &Recording, again: &Recording) -> String {
    let mut rows = BTreeSet::new();
    let mut found = |program: &str, item: String| {
        rows.insert(format!("{STRANGERS}\t{program}\t{item}\tchanges from run to run\n"));
    };
    let later = numbered(again);
    for (place, stop) in numbered(native) {
        let Some(then) =
            later.get(&place).filter(|then| (&then.program, &then.asks) == (&stop.program, &stop.asks))
        else {
            continue;
        };
        for ((option, value), (_, later)) in stop.arguments.iter().zip(&then.arguments) {
            if value != later {
                found(&stop.program, format!("({option})"));
            }
        }
        for (record, later) in stop.storage.iter().zip(&then.storage) {
            let lines = native.records[*record as usize].lines().zip(again.records[*later as usize].lines());
            for item in items_that_differ(lines) {
                found(&stop.program, item);
            }
        }
    }
    rows.into_iter().collect()
}

/// Options that differ by the order of the bytes of binary numbers alone, as rows of a table.
fn turned(hosted: &Recording, native: &Recording) -> String {
    let (mut turned, mut otherwise) = (BTreeSet::new(), BTreeSet::new());
    let there = numbered(hosted);
    for (place, here) in numbered(native) {
        let Some(there) = there.get(&place) else { continue };
        for ((option, one), (_, other)) in there.arguments.iter().zip(&here.arguments) {
            let of = (here.program.clone(), option.clone());
            match one == other {
                true => false,
                false if is_turned(one, other) => turned.insert(of),
                false => otherwise.insert(of),
            };
        }
    }
    let rows = turned.difference(&otherwise);
    rows.map(|(program, option)| {
        format!("{STRANGERS}\t{program}\t({option})\tCOMP-5 in the processor's order\n")
    })
    .collect()
}

/// Whether bytes are the same but for runs of two, four or eight that stand in reverse.
fn is_turned(hosted: &str, native: &str) -> bool {
    let bytes = |text: &str| -> Option<Vec<u8>> {
        let digits = text.strip_prefix("X'")?.strip_suffix('\'')?;
        let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        (0..digits.len()).step_by(2).map(pair).collect()
    };
    let (Some(there), Some(here)) = (bytes(hosted), bytes(native)) else { return false };
    let mut at = 0;
    while at < there.len() {
        // What is the same in front of the first difference may belong to the run.
        let run = [2_usize, 4, 8].into_iter().find_map(|length| {
            (0..length).filter_map(|back| at.checked_sub(back)).find_map(|from| {
                let (one, other) = (there.get(from..from + length)?, here.get(from..from + length)?);
                one.iter().rev().eq(other).then_some(from + length)
            })
        });
        match (there.get(at) == here.get(at), run) {
            (true, _) => at += 1,
            (false, Some(behind)) => at = behind,
            (false, None) => return false,
        }
    }
    there.len() == here.len()
}

/// Stops by their transaction and their place among its stops.
fn numbered(recording: &Recording) -> BTreeMap<(&str, usize), &Stop> {
    let mut counts = BTreeMap::new();
    let number = |stop: &'_ Stop| {
        let count = counts.entry(stop.transaction.clone()).or_insert(0_usize);
        *count += 1;
        *count
    };
    let numbers: Vec<usize> = recording.stops.iter().map(number).collect();
    recording
        .stops
        .iter()
        .zip(numbers)
        .map(|(stop, number)| ((stop.transaction.as_str(), number), stop))
        .collect()
}

/// The items of a record whose lines differ: level and name of the record, then their own names, elements of tables alike.
fn items_that_differ<'t>(lines: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<String> {
    let name = |line: &str| {
        let line = line.trim_start();
        line.split_once("  ").map_or(line, |(name, _)| name).trim().to_owned()
    };
    let (mut record, mut items) = (String::new(), Vec::new());
    for (place, (line, later)) in lines.enumerate() {
        if place == 0 {
            record = name(line);
        }
        if line != later {
            // The other compiler's dump may qualify it.
            let item = name(line).split('(').next().unwrap_or_default().to_owned();
            let item = item.rsplit('.').next().unwrap_or_default();
            items.push(if place == 0 { record.clone() } else { format!("{record} *{item}*") });
        }
    }
    items
}
