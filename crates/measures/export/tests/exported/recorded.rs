//! The small set of records that the tests export: two days of a bank, as a region would have recorded them.

use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn, lost};

/// Eight o'clock of the first day, in microseconds since 1970.
const MORNING_US: u64 = 1_800_000_000_000_000;
const DAY_US: u64 = 24 * 60 * 60 * 1_000_000;
const MS: u64 = 1_000_000;

/// The kinds of monitoring records by number.
const PERFORMANCE: usize = 0;
const EXCEPTION: usize = 1;
const RESOURCE: usize = 2;

fn kind(name: &str, columns: &[(ColumnForm, &str)]) -> KindLayout {
    let columns =
        columns.iter().map(|(form, names)| LayoutColumn { form: *form, names: (*names).to_owned() });
    KindLayout { name: name.to_owned(), columns: columns.collect() }
}

/// The kinds of a file of monitoring.
fn monitoring_layout() -> Layout {
    use ColumnForm::{Clock, Count, Named, Stamp, Text, Value};
    let performance = [
        (Text, "TRAN"),
        (Text, "RTYPE"),
        (Stamp, "START"),
        (Stamp, "STOP"),
        (Value, "TRANNUM"),
        (Text, "USERID"),
        (Text, "PGMNAME"),
        (Clock, "DSPDELAY"),
        (Clock, "USRDISPT"),
        (Clock, "USRCPUT"),
        (Clock, "SUSPTIME"),
        (Clock, "ENQDELAY SPLOCKWT"),
        (Clock, "JCIOWTT"),
        (Count, "FCGETCT FCTOTCT"),
        (Count, "FCPUTCT FCTOTCT"),
        (Value, "SCUSRHWM_A"),
        (Text, "ABCODEC"),
        (Named, "SPNAMED"),
        // A column that feeds no field, as a layout has for kinds of waits to come.
        (Clock, ""),
    ];
    let exception = [
        (Text, "EXCMNTRN"),
        (Stamp, "EXCMNSTA"),
        (Stamp, "EXCMNSTO"),
        (Text, "EXCMNRTY"),
        (Text, "EXCMNRID"),
    ];
    let resource =
        [(Text, "MNR_TRAN"), (Text, "MNR_FILE_NAME"), (Clock, "MNR_FILE_GET"), (Clock, "MNR_FILE_TOTAL")];
    let kinds =
        vec![kind("performance", &performance), kind("exception", &exception), kind("resource", &resource)];
    Layout { kinds }
}

/// A task.
struct Task {
    transaction: &'static str,
    user: &'static str,
    after_s: u64,
    cpu_us: u64,
    lock_ms: u64,
    log_ms: u64,
    reads: u64,
    abend: &'static str,
}

fn task(transaction: &'static str, user: &'static str, after_s: u64, figures: [u64; 4]) -> Task {
    let [cpu_us, lock_ms, log_ms, reads] = figures;
    Task { transaction, user, after_s, cpu_us, lock_ms, log_ms, reads, abend: "" }
}

/// The tasks of a day.
fn tasks(day: u64) -> Vec<Task> {
    let slower = day * 100;
    vec![
        task("AUTH", "TELLER1", 1, [400 + slower, 0, 3, 2]),
        task("AUTH", "TELLER2", 2, [420 + slower, 12, 3, 2]),
        Task { abend: "ASRA", ..task("AUTH", "TELLER1", 30, [300, 0, 0, 1]) },
        task("BALS", "TELLER2", 31, [900, 0, 0, 40]),
        task("BALS", "<script>", 75, [950, 0, 0, 44]),
        task("AUTH", "TELLER1", 140 + day, [410 + slower, 40 * day, 4, 2]),
    ]
}

/// A file of monitoring records.
pub fn monitoring() -> Vec<u8> {
    let mut bytes = monitoring_layout().header();
    let mut number = 0;
    for day in [0, 1] {
        for task in tasks(day) {
            number += 1;
            add(&mut bytes, &task, MORNING_US + day * DAY_US + task.after_s * 1_000_000, number);
        }
    }
    lost(&mut bytes, 3);
    bytes
}

fn add(bytes: &mut Vec<u8>, task: &Task, start: u64, number: u64) {
    let suspended = (task.lock_ms + task.log_ms) * MS;
    let dispatched = task.cpu_us * 1_000 + 100_000;
    let stop = start + (suspended + dispatched + MS) / 1_000;
    let mut record = Encoder::begin(bytes, PERFORMANCE);
    for (column, text) in [(0, task.transaction), (1, "T"), (5, task.user), (6, "BKMENU"), (16, task.abend)] {
        record.text(column, text.as_bytes());
    }
    for (column, value) in
        [(2, start), (3, stop), (4, number), (13, task.reads), (14, 1), (15, 4096 * task.reads)]
    {
        record.number(column, value);
    }
    record.clock(7, MS, 1);
    record.clock(8, dispatched, 2);
    record.clock(9, task.cpu_us * 1_000, 2);
    record.clock(10, suspended, u64::from(suspended > 0));
    record.clock(11, task.lock_ms * MS, u64::from(task.lock_ms > 0));
    record.clock(12, task.log_ms * MS, u64::from(task.log_ms > 0));
    if task.lock_ms > 0 {
        record.named(17, b"HSM", task.lock_ms * MS / 2, 1);
    }
    record.end();
    if task.lock_ms > 0 {
        let mut record = Encoder::begin(bytes, EXCEPTION);
        record.text(0, task.transaction.as_bytes());
        record.number(1, start);
        record.number(2, start + task.lock_ms * 1_000);
        record.text(3, b"FILE");
        record.text(4, b"ACCOUNTS");
        record.end();
    }
    let mut record = Encoder::begin(bytes, RESOURCE);
    record.text(0, task.transaction.as_bytes());
    record.text(1, if task.transaction == "AUTH" { b"CARDS" } else { b"ACCOUNTS" });
    record.clock(2, task.reads * 20_000, task.reads);
    record.clock(3, task.reads * 20_000 + 50_000, task.reads + 1);
    record.end();
}

/// A file of statistics.
pub fn statistics() -> Vec<u8> {
    use ColumnForm::{Count, Stamp, Text, Value};
    let head = [(Stamp, "COLLECTED"), (Text, "REASON"), (Text, "RESOURCE")];
    let with = |name: &str, fields: &[(ColumnForm, &str)]| kind(name, &[&head[..], fields].concat());
    let kinds = vec![
        with("transient data queue", &[(Count, "TQRWRITE"), (Value, "TQRCNITM")]),
        with("work", &[(Count, "SPKTASKS")]),
        with("file", &[(Count, "A17DSRD")]),
    ];
    let mut bytes = Layout { kinds }.header();
    for (kind, hour, resource, figures) in [
        (0, 1, "LOGA", &[7, 7][..]),
        (0, 2, "LOGA", &[30, 37]),
        (0, 3, "LOGA", &[0, 12]),
        (0, 1, "MAIL", &[0, 0]),
        (0, 2, "MAIL", &[1, 1]),
        (1, 3, "TRANSACTION.AUTH", &[8]),
    ] {
        let mut record = Encoder::begin(&mut bytes, kind);
        record.number(0, MORNING_US + hour * 3_600_000_000);
        record.text(1, b"INT");
        record.text(2, resource.as_bytes());
        for (column, figure) in (3..).zip(figures) {
            record.number(column, *figure);
        }
        record.end();
    }
    bytes
}
