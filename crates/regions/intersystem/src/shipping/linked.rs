//! LINK to a program of another region.

use std::sync::Arc;

use kernel::channels::Channel;
use kernel::exec::{Call, Leads};
use kernel::limits::COMMAREA_LENGTH_MAX;
use kernel::name::{Name, Name8, Name16, TransactionName};
use kernel::programs::Programs;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use serde_bytes::ByteBuf;
use spec::{cond, opt};

use super::ask::{Asking, outcome};
use crate::message::{Linked, Work};
use crate::shipped::Asks;

/// RESP2 of INVREQ of LINK. Recalled, not read: SYNCONRETURN behind a LINK without it in the same unit of work; TRANSID that is
/// another one than that of the mirror task that the unit of work has at the partner; TRANSID that is blank; INPUTMSG, which another
/// region cannot give its program.
const SYNCS_TOO_LATE: i32 = 14;
const OTHER_TRANSACTION: i32 = 15;
const BLANK_TRANSACTION: i32 = 16;
const INPUT_MESSAGE: i32 = 19;
/// The transaction of mirror tasks of LINK, if nothing names another one.
const USUAL: &str = "CSMI";
/// RESP2 of LENGERR of LINK.
const LENGTH: i32 = 11;

/// Has a LINK answered by another region.
pub(super) async fn ship(task: &mut Task, call: &Call<'_>, to: &Leads) -> Outcome {
    let program: Name8 = match &to.renamed {
        Some((_, name)) => Name8::new(name),
        None => call.need_name(opt::PROGRAM)?,
    };
    task.level_mut().eib.set_resource(call.need_name(opt::PROGRAM)?);
    if call.has(opt::INPUTMSG) {
        return Err(cond::INVREQ.raise(INPUT_MESSAGE));
    }
    let given: Option<TransactionName> = call.name(opt::TRANSID)?;
    if given.is_some_and(|name| name.is_blank()) {
        return Err(cond::INVREQ.raise(BLANK_TRANSACTION));
    }
    let syncs = call.keyword(opt::SYNCONRETURN);
    let channel = match call.name::<16>(opt::CHANNEL)? {
        Some(name) => Some(task.channel_to_pass(name)?),
        None => None,
    };
    let length = commarea_length(call)?;
    let commarea = commarea(call, length)?;
    let transaction = transaction(task, call, given)?.filter(|name| *name != TransactionName::from(USUAL));
    let linked = Linked {
        program: *program.as_bytes(),
        transaction: transaction.map(|name| *name.as_bytes()),
        commarea,
        channel: channel.as_ref().map(|channel| channel.to_bytes()),
        syncs,
    };
    let mut asking = Asking::begin(task, to, Asks::Programs).await?.changes(!syncs);
    asking.names_program(program);
    if syncs && asking.goes_on() {
        return Err(cond::INVREQ.raise(SYNCS_TOO_LATE));
    }
    if !asking.is_mirror(transaction.unwrap_or(TransactionName::from(USUAL))) && transaction.is_some() {
        return Err(cond::INVREQ.raise(OTHER_TRANSACTION));
    }
    let done = asking.ask(task, Work::Link(linked)).await.map_err(|lost| lost.of_link())?;
    if let Some(bytes) = &done.commarea {
        call.put_lent(opt::COMMAREA, &bytes[..bytes.len().min(length)])?;
    }
    if let (Some(channel), Some((changed, deleted))) = (channel, &done.channel) {
        take_over(task, &channel, changed, deleted).await?;
    }
    outcome(asking.numbers.ours(), &done)
}

/// The COMMAREA's length; it was checked where the command was first asked for.
pub(crate) fn commarea_length(call: &Call<'_>) -> Outcome<usize> {
    let length = call.number(opt::LENGTH)?.unwrap_or(call.size(opt::COMMAREA) as i64);
    let length = usize::try_from(length).ok().filter(|length| *length <= COMMAREA_LENGTH_MAX);
    length.ok_or_else(|| cond::LENGERR.raise(LENGTH))
}

/// The COMMAREA's first bytes, as many as DATALENGTH says, and its length.
fn commarea(call: &Call<'_>, length: usize) -> Outcome<Option<(ByteBuf, u16)>> {
    let sent = call.number(opt::DATALENGTH)?.and_then(|sent| usize::try_from(sent).ok());
    let bytes = call.bytes_of(opt::COMMAREA, sent.unwrap_or(length).min(length))?;
    Ok(bytes.map(|bytes| (ByteBuf::from(bytes.to_vec()), length as u16)))
}

/// The transaction of the mirror task: TRANSID, or that of the program's definition.
fn transaction(
    task: &Task,
    call: &Call<'_>,
    given: Option<TransactionName>,
) -> Outcome<Option<TransactionName>> {
    if given.is_some() {
        return Ok(given);
    }
    let program: Name8 = call.need_name(opt::PROGRAM)?;
    Ok(Programs::of(&task.region).get(program).and_then(|program| program.transaction))
}

/// Puts the containers that have been changed into the program's channel, and takes out those that were deleted.
async fn take_over(task: &mut Task, channel: &Channel, changed: &[u8], deleted: &[[u8; 16]]) -> Outcome {
    let changed = Channel::from_bytes(changed).ok_or_else(|| cond::TERMERR.raise(0))?;
    for name in changed.names() {
        if let Some(container) = changed.get(name) {
            task.put_container(channel, name, container.data.to_vec(), container.data_type).await?;
        }
    }
    for name in deleted {
        let _ = channel.remove(Name16::new(name));
    }
    Ok(())
}

/// The containers of a channel that are not those of the one that was given; and the names of those that are gone.
pub(super) fn changes(given: &Channel, now: &Channel) -> (Arc<Channel>, Vec<[u8; 16]>) {
    let changed = Channel::new(now.name);
    for name in now.names() {
        let (before, there) = (given.get(name), now.get(name));
        let Some(there) = there else { continue };
        let is_same =
            before.is_some_and(|before| **before.data == **there.data && before.data_type == there.data_type);
        if !is_same {
            changed.put(name, there.data, there.data_type);
        }
    }
    let is_gone = |name: &Name<16>| now.get(*name).is_none();
    (changed, given.names().iter().filter(|name| is_gone(name)).map(|name| *name.as_bytes()).collect())
}
