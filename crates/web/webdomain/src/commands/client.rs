//! WEB OPEN, CLOSE, CONVERSE and PARSE, and what WEB SEND and WEB RECEIVE do with a session.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Fields;
use http::chunk::{write_chunk, write_last};
use http::media::MediaType;
use http::url::{Scheme, Url};
use http::write;
use kernel::exec::call::Delivery;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::meters::{Figure, Stopwatch, Timed, UsedFigure, UsedKind};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};
use otlp::TraceContext;
use otlp::context::TRACEPARENT;
use records::Wait;
use spec::{OptionId, cmd, cond, opt};
use tokio::time::timeout;

use super::receive::{self, Incoming, give};
use super::send::{self, Body, Chunking, body, chunking};
use crate::address::host_type;
use crate::area::{Area, all, fixed};
use crate::bodies;
use crate::chain;
use crate::ciphers::Ciphers;
use crate::conversion::{CODE_PAGE, Conversion, charset, choice, code_page};
use crate::exchange::for_somebody;
use crate::limits::ANSWER_TIME_MAX;
use crate::line::{Line, is_label};
use crate::region::Web;
use crate::resp2;
use crate::server::Server;
use crate::session::{AGENT, Received, Sent, Session, Sessions};
use crate::traced;
use crate::uri_map::UriMap;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WEB_OPEN, Handler::Waits(open)),
    (cmd::WEB_CLOSE, Handler::Now(close)),
    (cmd::WEB_CONVERSE, Handler::Waits(converse)),
    (cmd::WEB_RECEIVE, Handler::Waits(receive_either)),
    (cmd::WEB_SEND, Handler::Waits(send_either)),
    (cmd::WEB_PARSE, Handler::Now(parse)),
];

/// WEB RECEIVE of a client, which names its session, or of a server.
fn receive_either<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    match call.has(opt::SESSTOKEN) {
        true => Box::pin(receive(task, call, opt::LENGTH)),
        false => receive::receive(task, call),
    }
}

/// WEB SEND of a client, which names its session, or of a server.
fn send_either<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    match call.has(opt::SESSTOKEN) {
        true => Box::pin(send(task, call)),
        false => send::send(task, call),
    }
}

/// The methods that a program may use: their CVDAs and keywords.
const METHODS: [(&str, OptionId); 8] = [
    ("GET", opt::GET),
    ("HEAD", opt::HEAD),
    ("PATCH", opt::PATCH),
    ("POST", opt::POST),
    ("PUT", opt::PUT),
    ("TRACE", opt::TRACE),
    ("OPTIONS", opt::OPTIONS),
    ("DELETE", opt::DELETE),
];
const HOST: Area = Area::new(opt::HOST, opt::HOSTLENGTH, resp2::HOST_CUT);
const PATH: Area = Area::new(opt::PATH, opt::PATHLENGTH, resp2::PATH_CUT);
const QUERY: Area = Area::new(opt::QUERYSTRING, opt::QUERYSTRLEN, resp2::QUERY_CUT);
const URL: Area = Area::new(opt::URL, opt::URLLENGTH, resp2::PATH_CUT);
const USER: Area = Area::new(opt::USERNAME, opt::USERNAMELEN, resp2::NAME_CUT);
const PASSWORD: Area = Area::new(opt::PASSWORD, opt::PASSWORDLEN, resp2::NAME_CUT);
/// Bytes of a host, of a path or query string, of a user's name or password.
const HOST_MAX: usize = 255;
const TEXT_MAX: usize = 32 * 1024;
const CREDENTIAL_MAX: usize = 256;
/// Characters of SCHEMENAME, and of MEDIATYPE and CHARACTERSET, which are read in full.
const SCHEME_NAME: usize = 16;
const MEDIA: usize = 56;
const CHARACTER_SET: usize = 40;
/// Characters of the label of a certificate.
const LABEL: usize = 56;

/// The session that a command names.
pub(super) fn token(call: &Call<'_>) -> Outcome<[u8; 8]> {
    let bytes = call.bytes(opt::SESSTOKEN)?.unwrap_or_default();
    bytes.first_chunk().copied().ok_or_else(|| cond::NOTOPEN.raise(resp2::NOT_OPEN))
}

