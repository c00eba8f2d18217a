//! Records of an intrapartition queue that a region which has ended has left: those of a recoverable queue, and those of another one in
//! the warm keypoint.

use kernel::limits::TD_RECORD_LENGTH_MAX;
use kernel::stores::Stores;
use records::{Engine, Wait};

use super::kept::{self, READERS, WRITERS};
use super::{KEEPER, QueueName, TransientData};
use crate::stored::{Rewrite, Rewriting, Rewritten, StoredError};

impl TransientData {
    /// Rewrites all records of a queue, or none; without `keep` nothing changes, and it only counts.
    ///
    /// # Errors
    /// See [`StoredError`].
    pub async fn rewrite_stored(
        engine: &dyn Engine,
        name: QueueName,
        keep: bool,
        rewrite: Rewrite<'_>,
    ) -> Result<Rewritten, StoredError> {
        let stores = Stores::open(engine).await?;
        let mut queue = Rewriting::new(engine, TD_RECORD_LENGTH_MAX, rewrite);
        let store = stores.transient_data;
        for end in [READERS, WRITERS] {
            queue.unit.lock(store, &kept::lock_key(name, end), Wait::No).await?;
        }
        queue.all(store, name.as_bytes(), |key| kept::read_key(key).is_some()).await?;
        let prefix: Vec<u8> = [&[KEEPER.letter], name.as_bytes().as_slice()].concat();
        queue.all(stores.keypoint, &prefix, |key| kept::read_key(&key[1..]).is_some()).await?;
        queue.end(keep).await
    }
}
