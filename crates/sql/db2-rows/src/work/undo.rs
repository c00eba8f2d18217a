//! The changes that a unit of work keeps to put back a statement, or all since a savepoint.

use std::sync::Arc;

use records::{StoreId, UnitOfWork};

use super::{Work, not_put_back, ready};
use crate::catalogue::Catalogue;
use crate::failure::{Failure, Tried};
use crate::limits;
use crate::range::Key;

/// Something that can be put back.
enum Undone {
    /// A record as it was; `None` if there was none.
    Record(StoreId, Key, Option<Box<[u8]>>),
    /// The catalogue as the unit of work saw it.
    Catalogue(Arc<Catalogue>),
}

impl Undone {
    fn bytes(&self) -> usize {
        match self {
            Self::Record(_, key, record) => {
                size_of::<Self>() + key.len() + record.as_ref().map_or(0, |record| record.len())
            }
            Self::Catalogue(_) => size_of::<Self>(),
        }
    }
}

/// The changes that can be put back, from the beginning of the statement or the first savepoint on.
#[derive(Default)]
pub(super) struct Undo {
    entries: Vec<Undone>,
    bytes: usize,
    /// The place at which the statement begins.
    statement: Option<usize>,
    /// Savepoints by their numbers, and where each is.
    savepoints: Vec<(u64, usize)>,
    last: u64,
}

impl Undo {
    pub(super) fn begin_statement(&mut self) {
        self.statement = Some(self.entries.len());
    }

    pub(super) fn end_statement(&mut self) {
        self.statement = None;
        self.trim();
    }

    /// The place where the statement begins.
    pub(super) fn statement(&self) -> usize {
        self.statement.unwrap_or(self.entries.len())
    }

    pub(super) fn savepoints(&self) -> usize {
        self.savepoints.len()
    }

    /// Sets a savepoint. Returns its number.
    pub(super) fn set(&mut self) -> u64 {
        self.last += 1;
        self.savepoints.push((self.last, self.entries.len()));
        self.last
    }

    /// The place of a savepoint; later ones are forgotten.
    pub(super) fn mark(&mut self, savepoint: u64) -> Option<usize> {
        let at = self.savepoints.iter().position(|(number, _)| *number == savepoint)?;
        self.savepoints.truncate(at + 1);
        Some(self.savepoints[at].1)
    }

    pub(super) fn release(&mut self, savepoint: u64) -> bool {
        let at = self.savepoints.iter().position(|(number, _)| *number == savepoint);
        self.savepoints.truncate(at.unwrap_or(self.savepoints.len()));
        self.trim();
        at.is_some()
    }

    pub(super) fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// Forgets what nothing can be put back to any more.
    fn trim(&mut self) {
        if self.statement.is_none() && self.savepoints.is_empty() {
            self.entries.clear();
            self.bytes = 0;
        }
    }

    fn note(&mut self, undone: Undone) -> Tried<()> {
        if self.statement.is_none() && self.savepoints.is_empty() {
            return Ok(());
        }
        let bytes = self.bytes + undone.bytes();
        if bytes > limits::UNDO_BYTES {
            return Err(Failure::limit("undo_bytes").into());
        }
        self.bytes = bytes;
        self.entries.push(undone);
        Ok(())
    }

    /// The last change, if it was made after `mark`.
    fn pop(&mut self, mark: usize) -> Option<Undone> {
        let undone = if self.entries.len() > mark { self.entries.pop() } else { None };
        self.bytes -= undone.as_ref().map_or(0, Undone::bytes);
        undone
    }
}

impl Work {
    /// Changes a record of a recoverable store, so that it can be put back. `before` is the record that is there.
    pub(crate) fn change(
        &mut self,
        unit: &mut dyn UnitOfWork,
        (store, key): (StoreId, &[u8]),
        record: Option<&[u8]>,
        before: Option<&[u8]>,
    ) -> Tried<()> {
        self.undo.note(Undone::Record(store, Key::from_slice(key), before.map(Into::into)))?;
        ready(match record {
            Some(record) => unit.put(store, key, record),
            None => unit.delete(store, key),
        })?;
        Ok(())
    }

    /// Notes that the unit of work gets another catalogue than this one.
    pub(crate) fn note_catalogue(&mut self, before: Arc<Catalogue>) -> Tried<()> {
        self.undo.note(Undone::Catalogue(before))
    }

    /// Puts back all changes after `mark`, the last one first.
    pub(super) fn go_back(&mut self, unit: &mut dyn UnitOfWork, mark: usize) -> Tried<()> {
        while let Some(undone) = self.undo.pop(mark) {
            match undone {
                Undone::Record(store, key, Some(record)) => ready(unit.put(store, &key, &record)),
                Undone::Record(store, key, None) => ready(unit.delete(store, &key)),
                Undone::Catalogue(catalogue) => {
                    self.definitions.iter_mut().for_each(|own| own.catalogue = Arc::clone(&catalogue));
                    Ok(())
                }
            }
            .map_err(not_put_back)?;
        }
        Ok(())
    }
}
