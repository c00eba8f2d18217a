//! The values of a statement that runs, and what it may still take.

use db2_values::Value;

use super::room::{Room, size_of};
use super::{Pause, Scope};
use crate::failed::Refused;
use crate::formula::Frame;
use crate::plan::Plan;

/// The values of a statement, each in its place, and its memory.
pub(super) struct RunState {
    /// Columns of its sources.
    pub(super) columns: Vec<Value>,
    /// Values that are made of rows.
    pub(super) made: Vec<Value>,
    pub(super) room: Room,
    /// Rows that were looked at since it last gave way.
    pub(super) looked: u32,
    /// The bytes of the row that was read last.
    pub(super) bytes: Vec<u8>,
    /// The rows of a change, for the query around it; `None`: no query is around it.
    changed: Option<Changed>,
}

/// The rows of a change.
#[derive(Debug, Default)]
struct Changed {
    /// True if they are kept as they were before it.
    is_old: bool,
    rows: Vec<Box<[Value]>>,
}

impl RunState {
    pub(super) fn new(plan: &Plan, sort_bytes: usize) -> Self {
        Self {
            columns: vec![Value::Null; plan.columns],
            made: vec![Value::Null; plan.made],
            room: Room::new(sort_bytes),
            looked: 0,
            bytes: Vec::new(),
            changed: None,
        }
    }

    /// From now on rows of a change are kept, as they were before it or as they are then.
    pub(super) fn keep_changed(&mut self, is_old: bool) {
        self.changed = Some(Changed { is_old, rows: Vec::new() });
    }

    /// Returns true if a query is around the change: the statement ends behind that.
    pub(super) fn has_query_around(&self) -> bool {
        self.changed.is_some()
    }

    /// Keeps a row that was changed, if one of its two forms is asked for.
    pub(super) fn changes(&mut self, old: Option<&[Value]>, new: Option<&[Value]>) -> Result<(), Refused> {
        let Some(changed) = &mut self.changed else { return Ok(()) };
        if let Some(row) = if changed.is_old { old } else { new } {
            self.room.take(size_of(row))?;
            changed.rows.push(row.into());
        }
        Ok(())
    }

    /// A row of the change, by its number.
    pub(super) fn changed_row(&self, at: usize) -> Option<Box<[Value]>> {
        self.changed.as_ref()?.rows.get(at).cloned()
    }

    pub(super) fn frame<'f>(&'f self, scope: &Scope<'f>) -> Frame<'f> {
        Frame { columns: &self.columns, variables: scope.variables, made: &self.made, setting: scope.setting }
    }

    /// Gives way if enough rows were looked at.
    pub(super) fn may_go_on<F>(&self, scope: &Scope<'_>) -> Result<(), Pause<F>> {
        if self.looked >= scope.limits.turn_rows { Err(Pause::GiveWay) } else { Ok(()) }
    }
}
