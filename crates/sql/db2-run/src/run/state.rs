//! The values of a statement that runs, and what it may still take.

use db2_values::Value;

use super::room::Room;
use super::{Pause, Scope};
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
    /// The bytes of the row that was read last, and room for its values.
    pub(super) bytes: Vec<u8>,
    pub(super) values: Vec<Value>,
}

impl RunState {
    pub(super) fn new(plan: &Plan, sort_bytes: usize) -> Self {
        Self {
            columns: vec![Value::Null; plan.columns],
            made: vec![Value::Null; plan.made],
            room: Room::new(sort_bytes),
            looked: 0,
            bytes: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(super) fn frame<'f>(&'f self, scope: &Scope<'f>) -> Frame<'f> {
        Frame { columns: &self.columns, variables: scope.variables, made: &self.made, setting: scope.setting }
    }

    /// Gives way if enough rows were looked at.
    pub(super) fn may_go_on<F>(&self, scope: &Scope<'_>) -> Result<(), Pause<F>> {
        if self.looked >= scope.limits.turn_rows { Err(Pause::GiveWay) } else { Ok(()) }
    }
}
