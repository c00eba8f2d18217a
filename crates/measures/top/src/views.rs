//! The views: which figures stand in which table.

use crate::snapshot::{Attributes, Between, Snapshot};
use crate::table::{Cell, Table};

/// The views, in the order of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Tasks,
    Transactions,
    Waits,
    Files,
    Services,
    Sql,
    Tcbs,
}

impl View {
    pub const ALL: [Self; 7] =
        [Self::Tasks, Self::Transactions, Self::Waits, Self::Files, Self::Services, Self::Sql, Self::Tcbs];

    /// Its name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tasks => "Tasks",
            Self::Transactions => "Transactions",
            Self::Waits => "Waits",
            Self::Files => "Files",
            Self::Services => "Services",
            Self::Sql => "SQL",
            Self::Tcbs => "TCBs",
        }
    }

    /// Its table.
    pub fn table(self, between: &Between<'_>) -> Table {
        match self {
            Self::Tasks => tasks(between.now),
            Self::Transactions => transactions(between),
            Self::Waits => waits(between),
            Self::Files => files(between),
            Self::Services => services(between),
            Self::Sql => sql(between),
            Self::Tcbs => tcbs(between),
        }
    }
}

/// The attribute of a task's number, and of its transaction.
pub(crate) const TASK: &str = "Task";
pub(crate) const TRANSACTION: &str = "Transaction";
/// Columns of tasks, and the attribute in each.
const OF_TASK: [(&str, &str); 7] = [
    (TASK, TASK),
    ("Tran", TRANSACTION),
    ("Facility", "Facility"),
    ("Status", "Runstatus"),
    ("User", "Userid"),
    ("Waits for", "Suspendtype"),
    ("which", "Suspendvalue"),
];

/// The value of an attribute of a task.
pub(crate) fn attribute<'a>(task: &'a Attributes, name: &str) -> &'a str {
    task.get(name).map_or("", String::as_str)
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn tasks(now: &Snapshot) -> Table {
    let row = |task: &Attributes| OF_TASK.iter().map(|(_, name)| text(attribute(task, name))).collect();
    Table {
        columns: OF_TASK.iter().map(|(column, _)| *column).collect(),
        rows: now.tasks.iter().map(row).collect(),
    }
}

/// The first labels of all figures of a name, each once.
fn resources(now: &Snapshot, name: &str) -> Vec<String> {
    let mut names: Vec<_> = now.all(name).iter().filter_map(|(labels, _)| labels.first().cloned()).collect();
    names.dedup();
    names
}

/// One number divided by another one, in another unit; `None` if it cannot be.
fn each(all: Option<f64>, count: Option<f64>, unit: f64) -> Option<f64> {
    let count = count.filter(|count| *count > 0.0)?;
    Some(all? / count * unit)
}

fn transactions(between: &Between<'_>) -> Table {
    let row = |name: &String| {
        let own = [name.as_str()];
        let outcome = |outcome: &str| between.rate("transactions", &[name, outcome]);
        let ended = outcome("normal").zip(outcome("abend")).map(|(normal, abend)| normal + abend);
        let processor = between.rate("transaction_cpu_seconds", &own);
        let requests = between.rate("transaction_requests", &own);
        let all = between.now.one("transactions", &[name, "normal"])
            + between.now.one("transactions", &[name, "abend"]);
        vec![
            text(name),
            Cell::Number(ended, 1),
            Cell::Number(outcome("abend"), 1),
            Cell::Number(each(processor, ended, 1e6), 1),
            Cell::Number(processor.map(|seconds| seconds * 100.0), 1),
            Cell::Number(each(requests, ended, 1.0), 1),
            Cell::Number(Some(all), 0),
        ]
    };
    let mut table = Table {
        columns: vec!["Tran", "Ended/s", "Abends/s", "CPU µs", "CPU %", "Commands", "Ended"],
        rows: resources(between.now, "transactions").iter().map(row).collect(),
    };
    table.sort_by(4);
    table
}

