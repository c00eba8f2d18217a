//! Definitions: tables, indexes and sequences come and go with the unit of work that defines them.
//!
//! One unit of work at a time changes definitions, until all see what it has changed. The stores of a new table are made at once, by a
//! unit of work of their own, so that rows can be put into them before the commit; what comes to nothing is removed at the end of the
//! unit of work, or by the next start.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use records::{Lifetime, Recovery, Resource, StoreId, UnitOfWork};

use crate::catalogue::{
    Catalogue, Column, Definitions, Index, IndexId, KeyColumn, Name, Sequence, SequenceId, StoredKind, Table,
    TableId, Unique, key_of, sequence_record, table_record,
};
use crate::failure::{Failure, Tried};
use crate::limits;
use crate::live::{Live, Mode};
use crate::work::{Awaited, DEFINING, Work};

/// A table to be made. Indexes follow.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Its name.
    pub name: Name,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Checks of its rows, in the form of those who run them.
    pub checks: Vec<u8>,
}

/// An index to be made.
#[derive(Clone, Debug)]
pub struct NewIndex {
    /// The name of its table.
    pub table: Name,
    /// Its name.
    pub name: Name,
    /// The columns of its key.
    pub key: Vec<KeyColumn>,
    /// Its promise.
    pub unique: Unique,
    /// True if it is that of the primary key.
    pub is_primary: bool,
}

/// A sequence to be made.
#[derive(Clone, Debug)]
pub struct NewSequence {
    /// Its name.
    pub name: Name,
    /// The first number.
    pub start: i64,
    /// From one number to the next; not zero.
    pub increment: i64,
    /// The least number.
    pub least: i64,
    /// The greatest one.
    pub greatest: i64,
    /// True if it begins again at its end.
    pub cycles: bool,
}

impl Work {
    /// Begins to change definitions: [`Self::catalogue`] has those of all before it from now on, and no other changes them.
    ///
    /// # Errors
    /// -904 if definitions are in doubt.
    pub fn begin_defining(&mut self) -> Tried<()> {
        self.define()
    }

