//! UPDATE and DELETE.

use db2_values::{Value, assign, row, text_of};

use super::core::CoreRun;
use super::query::QueryRun;
use super::rules::{Of, Ruling, check};
use super::{Pause, RunState, Scope};
use crate::failed::Refused;
use crate::plan::{Change, Given, Insert};
use crate::rows::{Rid, Rows};

/// A change on its way. The rows that it means are found first, all of them: so it never meets its own.
pub(super) struct Changing<C> {
    stage: Stage,
    core: CoreRun<QueryRun<C>>,
    /// The row of the cursor of a positioned change.
    current: Option<Rid>,
    found: Vec<Rid>,
    rules: Ruling<C>,
    pub(super) count: u64,
}

#[derive(Clone, Copy)]
enum Stage {
    Begin,
    Looking,
    /// The rows found, by the place of the next.
    Read(usize),
    /// A condition is tested once more, by its number.
    Check(usize, usize),
    /// Subqueries of new values.
    Late(usize),
    Change(usize),
    /// Rules between tables.
    Rules,
    /// All is changed.
    Ending,
    End,
}

impl<C> Changing<C> {
    pub(super) fn new(change: &Change, current: Option<Rid>) -> Self {
        Self {
            stage: Stage::Begin,
            core: CoreRun::new(&change.core),
            current,
            found: Vec::new(),
            rules: Ruling::new(&change.rules),
            count: 0,
        }
    }

    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        change: &Change,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        loop {
            match self.stage {
                Stage::Begin => {
                    self.core.prepare(&change.core, scope, state, rows)?;
                    self.core.number(&change.numbers, false, state, rows)?;
                    if let Some(cursor) = &change.cursor {
                        self.found.push(self.current.ok_or_else(|| Refused::no_row(cursor))?);
                    }
                    rows.begin_statement();
                    self.stage = if change.cursor.is_some() { Stage::Read(0) } else { Stage::Looking };
                }
                Stage::Looking => {
                    if self.core.next(&change.core, scope, state, rows)? {
                        state.room.take(size_of::<Rid>())?;
                        self.found.extend(self.core.rid());
                    } else {
                        self.core.close_levels(state, rows);
                        self.stage = Stage::Read(0);
                    }
                }
                Stage::Read(at) => self.read(change, at, scope, state, rows)?,
                Stage::Check(at, number) => {
                    // Between the search and now another unit of work may have had it.
                    let checks = change.core.levels.first().map_or(&[][..], |level| &level.checks);
                    let Some(check) = checks.get(number) else {
                        self.stage = Stage::Late(at);
                        continue;
                    };
                    let holds = self.core.check(&change.core, check, scope, state, rows)?;
                    self.stage = if holds { Stage::Check(at, number + 1) } else { Stage::Read(at + 1) };
                }
                Stage::Late(at) => {
                    self.core.ask(&change.core, &change.core.late, scope, state, rows)?;
                    self.core.number(&change.numbers, true, state, rows)?;
                    self.core.forget(&change.core.late);
                    self.stage = Stage::Change(at);
                }
                Stage::Change(at) => {
                    self.count += u64::from(self.change(change, at, scope, state, rows)?);
                    self.stage = Stage::Read(at + 1);
                }
                Stage::Rules => {
                    self.rules.step(&change.rules, scope, state, rows)?;
                    self.stage = Stage::Ending;
                }
                Stage::Ending => {
                    if !state.has_query_around() {
                        rows.end_statement()?;
                    }
                    self.stage = Stage::End;
                }
                Stage::End => return Ok(()),
            }
        }
    }

    /// Reads the next row that was found, if it is still there.
    fn read<R: Rows<Cursor = C>>(
        &mut self,
        change: &Change,
        at: usize,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let Some(rid) = self.found.get(at).copied() else {
            self.stage = if change.rules.has_more() { Stage::Rules } else { Stage::Ending };
            return Ok(());
        };
        state.may_go_on(scope)?;
        let of = &scope.plan.tables[0];
        let is_there = rows.row(&of.table.name, rid, change.wish, &mut state.bytes)?;
        state.looked += 1;
        match &change.cursor {
            _ if is_there => {
                state.read(0, 0..of.kinds.len(), scope)?;
                self.stage = Stage::Check(at, 0);
            }
            Some(cursor) => return Err(Refused::no_row(cursor).into()),
            None => self.stage = Stage::Read(at + 1),
        }
        Ok(())
    }

    fn change<R: Rows<Cursor = C>>(
        &mut self,
        change: &Change,
        at: usize,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        let of = &scope.plan.tables[0];
        let rid = self.found[at];
        let width = of.kinds.len();
        let Some(sets) = &change.sets else {
            let is_deleted = rows.delete(&of.table.name, rid)?;
            if is_deleted {
                let old = state.columns[..width].to_vec();
                state.changes(Some(&old), None)?;
                self.rules.keep(Of::Deleted(0), &old, &change.rules, state)?;
            }
            return Ok(is_deleted);
        };
        // All values are of the old row.
        let mut new = state.columns[..width].to_vec();
        for (column, value) in sets {
            new[*column] = assigned(value.value(&state.frame(scope))?.into_owned(), *column, scope)?;
        }
        check(&change.rules, &mut new, scope, state)?;
        let is_changed = rows.update(&of.table.name, rid, &row::encode(&new, &of.kinds))?;
        if is_changed {
            if state.has_query_around() {
                let old = state.columns[..width].to_vec();
                state.changes(Some(&old), Some(&new))?;
            }
            self.rules.keep(Of::New, &new, &change.rules, state)?;
            if change.rules.key.iter().any(|column| new[*column] != state.columns[*column]) {
                let old = state.columns[..width].to_vec();
                self.rules.keep(Of::Old, &old, &change.rules, state)?;
            }
        }
        Ok(is_changed)
    }

    /// Closes what it looks at. Returns true if it has begun to change rows: they must be put back.
    pub(super) fn close<R: Rows<Cursor = C>>(mut self, state: &mut RunState, rows: &mut R) -> bool {
        self.core.close(state, rows);
        self.rules.close(state, rows);
        !matches!(self.stage, Stage::Begin | Stage::End)
    }
}

/// A value as a column of the table takes it.
fn assigned(value: Value, column: usize, scope: &Scope<'_>) -> Result<Value, Refused> {
    let column = &scope.plan.tables[0].table.columns[column];
    // The message of a text that is no date names the text.
    let text = match &value {
        Value::Text(_) if column.kind.is_datetime() => Some(text_of(&value, scope.setting)),
        _ => None,
    };
    assign(value, column.kind, column.is_nullable, scope.setting)
        .map_err(|unfit| Refused::column(unfit, &column.name, text.as_deref()))
}

/// The values of a new row, made of one of the query's.
pub(super) fn new_row(
    insert: &Insert,
    outputs: &mut [Value],
    scope: &Scope<'_>,
    state: &RunState,
) -> Result<Vec<Value>, Refused> {
    let mut new = Vec::with_capacity(insert.columns.len());
    for (column, given) in insert.columns.iter().enumerate() {
        let value = match given {
            Given::Output(output) => outputs.get_mut(*output).map(std::mem::take).unwrap_or_default(),
            Given::Default(value) => value.value(&state.frame(scope))?.into_owned(),
        };
        new.push(assigned(value, column, scope)?);
    }
    Ok(new)
}
