//! Messages to the operator: WRITE OPERATOR.
//!
//! A message goes to the region's log, on one line and as often as the log takes lines of a program. There is no
//! console that could answer, so REPLY is not built.

use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::limits::{OPERATOR_TEXT_MAX, ROUTE_CODES_MAX};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use kernel::words::escaped;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[(cmd::WRITE_OPERATOR, Handler::Now(write_operator))];

/// RESP2 of INVREQ.
mod refusal {
    pub const TEXT_LENGTH: i32 = 1;
    pub const ROUTES: i32 = 2;
    pub const ROUTE_CODE: i32 = 3;
    pub const ACTION: i32 = 6;
}

/// The route code of a message that names none: system programmer information.
const ROUTE_CODE: u8 = 11;

/// WRITE OPERATOR. Order of checks: length, number of routes, routes, action.
fn write_operator(task: &mut Task, call: &Call<'_>) -> Outcome {
    let length = call.number(opt::TEXTLENGTH)?.unwrap_or(call.size(opt::TEXT) as i64);
    let length = usize::try_from(length).ok().filter(|length| *length <= OPERATOR_TEXT_MAX);
    let length = length.ok_or_else(|| cond::INVREQ.raise(refusal::TEXT_LENGTH))?;
    let text = call.bytes_of(opt::TEXT, length)?.unwrap_or_default();
    let routes = routes(call)?;
    let text = task.characters().text(text.trim_ascii_end());
    let text = escaped(&text);
    let heading = format!("task {} ({})", task.number, task.transaction.name);
    let is_critical = is_critical(call)?;
    if !task.may_write_line() {
        return Ok(());
    }
    if is_critical {
        tracing::warn!(target: "OPERATOR", "{heading} route codes {routes:?}: {text}");
    } else {
        tracing::info!(target: "OPERATOR", "{heading} route codes {routes:?}: {text}");
    }
    Ok(())
}

/// ROUTECODES: a byte each, NUMROUTES of them.
fn routes(call: &Call<'_>) -> Outcome<Vec<u8>> {
    let Some(count) = call.number(opt::NUMROUTES)? else { return Ok(vec![ROUTE_CODE]) };
    let count = usize::try_from(count).ok().filter(|count| (1..=ROUTE_CODES_MAX).contains(count));
    let count = count.ok_or_else(|| cond::INVREQ.raise(refusal::ROUTES))?;
    let routes = call.bytes_of(opt::ROUTECODES, count)?.unwrap_or_default();
    let known = routes.iter().all(|route| (1..=ROUTE_CODES_MAX).contains(&usize::from(*route)));
    if known { Ok(routes.to_vec()) } else { Err(cond::INVREQ.raise(refusal::ROUTE_CODE)) }
}

/// Returns true for CRITICAL and IMMEDIATE, on which an operator must act; EVENTUAL can wait.
fn is_critical(call: &Call<'_>) -> Outcome<bool> {
    let keyword = call.keyword(opt::CRITICAL) || call.keyword(opt::IMMEDIATE);
    let Some(action) = call.number(opt::ACTION)? else { return Ok(keyword) };
    let is = |name| spec::cvda(name).map(i64::from) == Some(action);
    match (is("CRITICAL") || is("IMMEDIATE"), is("EVENTUAL")) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(cond::INVREQ.raise(refusal::ACTION)),
    }
}
