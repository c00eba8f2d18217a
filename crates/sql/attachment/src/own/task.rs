//! The state of one task over the region's tables: what its unit of work holds of them, its cursors, its savepoints.

use std::sync::Arc;

use db2::package::Package;
use db2_rows::{Savepoint, Work};
use db2_values::Timestamp;
use foldhash::HashMap;
use records::{Owner, UnitOfWork};
use sql::codes::Scope;

use super::open::Open;
use super::prepared::Prepared;
use super::registers::Registers;
use super::tables::OwnTables;
use crate::conditions::Notes;
use crate::thread::Name;

/// A statement that a program asks for.
#[derive(Clone, Copy)]
pub struct Asked<'p> {
    /// The program's link level.
    pub level: u16,
    /// Its package's token.
    pub token: u64,
    /// Its package.
    pub package: &'p Package,
    /// The statement's number there, from 1.
    pub number: u16,
    /// Extent of the work that a deadlock takes back.
    pub scope: Scope,
    /// CURRENT TIMESTAMP.
    pub now: Timestamp,
}

/// The SQL side of a task over the region's tables. The unit of work is the task's own, and each call gets it.
pub struct OwnThread {
    pub(super) tables: Arc<OwnTables>,
    pub(super) work: Work,
    pub(super) cursors: HashMap<Name, Open>,
    pub(super) savepoints: Vec<(String, Savepoint)>,
    /// The schema of names without one in statements that are made at run time; `None`: those of the region.
    pub(super) current_schema: Option<String>,
    /// By the token of their package and their name.
    pub(super) prepared: HashMap<(u64, String), Arc<Prepared>>,
    pub(super) registers: Registers,
    pub(super) notes: Notes,
    /// The place to which the statement that is under way is put back, if it is one for several rows.
    pub(super) mark: Option<Savepoint>,
    /// A statement has run over the tables since the unit of work began.
    pub(super) is_in_unit: bool,
    /// All changes are to be undone: no statement runs until the task backs out.
    pub(super) is_broken: bool,
}

impl OwnThread {
    /// A task's, which has done nothing yet. `owner` is that of its locks.
    pub fn new(tables: &Arc<OwnTables>, owner: Owner) -> Self {
        Self::with(Arc::clone(tables), tables.work(owner))
    }

    fn with(tables: Arc<OwnTables>, work: Work) -> Self {
        Self {
            work,
            tables,
            cursors: HashMap::default(),
            savepoints: Vec::new(),
            current_schema: None,
            prepared: HashMap::default(),
            registers: Registers::default(),
            notes: Notes::default(),
            mark: None,
            is_in_unit: false,
            is_broken: false,
        }
    }

    /// The schema of names without one in a statement that is made at run time, where a script or the program has set it.
    pub(super) fn schema_at_run_time(&self) -> Option<String> {
        self.current_schema.clone().or_else(|| self.registers.schema().map(str::to_owned))
    }

    /// The tables that a statement which is made at run time may name.
    pub(super) fn names_at_run_time(&self) -> Arc<db2_syntax::Catalogue> {
        self.names_in(self.schema_at_run_time().as_deref())
    }

    /// The tables, those without a schema in this one; `None`: in the region's.
    pub(super) fn names_in(&self, schema: Option<&str>) -> Arc<db2_syntax::Catalogue> {
        let names = self.tables.names(&self.work.catalogue());
        match schema {
            Some(schema) => Arc::new(names.in_schemas([schema.to_owned()])),
            None => names,
        }
    }

    /// The statement that was under way is given up: what it has changed is put back, as far as the engine can.
    pub fn gives_up(&mut self, unit: &mut dyn UnitOfWork) {
        if self.work.undo_statement(unit).is_err() || self.back_to_mark(unit).is_err() {
            self.is_broken = true;
        }
    }

    /// The unit of work has ended otherwise than by a commit, or its end is not known: what it had of the tables is gone, and cursors and
    /// prepared statements with it. Special registers stay, and the schema of a script.
    #[must_use]
    pub fn backed_out(self) -> Self {
        let Self { tables, work, registers, current_schema, .. } = self;
        Self { registers, current_schema, ..Self::with(tables, work.after()) }
    }

    /// The unit of work has committed: cursors are closed, but those WITH HOLD, which go on behind their row.
    pub fn committed(&mut self) {
        self.cursors.retain(|_, open| open.stays());
        self.savepoints.clear();
        self.mark = None;
        self.is_in_unit = false;
        self.work.committed();
    }
}
