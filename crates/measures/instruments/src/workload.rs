//! Work by the intervals of statistics: service and report classes with rate, response and processor time, then the
//! processes that have done it, region by region.

use crate::format::{Broken, FileEntry, Reader, Record};
use crate::moments::moment;
use crate::performance::lost_note;
use crate::statistics::{COLLECTED, REASON, RESOURCE};
use crate::table::{Cell, Table};

/// Work of any number of files.
#[derive(Default)]
pub struct Workload {
    intervals: Vec<Interval>,
    lost: u64,
}

/// A collection of statistics of one region.
struct Interval {
    region: String,
    /// Microseconds since 1970.
    from: u64,
    until: u64,
    work: Vec<Work>,
    processes: Vec<Process>,
}

/// The work of a class, or of a transaction; times in nanoseconds.
struct Work {
    name: String,
    tasks: u64,
    response: u64,
    longest: u64,
    processor: u64,
}

/// The processor time of processes, in nanoseconds.
struct Process {
    name: String,
    user: u64,
    system: u64,
}

impl Workload {
    /// Adds the statistics of a file of a region.
    ///
    /// # Errors
    /// The place where the file is broken; records before it are there.
    pub fn add(&mut self, region: &str, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                // A resource that was discarded has a record of its own: that is no interval.
                FileEntry::Record(record) if record.text(REASON) != "USS" => self.take(region, &record),
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, region: &str, record: &Record<'_>) {
        let until = record.number(COLLECTED);
        if self.intervals.last().is_none_or(|last| last.until != until || last.region != region) {
            let (region, from) = (region.to_owned(), until);
            self.intervals.push(Interval { region, from, until, work: Vec::new(), processes: Vec::new() });
        }
        let Some(interval) = self.intervals.last_mut() else { return };
        let name = record.text(RESOURCE).into_owned();
        match record.kind.name.as_str() {
            "statistics domain" => interval.from = record.number("STGLRT").min(until),
            "work" => interval.work.push(Work {
                name,
                tasks: record.number("SPKTASKS"),
                response: record.number("SPKRESP"),
                longest: record.number("SPKRMAX"),
                processor: record.number("SPKCPU"),
            }),
            "accounts" => {
                let (user, system) = (record.number("SPAUSER"), record.number("SPASYS"));
                interval.processes.push(Process { name, user, system });
            }
            _ => {}
        }
    }

    /// A line for each class and for each process of each interval.
    pub fn table(&self) -> Table {
        let columns = [
            ("Region", ""),
            ("From", ""),
            ("Interval", "s"),
            ("Work", ""),
            ("Tasks", ""),
            ("Rate", "/s"),
            ("Response", "ms"),
            ("longest", "ms"),
            ("CPU", "% of one"),
            ("System", "% of one"),
            ("CPU", "µs/task"),
        ];
        let mut table = Table::new("Work by intervals", &columns);
        table.rows = self.intervals.iter().flat_map(Interval::rows).collect();
        table.notes = lost_note(self.lost);
        table
    }
}

impl Interval {
    fn seconds(&self) -> f64 {
        self.until.saturating_sub(self.from) as f64 / 1e6
    }

    /// Nanoseconds in percent of one processor.
    fn busy(&self, ns: u64) -> Cell {
        self.per_second(ns as f64 / 1e9 * 100.0, 2)
    }

    fn per_second(&self, figure: f64, decimals: usize) -> Cell {
        let seconds = self.seconds();
        if seconds > 0.0 { Cell::Number(figure / seconds, decimals) } else { Cell::Empty }
    }

