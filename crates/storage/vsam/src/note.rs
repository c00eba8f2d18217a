//! The note that a data set had records, or was made by a program.

use std::sync::atomic::{AtomicBool, Ordering};

use records::{Engine, Recovery, StoreId, UnitOfWork, Wait, store_named};

use crate::Result;

/// The name of the store with a record for each data set that had records, or was made by a program.
const LOADED: &str = "data sets that were loaded";

/// The store of notes. Notes are no part of a unit of work: a backout does not make a data set new again.
pub(crate) async fn store_of_notes(engine: &dyn Engine) -> Result<StoreId> {
    Ok(store_named(engine, LOADED, Recovery::NonRecoverable).await?)
}

/// The note of one data set.
pub(crate) struct Note {
    notes: StoreId,
    of: StoreId,
    taken: AtomicBool,
}

impl Note {
    pub(crate) fn new(notes: StoreId, of: StoreId) -> Self {
        Self { notes, of, taken: AtomicBool::new(false) }
    }

    fn key(&self) -> [u8; size_of::<u32>()] {
        self.of.0.to_be_bytes()
    }

    /// Notes it, once for as long as the data set is open.
    pub(crate) async fn take(&self, unit: &mut dyn UnitOfWork) -> Result<()> {
        if self.taken.load(Ordering::Relaxed) {
            return Ok(());
        }
        let key = self.key();
        unit.lock(self.notes, &key, Wait::Forever).await?;
        let noted = unit.put(self.notes, &key, &[]).await;
        unit.unlock(self.notes, &key);
        noted?;
        self.taken.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns true if the mark is there.
    pub(crate) async fn is_taken(&self, unit: &mut dyn UnitOfWork) -> Result<bool> {
        Ok(unit.get(self.notes, &self.key(), &mut Vec::new()).await?)
    }

    /// Forgets it: the data set is deleted.
    pub(crate) async fn drop_from(&self, unit: &mut dyn UnitOfWork) -> Result<()> {
        Ok(unit.delete(self.notes, &self.key()).await?)
    }
}
