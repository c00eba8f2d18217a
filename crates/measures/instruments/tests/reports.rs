//! The reports of a file with a few tasks: what each table says.

use expect_test::expect;
use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn, lost};
use instruments::{Collections, Interval, Performance, Rates, Selection, Shape, Tasks, collections};

const TRAN: usize = 0;
const START: usize = 1;
const STOP: usize = 2;
const DISPATCH: usize = 3;
const CPU: usize = 4;
const SUSPEND: usize = 5;
const ENQUEUE: usize = 6;
const LOCK: usize = 7;
const READS: usize = 8;
const ABEND: usize = 9;
const NAMED: usize = 10;
const FIRST: usize = 11;

fn layout(name: &str, columns: &[(ColumnForm, &str)]) -> Layout {
    let columns =
        columns.iter().map(|(form, names)| LayoutColumn { form: *form, names: (*names).to_owned() });
    Layout { kinds: vec![KindLayout { name: name.to_owned(), columns: columns.collect() }] }
}

fn performance_layout() -> Layout {
    use ColumnForm::{Clock, Count, Named, Stamp, Text};
    layout(
        "performance",
        &[
            (Text, "TRAN"),
            (Stamp, "START"),
            (Stamp, "STOP"),
            (Clock, "USRDISPT"),
            (Clock, "USRCPUT"),
            (Clock, "SUSPTIME"),
            (Clock, "ENQDELAY"),
            (Clock, "ENQDELAY SPLOCKWT"),
            (Count, "FCGETCT FCTOTCT"),
            (Text, "ABCODEC"),
            (Named, "SPNAMED"),
            (Clock, "DSPDELAY"),
        ],
    )
}

/// The morning of the first test.
const NOON_US: u64 = 1_800_000_000_000_000;
const MS: u64 = 1_000_000;

struct Given {
    transaction: &'static str,
    after_ms: u64,
    dispatch_us: u64,
    enqueue_ms: u64,
    lock_ms: u64,
    abend: &'static str,
}

fn file(tasks: &[Given], missing: u64) -> Vec<u8> {
    let mut bytes = performance_layout().header();
    for task in tasks {
        let suspended = (task.enqueue_ms + task.lock_ms) * MS;
        let response = task.dispatch_us * 1_000 + suspended + MS;
        let start = NOON_US + task.after_ms * 1_000;
        let mut record = Encoder::begin(&mut bytes, 0);
        record.text(TRAN, task.transaction.as_bytes());
        record.number(START, start);
        record.number(STOP, start + response / 1_000);
        record.clock(FIRST, MS, 1);
        record.clock(DISPATCH, task.dispatch_us * 1_000, 2);
        record.clock(CPU, task.dispatch_us * 900, 2);
        record.clock(SUSPEND, suspended, 1);
        record.clock(ENQUEUE, task.enqueue_ms * MS, u64::from(task.enqueue_ms > 0));
        record.clock(LOCK, task.lock_ms * MS, u64::from(task.lock_ms > 0));
        record.number(READS, 2);
        record.text(ABEND, task.abend.as_bytes());
        if task.enqueue_ms > 0 {
            record.named(NAMED, b"HSM", task.enqueue_ms * MS, 1);
        }
        record.end();
    }
    if missing > 0 {
        lost(&mut bytes, missing);
    }
    bytes
}

fn morning() -> Vec<u8> {
    let task = |transaction, after_ms, enqueue_ms, lock_ms, abend| Given {
        transaction,
        after_ms,
        dispatch_us: 500,
        enqueue_ms,
        lock_ms,
        abend,
    };
    let tasks = [
        task("AUTH", 0, 8, 0, ""),
        task("AUTH", 400, 12, 0, ""),
        task("AUTH", 900, 10, 3, "ASRA"),
        task("SIGN", 1_000, 0, 0, ""),
        task("AUTH", 1_500, 0, 0, ""),
    ];
    file(&tasks, 7)
}

fn sums(transactions: &[&str]) -> Performance {
    let transactions = transactions.iter().map(|name| (*name).to_owned()).collect();
    let mut sums = Performance::new(Selection { transactions, between: None });
    sums.add(&morning()).expect("a file of ours");
    sums
}