/// WEB OPEN: the server of a URI map, or of HOST; the connection is made at once.
fn open<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let map = call.name(opt::URIMAP)?.map(|name| client_map(task, name)).transpose()?;
        let server = match &map {
            Some(map) => Server::of_map(map),
            None => named(call)?,
        };
        let certificate = fixed(call, opt::CERTIFICATE, LABEL, resp2::CERTIFICATE)?;
        if !certificate.as_deref().is_none_or(is_label) {
            return Err(cond::INVREQ.raise(resp2::CERTIFICATE));
        }
        let mut session = Session::new(&task.region, server, map);
        session.certificate = certificate;
        session.ciphers = ciphers(call)?;
        session.code_page = code_page(fixed(call, opt::CODEPAGE, CODE_PAGE, resp2::CODE_PAGE)?)?;
        let (watch, map) = (task.stopwatch(), session.map.clone());
        let line = bounded(task, session.connect()).await?;
        session.has_connected(line);
        task.adds(Figure::ClientOpens, 1);
        tell_tls(task, &session);
        measure(task, map.as_deref().map(|map| (map, &*session.cipher)), watch, Step::Open);
        let token = Sessions::of(task).add(session)?;
        has_sessions(task);
        call.put(opt::SESSTOKEN, &token)?;
        call.put_number(opt::HTTPVNUM, 1)?;
        call.put_number(opt::HTTPRNUM, 1)
    })
}

/// A step with a server, as monitoring tells it.
#[derive(Clone, Copy)]
enum Step {
    Open,
    Send,
    Receive,
}

/// Tells how many sessions the task has.
fn has_sessions(task: &mut Task) {
    if task.performance().is_some() {
        let sessions = Sessions::of(task).count() as u64;
        if let Some(performance) = task.performance() {
            performance.highest(Figure::ClientSessions, sessions);
        }
    }
}

/// Counts a step. With a URIMAP its time counts, too: `map` has the cipher suite of the connection.
fn measure(task: &Task, map: Option<(&UriMap, &str)>, watch: Stopwatch, step: Step) {
    task.adds(Figure::ClientRequests, 1);
    let (figure, of_map) = match step {
        Step::Open => (Figure::ClientOpenTime, UsedFigure::MapOpen),
        Step::Send => (Figure::ClientSendTime, UsedFigure::MapSend),
        Step::Receive => (Figure::ClientReceiveTime, UsedFigure::MapReceive),
    };
    if let Some((map, cipher)) = map {
        task.stops(watch, figure);
        task.used((UsedKind::UriMap, map.name.trimmed(), cipher.as_bytes()), watch, (&[of_map], &[]));
    }
}

/// Adds bytes and processor time of TLS with a server to the task's figures.
fn tell_tls(task: &Task, session: &Session) {
    let (Some(performance), Some(spent)) =
        (task.performance(), session.stream.as_ref().and_then(Line::spent))
    else {
        return;
    };
    performance.add(Figure::BytesEncrypted, spent.encrypted);
    performance.add(Figure::BytesDecrypted, spent.decrypted);
    performance.clock(Figure::Tls, Timed { time: spent.processor_ns, count: 1 });
}

/// Counts a step with the server of a session.
fn measure_session(task: &mut Task, call: &Call<'_>, watch: Stopwatch, step: Step) {
    let session = token(call).and_then(|token| Sessions::of(task).get(&token).map(|session| &*session));
    let map = session.ok().and_then(|session| Some((session.map.clone()?, session.cipher.clone())));
    measure(task, map.as_ref().map(|(map, cipher)| (&**map, &**cipher)), watch, step);
}

/// CIPHERS: NUMCIPHERS codes of two digits each.
fn ciphers(call: &Call<'_>) -> Outcome<Option<Ciphers>> {
    let wrong = || cond::INVREQ.raise(resp2::CIPHERS);
    let Some(bytes) = call.bytes(opt::CIPHERS)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let digits = match call.number(opt::NUMCIPHERS)? {
        Some(codes) => {
            usize::try_from(codes).ok().and_then(|codes| codes.checked_mul(2)).ok_or_else(wrong)?
        }
        None => text.trim_end().len(),
    };
    let codes = text.get(..digits).ok_or_else(wrong)?;
    Ciphers::of(codes).map(Some).map_err(|_| wrong())
}

/// A URI map for clients.
fn client_map(task: &Task, name: Name8) -> Outcome<Arc<UriMap>> {
    let map = Web::of(&task.region).map(name).ok_or_else(|| cond::NOTFND.raise(resp2::NO_NAME))?;
    if map.is_for_clients() { Ok(map) } else { Err(cond::INVREQ.raise(resp2::MAP)) }
}

