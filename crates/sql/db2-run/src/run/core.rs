//! Rows of joined sources: a loop in a loop for each, with conditions tested as soon as they can be.

use db2_values::{Decimal, Value, row};

use super::nested::Nested;
use super::room::size_of;
use super::slot::SlotRun;
use super::{Pause, RunState, Scope};
use crate::failed::Refused;
use crate::plan::{Check, Core, Found, From, Level, Numbered};
use crate::rows::{NumberOf, Path, Range, Rid, Rows};
use db2_syntax::tree::{Join, Number};

/// A core on its way, with queries of a type inside of it.
pub(super) struct CoreRun<Q: Nested> {
    phase: Phase,
    levels: Vec<LevelRun<Q>>,
    pub(super) slots: Vec<SlotRun<Q>>,
    /// Numbers of sequences that are there already, of those that are asked for now.
    numbered: usize,
}

/// The next thing to do. Each is done at once, or waits and is done once more.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The subqueries that are the same for all rows.
    Once,
    Open(usize),
    Next(usize),
    /// A condition of the join, by its number.
    On(usize, usize),
    /// A condition of the row.
    Checks(usize, usize),
    /// Subqueries for the values of the row.
    Late,
    /// A row is there.
    Row,
    End,
}

struct LevelRun<Q: Nested> {
    at: At<Q>,
    /// True if the row before it was joined to one.
    has_matched: bool,
    /// True while its columns are NULL, since there was none.
    is_padded: bool,
    rid: Option<Rid>,
    /// Rows that are the same each time.
    kept: Option<Kept>,
}

/// A place among the rows of a level.
enum At<Q: Nested> {
    Nowhere,
    Table(Q::Cursor),
    Query(Box<Q>),
    /// The number of the next.
    Kept(usize),
    /// True: the row is still to come.
    One(bool),
    /// The number of the next row of the statement's change.
    Changed(usize),
}

struct Kept {
    rows: Vec<Box<[Value]>>,
    is_whole: bool,
}

impl<Q: Nested> CoreRun<Q> {
    pub(super) fn new(core: &Core) -> Self {
        let level = |_: &Level| LevelRun {
            at: At::Nowhere,
            has_matched: false,
            is_padded: false,
            rid: None,
            kept: None,
        };
        Self {
            phase: Phase::Once,
            levels: core.levels.iter().map(level).collect(),
            slots: core.slots.iter().map(|_| SlotRun::new()).collect(),
            numbered: 0,
        }
    }

