//! Commands of tasks and their times, from the auxiliary trace: how often each transaction asks for which, and how long they
//! take.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::format::{Broken, FileEntry, Reader, Record};
use crate::performance::lost_note;
use crate::table::{Cell, Table};
use crate::trace::TraceFilter;

/// Tasks whose entries are still to come are remembered up to so many: beyond, the oldest are forgotten.
const OPEN_TASKS_MAX: usize = 10_000;

/// The commands of an auxiliary trace of any number of files.
#[derive(Default)]
pub struct Commands {
    filter: TraceFilter,
    /// By transaction and command.
    of: BTreeMap<(String, String), Sums>,
    /// Tasks by transaction: those that have ended, and those that have not.
    tasks: BTreeMap<String, u64>,
    open: HashMap<u64, Open>,
    /// Commands that have not come back, or whose beginning is missing.
    half: u64,
    lost: u64,
}

/// A task that has not ended.
#[derive(Default)]
struct Open {
    transaction: String,
    /// Commands that have not come back: name, nanoseconds at which it began, nanoseconds of those within it.
    begun: Vec<(String, u64, u64)>,
    last: u64,
}

/// The times of one command, in nanoseconds.
#[derive(Default)]
struct Sums {
    count: u64,
    /// Of those, with a condition.
    conditions: u64,
    timed: u64,
    time: u64,
    /// The time without that of commands within, as those of a program that is LINKed to.
    own: u64,
    longest: u64,
}

impl Commands {
    /// No entries yet.
    pub fn new(filter: TraceFilter) -> Self {
        Self { filter, ..Self::default() }
    }

    /// Adds the entries of a file; files come in the order in which they were written.
    ///
    /// # Errors
    /// The place where the file is broken; records before it are counted.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                // Entries beyond level 1 are about parts of commands.
                FileEntry::Record(record) if record.number("LEVEL") <= 1 && self.filter.takes(&record) => {
                    self.take(&record);
                }
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, record: &Record<'_>) {
        let number = record.number("TASK");
        if !self.open.contains_key(&number) {
            self.make_room();
            let transaction = record.text("TRANSACTION").into_owned();
            *self.tasks.entry(transaction.clone()).or_default() += 1;
            self.open.insert(number, Open { transaction, ..Open::default() });
        }
        let at = record.number("NANOSECONDS");
        let Some(task) = self.open.get_mut(&number) else { return };
        task.last = at;
        let command = record.text("COMMAND").into_owned();
        match &*record.text("POINT") {
            "ENTRY" => {
                let key = (task.transaction.clone(), command.clone());
                self.of.entry(key).or_default().count += 1;
                task.begun.push((command, at, 0));
            }
            "EXIT" => {
                let Some(place) = task.begun.iter().rposition(|(begun, ..)| *begun == command) else {
                    self.half += 1;
                    return;
                };
                // Those behind it have not come back, as a RETURN: they are within its time.
                let (_, begun, within) = task.begun.swap_remove(place);
                let inner: u64 = task.begun.drain(place..).map(|(.., within)| within).sum();
                let took = at.saturating_sub(begun);
                let within = within.saturating_add(inner);
                if let Some((.., outer)) = task.begun.last_mut() {
                    *outer += took;
                }
                let sums = self.of.entry((task.transaction.clone(), command)).or_default();
                sums.timed += 1;
                sums.time += took;
                sums.own += took.saturating_sub(within);
                sums.longest = sums.longest.max(took);
                sums.conditions += u64::from(!record.text("CONDITION").is_empty());
            }
            "END" => {
                self.open.remove(&number);
            }
            _ => {}
        }
    }

    /// A task whose end is missing is forgotten when there are too many.
    fn make_room(&mut self) {
        if self.open.len() < OPEN_TASKS_MAX {
            return;
        }
        let mut last: Vec<u64> = self.open.values().map(|task| task.last).collect();
        last.sort_unstable();
        let middle = last.get(last.len() / 2).copied().unwrap_or_default();
        self.open.retain(|_, task| task.last > middle);
    }

    /// A line for each transaction and command, the largest own time of a transaction first.
    pub fn table(&self) -> Table {
        let columns = [
            ("Transaction", ""),
            ("Command", ""),
            ("Requests", ""),
            ("a task", ""),
            ("Conditions", ""),
            ("Own time", "µs"),
            ("Time", "µs/request"),
            ("longest", "µs"),
        ];
        let mut table = Table::new("Commands of traced tasks", &columns);
        let mut lines: Vec<_> = self.of.iter().collect();
        lines.sort_by(|((one, _), a), ((other, _), b)| one.cmp(other).then(b.own.cmp(&a.own)));
        table.rows =
            lines.iter().map(|((transaction, command), sums)| self.row(transaction, command, sums)).collect();
        let transactions: HashSet<&str> =
            self.of.keys().map(|(transaction, _)| transaction.as_str()).collect();
        let tasks: u64 =
            self.tasks.iter().filter(|(name, _)| transactions.contains(name.as_str())).map(|(_, n)| n).sum();
        table.notes.push(format!("{tasks} tasks have asked for commands."));
        if self.half > 0 {
            table
                .notes
                .push(format!("Of {} commands the beginning is missing: they are not counted.", self.half));
        }
        table.notes.extend(lost_note(self.lost));
        table
    }

    fn row(&self, transaction: &str, command: &str, sums: &Sums) -> Vec<Cell> {
        let us = |ns: u64| ns as f64 / 1e3;
        let tasks = self.tasks.get(transaction).copied().unwrap_or_default().max(1);
        let timed = |figure: f64, decimals| {
            if sums.timed == 0 { Cell::Empty } else { Cell::Number(figure, decimals) }
        };
        vec![
            Cell::Text(transaction.to_owned()),
            Cell::Text(command.to_owned()),
            Cell::Count(sums.count),
            Cell::Number(sums.count as f64 / tasks as f64, 1),
            Cell::Count(sums.conditions),
            timed(us(sums.own), 1),
            timed(us(sums.time) / sums.timed.max(1) as f64, 1),
            timed(us(sums.longest), 1),
        ]
    }
}

