//! Items of a queue that a region which has ended has left: those of a recoverable queue, and those of an auxiliary one in the warm
//! keypoint.

use kernel::limits::{TS_ITEM_LENGTH_MAX, TS_ITEMS_MAX};
use kernel::name::Name16;
use kernel::stores::Stores;
use records::{Engine, Wait};

use super::recoverable::{HEADER, Header};
use super::{KEEPER, POINTER, TemporaryStorage, item_key, read_key};
use crate::stored::{Rewrite, Rewriting, Rewritten, StoredError};

impl TemporaryStorage {
    /// Rewrites all items of a queue, or none; without `keep` nothing changes, and it only counts.
    ///
    /// # Errors
    /// See [`StoredError`].
    pub async fn rewrite_stored(
        engine: &dyn Engine,
        name: Name16,
        keep: bool,
        rewrite: Rewrite<'_>,
    ) -> Result<Rewritten, StoredError> {
        let stores = Stores::open(engine).await?;
        let mut queue = Rewriting::new(engine, TS_ITEM_LENGTH_MAX, rewrite);
        let store = stores.temporary_storage;
        let header_key = item_key(name, HEADER);
        queue.unit.lock(store, &header_key, Wait::No).await?;
        let mut record = Vec::new();
        if queue.unit.get(store, &header_key, &mut record).await? {
            let items = Header::from_bytes(&record).map(|header| header.items);
            let items = items.filter(|items| *items as usize <= TS_ITEMS_MAX);
            let items = items.ok_or_else(|| StoredError::Damaged("its header cannot be read".into()))?;
            let mut header = Header::default();
            for number in 1..=items {
                let key = item_key(name, number);
                if !queue.unit.get(store, &key, &mut record).await? {
                    return Err(StoredError::Damaged(format!("item {number} of {items} is missing")));
                }
                header.count(queue.item(store, &key, &record).await?);
            }
            queue.unit.put(store, &header_key, &header.to_bytes()).await?;
        }
        let prefix: Vec<u8> = [&[KEEPER.letter], name.as_bytes().as_slice()].concat();
        let is_item = |key: &[u8]| read_key(&key[1..]).is_some_and(|(_, number)| number != POINTER);
        queue.all(stores.keypoint, &prefix, is_item).await?;
        queue.end(keep).await
    }
}
