//! Subqueries, whose values stand in expressions and conditions around them.

use db2_values::{Purpose, Type, Value, convert, key};
use hashbrown::HashSet;

use super::nested::Nested;
use super::{Pause, RunState, Scope};
use crate::failed::Refused;
use crate::formula::compared;
use crate::plan::{Asks, Slot};
use crate::rows::Rows;

/// Bytes of memory that a kept key takes beside its own.
const ENTRY: usize = 24;

/// A subquery on its way.
pub(super) struct SlotRun<Q> {
    run: Option<Box<Q>>,
    /// True if its value is in its place.
    pub(super) is_known: bool,
    /// The answer so far.
    answer: Answer,
    kept: Option<Members>,
}

enum Answer {
    /// Nothing has come.
    None,
    Value(Value),
    /// A comparison was unknown.
    Unknown,
}

/// Values that are looked up, by their keys.
#[derive(Default)]
struct Members {
    keys: HashSet<Box<[u8]>, foldhash::fast::RandomState>,
    has_null: bool,
    is_whole: bool,
    size: usize,
}

impl<Q: Nested> SlotRun<Q> {
    pub(super) fn new() -> Self {
        Self { run: None, is_known: false, answer: Answer::None, kept: None }
    }

    /// Puts its value into its place, if it is not there.
    pub(super) fn ask<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        slot: &Slot,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        if self.is_known {
            return Ok(());
        }
        let value = match &slot.asks {
            Asks::Compared { is_kept: true, .. } => {
                self.gather(slot, scope, state, rows)?;
                self.look_up(slot, scope, state)?
            }
            _ => self.go_through(slot, scope, state, rows)?,
        };
        state.made[slot.made] = value;
        self.is_known = true;
        Ok(())
    }

    /// Goes through its rows as far as needed.
    fn go_through<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        slot: &Slot,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<Value, Pause<R::Failure>> {
        let mut is_decided = false;
        while !is_decided {
            let run = self.run.get_or_insert_with(|| Box::new(Q::new(&slot.query)));
            if !run.step(&slot.query, scope, state, rows)? {
                break;
            }
            let value = run.row().first().cloned().unwrap_or_default();
            is_decided = self.add(slot, value, scope, state)?;
        }
        self.end(state, rows);
        let answer = std::mem::replace(&mut self.answer, Answer::None);
        Ok(match (&slot.asks, answer) {
            (Asks::Compared { .. }, Answer::Unknown) => Value::Null,
            (_, Answer::Value(value)) => value,
            (Asks::Exists, _) => Value::Whole(0),
            (Asks::Compared { is_all, .. }, _) => Value::Whole((*is_all).into()),
            (Asks::Value, _) => Value::Null,
        })
    }

    /// Takes a row. Returns true if the answer is known.
    fn add(
        &mut self,
        slot: &Slot,
        value: Value,
        scope: &Scope<'_>,
        state: &RunState,
    ) -> Result<bool, Refused> {
        match &slot.asks {
            Asks::Exists => {
                self.answer = Answer::Value(Value::Whole(1));
                Ok(true)
            }
            Asks::Value => {
                if matches!(self.answer, Answer::Value(_)) {
                    return Err(Refused::several_rows());
                }
                self.answer = Answer::Value(value);
                Ok(false)
            }
            Asks::Compared { value: left, comparison, is_all, kind, .. } => {
                let frame = state.frame(scope);
                let left = left.value(&frame)?;
                match compared(&left, &value, *comparison, *kind, &frame)? {
                    None => self.answer = Answer::Unknown,
                    Some(holds) if holds != *is_all => {
                        self.answer = Answer::Value(Value::Whole(holds.into()));
                        return Ok(true);
                    }
                    Some(_) => {}
                }
                Ok(false)
            }
        }
    }

    /// Keeps all its values, once.
    fn gather<R: Rows<Cursor = Q::Cursor>>(
        &mut self,
        slot: &Slot,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let Asks::Compared { kind, .. } = &slot.asks else { return Ok(()) };
        let kept = self.kept.get_or_insert_default();
        while !kept.is_whole {
            let run = self.run.get_or_insert_with(|| Box::new(Q::new(&slot.query)));
            if !run.step(&slot.query, scope, state, rows)? {
                kept.is_whole = true;
                break;
            }
            let value = run.row().first().cloned().unwrap_or_default();
            if value.is_null() {
                kept.has_null = true;
                continue;
            }
            let key = key_of(value, *kind, scope)?;
            let size = key.len() + ENTRY;
            if kept.keys.insert(key) {
                state.room.take(size)?;
                kept.size += size;
            }
        }
        self.end(state, rows);
        Ok(())
    }

    /// The answer of IN for the value of this row.
    fn look_up(&self, slot: &Slot, scope: &Scope<'_>, state: &RunState) -> Result<Value, Refused> {
        let (Asks::Compared { value, kind, .. }, Some(kept)) = (&slot.asks, &self.kept) else {
            return Ok(Value::Null);
        };
        let is_empty = kept.keys.is_empty() && !kept.has_null;
        let value = value.value(&state.frame(scope))?.into_owned();
        if is_empty {
            return Ok(Value::Whole(0));
        }
        if value.is_null() {
            return Ok(Value::Null);
        }
        let is_member = kept.keys.contains(&key_of(value, *kind, scope)?);
        Ok(match (is_member, kept.has_null) {
            (true, _) => Value::Whole(1),
            (false, true) => Value::Null,
            (false, false) => Value::Whole(0),
        })
    }

    /// Closes its query.
    fn end<R: Rows<Cursor = Q::Cursor>>(&mut self, state: &mut RunState, rows: &mut R) {
        if let Some(mut run) = self.run.take() {
            run.close(state, rows);
        }
    }

    pub(super) fn close<R: Rows<Cursor = Q::Cursor>>(&mut self, state: &mut RunState, rows: &mut R) {
        self.end(state, rows);
        if let Some(kept) = self.kept.take() {
            state.room.give(kept.size);
        }
    }

    pub(super) fn cursors<'r>(&'r mut self, found: &mut Vec<&'r mut Q::Cursor>) {
        if let Some(run) = &mut self.run {
            run.cursors(found);
        }
    }
}

/// The key of a value in the type of a comparison. Texts are compared with blanks behind the shorter: so all are varying ones.
fn key_of(value: Value, kind: Type, scope: &Scope<'_>) -> Result<Box<[u8]>, Refused> {
    let kind = match kind {
        Type::Char(length) => Type::VarChar(length),
        Type::Bytes(length) => Type::VarBytes(length),
        kind if kind.is_whole() => Type::BigInt,
        kind => kind,
    };
    let value =
        if kind.is_text() { value } else { convert(value, kind, Purpose::Expression, scope.setting)? };
    let mut bytes = Vec::new();
    key::append(&mut bytes, &value, kind, false, scope.setting.order);
    Ok(bytes.into())
}