    /// Does the subqueries that are the same for all rows.
    pub(super) fn prepare<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        self.ask(core, &core.once, scope, state, rows)?;
        self.number(&core.numbers, false, state, rows)
    }

    /// Asks for numbers of sequences: the next ones for a row, and behind them those that were given before; or these alone.
    pub(super) fn number<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        numbers: &[Numbered],
        is_row: bool,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        if numbers.is_empty() {
            return Ok(());
        }
        let is_next = |numbered: &&Numbered| numbered.of == Number::Next;
        let (next, others): (Vec<_>, Vec<_>) = numbers.iter().partition(is_next);
        // Where there is a next one, the one before it is that: it is asked for behind it.
        let is_alone = next.is_empty();
        let wanted = match (is_row, is_alone) {
            (true, false) => [next, others].concat(),
            (false, true) => others,
            _ => return Ok(()),
        };
        while let Some(numbered) = wanted.get(self.numbered) {
            let of = match numbered.of {
                Number::Next => NumberOf::Next(&numbered.name),
                Number::Previous => NumberOf::Previous(&numbered.name),
                Number::Identity => NumberOf::LastIdentity,
            };
            state.made[numbered.made] = match (rows.number(of)?, numbered.of) {
                (None, _) => Value::Null,
                (Some(number), Number::Identity) => Value::Decimal(Decimal::whole(number)),
                (Some(number), _) => Value::Whole(number),
            };
            self.numbered += 1;
        }
        self.numbered = 0;
        Ok(())
    }

    /// Goes to the next row: its values are in the columns of the statement. False: there are no more.
    pub(super) fn next<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        loop {
            match self.phase {
                Phase::Once => {
                    self.prepare(core, scope, state, rows)?;
                    self.phase = if core.levels.is_empty() { Phase::Late } else { Phase::Open(0) };
                }
                Phase::Open(at) => {
                    self.open(core, at, scope, state, rows)?;
                    self.phase = Phase::Next(at);
                }
                Phase::Next(at) => self.step(core, at, scope, state, rows)?,
                Phase::On(at, number) => {
                    let level = &core.levels[at];
                    let Some(check) = level.on.get(number) else {
                        self.levels[at].has_matched = true;
                        self.phase = Phase::Checks(at, 0);
                        continue;
                    };
                    let holds = self.check(core, check, scope, state, rows)?;
                    self.phase = if holds { Phase::On(at, number + 1) } else { self.refused(at, rows) };
                }
                Phase::Checks(at, number) => {
                    let Some(check) = core.levels[at].checks.get(number) else {
                        let is_last = at + 1 == core.levels.len();
                        self.phase = if is_last { Phase::Late } else { Phase::Open(at + 1) };
                        continue;
                    };
                    let holds = self.check(core, check, scope, state, rows)?;
                    self.phase = if holds { Phase::Checks(at, number + 1) } else { self.refused(at, rows) };
                }
                Phase::Late => {
                    self.ask(core, &core.late, scope, state, rows)?;
                    self.number(&core.numbers, true, state, rows)?;
                    self.phase = Phase::Row;
                    return Ok(true);
                }
                Phase::Row => {
                    self.forget(&core.late);
                    self.phase = core.levels.len().checked_sub(1).map_or(Phase::End, Phase::Next);
                }
                Phase::End => return Ok(false),
            }
        }
    }

    /// Lets go of a row that is not meant.
    fn refused<R: Rows<Cursor = Q::Cursor>>(&mut self, at: usize, rows: &mut R) -> Phase {
        let level = &mut self.levels[at];
        if let At::Table(cursor) = &mut level.at
            && !level.is_padded
        {
            rows.refuse(cursor);
        }
        Phase::Next(at)
    }

    /// Opens the rows of a level.
    fn open<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        at: usize,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        use std::ops::Bound::{Included, Unbounded};
        let place = match &core.levels[at].from {
            From::System(_) => At::Kept(0),
            From::Itself(_) => At::One(true),
            From::Changed => At::Changed(0),
            From::Query(query, is_same) => {
                let level = &mut self.levels[at];
                let is_kept = *is_same && at > 0;
                match &mut level.kept {
                    Some(kept) if kept.is_whole => At::Kept(0),
                    kept => {
                        *kept = is_kept.then(|| Kept { rows: Vec::new(), is_whole: false });
                        At::Query(Box::new(Q::new(query)))
                    }
                }
            }
            From::Table { table, access, wish } => {
                let range = match access.found(&state.frame(scope))? {
                    Found::Nothing => None,
                    Found::One(key) => {
                        Some(Range { low: Included(key.clone()), high: Included(key), is_backward: false })
                    }
                    Found::Range(_) if access.path == Path::Scan => {
                        Some(Range { low: Unbounded, high: Unbounded, is_backward: false })
                    }
                    Found::Range(range) => Some(range),
                };
                match range {
                    None => At::Nowhere,
                    Some(range) => {
                        let name = &scope.plan.tables[*table].table.name;
                        At::Table(rows.open(name, access.path, range, *wish)?)
                    }
                }
            }
        };
        let level = &mut self.levels[at];
        level.at = place;
        (level.has_matched, level.is_padded) = (false, false);
        Ok(())
    }

    /// Goes to the next row of a level, or back to the level before it.
    fn step<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        at: usize,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let (level, plan) = (&mut self.levels[at], &core.levels[at]);
        if !level.is_padded && level.next(plan, scope, state, rows)? {
            self.phase = Phase::On(at, 0);
            return Ok(());
        }
        let is_alone = plan.join == Join::Left && !level.has_matched && !level.is_padded;
        if is_alone {
            level.is_padded = true;
            state.columns[plan.columns.clone()].fill(Value::Null);
            self.phase = Phase::Checks(at, 0);
            return Ok(());
        }
        level.close(state, rows);
        self.phase = at.checked_sub(1).map_or(Phase::End, Phase::Next);
        Ok(())
    }

    /// Tests a condition.
    pub(super) fn check<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        check: &Check,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        self.ask(core, &check.slots, scope, state, rows)?;
        self.forget(&check.slots);
        Ok(check.test.holds(&state.frame(scope))?)
    }

    /// Puts the values of subqueries into their places, each until it is forgotten.
    pub(super) fn ask<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        core: &Core,
        slots: &[usize],
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        slots.iter().try_for_each(|slot| self.slots[*slot].ask(&core.slots[*slot], scope, state, rows))
    }

    /// Forgets their values: they belonged to a row.
    pub(super) fn forget(&mut self, slots: &[usize]) {
        slots.iter().for_each(|slot| self.slots[*slot].is_known = false);
    }

    /// The row of the first source.
    pub(super) fn rid(&self) -> Option<Rid> {
        self.levels.first().and_then(|level| level.rid)
    }

    /// Adds the cursors that are open.
    pub(super) fn cursors<'r>(&'r mut self, found: &mut Vec<&'r mut Q::Cursor>) {
        for level in &mut self.levels {
            match &mut level.at {
                At::Table(cursor) => found.push(cursor),
                At::Query(run) => run.cursors(found),
                At::Nowhere | At::Kept(_) | At::One(_) | At::Changed(_) => {}
            }
        }
        self.slots.iter_mut().for_each(|slot| slot.cursors(found));
    }

    /// Ends its loops; its subqueries stay.
    pub(super) fn close_levels<R: Rows<Cursor = Q::Cursor>>(&mut self, state: &mut RunState, rows: &mut R) {
        self.phase = Phase::End;
        for level in &mut self.levels {
            level.close(state, rows);
            level.forget(state);
        }
    }

    pub(super) fn close<R: Rows<Cursor = Q::Cursor>>(&mut self, state: &mut RunState, rows: &mut R) {
        self.close_levels(state, rows);
        self.slots.iter_mut().for_each(|slot| slot.close(state, rows));
    }
}

