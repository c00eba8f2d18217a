//! Items of queues that lie in the record engine, rewritten by a tool while no region runs: all items of a queue, or none.
//!
//! `temporary_storage` and `transient_data` know how their queues lie there, and each has a function that rewrites one.

use records::{Batch, Direction, Engine, Origin, StoreId, UnitOfWork};

/// Records that are read at a time.
const STEP: usize = 256;

/// The reason for which no item of a queue was rewritten.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// Nothing of it is kept.
    #[error("the queue has no items that were kept")]
    NotThere,
    /// Items of it that do not fit together.
    #[error("the queue is damaged: {0}")]
    Damaged(String),
    /// An item that cannot be rewritten.
    #[error("item {number}: {why}")]
    Item {
        /// Its number, from 1.
        number: u64,
        /// The cause.
        why: String,
    },
    /// A unit of work in doubt holds it.
    #[error("a unit of work that is in doubt holds the queue: end that first")]
    InDoubt,
    /// The engine.
    #[error(transparent)]
    Engine(records::Error),
}

impl From<records::Error> for StoredError {
    fn from(error: records::Error) -> Self {
        match error {
            records::Error::Locked | records::Error::Retained => Self::InDoubt,
            other => Self::Engine(other),
        }
    }
}

/// The number of items that were read, and of those that became others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// All of them.
    pub read: u64,
    /// Those that became others.
    pub changed: u64,
}

/// An item as it is to be; or the reason why it cannot be.
pub type Rewrite<'r> = &'r mut dyn FnMut(&[u8]) -> Result<Vec<u8>, String>;

/// The rewriting of one queue.
pub(crate) struct Rewriting<'r> {
    pub(crate) unit: Box<dyn UnitOfWork>,
    rewrite: Rewrite<'r>,
    /// The lengths that an item may have.
    length_max: usize,
    done: Rewritten,
}

impl<'r> Rewriting<'r> {
    pub(crate) fn new(engine: &dyn Engine, length_max: usize, rewrite: Rewrite<'r>) -> Self {
        let unit = engine.begin(engine.locks().new_owner());
        Self { unit, rewrite, length_max, done: Rewritten::default() }
    }

    /// Rewrites an item, and gives its new length.
    pub(crate) async fn item(
        &mut self,
        store: StoreId,
        key: &[u8],
        item: &[u8],
    ) -> Result<usize, StoredError> {
        self.done.read += 1;
        let number = self.done.read;
        let new = (self.rewrite)(item).map_err(|why| StoredError::Item { number, why })?;
        if !(1..=self.length_max).contains(&new.len()) {
            let why = format!("it would have {} bytes", new.len());
            return Err(StoredError::Item { number, why });
        }
        if new != item {
            self.done.changed += 1;
            self.unit.put(store, key, &new).await?;
        }
        Ok(new.len())
    }

    /// Rewrites all items whose keys begin so, but for those that `is_item` leaves out.
    pub(crate) async fn all(
        &mut self,
        store: StoreId,
        prefix: &[u8],
        is_item: impl Fn(&[u8]) -> bool,
    ) -> Result<(), StoredError> {
        let (mut batch, mut last) = (Batch::default(), None::<Vec<u8>>);
        loop {
            let origin = last.as_deref().map_or(Origin::At(prefix), Origin::Beyond);
            self.unit.range(store, origin, Direction::Forward, STEP, &mut batch).await?;
            let items: Vec<(Vec<u8>, Vec<u8>)> = batch
                .iter()
                .take_while(|(key, _)| key.starts_with(prefix))
                .map(|(key, item)| (key.to_vec(), item.to_vec()))
                .collect();
            for (key, item) in &items {
                if is_item(key) {
                    self.item(store, key, item).await?;
                }
            }
            match items.into_iter().next_back() {
                Some((key, _)) => last = Some(key),
                None => return Ok(()),
            }
        }
    }

    /// Ends it: everything is committed, or nothing has changed without `keep`.
    pub(crate) async fn end(self, keep: bool) -> Result<Rewritten, StoredError> {
        let done = self.done;
        if done.read == 0 {
            return Err(StoredError::NotThere);
        }
        match keep && done.changed > 0 {
            true => self.unit.commit().await?,
            false => self.unit.backout().await?,
        }
        Ok(done)
    }
}
