//! Host variables in and out, as values.

use db2::package::Statement as Source;
use db2_run::Plan;
use db2_values::{Setting, Type, Value};
use sql::codes::Sqlca;
use sql::value::{refused, value_of};

use super::codes::Trouble;
use crate::arguments::{Arguments, Inputs, put_values};

/// The values that a plan asks for, in its order.
pub(super) fn values(plan: &Plan, inputs: &Inputs) -> Result<Vec<Value>, Trouble> {
    let all = inputs.all();
    let values = plan.variables().iter().map(|(number, _)| {
        let at = *number as usize;
        // A variable that results go to has no value.
        let argument = all.get(at).ok_or_else(|| Sqlca::error(-313, b"07001"))?;
        Ok(value_of(argument).map_err(|unfit| refused(unfit, at + 1))?)
    });
    values.collect()
}

/// Puts a row into a statement's targets, with the warnings that its values brought about.
pub(super) fn put(
    source: &Source,
    row: (&[Value], &[Type]),
    setting: &Setting,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let mut sqlca = put_values(source, row, setting, arguments)?;
    warn(&mut sqlca, setting);
    Ok(sqlca)
}

/// Says what a calculation has adjusted (SQLWARN6).
pub(super) fn warn(sqlca: &mut Sqlca, setting: &Setting) {
    if setting.warnings.take().is_adjusted {
        sqlca.warn(6);
    }
}