impl<Q: Nested> LevelRun<Q> {
    /// Goes to the next row and puts its values into their columns. False: there are no more.
    fn next<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        level: &Level,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        state.may_go_on(scope)?;
        match (&mut self.at, &level.from) {
            (At::Table(cursor), From::Table { table, .. }) => {
                self.rid = rows.next(cursor, &mut state.bytes)?;
                if self.rid.is_none() {
                    return Ok(false);
                }
                state.looked += 1;
                state.read(*table, level.columns.clone(), scope)?;
                Ok(true)
            }
            (At::Query(run), From::Query(query, _)) => {
                if !run.step(query, scope, state, rows)? {
                    if let Some(kept) = &mut self.kept {
                        kept.is_whole = true;
                    }
                    return Ok(false);
                }
                if let Some(kept) = &mut self.kept {
                    state.room.take(size_of(run.row()))?;
                    kept.rows.push(run.row().clone().into());
                }
                state.put(level.columns.clone(), run.row().drain(..));
                Ok(true)
            }
            (At::Kept(next), From::System(rows)) => {
                let Some(row) = rows.get(*next) else { return Ok(false) };
                *next += 1;
                state.looked += 1;
                state.put(level.columns.clone(), row.iter().cloned());
                Ok(true)
            }
            (At::Kept(next), _) => {
                let row = self.kept.as_ref().and_then(|kept| kept.rows.get(*next));
                let Some(row) = row else { return Ok(false) };
                *next += 1;
                state.looked += 1;
                state.put(level.columns.clone(), row.iter().cloned());
                Ok(true)
            }
            (At::Changed(next), _) => {
                let Some(row) = state.changed_row(*next) else { return Ok(false) };
                *next += 1;
                state.looked += 1;
                state.put(level.columns.clone(), row.into_vec().into_iter());
                Ok(true)
            }
            (At::One(is_to_come), From::Itself(made)) if *is_to_come => {
                *is_to_come = false;
                state.looked += 1;
                let row = state.made[made.clone()].to_vec();
                state.put(level.columns.clone(), row.into_iter());
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn close<R: Rows<Cursor = Q::Cursor>>(&mut self, state: &mut RunState, rows: &mut R) {
        match std::mem::replace(&mut self.at, At::Nowhere) {
            At::Table(cursor) => rows.close(cursor),
            At::Query(mut run) => run.close(state, rows),
            At::Nowhere | At::Kept(_) | At::One(_) | At::Changed(_) => {}
        }
        // Rows that are not all there are no use.
        if self.kept.as_ref().is_some_and(|kept| !kept.is_whole) {
            self.forget(state);
        }
    }

    fn forget(&mut self, state: &mut RunState) {
        let rows = self.kept.take().map(|kept| kept.rows).unwrap_or_default();
        rows.iter().for_each(|row| state.room.give(size_of(row)));
    }
}

impl RunState {
    /// Puts the values of the row that was read into its columns; of columns that it does not have yet, NULL.
    pub(super) fn read(
        &mut self,
        table: usize,
        columns: std::ops::Range<usize>,
        scope: &Scope<'_>,
    ) -> Result<(), Refused> {
        let of = &scope.plan.tables[table];
        let wanted = scope.plan.wanted.get(columns.clone()).unwrap_or_default();
        row::decode_into(&self.bytes, &of.kinds, wanted, &mut self.columns[columns])
            .map_err(|_| Refused::damaged(&of.table.name))
    }

    /// Puts values into columns; the others become NULL.
    fn put(&mut self, columns: std::ops::Range<usize>, mut values: impl Iterator<Item = Value>) {
        for column in &mut self.columns[columns] {
            *column = values.next().unwrap_or(Value::Null);
        }
    }
}
