//! Totals of functions such as SUM and COUNT as rows come, and the sets of rows that DISTINCT compares.

use db2_values::aggregate::Total;
use db2_values::{Order, Type, Unfit, Value, key};
use hashbrown::HashSet;

use super::room::Room;
use crate::failed::{Failed, Refused};
use crate::formula::Frame;
use crate::plan::TotalOf;

/// The functions of a query.
pub(super) struct Totals(Vec<(Total, Option<Seen>)>);

/// Values that were there already, by their keys.
#[derive(Default)]
pub(super) struct Seen(HashSet<Box<[u8]>, foldhash::fast::RandomState>);

/// Bytes of memory that a key takes beside its own.
const ENTRY: usize = 24;

impl Seen {
    /// Returns true if values of these types were not there before.
    pub(super) fn is_new<'v>(
        &mut self,
        values: impl Iterator<Item = (&'v Value, Type)>,
        order: Order,
        room: &mut Room,
    ) -> Result<bool, Refused> {
        let mut bytes = Vec::new();
        for (value, kind) in values {
            key::append(&mut bytes, value, kind, false, order);
        }
        let length = bytes.len();
        let is_new = self.0.insert(bytes.into());
        if is_new {
            room.take(length + ENTRY)?;
        }
        Ok(is_new)
    }
}

impl Totals {
    pub(super) fn new(of: &[TotalOf]) -> Self {
        let total = |of: &TotalOf| {
            let kind = of.value.as_ref().map_or(of.result, |value| value.kind);
            (Total::new(of.function, kind, of.result), of.is_distinct.then(Seen::default))
        };
        Self(of.iter().map(total).collect())
    }

    /// Adds a row.
    pub(super) fn add<F>(
        &mut self,
        of: &[TotalOf],
        frame: &Frame<'_>,
        room: &mut Room,
    ) -> Result<(), Failed<F>> {
        for (of, (total, seen)) in of.iter().zip(&mut self.0) {
            let Some(formula) = &of.value else {
                total.add_row();
                continue;
            };
            let value = formula.value(frame)?;
            let is_new = match seen {
                Some(seen) if !value.is_null() => {
                    seen.is_new(std::iter::once((value.as_ref(), formula.kind)), frame.setting.order, room)?
                }
                _ => true,
            };
            if is_new {
                total.add(&value, frame.setting.order)?;
            }
        }
        Ok(())
    }

    /// Bytes of memory that they take at first.
    pub(super) fn size(&self) -> usize {
        size_of_val(self.0.as_slice())
    }

    /// The results.
    pub(super) fn end(self) -> Result<Vec<Value>, Unfit> {
        self.0.into_iter().map(|(total, _)| total.end()).collect()
    }
}
