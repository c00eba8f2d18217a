//! Figures about the records of a data set.

use super::walk::Walk;
use crate::{Name, Result, Vsam};

/// Figures of a data set or an alternate index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Records, or entries of an index.
    pub records: u64,
    /// Their bytes; keys that are not in the records do not count.
    pub bytes: u64,
    /// Bytes of the longest.
    pub longest: usize,
}

impl Vsam {
    /// Counts the records of a cluster, or the entries of an alternate index; a path has none of its own.
    pub async fn statistics(&self, name: &Name) -> Result<Statistics> {
        let mut statistics = Statistics::default();
        let Some(store) = self.entry(name)?.store else { return Ok(statistics) };
        let (mut walk, mut unit) = (Walk::new(store), self.begin());
        loop {
            let records = walk.step(&mut *unit).await?;
            if records.is_empty() {
                return Ok(statistics);
            }
            for (_, record) in records.iter() {
                statistics.records += 1;
                statistics.bytes += record.len() as u64;
                statistics.longest = statistics.longest.max(record.len());
            }
        }
    }
}
