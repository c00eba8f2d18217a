//! Queries: the rows of blocks, grouped, each once, sorted, the first so many.

use std::borrow::Cow;
use std::collections::VecDeque;

use db2_values::{Unfit, Value, key};

use super::combined::Combined;
use super::core::CoreRun;
use super::groups::Gathered;
use super::nested::Nested;
use super::room::size_of;
use super::sort::Sort;
use super::totals::Seen;
use super::{Pause, RunState, Scope};
use crate::formula::{Formula, Frame};
use crate::plan::{Block, Query};
use crate::rows::{Rid, Rows};

/// A query on its way.
pub(super) struct QueryRun<C> {
    stage: Stage<C>,
    /// Rows of a DISTINCT block, and of blocks of a UNION, that were there.
    seen: Seen,
    united: Seen,
    sort: Option<Sort>,
    /// Rows of blocks with EXCEPT or INTERSECT between them, and the one that is given so many times more.
    combined: Combined,
    again: (Vec<Value>, u64),
    /// Rows for which recursive blocks are still to be run.
    queue: VecDeque<Box<[Value]>>,
    given: u64,
    /// Rows that were left out before the first.
    left_out: u64,
    /// Bytes of memory that it takes.
    size: usize,
    /// The row that was given before: its memory is used again.
    spare: Vec<Value>,
    pub(super) row: Vec<Value>,
    pub(super) current: Option<Rid>,
}

enum Stage<C> {
    /// The rows of a block, by its number.
    Rows(usize, CoreRun<QueryRun<C>>),
    /// Those of groups come in.
    Grouping(usize, CoreRun<QueryRun<C>>, Gathered),
    /// A group is to be taken; true: one is taken, and looked at.
    Groups(usize, CoreRun<QueryRun<C>>, Gathered, bool),
    /// Rows are combined, and come out.
    Combined,
    Sorted,
    End,
}

impl<C> Nested for QueryRun<C> {
    type Cursor = C;

    fn new(query: &Query) -> Self {
        Self {
            stage: begin(query, 0),
            seen: Seen::default(),
            united: Seen::default(),
            sort: (!query.sort.is_empty())
                .then(|| Sort::new(query.first.map(|first| first.saturating_add(query.offset)))),
            combined: Combined::default(),
            again: (Vec::new(), 0),
            queue: VecDeque::new(),
            given: 0,
            left_out: 0,
            size: 0,
            spare: Vec::new(),
            row: Vec::new(),
            current: None,
        }
    }

    fn step<R: Rows<Cursor = C>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        if !self.row.is_empty() {
            self.spare = std::mem::take(&mut self.row);
        }
        self.current = None;
        if query.first.is_some_and(|first| self.given >= first) {
            self.close(state, rows);
        }
        loop {
            match &mut self.stage {
                Stage::Rows(at, run) => {
                    let block = &query.blocks[*at];
                    if !run.next(&block.core, scope, state, rows)? {
                        let next = *at + 1;
                        self.turn(query, next, state, rows);
                        continue;
                    }
                    let (at, rid) = (*at, run.rid());
                    if self.accept(query, at, rid, scope, state)? {
                        return Ok(true);
                    }
                }
                Stage::Grouping(at, run, gathered) => {
                    let block = &query.blocks[*at];
                    let Some(groups) = &block.groups else { return Ok(false) };
                    if run.next(&block.core, scope, state, rows)? {
                        gathered.add(groups, scope, state)?;
                        continue;
                    }
                    run.close_levels(state, rows);
                    self.stage = match std::mem::replace(&mut self.stage, Stage::End) {
                        Stage::Grouping(at, run, gathered) => Stage::Groups(at, run, gathered, false),
                        other => other,
                    };
                }
                Stage::Groups(..) => {
                    if self.group(query, scope, state, rows)? {
                        return Ok(true);
                    }
                }
                Stage::Combined => {
                    if self.give_combined(query, scope, state)? {
                        return Ok(true);
                    }
                }
                Stage::Sorted => {
                    let next = self.sort.as_mut().and_then(|sort| sort.next(&mut state.room));
                    let Some((row, rid, size)) = next else {
                        self.stage = Stage::End;
                        continue;
                    };
                    self.size -= size;
                    if self.is_left_out(query) {
                        continue;
                    }
                    (self.row, self.current) = (row, rid);
                    self.given += 1;
                    return Ok(true);
                }
                Stage::End => return Ok(false),
            }
        }
    }

    fn row(&mut self) -> &mut Vec<Value> {
        &mut self.row
    }

    fn cursors<'r>(&'r mut self, found: &mut Vec<&'r mut C>) {
        match &mut self.stage {
            Stage::Rows(_, run) | Stage::Grouping(_, run, _) | Stage::Groups(_, run, ..) => {
                run.cursors(found)
            }
            Stage::Combined | Stage::Sorted | Stage::End => {}
        }
    }

    fn close<R: Rows<Cursor = C>>(&mut self, state: &mut RunState, rows: &mut R) {
        self.end_of_block(state, rows);
        self.sort = None;
        self.queue.clear();
        self.united = Seen::default();
        (self.combined, self.again) = (Combined::default(), (Vec::new(), 0));
        state.room.give(std::mem::take(&mut self.size));
    }
}

