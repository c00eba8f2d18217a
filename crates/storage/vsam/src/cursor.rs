//! Reading a store record by record, with reading ahead as long as that cannot be noticed.

use records::{Batch, Direction, Origin, StoreId, UnitOfWork};

use crate::Result;
use crate::sphere::Key;

/// Records that are read at first, and at most.
const FIRST: usize = 4;
const READ_AHEAD: usize = 32;
/// By how much a browse that goes on reads more each time.
const GROWTH: usize = 4;

/// A cursor over one store.
pub(crate) struct Cursor {
    store: StoreId,
    batch: Batch,
    direction: Direction,
    /// The entry of the batch that is current.
    at: usize,
    /// Number of records that are read at a time.
    step: usize,
    /// The engine could say that the last batch was current: reading ahead is of use.
    reads_ahead: bool,
}

impl Cursor {
    pub(crate) fn new(store: StoreId) -> Self {
        Self {
            store,
            batch: Batch::default(),
            direction: Direction::Forward,
            at: 0,
            step: FIRST,
            reads_ahead: true,
        }
    }

    /// The current entry.
    pub(crate) fn entry(&self) -> (&[u8], &[u8]) {
        self.batch.get(self.at).unwrap_or_default()
    }

    /// Goes to the first entry at or beyond a key; false if there is none.
    pub(crate) async fn seek(
        &mut self,
        unit: &mut dyn UnitOfWork,
        origin: Origin<'_>,
        direction: Direction,
    ) -> Result<bool> {
        self.step = FIRST;
        self.fill(unit, origin, direction).await
    }

    /// Goes to the first entry at or beyond a key where a search forward has just found it: again only if it must.
    pub(crate) async fn seek_again(&mut self, unit: &mut dyn UnitOfWork, key: &[u8]) -> Result<bool> {
        let is_there = self.direction == Direction::Forward
            && !self.batch.is_empty()
            && unit.is_current(self.store, self.batch.stamp);
        if is_there { Ok(true) } else { self.seek(unit, Origin::At(key), Direction::Forward).await }
    }

    /// Goes to the entry beyond `key`; false if there is none.
    pub(crate) async fn beyond(
        &mut self,
        unit: &mut dyn UnitOfWork,
        key: &[u8],
        direction: Direction,
    ) -> Result<bool> {
        let goes_on = self.direction == direction && self.entry().0 == key;
        if goes_on && self.step_on(unit) {
            return Ok(true);
        }
        // What was read ahead in vain is not read again in larger pieces.
        let is_read = goes_on && self.at + 1 >= self.batch.len();
        self.step = if is_read { (self.step * GROWTH).min(READ_AHEAD) } else { FIRST };
        self.fill(unit, Origin::Beyond(key), direction).await
    }

    /// Goes to the following entry if it was read ahead and is still what reading it would find.
    pub(crate) fn step_on(&mut self, unit: &dyn UnitOfWork) -> bool {
        let can = self.at + 1 < self.batch.len() && unit.is_current(self.store, self.batch.stamp);
        self.at += usize::from(can);
        can
    }

    /// The direction in which it reads.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// The key of the entry that follows the current one.
    pub(crate) async fn peek(&self, unit: &mut dyn UnitOfWork) -> Result<Option<Key>> {
        if let Some((key, _)) = self.batch.get(self.at + 1)
            && unit.is_current(self.store, self.batch.stamp)
        {
            return Ok(Some(Key::from_slice(key)));
        }
        let mut batch = Batch::default();
        unit.range(self.store, Origin::Beyond(self.entry().0), self.direction, 1, &mut batch).await?;
        Ok(batch.first().map(|(key, _)| Key::from_slice(key)))
    }

    async fn fill(
        &mut self,
        unit: &mut dyn UnitOfWork,
        origin: Origin<'_>,
        direction: Direction,
    ) -> Result<bool> {
        self.direction = direction;
        self.at = 0;
        let step = if self.reads_ahead { self.step } else { 1 };
        let ahead = unit.range(self.store, origin, direction, step, &mut self.batch).await;
        if ahead.is_err() {
            // A record further on may be damaged: that concerns its own reader alone.
            unit.range(self.store, origin, direction, 1, &mut self.batch).await?;
        }
        self.reads_ahead = unit.is_current(self.store, self.batch.stamp);
        Ok(!self.batch.is_empty())
    }
}
