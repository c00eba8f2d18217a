//! Rate, response time and processor time by transaction.

use crate::performance::{Performance, Totals};
use crate::table::{Cell, Table};

const MILLI: f64 = 1e3;

impl Performance {
    /// A line for each transaction, and one for all of them.
    pub fn summary(&self) -> Table {
        let columns = [
            ("Transaction", ""),
            ("Tasks", ""),
            ("Rate", "/s"),
            ("Response", "ms"),
            ("p50", "ms"),
            ("p90", "ms"),
            ("p99", "ms"),
            ("longest", "ms"),
            ("CPU", "µs/task"),
            ("Dispatch", "µs/task"),
            ("Suspend", "ms/task"),
            ("CPU", "% of one"),
            ("Abends", ""),
        ];
        let mut table = Table::new("Tasks by transaction", &columns);
        table.rows = self.of.iter().map(|(name, totals)| row(name, totals)).collect();
        if self.of.len() > 1 {
            table.rows.push(row("all", &self.together()));
        }
        table.notes = self.notes();
        table
    }

    /// All transactions as one.
    pub(crate) fn together(&self) -> Totals {
        let mut all = Totals::new();
        for totals in self.of.values() {
            all.merge(totals);
        }
        all
    }
}

impl Totals {
    fn merge(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.abends += other.abends;
        // Both have the same bounds.
        let _ = self.response_us.add(&other.response_us);
        self.response_ns += other.response_ns;
        self.first_start = self.first_start.min(other.first_start);
        self.last_stop = self.last_stop.max(other.last_stop);
        for (mine, theirs) in [
            (&mut self.first_dispatch, &other.first_dispatch),
            (&mut self.dispatch, &other.dispatch),
            (&mut self.processor, &other.processor),
            (&mut self.suspend, &other.suspend),
            (&mut self.redispatch, &other.redispatch),
        ] {
            mine.time += theirs.time;
            mine.count += theirs.count;
        }
        for (mine, theirs) in [(&mut self.waits, &other.waits), (&mut self.named, &other.named)] {
            for (name, timed) in theirs {
                let sum = mine.entry(name.clone()).or_default();
                sum.time += timed.time;
                sum.count += timed.count;
            }
        }
    }
}

fn row(name: &str, totals: &Totals) -> Vec<Cell> {
    let seconds = totals.seconds();
    let per_second = |figure: f64, decimals| {
        if seconds > 0.0 { Cell::Number(figure / seconds, decimals) } else { Cell::Empty }
    };
    let percentile =
        |percent| Cell::Number(totals.response_us.value_at_percentile(percent) as f64 / MILLI, 3);
    vec![
        Cell::Text(name.to_owned()),
        Cell::Count(totals.tasks),
        per_second(totals.tasks as f64, 1),
        Cell::Number(totals.average_us(totals.response_ns) / MILLI, 3),
        percentile(50.0),
        percentile(90.0),
        percentile(99.0),
        percentile(100.0),
        Cell::Number(totals.average_us(totals.processor.time), 1),
        Cell::Number(totals.average_us(totals.dispatch.time), 1),
        Cell::Number(totals.average_us(totals.suspend.time) / MILLI, 3),
        per_second(totals.processor.time as f64 / 1e9 * 100.0, 2),
        Cell::Count(totals.abends),
    ]
}
