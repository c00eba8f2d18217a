//! Many records written one by one, with a commit every so often.

use std::sync::Arc;

use records::{Engine, UnitOfWork, Wait};

use super::{Replace, STEP};
use crate::{Dataset, Error, Organization, Result, Search, Vsam};

/// Bytes between two commits: far less than what a unit of work may change.
const STEP_BYTES: usize = 128 * 1024;

/// Writes records. Records that are not committed when it is dropped are backed out.
pub struct Filling<'a> {
    dataset: &'a Dataset,
    engine: Arc<dyn Engine>,
    unit: Box<dyn UnitOfWork>,
    /// Since the last commit.
    records: usize,
    bytes: usize,
}

impl Vsam {
    /// Begins to write records into a data set that others may use meanwhile.
    pub fn fill<'a>(&self, dataset: &'a Dataset) -> Filling<'a> {
        Filling { dataset, engine: Arc::clone(self.engine()), unit: self.begin(), records: 0, bytes: 0 }
    }
}

impl Filling<'_> {
    /// Writes a record: in an RRDS into the slot `key`, in a KSDS under the key that it has. False if that would be a
    /// duplicate, here or in an alternate index, and what is there stays.
    pub async fn put(&mut self, key: &[u8], record: &[u8], replace: Replace) -> Result<bool> {
        let written = match self.write(key, record, replace).await {
            Err(Error::Duplicate | Error::DuplicateAlternate(_)) => false,
            written => written.map(|()| true)?,
        };
        self.records += 1;
        self.bytes += record.len();
        if self.records >= STEP || self.bytes >= STEP_BYTES {
            let next = self.engine.begin(self.engine.locks().new_owner());
            std::mem::replace(&mut self.unit, next).commit().await?;
            (self.records, self.bytes) = (0, 0);
        }
        Ok(written)
    }

    async fn write(&mut self, key: &[u8], record: &[u8], replace: Replace) -> Result<()> {
        let (dataset, unit, wait) = (self.dataset, &mut *self.unit, Wait::Forever);
        let slot = (dataset.cluster().organization == Organization::Relative).then_some(key);
        match dataset.write(unit, slot, record, wait).await {
            Err(Error::Duplicate) if replace == Replace::Yes => {
                dataset.read_for_update(unit, Search::equal(key), wait, &mut Vec::new()).await?;
                dataset.rewrite(unit, key, record, wait).await
            }
            written => written.map(drop),
        }
    }

    /// Commits what is left.
    pub async fn finish(self) -> Result<()> {
        Ok(self.unit.commit().await?)
    }
}
