//! The tasks with the longest response times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::format::{Broken, FileEntry, Reader, Record};
use crate::moments::moment;
use crate::performance::{Causes, Selection, lost_note};
use crate::table::{Cell, Table};

/// The tasks with the longest response times of any number of files.
pub struct Slowest {
    most: usize,
    selection: Selection,
    causes: Causes,
    /// The shortest of them is on top: by response time and the order in which they were read.
    tasks: BinaryHeap<Reverse<Slow>>,
    read: u64,
    lost: u64,
}

/// A task: its response time, its place among those that were read, and its row.
struct Slow(u64, u64, Vec<Cell>);

impl PartialEq for Slow {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Slow {}

impl PartialOrd for Slow {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Slow {
    /// Of two that took as long, the one that was read first is the slower one.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, Reverse(self.1)).cmp(&(other.0, Reverse(other.1)))
    }
}

impl Slowest {
    /// So many tasks at most.
    pub fn new(most: usize, selection: Selection) -> Self {
        Self { most, selection, causes: Causes::default(), tasks: BinaryHeap::new(), read: 0, lost: 0 }
    }

    /// Adds the records of a file.
    ///
    /// # Errors
    /// The place where the file is broken; what came before is there.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if self.selection.takes(&record) => self.take(&record),
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, record: &Record<'_>) {
        self.read += 1;
        let parts = ["DSPDELAY", "USRDISPT", "SUSPTIME"].map(|field| record.clock(field).0);
        let response = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(*part));
        let is_among = |shortest: &Reverse<Slow>| response > shortest.0.0;
        if self.tasks.len() >= self.most && !self.tasks.peek().is_some_and(is_among) {
            return;
        }
        let row = self.row(record, response);
        self.tasks.push(Reverse(Slow(response, self.read, row)));
        if self.tasks.len() > self.most {
            self.tasks.pop();
        }
    }

    fn row(&mut self, record: &Record<'_>, response: u64) -> Vec<Cell> {
        let ms = |ns: u64| Cell::Number(ns as f64 / 1e6, 3);
        let text = |field: &str| Cell::Text(record.text(field).into_owned());
        let longest = self.causes.waits(record).into_iter().max_by_key(|(_, ns, _)| *ns);
        let (wait, waited) = longest
            .map_or((Cell::Empty, Cell::Empty), |(field, ns, _)| (Cell::Text(field.to_owned()), ms(ns)));
        vec![
            text("TRAN"),
            Cell::Count(record.number("TRANNUM")),
            Cell::Text(moment(record.number("STOP"))),
            text("USERID"),
            text("TERM"),
            ms(response),
            ms(record.clock("USRCPUT").0),
            wait,
            waited,
            text("ABCODEC"),
        ]
    }

    /// A line for each task, the slowest first.
    pub fn table(&self) -> Table {
        let columns = [
            ("Transaction", ""),
            ("Task", ""),
            ("Ended", ""),
            ("User", ""),
            ("Terminal", ""),
            ("Response", "ms"),
            ("CPU", "ms"),
            ("Largest wait", ""),
            ("waited", "ms"),
            ("Abend", ""),
        ];
        let mut table = Table::new("Slowest tasks", &columns);
        let mut tasks: Vec<_> = self.tasks.iter().map(|task| &task.0).collect();
        tasks.sort_by(|one, other| other.cmp(one));
        table.rows = tasks.into_iter().map(|task| task.2.clone()).collect();
        table.notes = lost_note(self.lost);
        table
    }
}
