//! BLDINDEX: building an alternate index from the records that are there.

use records::StoreId;

use super::Progress;
use super::walk::Walk;
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
        let mut entries = Vec::new();
        let mut walk = Walk::new(store);
        let mut unit = self.begin();
        let mut count = 0;
        loop {
            let records = walk.step(&mut *unit).await?;
            if records.is_empty() {
                break;
            }
            for (key, record) in records {
                // A record that ends before the alternate key has no entry.
                entries.extend(index.key.of(record).map(|alternate| (alternate.to_vec(), key.clone())));
            }
            count += records.len() as u64;
            progress(count);
        }
        entries.sort_unstable();
        if index.unique && entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::DuplicateAlternate(index.name.clone()));
        }
        // Duplicates begin in the order of their base keys; those that come later follow.
        let numbered = entries.into_iter().zip(0..);
        let mut sorted = numbered
            .map(|((alternate, base), number)| Ok((index.entry_key(&alternate, number).into_vec(), base)));
        Ok(self.engine().load(index.store, &mut sorted)?)
    }
}
