//! CREATE INDEX: a new index is filled from the rows of its table, some at a time.
//!
//! Its entries are put into a store that no other unit of work knows yet, by units of work of their own, so that the table may be larger
//! than what a unit of work can change. The index counts when the definition is committed.

use std::sync::Arc;

use records::{Batch, Direction, Origin, StoreId, UnitOfWork};

use crate::catalogue::{Index, Table};
use crate::definition::NewIndex;
use crate::failure::{Failure, Tried, corrupt};
use crate::limits;
use crate::live::Rid;
use crate::range::{Beginning, Key};
use crate::work::{Awaited, Work, entry_key, key_in, ready};

/// An index that is being filled. Dropped before its end it has done nothing that counts.
pub struct Building {
    table: Arc<Table>,
    index: Index,
    /// The row behind which it goes on.
    behind: Option<Rid>,
    batch: Batch,
}

impl Work {
    /// CREATE INDEX: begins to make an index. [`Building::go_on`] fills it.
    ///
    /// # Errors
    /// -204, -205, -601, -602, -614, or a limit.
    pub fn create_index(&mut self, unit: &mut dyn UnitOfWork, new: NewIndex) -> Tried<Building> {
        let (table, index) = self.begin_index(unit, new)?;
        Ok(Building { table, index, behind: None, batch: Batch::default() })
    }
}

impl Building {
    /// Goes on for some rows. The table with its index, when that is done; `None`: others have their turn, then once more.
    ///
    /// # Errors
    /// -603 if two rows have the same key of a unique index.
    pub fn go_on(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Tried<Option<Arc<Table>>> {
        rows_behind(work, unit, (self.table.id.0, self.behind), &mut self.batch)?;
        let done = self.batch.len() < limits::FILL_ROWS;
        let engine = &work.tables.engine;
        let mut filling = engine.begin(engine.locks().new_owner());
        let mut last = self.behind;
        let put = self.put_entries(work, &mut *filling, &mut last);
        // What was put stays, also where the next entry has to wait.
        match filling.commit_unforced().now() {
            Ok(committed) => committed?,
            // Put once more when it has committed: the same entries.
            Err(answer) => return work.later(Awaited::Commit(answer)),
        }
        self.behind = last;
        put?;
        if !done {
            return Ok(None);
        }
        let mut changed = (*self.table).clone();
        changed.indexes.push(self.index.clone());
        work.replace_table(unit, Some(&self.table), Some(changed)).map(Some)
    }

    /// Puts the entries of the rows that were read; `last` is the last one that has its entry.
    fn put_entries(
        &self,
        work: &mut Work,
        filling: &mut dyn UnitOfWork,
        last: &mut Option<Rid>,
    ) -> Tried<()> {
        let store = self.index.id.0;
        let (mut key, mut found) = (Vec::new(), Vec::new());
        for (number, row) in self.batch.iter() {
            let rid = Rid::from_key(number).ok_or_else(|| corrupt("the number of a row"))?;
            let is_unique = key_in(&*work.tables.form, &self.table, &self.index, row, &mut key)?;
            let entry = entry_key(&key, is_unique, rid);
            if is_unique && work.read(filling, store, &entry, &mut found)? && found != rid.key() {
                return Err(Failure::new(-603, [self.index.name.to_string()]).into());
            }
            ready(filling.put(store, &entry, &rid.key()))?;
            *last = Some(rid);
        }
        Ok(())
    }
}

/// Reads the rows behind one, up to so many.
fn rows_behind(
    work: &mut Work,
    unit: &mut dyn UnitOfWork,
    (rows, behind): (StoreId, Option<Rid>),
    batch: &mut Batch,
) -> Tried<()> {
    let beginning = behind.map_or(Beginning::Start, |rid| Beginning::Beyond(Key::from_slice(&rid.key())));
    let origin = beginning.origin().unwrap_or(Origin::Start);
    let read = unit.range(rows, origin, Direction::Forward, limits::FILL_ROWS, batch).now().ok();
    match read {
        Some(read) => Ok(read?),
        None => work.later(Awaited::Range(rows, beginning, Direction::Forward, limits::FILL_ROWS)),
    }
}