fn named(call: &Call<'_>) -> Outcome<Server> {
    // It has no keywords of its own.
    let schemes = [("HTTP", opt::SCHEME), ("HTTPS", opt::SCHEME)];
    let scheme = match choice(call, opt::SCHEME, &schemes)? {
        Some("HTTPS") => Scheme::Https,
        _ => Scheme::Http,
    };
    let host = HOST.take(call, HOST_MAX)?.unwrap_or_default();
    let host = String::from_utf8_lossy(&host).trim().to_owned();
    let port = call.number(opt::PORTNUMBER)?.filter(|port| *port != 0);
    let port = port.map_or(Ok(scheme.port()), u16::try_from).map_err(|_| cond::INVREQ.raise(resp2::HOST))?;
    let fits = Url::parse(&format!("http://{host}/")).is_some();
    if fits { Ok(Server { scheme, host, port }) } else { Err(cond::INVREQ.raise(resp2::HOST)) }
}

/// Waits for something on the network, no longer than DTIMOUT says; without it, than [`ANSWER_TIME_MAX`].
async fn bounded<T, E: std::fmt::Display>(
    task: &Task,
    event: impl Future<Output = Result<T, E>>,
) -> Outcome<T> {
    let limit = match task.patience() {
        Wait::AtMost(limit) => limit,
        _ => ANSWER_TIME_MAX,
    };
    within(task, limit, event).await
}

/// Waits for something on the network, no longer than a limit.
async fn within<T, E: std::fmt::Display>(
    task: &Task,
    limit: Duration,
    event: impl Future<Output = Result<T, E>>,
) -> Outcome<T> {
    match task.wait(WaitKind::SOCKET, for_somebody(task, timeout(limit, event))).await?? {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(why)) => {
            if task.may_write_line() {
                tracing::warn!(target: "WB", "task {}: a server does not answer: {why}", task.number);
            }
            Err(cond::IOERR.raise(resp2::NO_SERVER))
        }
        Err(_) => Err(cond::TIMEDOUT.raise(resp2::TOO_SLOW)),
    }
}

/// Waits for what a server answers, no longer than RTIMOUT of the transaction's profile says; without one, than DTIMOUT.
async fn answered<T, E: std::fmt::Display>(
    task: &Task,
    event: impl Future<Output = Result<T, E>>,
) -> Outcome<T> {
    match task.transaction.profile.read_limit() {
        Some(limit) => within(task, limit, event).await,
        None => bounded(task, event).await,
    }
}

/// WEB CLOSE.
fn close(task: &mut Task, call: &Call<'_>) -> Outcome {
    let token = token(call)?;
    Sessions::of(task).take(&token).map(drop)
}

/// WEB CONVERSE: sends a request and receives its answer.
fn converse<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        send(task, call).await?;
        receive(task, call, opt::TOLENGTH).await
    })
}

/// WEB SEND with SESSTOKEN.
async fn send(task: &mut Task, call: &Call<'_>) -> Outcome {
    let watch = task.stopwatch();
    let bytes = send_whole(task, call).await?;
    if task.performance().is_some() {
        task.adds(Figure::ClientSends, 1);
        task.adds(Figure::ClientSentBytes, bytes);
        measure_session(task, call, watch, Step::Send);
    }
    Ok(())
}

/// The same; how many bytes went.
async fn send_whole(task: &mut Task, call: &Call<'_>) -> Outcome<usize> {
    let token = token(call)?;
    let expects = choice(call, opt::ACTION, &[("EXPECT", opt::EXPECT)])?.is_some();
    let chunking = chunking(call)?;
    if expects && chunking != Chunking::No {
        return Err(cond::INVREQ.raise(resp2::EXPECT));
    }
    let under_way = Sessions::of(task).get(&token)?.sent.as_ref().is_some_and(|sent| sent.in_chunks);
    let (bytes, sent) = match (under_way, chunking) {
        (true, Chunking::No) | (false, Chunking::End) => return Err(cond::INVREQ.raise(resp2::CHUNKS)),
        (true, Chunking::End) => {
            let session = Sessions::of(task).get(&token)?;
            let mut bytes = Vec::new();
            write_last(&std::mem::take(&mut session.fields), &mut bytes);
            (bytes, session.sent.clone().map(|sent| Sent { in_chunks: false, ..sent }))
        }
        (true, Chunking::Chunk) => {
            let body = converted_body(task, call, token)?;
            let mut bytes = Vec::new();
            write_chunk(&body.bytes, &mut bytes);
            (bytes, Sessions::of(task).get(&token)?.sent.clone())
        }
        (false, _) => {
            let (head, body, sent) = request(task, call, token, chunking, expects)?;
            if expects && !body.is_empty() {
                let bytes = head.len() + body.len();
                return send_expecting(task, token, &head, &body, sent).await.map(|()| bytes);
            }
            ([head, body].concat(), Some(sent))
        }
    };
    with_session(task, token, async |task, session| {
        bounded(task, session.write(&bytes, !under_way)).await?;
        (session.sent, session.answer) = (sent, None);
        Ok(bytes.len())
    })
    .await
}

