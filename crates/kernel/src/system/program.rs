//! INQUIRE PROGRAM, SET PROGRAM.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use spec::{CommandId, cmd, cond, opt};

use super::inquire::{Resource, chosen};
use crate::exec::value::Value;
use crate::exec::{Call, Handler};
use crate::name::Name8;
use crate::programs::{Concurrency, Program};
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::Task;

/// These commands.
pub(super) const HANDLERS: &[(CommandId, Handler)] = &[
    (cmd::INQUIRE_PROGRAM, Handler::Now(|task, call| PROGRAMS.inquire(task, call))),
    (cmd::SET_PROGRAM, Handler::Now(set)),
];

/// RESP2 of PGMIDERR: no such program.
const NOT_FOUND: i32 = 7;

const PROGRAMS: Resource<Arc<Program>> = Resource {
    name: opt::PROGRAM,
    names: |task| task.region.programs.list().iter().map(|p| p.name.as_bytes().to_vec()).collect(),
    find: |task, name| task.region.programs.get(Name8::new(name)),
    missing: Raise::Condition(cond::PGMIDERR, NOT_FOUND),
    rows: &[
        (opt::CONCURRENCY, |_, p| {
            Value::Cvda(match p.concurrency {
                Concurrency::Quasirent => "QUASIRENT",
                Concurrency::Threadsafe => "THREADSAFE",
                Concurrency::Required => "REQUIRED",
            })
        }),
        (opt::COPY, |_, _| Value::Cvda("NOTREQUIRED")),
        (opt::LANGUAGE, |_, p| Value::either(p.language == "COBOL", "COBOL", "NOTAPPLIC")),
        (opt::PROGTYPE, |_, _| Value::Cvda("PROGRAM")),
        (opt::RESCOUNT, |_, _| Value::Number(0)),
        (opt::STATUS, |_, p| Value::either(p.enabled.load(Ordering::Relaxed), "ENABLED", "DISABLED")),
        (opt::USECOUNT, |_, p| Value::Number(p.uses.load(Ordering::Relaxed) as i64)),
    ],
};

/// SET PROGRAM: STATUS, COPY.
fn set(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name8 = call.need_name(opt::PROGRAM)?;
    let program = task.region.programs.get(name).ok_or_else(|| cond::PGMIDERR.raise(NOT_FOUND))?;
    let status = chosen(call, opt::STATUS, &[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)], 2)?;
    let copy = chosen(call, opt::COPY, &[("NEWCOPY", opt::NEWCOPY), ("PHASEIN", opt::PHASEIN)], 3)?;
    if let Some(status) = status {
        program.enabled.store(status == "ENABLED", Ordering::Relaxed);
    }
    if copy.is_some() {
        program.new_copy();
    }
    Ok(())
}
