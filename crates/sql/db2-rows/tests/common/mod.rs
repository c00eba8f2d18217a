//! Common ground of the tests: rows of whole numbers and texts, and tasks on a machine in main storage.
#![allow(dead_code)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use db2_rows::{
    Column, ColumnType, Cursor, Form, KeyColumn, Malformed, Name, NewIndex, NewTable, Path, Range, Rid, Stop,
    Table, Tables, Tried, Unique, Wish, Work,
};
use records::sim::{Machine, Running};
use records::{Engine, Limits, UnitOfWork};

/// A value of a test's row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Null,
    Number(i64),
    Text(String),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// A type of a test's column.
pub const NUMBER: ColumnType = ColumnType { code: 0, length: 8, scale: 0 };
/// The same for texts.
pub const TEXT: ColumnType = ColumnType { code: 1, length: 20, scale: 0 };

/// The form of the tests' rows: for each column a zero, or a one and the value.
pub struct Plain;

/// The row of these values.
pub fn row(values: &[Value]) -> Vec<u8> {
    let mut row = Vec::new();
    for value in values {
        match value {
            Value::Null => row.push(0),
            Value::Number(number) => {
                row.push(1);
                row.extend(number.to_be_bytes());
            }
            Value::Text(text) => {
                row.extend([1, text.len() as u8]);
                row.extend(text.as_bytes());
            }
        }
    }
    row
}

/// The values of a row of these columns.
pub fn values(columns: &[Column], row: &[u8]) -> Result<Vec<Value>, Malformed> {
    let mut rest = row;
    let mut take = |count: usize| rest.split_off(..count).ok_or(Malformed);
    let mut values = Vec::new();
    for column in columns {
        values.push(match (take(1)?, column.kind) {
            ([0], _) => Value::Null,
            (_, NUMBER) => Value::Number(i64::from_be_bytes(take(8)?.try_into().map_err(|_| Malformed)?)),
            _ => {
                let length = take(1)?[0];
                let text = String::from_utf8(take(length.into())?.to_vec());
                Value::Text(text.map_err(|_| Malformed)?)
            }
        });
    }
    if rest.is_empty() { Ok(values) } else { Err(Malformed) }
}

