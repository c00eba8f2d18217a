//! Host variables in and out, as values.

use db2::package::Statement as Source;
use db2_run::Plan;
use db2_values::{Purpose, Setting, Type, Unfit, Value, convert};
use sql::codes::Sqlca;
use sql::value::{Argument, refused, value_of};

use super::codes::Trouble;
use crate::arguments::{Arguments, Inputs, put_values};

/// The values that a plan asks for, in its order.
/// Special registers are variables, too.
pub(super) fn values(
    plan: &Plan,
    inputs: &Inputs,
    register: impl Fn(u32) -> Option<Value>,
) -> Result<Vec<Value>, Trouble> {
    let values = plan.variables().iter().map(|(number, _)| {
        if let Some(value) = register(*number) {
            return Ok(value);
        }
        let at = *number as usize;
        // A variable that results go to has no value.
        let argument = inputs.argument(at).ok_or_else(|| Sqlca::error(-313, b"07001"))?;
        Ok(value_of(&argument).map_err(|unfit| refused(unfit, at + 1))?)
    });
    values.collect()
}

/// The values of markers of these types, which are given in their order; and of the special registers that a plan asks for.
pub(super) fn of_markers(
    plan: &Plan,
    (markers, given): (&[Type], &[Argument<'_>]),
    setting: &Setting,
    register: impl Fn(u32) -> Option<Value>,
) -> Result<Vec<Value>, Trouble> {
    if markers.len() != given.len() {
        return Err(Sqlca::error(-313, b"07001").into());
    }
    let values = plan.variables().iter().map(|(number, kind)| {
        if let Some(value) = register(*number) {
            return Ok(value);
        }
        let at = *number as usize;
        let argument = given.get(at).ok_or_else(|| Sqlca::error(-313, b"07001"))?;
        let value = value_of(argument).map_err(|unfit| refused(unfit, at + 1))?;
        let is_text = argument.field.type_of_values().is_text() && kind.is_text();
        if value.is_null() || is_text {
            return Ok(value);
        }
        let suited = convert(value, *kind, Purpose::Column, setting);
        Ok(suited.map_err(|unfit| {
            refused(if unfit == Unfit::COLUMN_RANGE { Unfit::RANGE } else { unfit }, at + 1)
        })?)
    });
    values.collect()
}

/// Puts a row into a statement's targets, of arrays into the element of this number, with the warnings that its values brought about.
pub(super) fn put(
    source: &Source,
    element: u32,
    row: (&[Value], &[Type]),
    setting: &Setting,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let mut sqlca = put_values(source, element, row, setting, arguments)?;
    warn(&mut sqlca, setting);
    Ok(sqlca)
}

/// Says what a calculation has adjusted (SQLWARN6).
pub(super) fn warn(sqlca: &mut Sqlca, setting: &Setting) {
    if setting.warnings.take().is_adjusted {
        sqlca.warn(6);
    }
}
