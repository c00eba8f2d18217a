//! Statements over tables on the record engine: they wait for locks, are put back, and see what a restart has left.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use db2::{Arithmetic, Letters};
use db2_rows::{Isolation, Name, Table, Tables, Tried, ValueForm, Work};
use db2_run::tables::{OnTables, Trouble, described, index, key_index, table};
use db2_run::{Failed, Limits, Plan, Run, Step};
use db2_syntax::tree::{CreateTable, Statement};
use db2_syntax::{Catalogue, Setting, read};
use db2_values::{Order, Timestamp, text_of};
use records::sim::{Machine, Running};
use records::{Engine, UnitOfWork};

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an answer that should be there is not"),
    }
}

struct Region {
    machine: Machine,
    running: Running,
    tables: Arc<Tables>,
}

struct Task {
    work: Work,
    unit: Box<dyn UnitOfWork>,
}

impl Task {
    fn now<T>(&mut self, mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>) -> T {
        loop {
            match request(&mut self.work, &mut *self.unit) {
                Ok(done) => return done,
                Err(db2_rows::Stop::Later) => ready(self.work.wait(&mut *self.unit)).expect("no lock"),
                Err(stop) => panic!("{stop:?}"),
            }
        }
    }

    fn commit(mut self) {
        ready(self.unit.commit_unforced()).expect("a commit");
        self.work.committed();
    }
}

impl Region {
    fn on(machine: Machine) -> Self {
        let running = machine.start().expect("an engine");
        let form = Arc::new(ValueForm::new(Order::default()));
        let tables = ready(Tables::open(running.engine.clone(), form)).expect("tables");
        Self { machine, running, tables }
    }

    fn new() -> Self {
        let limits = records::Limits { quick_force: Duration::ZERO, ..records::Limits::default() };
        Self::on(Machine::new(1, limits))
    }

    fn task(&self) -> Task {
        let engine: Arc<dyn Engine> = self.running.engine.clone();
        let owner = engine.locks().new_owner();
        Task { work: self.tables.work(owner), unit: engine.begin(owner) }
    }

    fn restarted(self) -> Self {
        while self.running.write_group().expect("the power is on") {}
        let Self { machine, running, tables } = self;
        drop((running, tables));
        Self::on(machine)
    }

    fn contacts(&self) -> Arc<Table> {
        self.tables.catalogue().table(&Name::new("BANK", "CONTACT")).expect("the table").clone()
    }

    /// Defines CONTACT with its key and an index.
    fn with_contacts() -> Self {
        let region = Self::new();
        let mut catalogue = catalogue();
        let text = "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY CHECK (ID < 1000), NAME CHAR(6) NOT NULL WITH DEFAULT 'X')";
        let Statement::CreateTable(create) = statement(text, &catalogue) else { panic!("{text}") };
        let mut task = region.task();
        task.now(|work, unit| work.create_table(unit, table(&create)));
        let key = key_index(&create, "CONTACT_KEY").expect("a key");
        catalogue.create_table(create);
        let text = "CREATE INDEX XNAME ON CONTACT (NAME DESC)";
        let Statement::CreateIndex(create) = statement(text, &catalogue) else { panic!("{text}") };
        for new in [key, index(&create)] {
            let mut building = task.now(|work, unit| work.create_index(unit, new.clone()));
            while task.now(|work, unit| building.go_on(work, unit)).is_none() {}
        }
        task.commit();
        region
    }

    fn start(&self, text: &str) -> Run<db2_rows::Cursor, Trouble> {
        let mut catalogue = catalogue();
        let table = described(&self.contacts()).expect("a table that is known");
        catalogue.create_table(CreateTable { table, numbers: None });
        let plan = Plan::of(&statement(text, &catalogue), &catalogue).expect("a plan");
        let now = Timestamp::parse(b"2026-11-29-10.30.00").expect("a timestamp");
        Run::new(Arc::new(plan), Vec::new(), db2_values::Setting::at(now), Limits::default())
    }

    fn step(
        &self,
        run: &mut Run<db2_rows::Cursor, Trouble>,
        task: &mut Task,
    ) -> Result<Step, Failed<Trouble>> {
        let isolation = Isolation::CursorStability;
        run.next(&mut OnTables::new(&mut task.work, &mut *task.unit, self.contacts(), isolation))
    }

    /// Runs a statement to its end: its rows, or the number of rows that it has changed.
    fn run(&self, text: &str, task: &mut Task) -> Result<String, Failed<Trouble>> {
        let (mut run, mut rows) = (self.start(text), Vec::new());
        loop {
            match self.step(&mut run, task)? {
                Step::Row => {
                    let values =
                        run.row().iter().map(|value| text_of(value, run.setting()).trim_end().to_owned());
                    rows.push(values.collect::<Vec<_>>().join(" "));
                }
                Step::GiveWay => {}
                Step::Later => ready(task.work.wait(&mut *task.unit)).expect("no lock"),
                Step::End if rows.is_empty() => return Ok(run.count().to_string()),
                Step::End => return Ok(rows.join(", ")),
            }
        }
    }
}

fn catalogue() -> Catalogue {
    Catalogue::of_schemas([String::from("BANK")])
}

