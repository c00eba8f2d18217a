//! BLDINDEX: building an alternate index from the records that are there.

use records::StoreId;

use super::walk::Walk;
use super::{Progress, SORT_MEMORY, Sorter};
use crate::dataset::Index;
use crate::{Error, Name, Result, Vsam};

impl Vsam {
    /// Builds an alternate index anew. Nobody may have its cluster open. Returns how many entries it has. Two records
    /// with the same key in a unique index are [`Error::DuplicateAlternate`], and the index stays as it was. This blocks
    /// the thread.
    pub async fn build_index(&self, name: &Name, progress: Progress<'_>) -> Result<u64> {
        let (index, cluster) = self.index(name)?;
        let _alone = self.enter(&cluster, true)?;
        let (_, store) = self.cluster(&cluster)?;
        self.rebuild(&index, store, progress).await
    }

    pub(super) async fn rebuild(&self, index: &Index, store: StoreId, progress: Progress<'_>) -> Result<u64> {
        let mut entries = Sorter::new(SORT_MEMORY);
        let mut walk = Walk::new(store);
        let mut unit = self.begin();
        let mut count = 0;
        loop {
            let records = walk.step(&mut *unit).await?;
            if records.is_empty() {
                break;
            }
            for (key, record) in records.iter() {
                // A record that ends before the alternate key has no entry.
                if let Some(alternate) = index.key.of(record) {
                    // Duplicates begin in the order of their base keys; those that come later follow.
                    let number = entries.count();
                    entries.push(index.entry_key(alternate, number).into_vec(), key.to_vec())?;
                }
            }
            count += records.len() as u64;
            progress(count);
        }
        let mut failure = None;
        let mut sorted = entries.sorted()?.map(|entry| {
            entry.map_err(|error| {
                failure = Some(error);
                // Any error of the engine's will do: it only has to stop the load.
                records::Error::Cancelled
            })
        });
        let loaded = self.engine().load(index.store, &mut sorted);
        match (failure, loaded) {
            (Some(error), _) => Err(error),
            (None, Err(records::Error::OutOfOrder(_))) => Err(Error::DuplicateAlternate(index.name.clone())),
            (None, loaded) => Ok(loaded?),
        }
    }
}
