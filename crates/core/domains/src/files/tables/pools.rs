//! The tables of a region: the pools of those that are shared, and those that wait for their loading tasks.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;

use super::DataTable;
use super::loader::Loader;
use super::shared::SharedTables;
use kernel::name::Name8;
use kernel::region::Region;

/// The tables of a region in main storage; the region has the engine of their records ([`Region::memory`]).
///
/// The pools are as old as the process, which is what elsewhere a pool's server is; of a region with a record server all pools are there.
#[derive(Default)]
pub struct Tables {
    pub(super) pools: Mutex<HashMap<(Name8, Name8), Arc<DataTable>>>,
    waiting: Mutex<VecDeque<Loader>>,
    pub(super) shared: SharedTables,
}

impl Tables {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The next table that waits for its loading task.
    pub(super) fn next_waiting(&self) -> Option<Loader> {
        self.waiting.lock().pop_front()
    }

    /// A table waits for its loading task from now on.
    pub(super) fn waits(&self, loader: Loader) {
        self.waiting.lock().push_back(loader);
    }
}
