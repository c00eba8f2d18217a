//! Headers: READ and WRITE HTTPHEADER, and the browse.

use kernel::exec::{Answers, Call, Handler};
use kernel::meters::Figure;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use http::Fields;

use super::{client, http_exchange};
use crate::area::{Area, all};
use crate::browse::Browse;
use crate::counts::count;
use crate::exchange::AnswerState;
use crate::resp2;
use crate::session::Sessions;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WEB_READ_HTTPHEADER, Handler::Now(read)),
    (cmd::WEB_WRITE_HTTPHEADER, Handler::Now(write)),
    (cmd::WEB_STARTBROWSE_HTTPHEADER, Handler::Now(start_browse)),
    (cmd::WEB_READNEXT_HTTPHEADER, Handler::Now(read_next)),
    (cmd::WEB_ENDBROWSE_HTTPHEADER, Handler::Now(end_browse)),
];

const NAME: Area = Area::new(opt::HTTPHEADER, opt::NAMELENGTH, resp2::NAME_CUT);
const VALUE: Area = Area::new(opt::VALUE, opt::VALUELENGTH, resp2::VALUE_CUT);

/// The same of an answer that a task has received from a server.
const CLIENT_NAME: Area = NAME.saying(resp2::CLIENT_NAME_CUT, resp2::CLIENT_NAME_LENGTH);
const CLIENT_VALUE: Area = VALUE.saying(resp2::CLIENT_VALUE_CUT, resp2::CLIENT_VALUE_LENGTH);

/// The areas of name and value: of a request, or of an answer that a task has received.
fn areas(call: &Call<'_>) -> (Area, Area) {
    if call.has(opt::SESSTOKEN) { (CLIENT_NAME, CLIENT_VALUE) } else { (NAME, VALUE) }
}

/// Bytes of a header's name and value that a program may write.
const NAME_MAX: usize = 256;
const VALUE_MAX: usize = 32 * 1024;

/// Headers that the door writes itself.
const OURS: [&str; 4] = ["Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding"];

/// WEB READ HTTPHEADER: headers of one name are one, with a comma between their values.
fn read(task: &mut Task, call: &Call<'_>) -> Outcome {
    let fields = read_from(task, call)?;
    let (name, value) = areas(call);
    let value = match call.has(opt::SESSTOKEN) {
        true => {
            task.adds(Figure::ClientReads, 1);
            value
        }
        false => {
            count(&http_exchange(task)?.used.reads);
            value.saying(resp2::HEADER_CUT, resp2::LENGTH)
        }
    };
    if fields.iter().next().is_none() {
        return Err(cond::INVREQ.raise(resp2::NOTHING));
    }
    let name = name.take(call, NAME_MAX)?.unwrap_or_default();
    let name = String::from_utf8_lossy(&name).into_owned();
    let found = fields.joined(&name).ok_or_else(|| cond::NOTFND.raise(resp2::NO_NAME))?;
    value.give(call, &found)
}

/// The headers that a command reads: of the request, or of the answer of a session.
fn read_from(task: &mut Task, call: &Call<'_>) -> Outcome<Fields> {
    if call.has(opt::SESSTOKEN) {
        return client::headers(task, call);
    }
    Ok(http_exchange(task)?.head.fields().clone())
}

/// WEB WRITE HTTPHEADER: the headers of the next WEB SEND; once chunks are sent, those behind the last one.
fn write(task: &mut Task, call: &Call<'_>) -> Outcome {
    let session = call.has(opt::SESSTOKEN).then(|| client::token(call)).transpose()?;
    let exchange = if session.is_none() { Some(http_exchange(task)?) } else { None };
    let name = NAME.take(call, NAME_MAX)?.unwrap_or_default();
    let value = VALUE.take(call, VALUE_MAX)?.unwrap_or_default();
    if OURS.iter().any(|ours| ours.as_bytes().eq_ignore_ascii_case(&name)) {
        // The door knows better how long the message is, and what becomes of the connection.
        return Ok(());
    }
    let push =
        |fields: &mut Fields| fields.push(&name, &value).map_err(|_| cond::INVREQ.raise(resp2::UNWRITABLE));
    let is_announced = |head: &Fields| match std::str::from_utf8(&name) {
        Ok(name) if head.lists("Trailer", name) => Ok(()),
        _ => Err(cond::INVREQ.raise(resp2::NO_TRAILER)),
    };
    match (session, exchange) {
        (Some(token), _) => {
            task.adds(Figure::ClientWrites, 1);
            let session = Sessions::of(task).get(&token)?;
            if let Some(sent) = session.sent.as_ref().filter(|sent| sent.in_chunks) {
                is_announced(&sent.announced)?;
            }
            push(&mut session.fields)
        }
        (None, Some(exchange)) => {
            let mut answer = exchange.answer();
            if answer.state == AnswerState::Sent {
                return Err(cond::INVREQ.raise(resp2::SENT));
            }
            if answer.state == AnswerState::InChunks {
                is_announced(&answer.announced)?;
            }
            count(&exchange.used.writes);
            push(&mut answer.fields)
        }
        (None, None) => Ok(()),
    }
}

/// WEB STARTBROWSE HTTPHEADER.
fn start_browse(task: &mut Task, call: &Call<'_>) -> Outcome {
    let fields = read_from(task, call)?;
    let headers: Browse = fields.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
    browsed(task, call, |kept| begin(kept, headers))
}

/// Works with the browse of a request's headers, or of a session's.
fn browsed<T>(
    task: &mut Task,
    call: &Call<'_>,
    work: impl FnOnce(&mut Option<Browse>) -> Outcome<T>,
) -> Outcome<T> {
    if call.has(opt::SESSTOKEN) {
        let token = client::token(call)?;
        task.adds(Figure::ClientBrowses, 1);
        return work(&mut Sessions::of(task).get(&token)?.headers);
    }
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    work(&mut exchange.answer().headers)
}

/// WEB READNEXT HTTPHEADER.
fn read_next(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (of_name, of_value) = areas(call);
    browsed(task, call, |kept| {
        next(kept, |name, value| all([of_name.give(call, name), of_value.give(call, value)]))
    })
}

/// WEB ENDBROWSE HTTPHEADER.
fn end_browse(task: &mut Task, call: &Call<'_>) -> Outcome {
    browsed(task, call, end)
}

/// Begins a browse of these names and values, in their order.
///
/// # Errors
/// ILLOGIC: one has begun. INVREQ: there is nothing.
pub(super) fn begin(kept: &mut Option<Browse>, mut all: Browse) -> Outcome {
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

/// Gives the next of a browse. One that was cut is the next one again.
///
/// # Errors
/// INVREQ: none has begun. ENDFILE: that was all. What `give` says.
pub(super) fn next(kept: &mut Option<Browse>, give: impl FnOnce(&[u8], &[u8]) -> Outcome) -> Outcome {
    let rest = kept.as_mut().ok_or_else(no_browse)?;
    let (name, value) = rest.last().ok_or_else(|| cond::ENDFILE.raise(0))?;
    give(name, value)?;
    rest.pop();
    Ok(())
}

/// Ends a browse.
///
/// # Errors
/// INVREQ: none has begun.
pub(super) fn end(kept: &mut Option<Browse>) -> Outcome {
    kept.take().map(drop).ok_or_else(no_browse)
}

fn no_browse() -> Raise {
    cond::INVREQ.raise(resp2::NO_BROWSE)
}
