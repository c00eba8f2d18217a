//! ENTER TRACENUM, ENTER TRACEID.

use spec::{OptionId, cmd, cond, opt};

use super::auxiliary::{Trace, UserEntry};
use crate::bytes::hexadecimal;
use crate::exec::{Answers, Call, Handler};
use crate::meters::Traced;
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

/// RESP2 of INVREQ for a number that is none, for a trace without entries of programs, and of LENGERR.
const NUMBER: i32 = 1;
const NOT_TRACED: i32 = 2;
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
    let is_exception = call.keyword(opt::EXCEPTION);
    if !is_exception && !Trace::of(&task.region).takes_user() {
        return Err(cond::INVREQ.raise(NOT_TRACED));
    }
    let entry = Entry::read(task, call, number, length as usize)?;
    entry.trace(task);
    if is_exception {
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
    if !Trace::of(&task.region).takes_user() {
        return Err(cond::INVREQ.raise(NOT_TRACED));
    }
    let entry = Entry::read(task, call, number, TRACE_LENGTH as usize)?;
    entry.trace(task);
    tracing::debug!(target: "TR", "{entry}");
    Ok(())
}

/// A trace entry.
struct Entry {
    task: u32,
    program: Name8,
    number: i64,
    resource: Name8,
    bytes: Vec<u8>,
    data: String,
}

impl Entry {
    fn read(task: &Task, call: &Call<'_>, number: i64, length: usize) -> Outcome<Self> {
        let bytes = call.bytes_of(opt::FROM, length)?.unwrap_or_default().to_vec();
        Ok(Self {
            task: task.number,
            program: task.level().program,
            number,
            resource: call.name(opt::RESOURCE)?.unwrap_or_default(),
            data: hexadecimal(&bytes),
            bytes,
        })
    }

    /// Adds it to the internal trace, and to the auxiliary trace if that is written.
    fn trace(&self, task: &mut Task) {
        let mut first = [0; 8];
        let length = self.bytes.len().min(first.len());
        first[..length].copy_from_slice(&self.bytes[..length]);
        let number = self.number as u16;
        task.traces_commands();
        task.traces(Traced::User, number, *self.resource.as_bytes(), u64::from_be_bytes(first));
        let entry = UserEntry { number, resource: self.resource, data: &self.data };
        Trace::of(&task.region).user(task, &entry);
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { task, program, number, resource, data, .. } = self;
        write!(f, "task {task}, program {program}: user trace {number} {resource} {data}")
    }
}