fn statement(text: &str, catalogue: &Catalogue) -> Statement {
    let setting = Setting { catalogue, arithmetic: Arithmetic::default(), variables: &|_| None };
    read(&Letters::plain(text), &setting).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

#[test]
fn statements_over_tables_of_the_engine() {
    let region = Region::with_contacts();
    let mut task = region.task();
    for (text, outcome) in [
        ("INSERT INTO CONTACT VALUES (1, 'ADA')", "1"),
        ("INSERT INTO CONTACT VALUES (2, 'BEA')", "1"),
        ("INSERT INTO CONTACT (ID) VALUES (3)", "1"),
        ("SELECT ID, NAME FROM CONTACT WHERE ID = 2", "2 BEA"),
        ("SELECT ID FROM CONTACT WHERE NAME >= 'BEA'", "3, 2"),
        ("SELECT ID FROM CONTACT ORDER BY ID DESC", "3, 2, 1"),
        ("SELECT ID FROM CONTACT WHERE NAME LIKE 'B%'", "2"),
        ("UPDATE CONTACT SET ID = ID + 1", "3"),
        ("DELETE FROM CONTACT WHERE NAME = 'BEA'", "1"),
        ("SELECT ID, NAME FROM CONTACT", "2 ADA, 4 X"),
    ] {
        assert_eq!(region.run(text, &mut task).as_deref(), Ok(outcome), "{text}");
    }
    match region.run("UPDATE CONTACT SET ID = 7", &mut task) {
        Err(Failed::Rows(Trouble::Failed(failure))) => assert_eq!(failure.code, -803),
        other => panic!("{other:?}"),
    }
    task.commit();
    let region = region.restarted();
    assert_eq!(region.run("SELECT ID, NAME FROM CONTACT", &mut region.task()).as_deref(), Ok("2 ADA, 4 X"));
    match region.run("UPDATE CONTACT SET ID = ID + 998", &mut region.task()) {
        Err(Failed::Refused(refused)) => assert_eq!((refused.code, refused.token.as_str()), (-545, "CHECK1")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_statement_waits_for_a_row_of_another_unit_of_work() {
    let region = Region::with_contacts();
    let mut task = region.task();
    assert_eq!(region.run("INSERT INTO CONTACT VALUES (1, 'ADA')", &mut task).as_deref(), Ok("1"));
    task.commit();
    let (mut first, mut second) = (region.task(), region.task());
    assert_eq!(region.run("UPDATE CONTACT SET NAME = 'EVE' WHERE ID = 1", &mut first).as_deref(), Ok("1"));
    let mut deleting = region.start("DELETE FROM CONTACT WHERE ID = 1");
    assert_eq!(region.step(&mut deleting, &mut second), Ok(Step::Later));
    first.commit();
    while region.step(&mut deleting, &mut second) == Ok(Step::Later) {
        ready(second.work.wait(&mut *second.unit)).expect("the lock is free");
    }
    assert_eq!(deleting.count(), 1);
    second.commit();
    assert_eq!(region.run("SELECT COUNT(*) FROM CONTACT", &mut region.task()).as_deref(), Ok("0"));
}

#[test]
fn a_query_passes_over_rows_of_others_or_takes_them() {
    let region = Region::with_contacts();
    let mut task = region.task();
    for id in 1..=2 {
        let text = format!("INSERT INTO CONTACT VALUES ({id}, 'ADA')");
        assert_eq!(region.run(&text, &mut task).as_deref(), Ok("1"));
    }
    task.commit();
    let (mut first, mut second) = (region.task(), region.task());
    let takes = "SELECT NAME FROM CONTACT WHERE ID = 1 WITH RS USE AND KEEP UPDATE LOCKS";
    assert_eq!(region.run(takes, &mut first).as_deref(), Ok("ADA"));
    let passes = "SELECT ID FROM CONTACT SKIP LOCKED DATA";
    assert_eq!(region.run(passes, &mut second).as_deref(), Ok("2"));
    let mut waiting = region.start("SELECT ID FROM CONTACT WHERE ID = 1");
    assert_eq!(region.step(&mut waiting, &mut second), Ok(Step::Later));
}

#[test]
fn a_row_that_has_changed_since_it_was_looked_for_is_tested_once_more() {
    let region = Region::with_contacts();
    let mut task = region.task();
    for id in 1..=3 {
        let text = format!("INSERT INTO CONTACT VALUES ({id}, 'ADA')");
        assert_eq!(region.run(&text, &mut task).as_deref(), Ok("1"));
    }
    task.commit();
    // The last of three is another's: the change has looked at the first two, and let go of them.
    let (mut other, mut task) = (region.task(), region.task());
    assert_eq!(region.run("UPDATE CONTACT SET NAME = 'EVE' WHERE ID = 3", &mut other).as_deref(), Ok("1"));
    let mut change = region.start("UPDATE CONTACT SET NAME = 'ZOE' WHERE ID > 0 AND NAME = 'ADA'");
    assert_eq!(region.step(&mut change, &mut task), Ok(Step::Later));
    let renamed = region.run("UPDATE CONTACT SET NAME = 'EVE' WHERE ID = 1", &mut other);
    assert_eq!(renamed.as_deref(), Ok("1"));
    other.commit();
    while region.step(&mut change, &mut task) == Ok(Step::Later) {
        ready(task.work.wait(&mut *task.unit)).expect("the lock is free");
    }
    assert_eq!(change.count(), 1);
    task.commit();
    let found = region.run("SELECT ID, NAME FROM CONTACT ORDER BY ID", &mut region.task());
    assert_eq!(found.as_deref(), Ok("1 EVE, 2 ZOE, 3 EVE"));
}
