//! RUN TRANSID, FETCH CHILD, FETCH ANY, FREE CHILD.

use std::sync::Arc;
use std::time::Duration;

use spec::{cmd, cond, opt};

use super::{Children, Ending, Found, Token, Wanted};
use kernel::dispatcher;
use kernel::dispatcher::{Attach, AttachError};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::limits::CHILDREN_MAX;
use kernel::name::{Name8, Name16, TransactionName};
use kernel::raise::{AbendCode, Outcome, Raise, RaiseCondition};
use kernel::task::{Chain, Origin, StartCode, Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::RUN_TRANSID, Handler::Now(run)),
    (cmd::FETCH_CHILD, Handler::Waits(fetch)),
    (cmd::FETCH_ANY, Handler::Waits(fetch)),
    (cmd::FREE_CHILD, Handler::Now(free)),
];

/// Milliseconds that TIMEOUT may say.
const TIMEOUT_MAX: i64 = 40_800_000;

/// RESP2 of what FETCH and FREE refuse.
mod refusal {
    pub const NO_UNFETCHED_CHILD: i32 = 1;
    pub const TOKEN: i32 = 50;
    pub const CHANNEL_FETCHED: i32 = 51;
    pub const NO_CHILDREN: i32 = 52;
    pub const RUNNING: i32 = 52;
    pub const TIMED_OUT: i32 = 53;
    pub const TIMEOUT: i32 = 241;
}

/// RUN TRANSID. Order of checks: channel, transaction, authority, room.
fn run(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = match call.name(opt::CHANNEL)? {
        Some(name) => Some(task.channel_to_pass(name)?.snapshot()),
        None => None,
    };
    let transaction: TransactionName = call.need_name(opt::TRANSID)?;
    task.level_mut().eib.set_resource(Name8::new(transaction));
    if task.kept.part::<Children>().entries.len() >= CHILDREN_MAX {
        return Err(cond::NOSTART.raise(0));
    }
    let child = task.kept.part::<Children>().conceive(channel.clone());
    let mut attach = Attach::new(transaction, StartCode::Child, Arc::clone(&task.user));
    attach.origin = Origin::from_task(task);
    attach.channel = channel;
    attach.kept.put(child.family());
    Chain::hand_on(task, &mut attach.kept);
    dispatcher::attach(&task.region, attach).map_err(not_attached)?;
    let number = task.number;
    let token = task.kept.part::<Children>().adopt(number, child);
    call.put(opt::CHILD, &token)
}

fn not_attached(error: AttachError) -> Raise {
    match error {
        AttachError::Unknown => cond::TRANSIDERR.raise(0),
        AttachError::NotAuthorized => cond::NOTAUTH.raise(7),
        AttachError::Remote => cond::NOSTART.raise(0),
        AttachError::Disabled => cond::DISABLED.raise(0),
        AttachError::QueueFull | AttachError::Closing | AttachError::TerminalBusy => cond::NOSTART.raise(0),
    }
}

/// FETCH CHILD and FETCH ANY: wait for the child's end, tell how it was, and take its channel over.
fn fetch<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let wanted = match call.bytes(opt::CHILD)? {
            Some(bytes) => Wanted::Child(token(&bytes)?),
            None if task.kept.part::<Children>().entries.is_empty() => {
                return Err(cond::INVREQ.raise(refusal::NO_CHILDREN));
            }
            None => Wanted::Any,
        };
        let timeout = timeout(call)?;
        if !call.keyword(opt::NOSUSPEND) {
            wait(task, wanted, timeout).await?;
        }
        let (place, ending) = match task.kept.part::<Children>().find(wanted) {
            Found::Ended(place, ending) => (place, ending),
            Found::Running => return Err(cond::NOTFINISHED.raise(refusal::RUNNING)),
            Found::Nothing => return Err(nothing(wanted)),
        };
        tell(task, call, place, ending)
    })
}

fn token(bytes: &[u8]) -> Outcome<Token> {
    bytes.first_chunk().copied().ok_or_else(|| cond::INVREQ.raise(refusal::TOKEN))
}

fn nothing(wanted: Wanted) -> Raise {
    match wanted {
        Wanted::Child(_) => cond::INVREQ.raise(refusal::TOKEN),
        Wanted::Any => cond::NOTFND.raise(refusal::NO_UNFETCHED_CHILD),
    }
}

/// Returns TIMEOUT; `None` if it is zero or absent.
fn timeout(call: &Call<'_>) -> Outcome<Option<Duration>> {
    match call.number(opt::TIMEOUT)? {
        None | Some(0) => Ok(None),
        Some(ms @ 1..=TIMEOUT_MAX) => Ok(Some(Duration::from_millis(ms as u64))),
        Some(_) => Err(cond::INVREQ.raise(refusal::TIMEOUT)),
    }
}

async fn wait(task: &mut Task, wanted: Wanted, timeout: Option<Duration>) -> Outcome {
    let control = Arc::clone(&task.control);
    let settled = task.kept.part::<Children>().settled(wanted);
    let Some(timeout) = timeout else {
        return control.wait(WaitKind::CHILD, settled).await;
    };
    let in_time = control.wait(WaitKind::CHILD, tokio::time::timeout(timeout, settled)).await?;
    in_time.map_err(|_| cond::NOTFINISHED.raise(refusal::TIMED_OUT))
}

/// Tells the program of an ended child.
fn tell(task: &mut Task, call: &Call<'_>, place: usize, ending: Ending) -> Outcome {
    let wants_channel = call.has(opt::CHANNEL);
    let entry = &mut task.kept.part::<Children>().entries[place];
    if wants_channel && entry.channel_fetched {
        return Err(cond::INVREQ.raise(refusal::CHANNEL_FETCHED));
    }
    entry.fetched = true;
    let (token, child) = (entry.token, Arc::clone(&entry.child));
    if wants_channel {
        entry.channel_fetched = true;
        let name = child
            .channel
            .as_ref()
            .map_or(Name16::BLANK, |_| channel_name(task.kept.part::<Children>(), place));
        if let Some(channel) = &child.channel {
            task.level_mut().own_channels.push(channel.snapshot_as(name));
        }
        call.put(opt::CHANNEL, name.as_bytes())?;
    }
    let (status, code) = match ending {
        Ending::Normal => ("NORMAL", AbendCode::BLANK),
        Ending::Abend(code) => ("ABEND", code),
    };
    call.put(opt::ANY, &token)?;
    call.put(opt::ABCODE, code.as_bytes())?;
    call.put_value(opt::COMPSTATUS, &Value::Cvda(status))
}

/// A name that no other channel of the task has: that of the child's number.
fn channel_name(children: &Children, place: usize) -> Name16 {
    let [.., a, b, c, d] = children.entries[place].token;
    Name16::from(format!("DFHCHILD{:08X}", u32::from_be_bytes([a, b, c, d])).as_str())
}

/// FREE CHILD: its answer is not wanted any more; it runs on.
fn free(task: &mut Task, call: &Call<'_>) -> Outcome {
    let token = token(&call.bytes(opt::CHILD)?.unwrap_or_default())?;
    if task.kept.part::<Children>().free(token) { Ok(()) } else { Err(cond::INVREQ.raise(refusal::TOKEN)) }
}
