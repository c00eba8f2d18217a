//! The answer as text, with all that it rests on.

use std::fmt::Write;

use crate::{Assumptions, Costs, Size, Wanted};

impl Size {
    /// The answer, what was measured, and what was assumed.
    pub fn report(&self, costs: &Costs, wanted: &Wanted, assumed: &Assumptions) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:12} {value}");
        };
        line("wanted", wanted_text(wanted));
        line("measured", costs_text(costs, wanted));
        line("cores", format!("{} for the regions, {:.0} % busy", self.cores, self.cores_busy * 100.0));
        line("memory", bytes(self.memory));
        line("disk", format!("{}, {} a second written", bytes(self.disk), bytes(self.disk_rate)));
        line("HSM channels", format!("{} to {} HSMs, one of them to spare", self.channels, self.hsms));
        line(
            "response",
            format!("{:.3} ms, {:.1} transactions in flight", self.response * 1e3, self.in_flight),
        );
        line("assumed", assumed_text(assumed, costs.sharing(wanted.logged)));
        text
    }
}

fn wanted_text(wanted: &Wanted) -> String {
    let log = if wanted.logged {
        format!("with the Validation Log kept for {} days", wanted.log_days)
    } else {
        "without the Validation Log".to_owned()
    };
    format!(
        "{} transactions a second within {} ms, {log}, {} accounts, regions: {}",
        wanted.rate,
        wanted.response * 1e3,
        wanted.accounts,
        wanted.regions
    )
}

fn costs_text(costs: &Costs, wanted: &Wanted) -> String {
    let sharing = costs.sharing(wanted.logged);
    let sharing =
        sharing.map_or_else(|| "not measured".to_owned(), |factor| format!("{factor:.2} times as much"));
    format!(
        "processor {:.1} µs, with the log {:.1} µs; HSM {:.1} µs; log force {:.1} µs; regions that share records: {sharing}",
        costs.processor * 1e6,
        costs.processor_logged * 1e6,
        costs.hsm * 1e6,
        costs.force * 1e6
    )
}

/// The assumptions beside measurements, one of which may be the factor of regions that share records.
fn assumed_text(assumed: &Assumptions, sharing: Option<f64>) -> String {
    let sharing = sharing.is_none().then(|| {
        format!("regions that share records cost {:.2} times as much, as published;", assumed.sharing)
    });
    let arrivals = format!("arrivals at random; nothing more than {:.0} % busy;", assumed.busy_max * 100.0);
    let rest = [
        format!("an HSM takes {} connections, one command at a time on each;", assumed.hsm_connections),
        format!("a region has {}, a task {};", bytes(assumed.region_bytes), bytes(assumed.task_bytes)),
        format!(
            "an account has {} in memory and {} on disk;",
            bytes(assumed.account_memory_bytes),
            bytes(assumed.account_disk_bytes)
        ),
        format!(
            "a transaction logs {}, and {} for the Validation Log;",
            bytes(assumed.system_log_bytes),
            bytes(assumed.validation_log_bytes)
        ),
        format!("a region's system log takes {} at most;", bytes(assumed.log_limit_bytes)),
        "processor time grows in proportion to the rate; clients and HSMs run elsewhere".to_owned(),
    ];
    let all: Vec<_> = [arrivals].into_iter().chain(sharing).chain(rest).collect();
    all.join("\n             ")
}

/// A number of bytes with three figures and a decimal unit.
fn bytes(count: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.iter().find(|(unit, _)| count >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", count / unit),
        None => format!("{count:.0} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn an_answer_says_what_it_rests_on() {
        let costs = Costs {
            processor: 60e-6,
            processor_logged: 68e-6,
            hsm: 900e-6,
            force: 200e-6,
            sharing: Some(1.2),
            sharing_logged: None,
        };
        let wanted = Wanted {
            rate: 8000.0,
            response: 20e-3,
            logged: true,
            regions: 1,
            accounts: 500_000,
            log_days: 90.0,
        };
        let assumed = Assumptions::default();
        let size = crate::size(&costs, &wanted, &assumed).expect("possible");
        expect![[r#"
            wanted       8000 transactions a second within 20 ms, with the Validation Log kept for 90 days, 500000 accounts, regions: 1
            measured     processor 60.0 µs, with the log 68.0 µs; HSM 900.0 µs; log force 200.0 µs; regions that share records: not measured
            cores        1 for the regions, 54 % busy
            memory       375.7 MB
            disk         37.3 TB, 16.0 MB a second written
            HSM channels 11 to 2 HSMs, one of them to spare
            response     1.283 ms, 10.3 transactions in flight
            assumed      arrivals at random; nothing more than 70 % busy;
                         regions that share records cost 1.41 times as much, as published;
                         an HSM takes 64 connections, one command at a time on each;
                         a region has 250.0 MB, a task 64.0 kB;
                         an account has 250 bytes in memory and 250 bytes on disk;
                         a transaction logs 400 bytes, and 600 bytes for the Validation Log;
                         a region's system log takes 512.0 MB at most;
                         processor time grows in proportion to the rate; clients and HSMs run elsewhere
        "#]].assert_eq(&size.report(&costs, &wanted, &assumed));
        let without = Wanted { logged: false, ..wanted };
        let report = size.report(&costs, &without, &assumed);
        assert!(
            report.contains("regions that share records: 1.20 times as much") && !report.contains("1.41"),
            "{report}"
        );
    }
}
