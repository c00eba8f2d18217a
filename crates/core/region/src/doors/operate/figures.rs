//! The figures of a region: its statistics under names that those who watch expect.

use std::sync::atomic::Ordering;

use ::metrics::{Family, Kind, Value};
use domains::statistics::{Statistic, Statistics};
use kernel::meters::{RESPONSE_BOUNDS_US, Work};
use kernel::region::Region;
use kernel::transactions::Transactions;
use operation::outside::Status;
use spec::measures::{StatisticId, stat};

/// A family that takes fields of the statistics of a kind.
struct Row {
    name: &'static str,
    kind: Kind,
    help: &'static str,
    /// The label whose value is the resource; empty: there is none.
    resource: &'static str,
    /// The label that tells the fields apart; empty: there is one field.
    label: &'static str,
    fields: &'static [(&'static str, StatisticId)],
    unit: Unit,
}

/// The unit in which a family tells its fields.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    /// As they are.
    Count,
    /// Nanoseconds become seconds.
    Seconds,
}

const fn row(
    name: &'static str,
    kind: Kind,
    help: &'static str,
    (resource, label): (&'static str, &'static str),
    fields: &'static [(&'static str, StatisticId)],
) -> Row {
    Row { name, kind, help, resource, label, fields, unit: Unit::Count }
}

/// Families that are statistics.
const ROWS: [Row; 26] = [
    row(
        "syncpoint_tasks",
        Kind::Gauge,
        "tasks that run or wait for something, and tasks that wait for MXT or their class",
        ("", "state"),
        &[("running", stat::XMGCAT), ("queued", stat::XMGCQT)],
    ),
    row("syncpoint_tasks_attached", Kind::Counter, "tasks attached", ("", ""), &[("", stat::XMGNUM)]),
    row("syncpoint_tasks_max", Kind::Gauge, "the limit of tasks, MXT", ("", ""), &[("", stat::XMGMXT)]),
    row(
        "syncpoint_tasks_max_reached",
        Kind::Counter,
        "times that MXT was reached",
        ("", ""),
        &[("", stat::XMGTAMXT)],
    ),
    row(
        "syncpoint_class_tasks",
        Kind::Gauge,
        "tasks of a class, and tasks that wait for it",
        ("class", "state"),
        &[("running", stat::XMCCAT), ("queued", stat::XMCCQT)],
    ),
    row("syncpoint_waits", Kind::Counter, "waits by their cause", ("kind", ""), &[("", stat::SPWCOUNT)]),
    Row {
        unit: Unit::Seconds,
        ..row(
            "syncpoint_wait_seconds",
            Kind::Counter,
            "time that monitored tasks waited",
            ("kind", ""),
            &[("", stat::SPWTIME)],
        )
    },
    row(
        "syncpoint_file_requests",
        Kind::Counter,
        "requests of tasks to a file",
        ("file", "kind"),
        &[
            ("read", stat::A17DSRD),
            ("browse", stat::A17DSBR),
            ("add", stat::A17DSWRA),
            ("update", stat::A17DSWRU),
            ("delete", stat::A17DSDEL),
        ],
    ),
    row("syncpoint_program_uses", Kind::Counter, "uses of a program", ("program", ""), &[("", stat::LDRTU)]),
    row(
        "syncpoint_units_of_work",
        Kind::Counter,
        "units of work that have ended",
        ("", "outcome"),
        &[("committed", stat::RMGSYFWD), ("backed_out", stat::RMGSYBWD)],
    ),
    row(
        "syncpoint_log_bytes",
        Kind::Counter,
        "bytes written to the log",
        ("log", ""),
        &[("", stat::LGSBYTES)],
    ),
    row(
        "syncpoint_log_forces",
        Kind::Counter,
        "writes to the log that were forced: each may serve many units of work",
        ("log", ""),
        &[("", stat::LGSWRITES)],
    ),
    row(
        "syncpoint_edsa_bytes",
        Kind::Gauge,
        "storage of tasks in use",
        ("", ""),
        &[("", stat::SMSEDSATOTAL)],
    ),
    row(
        "syncpoint_edsa_limit_bytes",
        Kind::Gauge,
        "the limit of it, EDSALIM",
        ("", ""),
        &[("", stat::SMSEDSALIMIT)],
    ),
    row(
        "syncpoint_storage_short",
        Kind::Counter,
        "times that storage was short",
        ("", ""),
        &[("", stat::SMSSOS)],
    ),
    row(
        "syncpoint_temporary_storage_bytes",
        Kind::Gauge,
        "main temporary storage in use",
        ("", ""),
        &[("", stat::TSGTSMUS)],
    ),
    row(
        "syncpoint_temporary_storage_queues",
        Kind::Gauge,
        "queues of temporary storage",
        ("", ""),
        &[("", stat::TSGQNUM)],
    ),
    row(
        "syncpoint_transient_data_items",
        Kind::Gauge,
        "items in a queue of transient data",
        ("queue", ""),
        &[("", stat::TQRCNITM)],
    ),
    row(
        "syncpoint_http_requests",
        Kind::Counter,
        "requests of a TCPIPSERVICE",
        ("service", ""),
        &[("", stat::SOR_REQUESTS)],
    ),
    row(
        "syncpoint_sql_calls",
        Kind::Counter,
        "SQL statements by their DB2ENTRY, or `pool`",
        ("entry", ""),
        &[("", stat::D2R_CALLS)],
    ),
    Row {
        unit: Unit::Seconds,
        ..row(
            "syncpoint_tcb_seconds",
            Kind::Counter,
            "processor time of a TCB, and time in which it had nothing to do",
            ("tcb", "state"),
            &[("cpu", stat::SPTCPU), ("idle", stat::SPTWAITT)],
        )
    },
    row(
        "syncpoint_tcb_dispatches",
        Kind::Counter,
        "dispatches of tasks on a TCB",
        ("tcb", ""),
        &[("", stat::SPTDISP)],
    ),
    row(
        "syncpoint_monitoring_records_lost",
        Kind::Counter,
        "monitoring records that came faster than they could be written",
        ("", ""),
        &[("", stat::MNGSMFE)],
    ),
    row(
        "syncpoint_spans",
        Kind::Counter,
        "spans of tasks that the collector has taken, and spans that were dropped",
        ("", "outcome"),
        &[("exported", stat::SPOEXP), ("dropped", stat::SPODROP)],
    ),
    row(
        "syncpoint_spans_waiting",
        Kind::Gauge,
        "spans that wait for the collector",
        ("", ""),
        &[("", stat::SPOWAIT)],
    ),
    row(
        "syncpoint_span_requests_failed",
        Kind::Counter,
        "requests to the collector of spans that have failed",
        ("", ""),
        &[("", stat::SPOFAIL)],
    ),
];

