//! INQUIRE TERMINAL, SET TERMINAL.

use std::sync::Arc;

use spec::{OptionId, cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::TerminalName;
use kernel::raise::Raise;
use kernel::registry::{Key, Resource, Set, Setting, Takes};
use kernel::terminals::{Terminal, Terminals, UpperCase};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TERMINAL, Handler::Now(|task, call| TERMINALS.inquire(task, call))),
    (cmd::SET_TERMINAL, Handler::Waits(|task, call| Box::pin(TERMINALS.set(task, call)))),
];

/// RESP2 of TERMIDERR: no such terminal.
const NOT_FOUND: i32 = 1;

/// UCTRANST.
const TRANSLATIONS: &[(&str, OptionId)] =
    &[("UCTRAN", opt::UCTRAN), ("NOUCTRAN", opt::NOUCTRAN), ("TRANIDONLY", opt::TRANIDONLY)];

pub(super) static TERMINALS: Resource<Arc<Terminal>> = Resource {
    name: opt::TERMINAL,
    key: Key::Name,
    names: |by| Terminals::of(&by.region).list().iter().map(|t| t.name.as_bytes().to_vec()).collect(),
    find: |by, name| Terminals::of(&by.region).get(TerminalName::new(name)),
    missing: Raise::Condition(cond::TERMIDERR, NOT_FOUND),
    rows: &[
        (opt::ACQSTATUS, |_, _| Value::Cvda("ACQUIRED")),
        (opt::ALTSCRNHT, |_, t| Value::Number(t.parts.alternate_size.rows.into())),
        (opt::ALTSCRNWD, |_, t| Value::Number(t.parts.alternate_size.columns.into())),
        (opt::DEFSCRNHT, |_, t| Value::Number(t.parts.default_size.rows.into())),
        (opt::DEFSCRNWD, |_, t| Value::Number(t.parts.default_size.columns.into())),
        (opt::NETNAME, |_, t| Value::text(t.netname)),
        (opt::NEXTTRANSID, |_, t| Value::text(t.next_transaction().unwrap_or_default())),
        (opt::SCRNHT, |_, t| Value::Number(t.size().rows.into())),
        (opt::SCRNWD, |_, t| Value::Number(t.size().columns.into())),
        (opt::SERVSTATUS, |_, _| Value::Cvda("INSERVICE")),
        (opt::SIGNONSTATUS, |_, t| Value::either(!t.user().is_default, "SIGNEDON", "SIGNEDOFF")),
        (opt::TASKID, |_, t| Value::Number(t.task().map_or(0, |task| task.number.into()))),
        (opt::TNADDR, |_, t| Value::padded(&t.parts.peer, 39)),
        (opt::TRANSACTION, |_, t| {
            Value::text(t.task().map_or([b' '; 4], |task| *task.transaction.name.as_bytes()))
        }),
        (opt::UCTRANST, |_, t| {
            Value::Cvda(match t.upper_case() {
                UpperCase::No => "NOUCTRAN",
                UpperCase::Transaction => "TRANIDONLY",
                UpperCase::Yes => "UCTRAN",
            })
        }),
        (opt::USERID, |_, t| Value::text(t.user().id)),
        (opt::USERNAME, |_, t| Value::padded(&t.user().name, 20)),
    ],
    settings: &[
        Setting {
            option: opt::ACQSTATUS,
            takes: Takes::OneOf(&[("ACQUIRED", opt::ACQUIRED), ("RELEASED", opt::RELEASED)]),
            resp2: 2,
            set: Set::Now(|_, terminal, to| {
                // A client that is there is acquired; only it can come back.
                if to.is("RELEASED") {
                    terminal.log_off();
                }
                Ok(())
            }),
        },
        Setting {
            option: opt::UCTRANST,
            takes: Takes::OneOf(TRANSLATIONS),
            resp2: 27,
            set: Set::Now(|_, terminal, to| {
                terminal.set_upper_case(match to {
                    _ if to.is("UCTRAN") => UpperCase::Yes,
                    _ if to.is("TRANIDONLY") => UpperCase::Transaction,
                    _ => UpperCase::No,
                });
                Ok(())
            }),
        },
        Setting {
            option: opt::PURGETYPE,
            takes: Takes::OneOf(&[
                ("PURGE", opt::PURGE),
                ("FORCEPURGE", opt::FORCEPURGE),
                ("KILL", opt::KILL),
            ]),
            resp2: 21,
            set: Set::Now(|_, terminal, to| {
                match terminal.task() {
                    Some(attached) if to.is("PURGE") => attached.purge(),
                    Some(attached) => attached.force_purge(),
                    None => {}
                }
                Ok(())
            }),
        },
    ],
};
