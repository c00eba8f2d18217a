//! CALL of a procedure: what its OUT and INOUT parameters come to goes back to the host variables of the call.

use db2::package::{Action, Statement as Source};
use sql::codes::Sqlca;
use sql::value::{Argument, Field};
use sql::{Leaves, Statement, oid};

use super::call::{Call, isolation};
use crate::arguments::{Arguments, put_row};
use crate::thread::Thread;
use crate::trouble::{Trouble, not_built};

/// The modes of a procedure's parameters, in order: `i`, `o`, `b`; of each procedure of this name with so many.
const MODES: &str = "SELECT DISTINCT array_to_string(coalesce(proargmodes::text[], \
                     array_fill('i'::text, ARRAY[pronargs::int])), '') FROM pg_proc p \
                     JOIN pg_namespace n ON n.oid = pronamespace \
                     WHERE prokind = 'p' AND coalesce(array_length(proallargtypes, 1), pronargs) = $2 \
                     AND CASE WHEN strpos($1, '.') > 0 THEN nspname || '.' || proname = lower($1) \
                     ELSE proname = lower($1) AND nspname = ANY (current_schemas(true)) END";

/// The procedure of a CALL and its arguments.
pub(super) struct Called<'a> {
    pub(super) procedure: &'a str,
    /// For each argument the input that is just this.
    pub(super) arguments: &'a [Option<u16>],
}

pub(super) async fn call(
    thread: &mut Thread,
    call: Call<'_>,
    statement: &Statement,
    values: &[Argument<'_>],
    called: Called<'_>,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    // It may have made the procedure itself: that is seen only in its own unit of work.
    thread.unit().await?;
    let described = thread.described_in_unit(statement).await?;
    let mut source = call.source.clone();
    source.targets.clear();
    let mut values = values.to_vec();
    if !described.columns.is_empty() {
        let modes = modes(thread, called.procedure, called.arguments.len()).await?;
        source.targets = targets(call, &called, &modes)?;
        leave_out(&mut values, &called, &modes);
    }
    let answer =
        thread.run(statement, &values, 0, isolation(call.source.isolation), Leaves::Something).await?;
    if source.targets.is_empty() {
        return Ok(Sqlca::default());
    }
    Ok(put_row(&source, 0, answer.rows.row(answer.part(0).rows.start), &described.columns, arguments)?)
}

/// OUT parameters take no value with them, whatever their host variables hold.
fn leave_out(values: &mut [Argument<'_>], called: &Called<'_>, modes: &str) {
    let outs = modes.bytes().zip(called.arguments).filter(|(mode, _)| *mode == b'o');
    for input in outs.filter_map(|(_, argument)| *argument) {
        if let Some(value) = values.get_mut(usize::from(input)) {
            value.indicator = Some(-1);
        }
    }
}

/// The host variables of OUT and INOUT parameters.
fn targets(call: Call<'_>, called: &Called<'_>, modes: &str) -> Result<Vec<db2::package::Variable>, Trouble> {
    let Source { inputs, action, .. } = call.source;
    if let Action::Execute { using: db2::package::Using::Descriptor(_), .. } = action {
        return Err(not_built("OUT parameters of EXECUTE … USING DESCRIPTOR"));
    }
    let mut targets = Vec::new();
    for (at, (mode, argument)) in modes.bytes().zip(called.arguments).enumerate() {
        if mode == b'i' {
            continue;
        }
        let variable = argument.and_then(|input| inputs.get(usize::from(input)));
        // Only a host variable can take a value.
        let variable = variable.ok_or_else(|| Sqlca::error(-469, b"42886").token((at + 1).to_string()));
        targets.push(variable?.clone());
    }
    Ok(targets)
}

async fn modes(thread: &mut Thread, procedure: &str, count: usize) -> Result<String, Trouble> {
    let ask = Statement::new(MODES, &[oid::TEXT, oid::INT4]);
    let name = crate::statements::SESSION.bytes(procedure);
    let count = (count as i32).to_be_bytes();
    let values = [
        Argument { field: Field::char(name.len() as u32), bytes: &name, indicator: None },
        Argument { field: Field::binary(4), bytes: &count, indicator: None },
    ];
    let isolation = thread.wants;
    let answer = thread.unit().await?.run(&ask, &values, 0, isolation, Leaves::Nothing).await?;
    let modes = answer.rows.row(0).next().flatten().unwrap_or_default();
    match answer.rows.len() {
        1 => Ok(String::from_utf8_lossy(modes).into_owned()),
        _ => Err(not_built("CALL of a procedure of which there are several with other parameters")),
    }
}
