//! Plans carried out.

mod change;
mod combined;
mod core;
mod groups;
mod insert;
mod merge;
mod nested;
mod query;
mod room;
mod rules;
mod slot;
mod sort;
mod state;
mod through;
mod totals;

use std::sync::Arc;

use db2_values::{Setting, Value};

use crate::failed::Failed;
use crate::limits;
use crate::plan::{Action, Plan};
use crate::rows::{Rid, Rows, Stop};

use change::Changing;
use insert::Inserting;
use merge::Merging;
use nested::Nested;
use query::QueryRun;
use state::RunState;
use through::ThroughRun;

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows that are looked at before it gives way.
    pub turn_rows: u32,
    /// Bytes of sorts, groups, DISTINCT, kept rows of subqueries, rows to add, and the numbers of rows to change.
    pub sort_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turn_rows: limits::TURN_ROWS, sort_bytes: limits::SORT_BYTES }
    }
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is a row of results: [`Run::row`].
    Row,
    /// There are no more; a change is done.
    End,
    /// Many rows were looked at: others may run before the next step.
    GiveWay,
    /// A row cannot be had now: wait as the rows say, then take the next step.
    Later,
}

/// A statement that runs over rows with cursors of a type. It borrows nothing, so that it may stay between the FETCHes of a cursor and over commits.
pub struct Run<C, F> {
    plan: Arc<Plan>,
    /// The surroundings of its expressions, and the warnings that there were.
    setting: Setting,
    variables: Vec<Value>,
    limits: Limits,
    state: RunState,
    work: Work<C, F>,
}

enum Work<C, F> {
    Query(QueryRun<C>),
    Insert(Box<Inserting<C>>),
    Change(Changing<C>),
    Through(Box<ThroughRun<C>>),
    Merge(Box<Merging<C>>),
    /// Changes are put back; then there is the reason, if the statement has failed.
    Undo(Option<Failed<F>>),
    Done,
}

/// The parts of a run that a step works with.
struct Scope<'s> {
    plan: &'s Plan,
    setting: &'s Setting,
    variables: &'s [Value],
    limits: Limits,
}

/// The end of a step that is no row.
enum Pause<F> {
    Later,
    GiveWay,
    Failed(Failed<F>),
}

impl<F> From<Stop<F>> for Pause<F> {
    fn from(stop: Stop<F>) -> Self {
        match stop {
            Stop::Later => Self::Later,
            Stop::Failed(failure) => Self::Failed(Failed::Rows(failure)),
        }
    }
}

impl<F, E: Into<Failed<F>>> From<E> for Pause<F> {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl<C, F> Run<C, F> {
    /// A run of a plan with the values of its variables, in the order of [`Plan::variables`] and of their types.
    pub fn new(plan: Arc<Plan>, variables: Vec<Value>, setting: Setting, limits: Limits) -> Self {
        Self::positioned(plan, variables, setting, limits, None)
    }

    /// A run of a positioned change ([`Plan::cursor`]): `current` is the row on which the cursor is.
    pub fn positioned(
        plan: Arc<Plan>,
        variables: Vec<Value>,
        setting: Setting,
        limits: Limits,
        current: Option<Rid>,
    ) -> Self {
        let work = match &plan.action {
            Action::Query(query) => Work::Query(QueryRun::new(query)),
            Action::Insert(insert) => Work::Insert(Box::new(Inserting::new(insert))),
            Action::Change(change) => Work::Change(Changing::new(change, current)),
            Action::Through(through) => Work::Through(Box::new(ThroughRun::new(through, current))),
            Action::Merge(merge) => Work::Merge(Box::new(Merging::new(merge))),
        };
        let state = RunState::new(&plan, limits.sort_bytes);
        Self { plan, setting, variables, limits, state, work }
    }