#[cfg(test)]
mod tests {
    use crate::table::Shape;
    use crate::trace::tests::{PAYMENT, file};

    use super::*;

    #[test]
    fn requests_are_counted_by_transaction_and_command_and_a_link_s_own_time_is_without_its_program_s() {
        let others = [
            (12_000, 8, "EXIT", "ASKTIME", "RATES", ""),
            (13_000, 8, "ENTRY", "ASKTIME", "RATES", ""),
            (16_000, 8, "EXIT", "ASKTIME", "RATES", ""),
        ];
        let mut commands = Commands::new(TraceFilter::default());
        commands.add(&file(&[&PAYMENT[..], &others[..]].concat())).expect("a file of ours");
        let table = commands.table();
        let lines: Vec<String> = table.show(Shape::Csv).lines().skip(1).map(str::to_owned).collect();
        let expected = [
            "PAYS,ASKTIME,2,1.0,0,4.0,2.0,3.0",
            "PAYS,LINK,1,0.5,0,4.0,5.0,5.0",
            "PAYS,READ,1,0.5,1,2.0,2.0,2.0",
            "PAYS,RETURN,2,1.0,0,,,",
        ];
        assert_eq!(lines, expected);
        assert_eq!(table.notes[0], "2 tasks have asked for commands.");
        assert!(table.notes[1].starts_with("Of 1 commands"), "{:?}", table.notes);
    }

    #[test]
    fn a_trace_without_ends_of_tasks_does_not_grow() {
        let mut commands = Commands::default();
        for number in 0..OPEN_TASKS_MAX as u64 + 10 {
            commands.add(&file(&[(number, number, "ENTRY", "READ", "PAYS", "")])).expect("a file of ours");
        }
        assert!(commands.open.len() <= OPEN_TASKS_MAX);
        assert_eq!(commands.of.values().map(|sums| sums.count).sum::<u64>(), OPEN_TASKS_MAX as u64 + 10);
    }
}
