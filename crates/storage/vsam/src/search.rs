//! Finding records by key.

use records::{Answer, Batch, Direction, Origin, UnitOfWork, Wait};

use crate::dataset::Dataset;
use crate::sphere::{Index, Key};
use crate::{Error, Result};

/// Record that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search<'a> {
    /// The key, or its beginning.
    pub key: &'a [u8],
    /// The key is only a beginning: a record whose key begins so is equal.
    pub generic: bool,
    /// The first record whose key is greater will do if there is no equal one.
    pub at_least: bool,
}

impl<'a> Search<'a> {
    /// The record with this key.
    pub fn equal(key: &'a [u8]) -> Self {
        Self { key, generic: false, at_least: false }
    }

    /// The first record with this key or a greater one.
    pub fn at_least(key: &'a [u8]) -> Self {
        Self { at_least: true, ..Self::equal(key) }
    }

    /// The first record whose key begins so.
    pub fn generic(key: &'a [u8]) -> Self {
        Self { generic: true, ..Self::equal(key) }
    }

    /// Returns true if a record with this key satisfies the search. The key is known not to be less.
    pub(crate) fn accepts(&self, key: &[u8]) -> bool {
        self.at_least || if self.generic { key.starts_with(self.key) } else { key == self.key }
    }
}

/// Integrity of a read beside others who are changing the record. All reads see only what is committed, and the
/// changes of their own unit of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrity {
    /// Nothing: it never waits.
    #[default]
    Uncommitted,
    /// It waits until they have committed or backed out.
    Consistent,
    /// The same, and no other unit of work changes the record until the reader's unit of work is over.
    Repeatable,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its key in the order in which the data set is seen: the alternate key, through an alternate index.
    pub key: Key,
    /// Its key in the cluster.
    pub base: Key,
    /// Another record with the same key follows.
    pub duplicate: bool,
}

impl Found {
    /// A record that was found by its key in the cluster.
    pub fn exactly(key: &[u8]) -> Self {
        Self::base(key)
    }

    pub(crate) fn base(key: &[u8]) -> Self {
        Self { key: Key::from_slice(key), base: Key::from_slice(key), duplicate: false }
    }
}

/// Number of times that a search through an alternate index starts again when others change the record that it just
/// found.
const ATTEMPTS: usize = 100;

impl Dataset {
    /// Returns true if a search is for one record by its whole key in the cluster. Then [`Self::get`] and
    /// [`Self::get_for_update`] do the work of [`Self::read`] and [`Self::read_for_update`], and are quicker, since
    /// the caller knows the key.
    pub fn is_exact(&self, search: Search<'_>) -> bool {
        self.through.is_none() && !search.generic && !search.at_least && search.key.len() == self.key_length()
    }

