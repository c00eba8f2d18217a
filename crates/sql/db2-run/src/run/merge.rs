//! MERGE: the rows to add are made, then those that there are change, then the others are added. To the rows it is one statement.

use super::change::Changing;
use super::insert::Inserting;
use super::{Pause, RunState, Scope};
use crate::failed::{Failed, Refused};
use crate::plan::Merge;
use crate::rows::{NumberOf, Path, Range, Rid, Rows, Tried, Wish};

/// MERGE on its way.
pub(super) struct Merging<C> {
    stage: Stage,
    insert: Option<Inserting<C>>,
    change: Option<Changing<C>>,
    has_begun: bool,
}

#[derive(Clone, Copy)]
enum Stage {
    Making,
    Begin,
    Changing,
    Adding,
    Ending,
    End,
}

impl<C> Merging<C> {
    pub(super) fn new(merge: &Merge) -> Self {
        Self {
            stage: Stage::Making,
            insert: merge.insert.as_ref().map(Inserting::new),
            change: merge.change.as_ref().map(|change| Changing::new(change, None)),
            has_begun: false,
        }
    }

    /// The number of rows that were changed or added.
    pub(super) fn count(&self) -> u64 {
        let added = self.insert.as_ref().map_or(0, |insert| insert.count);
        added + self.change.as_ref().map_or(0, |change| change.count)
    }

    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        merge: &Merge,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        loop {
            match self.stage {
                Stage::Making => {
                    if let (Some(work), Some(insert)) = (&mut self.insert, &merge.insert) {
                        work.make(insert, scope, state, &mut Part(rows))?;
                    }
                    self.stage = Stage::Begin;
                }
                Stage::Begin => {
                    rows.begin_statement();
                    self.has_begun = true;
                    self.stage = Stage::Changing;
                }
                Stage::Changing => {
                    if let (Some(work), Some(change)) = (&mut self.change, &merge.change) {
                        work.step(change, scope, state, &mut Part(rows)).map_err(twice)?;
                    }
                    self.stage = Stage::Adding;
                }
                Stage::Adding => {
                    if let (Some(work), Some(insert)) = (&mut self.insert, &merge.insert) {
                        work.step(insert, scope, state, &mut Part(rows))?;
                    }
                    self.stage = Stage::Ending;
                }
                Stage::Ending => {
                    rows.end_statement()?;
                    self.stage = Stage::End;
                }
                Stage::End => return Ok(()),
            }
        }
    }

    /// Closes its parts. Returns true if it has begun to change rows: they must be put back.
    pub(super) fn close<R: Rows<Cursor = C>>(self, state: &mut RunState, rows: &mut R) -> bool {
        if let Some(mut insert) = self.insert {
            insert.close(state, &mut Part(rows));
        }
        if let Some(change) = self.change {
            change.close(state, &mut Part(rows));
        }
        self.has_begun && !matches!(self.stage, Stage::End)
    }
}

/// Two rows of the source for one of the table are -788.
fn twice<F>(pause: Pause<F>) -> Pause<F> {
    match pause {
        Pause::Failed(Failed::Refused(Refused { code: -811, token, .. })) => {
            Pause::Failed(Failed::Refused(Refused { code: -788, state: b"21506", token }))
        }
        pause => pause,
    }
}

/// The rows as a part of the statement sees them: it neither begins nor ends it.
struct Part<'r, R>(&'r mut R);

impl<R: Rows> Rows for Part<'_, R> {
    type Cursor = R::Cursor;
    type Failure = R::Failure;

    fn open(&mut self, table: &str, path: Path, range: Range, wish: Wish) -> Tried<R::Cursor, R::Failure> {
        self.0.open(table, path, range, wish)
    }

    fn next(&mut self, cursor: &mut R::Cursor, row: &mut Vec<u8>) -> Tried<Option<Rid>, R::Failure> {
        self.0.next(cursor, row)
    }

    fn refuse(&mut self, cursor: &mut R::Cursor) {
        self.0.refuse(cursor);
    }

    fn close(&mut self, cursor: R::Cursor) {
        self.0.close(cursor);
    }

    fn row(&mut self, table: &str, rid: Rid, wish: Wish, row: &mut Vec<u8>) -> Tried<bool, R::Failure> {
        self.0.row(table, rid, wish, row)
    }

    fn insert(&mut self, table: &str, row: &[u8]) -> Tried<Rid, R::Failure> {
        self.0.insert(table, row)
    }

    fn update(&mut self, table: &str, rid: Rid, row: &[u8]) -> Tried<bool, R::Failure> {
        self.0.update(table, rid, row)
    }

    fn delete(&mut self, table: &str, rid: Rid) -> Tried<bool, R::Failure> {
        self.0.delete(table, rid)
    }

    fn number(&mut self, of: NumberOf<'_>) -> Tried<Option<i64>, R::Failure> {
        self.0.number(of)
    }

    fn begin_statement(&mut self) {}

    fn end_statement(&mut self) -> Tried<(), R::Failure> {
        Ok(())
    }

    fn undo_statement(&mut self) -> Tried<(), R::Failure> {
        Ok(())
    }
}
