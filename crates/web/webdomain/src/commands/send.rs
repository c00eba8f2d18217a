//! WEB SEND and WEB RETRIEVE: the answer to a request.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domains::documents::for_others as documents;
use http::fields::is_text;
use http::media::MediaType;
use http::{Fields, Version};
use kernel::channels::{DataType, Encoding};
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name16;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};
use spec::{cmd, cond, opt};
use web::Answer;

use super::exchange;
use crate::area::fixed;
use crate::bodies;
use crate::conversion::{Conversion, choice};
use crate::counts::count;
use crate::exchange::{AnswerState, Exchange, Piece};
use crate::limits::BODY_MAX;
use crate::resp2;

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::WEB_RETRIEVE, Handler::Now(retrieve))];

/// Characters of MEDIATYPE, which is read in full.
const MEDIA: usize = 56;
/// Bytes of a reason phrase.
const PHRASE_MAX: usize = 1024;
/// The status of an answer that names none.
const OK: u16 = 200;

/// The part of a message in chunks that a command sends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunking {
    /// The whole message, not in chunks.
    No,
    /// A chunk.
    Chunk,
    /// The end.
    End,
}

/// WEB SEND. Order of checks: what was sent before, options, body, status.
pub(super) fn send<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let exchange = exchange(task)?;
        let chunking = chunking(call)?;
        let before = exchange.answer().state;
        match (before, chunking) {
            (AnswerState::Sent, _) => return Err(cond::INVREQ.raise(resp2::SENT)),
            (AnswerState::InChunks, Chunking::No) | (AnswerState::Open, Chunking::End) => {
                return Err(cond::INVREQ.raise(resp2::CHUNKS));
            }
            (_, Chunking::Chunk) if exchange.head.version() == Version::Http10 => {
                return Err(cond::INVREQ.raise(resp2::NO_CHUNKS));
            }
            _ => {}
        }
        if chunking == Chunking::End {
            let trailer = std::mem::take(&mut exchange.answer().fields);
            exchange.answer().state = AnswerState::Sent;
            return pass(task, &exchange, Piece::End(trailer)).await;
        }
        let immediate =
            choice(call, opt::ACTION, &[("IMMEDIATE", opt::IMMEDIATE), ("EVENTUAL", opt::EVENTUAL)])?;
        let conversion = Conversion::of_server(call, call.has(opt::CONTAINER).then_some("utf-8"))?;
        let body = body(task, call, conversion)?;
        count(&exchange.used.sends);
        exchange.used.sent_bytes.fetch_add(body.bytes.len() as u64, Ordering::Relaxed);
        bodies::sent(task, exchange.service.name.trimmed(), &body.bytes);
        if before == AnswerState::InChunks {
            return pass(task, &exchange, Piece::Chunk(body.bytes)).await;
        }
        let mut answer = head(call, &exchange, &body)?;
        let status = answer.status;
        match (chunking, immediate) {
            (Chunking::Chunk, _) => {
                {
                    let mut answering = exchange.answer();
                    answering.state = AnswerState::InChunks;
                    answering.announced = answer.fields.clone();
                }
                exchange.has_status(status);
                pass(task, &exchange, Piece::Begin(answer)).await?;
                pass(task, &exchange, Piece::Chunk(body.bytes)).await
            }
            (_, Some("IMMEDIATE")) => {
                exchange.answer().state = AnswerState::Sent;
                answer.body = body.bytes;
                exchange.has_status(status);
                pass(task, &exchange, Piece::Whole(answer)).await
            }
            _ => {
                answer.body = body.bytes;
                exchange.answer().kept = Some(answer);
                Ok(())
            }
        }
    })
}

/// Place of a message in a series of chunks, if it is one.
pub(super) fn chunking(call: &Call<'_>) -> Outcome<Chunking> {
    let choices = [("CHUNKNO", opt::CHUNKNO), ("CHUNKYES", opt::CHUNKYES), ("CHUNKEND", opt::CHUNKEND)];
    let chosen = match choice(call, opt::CHUNKING, &choices)? {
        Some("CHUNKYES") => Chunking::Chunk,
        Some("CHUNKEND") => Chunking::End,
        _ => Chunking::No,
    };
    let fits = match chosen {
        Chunking::No => true,
        Chunking::Chunk => call.has(opt::FROM),
        Chunking::End => !call.has(opt::DOCTOKEN) && !call.has(opt::CONTAINER),
    };
    if fits { Ok(chosen) } else { Err(cond::INVREQ.raise(resp2::CHUNKS)) }
}

/// Passes a piece on, as soon as the client has taken those before it.
async fn pass(task: &Task, exchange: &Arc<Exchange>, piece: Piece) -> Outcome {
    if exchange.worker.has_client_gone() {
        return Err(cond::IOERR.raise(resp2::CLIENT_GONE));
    }
    let passed = task.wait(WaitKind::SOCKET, exchange.pieces().send(piece)).await?;
    passed.map_err(|_| cond::IOERR.raise(resp2::CLIENT_GONE))
}

/// Body that a command sends.
pub(super) struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The character set that it was converted to.
    pub character_set: Option<String>,
    /// The media type of a container, where the command names none.
    pub media: Option<&'static str>,
}

