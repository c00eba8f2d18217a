//! The published benchmark of such an application: one region, 10 processors, 500,000 accounts, a connection for each
//! request.

use instruments::{Cell, Table};

/// A line of its tables.
struct Line {
    /// Transactions a second.
    rate: f64,
    /// Milliseconds.
    response: u64,
    /// Of one processor.
    percent: f64,
    /// Microseconds of processor time of the region for a transaction.
    cpu: u64,
}

const fn line(rate: f64, response: u64, percent: f64, cpu: u64) -> Line {
    Line { rate, response, percent, cpu }
}

const WITHOUT_LOG: [Line; 4] = [
    line(497.60, 3, 23.70, 476),
    line(969.38, 5, 47.72, 492),
    line(1_941.80, 4, 95.75, 493),
    line(3_494.82, 4, 186.41, 533),
];

const WITH_LOG: [Line; 4] = [
    line(494.34, 5, 27.12, 548),
    line(956.19, 8, 53.13, 555),
    line(1_862.21, 8, 106.13, 569),
    line(3_114.24, 47, 185.90, 596),
];

/// Its table with the Validation Log, or without it.
pub(super) fn table(logged: bool) -> Table {
    let title =
        format!("Published: one region, {} the Validation Log", if logged { "with" } else { "without" });
    let columns = [("Rate", "/s"), ("Response", "ms"), ("CPU", "% of one"), ("CPU", "µs")];
    let mut table = Table::new(title, &columns);
    let lines = if logged { &WITH_LOG } else { &WITHOUT_LOG };
    let row = |line: &Line| {
        vec![
            Cell::Number(line.rate, 1),
            Cell::Count(line.response),
            Cell::Number(line.percent, 1),
            Cell::Count(line.cpu),
        ]
    };
    table.rows = lines.iter().map(row).collect();
    table
}
