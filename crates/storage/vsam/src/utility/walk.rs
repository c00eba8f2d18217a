//! Reading a whole store, many records at a time.

use records::{Batch, Direction, Origin, StoreId, UnitOfWork};

use super::STEP;
use crate::Result;

/// A walk through a store.
pub(super) struct Walk {
    store: StoreId,
    last: Option<Vec<u8>>,
    batch: Batch,
}

impl Walk {
    pub(super) fn new(store: StoreId) -> Self {
        Self { store, last: None, batch: Batch::default() }
    }

    /// The next records; none at the end.
    pub(super) async fn step(&mut self, unit: &mut dyn UnitOfWork) -> Result<&Batch> {
        let origin = self.last.as_deref().map_or(Origin::Start, Origin::Beyond);
        unit.range(self.store, origin, Direction::Forward, STEP, &mut self.batch).await?;
        if let Some((key, _)) = self.batch.last() {
            self.last = Some(key.to_vec());
        }
        Ok(&self.batch)
    }
}