fn waits(between: &Between<'_>) -> Table {
    let row = |name: &String| {
        let (count, seconds) = (between.rate("waits", &[name]), between.rate("wait_seconds", &[name]));
        vec![
            text(name),
            Cell::Number(count, 1),
            Cell::Number(seconds.map(|seconds| seconds * 1e3), 1),
            Cell::Number(each(seconds, count, 1e3), 3),
        ]
    };
    let mut table = Table {
        columns: vec!["Waits for", "Waits/s", "ms/s", "ms each"],
        rows: resources(between.now, "waits").iter().map(row).collect(),
    };
    table.sort_by(2);
    table
}

/// The kinds of requests to a file.
const REQUESTS: [&str; 5] = ["read", "browse", "add", "update", "delete"];

fn files(between: &Between<'_>) -> Table {
    let row = |name: &String| {
        let rates = REQUESTS.map(|kind| between.rate("file_requests", &[name, kind]));
        let all = rates.iter().copied().sum::<Option<f64>>();
        let cells = rates.map(|rate| Cell::Number(rate, 1));
        [text(name), Cell::Number(all, 1)].into_iter().chain(cells).collect()
    };
    let mut table = Table {
        columns: vec!["File", "All/s", "Reads/s", "Browses/s", "Adds/s", "Updates/s", "Deletes/s"],
        rows: resources(between.now, "file_requests").iter().map(row).collect(),
    };
    table.sort_by(1);
    table
}

/// Resources with one count each.
fn counted(between: &Between<'_>, figure: &str, columns: [&'static str; 3]) -> Table {
    let row = |name: &String| {
        let all = between.now.one(figure, &[name]);
        vec![text(name), Cell::Number(between.rate(figure, &[name]), 1), Cell::Number(Some(all), 0)]
    };
    let mut table =
        Table { columns: columns.to_vec(), rows: resources(between.now, figure).iter().map(row).collect() };
    table.sort_by(1);
    table
}

fn services(between: &Between<'_>) -> Table {
    counted(between, "http_requests", ["TCPIPSERVICE", "Requests/s", "Requests"])
}

fn sql(between: &Between<'_>) -> Table {
    counted(between, "sql_calls", ["DB2ENTRY", "Calls/s", "Calls"])
}

fn tcbs(between: &Between<'_>) -> Table {
    let row = |name: &String| {
        let percent =
            |state: &str| between.rate("tcb_seconds", &[name, state]).map(|seconds| seconds * 100.0);
        vec![
            text(name),
            Cell::Number(percent("cpu"), 1),
            Cell::Number(percent("idle"), 1),
            Cell::Number(between.rate("tcb_dispatches", &[name]), 1),
        ]
    };
    Table {
        columns: vec!["TCB", "CPU %", "Idle %", "Dispatches/s"],
        rows: resources(between.now, "tcb_seconds").iter().map(row).collect(),
    }
}

/// The lines above each view: the region in a few numbers.
pub(crate) fn summary(between: &Between<'_>) -> [String; 3] {
    let now = between.now;
    let rate = |rate: Option<f64>| Cell::Number(rate, 1).text();
    let number = |name: &str| Cell::Number(Some(now.sum(name)), 0).text();
    let (applid, sysid) = match now.all("region").first() {
        Some((labels, _)) => {
            (labels.first().cloned().unwrap_or_default(), labels.get(1).cloned().unwrap_or_default())
        }
        None => Default::default(),
    };
    let serves = if now.sum("serves") > 0.0 { "serves" } else { "takes no new tasks" };
    let processor = between.rate_of_all("transaction_cpu_seconds").map(|seconds| seconds * 100.0);
    [
        format!(
            "{applid} ({sysid}) {serves}   health {}   up {} s   terminals {}   TCBs {}",
            number("health"),
            number("uptime_seconds"),
            number("terminals"),
            number("tcbs")
        ),
        format!(
            "Tasks {} of {}, {} wait to begin   {} ended/s   {} % of a processor",
            Cell::Number(Some(now.one("tasks", &["running"])), 0).text(),
            number("tasks_max"),
            Cell::Number(Some(now.one("tasks", &["queued"])), 0).text(),
            rate(between.rate_of_all("transactions")),
            rate(processor),
        ),
        format!(
            "Units of work {}/s   forces of the log {}/s",
            rate(between.rate_of_all("units_of_work")),
            rate(between.rate_of_all("log_forces")),
        ),
    ]
}