/// Sends a request whose server says first whether it wants the body. Any other reply is the answer.
async fn send_expecting(task: &mut Task, token: [u8; 8], head: &[u8], body: &[u8], sent: Sent) -> Outcome {
    with_session(task, token, async |task, session| {
        let answer = bounded(task, session.write_expecting(head, body, &sent)).await?;
        session.headers = None;
        if let Some(answer) = &answer {
            traced::answered(&mut session.span, Some(answer));
        }
        session.sent = if answer.is_none() { Some(sent) } else { None };
        session.answer = answer.map(|answer| Received { answer, given: 0 });
        Ok(())
    })
    .await
}

/// Works with a session while the task is lent, too. If that fails its connection is given up.
async fn with_session<T>(
    task: &mut Task,
    token: [u8; 8],
    work: impl AsyncFnOnce(&Task, &mut Session) -> Outcome<T>,
) -> Outcome<T> {
    let mut session = Sessions::of(task).take(&token)?;
    let done = work(task, &mut session).await;
    tell_tls(task, &session);
    if done.is_err() {
        (session.stream, session.sent) = (None, None);
        traced::answered(&mut session.span, None);
    }
    Sessions::of(task).put_back(token, session);
    done
}

/// The body of a request: converted unless the command says otherwise, where its media type is one of text.
fn converted_body(task: &mut Task, call: &Call<'_>, token: [u8; 8]) -> Outcome<Body> {
    let choices = [
        ("CLICONVERT", opt::CLICONVERT),
        ("NOINCONVERT", opt::NOINCONVERT),
        ("NOOUTCONVERT", opt::NOOUTCONVERT),
        ("NOCLICONVERT", opt::NOCLICONVERT),
    ];
    let asked = choice(call, opt::CLIENTCONV, &choices)?;
    let converts = !matches!(asked, Some("NOCLICONVERT" | "NOOUTCONVERT"));
    let named = fixed(call, opt::CHARACTERSET, CHARACTER_SET, resp2::CHARACTER_SET)?;
    let program = Sessions::of(task).get(&token)?.code_page;
    let conversion = if converts { Some(Conversion::to_server(named.as_deref(), program)?) } else { None };
    let body = body(task, call, conversion)?;
    bodies::sent(task, bodies::SERVER, &body.bytes);
    Ok(body)
}

