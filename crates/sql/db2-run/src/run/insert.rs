//! INSERT.

use db2_values::{Value, row};

use super::change::new_row;
use super::nested::Nested;
use super::query::QueryRun;
use super::rules::{Of, Ruling, check};
use super::{Pause, RunState, Scope};
use crate::plan::Insert;
use crate::rows::{NumberOf, Rows};

/// Rows on their way into a table. All of them are made first: so a query never meets its own.
pub(super) struct Inserting<C> {
    stage: Stage,
    query: QueryRun<C>,
    rows: Vec<Vec<u8>>,
    rules: Ruling<C>,
    pub(super) count: u64,
}

#[derive(Clone, Copy)]
enum Stage {
    Making,
    /// A row of the query has come: its identity column gets its number.
    Made,
    /// The place of the next.
    New(usize),
    /// All are added: rules between tables.
    Rules,
    Ending,
    End,
}

/// Bytes of memory that a row takes beside its own.
const ENTRY: usize = size_of::<Vec<u8>>();

impl<C> Inserting<C> {
    pub(super) fn new(insert: &Insert) -> Self {
        Self {
            stage: Stage::Making,
            query: QueryRun::new(&insert.query),
            rows: Vec::new(),
            rules: Ruling::new(&insert.rules),
            count: 0,
        }
    }

    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        insert: &Insert,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        loop {
            match self.stage {
                Stage::Making | Stage::Made => self.making(insert, scope, state, rows)?,
                Stage::New(at) => {
                    let Some(row) = self.rows.get_mut(at) else {
                        self.stage = if insert.rules.has_more() { Stage::Rules } else { Stage::Ending };
                        continue;
                    };
                    state.may_go_on(scope)?;
                    rows.insert(&scope.plan.tables[0].table.name, row)?;
                    state.looked += 1;
                    state.room.give(std::mem::take(row).len() + ENTRY);
                    self.count += 1;
                    self.stage = Stage::New(at + 1);
                }
                Stage::Rules => {
                    self.rules.step(&insert.rules, scope, state, rows)?;
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

    /// Makes its rows, and adds none yet.
    pub(super) fn make<R: Rows<Cursor = C>>(
        &mut self,
        insert: &Insert,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        while matches!(self.stage, Stage::Making | Stage::Made) {
            self.making(insert, scope, state, rows)?;
        }
        Ok(())
    }

    fn making<R: Rows<Cursor = C>>(
        &mut self,
        insert: &Insert,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        if !matches!(self.stage, Stage::Made) && self.query.step(&insert.query, scope, state, rows)? {
            self.stage = Stage::Made;
        }
        if matches!(self.stage, Stage::Made) {
            if let Some(made) = insert.identity {
                let is_of_values = insert.query.blocks.iter().all(|block| block.core.levels.is_empty());
                let of = NumberOf::Identity(&scope.plan.tables[0].table.name, is_of_values);
                state.made[made] = rows.number(of)?.map_or(Value::Null, Value::Whole);
            }
            let mut new = new_row(insert, &mut self.query.row, scope, state)?;
            check(&insert.rules, &mut new, scope, state)?;
            state.changes(None, Some(&new))?;
            self.rules.keep(Of::New, &new, &insert.rules, state)?;
            let row = row::encode(&new, &scope.plan.tables[0].kinds);
            state.room.take(row.len() + ENTRY)?;
            self.rows.push(row);
            self.stage = Stage::Making;
        } else {
            self.query.close(state, rows);
            rows.begin_statement();
            self.stage = Stage::New(0);
        }
        Ok(())
    }

    /// Closes its query. Returns true if it has begun to add rows: they must be put back.
    pub(super) fn close<R: Rows<Cursor = C>>(&mut self, state: &mut RunState, rows: &mut R) -> bool {
        self.query.close(state, rows);
        self.rules.close(state, rows);
        matches!(self.stage, Stage::New(_) | Stage::Rules | Stage::Ending)
    }
}
