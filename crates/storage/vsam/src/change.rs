//! Writing, rewriting and deleting records, with the alternate indexes.
//!
//! All checks come before the first change: a request that fails has changed nothing.

use records::{Batch, Direction, Origin, UnitOfWork, Wait};

use crate::dataset::Dataset;
use crate::search::Found;
use crate::sphere::{Index, Key, RRN_LENGTH, rba};
use crate::{Error, Organization, Result, Search};

/// Records that a generic delete looks at in one step.
const DELETE_STEP: usize = 64;

impl Dataset {
    /// Writes a new record and returns its key in the cluster. `key` is required for an RRDS (the slot), may be given
    /// for a KSDS (then it must be in the record, as its key or as the alternate key of this path) and means nothing to an ESDS, which chooses the address.
    ///
    /// Order of checks: length of the record, key, duplicate key, duplicate alternate keys in the order of the names of
    /// their indexes.
    pub async fn write(
        &self,
        unit: &mut dyn UnitOfWork,
        key: Option<&[u8]>,
        record: &[u8],
        wait: Wait,
    ) -> Result<Key> {
        self.check_length(record)?;
        let key = match self.key_of_new(key, record)? {
            Some(key) => key,
            None => rba(self.sphere.new_address(unit, record.len()).await?),
        };
        let store = self.sphere.store;
        let written = match unit.lock_and_get(store, &key, wait, &mut Vec::new()).await {
            Ok(false) => self.write_locked(unit, &key, record, wait).await,
            Ok(true) => Err(Error::Duplicate),
            Err(error) => Err(error.into()),
        };
        if written.is_err() {
            unit.unlock(store, &key);
        }
        written.map(|()| key)
    }

    async fn write_locked(
        &self,
        unit: &mut dyn UnitOfWork,
        key: &[u8],
        record: &[u8],
        wait: Wait,
    ) -> Result<()> {
        let change = Change { key, before: None, after: Some(record) };
        self.check_alternates(unit, &change, wait).await?;
        self.make(unit, &change).await
    }

    /// Replaces a record that was read for update. Its length may change where the organization allows it, its key may
    /// not; nor may the alternate key through which it was read. Waits only for alternate keys that must be unique.
    pub async fn rewrite(
        &self,
        unit: &mut dyn UnitOfWork,
        base: &[u8],
        record: &[u8],
        wait: Wait,
    ) -> Result<()> {
        self.check_length(record)?;
        let organization = self.sphere.cluster.organization;
        if matches!(organization, Organization::Keyed(field) if field.of(record) != Some(base)) {
            return Err(Error::KeyChanged);
        }
        let mut former = Vec::new();
        let same_length = organization == Organization::EntrySequenced;
        if same_length || self.through.is_some() || !self.sphere.upgrades.is_empty() {
            self.get_former(unit, base, &mut former).await?;
            if same_length && former.len() != record.len() {
                return Err(Error::LengthChanged { length: record.len(), required: former.len() });
            }
            if self.through.as_ref().is_some_and(|index| index.key.of(&former) != index.key.of(record)) {
                return Err(Error::KeyChanged);
            }
        }
        let change = Change { key: base, before: Some(&former), after: Some(record) };
        if !self.sphere.upgrades.is_empty() {
            self.check_alternates(unit, &change, wait).await?;
        }
        self.make(unit, &change).await
    }

    /// Deletes a record that was read for update. Waits only for alternate keys that must be unique.
    pub async fn delete(&self, unit: &mut dyn UnitOfWork, base: &[u8], wait: Wait) -> Result<()> {
        self.check_deletable()?;
        let mut former = Vec::new();
        if !self.sphere.upgrades.is_empty() {
            self.get_former(unit, base, &mut former).await?;
        }
        let change = Change { key: base, before: Some(&former), after: None };
        self.check_alternates(unit, &change, wait).await?;
        self.make(unit, &change).await
    }