    /// Gives a table another edition, since there is more to its changes: statements that were planned before are planned again.
    ///
    /// # Errors
    /// -204 if there is none.
    pub fn renew_table(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<()> {
        let table = self.table_to_change(unit, name)?;
        self.replace_table(unit, Some(&table), Some((*table).clone())).map(drop)
    }

    /// CREATE TABLE.
    ///
    /// # Errors
    /// -601 if there is a table of this name, -612 for two columns of a name, -904 for a limit.
    pub fn create_table(&mut self, unit: &mut dyn UnitOfWork, new: NewTable) -> Tried<Arc<Table>> {
        self.define()?;
        let catalogue = self.catalogue();
        refuse_name(&new.name)?;
        refuse_taken(&catalogue, &new.name)?;
        refuse_beyond("tables", catalogue.tables.len() + 1, limits::TABLES)?;
        refuse_beyond("columns", new.columns.len(), limits::COLUMNS)?;
        for (at, column) in new.columns.iter().enumerate() {
            if new.columns[..at].iter().any(|other| other.name == column.name) {
                return Err(Failure::new(-612, [column.name.clone()]).into());
            }
        }
        let store = self.new_store()?;
        let edition = self.tables.new_edition();
        let live = Arc::new(Live::new(None));
        live.edition.store(edition, Ordering::Release);
        let NewTable { name, columns, checks } = new;
        let table = Table { id: TableId(store), name, columns, indexes: Vec::new(), checks, edition, live };
        self.replace_table(unit, None, Some(table))
    }

    /// ALTER TABLE: more columns behind those that there are, and other checks. Rows do not change: they have none of the new columns.
    ///
    /// # Errors
    /// -204 if there is none, -612 for two columns of a name, -904 for a limit.
    pub fn alter_table(
        &mut self,
        unit: &mut dyn UnitOfWork,
        name: &Name,
        (more, checks): (&[Column], &[u8]),
    ) -> Tried<Arc<Table>> {
        let table = self.table_to_change(unit, name)?;
        let mut changed = (*table).clone();
        refuse_beyond("columns", changed.columns.len() + more.len(), limits::COLUMNS)?;
        for column in more {
            if changed.columns.iter().any(|other| other.name == column.name) {
                return Err(Failure::new(-612, [column.name.clone()]).into());
            }
            changed.columns.push(column.clone());
        }
        changed.checks = checks.to_vec();
        self.replace_table(unit, Some(&table), Some(changed))
    }

    /// DROP TABLE, with its indexes.
    ///
    /// # Errors
    /// -204 if there is none.
    pub fn drop_table(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<()> {
        let table = self.table_to_change(unit, name)?;
        self.replace_table(unit, Some(&table), None).map(drop)
    }

    /// DROP INDEX.
    ///
    /// # Errors
    /// -204 if there is none; -669 for that of a primary key.
    pub fn drop_index(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<()> {
        let catalogue = self.catalogue();
        let unknown = || Failure::new(-204, [name.to_string()]);
        let table = catalogue.table_of_index(name).ok_or_else(unknown)?.name.clone();
        let table = self.table_to_change(unit, &table)?;
        let mut changed = (*table).clone();
        let at = changed.indexes.iter().position(|index| index.name == *name).ok_or_else(unknown)?;
        if changed.indexes.remove(at).is_primary {
            return Err(Failure::new(-669, [name.to_string()]).into());
        }
        self.replace_table(unit, Some(&table), Some(changed)).map(drop)
    }

    /// Checks an index that is to be made, and makes its store.
    pub(crate) fn begin_index(
        &mut self,
        unit: &mut dyn UnitOfWork,
        new: NewIndex,
    ) -> Tried<(Arc<Table>, Index)> {
        let table = self.table_to_change(unit, &new.table)?;
        refuse_name(&new.name)?;
        if self.catalogue().table_of_index(&new.name).is_some() {
            return Err(exists(&new.name, "INDEX").into());
        }
        refuse_beyond("indexes", table.indexes.len() + 1, limits::INDEXES)?;
        if new.key.is_empty() || new.key.len() > limits::KEY_COLUMNS {
            return Err(Failure::new(-602, [new.name.to_string()]).into());
        }
        if let Some(key) = new.key.iter().find(|key| key.column >= table.columns.len()) {
            return Err(Failure::new(-205, [key.column.to_string(), table.name.to_string()]).into());
        }
        if self.tables.form.longest_key(&table.columns, &new.key) > limits::KEY_BYTES {
            return Err(Failure::new(-614, [limits::KEY_BYTES.to_string()]).into());
        }
        let id = IndexId(self.new_store()?);
        let NewIndex { name, key, unique, is_primary, .. } = new;
        Ok((table, Index { id, name, key, unique, is_primary }))
    }

    /// CREATE SEQUENCE, or the numbers of an identity column.
    ///
    /// # Errors
    /// -601 if there is one of this name, -846 for a definition that gives no numbers, -904 for a limit.
    pub fn create_sequence(&mut self, unit: &mut dyn UnitOfWork, new: NewSequence) -> Tried<SequenceId> {
        self.define()?;
        let mut catalogue = (*self.catalogue()).clone();
        refuse_name(&new.name)?;
        if catalogue.sequences.contains_key(&new.name) {
            return Err(exists(&new.name, "SEQUENCE").into());
        }
        refuse_beyond("sequences", catalogue.sequences.len() + 1, limits::SEQUENCES)?;
        let NewSequence { name, start, increment, least, greatest, cycles } = new;
        if increment == 0 || !(least..=greatest).contains(&start) {
            return Err(Failure::new(-846, [name.to_string()]).into());
        }
        let id = self.tables.new_sequence();
        self.note_first(unit, id, start)?;
        let sequence = Sequence { id, name, start, increment, least, greatest, cycles };
        let record = sequence_record(&sequence)?;
        let store = self.tables.store;
        self.change(unit, (store, &key_of(StoredKind::Sequence, id.0)), Some(&record), None)?;
        catalogue.sequences.insert(sequence.name.clone(), Arc::new(sequence));
        self.use_catalogue(catalogue)?;
        Ok(id)
    }

    /// DROP SEQUENCE.
    ///
    /// # Errors
    /// -204 if there is none.
    pub fn drop_sequence(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<()> {
        self.define()?;
        let mut catalogue = (*self.catalogue()).clone();
        let gone = catalogue.sequences.remove(name);
        let gone = gone.ok_or_else(|| Failure::new(-204, [name.to_string()]))?;
        let (record, key) = (sequence_record(&gone)?, key_of(StoredKind::Sequence, gone.id.0));
        self.change(unit, (self.tables.store, &key), None, Some(&record))?;
        self.use_catalogue(catalogue)
    }

    /// Takes the right to change definitions, until the unit of work has ended and all see it.
    pub(crate) fn define(&mut self) -> Tried<()> {
        if !self.defines {
            let locks = self.tables.engine.locks();
            if !locks.try_acquire(self.owner, Resource::named(DEFINING), Lifetime::Task)? {
                return self.later(Awaited::Defining);
            }
            self.defines = true;
        }
        if self.definitions.is_none() {
            // The state of the catalogue is unknown then.
            if !self.tables.engine.doubtful(self.tables.store)?.is_empty() {
                return Err(Failure::new(-904, ["definitions in doubt"]).into());
            }
            let catalogue = self.tables.catalogue();
            self.definitions = Some(Definitions { catalogue, changing: Vec::new(), created: Vec::new() });
        }
        Ok(())
    }

    /// A table for a change of its definition, which others wait for from now on.
    fn table_to_change(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<Arc<Table>> {
        self.define()?;
        let catalogue = self.catalogue();
        let table = catalogue.table(name).ok_or_else(|| Failure::new(-204, [name.to_string()]))?;
        self.hold_table(unit, table, Mode::Exclusive)?;
        let stores = table.indexes.iter().map(|index| index.id.0).chain([table.rows()]);
        for store in stores {
            // A commit to come would have no table, or no entry in the new index.
            if !self.tables.engine.doubtful(store)?.is_empty() {
                return Err(Failure::new(-904, ["rows in doubt"]).into());
            }
        }
        let owner = self.owner;
        if let Some(own) = &mut self.definitions
            && table.live.changing.swap(owner.0, Ordering::AcqRel) != owner.0
        {
            own.changing.push(Arc::clone(&table.live));
        }
        Ok(Arc::clone(table))
    }

    /// A table gets another definition, comes or goes, in the catalogue of this unit of work.
    pub(crate) fn replace_table(
        &mut self,
        unit: &mut dyn UnitOfWork,
        former: Option<&Table>,
        table: Option<Table>,
    ) -> Tried<Arc<Table>> {
        let mut catalogue = (*self.catalogue()).clone();
        let before = former.map(table_record).transpose()?;
        let after = table.as_ref().map(table_record).transpose()?;
        if let Some(former) = former {
            catalogue.tables.remove(&former.name);
        }
        let either = table.or_else(|| former.cloned());
        let Some(mut table) = either else { return Err(crate::failure::corrupt("no table")) };
        table.edition = if former.is_some() { self.tables.new_edition() } else { table.edition };
        let key = key_of(StoredKind::Table, table.rows().0);
        self.change(unit, (self.tables.store, &key), after.as_deref(), before.as_deref())?;
        let table = Arc::new(table);
        if after.is_some() {
            catalogue.tables.insert(table.name.clone(), Arc::clone(&table));
        }
        self.use_catalogue(catalogue)?;
        Ok(table)
    }

    /// The unit of work sees this catalogue from now on.
    pub(crate) fn use_catalogue(&mut self, mut catalogue: Catalogue) -> Tried<()> {
        catalogue.edition = self.tables.new_edition();
        let before = self.catalogue();
        self.note_catalogue(before)?;
        if let Some(own) = &mut self.definitions {
            own.catalogue = Arc::new(catalogue);
        }
        Ok(())
    }

    /// Makes a store, by a unit of work of its own.
    fn new_store(&mut self) -> Tried<StoreId> {
        let engine = &self.tables.engine;
        let mut unit = engine.begin(engine.locks().new_owner());
        let store = unit.create_store(&self.tables.new_store_name(), Recovery::Recoverable)?;
        match unit.commit_unforced().now() {
            Ok(committed) => committed?,
            // The next attempt makes another one; the next start removes this one.
            Err(answer) => return self.later(Awaited::Commit(answer)),
        }
        if let Some(own) = &mut self.definitions {
            own.created.push(store);
        }
        Ok(store)
    }
}

/// -601 if a table or a view has this name.
pub(crate) fn refuse_taken(catalogue: &Catalogue, name: &Name) -> Tried<()> {
    match () {
        () if catalogue.tables.contains_key(name) => Err(exists(name, "TABLE").into()),
        () if catalogue.views.contains_key(name) => Err(exists(name, "VIEW").into()),
        () => Ok(()),
    }
}

fn exists(name: &Name, kind: &str) -> Failure {
    Failure::new(-601, [name.to_string(), kind.into()])
}

pub(crate) fn refuse_name(name: &Name) -> Tried<()> {
    let is_long = |part: &str| part.is_empty() || part.len() > limits::NAME_BYTES;
    match is_long(&name.schema) || is_long(&name.name) {
        true => Err(Failure::new(-107, [name.to_string(), limits::NAME_BYTES.to_string()]).into()),
        false => Ok(()),
    }
}

pub(crate) fn refuse_beyond(limit: &str, count: usize, most: usize) -> Tried<()> {
    if count <= most { Ok(()) } else { Err(Failure::limit(limit).into()) }
}