    /// Goes on to the next row of results, or to the end.
    ///
    /// # Errors
    /// The statement fails. Its changes are put back, and it is at its end.
    pub fn next<R: Rows<Cursor = C, Failure = F>>(&mut self, rows: &mut R) -> Result<Step, Failed<F>> {
        let scope = Scope {
            plan: &self.plan,
            setting: &self.setting,
            variables: &self.variables,
            limits: self.limits,
        };
        let state = &mut self.state;
        state.looked = 0;
        let found = match (&mut self.work, &self.plan.action) {
            (Work::Query(work), Action::Query(query)) => match work.step(query, &scope, state, rows) {
                Ok(true) => Ok(Step::Row),
                Ok(false) => Ok(Step::End),
                Err(pause) => Err(pause),
            },
            (Work::Insert(work), Action::Insert(insert)) => {
                work.step(insert, &scope, state, rows).map(|()| Step::End)
            }
            (Work::Change(work), Action::Change(change)) => {
                work.step(change, &scope, state, rows).map(|()| Step::End)
            }
            (Work::Through(work), Action::Through(through)) => {
                match work.step(through, &scope, state, rows) {
                    Ok(true) => Ok(Step::Row),
                    Ok(false) => Ok(Step::End),
                    Err(pause) => Err(pause),
                }
            }
            (Work::Merge(work), Action::Merge(merge)) => {
                work.step(merge, &scope, state, rows).map(|()| Step::End)
            }
            (Work::Undo(_), _) => return self.undo(rows),
            _ => return Ok(Step::End),
        };
        match found {
            Ok(step) => Ok(step),
            Err(Pause::Later) => Ok(Step::Later),
            Err(Pause::GiveWay) => Ok(Step::GiveWay),
            Err(Pause::Failed(failed)) => self.end(rows, Some(failed)),
        }
    }

    /// The row of results that the last step has made; none: it has made no row.
    pub fn row(&self) -> &[Value] {
        match &self.work {
            Work::Query(work) => &work.row,
            Work::Through(work) => &work.query.row,
            _ => &[],
        }
    }

    /// The row of the table on which a query is; `None`: it is on none, or its rows are made of several.
    pub fn current(&self) -> Option<Rid> {
        let Action::Query(query) = &self.plan.action else { return None };
        let has_one_source = matches!(query.blocks.as_slice(), [block] if block.core.levels.len() == 1);
        match &self.work {
            Work::Query(work) if has_one_source => work.current,
            _ => None,
        }
    }

    /// The cursors of its rows while it looks at them: for a commit that it stays open over.
    pub fn cursors(&mut self) -> Vec<&mut C> {
        let mut found = Vec::new();
        if let Work::Query(work) = &mut self.work {
            work.cursors(&mut found);
        }
        found
    }

    /// The first of them.
    pub fn cursor(&mut self) -> Option<&mut C> {
        self.cursors().into_iter().next()
    }

    /// Rows that a change has changed so far.
    pub fn count(&self) -> u64 {
        match &self.work {
            Work::Insert(work) => work.count,
            Work::Change(work) => work.count,
            Work::Through(work) => work.count(),
            Work::Merge(work) => work.count(),
            Work::Query(_) | Work::Undo(_) | Work::Done => 0,
        }
    }

    /// The surroundings of its expressions, with the warnings that there were.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Ends it before its end: its cursor is closed, and a change that is not done is put back. [`Step::Later`]: wait, then close it
    /// once more.
    ///
    /// # Errors
    /// The rows cannot put it back.
    pub fn close<R: Rows<Cursor = C, Failure = F>>(&mut self, rows: &mut R) -> Result<Step, Failed<F>> {
        match self.work {
            Work::Undo(_) => self.undo(rows),
            _ => self.end(rows, None),
        }
    }

    /// Ends it, for a reason or none.
    fn end<R: Rows<Cursor = C, Failure = F>>(
        &mut self,
        rows: &mut R,
        failed: Option<Failed<F>>,
    ) -> Result<Step, Failed<F>> {
        let has_changed = match std::mem::replace(&mut self.work, Work::Done) {
            Work::Query(mut work) => {
                work.close(&mut self.state, rows);
                false
            }
            Work::Insert(mut work) => work.close(&mut self.state, rows),
            Work::Change(work) => work.close(&mut self.state, rows),
            Work::Through(work) => work.close(&mut self.state, rows),
            Work::Merge(work) => work.close(&mut self.state, rows),
            Work::Undo(_) | Work::Done => false,
        };
        if has_changed {
            self.work = Work::Undo(failed);
            return self.undo(rows);
        }
        failed.map_or(Ok(Step::End), Err)
    }

    fn undo<R: Rows<Cursor = C, Failure = F>>(&mut self, rows: &mut R) -> Result<Step, Failed<F>> {
        match rows.undo_statement() {
            Err(Stop::Later) => return Ok(Step::Later),
            Err(Stop::Failed(failure)) => {
                self.work = Work::Done;
                return Err(Failed::Rows(failure));
            }
            Ok(()) => {}
        }
        match std::mem::replace(&mut self.work, Work::Done) {
            Work::Undo(Some(failed)) => Err(failed),
            _ => Ok(Step::End),
        }
    }
}
