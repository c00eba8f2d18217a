//! A program in a few lines: its storage, its package, the task that runs it.

use attachment::{Arguments, Done, Tcb, Thread, Unreachable};
use db2::package::{
    Action, Cursor, Form, Indicator, Orientation, Package, Spot, Statement, Text, Using, Variable,
};
use sql::codes::Scope;

use crate::place::{address, another, session, settings};

/// The package's token: there is one package in a test.
const TOKEN: u64 = 7;

/// Parameters of the CALL: each a field.
#[derive(Default)]
pub struct Storage(pub Vec<Vec<u8>>);

impl Arguments for Storage {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let bytes =
            self.0.get(usize::from(argument)).and_then(|field| field.get(offset..offset + into.len()));
        into.copy_from_slice(bytes.ok_or(Unreachable { argument, offset })?);
        Ok(())
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let field = self.0.get_mut(usize::from(argument));
        let place = field.and_then(|field| field.get_mut(offset..offset + bytes.len()));
        place.ok_or(Unreachable { argument, offset })?.copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, address: usize, into: &mut [u8]) -> bool {
        let (argument, offset) = at(address);
        self.read(argument, offset, into).is_ok()
    }

    fn write_at(&mut self, address: usize, bytes: &[u8]) -> bool {
        let (argument, offset) = at(address);
        self.write(argument, offset, bytes).is_ok()
    }
}

/// Addresses of this machine: a thousand for each parameter, and none below the first thousand.
fn at(address: usize) -> (u16, usize) {
    match (address / 1000).checked_sub(1) {
        Some(argument) => (u16::try_from(argument).unwrap_or(u16::MAX), address % 1000),
        None => (u16::MAX, 0),
    }
}

/// A task that runs one program.
pub struct Task {
    pub thread: Thread,
    pub package: Package,
    pub storage: Storage,
}

/// A whole number, COMP.
pub const INT: Form = Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true };

/// PIC X.
pub const fn text(length: u32) -> Form {
    Form::Char { length }
}

/// The parameter of this number as a host variable; an indicator is the parameter of that number.
pub fn variable(argument: u16, form: Form, indicator: Option<u16>) -> Variable {
    let indicator = indicator.map(|argument| Indicator { argument, offset: 0, array: None });
    Variable { name: format!("V{argument}"), argument, offset: 0, form, indicator, array: None }
}

/// FETCH of the next row of a cursor.
pub const fn next_row(cursor: u16) -> Action {
    let (orientation, into) = (Orientation::Next, Using::Variables);
    Action::Fetch { cursor, orientation, is_rowset: false, rows: None, into }
}

impl Task {
    /// With an empty schema, in which a script has run.
    pub async fn new(schema: &str, script: &str) -> Self {
        session(schema).await;
        another(schema).await.script(script).await.unwrap();
        Self::with(schema)
    }

    /// With what is in a schema.
    pub fn with(schema: &str) -> Self {
        let tcb = Tcb::new(address(), settings(schema));
        let package = Package { program: "PROG".to_owned(), ..Package::default() };
        Self { thread: Thread::new(&tcb, Scope::Unit), package, storage: Storage::default() }
    }

    /// The program declares a cursor; its number.
    pub fn declare(&mut self, hold: bool, for_update: bool) -> u16 {
        let name = format!("C{}", self.package.cursors.len());
        self.package.cursors.push(Cursor {
            name,
            prepared: None,
            hold,
            read_only: !for_update,
            for_update,
            rowset: false,
            scroll: false,
            with_return: false,
            query: String::new(),
            at: Spot::default(),
        });
        (self.package.cursors.len() - 1) as u16
    }

    /// One more statement of the program; its number.
    pub fn statement(&mut self, action: Action, sql: &str, inputs: &[Variable], targets: &[Variable]) -> u16 {
        let reads = matches!(action, Action::Row | Action::Diagnostics(_));
        self.package.statements.push(Statement {
            action,
            sql: Text { sql: sql.to_owned(), marks: Vec::new() },
            inputs: inputs.to_vec(),
            targets: targets.to_vec(),
            isolation: None,
            has_effects: !reads,
            at: Spot::default(),
            text: sql.to_owned(),
        });
        self.package.statements.len() as u16
    }

    /// Runs a statement; its SQLCODE.
    pub async fn run(&mut self, number: u16) -> i32 {
        self.done(number).await.sqlca.code
    }

    /// Runs a statement.
    pub async fn done(&mut self, number: u16) -> Done {
        self.thread.execute(1, TOKEN, &self.package, number, &mut self.storage).await.unwrap()
    }

    /// Sets a parameter that holds a whole number.
    pub fn set(&mut self, argument: usize, number: i32) {
        self.storage.0[argument] = number.to_be_bytes().to_vec();
    }

    /// A parameter that holds a whole number.
    pub fn number(&self, argument: usize) -> i32 {
        i32::from_be_bytes(self.storage.0[argument].as_slice().try_into().unwrap())
    }
}
