//! A program in a few lines over tables of a simulated machine: its storage, its package, the task that runs it.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use attachment::{Arguments, Asked, Done, OwnTables, OwnThread, Rules, Unreachable};
use db2::package::{
    Action, Array, Change, Cursor, Form, Indicator, Orientation, Package, Spot, Statement, Text, Using,
    Variable,
};
use db2_values::{Order, Timestamp};
use records::sim::{Machine, Running};
use records::{Engine, Owner, UnitOfWork, Wait};
use sql::codes::Scope;

/// Parameters of the CALL: each a field.
#[derive(Default)]
pub struct Storage(pub Vec<Vec<u8>>);

impl Arguments for Storage {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let field = self.0.get(usize::from(argument));
        let bytes = field.and_then(|field| field.get(offset..offset + into.len()));
        into.copy_from_slice(bytes.ok_or(Unreachable { argument, offset })?);
        Ok(())
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let field = self.0.get_mut(usize::from(argument));
        let place = field.and_then(|field| field.get_mut(offset..offset + bytes.len()));
        place.ok_or(Unreachable { argument, offset })?.copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, _: usize, _: &mut [u8]) -> bool {
        false
    }

    fn write_at(&mut self, _: usize, _: &[u8]) -> bool {
        false
    }
}

/// A region's tables on a simulated machine.
pub struct Region {
    machine: Machine,
    running: Running,
    pub tables: Arc<OwnTables>,
}

/// The time of all statements.
pub fn now() -> Timestamp {
    Timestamp::parse(b"2026-11-29-10.30.00").unwrap()
}

pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an answer that should be there is not"),
    }
}

impl Region {
    /// With the tables of a script.
    pub fn new(script: &str) -> Self {
        let limits = records::Limits { quick_force: Duration::ZERO, ..records::Limits::default() };
        let region = Self::on(Machine::new(1, limits));
        assert!(region.writing(region.tables.run_script("tables", script, now())).unwrap());
        region
    }

    fn on(machine: Machine) -> Self {
        let running = machine.start().unwrap();
        let rules = Rules {
            order: Order::default(),
            schema: "BANK".to_owned(),
            further: Vec::new(),
            patience: Wait::Forever,
        };
        let tables = ready(OwnTables::open(running.engine.clone(), rules)).unwrap();
        Self { machine, running, tables }
    }

    /// Awaits something that waits for the log.
    pub fn writing<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return value;
            }
            self.running.write_group().unwrap();
        }
    }

    /// The machine is switched off and on.
    pub fn restarted(self) -> Self {
        while self.running.write_group().unwrap() {}
        let Self { machine, running, tables } = self;
        drop((running, tables));
        Self::on(machine)
    }

    pub fn task(&self) -> Task {
        let engine: Arc<dyn Engine> = self.running.engine.clone();
        let owner = engine.locks().new_owner();
        let package = Package { program: "PROG".to_owned(), ..Package::default() };
        let (thread, unit) = (OwnThread::new(&self.tables, owner), engine.begin(owner));
        // Each task runs a program of its own, with the package's token.
        let token = owner.0;
        Task { engine, owner, thread, unit, package, token, storage: Storage::default() }
    }
}

/// A task that runs one program.
pub struct Task {
    engine: Arc<dyn Engine>,
    owner: Owner,
    pub thread: OwnThread,
    pub unit: Box<dyn UnitOfWork>,
    package: Package,
    token: u64,
    pub storage: Storage,
}

/// A whole number, COMP.
pub const INT: Form = Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true };

impl Task {
    /// A host variable of the program, `V0`, `V1` and so on; `has_indicator`: the next one is its indicator.
    pub fn variable(&mut self, form: Form, has_indicator: bool) -> Variable {
        let argument = self.storage.0.len() as u16;
        self.storage.0.push(vec![0; form.size()]);
        let indicator = has_indicator.then(|| {
            self.storage.0.push(vec![0; 2]);
            Indicator { argument: argument + 1, offset: 0, array: None }
        });
        Variable { name: format!("V{argument}"), argument, offset: 0, form, indicator, array: None }
    }

    /// A table of so many variables, one behind the other.
    pub fn variables(&mut self, form: Form, count: u32) -> Variable {
        let variable = self.variable(form, false);
        let stride = form.size() as u32;
        self.storage.0[usize::from(variable.argument)] = vec![0; (count * stride) as usize];
        Variable { array: Some(Array { count, stride }), ..variable }
    }

    /// The program declares a cursor for a statement that it prepares; its number.
    pub fn declare_prepared(&mut self, name: &str) -> u16 {
        let cursor = self.declare("", false, false);
        self.package.cursors[usize::from(cursor)].prepared = Some(name.to_owned());
        cursor
    }

    /// A cursor of the program, to be described otherwise.
    pub fn cursor(&mut self, number: u16) -> &mut Cursor {
        &mut self.package.cursors[usize::from(number)]
    }

    /// The program declares a cursor; its number.
    pub fn declare(&mut self, query: &str, hold: bool, for_update: bool) -> u16 {
        self.package.cursors.push(Cursor {
            name: format!("C{}", self.package.cursors.len()),
            prepared: None,
            hold,
            read_only: !for_update,
            for_update,
            rowset: false,
            scroll: false,
            with_return: false,
            query: query.to_owned(),
            at: Spot::default(),
        });
        (self.package.cursors.len() - 1) as u16
    }

