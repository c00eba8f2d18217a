//! The engine of tables in main storage: the same units of work, locks and ranges, without log and base.
//!
//! A table is gone when it is removed or the process ends; until then its changes belong to units of work as those of
//! any store do. It shares the locks of the engine beside which it works, so that a deadlock across both is found.
//!
//! ```text
//! put ──► private changes ──► commit ──► the table: others see it
//!         of the unit           └── cannot fail: what could, has failed before
//! ```
//!
//! A unit of work that changes both engines commits the other one first: that one can refuse.
//!
//! [`Copies`] of another engine's records are kept here, too.
//!
//! Out of scope: what a table is loaded from, and who may use it when.

mod cell;
mod copies;
mod parts;
mod table;
mod unit;

use std::sync::Arc;

pub use self::copies::Copies;
pub use self::table::{Table, Version};
use self::unit::MemoryUnit;
use crate::shared::Shared;
use crate::{Engine, Error, Load, Locks, Owner, Recovery, Result, Sorted, StoreId, StoreInfo, UnitOfWork};

/// The number of the first table: no store of another engine comes so far, so that their locks never collide.
const FIRST_TABLE: u32 = 1 << 31;

/// Tables in main storage.
pub struct Memory {
    locks: Arc<Locks>,
    tables: Arc<Tables>,
}

/// The tables by number, counted from [`FIRST_TABLE`]; a number is not used again.
#[derive(Default)]
struct Tables(Shared<Vec<Option<Arc<Table>>>>);

impl Tables {
    fn get(&self, store: StoreId) -> Result<Arc<Table>> {
        let place = store.0.checked_sub(FIRST_TABLE).ok_or(Error::NoStore(store))?;
        self.0.read().get(place as usize).cloned().flatten().ok_or(Error::NoStore(store))
    }
}

impl Memory {
    /// No tables yet. The locks are those of the engine beside which it works.
    pub fn new(locks: Arc<Locks>) -> Arc<Self> {
        Arc::new(Self { locks, tables: Arc::default() })
    }

    /// Makes an empty table that takes up to `limit` records: [`Error::Limit`] beyond that. There can be several of a
    /// name.
    pub fn create(&self, name: &str, recovery: Recovery, limit: Option<u64>) -> (StoreId, Arc<Table>) {
        let table = Arc::new(Table::new(name, recovery, limit));
        let mut tables = self.tables.0.write();
        let store = StoreId(FIRST_TABLE + tables.len() as u32);
        tables.push(Some(Arc::clone(&table)));
        (store, table)
    }

    /// Removes a table. Units of work that have used it keep it until they end.
    pub fn remove(&self, store: StoreId) {
        let place = store.0.saturating_sub(FIRST_TABLE) as usize;
        if let Some(table) = self.tables.0.write().get_mut(place) {
            *table = None;
        }
    }

    /// Returns true if a store is a table.
    pub fn has(store: StoreId) -> bool {
        store.0 >= FIRST_TABLE
    }

    fn each<T>(&self, of: impl Fn(StoreId, &Table) -> Option<T>) -> Vec<T> {
        let tables = self.tables.0.read();
        let numbered = (FIRST_TABLE..).map(StoreId).zip(tables.iter());
        numbered.filter_map(|(store, table)| table.as_ref().and_then(|table| of(store, table))).collect()
    }
}

/// A key and its record.
type Pair = (Vec<u8>, Vec<u8>);

/// A load of tables.
struct MemoryLoad<'a> {
    tables: &'a Tables,
    filled: Vec<(StoreId, Vec<Pair>)>,
}

impl Load for MemoryLoad<'_> {
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        let records = records.collect::<Result<Vec<_>>>()?;
        let count = records.len() as u64;
        self.filled.push((store, records));
        Ok(count)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        for (store, records) in self.filled {
            let table = self.tables.get(store)?;
            table.clear();
            records.iter().try_for_each(|(key, record)| table.add(key, record).map(drop))?;
        }
        Ok(())
    }
}

impl Engine for Memory {
    fn locks(&self) -> &Arc<Locks> {
        &self.locks
    }

    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork> {
        Box::new(MemoryUnit::new(Arc::clone(&self.locks), Arc::clone(&self.tables), owner))
    }

    fn find(&self, name: &str) -> Option<StoreId> {
        self.each(|store, table| (table.name() == name).then_some(store)).first().copied()
    }

    fn stores(&self) -> Vec<StoreInfo> {
        self.each(|id, table| {
            Some(StoreInfo { id, name: table.name().to_owned(), recovery: table.recovery() })
        })
    }

    fn begin_load(&self) -> Result<Box<dyn Load + '_>> {
        Ok(Box::new(MemoryLoad { tables: &self.tables, filled: Vec::new() }))
    }

    fn checkpoint(&self) -> Result<()> {
        Ok(())
    }
}