/// A request's head, and its body or first chunk.
fn request(
    task: &mut Task,
    call: &Call<'_>,
    token: [u8; 8],
    chunking: Chunking,
    expects: bool,
) -> Outcome<(Vec<u8>, Vec<u8>, Sent)> {
    let method = choice(call, opt::METHOD, &METHODS)?.ok_or_else(|| cond::INVREQ.raise(resp2::METHOD))?;
    let body = converted_body(task, call, token)?;
    let media = fixed(call, opt::MEDIATYPE, MEDIA, resp2::MEDIA)?.or(body.media.map(str::to_owned));
    if media.is_none() && !body.bytes.is_empty() {
        return Err(cond::INVREQ.raise(resp2::MEDIA));
    }
    let named = call.name(opt::URIMAP)?.map(|name| client_map(task, name)).transpose()?;
    let closes =
        choice(call, opt::CLOSESTATUS, &[("CLOSE", opt::CLOSE), ("NOCLOSE", opt::NOCLOSE)])? == Some("CLOSE");
    let path = PATH.take(call, TEXT_MAX)?;
    let query = QUERY.take(call, TEXT_MAX)?;
    let credentials = credentials(call)?;
    let way = chain::of(task);
    let place = traced_request(task, token, method, (path.as_deref(), named.as_deref()))?;
    let session = Sessions::of(task).get(&token)?;
    let default = named.as_ref().or(session.map.as_ref()).map_or("/", |map| map.matches.path.as_str());
    let mut target =
        path.map_or_else(|| default.to_owned(), |path| String::from_utf8_lossy(&path).into_owned());
    if let Some(query) = query {
        target.push('?');
        target.push_str(&String::from_utf8_lossy(&query));
    }
    let mut bytes = Vec::new();
    write::request_line(method, &target, &mut bytes).map_err(|_| cond::INVREQ.raise(resp2::PATH))?;
    let mut fields = Fields::default();
    let mut push =
        |name: &str, value: &str| fields.push(name, value).map_err(|_| cond::INVREQ.raise(resp2::UNWRITABLE));
    push("Host", &session.server.authority())?;
    push("User-Agent", AGENT)?;
    push(chain::HEADER, &way)?;
    for (name, value) in place.iter().flat_map(traced::headers) {
        push(name, &value)?;
    }
    if let Some(media) = media {
        let is_text = MediaType::parse(&media).is_some_and(|media| media.is_text());
        match &body.character_set {
            Some(name) if is_text => push("Content-Type", &format!("{media}; charset={name}"))?,
            _ => push("Content-Type", &media)?,
        }
    }
    if let Some(credentials) = credentials {
        push("Authorization", &credentials)?;
    }
    if closes {
        push("Connection", "close")?;
    }
    if expects && !body.bytes.is_empty() {
        push("Expect", "100-continue")?;
    }
    if chunking == Chunking::Chunk {
        push("Transfer-Encoding", "chunked")?;
    } else if !body.bytes.is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
        push("Content-Length", &body.bytes.len().to_string())?;
    }
    write::fields(&fields, &mut bytes);
    let announced = std::mem::take(&mut session.fields);
    write::fields(&announced, &mut bytes);
    bytes.extend_from_slice(b"\r\n");
    let in_chunks = chunking == Chunking::Chunk;
    let mut sent = Vec::new();
    if in_chunks {
        write_chunk(&body.bytes, &mut sent)
    } else {
        sent = body.bytes
    }
    Ok((bytes, sent, Sent { method: method.into(), in_chunks, closes, announced }))
}

/// Begins the span of a request. Its place in the trace, unless the program has written that header itself.
fn traced_request(
    task: &mut Task,
    token: [u8; 8],
    method: &str,
    (path, named): (Option<&[u8]>, Option<&UriMap>),
) -> Outcome<Option<TraceContext>> {
    if task.span().is_none() {
        return Ok(None);
    }
    let session = Sessions::of(task).get(&token)?;
    let (server, is_written) = (session.server.clone(), session.fields.has(TRACEPARENT));
    let of_map =
        || named.or(session.map.as_deref()).map_or(b"/".as_slice(), |map| map.matches.path.as_bytes());
    let path = String::from_utf8_lossy(path.unwrap_or_else(of_map)).into_owned();
    let span = traced::asks(task, method, &server, &path);
    let place = task.passes_on(span.as_deref()).filter(|_| !is_written);
    Sessions::of(task).get(&token)?.span = span;
    Ok(place)
}

/// USERNAME and PASSWORD, as the header Authorization has them.
fn credentials(call: &Call<'_>) -> Outcome<Option<String>> {
    let choices = [("NONE", opt::NONE), ("BASICAUTH", opt::BASICAUTH)];
    if choice(call, opt::AUTHENTICATE, &choices)? != Some("BASICAUTH") {
        return Ok(None);
    }
    let user = USER.take(call, CREDENTIAL_MAX)?.ok_or_else(|| cond::INVREQ.raise(resp2::NO_USER))?;
    let password = PASSWORD.take(call, CREDENTIAL_MAX)?.unwrap_or_default();
    Ok(Some(format!("Basic {}", STANDARD.encode([&user[..], b":", &password[..]].concat()))))
}

