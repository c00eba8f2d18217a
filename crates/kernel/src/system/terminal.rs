//! INQUIRE TERMINAL, SET TERMINAL.

use std::sync::Arc;

use spec::{CommandId, OptionId, cmd, cond, opt};

use super::inquire::{Resource, chosen};
use crate::exec::value::Value;
use crate::exec::{Call, Handler};
use crate::name::TerminalName;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::Task;
use crate::terminals::{Terminal, UpperCase};

/// These commands.
pub(super) const HANDLERS: &[(CommandId, Handler)] = &[
    (cmd::INQUIRE_TERMINAL, Handler::Now(|task, call| TERMINALS.inquire(task, call))),
    (cmd::SET_TERMINAL, Handler::Now(set)),
];

/// RESP2 of TERMIDERR: no such terminal.
const NOT_FOUND: i32 = 1;

/// UCTRANST, in the order of [`UpperCase`].
const TRANSLATIONS: [(&str, OptionId, UpperCase); 3] = [
    ("NOUCTRAN", opt::NOUCTRAN, UpperCase::No),
    ("TRANIDONLY", opt::TRANIDONLY, UpperCase::Transaction),
    ("UCTRAN", opt::UCTRAN, UpperCase::Yes),
];

const TERMINALS: Resource<Arc<Terminal>> = Resource {
    name: opt::TERMINAL,
    names: |task| task.region.terminals.list().iter().map(|t| t.name.as_bytes().to_vec()).collect(),
    find: |task, name| task.region.terminals.get(TerminalName::new(name)),
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
            Value::text(t.task().map_or([b' '; 4], |task| *task.transaction.as_bytes()))
        }),
        (opt::UCTRANST, |_, t| Value::Cvda(TRANSLATIONS[t.upper_case() as usize].0)),
        (opt::USERID, |_, t| Value::text(t.user().id)),
        (opt::USERNAME, |_, t| Value::padded(&t.user().name, 20)),
    ],
};

/// SET TERMINAL: UCTRANST, PURGETYPE.
fn set(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: TerminalName = call.need_name(opt::TERMINAL)?;
    let terminal = task.region.terminals.get(name).ok_or_else(|| cond::TERMIDERR.raise(NOT_FOUND))?;
    let keywords = TRANSLATIONS.map(|(name, keyword, _)| (name, keyword));
    let translation = chosen(call, opt::UCTRANST, &keywords, 27)?;
    let purge = [("PURGE", opt::PURGE), ("FORCEPURGE", opt::FORCEPURGE), ("KILL", opt::KILL)];
    let purge = chosen(call, opt::PURGETYPE, &purge, 21)?;
    if let Some((.., translation)) = TRANSLATIONS.iter().find(|(name, ..)| translation == Some(*name)) {
        terminal.set_upper_case(*translation);
    }
    if let (Some(_), Some(attached)) = (purge, terminal.task()) {
        attached.purge();
    }
    Ok(())
}
