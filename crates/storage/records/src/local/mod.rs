//! The engine of this machine: own log, own locks, own overlay, an LMDB base.

mod backup;
mod checkpoint;
mod cold;
mod cold_reads;
mod core;
mod force;
mod gate;
mod holders;
mod indoubt;
mod load;
mod open;
mod pace;
mod resealing;
mod resolved;
mod rotation;
#[cfg(test)]
mod tests;
mod threads;
mod unit;

use std::path::Path;
use std::sync::Arc;

pub use self::backup::restore;
pub(crate) use self::core::Core;
use self::indoubt::Resolution;
use self::load::LocalLoad;
pub use self::open::FORMAT;
pub(crate) use self::open::assemble;
use self::threads::Threads;
use self::unit::LocalUnit;
use crate::disk::Disk;
use crate::{
    Answer, Archive, Decider, Decision, Depot, DoubtfulChange, EncryptionKey, Engine, Indoubt, Keys, Limits,
    Load, Locks, LogCounts, Owner, ResolvedWatcher, Result, StoreId, StoreInfo, Trust, UnitOfWork, Verified,
};

/// The record engine of this machine. Dropping it is an orderly end: what was committed unforced reaches the disk.
pub struct Local {
    core: Arc<Core>,
    /// Ends them when dropped; before the core, which they use.
    _threads: Option<Threads>,
    /// Held as long as the engine is: no other process may work in its folder.
    _folder: Option<std::fs::File>,
}

impl Local {
    /// Opens the engine in a folder, which is created if it is not there, and brings it to the state of the last
    /// commit. Fails with [`crate::Error::Io`] if another process has it open.
    pub fn open(folder: &Path, limits: Limits) -> Result<Arc<Self>> {
        Self::open_with(folder, limits, Keys::default())
    }

    /// As [`Self::open`]; with a key, everything is encrypted that the engine writes there, except the keys of records.
    /// A folder is encrypted from its beginning or never: [`crate::Error::Key`] says what does not fit, and then
    /// nothing was changed. Data that were written with the former key are sealed with the new one from then on.
    pub fn open_with(folder: &Path, limits: Limits, keys: impl Into<Keys>) -> Result<Arc<Self>> {
        Self::open_trusting(folder, limits, keys, Trust::Checked)
    }

    /// Opens an engine whose log and base are elsewhere, neither of which another engine uses meanwhile. The threads of the engine alone
    /// wait for them, but for reads of what no thread of its own could bring in time.
    ///
    /// # Errors
    /// As [`Self::open_with`].
    pub fn open_elsewhere(
        disk: Arc<dyn Disk>,
        depot: Arc<dyn Depot>,
        limits: Limits,
        keys: impl Into<Keys>,
    ) -> Result<Arc<Self>> {
        let core = open::open_elsewhere(disk, depot, limits, keys.into())?;
        let threads = Threads::start(&core)?;
        Ok(Arc::new(Self { core, _threads: Some(threads), _folder: None }))
    }

    /// As [`Self::open_with`], for a log that may be accepted although it is damaged.
    pub fn open_trusting(
        folder: &Path,
        limits: Limits,
        keys: impl Into<Keys>,
        trust: Trust,
    ) -> Result<Arc<Self>> {
        let folder_lock = open::lock_folder(folder)?;
        let core = open::open_folder(folder, limits, keys.into(), trust)?;
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

    fn set_numbers_aside(&self, count: u32) -> Result<StoreId> {
        self.core.new_stores(count)
    }

    fn largest_unit(&self) -> usize {
        self.core.largest_unit()
    }

    fn begin_load(&self) -> Result<Box<dyn Load + '_>> {
        Ok(Box::new(LocalLoad::new(&self.core)))
    }

    fn checkpoint(&self) -> Result<()> {
        self.core.checkpoint()
    }

    fn verify(&self, store: StoreId) -> Result<Verified> {
        let space = self.core.state.read().store(store)?.space;
        self.core.base.verify(space)
    }

    fn backup(
        &self,
        archive: &mut Archive<'_>,
        fixed: &mut dyn FnMut(),
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        self.core.backup(archive, fixed, progress)
    }

    fn rotate(&self, key: &EncryptionKey) -> Result<()> {
        self.core.rotate(key)
    }

    fn resealing(&self) -> Option<u64> {
        self.core.resealing()
    }

    fn failure(&self) -> Answer<'static, String> {
        let core = self.core.clone();
        Answer::later(async move { core.gate.failure().await })
    }

    fn log_counts(&self) -> LogCounts {
        *self.core.counts.lock()
    }

    fn indoubt(&self) -> Result<Vec<Indoubt>> {
        self.core.list_indoubt()
    }

    fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        self.core.doubtful(store)
    }

    fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.core.resolved.watch(watcher);
    }

    fn resolve(&self, name: &[u8], decision: Decision, by: Decider) -> Answer<'static, Result<()>> {
        let (core, name) = (self.core.clone(), name.to_vec());
        Answer::later(
            async move { core.resolve(Resolution { name: &name, decision, by, owner: None }).await },
        )
    }

    fn forget(&self, name: &[u8]) -> Answer<'static, Result<()>> {
        match self.core.forget(name) {
            Ok(signalled) => Answer::later(signalled),
            Err(error) => Answer::ready(Err(error)),
        }
    }
}