    /// One more statement of the program; its number.
    pub fn statement(
        &mut self,
        action: Action,
        text: &str,
        inputs: &[Variable],
        targets: &[Variable],
    ) -> u16 {
        self.package.statements.push(Statement {
            action,
            sql: Text::default(),
            inputs: inputs.to_vec(),
            targets: targets.to_vec(),
            isolation: None,
            has_effects: true,
            at: Spot::default(),
            text: text.to_owned(),
        });
        self.package.statements.len() as u16
    }

    /// The words that PostgreSQL would get of a statement: of one that is an expression, not empty.
    pub fn translated(&mut self, number: u16, sql: &str) {
        self.package.statements[usize::from(number) - 1].sql.sql = sql.to_owned();
    }

    /// A statement that runs.
    pub async fn execute(&mut self, number: u16) -> Done {
        let Self { thread, unit, package, storage, token, .. } = self;
        let asked = Asked { level: 1, token: *token, package, number, scope: Scope::Unit, now: now() };
        thread.execute(asked, &mut **unit, storage).await.unwrap()
    }

    /// Runs a statement; its SQLCODE.
    pub fn run(&mut self, number: u16) -> i32 {
        ready(self.execute(number)).sqlca.code
    }

    /// PREPARE of a text; its SQLCODE.
    pub fn prepare(&mut self, name: &str, text: &str) -> i32 {
        let number = self.dynamic(text);
        let action = Action::Prepare { name: name.to_owned(), into: None, attributes: None };
        self.package.statements[usize::from(number) - 1].action = action;
        self.run(number)
    }

    /// EXECUTE IMMEDIATE of a text, as a statement of the program; its number.
    pub fn dynamic(&mut self, text: &str) -> u16 {
        let words = self.variable(Form::Char { length: text.len() as u32 }, false);
        self.storage.0[usize::from(words.argument)] = text.as_bytes().to_vec();
        self.statement(Action::ExecuteImmediate, "EXECUTE IMMEDIATE :V", &[words], &[])
    }

    /// Runs a text at once; its SQLCODE.
    pub fn immediate(&mut self, text: &str) -> i32 {
        let number = self.dynamic(text);
        self.run(number)
    }

    /// Runs a change without host variables; its SQLCODE, and the rows that it has changed.
    pub fn change(&mut self, text: &str) -> (i32, i32) {
        let change = match text.split(' ').next() {
            Some("INSERT") => Change::InsertValues,
            Some("UPDATE") => Change::Update,
            _ => Change::Delete,
        };
        let number = self.statement(Action::Change(change), text, &[], &[]);
        let sqlca = ready(self.execute(number)).sqlca;
        (sqlca.code, sqlca.details[2])
    }

    /// SELECT … INTO :N of one number.
    pub fn count(&mut self, text: &str) -> i32 {
        let target = Variable { name: "N".to_owned(), ..self.variable(INT, false) };
        let argument = target.argument;
        let number = self.statement(Action::Row, text, &[], &[target]);
        assert_eq!(self.run(number), 0, "{text}");
        self.number(argument)
    }

    /// FETCH of the next row of a cursor.
    pub fn next_row(&mut self, cursor: u16, targets: &[Variable]) -> u16 {
        let (orientation, into) = (Orientation::Next, Using::Variables);
        let action = Action::Fetch { cursor, orientation, is_rowset: false, rows: None, into };
        self.statement(action, "FETCH", &[], targets)
    }

    /// Commits, and begins the next unit of work.
    pub fn commit(&mut self) {
        let next = self.engine.begin(self.owner);
        ready(std::mem::replace(&mut self.unit, next).commit_unforced()).unwrap();
        self.thread.committed();
    }

    /// Backs out, and begins the next unit of work.
    pub fn back_out(mut self) -> Self {
        let next = self.engine.begin(self.owner);
        ready(std::mem::replace(&mut self.unit, next).backout()).unwrap();
        Self { thread: self.thread.backed_out(), ..self }
    }

    /// Sets a table of whole numbers.
    pub fn set_all(&mut self, argument: u16, numbers: &[i32]) {
        self.storage.0[usize::from(argument)] =
            numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    }

    /// A table of whole numbers.
    pub fn numbers(&self, argument: u16) -> Vec<i32> {
        let bytes = self.storage.0[usize::from(argument)].chunks_exact(4);
        bytes.map(|bytes| i32::from_be_bytes(bytes.try_into().unwrap())).collect()
    }

    /// Sets a variable that holds a whole number.
    pub fn set(&mut self, argument: u16, number: i32) {
        self.storage.0[usize::from(argument)] = number.to_be_bytes().to_vec();
    }

    /// A variable that holds a whole number.
    pub fn number(&self, argument: u16) -> i32 {
        i32::from_be_bytes(self.storage.0[usize::from(argument)].as_slice().try_into().unwrap())
    }

    /// A variable that holds characters.
    pub fn text(&self, argument: u16) -> String {
        String::from_utf8_lossy(&self.storage.0[usize::from(argument)]).trim_end().to_owned()
    }
}
