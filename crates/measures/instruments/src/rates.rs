//! Interval by interval: rate, response time, processor time; and the plot of the last against the first.

use std::collections::BTreeMap;

use crate::format::{Broken, FileEntry, Reader};
use crate::moments::moment;
use crate::performance::{Causes, Selection, Totals, lost_note};
use crate::plot::{Plot, Point, Series};
use crate::table::{Cell, Table};
use crate::timeline::Timeline;

/// The length of an interval, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(u64);

impl Interval {
    /// An interval of so many seconds, at least one.
    pub fn seconds(seconds: u64) -> Self {
        Self(seconds.max(1).saturating_mul(1_000_000))
    }
}

/// The records of any number of files by the interval in which their tasks ended.
pub struct Rates {
    interval: Interval,
    selection: Selection,
    of: BTreeMap<u64, Totals>,
    lost: u64,
}

impl Rates {
    /// No records yet.
    pub fn new(interval: Interval, selection: Selection) -> Self {
        Self { interval, selection, of: BTreeMap::new(), lost: 0 }
    }

    /// Adds the records of a file.
    ///
    /// # Errors
    /// The place where the file is broken; what came before is counted.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut causes = Causes::default();
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if self.selection.takes(&record) => {
                    causes.look_at(&record.kind);
                    let interval = record.number("STOP") / self.interval.0;
                    self.of.entry(interval).or_insert_with(Totals::new).add(&record, &causes);
                }
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    /// A line for each interval in which a task ended.
    pub fn table(&self) -> Table {
        let columns = [
            ("From", ""),
            ("Tasks", ""),
            ("Rate", "/s"),
            ("Response", "ms"),
            ("p99", "ms"),
            ("CPU", "% of one"),
            ("CPU", "µs/task"),
        ];
        let seconds = self.interval.0 / 1_000_000;
        let mut table = Table::new(format!("Tasks by intervals of {seconds} s"), &columns);
        table.rows = self.of.iter().map(|(interval, totals)| self.row(*interval, totals)).collect();
        table.notes = lost_note(self.lost);
        table
    }

    fn row(&self, interval: u64, totals: &Totals) -> Vec<Cell> {
        vec![
            Cell::Text(moment(interval * self.interval.0)),
            Cell::Count(totals.tasks),
            Cell::Number(self.rate(totals), 1),
            Cell::Number(totals.average_us(totals.response_ns) / 1e3, 3),
            Cell::Number(totals.response_us.value_at_percentile(99.0) as f64 / 1e3, 3),
            Cell::Number(self.busy(totals), 2),
            Cell::Number(totals.average_us(totals.processor.time), 1),
        ]
    }

    /// Rate, response time and processor time against the time of day, a point for each interval.
    pub fn timelines(&self) -> Vec<Timeline> {
        let line = |title: &str, unit: &str, of: &dyn Fn(&Totals) -> f64| Timeline {
            title: title.to_owned(),
            unit: unit.to_owned(),
            points: self.of.iter().map(|(at, totals)| (at * self.interval.0, of(totals))).collect(),
        };
        vec![
            line("Rate", "tasks a second", &|totals| self.rate(totals)),
            line("Response time, 99 % of tasks", "ms", &|totals| {
                totals.response_us.value_at_percentile(99.0) as f64 / 1e3
            }),
            line("Processor time", "% of one processor", &|totals| self.busy(totals)),
        ]
    }

    fn rate(&self, totals: &Totals) -> f64 {
        totals.tasks as f64 * 1e6 / self.interval.0 as f64
    }

    /// Processor time in percent of one processor.
    fn busy(&self, totals: &Totals) -> f64 {
        totals.processor.time as f64 / 1e3 / self.interval.0 as f64 * 100.0
    }

    /// Processor time against rate: a point for each interval that is whole, that is neither the first nor the last.
    pub fn plot(&self) -> Plot {
        let whole = self.of.len().saturating_sub(1);
        let inner = self.of.values().take(whole).skip(usize::from(whole > 1));
        let points = inner.map(|totals| Point { x: self.rate(totals), y: self.busy(totals) }).collect();
        Plot {
            title: "Processor time against rate".to_owned(),
            x: "tasks a second".to_owned(),
            y: "% of one processor".to_owned(),
            series: vec![Series { name: String::new(), points }],
        }
    }
}
