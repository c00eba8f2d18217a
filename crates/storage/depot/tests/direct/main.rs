//! The engine directly in a database, of two regions: locks, ends of units of work, what becomes of each when something is lost.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod damage;
mod doubts;
mod ledger;
mod locks;
#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "../real/place.rs"]
mod place;
mod way;

use std::path::Path;
use std::sync::Arc;

use depot::Direct;
use records::{Engine, Recovery, StoreId, UnitOfWork};

/// The engine of a region.
pub async fn open(folder: &Path, schema: &str, applid: &str) -> Arc<Direct> {
    Direct::open(place::options(folder, schema, place::LONG), applid, 1_000).await.unwrap()
}

/// A unit of work of a task of its own.
pub fn begin(engine: &dyn Engine) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

/// Makes a store.
pub async fn store(engine: &dyn Engine, name: &str, recovery: Recovery) -> StoreId {
    let mut unit = begin(engine);
    let store = unit.create_store(name, recovery).unwrap();
    unit.commit().await.unwrap();
    store
}

/// Writes records, in a unit of work.
pub async fn put(engine: &dyn Engine, store: StoreId, records: &[(&str, &str)]) {
    let mut unit = begin(engine);
    for (key, record) in records {
        unit.put(store, key.as_bytes(), record.as_bytes()).await.unwrap();
    }
    unit.commit().await.unwrap();
}

/// Reads a record.
pub async fn read(engine: &dyn Engine, store: StoreId, key: &str) -> Option<String> {
    let mut record = Vec::new();
    let there = begin(engine).get(store, key.as_bytes(), &mut record).await.unwrap();
    there.then(|| String::from_utf8(record).unwrap())
}
