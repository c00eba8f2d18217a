//! `bench workload sockets`: the two tests of the published paper on socket support, 2,500 requests on two sockets, one and five at a
//! time: receiver and sender by EZASOKET, the same programs on open TCBs, the conversation, and a bare server beside them.

use std::fmt::Write;
use std::path::PathBuf;

use instruments::{Cell, Shape, Table};

use crate::clock::{median, progress};
use crate::regions::{arguments, page};
use crate::site::Workshop;
use crate::sockets::{MESSAGES, NOT_THREADSAFE, Path, Rig, THREADSAFE};

/// The name of the workload.
pub(super) const WORD: &str = "sockets";
const USAGE: &str = "usage: bench workload sockets [--rounds N] [--quick] [--busy] [--out PAGE.md]";
/// Conversations at a time: the paper's two tests.
const AT_A_TIME: [usize; 2] = [1, 5];

/// A path, and what is left of the first path's processor time in the paper's two tests, in percent.
struct Published {
    name: &'static str,
    path: Path,
    left: [Option<u64>; 2],
}

/// The paper shows its figures as pictures; its text has what they save: 17 and 31 percent on general processors alone.
const PATHS: [Published; 4] = [
    Published { name: "EZASOKET, not threadsafe", path: NOT_THREADSAFE, left: [Some(100), Some(100)] },
    Published { name: "EZASOKET, the same on open TCBs", path: THREADSAFE, left: [None, None] },
    Published { name: "conversation", path: Path::Conversation, left: [Some(83), Some(69)] },
    Published { name: "bare epoll server", path: Path::Bare, left: [None, None] },
];

/// Measures, prints the table, and writes it where it belongs.
pub(super) fn show(words: &[String]) -> Result<(), String> {
    let (mut rounds, mut messages, mut busy, mut out) = (5, MESSAGES, false, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants something behind it\n{USAGE}"));
        match word.as_str() {
            "--rounds" => rounds = arguments::positive(value()?)?,
            "--quick" => (rounds, messages) = (1, 10),
            "--busy" => busy = true,
            "--out" => out = Some(PathBuf::from(value()?)),
            other => return Err(format!("{other} is no option\n{USAGE}")),
        }
    }
    let workshop = Workshop::new(1, 1)?;
    let rig = Rig::start(&workshop)?;
    let mut tables = Vec::new();
    for (test, conversations) in AT_A_TIME.into_iter().enumerate() {
        tables.push(table(&rig, test, conversations, rounds, messages)?.show(Shape::Text));
    }
    rig.end();
    let mut text = arguments::machine();
    if busy {
        text += page::BUSY;
    }
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{messages} requests in each conversation, 137 bytes in and 106 out, clients in a process of their own; the median of {rounds} \
         rounds in turns. Processor time is that of the region's process, for a request.\n\n```text\n{}```\n",
        tables.join("\n")
    );
    println!("{text}");
    out.map_or(Ok(()), |out| page::write(&out, WORD, &text))
}

fn table(
    rig: &Rig,
    test: usize,
    conversations: usize,
    rounds: usize,
    messages: usize,
) -> Result<Table, String> {
    let mut figures = PATHS.each_ref().map(|_| Vec::new());
    // The first round warms up.
    for round in 0..=rounds {
        for (way, figures) in PATHS.iter().zip(&mut figures) {
            progress(&format!("{}, {conversations} at a time: round {round} of {rounds}", way.name));
            let us = rig.cost(rig.ports(way.path)?, conversations, messages);
            if round > 0 {
                figures.push(us);
            }
        }
    }
    progress("");
    let figures = figures.map(median);
    let [first, .., floor] = figures;
    let columns =
        [("Path", ""), ("CPU", "µs"), ("of the first", "%"), ("of the floor", "×"), ("Published", "%")];
    let mut table = Table::new(format!("{conversations} at a time"), &columns);
    let row = |(way, us): (&Published, f64)| {
        vec![
            Cell::Text(way.name.to_owned()),
            Cell::Number(us, 1),
            Cell::Number(us / first * 100.0, 0),
            Cell::Number(us / floor, 2),
            way.left[test].map_or(Cell::Empty, Cell::Count),
        ]
    };
    table.rows = PATHS.iter().zip(figures).map(row).collect();
    Ok(table)
}
