//! The engine of this machine: own log, own locks, own overlay, an LMDB base.

mod checkpoint;
mod core;
mod gate;
mod open;
mod threads;
mod unit;

use std::path::Path;
use std::sync::Arc;

pub(crate) use self::core::Core;
pub(crate) use self::open::assemble;
use self::threads::Threads;
use self::unit::LocalUnit;
use crate::{Engine, Limits, Locks, LogCounts, Owner, Result, StoreId, StoreInfo, UnitOfWork};

/// The record engine of this machine. Dropping it is an orderly end: what was committed unforced reaches the disk.
pub struct Local {
    core: Arc<Core>,
    /// Ends them when dropped; before the core, which they use.
    _threads: Option<Threads>,
    /// Held as long as the engine is: nobody else may work in its folder.
    _folder: Option<std::fs::File>,
}

impl Local {
    /// Opens the engine in a folder, which is created if it is not there, and brings it to the state of the last
    /// commit. Fails with [`crate::Error::Io`] if another process has it open.
    pub fn open(folder: &Path, limits: Limits) -> Result<Arc<Self>> {
        let folder_lock = open::lock_folder(folder)?;
        let core = open::open_folder(folder, limits)?;
        let threads = Threads::start(&core)?;
        Ok(Arc::new(Self { core, _threads: Some(threads), _folder: Some(folder_lock) }))
    }
}

impl Local {
    /// An engine whose log is written when its owner says so: for simulations.
    pub(crate) fn without_threads(core: Arc<Core>) -> Arc<Self> {
        Arc::new(Self { core, _threads: None, _folder: None })
    }
}

impl Engine for Local {
    fn locks(&self) -> &Arc<Locks> {
        &self.core.locks
    }

    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork> {
        Box::new(LocalUnit::new(self.core.clone(), owner))
    }

    fn find(&self, name: &str) -> Option<StoreId> {
        self.core.state.read().find(name)
    }

    fn stores(&self) -> Vec<StoreInfo> {
        self.core.state.read().list()
    }

    fn load(
        &self,
        store: StoreId,
        records: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>,
    ) -> Result<u64> {
        self.core.load(store, records)
    }

    fn checkpoint(&self) -> Result<()> {
        self.core.checkpoint()
    }

    fn log_counts(&self) -> LogCounts {
        *self.core.counts.lock()
    }
}
