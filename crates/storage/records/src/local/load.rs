//! Filling stores: the records go to spaces that no task knows; then the stores are moved there, in one step.

use super::core::Core;
use crate::base::Space;
use crate::change::Changes;
use crate::engine::{Load, Sorted};
use crate::{Error, Result, StoreId};

pub(super) struct LocalLoad<'a> {
    core: &'a Core,
    /// New space of each store.
    filled: Vec<(StoreId, Space)>,
}

impl<'a> LocalLoad<'a> {
    pub(super) fn new(core: &'a Core) -> Self {
        Self { core, filled: Vec::new() }
    }
}

impl Load for LocalLoad<'_> {
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        let space = self.core.new_space();
        self.filled.push((store, space));
        let mut failure = None;
        let mut last: Option<Vec<u8>> = None;
        let mut count = 0;
        let mut sorted = records.map_while(|next| {
            count += 1;
            let next = next.and_then(|(key, record)| match &last {
                Some(last) if *last >= key => Err(Error::OutOfOrder(count)),
                _ => Ok((key, record)),
            });
            next.inspect(|(key, _)| last = Some(key.clone())).map_err(|error| failure = Some(error)).ok()
        });
        let filled = self.core.base.fill(space, &mut sorted);
        failure.map_or(filled, Err)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        let mut changes = Changes::default();
        for (store, space) in &self.filled {
            self.core.describe_in(&mut changes, *store, |store| store.space = *space)?;
        }
        self.core.commit_unforced(changes)?;
        self.filled.clear();
        self.core.flush_log()
    }
}

impl Drop for LocalLoad<'_> {
    fn drop(&mut self) {
        let mut state = self.core.state.write();
        self.filled.iter().for_each(|(_, space)| state.doom(*space));
    }
}
