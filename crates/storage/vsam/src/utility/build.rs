//! BLDINDEX: building an alternate index from the records that are there.

use records::{Load, StoreId};

use super::walk::Walk;
use super::{Progress, SORT_MEMORY, Sorter};
use crate::sphere::Index;
use crate::{Error, Name, Result, Vsam};

impl Vsam {
    /// Builds an alternate index again, from nothing. No file may have its cluster open. Returns how many entries it has. Two records
    /// with the same key in a unique index are [`Error::DuplicateAlternate`], and the index stays as it was. This blocks
    /// the thread.
    pub async fn build_index(&self, name: &Name, progress: Progress<'_>) -> Result<u64> {
        let (index, cluster) = self.index(name)?;
        let alone = self.enter(&cluster, true).await?;
        let (_, store) = self.cluster(&cluster)?;
        let built = self.rebuild(&index, store, progress).await;
        self.leave(alone).await;
        built
    }

    async fn rebuild(&self, index: &Index, store: StoreId, progress: Progress<'_>) -> Result<u64> {
        let mut entries = Entries::new(index, SORT_MEMORY);
        let mut walk = Walk::new(store);
        let mut unit = self.begin();
        let mut count = 0;
        loop {
            let records = walk.step(&mut *unit).await?;
            if records.is_empty() {
                break;
            }
            records.iter().try_for_each(|(key, record)| entries.add(key, record))?;
            count += records.len() as u64;
            progress(count);
        }
        let mut load = self.engine().begin_load()?;
        let count = entries.fill(&mut *load)?;
        load.commit()?;
        Ok(count)
    }
}

/// The entries of an alternate index over records that come in the order of their base keys.
pub(super) struct Entries<'a> {
    index: &'a Index,
    entries: Sorter,
}

impl<'a> Entries<'a> {
    /// None yet. They take so many bytes of memory; more of them go to a file.
    pub fn new(index: &'a Index, memory: usize) -> Self {
        Self { index, entries: Sorter::new(memory) }
    }

    /// The entry of a record. One that ends before the alternate key has none.
    pub fn add(&mut self, key: &[u8], record: &[u8]) -> Result<()> {
        let Some(alternate) = self.index.key.of(record) else { return Ok(()) };
        // Duplicates begin in the order of their base keys; those that come later follow.
        let number = self.entries.count();
        self.entries.push(self.index.entry_key(alternate, number).into_vec(), key.to_vec())
    }

    /// Fills the index, of which two records may not have the same key if it is unique.
    pub fn fill(self, load: &mut dyn Load) -> Result<u64> {
        let mut failure = None;
        let mut sorted = self.entries.sorted()?.map(|entry| {
            entry.map_err(|error| {
                failure = Some(error);
                // Any error of the engine's will do: it only has to stop the load.
                records::Error::Cancelled
            })
        });
        let filled = load.fill(self.index.store, &mut sorted);
        match (failure, filled) {
            (Some(error), _) => Err(error),
            (None, Err(records::Error::OutOfOrder(_))) => {
                Err(Error::DuplicateAlternate(self.index.name.clone()))
            }
            (None, filled) => Ok(filled?),
        }
    }
}