#[test]
fn a_summary_has_a_line_for_each_transaction_and_one_for_all() {
    expect![[r#"
        Tasks by transaction

        Transaction  Tasks   Rate  Response    p50     p90     p99  longest      CPU  Dispatch  Suspend       CPU  Abends
                               /s        ms     ms      ms      ms       ms  µs/task   µs/task  ms/task  % of one
        AUTH             4    2.7     9.750  9.503  14.503  14.503   14.503    450.0     500.0    8.250      0.12       1
        SIGN             1  666.7     1.500  1.500   1.500   1.500    1.500    450.0     500.0    0.000     30.00       0
        all              5    3.3     8.100  9.503  14.503  14.503   14.503    450.0     500.0    6.600      0.15       1

        7 records are missing: they came faster than they could be written.
    "#]].assert_eq(&sums(&[]).summary().show(Shape::Text));
}

#[test]
fn the_largest_wait_is_named_and_a_record_s_lock_is_told_apart_from_an_enqueue() {
    expect![[r#"
        Wait analysis of AUTH: 4 tasks

        Part                                           Field        Time  of response  Times     each
                                                                 ms/task            %  /task       ms
        Response time                                             9.7500        100.0   1.00   9.7500
          first dispatch delay                         DSPDELAY   1.0000         10.3   1.00   1.0000
          dispatched                                   USRDISPT   0.5000          5.1   2.00   0.2500
            processor                                  USRCPUT    0.4500          4.6   2.00   0.2250
          suspended                                    SUSPTIME   8.2500         84.6   1.00   8.2500
            local enqueue wait                         ENQDELAY   7.5000         76.9   0.75  10.0000
            wait for a record that another task holds  SPLOCKWT   0.7500          7.7   0.25   3.0000
              named HSM                                           7.5000         76.9   0.75  10.0000

        The largest wait is ENQDELAY (local enqueue wait): 76.9 % of the response time.
        7 records are missing: they came faster than they could be written.
    "#]]
    .assert_eq(&sums(&["AUTH"]).waits().show(Shape::Text));
}

#[test]
fn intervals_show_rate_and_processor_time() {
    let mut rates = Rates::new(Interval::seconds(1), Selection::default());
    rates.add(&morning()).expect("a file of ours");
    expect![[r#"
        From,Tasks,Rate /s,Response ms,p99 ms,CPU % of one,CPU µs/task
        2027-01-15T08:00:00Z,3,3.0,12.500,14.503,0.14,450.0
        2027-01-15T08:00:01Z,2,2.0,1.500,1.500,0.09,450.0
    "#]]
    .assert_eq(&rates.table().show(Shape::Csv));
}

#[test]
fn tasks_are_listed_with_the_fields_that_are_asked_for() {
    let fields = ["TRAN", "START", "ENQDELAY", "FCTOTCT", "SPNAMED", "ABCODEC", "USERID"].map(str::to_owned);
    let mut tasks = Tasks::new(fields.to_vec(), 3, Selection::default());
    tasks.add(&morning()).expect("a file of ours");
    expect![[r#"
        Tasks

        TRAN  START                 ENQDELAY  FCTOTCT  SPNAMED           ABCODEC  USERID
        AUTH  2027-01-15T08:00:00Z    8000.0        2  HSM:1 in 8000.0
        AUTH  2027-01-15T08:00:00Z   12000.0        2  HSM:1 in 12000.0
        AUTH  2027-01-15T08:00:00Z   13000.0        2  HSM:1 in 10000.0  ASRA

        7 records are missing: they came faster than they could be written.
        These are the first 3; there may be more.
    "#]]
    .assert_eq(&tasks.table().show(Shape::Text));
}

#[test]
fn statistics_show_the_last_collection_unless_all_are_asked_for() {
    use ColumnForm::{Stamp, Text, Time, Value};
    let columns =
        [(Stamp, "COLLECTED"), (Text, "REASON"), (Text, "RESOURCE"), (Value, "A17DSRD"), (Time, "SPTCPU")];
    let mut bytes = layout("file", &columns).header();
    for (after, reason, reads) in [(0, "INT", 3), (3_600, "INT", 0), (5_000, "EOD", 9)] {
        let mut record = Encoder::begin(&mut bytes, 0);
        record.number(0, NOON_US + after * 1_000_000);
        record.text(1, reason.as_bytes());
        record.text(2, b"ACCOUNTS");
        record.number(3, reads);
        record.end();
    }
    let shown = |which| collections(&bytes, which, "").expect("a file of ours").show(Shape::Csv);
    expect![[r#"
        Collected,Reason,Kind,Resource,Field,Value,Meaning
        2027-01-15T08:00:00Z,INT,file,ACCOUNTS,A17DSRD,3,records read
        2027-01-15T09:23:20Z,EOD,file,ACCOUNTS,A17DSRD,9,records read
    "#]]
    .assert_eq(&shown(Collections::All));
    expect![[r#"
        Collected,Reason,Kind,Resource,Field,Value,Meaning
        2027-01-15T09:23:20Z,EOD,file,ACCOUNTS,A17DSRD,9,records read
    "#]]
    .assert_eq(&shown(Collections::Last));
}