/// The key of these values, or the beginning of one.
pub fn key(values: &[Value], descends: &[bool]) -> Vec<u8> {
    let mut key = Vec::new();
    for (value, descends) in values.iter().zip(descends) {
        let begin = key.len();
        match value {
            Value::Null => key.push(2),
            Value::Number(number) => {
                key.push(1);
                key.extend((number ^ i64::MIN).to_be_bytes());
            }
            Value::Text(text) => {
                key.push(1);
                key.extend(text.as_bytes());
                key.push(0);
            }
        }
        if *descends {
            key[begin..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
    key
}

/// The key of a number.
pub fn of(number: i64) -> Vec<u8> {
    key(&[number.into()], &[false])
}

impl Form for Plain {
    fn identity(&self) -> Vec<u8> {
        b"plain".to_vec()
    }

    fn key(
        &self,
        columns: &[Column],
        of: &[KeyColumn],
        row: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool, Malformed> {
        let values = values(columns, row)?;
        let chosen: Vec<_> = of.iter().map(|column| values[column.column].clone()).collect();
        let descends: Vec<_> = of.iter().map(|column| column.is_descending).collect();
        out.extend(key(&chosen, &descends));
        Ok(chosen.contains(&Value::Null))
    }

    fn refused_null(&self, columns: &[Column], row: &[u8]) -> Result<Option<usize>, Malformed> {
        let values = values(columns, row)?;
        let refused = |(column, value): (&Column, &Value)| !column.is_nullable && *value == Value::Null;
        Ok(columns.iter().zip(&values).position(refused))
    }

    fn longest_key(&self, columns: &[Column], of: &[KeyColumn]) -> usize {
        of.iter().map(|column| columns[column.column].kind.length as usize + 2).sum()
    }
}

/// A column of a test's table.
pub fn column(name: &str, kind: ColumnType, is_nullable: bool) -> Column {
    Column { name: name.into(), kind, is_nullable, default: None, identity: None }
}

/// A name in the tests' schema.
pub fn name(name: &str) -> Name {
    Name::new("BANK", name)
}

/// ACCT (ID number, primary key; OWNER text, can be NULL; AMOUNT number).
pub fn acct() -> NewTable {
    let columns =
        vec![column("ID", NUMBER, false), column("OWNER", TEXT, true), column("AMOUNT", NUMBER, false)];
    NewTable { name: name("ACCT"), columns, checks: Vec::new() }
}

/// An index of ACCT over columns, by their numbers.
pub fn index(called: &str, columns: &[usize], unique: Unique) -> NewIndex {
    let key = columns.iter().map(|column| KeyColumn { column: *column, is_descending: false }).collect();
    NewIndex { table: name("ACCT"), name: name(called), key, unique, is_primary: called == "ACCTPK" }
}

/// A row of ACCT.
pub fn account(id: i64, owner: &str, amount: i64) -> Vec<u8> {
    row(&[id.into(), owner.into(), amount.into()])
}

/// A region: an engine in main storage, and its tables.
pub struct Region {
    pub machine: Machine,
    pub running: Running,
    pub tables: Arc<Tables>,
}

/// The value of a future that needs no waiting.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match look(pin!(future)) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an answer that should be there is not"),
    }
}

/// One look at a future.
pub fn look<F: Future + ?Sized>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Limits of an engine whose log is written when the test says so.
pub fn limits() -> Limits {
    Limits {
        segment_bytes: 64 * 1024,
        fills_segments: false,
        quick_force: Duration::ZERO,
        ..Limits::default()
    }
}

impl Region {
    pub fn new() -> Self {
        Self::on(Machine::new(1, limits()))
    }

    /// A region on a machine.
    pub fn on(machine: Machine) -> Self {
        let running = machine.start().expect("an engine");
        let tables = ready(Tables::open(running.engine.clone(), Arc::new(Plain))).expect("tables");
        Self { machine, running, tables }
    }

    /// One with ACCT, its primary key and an index over OWNER, and these rows.
    pub fn with_accounts(rows: &[(i64, &str, i64)]) -> Self {
        let region = Self::new();
        let mut task = region.task();
        task.now(|work, unit| work.create_table(unit, acct()));
        task.build(index("ACCTPK", &[0], Unique::Yes));
        let table = task.build(index("ACCTOWN", &[1], Unique::No));
        for (id, owner, amount) in rows {
            task.now(|work, unit| work.insert(unit, &table, &account(*id, owner, *amount)));
        }
        task.commit();
        region
    }

    /// The same machine after its process was killed with all written that was committed.
    pub fn restarted(self) -> Self {
        while self.running.write_group().expect("the power is on") {}
        let Self { machine, running, tables } = self;
        drop((running, tables));
        Self::on(machine)
    }

    pub fn task(&self) -> Task {
        let engine: Arc<dyn Engine> = self.running.engine.clone();
        let owner = engine.locks().new_owner();
        Task { work: self.tables.work(owner), unit: engine.begin(owner), engine }
    }

    /// ACCT as all see it.
    pub fn acct(&self) -> Arc<Table> {
        self.tables.catalogue().table(&name("ACCT")).expect("ACCT").clone()
    }
}

/// Counts of an engine.
pub trait Counts {
    /// Number of its stores.
    fn engine_stores(&self) -> usize;
}

impl Counts for Running {
    fn engine_stores(&self) -> usize {
        self.engine.stores().len()
    }
}

/// Waits for the disk, if that is what a request waits for. Returns false if it is a lock.
pub fn waits_for_disk(work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<bool> {
    if work.waits_for_lock() {
        return Ok(false);
    }
    ready(work.wait(unit)).map(|()| true)
}

/// A task with its unit of work.
pub struct Task {
    pub work: Work,
    pub unit: Box<dyn UnitOfWork>,
    engine: Arc<dyn Engine>,
}

impl Task {
    /// Makes a request, again as long as it waits for the disk alone.
    pub fn tries<T>(
        &mut self,
        mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
    ) -> Tried<T> {
        loop {
            let outcome = request(&mut self.work, &mut *self.unit);
            if !matches!(outcome, Err(Stop::Later)) || !waits_for_disk(&mut self.work, &mut *self.unit)? {
                return outcome;
            }
        }
    }

    /// Makes a request that is answered at once.
    pub fn now<T>(&mut self, request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>) -> T {
        self.tries(request).unwrap_or_else(|stop| panic!("{stop:?}"))
    }

    /// Makes a request that fails, and says with which SQLCODE and words.
    pub fn fails<T>(
        &mut self,
        request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
    ) -> (i32, String) {
        match self.tries(request) {
            Err(Stop::Failed(failure)) => (failure.code, failure.tokens.join(" ")),
            Err(stop) => panic!("{stop:?}"),
            Ok(_) => panic!("no failure"),
        }
    }

    /// Returns true if a request must wait.
    pub fn must_wait<T>(&mut self, request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>) -> bool {
        matches!(self.tries(request), Err(Stop::Later))
    }

    /// Runs a statement; one that fails is put back.
    pub fn statement<T>(&mut self, statement: impl FnOnce(&mut Self) -> Tried<T>) -> Tried<T> {
        self.work.begin_statement();
        let outcome = statement(self);
        let outcome = outcome.and_then(|value| self.work.end_statement(&mut *self.unit).map(|()| value));
        if let Err(Stop::Failed(_)) = outcome {
            self.work.undo_statement(&mut *self.unit).expect("put back");
        }
        outcome
    }

    /// Makes an index.
    pub fn build(&mut self, new: NewIndex) -> Arc<Table> {
        let mut building = self.now(|work, unit| work.create_index(unit, new.clone()));
        loop {
            if let Some(table) = self.now(|work, unit| building.go_on(work, unit)) {
                return table;
            }
        }
    }

    pub fn commit(&mut self) {
        let next = self.engine.begin(self.unit.owner());
        let unit = std::mem::replace(&mut self.unit, next);
        ready(unit.commit_unforced()).expect("commits");
        self.work.committed();
    }

    pub fn back_out(&mut self) {
        let next = self.engine.begin(self.unit.owner());
        let unit = std::mem::replace(&mut self.unit, next);
        ready(unit.backout()).expect("backed out");
        self.work.backed_out();
    }

    /// The row of ACCT with this ID, if it can be had at once.
    pub fn find(&mut self, table: &Table, id: i64, wish: Wish) -> Tried<Option<(Rid, Vec<Value>)>> {
        let mut row = Vec::new();
        let by = (table.indexes[0].id, &*of(id));
        let rid = self.tries(|work, unit| work.row_by_key(unit, table, by, wish, &mut row))?;
        Ok(rid.map(|rid| (rid, values(&table.columns, &row).expect("a row"))))
    }

    /// The number of the row of ACCT with this ID.
    pub fn rid(&mut self, table: &Table, id: i64) -> Rid {
        self.find(table, id, Wish::reads(db2_rows::Isolation::Uncommitted))
            .expect("no wait")
            .expect("a row")
            .0
    }

    /// IDs of all rows that a cursor gives.
    pub fn ids(&mut self, table: &Arc<Table>, path: Path, range: Range, wish: Wish) -> Vec<i64> {
        let mut cursor = Cursor::open(table, path, range, wish).expect("a cursor");
        let mut ids = Vec::new();
        while let Some(id) = self.step(&mut cursor) {
            ids.push(id);
        }
        cursor.close(&mut self.work, &mut *self.unit);
        ids
    }

    /// ID of the next row of a cursor.
    pub fn step(&mut self, cursor: &mut Cursor) -> Option<i64> {
        self.tries_step(cursor).unwrap_or_else(|stop| panic!("{stop:?}"))
    }

    /// The same, where it may have to wait.
    pub fn tries_step(&mut self, cursor: &mut Cursor) -> Tried<Option<i64>> {
        let columns = cursor.table().columns.clone();
        self.tries(|work, unit| {
            let row = cursor.next(work, unit)?;
            Ok(row.map(|row| match values(&columns, row.bytes).expect("a row")[0] {
                Value::Number(id) => id,
                _ => panic!("no number"),
            }))
        })
    }
}