    /// Reads the record with a key; false if there is none.
    pub fn get<'a>(
        &self,
        unit: &'a mut dyn UnitOfWork,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, records::Result<bool>> {
        unit.get(self.sphere.store, key, record)
    }

    /// Reads the record with a key and locks it until the end of the unit of work; false if there is none, which locks
    /// nothing.
    pub async fn get_for_update(
        &self,
        unit: &mut dyn UnitOfWork,
        key: &[u8],
        wait: Wait,
        record: &mut Vec<u8>,
    ) -> Result<bool> {
        let there = unit.lock_and_get(self.sphere.store, key, wait, record).await;
        if !matches!(there, Ok(true)) {
            self.unlock(unit, key);
        }
        Ok(there?)
    }

    /// Reads a record.
    pub async fn read(
        &self,
        unit: &mut dyn UnitOfWork,
        search: Search<'_>,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        self.check_search(search)?;
        match &self.through {
            None => self.read_base(unit, search, record).await,
            Some(index) => self.read_through(index, unit, search, record).await,
        }
    }

    /// Reads a record and locks it until the end of the unit of work. Rewrite, delete, or unlock it by [`Found::base`].
    pub async fn read_for_update(
        &self,
        unit: &mut dyn UnitOfWork,
        search: Search<'_>,
        wait: Wait,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        self.check_search(search)?;
        if self.is_exact(search) {
            let there = self.get_for_update(unit, search.key, wait, record).await?;
            return if there { Ok(Found::base(search.key)) } else { Err(Error::NotFound) };
        }
        let mut base = self.read(unit, search, record).await?.base;
        // What is found may have changed while the lock was waited for: look again, now that it cannot.
        loop {
            unit.lock(self.sphere.store, &base, wait).await?;
            let found = self.read(unit, search, record).await;
            match found {
                Ok(found) if found.base == base => return Ok(found),
                other => {
                    unit.unlock(self.sphere.store, &base);
                    base = other?.base;
                }
            }
        }
    }

    /// Reads a record as [`Self::read`] does, with regard to others who are changing it.
    pub async fn read_with(
        &self,
        unit: &mut dyn UnitOfWork,
        search: Search<'_>,
        integrity: Integrity,
        wait: Wait,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        if integrity == Integrity::Uncommitted {
            return self.read(unit, search, record).await;
        }
        let found = self.read_for_update(unit, search, wait, record).await?;
        if integrity == Integrity::Consistent {
            self.unlock(unit, &found.base);
        }
        Ok(found)
    }

    /// Releases a record that was read for update, unless it was changed.
    pub fn unlock(&self, unit: &mut dyn UnitOfWork, base: &[u8]) {
        unit.unlock(self.sphere.store, base);
    }

    pub(crate) fn check_search(&self, search: Search<'_>) -> Result<()> {
        let required = self.key_length();
        let length = search.key.len();
        let fits = if search.generic { length <= required } else { length == required };
        if fits { Ok(()) } else { Err(Error::KeyLength { length, required }) }
    }

    async fn read_base(
        &self,
        unit: &mut dyn UnitOfWork,
        search: Search<'_>,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        let store = self.sphere.store;
        if !search.generic && !search.at_least {
            let found = unit.get(store, search.key, record).await?;
            return if found { Ok(Found::base(search.key)) } else { Err(Error::NotFound) };
        }
        let mut batch = Batch::default();
        unit.range(store, Origin::At(search.key), Direction::Forward, 1, &mut batch).await?;
        match batch.first() {
            Some((key, contents)) if search.accepts(key) => {
                record.clear();
                record.extend_from_slice(contents);
                Ok(Found::base(key))
            }
            _ => Err(Error::NotFound),
        }
    }

    async fn read_through(
        &self,
        index: &Index,
        unit: &mut dyn UnitOfWork,
        search: Search<'_>,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        for _ in 0..ATTEMPTS {
            let found = index.first(unit, search).await?;
            if self.read_indexed(index, unit, &found, record).await? {
                return Ok(found);
            }
            if !index.upgrade {
                break;
            }
        }
        // The index is not kept up to date, and points to a record that is gone.
        Err(Error::NotFound)
    }

    /// Reads the record that an index entry points to; false if it is not (or no longer) the one meant.
    pub(crate) async fn read_indexed(
        &self,
        index: &Index,
        unit: &mut dyn UnitOfWork,
        found: &Found,
        record: &mut Vec<u8>,
    ) -> Result<bool> {
        let there = unit.get(self.sphere.store, &found.base, record).await?;
        Ok(there && index.key.of(record) == Some(&found.key))
    }
}

impl Index {
    /// The first entry that a search finds, and whether another with the same alternate key follows.
    async fn first(&self, unit: &mut dyn UnitOfWork, search: Search<'_>) -> Result<Found> {
        let mut batch = Batch::default();
        let limit = if self.unique { 1 } else { 2 };
        unit.range(self.store, Origin::At(search.key), Direction::Forward, limit, &mut batch).await?;
        let Some((key, contents)) = batch.first() else { return Err(Error::NotFound) };
        let (alternate, base) = self.split(key, contents);
        if !search.accepts(alternate) {
            return Err(Error::NotFound);
        }
        let duplicate = batch.get(1).is_some_and(|(next, _)| next.starts_with(alternate));
        Ok(Found { key: Key::from_slice(alternate), base: Key::from_slice(base), duplicate })
    }
}
