//! The published figures of workloads on several regions: the Authenticator on four clones with record-level sharing (two tables),
//! and DSW with static routing on five regions.

use instruments::{Cell, Table};

/// A line of the Authenticator's tables on several regions.
struct Line {
    /// Transactions a second.
    rate: f64,
    /// Milliseconds.
    response: u64,
    /// Of one processor: all regions; of the machine: the server of shared records, and the coupling facility.
    regions: f64,
    server: f64,
    facility: f64,
    /// Microseconds of the regions' processor time for a transaction, and of the whole partition.
    cpu: u64,
    partition: u64,
}

const fn line(
    rate: f64,
    response: u64,
    [regions, server, facility]: [f64; 3],
    [cpu, partition]: [u64; 2],
) -> Line {
    Line { rate, response, regions, server, facility, cpu, partition }
}

const WITHOUT_LOG: [Line; 4] = [
    line(499.34, 4, [34.26, 0.26, 0.20], [686, 919]),
    line(983.61, 9, [68.62, 0.49, 0.40], [697, 870]),
    line(1_966.19, 9, [137.38, 0.93, 0.90], [698, 847]),
    line(8_680.75, 14, [633.96, 4.04, 3.80], [730, 875]),
];

const WITH_LOG: [Line; 5] = [
    line(498.89, 8, [41.97, 0.62, 0.50], [841, 1_138]),
    line(962.09, 14, [82.24, 1.24, 1.00], [854, 1_048]),
    line(1_923.00, 15, [163.80, 2.42, 2.00], [851, 1_023]),
    line(3_742.32, 20, [321.09, 4.72, 3.90], [857, 1_054]),
    line(5_091.03, 35, [443.92, 6.59, 5.50], [871, 1_034]),
];

/// The table of four clones with the Validation Log, or without it.
pub(super) fn clones(logged: bool) -> Table {
    let log = if logged { "with" } else { "without" };
    let columns = [
        ("Rate", "/s"),
        ("Response", "ms"),
        ("Regions", "% of one"),
        ("Record server", "% of all"),
        ("Coupling facility", "%"),
        ("Regions", "µs"),
        ("Partition", "µs"),
    ];
    let mut table = Table::new(format!("Published: four clones, {log} the Validation Log"), &columns);
    let lines: &[Line] = if logged { &WITH_LOG } else { &WITHOUT_LOG };
    let row = |line: &Line| {
        vec![
            Cell::Number(line.rate, 1),
            Cell::Count(line.response),
            Cell::Number(line.regions, 1),
            Cell::Number(line.server, 2),
            Cell::Number(line.facility, 2),
            Cell::Count(line.cpu),
            Cell::Count(line.partition),
        ]
    };
    table.rows = lines.iter().map(row).collect();
    table
}

/// Processor time of a transaction of DSW over all regions, the mean of its table, in microseconds.
pub(super) const DSW: f64 = 172.0;

/// Transactions a second, all regions in percent of one processor, milliseconds of processor time for a transaction.
const DSW_LINES: [(f64, f64, f64); 5] = [
    (4_180.34, 73.22, 0.175),
    (4_948.82, 85.95, 0.174),
    (6_057.17, 103.90, 0.172),
    (6_591.39, 112.31, 0.170),
    (7_151.20, 121.70, 0.170),
];

/// The table of DSW with static routing.
pub(super) fn dsw() -> Table {
    let columns = [("Rate", "/s"), ("All regions", "% of one"), ("All regions", "µs")];
    let mut table = Table::new("Published: DSW, static routing", &columns);
    let row = |(rate, percent, ms): &(f64, f64, f64)| {
        vec![Cell::Number(*rate, 1), Cell::Number(*percent, 1), Cell::Number(*ms * 1e3, 0)]
    };
    table.rows = DSW_LINES.iter().map(row).collect();
    table
}