/// WEB RECEIVE with SESSTOKEN: the answer, whose body may be given in several pieces. `length`: where its length goes.
async fn receive(task: &mut Task, call: &Call<'_>, length: OptionId) -> Outcome {
    let (token, watch) = (token(call)?, task.stopwatch());
    with_answer(task, token).await?;
    let session = Sessions::of(task).get(&token)?;
    let Some(Received { answer, given }) = &session.answer else {
        return Err(cond::INVREQ.raise(resp2::NO_ANSWER));
    };
    let media =
        answer.head.fields().get("Content-Type").map(|value| String::from_utf8_lossy(value).into_owned());
    let said = charset(media.as_deref());
    let (body, from, status, phrase) =
        (answer.body.clone(), *given, answer.head.status, answer.head.reason().to_vec());
    let program = session.code_page;
    let choices = [
        ("CLICONVERT", opt::CLICONVERT),
        ("NOINCONVERT", opt::NOINCONVERT),
        ("NOOUTCONVERT", opt::NOOUTCONVERT),
        ("NOCLICONVERT", opt::NOCLICONVERT),
    ];
    let asked = choice(call, opt::CLIENTCONV, &choices)?;
    let is_text = media.as_deref().and_then(MediaType::parse).is_some_and(|media| media.is_text());
    let converts = is_text && !matches!(asked, Some("NOCLICONVERT" | "NOINCONVERT"));
    let conversion = if converts { Some(Conversion::from_server(said.as_deref(), program)) } else { None };
    call.put_number(opt::STATUSCODE, status.into())?;
    const PHRASE: Area = Area::new(opt::STATUSTEXT, opt::STATUSLEN, resp2::PHRASE_CUT);
    let told = if call.has(opt::STATUSTEXT) { PHRASE.give(call, &phrase) } else { Ok(()) };
    let delivery =
        Delivery { into: opt::INTO, set: opt::SET, room: opt::MAXLENGTH, length, resp2: resp2::BODY_CUT };
    let (received, given) =
        give(task, call, Incoming { body: &body, from, media: media.as_deref(), conversion, delivery }).await;
    if let Some(answer) = &mut Sessions::of(task).get(&token)?.answer {
        answer.given = received;
    }
    bodies::received(task, bodies::SERVER, body.get(from..received).unwrap_or_default());
    if task.performance().is_some() {
        task.adds(Figure::ClientReceives, 1);
        task.adds(Figure::ClientReceivedBytes, received.saturating_sub(from));
        measure_session(task, call, watch, Step::Receive);
    }
    all([given, told])
}

/// Waits for the answer to the request that was sent, if that is not there yet.
async fn with_answer(task: &mut Task, token: [u8; 8]) -> Outcome {
    let sent = Sessions::of(task).get(&token)?.sent.take();
    match sent {
        None => Ok(()),
        Some(sent) if sent.in_chunks => {
            Sessions::of(task).get(&token)?.sent = Some(sent);
            Err(cond::INVREQ.raise(resp2::CHUNKS))
        }
        Some(sent) => {
            let answer =
                with_session(task, token, async |task, session| answered(task, session.read(&sent)).await)
                    .await?;
            let session = Sessions::of(task).get(&token)?;
            traced::answered(&mut session.span, Some(&answer));
            session.answer = Some(Received { answer, given: 0 });
            session.headers = None;
            Ok(())
        }
    }
}

const PARSE_HOST: Area = Area::new(opt::HOST, opt::HOSTLENGTH, resp2::HOST_CUT);

/// WEB PARSE URL.
fn parse(_: &mut Task, call: &Call<'_>) -> Outcome {
    let text = URL.take(call, TEXT_MAX)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let url = Url::parse(text.trim()).ok_or_else(|| cond::INVREQ.raise(resp2::NO_URL))?;
    if call.has(opt::SCHEMENAME) {
        let name = url.scheme.text().to_ascii_uppercase();
        call.put_value(opt::SCHEMENAME, &Value::padded(&name, SCHEME_NAME))?;
    }
    if call.has(opt::HOSTTYPE) {
        call.put_value(opt::HOSTTYPE, &Value::Cvda(host_type(url.host)))?;
    }
    call.put_number(opt::PORTNUMBER, url.connects_to().into())?;
    let given =
        |area: Area, text: &str| if call.has(area.area) { area.give(call, text.as_bytes()) } else { Ok(()) };
    all([given(PARSE_HOST, url.host), given(PATH, url.path), given(QUERY, url.query.unwrap_or_default())])
}

/// Headers of a session's answer.
pub(super) fn headers(task: &mut Task, call: &Call<'_>) -> Outcome<Fields> {
    let token = token(call)?;
    let session = Sessions::of(task).get(&token)?;
    let answer = session.answer.as_ref().ok_or_else(|| -> Raise { cond::INVREQ.raise(resp2::NO_ANSWER) })?;
    Ok(answer.answer.head.fields().clone())
}