    /// Service classes, report classes, transactions; then the processes.
    fn rows(&self) -> Vec<Vec<Cell>> {
        let of = |kind: &'static str| {
            self.work.iter().filter(move |work| work.name.starts_with(kind) && work.tasks > 0)
        };
        let work = ["SERVICE.", "REPORT.", "TRANSACTION."].into_iter().flat_map(of);
        let tasks = self
            .work
            .iter()
            .filter(|work| work.name.starts_with("TRANSACTION."))
            .map(|work| work.tasks)
            .sum();
        let is_idle = |process: &&Process| process.user + process.system > 0;
        let processes = self.processes.iter().filter(is_idle).map(|process| self.process(process, tasks));
        work.map(|work| self.work(work)).chain(processes).collect()
    }

    fn begin(&self, name: &str) -> Vec<Cell> {
        vec![
            Cell::Text(self.region.clone()),
            Cell::Text(moment(self.from)),
            Cell::Number(self.seconds(), 1),
            Cell::Text(name.to_owned()),
        ]
    }

    fn work(&self, work: &Work) -> Vec<Cell> {
        let each = |ns: u64, unit: f64| ns as f64 / unit / work.tasks.max(1) as f64;
        let mut row = self.begin(&work.name);
        row.extend([
            Cell::Count(work.tasks),
            self.per_second(work.tasks as f64, 1),
            Cell::Number(each(work.response, 1e6), 3),
            Cell::Number(work.longest as f64 / 1e6, 3),
            self.busy(work.processor),
            Cell::Empty,
            Cell::Number(each(work.processor, 1e3), 1),
        ]);
        row
    }

    fn process(&self, process: &Process, tasks: u64) -> Vec<Cell> {
        let both = process.user.saturating_add(process.system);
        let mut row = self.begin(&process.name);
        row.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
        row.extend([self.busy(both), self.busy(process.system)]);
        row.push(if tasks == 0 { Cell::Empty } else { Cell::Number(both as f64 / 1e3 / tasks as f64, 1) });
        row
    }
}

#[cfg(test)]
mod tests {
    use crate::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
    use crate::table::Shape;

    use super::*;

    const SECOND_US: u64 = 1_000_000;
    const BEGIN_US: u64 = 1_800_000_000 * SECOND_US;

    fn file() -> Vec<u8> {
        let kind = |name: &str, fields: &[&str]| KindLayout {
            name: name.to_owned(),
            columns: [
                (ColumnForm::Stamp, COLLECTED),
                (ColumnForm::Text, REASON),
                (ColumnForm::Text, RESOURCE),
            ]
            .into_iter()
            .chain(fields.iter().map(|field| (ColumnForm::Value, *field)))
            .map(|(form, names)| LayoutColumn { form, names: names.to_owned() })
            .collect(),
        };
        let kinds = vec![
            kind("work", &["SPKTASKS", "SPKRESP", "SPKRMAX", "SPKCPU"]),
            kind("accounts", &["SPAUSER", "SPASYS"]),
            kind("statistics domain", &["STGLRT"]),
        ];
        let mut bytes = Layout { kinds }.header();
        let ms = 1_000_000;
        for (kind, reason, resource, figures) in [
            (0, "INT", "TRANSACTION.PAYS", vec![20, 40 * ms, 5 * ms, 100 * ms]),
            (0, "INT", "SERVICE.ONLHIGH", vec![10, 30 * ms, 5 * ms, 50 * ms]),
            (0, "INT", "TRANSACTION.IDLE", vec![0, 0, 0, 0]),
            (1, "INT", "REGION", vec![100 * ms, 50 * ms]),
            (1, "INT", "PROCESS.postgres", vec![20 * ms, 20 * ms]),
            (1, "INT", "ENDED", vec![0, 0]),
            (2, "INT", "", vec![BEGIN_US]),
            (0, "USS", "TRANSACTION.GONE", vec![1, 1, 1, 1]),
        ] {
            let mut record = Encoder::begin(&mut bytes, kind);
            record.number(0, BEGIN_US + 10 * SECOND_US);
            record.text(1, reason.as_bytes());
            record.text(2, resource.as_bytes());
            figures.iter().enumerate().for_each(|(place, figure)| record.number(3 + place, *figure));
            record.end();
        }
        bytes
    }

    #[test]
    fn classes_come_first_then_transactions_then_the_processes_with_their_time_for_a_task() {
        let mut workload = Workload::default();
        workload.add("BANK", &file()).expect("a file of ours");
        let text = workload.table().show(Shape::Csv);
        let lines: Vec<&str> =
            text.lines().skip(1).filter_map(|line| line.split_once(",10.0,")).map(|(_, line)| line).collect();
        let expected = [
            "SERVICE.ONLHIGH,10,1.0,3.000,5.000,0.50,,5000.0",
            "TRANSACTION.PAYS,20,2.0,2.000,5.000,1.00,,5000.0",
            "REGION,,,,,1.50,0.50,7500.0",
            "PROCESS.postgres,,,,,0.40,0.20,2000.0",
        ];
        assert_eq!(lines, expected, "{text}");
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("BANK,2027-01-15T")), "{text}");
    }
}