/// The body: of FROM, a document or a container.
///
/// # Errors
/// NOTFND: no such document. CHANNELERR, CONTAINERERR: no such channel or container.
pub(super) fn body(
    task: &mut Task,
    call: &Call<'_>,
    conversion: Option<(Conversion, String)>,
) -> Outcome<Body> {
    let to_client =
        |bytes: &[u8]| conversion.as_ref().map_or_else(|| bytes.to_vec(), |(c, _)| c.to_client(bytes));
    let character_set = conversion.as_ref().map(|(_, name)| name.to_ascii_lowercase());
    if let Some(token) = token(call)? {
        let bytes =
            documents::bytes(task, token, to_client).map_err(|_| cond::NOTFND.raise(resp2::NO_DOCUMENT))?;
        let deleted = choice(
            call,
            opt::DOCSTATUS,
            &[("DOCDELETE", opt::DOCDELETE), ("NODOCDELETE", opt::NODOCDELETE)],
        )?;
        if deleted == Some("DOCDELETE") {
            documents::delete(task, token)?;
        }
        return Ok(Body { bytes, character_set, media: None });
    }
    if let Some(name) = call.name::<16>(opt::CONTAINER)? {
        return of_container(task, call, name, conversion);
    }
    let length = if call.has(opt::LENGTH) { opt::LENGTH } else { opt::FROMLENGTH };
    let bytes = call.outgoing(opt::FROM, length, BODY_MAX)?.unwrap_or_default();
    Ok(Body { bytes: to_client(&bytes), character_set, media: None })
}

fn token(call: &Call<'_>) -> Outcome<Option<[u8; 16]>> {
    let bytes = call.bytes(opt::DOCTOKEN)?;
    bytes
        .map(|bytes| bytes.first_chunk().copied().ok_or_else(|| cond::NOTFND.raise(resp2::NO_DOCUMENT)))
        .transpose()
}

/// A container goes as it is; its characters in CHARACTERSET, or in UTF-8.
fn of_container(
    task: &Task,
    call: &Call<'_>,
    name: Name16,
    conversion: Option<(Conversion, String)>,
) -> Outcome<Body> {
    let channel = match call.name(opt::CHANNEL)? {
        Some(name) => task.channel(name),
        None => task.level().channel.clone(),
    };
    let channel = channel.ok_or_else(|| cond::CHANNELERR.raise(resp2::NO_CHANNEL))?;
    let container = channel.get(name).ok_or_else(|| cond::CONTAINERERR.raise(resp2::NO_CONTAINER))?;
    Ok(match container.data_type {
        DataType::Bit => Body {
            bytes: container.data.to_vec(),
            character_set: None,
            media: Some("application/octet-stream"),
        },
        DataType::Char(from) => {
            let (to, name) =
                conversion.map_or((Encoding::Utf8, "utf-8".to_owned()), |(c, name)| (c.client, name));
            let bytes = from.convert(&container.data, to).0;
            Body { bytes, character_set: Some(name.to_ascii_lowercase()), media: Some("text/plain") }
        }
    })
}

/// The answer without its body.
fn head(call: &Call<'_>, exchange: &Exchange, body: &Body) -> Outcome<Answer> {
    let status = match call.number(opt::STATUSCODE)? {
        None => OK,
        Some(number) => {
            let legal = u16::try_from(number).ok().filter(|status| (200..=999).contains(status));
            legal.ok_or_else(unwritable)?
        }
    };
    if matches!(status, 204 | 205 | 304) && !body.bytes.is_empty() {
        return Err(cond::INVREQ.raise(resp2::NO_BODY));
    }
    let phrase = call.outgoing(opt::STATUSTEXT, opt::STATUSLEN, PHRASE_MAX)?.map(|phrase| phrase.to_vec());
    if phrase.as_ref().is_some_and(|phrase| !is_text(phrase)) {
        return Err(unwritable());
    }
    let closes =
        choice(call, opt::CLOSESTATUS, &[("CLOSE", opt::CLOSE), ("NOCLOSE", opt::NOCLOSE)])? == Some("CLOSE");
    let media = fixed(call, opt::MEDIATYPE, MEDIA, resp2::CHARACTER_SET)?.or(body.media.map(str::to_owned));
    let mut fields = Fields::default();
    if let Some(media) = media {
        let is_text = MediaType::parse(&media).is_some_and(|media| media.is_text());
        let value = match &body.character_set {
            Some(name) if is_text => format!("{media}; charset={name}"),
            _ => media,
        };
        fields.push("Content-Type", value).map_err(|_| unwritable())?;
    }
    for (name, value) in std::mem::take(&mut exchange.answer().fields).iter() {
        fields.push(name, value).map_err(|_| unwritable())?;
    }
    Ok(Answer { status, phrase, fields, body: Vec::new(), closes })
}

fn unwritable() -> Raise {
    cond::INVREQ.raise(resp2::UNWRITABLE)
}

/// WEB RETRIEVE: the body that is kept for the end of the task, as a document.
fn retrieve(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let kept = {
        let answer = exchange.answer();
        if answer.state != AnswerState::Open {
            return Err(cond::INVREQ.raise(resp2::NOT_KEPT));
        }
        answer.kept.as_ref().map(|answer| answer.body.clone())
    };
    let body = kept.ok_or_else(|| cond::NOTFND.raise(resp2::NO_DOCUMENT))?;
    let token = documents::keep(task, body)?;
    call.put(opt::DOCTOKEN, &token)
}
