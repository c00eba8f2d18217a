//! Records of protected STARTs: what outlives the region.
//!
//! A protected START is a record of the unit of work that makes it, and is gone with the first unit of work that the
//! started task commits: so the task is started again if the region ends between the two.

use std::sync::Arc;

use records::StoreId;

use kernel::raise::Outcome;
use kernel::recovery::{Errand, queue_error};
use kernel::region::Region;
use kernel::stores::Stores;

/// A protected START's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptStart {
    /// Its number.
    pub(super) number: u64,
    /// The number of times that its task was tried again since the region started.
    pub(super) tries: u8,
}

impl KeptStart {
    pub(super) fn new(number: u64) -> Self {
        Self { number, tries: 0 }
    }

    pub(super) fn key(self) -> [u8; 8] {
        self.number.to_be_bytes()
    }

    pub(super) fn from_key(key: &[u8]) -> Option<Self> {
        key.try_into().ok().map(u64::from_be_bytes).map(Self::new)
    }

    /// It is tried again.
    pub(super) fn tried(self) -> Self {
        Self { tries: self.tries.saturating_add(1), ..self }
    }

    /// Takes the record away at once: the START is cancelled, or its task has failed.
    pub(crate) async fn forget(self, region: &Region) -> Outcome {
        let mut unit = region.records.begin(region.records.locks().new_owner());
        let deleted = unit.delete(region.stores.starts, &self.key()).await;
        let done = match deleted {
            Ok(()) => unit.commit().await,
            Err(error) => Err(error),
        };
        done.map_err(|error| queue_error(&error))
    }

    /// The same for a caller that cannot wait.
    pub(super) fn forget_later(self, region: &Arc<Region>) {
        let region = Arc::clone(region);
        drop(tokio::spawn(async move {
            if let Err(raise) = self.forget(&region).await {
                tracing::error!(target: "IC", "a START that is over stays for the next restart: {raise}");
            }
        }));
    }
}

impl Errand for KeptStart {
    fn record(&self, stores: &Stores) -> (StoreId, Vec<u8>) {
        (stores.starts, self.key().to_vec())
    }
}
