//! ENTER TRACENUM, ENTER TRACEID.

use spec::{OptionId, cmd, cond, opt};

use crate::bytes::hexadecimal;
use crate::exec::{Answers, Call, Handler};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::ENTER_TRACENUM, Handler::Now(enter_tracenum)), (cmd::ENTER_TRACEID, Handler::Now(enter_traceid))];

/// Trace entries have numbers below this.
const TRACE_NUMBERS: i64 = 200;
/// Bytes of FROM in a trace entry.
const TRACE_LENGTH_MAX: i64 = 4_000;
/// Bytes of FROM where nothing says how many.
const TRACE_LENGTH: i64 = 8;

/// RESP2 of INVREQ for a number that is none, and of LENGERR.
const NUMBER: i32 = 1;
const LENGTH: i32 = 4;

fn number(call: &Call<'_>, option: OptionId, limit: i64) -> Outcome<i64> {
    let number = call.number(option)?.unwrap_or(0);
    if (0..limit).contains(&number) { Ok(number) } else { Err(cond::INVREQ.raise(NUMBER)) }
}

/// ENTER TRACENUM: an EXCEPTION is a warning, everything else for those who debug. Order of checks: number, length.
fn enter_tracenum(task: &mut Task, call: &Call<'_>) -> Outcome {
    let number = number(call, opt::TRACENUM, TRACE_NUMBERS)?;
    let length = call.number(opt::FROMLENGTH)?.unwrap_or(TRACE_LENGTH);
    if !(0..=TRACE_LENGTH_MAX).contains(&length) {
        return Err(cond::LENGERR.raise(LENGTH));
    }
    let entry = Entry::read(task, call, number, length as usize)?;
    if call.keyword(opt::EXCEPTION) {
        if task.may_write_line() {
            tracing::warn!(target: "TR", "{entry}");
        }
    } else {
        tracing::debug!(target: "TR", "{entry}");
    }
    Ok(())
}

/// ENTER TRACEID: the older form; eight bytes.
fn enter_traceid(task: &mut Task, call: &Call<'_>) -> Outcome {
    let number = number(call, opt::TRACEID, TRACE_NUMBERS)?;
    tracing::debug!(target: "TR", "{}", Entry::read(task, call, number, TRACE_LENGTH as usize)?);
    Ok(())
}

/// A trace entry.
struct Entry {
    task: u32,
    program: Name8,
    number: i64,
    resource: Name8,
    data: String,
}

impl Entry {
    fn read(task: &Task, call: &Call<'_>, number: i64, length: usize) -> Outcome<Self> {
        Ok(Self {
            task: task.number,
            program: task.level().program,
            number,
            resource: call.name(opt::RESOURCE)?.unwrap_or_default(),
            data: hexadecimal(&call.bytes_of(opt::FROM, length)?.unwrap_or_default()),
        })
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { task, program, number, resource, data } = self;
        write!(f, "task {task}, program {program}: user trace {number} {resource} {data}")
    }
}
