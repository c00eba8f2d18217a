//! INQUIRE PROGRAM, SET PROGRAM, and how they are defined.

pub(super) mod definition;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::{Concurrency, Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::WaitKind;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_PROGRAM, Handler::Now(|task, call| PROGRAMS.inquire(task, call))),
    (cmd::SET_PROGRAM, Handler::Waits(|task, call| Box::pin(PROGRAMS.set(task, call)))),
];

/// RESP2 of PGMIDERR: no such program.
pub(super) const NOT_FOUND: i32 = 7;

/// RESP2 of SET PROGRAM.
mod resp2 {
    /// INVREQ: no value of STATUS.
    pub const STATUS: i32 = 2;
    /// INVREQ: no value of COPY.
    pub const COPY: i32 = 5;
    /// INVREQ: a new copy of a program that LOAD HOLD keeps.
    pub const HELD: i32 = 6;
    /// IOERR: the new copy cannot be had.
    pub const NO_COPY: i32 = 8;
}

pub(super) static PROGRAMS: Resource<Arc<Program>> = Resource {
    name: opt::PROGRAM,
    key: Key::Name,
    names: |by| Programs::of(&by.region).list().iter().map(|p| p.name.as_bytes().to_vec()).collect(),
    find: |by, name| Programs::of(&by.region).get(Name8::new(name)),
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
        (opt::DYNAMSTATUS, |_, p| Value::either(p.dynamic, "DYNAMIC", "NOTDYNAMIC")),
        (opt::LANGUAGE, |_, p| {
            Value::Cvda(match p.java {
                Some(_) => "JAVA",
                None if p.is_supplied() => "NOTAPPLIC",
                None => "COBOL",
            })
        }),
        (opt::LENGTH, |_, p| Value::Number(p.loaded().map_or(0, |module| module.unit.code_length() as i64))),
        (opt::PROGTYPE, |_, _| Value::Cvda("PROGRAM")),
        (opt::REMOTENAME, |_, p| Value::text(p.remote.map_or(Name8::BLANK, |remote| remote.name))),
        (opt::REMOTESYSTEM, |_, p| Value::text(p.remote.map_or(Name::<4>::BLANK, |remote| remote.system))),
        (opt::RESCOUNT, |_, p| Value::Number(i64::from(p.running()))),
        (opt::STATUS, |_, p| Value::either(p.enabled.load(Ordering::Relaxed), "ENABLED", "DISABLED")),
        (opt::TRANSID, |_, p| Value::text(p.transaction.unwrap_or(TransactionName::BLANK))),
        (opt::USECOUNT, |_, p| Value::Number(p.uses.load(Ordering::Relaxed) as i64)),
        (opt::JVMSERVER, |_, p| Value::text(p.java.as_ref().map_or(Name8::BLANK, |java| java.server))),
    ],
    settings: &[
        Setting {
            option: opt::STATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: resp2::STATUS,
            set: Set::Now(|by, program, to| {
                Programs::of(&by.region).enable(program, to.is("ENABLED"));
                Ok(())
            }),
        },
        Setting {
            option: opt::COPY,
            takes: Takes::OneOf(&[("NEWCOPY", opt::NEWCOPY), ("PHASEIN", opt::PHASEIN)]),
            resp2: resp2::COPY,
            set: Set::Waits(|by, program, _| Box::pin(new_copy(by, program.name))),
        },
    ],
};

/// NEWCOPY and PHASEIN: the new copy is translated and compiled before the command is over, so that it can tell.
async fn new_copy(by: &Manager, name: Name8) -> Outcome {
    let programs = Programs::of(&by.region);
    if programs.images().is_held(name) {
        return Err(cond::INVREQ.raise(resp2::HELD));
    }
    let copied = by.wait(WaitKind::PROGRAM, programs.new_copy(name)).await?;
    copied.map_err(|_| cond::IOERR.raise(resp2::NO_COPY))
}
