//! A query over the rows of a change. The change is done as a whole first; its statement ends behind the last row.

use super::change::Changing;
use super::insert::Inserting;
use super::nested::Nested;
use super::query::QueryRun;
use super::{Pause, RunState, Scope};
use crate::plan::{Action, Through};
use crate::rows::{Rid, Rows};

/// A change and the query over its rows, on their way.
pub(super) struct ThroughRun<C> {
    stage: Stage,
    change: Change<C>,
    pub(super) query: QueryRun<C>,
}

enum Change<C> {
    Insert(Box<Inserting<C>>),
    Other(Box<Changing<C>>),
    /// There is none.
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Changing,
    Giving,
    Ending,
    End,
}

impl<C> ThroughRun<C> {
    pub(super) fn new(through: &Through, current: Option<Rid>) -> Self {
        let change = match &through.change {
            Action::Insert(insert) => Change::Insert(Box::new(Inserting::new(insert))),
            Action::Change(change) => Change::Other(Box::new(Changing::new(change, current))),
            Action::Query(_) | Action::Merge(_) | Action::Through(_) => Change::Nothing,
        };
        Self { stage: Stage::Changing, change, query: QueryRun::new(&through.query) }
    }

    /// Rows that were changed so far.
    pub(super) fn count(&self) -> u64 {
        match &self.change {
            Change::Insert(insert) => insert.count,
            Change::Other(change) => change.count,
            Change::Nothing => 0,
        }
    }

    /// Goes to the next row. False: there are no more, and the statement has ended.
    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        through: &Through,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        loop {
            match self.stage {
                Stage::Changing => {
                    if !state.has_query_around() {
                        state.keep_changed(through.is_old);
                    }
                    match (&mut self.change, &through.change) {
                        (Change::Insert(work), Action::Insert(insert)) => {
                            work.step(insert, scope, state, rows)?
                        }
                        (Change::Other(work), Action::Change(change)) => {
                            work.step(change, scope, state, rows)?
                        }
                        _ => {}
                    }
                    self.stage = Stage::Giving;
                }
                Stage::Giving => {
                    if self.query.step(&through.query, scope, state, rows)? {
                        return Ok(true);
                    }
                    self.stage = Stage::Ending;
                }
                Stage::Ending => {
                    rows.end_statement()?;
                    self.stage = Stage::End;
                }
                Stage::End => return Ok(false),
            }
        }
    }

    /// Closes both. Returns true if rows were changed that must be put back.
    pub(super) fn close<R: Rows<Cursor = C>>(mut self, state: &mut RunState, rows: &mut R) -> bool {
        self.query.close(state, rows);
        let has_begun = match self.change {
            Change::Insert(mut work) => work.close(state, rows),
            Change::Other(work) => work.close(state, rows),
            Change::Nothing => false,
        };
        match self.stage {
            Stage::Changing => has_begun,
            Stage::Giving | Stage::Ending => true,
            Stage::End => false,
        }
    }
}
