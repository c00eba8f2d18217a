//! Entries of indexes.
//!
//! | index | key | record |
//! |---|---|---|
//! | unique | key of the row | number of the row |
//! | other; unique where not null, with a NULL | key of the row, number of the row | number of the row |
//!
//! While a statement runs several rows may have a key of a unique index: one has the entry, the others a claim on it. At its
//! end no claim may be left.

use std::collections::BTreeMap;
use std::sync::Arc;

use records::{StoreId, UnitOfWork};
use smallvec::SmallVec;

use super::Work;
use crate::catalogue::{Catalogue, Index, Table, Unique};
use crate::failure::{Failure, Tried, corrupt};
use crate::form::Form;
use crate::limits;
use crate::live::Rid;
use crate::range::Key;

/// Rows that claim a key of a unique index that another one has.
#[derive(Default)]
pub(super) struct Claims(BTreeMap<(StoreId, Key), SmallVec<[Rid; 1]>>);

impl Claims {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Refuses the statement if a claim is left (-803).
    pub(super) fn refuse_doubles(&self, catalogue: &Catalogue) -> Tried<()> {
        let Some(((store, _), rids)) = self.0.first_key_value() else { return Ok(()) };
        let indexes = catalogue.tables().flat_map(|table| &table.indexes);
        let name = indexes.filter(|index| index.id.0 == *store).map(|index| index.name.name.clone()).next();
        let rid = rids.first().map_or(0, |rid| rid.0);
        Err(Failure::new(-803, [name.unwrap_or_default(), format!("{rid:016X}")]).into())
    }

    fn add(&mut self, store: StoreId, key: &Key, rid: Rid) {
        self.0.entry((store, key.clone())).or_default().push(rid);
    }

    /// Takes a claim, that of `rid` or any.
    fn take(&mut self, store: StoreId, key: &Key, rid: Option<Rid>) -> Option<Rid> {
        if self.0.is_empty() {
            return None;
        }
        let of = (store, key.clone());
        let rids = self.0.get_mut(&of)?;
        let at = rids.iter().position(|other| rid.is_none_or(|rid| rid == *other))?;
        let taken = rids.remove(at);
        if rids.is_empty() {
            self.0.remove(&of);
        }
        Some(taken)
    }
}

/// A change of an index.
pub(super) struct EntryChange {
    index: usize,
    key: Key,
    /// True if one row at most may have the key.
    is_unique: bool,
    /// True if the entry comes, false if it goes.
    comes: bool,
    /// The row that has the entry now, where it is unique.
    has: Option<Rid>,
}

impl EntryChange {
    /// The key, without the number of the row.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }
}

/// Changes of the indexes of a table, for one row.
pub(super) type EntryChanges = SmallVec<[EntryChange; 4]>;

/// The key of a row in an index, without the number behind it, and whether one row at most may have it.
pub(crate) fn key_in(
    form: &dyn Form,
    table: &Table,
    index: &Index,
    row: &[u8],
    key: &mut Vec<u8>,
) -> Tried<bool> {
    key.clear();
    let malformed = |_| corrupt(&format!("a row of table {}", table.name));
    let has_null = form.key(&table.columns, &index.key, row, key).map_err(malformed)?;
    if key.len() > limits::KEY_BYTES {
        return Err(Failure::limit("key_bytes").into());
    }
    Ok(match index.unique {
        Unique::No => false,
        Unique::Yes => true,
        Unique::WhereNotNull => !has_null,
    })
}

/// The key of an entry.
pub(crate) fn entry_key(key: &[u8], is_unique: bool, rid: Rid) -> Key {
    let mut entry = Key::from_slice(key);
    if !is_unique {
        entry.extend_from_slice(&rid.key());
    }
    entry
}

impl Work {
    /// The changes of the indexes when a row of `old` becomes one of `new`, with all that must be locked and read for them.
    pub(super) fn entry_changes(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Tried<EntryChanges> {
        let form = Arc::clone(&self.tables.form);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut changes = EntryChanges::new();
        for (at, index) in table.indexes.iter().enumerate() {
            let unique_before = old.map(|row| key_in(&*form, table, index, row, &mut before)).transpose()?;
            let unique_after = new.map(|row| key_in(&*form, table, index, row, &mut after)).transpose()?;
            if unique_before == unique_after && before == after {
                continue;
            }
            for (is_unique, key, comes) in [(unique_before, &before, false), (unique_after, &after, true)] {
                let Some(is_unique) = is_unique else { continue };
                self.pass_ranges(unit, table, (index.id.0, key))?;
                let has = if is_unique { self.entry_of(unit, index.id.0, key)? } else { None };
                changes.push(EntryChange { index: at, key: Key::from_slice(key), is_unique, comes, has });
            }
        }
        Ok(changes)
    }

    /// Takes the lock of a key of a unique index: until the end of the unit of work no other one takes the key or gives it up.
    /// Returns the row that has it.
    fn entry_of(&mut self, unit: &mut dyn UnitOfWork, store: StoreId, key: &[u8]) -> Tried<Option<Rid>> {
        if !unit.has_lock(store, key) || self.waits.is_ahead(store, key) {
            self.take(unit, store, key)?;
        }
        let mut record = Vec::new();
        if !self.read(unit, store, key, &mut record)? {
            return Ok(None);
        }
        Rid::from_key(&record).map(Some).ok_or_else(|| corrupt("an entry of an index"))
    }

    /// Makes the changes of the indexes for a row.
    pub(super) fn change_entries(
        &mut self,
        unit: &mut dyn UnitOfWork,
        table: &Table,
        rid: Rid,
        changes: &EntryChanges,
    ) -> Tried<()> {
        for change in changes {
            let store = table.indexes[change.index].id.0;
            let (key, number) = (entry_key(&change.key, change.is_unique, rid), rid.key());
            match (change.comes, change.has) {
                (true, Some(other)) if other != rid => self.claims.add(store, &change.key, rid),
                (true, _) => self.change(unit, (store, &key), Some(&number), None)?,
                (false, has) if change.is_unique && has != Some(rid) => {
                    let claim = self.claims.take(store, &change.key, Some(rid));
                    claim.ok_or_else(|| corrupt(&format!("index {}", table.indexes[change.index].name)))?;
                }
                (false, _) => {
                    let next = self.claims.take(store, &change.key, None).map(Rid::key);
                    let next = next.as_ref().map(|next| &next[..]);
                    self.change(unit, (store, &key), next, Some(&number))?;
                }
            }
        }
        Ok(())
    }
}