/// All figures of a region.
pub(super) fn families(region: &Region, status: &Status) -> Vec<Family> {
    let statistics = Statistics::of(region).from_the_start(region);
    let mut families = of_region(status);
    families.extend(ROWS.iter().map(|row| row.family(&statistics)));
    families.extend(transactions(region));
    families
}

impl Row {
    fn family(&self, statistics: &[Statistic]) -> Family {
        let mut family = Family::new(self.name, self.kind, self.help);
        for statistic in statistics {
            for (text, field) in self.fields {
                let Some(number) = statistic.number(*field) else { continue };
                let labels = [(self.resource, statistic.resource.as_str()), (self.label, *text)];
                let labels: Vec<_> = labels.into_iter().filter(|(key, _)| !key.is_empty()).collect();
                family.add(&labels, self.unit.value(number));
            }
        }
        family
    }
}

impl Unit {
    fn value(self, number: u64) -> Value {
        match self {
            Self::Count => Value::Count(number),
            Self::Seconds => Value::Number(seconds(number)),
        }
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn of_region(status: &Status) -> Vec<Family> {
    let mut info = Family::new("syncpoint_region", Kind::Info, "the region");
    let version = env!("CARGO_PKG_VERSION");
    info.add(&[("applid", &status.applid), ("sysid", &status.sysid), ("version", version)], Value::Count(1));
    let gauge = |name, help, value| Family::new(name, Kind::Gauge, help).with(Value::Count(value));
    vec![
        info,
        gauge("syncpoint_uptime_seconds", "seconds since the region started", status.seconds),
        gauge("syncpoint_serves", "1 if the region takes new tasks", status.serves.into()),
        gauge("syncpoint_health", "health, from 0 to 100", status.health),
        gauge("syncpoint_terminals", "terminals", status.terminals),
        gauge("syncpoint_tcbs", "TCBs, QR counted", status.tcbs),
    ]
}

/// Figures of each transaction that has run.
fn transactions(region: &Region) -> Vec<Family> {
    let mut outcomes = Family::new("syncpoint_transactions", Kind::Counter, "tasks that have ended");
    let mut times = Family::new("syncpoint_transaction_seconds", Kind::Histogram, "response times of tasks");
    let mut processor = Family::new(
        "syncpoint_transaction_cpu_seconds",
        Kind::Counter,
        "processor time of tasks that have ended",
    );
    let mut requests =
        Family::new("syncpoint_transaction_requests", Kind::Counter, "requests of tasks that have ended");
    for transaction in Transactions::of(region).list() {
        let Work { tasks, processor_ns, requests: commands, .. } = transaction.work.read(false);
        if tasks == 0 {
            continue;
        }
        let name = transaction.name.to_string();
        let own = [("transaction", name.trim_end())];
        let abends = transaction.abends.load(Ordering::Relaxed).min(tasks);
        for (outcome, count) in [("normal", tasks - abends), ("abend", abends)] {
            outcomes.add(&[own[0], ("outcome", outcome)], Value::Count(count));
        }
        processor.add(&own, Value::Number(seconds(processor_ns)));
        requests.add(&own, Value::Count(commands));
        if let Some(counted) = transaction.work.times() {
            let bounds = RESPONSE_BOUNDS_US.iter().map(|us| *us as f64 / 1e6).chain([f64::MAX]);
            times
                .add(&own, Value::Buckets(bounds.zip(counted.tasks).collect(), seconds(counted.together_ns)));
        }
    }
    vec![outcomes, times, processor, requests]
}