impl<C> QueryRun<C> {
    /// Looks at a group. Returns true if it is a row to be given.
    fn group<R: Rows<Cursor = C>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        let Stage::Groups(at, run, gathered, is_taken) = &mut self.stage else { return Ok(false) };
        let (at, block) = (*at, &query.blocks[*at]);
        let Some(groups) = &block.groups else { return Ok(false) };
        if !*is_taken {
            state.may_go_on(scope)?;
            state.looked += 1;
            if !gathered.take(groups, state)? {
                self.turn(query, at + 1, state, rows);
                return Ok(false);
            }
            *is_taken = true;
        }
        run.ask(&block.core, &groups.late, scope, state, rows)?;
        run.forget(&groups.late);
        *is_taken = false;
        let is_meant = match &groups.having {
            Some(having) => having.holds(&state.frame(scope))?,
            None => true,
        };
        if is_meant { self.accept(query, at, None, scope, state) } else { Ok(false) }
    }

    /// Takes the row whose values are in their places. Returns true if it is given at once.
    fn accept<F>(
        &mut self,
        query: &Query,
        at: usize,
        rid: Option<Rid>,
        scope: &Scope<'_>,
        state: &mut RunState,
    ) -> Result<bool, Pause<F>> {
        let block: &Block = &query.blocks[at];
        let mut row = std::mem::take(&mut self.spare);
        put_outputs(&block.outputs, &state.frame(scope), &mut row)?;
        if !self.is_new(&row, block, at < query.united, scope, state)? {
            return Ok(false);
        }
        if !query.sets.is_empty() {
            let mut key = Vec::new();
            for (value, output) in row.iter().zip(&block.outputs) {
                key::append(&mut key, value, output.kind, false, scope.setting.order);
            }
            let before = state.room.left();
            self.combined.add(key, row, at, &query.sets, &mut state.room)?;
            self.size += before - state.room.left();
            return Ok(false);
        }
        if query.recursion.is_some() {
            let size = size_of(&row);
            state.room.take(size)?;
            self.size += size;
            self.queue.push_back(row.clone().into());
        }
        self.keep(query, row, rid, scope, state)
    }

    /// Sorts a row in. Returns true if it is given at once, since there is no order.
    fn keep<F>(
        &mut self,
        query: &Query,
        row: Vec<Value>,
        rid: Option<Rid>,
        scope: &Scope<'_>,
        state: &mut RunState,
    ) -> Result<bool, Pause<F>> {
        let Some(sort) = &mut self.sort else {
            if self.is_left_out(query) {
                return Ok(false);
            }
            (self.row, self.current) = (row, rid);
            self.given += 1;
            return Ok(true);
        };
        let mut bytes = Vec::new();
        for by in &query.sort {
            let (order, is_descending) = (scope.setting.order, by.is_descending);
            match by.output {
                Some(output) => key::append(&mut bytes, &row[output], by.by.kind, is_descending, order),
                None => {
                    let value = by.by.value(&state.frame(scope))?;
                    key::append(&mut bytes, &value, by.by.kind, is_descending, order);
                }
            }
        }
        let before = state.room.left();
        sort.add(bytes, row, rid, &mut state.room)?;
        self.size = (self.size + before).saturating_sub(state.room.left());
        Ok(false)
    }

    /// Returns true if a row stands before the first.
    fn is_left_out(&mut self, query: &Query) -> bool {
        let is_left_out = self.left_out < query.offset;
        self.left_out += u64::from(is_left_out);
        is_left_out
    }

    /// Takes the next of the rows that are combined. Returns true if it is given at once.
    fn give_combined<F>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        state: &mut RunState,
    ) -> Result<bool, Pause<F>> {
        state.may_go_on(scope)?;
        state.looked += 1;
        if self.again.1 == 0 {
            let Some((row, count, size)) = self.combined.take(&query.sets, &mut state.room) else {
                self.stage = match &mut self.sort {
                    Some(sort) => {
                        sort.turn();
                        Stage::Sorted
                    }
                    None => Stage::End,
                };
                return Ok(false);
            };
            self.size -= size;
            self.again = (row, count);
            return Ok(false);
        }
        self.again.1 -= 1;
        let row = self.again.0.clone();
        self.keep(query, row, None, scope, state)
    }

    /// Returns true unless such a row was there already, where each is given once.
    fn is_new<F>(
        &mut self,
        row: &[Value],
        block: &Block,
        is_united: bool,
        scope: &Scope<'_>,
        state: &mut RunState,
    ) -> Result<bool, Pause<F>> {
        let before = state.room.left();
        let mut is_new = true;
        for (is_wanted, seen) in [(block.is_distinct, &mut self.seen), (is_united, &mut self.united)] {
            let values = row.iter().zip(block.outputs.iter().map(|output| output.kind));
            if is_wanted && is_new {
                is_new = seen.is_new(values, scope.setting.order, &mut state.room)?;
            }
        }
        self.size += before - state.room.left();
        Ok(is_new)
    }

    /// Turns to the next block, or to the sorted rows.
    fn turn<R: Rows<Cursor = C>>(&mut self, query: &Query, next: usize, state: &mut RunState, rows: &mut R) {
        self.end_of_block(state, rows);
        self.stage = match (self.following(query, next, state), &mut self.sort) {
            (Some(next), _) => begin(query, next),
            (None, _) if !query.sets.is_empty() => Stage::Combined,
            (None, Some(sort)) => {
                sort.turn();
                Stage::Sorted
            }
            (None, None) => Stage::End,
        };
    }

    /// The block that is run next: one in the order of the text, or a recursive one for a row that has come.
    fn following(&mut self, query: &Query, next: usize, state: &mut RunState) -> Option<usize> {
        let is_there = next < query.blocks.len();
        match &query.recursion {
            Some(recursion) if !is_there || next == recursion.first => {
                let row = self.queue.pop_front()?;
                let size = size_of(&row);
                state.room.give(size);
                self.size -= size;
                state.made[recursion.made.clone()].clone_from_slice(&row);
                Some(recursion.first)
            }
            _ => is_there.then_some(next),
        }
    }

    fn end_of_block<R: Rows<Cursor = C>>(&mut self, state: &mut RunState, rows: &mut R) {
        match std::mem::replace(&mut self.stage, Stage::End) {
            Stage::Rows(_, mut run) => run.close(state, rows),
            Stage::Grouping(_, mut run, mut gathered) | Stage::Groups(_, mut run, mut gathered, _) => {
                run.close(state, rows);
                gathered.close(&mut state.room);
            }
            Stage::Combined | Stage::Sorted | Stage::End => {}
        }
        self.seen = Seen::default();
    }
}

fn begin<C>(query: &Query, at: usize) -> Stage<C> {
    let run = CoreRun::new(&query.blocks[at].core);
    match &query.blocks[at].groups {
        Some(groups) => Stage::Grouping(at, run, Gathered::new(groups)),
        None => Stage::Rows(at, run),
    }
}

/// Puts the values of expressions into those of a row.
fn put_outputs(outputs: &[Formula], frame: &Frame<'_>, row: &mut Vec<Value>) -> Result<(), Unfit> {
    row.resize(outputs.len(), Value::Null);
    for (output, value) in outputs.iter().zip(row) {
        match (output.value(frame)?, value) {
            (Cow::Borrowed(Value::Text(text)), Value::Text(value)) => {
                value.clear();
                value.extend_from_slice(text);
            }
            (output, value) => *value = output.into_owned(),
        }
    }
    Ok(())
}