    async fn get_former(&self, unit: &mut dyn UnitOfWork, base: &[u8], former: &mut Vec<u8>) -> Result<()> {
        let there = unit.get(self.sphere.store, base, former).await?;
        if there { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Deletes a record by its key.
    pub async fn delete_by_key(&self, unit: &mut dyn UnitOfWork, key: &[u8], wait: Wait) -> Result<Found> {
        self.check_deletable()?;
        let found = self.read_for_update(unit, Search::equal(key), wait, &mut Vec::new()).await?;
        self.delete(unit, &found.base, wait).await?;
        Ok(found)
    }

    /// Deletes all records whose key begins so; returns how many. None at all is [`Error::NotFound`].
    pub async fn delete_generic(&self, unit: &mut dyn UnitOfWork, key: &[u8], wait: Wait) -> Result<u64> {
        self.check_deletable()?;
        self.check_search(Search::generic(key))?;
        let store = self.through.as_ref().map_or(self.sphere.store, |index| index.store);
        let mut batch = Batch::default();
        let mut last: Option<Vec<u8>> = None;
        let mut count = 0;
        loop {
            let origin = last.as_deref().map_or(Origin::At(key), Origin::Beyond);
            unit.range(store, origin, Direction::Forward, DELETE_STEP, &mut batch).await?;
            let mut matched = 0;
            for (entry, contents) in batch.iter().take_while(|(entry, _)| entry.starts_with(key)) {
                matched += 1;
                let base = self.through.as_ref().map_or(entry, |index| index.split(entry, contents).1);
                count += u64::from(self.delete_if_there(unit, base, wait).await?);
            }
            if matched < DELETE_STEP {
                return if count == 0 { Err(Error::NotFound) } else { Ok(count) };
            }
            last = batch.last().map(|(entry, _)| entry.to_vec());
        }
    }

    /// Deletes a record unless another has done so meanwhile.
    async fn delete_if_there(&self, unit: &mut dyn UnitOfWork, base: &[u8], wait: Wait) -> Result<bool> {
        let store = self.sphere.store;
        let there = unit.lock_and_get(store, base, wait, &mut Vec::new()).await?;
        if there {
            self.delete(unit, base, wait).await?;
        } else {
            unit.unlock(store, base);
        }
        Ok(there)
    }

    fn check_deletable(&self) -> Result<()> {
        match self.sphere.cluster.organization {
            Organization::EntrySequenced => Err(Error::Invalid("a record of an ESDS cannot be deleted")),
            _ => Ok(()),
        }
    }

    /// Checks that a record is neither too long nor too short for the keys that it must have.
    fn check_length(&self, record: &[u8]) -> Result<()> {
        self.sphere.cluster.check_record(record)?;
        let minimum = self.sphere.upgrades.iter().map(|index| index.key.end()).max().unwrap_or(0);
        let length = record.len();
        if length < minimum { Err(Error::TooShort { length, minimum }) } else { Ok(()) }
    }

    /// The key in the cluster that a new record will have; `None` if it is the next address.
    fn key_of_new(&self, given: Option<&[u8]>, record: &[u8]) -> Result<Option<Key>> {
        match self.sphere.cluster.organization {
            Organization::Keyed(field) => {
                let own = field.of(record).unwrap_or_default();
                let ordered = self.key_field().and_then(|field| field.of(record)).unwrap_or_default();
                match given {
                    Some(given) if given != own && given != ordered => Err(Error::KeyMismatch),
                    _ => Ok(Some(Key::from_slice(own))),
                }
            }
            Organization::EntrySequenced => Ok(None),
            Organization::Relative => match given {
                Some(slot) if slot.len() != RRN_LENGTH => {
                    Err(Error::KeyLength { length: slot.len(), required: RRN_LENGTH })
                }
                Some(slot) if slot.iter().all(|byte| *byte == 0) => {
                    Err(Error::Invalid("the slots of an RRDS are numbered from 1"))
                }
                Some(slot) => Ok(Some(Key::from_slice(slot))),
                None => Err(Error::Invalid("a record of an RRDS is written into a numbered slot")),
            },
        }
    }

    /// Locks the alternate keys that a change takes or gives up in unique indexes, and checks that those taken are free.
    async fn check_alternates(
        &self,
        unit: &mut dyn UnitOfWork,
        change: &Change<'_>,
        wait: Wait,
    ) -> Result<()> {
        let checked = self.lock_alternates(unit, change, wait).await;
        if checked.is_err() {
            self.release_alternates(unit, change);
        }
        checked
    }

    async fn lock_alternates(
        &self,
        unit: &mut dyn UnitOfWork,
        change: &Change<'_>,
        wait: Wait,
    ) -> Result<()> {
        for index in self.sphere.upgrades.iter().filter(|index| index.unique) {
            let Some((before, after)) = change.alternates(index) else { continue };
            if let Some(alternate) = before {
                // Until the end of the unit of work it may come back by backout.
                unit.lock(index.store, alternate, wait).await?;
            }
            let Some(alternate) = after else { continue };
            unit.lock(index.store, alternate, wait).await?;
            if unit.get(index.store, alternate, &mut Vec::new()).await? {
                return Err(Error::DuplicateAlternate(index.name.clone()));
            }
        }
        Ok(())
    }

    /// Makes a change that was checked: in the cluster, and in the alternate indexes.
    async fn make(&self, unit: &mut dyn UnitOfWork, change: &Change<'_>) -> Result<()> {
        let store = self.sphere.store;
        if !self.sphere.upgrades.is_empty() {
            unit.begins_several().await;
            if self.sphere.is_recoverable() {
                self.make_room(unit, change)?;
            }
        }
        match change.after {
            Some(record) => unit.put(store, change.key, record).await?,
            None => {
                if let Some(note) = &self.sphere.note {
                    note.take(unit).await?;
                }
                unit.delete(store, change.key).await?;
            }
        }
        for index in &self.sphere.upgrades {
            let Some((before, after)) = change.alternates(index) else { continue };
            if let Some(alternate) = before
                && let Some(entry) = index.entry_of(unit, alternate, change.key).await?
            {
                unit.delete(index.store, &entry).await?;
            }
            if let Some(alternate) = after {
                let entry = index.new_entry(unit, alternate).await?;
                unit.put(index.store, &entry, change.key).await?;
            }
        }
        if !self.sphere.is_recoverable() {
            // Here changes do not belong to the unit of work; neither do their locks.
            self.release_alternates(unit, change);
            unit.unlock(store, change.key);
        }
        Ok(())
    }

    /// Sees to it that no index is refused what its cluster has taken.
    fn make_room(&self, unit: &mut dyn UnitOfWork, change: &Change<'_>) -> Result<()> {
        let (mut changes, mut bytes) = (1, change.key.len() + change.after.map_or(0, <[u8]>::len));
        for (before, after) in self.sphere.upgrades.iter().filter_map(|index| change.alternates(index)) {
            for alternate in before.iter().chain(&after) {
                changes += 1;
                bytes += alternate.len() + size_of::<u64>() + change.key.len();
            }
        }
        Ok(unit.make_room(changes, bytes)?)
    }

    /// Releases the alternate keys of a change, except those that the unit of work has changed.
    fn release_alternates(&self, unit: &mut dyn UnitOfWork, change: &Change<'_>) {
        for index in self.sphere.upgrades.iter().filter(|index| index.unique) {
            let (before, after) = change.alternates(index).unwrap_or_default();
            before.iter().chain(&after).for_each(|alternate| unit.unlock(index.store, alternate));
        }
    }
}

/// An alternate key before and after a change.
type Alternates<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

/// The outcome of one record.
struct Change<'a> {
    /// Its key in the cluster.
    key: &'a [u8],
    /// The record before, if it was there and matters.
    before: Option<&'a [u8]>,
    /// The record after, if it stays.
    after: Option<&'a [u8]>,
}

impl<'a> Change<'a> {
    /// The alternate keys before and after, if they differ.
    fn alternates(&self, index: &Index) -> Option<Alternates<'a>> {
        let before = self.before.and_then(|record| index.key.of(record));
        let after = self.after.and_then(|record| index.key.of(record));
        (before != after).then_some((before, after))
    }
}
