//! Entries of the internal trace as lines for people.

use crate::limits::DUMP_TRACE_ENTRIES;
use crate::meters::{TraceEntry, TraceTable, Traced};
use crate::name::Name8;
use crate::task::{Task, TracedCommand};
use crate::ticks;
use crate::waits::WaitKind;
use crate::words::escaped;

/// The last entries of the TCB on which the task stands, the oldest first. Times are seconds before this moment.
pub(super) fn lines(task: &Task) -> Vec<String> {
    let (now, mut latest) = (ticks::now(), None);
    TraceTable::here(|table| latest = Some(table.latest(DUMP_TRACE_ENTRIES)));
    let Some(latest) = latest else { return vec![String::from("none: the internal trace is stopped")] };
    let own = task.control.number;
    latest.iter().map(|entry| line(entry, now, own)).collect()
}

fn line(entry: &TraceEntry, now: u64, own: u32) -> String {
    let before = now.saturating_sub(entry.at) as f64 / 1e9;
    let mark = if entry.task == own { '*' } else { ' ' };
    format!("-{before:<12.6} {mark}task {:<8} {}", entry.task, what(entry))
}

fn what(entry: &TraceEntry) -> String {
    let name = Name8::new(entry.name).to_string();
    let name = escaped(&name);
    match entry.traced {
        Traced::Begins => format!("begins: transaction {name}"),
        Traced::Dispatched => {
            let us = entry.detail as f64 / 1e3;
            let place = usize::from(entry.code).checked_sub(1);
            match place.and_then(|place| WaitKind::all().find(|kind| kind.place() == place)) {
                Some(kind) => format!("dispatched for {us:.1} us, waits: {}", kind.row().name),
                None => format!("dispatched for {us:.1} us"),
            }
        }
        Traced::Command => {
            let (statement, outcome) = TracedCommand::parts(entry.detail);
            let commands = spec::commands();
            let command = commands.get(usize::from(entry.code)).map_or("?", |command| command.name);
            let outcome = match outcome {
                None => String::from("-"),
                Some((condition, 0)) => condition.name().to_owned(),
                Some((condition, resp2)) => format!("{} RESP2 {resp2}", condition.name()),
            };
            format!("program {name}, statement {statement}: {command} {outcome}")
        }
        Traced::User => format!("user entry {} {name} {:016X}", entry.code, entry.detail),
        Traced::Ends if name.is_empty() => String::from("ends"),
        Traced::Ends => format!("ends with abend {name}"),
    }
}
