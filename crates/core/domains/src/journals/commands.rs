//! WRITE and WAIT of JOURNALNAME, and of JOURNALNUM, which is the journal DFHJnn.

use std::sync::Arc;

use jiff::Timestamp;
use spec::{cmd, cond, opt};

use super::format::Record;
use super::{Journal, SYSTEM_LOGS};
use crate::journals::Journals;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::limits::JOURNAL_RECORD_MAX;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WRITE_JOURNALNAME, Handler::NowOr(write, write_and_wait)),
    (cmd::WRITE_JOURNALNUM, Handler::NowOr(write, write_and_wait)),
    (cmd::WAIT_JOURNALNAME, Handler::Waits(wait)),
    (cmd::WAIT_JOURNALNUM, Handler::Waits(wait)),
];

/// Journals that have numbers have them up to this.
const NUMBERS: std::ops::RangeInclusive<i64> = 1..=99;
/// RESP2 of JIDERR: no such journal.
const NOT_FOUND: i32 = 1;

/// The name of a command's journal.
fn name(call: &Call<'_>) -> Outcome<Name8> {
    if !call.has(opt::JOURNALNUM) {
        return call.need_name(opt::JOURNALNAME);
    }
    let number = call.number(opt::JOURNALNUM)?.filter(|number| NUMBERS.contains(number));
    let number = number.ok_or_else(|| cond::JIDERR.raise(NOT_FOUND))?;
    Ok(Name8::from(format!("DFHJ{number:02}").as_str()))
}

fn is_system_log(name: Name8) -> bool {
    SYSTEM_LOGS.iter().any(|log| Name8::from(*log) == name)
}

/// WRITE without WAIT: the record has its place; that it is on the disk is another's concern.
fn write(task: &mut Task, call: &Call<'_>) -> Outcome<Option<()>> {
    if call.keyword(opt::WAIT) {
        return Ok(None);
    }
    append(task, call).map(|_| Some(()))
}

/// WRITE with WAIT.
fn write_and_wait<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (journal, number) = append(task, call)?;
        task.wait(WaitKind::LOG, journal.force(Some(number))).await?
    })
}

/// Appends the record of a command. Order of checks: journal, lengths, the journal's state.
fn append(task: &Task, call: &Call<'_>) -> Outcome<(Arc<Journal>, u32)> {
    let name = name(call)?;
    if is_system_log(name) {
        return Err(cond::INVREQ.raise(0));
    }
    let journal = Journals::of(&task.region).open(name)?;
    let data = call.outgoing(opt::FROM, opt::FLENGTH, JOURNAL_RECORD_MAX)?.unwrap_or_default();
    let prefix = call.outgoing(opt::PREFIX, opt::PFXLENG, JOURNAL_RECORD_MAX)?.unwrap_or_default();
    if data.len() + prefix.len() > JOURNAL_RECORD_MAX {
        return Err(cond::LENGERR.raise(0));
    }
    let number = journal.append(&Record {
        time: Timestamp::now(),
        task: task.number,
        transaction: task.transaction.name,
        terminal: task.facility.terminal_name().unwrap_or_default(),
        user: task.user.id,
        kind: call.need_name(opt::JTYPEID)?,
        prefix: prefix.to_vec(),
        data: data.to_vec(),
    })?;
    call.put_number(opt::REQID, number.into())?;
    Ok((journal, number))
}

/// WAIT: the record of REQID is on the disk, or without it all that was written. The system log is forced by every
/// syncpoint: nothing that a program has done waits in it.
fn wait<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let name = name(call)?;
        if is_system_log(name) {
            return Ok(());
        }
        let journal = Journals::of(&task.region).get(name).ok_or_else(|| cond::JIDERR.raise(NOT_FOUND))?;
        let number = call.number(opt::REQID)?.and_then(|number| u32::try_from(number).ok());
        task.wait(WaitKind::LOG, journal.force(number)).await?
    })
}
