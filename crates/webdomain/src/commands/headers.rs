//! Headers: READ and WRITE HTTPHEADER, and the browse.

use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use super::exchange;
use crate::area::{Area, all};
use crate::exchange::{Answering, Browse, State};
use crate::resp2;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WEB_READ_HTTPHEADER, Handler::Now(read)),
    (cmd::WEB_WRITE_HTTPHEADER, Handler::Now(write)),
    (cmd::WEB_STARTBROWSE_HTTPHEADER, Handler::Now(start_browse)),
    (cmd::WEB_READNEXT_HTTPHEADER, Handler::Now(read_next)),
    (cmd::WEB_ENDBROWSE_HTTPHEADER, Handler::Now(end_browse)),
];

const NAME: Area = Area { area: opt::HTTPHEADER, length: opt::NAMELENGTH, cut: resp2::NAME_CUT };
const VALUE: Area = Area { area: opt::VALUE, length: opt::VALUELENGTH, cut: resp2::VALUE_CUT };

/// Bytes of a header's name and value that a program may write.
const NAME_MAX: usize = 256;
const VALUE_MAX: usize = 32 * 1024;

/// Headers that the door writes itself.
const OURS: [&str; 4] = ["Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding"];

/// WEB READ HTTPHEADER: headers of one name are one, with a comma between their values.
fn read(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let name = NAME.take(call, NAME_MAX)?.unwrap_or_default();
    let name = String::from_utf8_lossy(&name).into_owned();
    let value = exchange.head.fields().joined(&name).ok_or_else(|| cond::NOTFND.raise(resp2::NO_NAME))?;
    VALUE.give(call, &value)
}

/// WEB WRITE HTTPHEADER: the headers of the next WEB SEND.
fn write(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let name = NAME.take(call, NAME_MAX)?.unwrap_or_default();
    let value = VALUE.take(call, VALUE_MAX)?.unwrap_or_default();
    let mut answer = exchange.answer();
    if answer.state == State::Sent {
        return Err(cond::INVREQ.raise(resp2::SENT));
    }
    if OURS.iter().any(|ours| ours.as_bytes().eq_ignore_ascii_case(&name)) {
        // The door knows better how long the message is, and what becomes of the connection.
        return Ok(());
    }
    answer.fields.push(&name, &value).map_err(|_| cond::INVREQ.raise(resp2::UNWRITABLE))
}

/// WEB STARTBROWSE HTTPHEADER.
fn start_browse(task: &mut Task, _: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let headers = exchange.head.fields().iter().map(|(name, value)| (name.to_vec(), value.to_vec()));
    let headers: Browse = headers.collect();
    begin(&mut exchange.answer(), |answer| &mut answer.headers, headers)
}

/// WEB READNEXT HTTPHEADER.
fn read_next(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let (name, value) = next(&mut exchange.answer(), |answer| &mut answer.headers)?;
    all([NAME.give(call, &name), VALUE.give(call, &value)])
}

/// WEB ENDBROWSE HTTPHEADER.
fn end_browse(task: &mut Task, _: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    end(&mut exchange.answer(), |answer| &mut answer.headers)
}

/// Where a browse of some kind is kept.
pub(super) type Kept = fn(&mut Answering) -> &mut Option<Browse>;

/// Begins a browse of these names and values, in their order.
///
/// # Errors
/// ILLOGIC: one has begun. INVREQ: there is nothing.
pub(super) fn begin(answer: &mut Answering, kept: Kept, mut all: Browse) -> Outcome {
    let kept = kept(answer);
    if kept.is_some() {
        return Err(cond::ILLOGIC.raise(resp2::IN_BROWSE));
    }
    if all.is_empty() {
        return Err(cond::INVREQ.raise(resp2::NOTHING));
    }
    all.reverse();
    *kept = Some(all);
    Ok(())
}

/// The next of a browse.
///
/// # Errors
/// INVREQ: none has begun. ENDFILE: that was all.
pub(super) fn next(answer: &mut Answering, kept: Kept) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let rest = kept(answer).as_mut().ok_or_else(no_browse)?;
    rest.pop().ok_or_else(|| cond::ENDFILE.raise(0))
}

/// Ends a browse.
///
/// # Errors
/// INVREQ: none has begun.
pub(super) fn end(answer: &mut Answering, kept: Kept) -> Outcome {
    kept(answer).take().map(drop).ok_or_else(no_browse)
}

fn no_browse() -> Raise {
    cond::INVREQ.raise(resp2::NO_BROWSE)
}
