//! Connections of HTTP/2: hyper reads the frames, each stream is a request like any other.

use std::cell::Cell;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::url::Scheme;
use http::{Fields, RequestHead};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::rt::Executor;
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper::{Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use ports::Seated;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::answer::Answer;
use crate::clock;
use crate::coding::{self, Coding};
use crate::door::Door;
use crate::host::{Found, Gone, Host, Peer, Request};
use crate::limits::{LINGER_BYTES_MAX, RATE_MIN, RESETS_MAX, STREAM_UNSENT_MAX, STREAMS_MAX, WINDOW};
use crate::prefixed::Prefixed;
use crate::reply::{Piece, Reply};

/// A silent client is asked so often whether it lives, and has so long to answer.
const ASKED: Duration = Duration::from_secs(30);
const ANSWERED: Duration = Duration::from_secs(20);
/// Headers that HTTP/2 does not have: RFC 9113, 8.2.2.
const NOT_OF_HTTP2: [&str; 5] =
    ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// Serves a connection to its end.
pub(crate) async fn run<H, S>(door: Rc<Door<H>>, stream: Prefixed<S>, peer: Rc<Peer>, seat: Option<Seated>)
where
    H: Host,
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let limits = door.limits();
    let mut builder = Builder::new(Here);
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(ASKED)
        .keep_alive_timeout(ANSWERED)
        .max_concurrent_streams(STREAMS_MAX)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_header_list_size(u32::try_from(limits.sizes.head).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(RESETS_MAX)
        .max_local_error_reset_streams(RESETS_MAX)
        .max_send_buf_size(STREAM_UNSENT_MAX);
    let (serving, activity) = (Rc::clone(&door), Activity::new(seat));
    let (client, streams) = (peer.client, Rc::clone(&activity));
    let leave = Rc::new(Notify::new());
    let leaves = Rc::clone(&leave);
    let service = service_fn(move |request| {
        if serving.host().sends_away() {
            leaves.notify_one();
        }
        let busy = streams.begin();
        let stream = Stream { door: Rc::clone(&serving), peer: Rc::clone(&peer) };
        async move {
            let mut response = stream.answer(request).await;
            response.body_mut().busy = Some(busy);
            Ok::<_, Infallible>(response)
        }
    });
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let is_closing = Cell::new(false);
    // When a connection that idles, and was asked to leave, is ended whatever its client says.
    let mut leaves_at: Option<Instant> = None;
    let ended = loop {
        tokio::select! {
            ended = connection.as_mut() => break ended,
            () = door.closed(), if !is_closing.get() => {
                is_closing.set(true);
                connection.as_mut().graceful_shutdown();
            }
            // Its client hears that no further request is taken, before any is lost.
            () = leave.notified(), if !is_closing.get() => {
                is_closing.set(true);
                connection.as_mut().graceful_shutdown();
            }
            () = activity.is_asked_to_leave(), if leaves_at.is_none() => {
                leaves_at = Some(Instant::now() + limits.linger_max);
                connection.as_mut().graceful_shutdown();
            }
            () = until(leaves_at), if leaves_at.is_some() => match activity.idles() {
                true => break Ok(()),
                // A client that has begun a request meanwhile gets its answer; no further one is taken.
                false => leaves_at = None,
            },
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%client, %error, "an HTTP/2 connection has ended");
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Number of streams of a connection at work: without any it idles, and others may want its place.
struct Activity {
    streams: Cell<usize>,
    seat: Option<Seated>,
}

impl Activity {
    fn new(seat: Option<Seated>) -> Rc<Self> {
        seat.iter().for_each(Seated::idles);
        Rc::new(Self { streams: Cell::new(0), seat })
    }

    /// A stream begins, and is at work as long as the answer lives.
    fn begin(self: &Rc<Self>) -> Busy {
        if self.idles() {
            self.seat.iter().for_each(Seated::works);
        }
        self.streams.set(self.streams.get() + 1);
        Busy(Rc::clone(self))
    }

    fn idles(&self) -> bool {
        self.streams.get() == 0
    }

    async fn is_asked_to_leave(&self) {
        match &self.seat {
            Some(seat) => seat.is_asked_to_leave().await,
            None => std::future::pending().await,
        }
    }
}

/// A stream at work.
struct Busy(Rc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.streams.set(activity.streams.get() - 1);
        if activity.idles() {
            activity.seat.iter().for_each(Seated::idles);
        }
    }
}

/// Streams live on the thread of their connection.
#[derive(Clone, Copy)]
struct Here;

impl<F: Future<Output: 'static> + 'static> Executor<F> for Here {
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}

/// Form of an answer that a client wants.
#[derive(Clone, Copy)]
struct Form {
    /// No body.
    is_head: bool,
    /// The coding that it takes the body in.
    coding: Option<Coding>,
}

/// Parts that one stream needs.
struct Stream<H> {
    door: Rc<Door<H>>,
    peer: Rc<Peer>,
}

impl<H: Host> Stream<H> {
    async fn answer(self, request: hyper::Request<Incoming>) -> Response<Pieces> {
        let (parts, mut body) = request.into_parts();
        let mut form = Form { is_head: parts.method == "HEAD", coding: None };
        let answer = match self.head(&parts) {
            Ok(head) => {
                form.coding = self.door.limits().deflates.then(|| Coding::accepted(&head)).flatten();
                match self.found(head, &mut body).await {
                    Ok((target, request)) => return self.attach(target, request, form).await,
                    Err(answer) => *answer,
                }
            }
            Err(refusal) => {
                self.door.traffic().refused.one();
                Answer::text(refusal.status(), refusal.to_string())
            }
        };
        self.pass_over(&mut body).await;
        let mut response = self.response(answer, None, form);
        // Dropped before the answer has gone out, it would reset the stream, and the answer with it.
        response.body_mut().unread = Some(body);
        response
    }

    /// Target of a request, and the request with its body.
    async fn found(
        &self,
        mut head: Box<RequestHead>,
        body: &mut Incoming,
    ) -> Result<(H::Target, Request), Box<Answer>> {
        let target = match self.door.host().find(&head, &self.peer) {
            Found::Answer(answer) => return Err(Box::new(answer)),
            Found::Attach(target) => target,
        };
        Coding::of_body(head.fields())?;
        let (body, trailer) = self.body(body).await?;
        let body = coding::plain(&mut head, body, self.door.limits().sizes.body)?;
        let (peer, gone) = (Rc::clone(&self.peer), Gone::default());
        Ok((target, Request { head, body, trailer, peer, gone }))
    }

    fn head(&self, parts: &hyper::http::request::Parts) -> Result<Box<RequestHead>, http::Refusal> {
        let host = parts.headers.get("host").and_then(|host| host.to_str().ok());
        let authority =
            parts.uri.authority().map(|authority| authority.as_str()).or(host).unwrap_or_default();
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        if parts.uri.path().len() > self.door.limits().sizes.target {
            return Err(http::Refusal::TargetTooLong);
        }
        let secure = if self.peer.is_secure() { Scheme::Https } else { Scheme::Http };
        let fields = parts.headers.iter().filter(|(name, _)| *name != "host");
        let head = RequestHead::make(
            parts.method.as_str(),
            secure,
            authority,
            target,
            fields.map(|(name, value)| (name.as_str(), value.as_bytes())),
        )?;
        match head.length() {
            http::body::Length::Known(length) if length > self.door.limits().sizes.body => {
                Err(http::Refusal::BodyTooLong)
            }
            _ => Ok(Box::new(head)),
        }
    }

    /// The whole body, as fast as it must come.
    async fn body(&self, body: &mut Incoming) -> Result<(Vec<u8>, Fields), Box<Answer>> {
        let limits = self.door.limits();
        let answer = |status: u16, text: &str| Box::new(Answer::text(status, text));
        let refused = |refusal: http::Refusal| answer(refusal.status(), &refusal.to_string());
        let since = Instant::now();
        let (mut bytes, mut trailer) = (Vec::new(), Fields::default());
        loop {
            let until = since + limits.grace + Duration::from_secs(bytes.len() as u64 / RATE_MIN);
            let next = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            let frame = match timeout_at(until, next).await {
                Err(_) => return Err(answer(408, "the request did not come in time")),
                Ok(None) => return Ok((bytes, trailer)),
                Ok(Some(Err(_))) => {
                    self.door.broke_off(&self.peer);
                    return Err(answer(400, "the request broke off"));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            match frame.into_data() {
                Ok(data) if (bytes.len() + data.len()) as u64 > limits.sizes.body => {
                    return Err(refused(http::Refusal::BodyTooLong));
                }
                Ok(data) => bytes.extend_from_slice(&data),
                Err(frame) => {
                    for (name, value) in frame.into_trailers().unwrap_or_default().iter() {
                        trailer.push(name, value).map_err(|_| refused(http::Refusal::Trailer))?;
                    }
                }
            }
        }
    }

    /// Reads what a client sends that is refused, as far as that is little: some read no answer before they have sent
    /// all.
    async fn pass_over(&self, body: &mut Incoming) {
        let until = Instant::now() + self.door.limits().linger_max;
        let mut dropped = 0;
        while dropped < LINGER_BYTES_MAX && !body.is_end_stream() {
            let next = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            match timeout_at(until, next).await {
                Ok(Some(Ok(frame))) => dropped += frame.data_ref().map_or(0, Bytes::len),
                _ => return,
            }
        }
    }

    async fn attach(self, target: H::Target, request: Request, form: Form) -> Response<Pieces> {
        let (reply, mut pieces) = Reply::new();
        let gone = request.gone.clone();
        let mut watched = Watched(Some(gone.clone()));
        let (door, peer) = (Rc::clone(&self.door), Rc::clone(&self.peer));
        // It goes on when the client resets the stream; it hears of it.
        tokio::task::spawn_local(async move {
            door.host().attach(target, request, reply).await;
            if gone.is_gone() {
                door.undelivered(&peer);
            }
        });
        match pieces.recv().await {
            Some(Piece::Whole(answer)) => {
                watched.answered();
                self.response(answer, None, form)
            }
            Some(Piece::Begin(head)) => self.response(head, Some((pieces, watched)), form),
            _ => {
                watched.answered();
                self.response(Answer::text(500, "the request was not answered"), None, form)
            }
        }
    }

    fn response(
        &self,
        mut answer: Answer,
        more: Option<(mpsc::Receiver<Piece>, Watched)>,
        form: Form,
    ) -> Response<Pieces> {
        let may_have_body = http::body::may_have_body(answer.status) && !form.is_head;
        if may_have_body && more.is_none() && self.door.limits().deflates {
            Coding::encode(form.coding, &mut answer);
        }
        let body = match more {
            Some((pieces, watched)) => Content::Coming(pieces, watched),
            None if may_have_body => Content::Whole(Some(Bytes::from(answer.body))),
            None => Content::Whole(None),
        };
        let mut response = Response::new(Pieces { content: body, unread: None, busy: None });
        *response.version_mut() = Version::HTTP_2;
        *response.status_mut() =
            StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        add(headers, &answer.fields);
        if !headers.contains_key("date") {
            let mut date = Vec::new();
            clock::write_date(&mut date);
            headers.extend(HeaderValue::from_bytes(&date).ok().map(|date| (hyper::header::DATE, date)));
        }
        if let Some(server) = self.door.host().server().filter(|_| !headers.contains_key("server")) {
            headers.extend(HeaderValue::from_str(server).ok().map(|server| (hyper::header::SERVER, server)));
        }
        response
    }
}

fn add(headers: &mut HeaderMap, fields: &Fields) {
    for (name, value) in fields.iter() {
        let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) else {
            continue;
        };
        if !NOT_OF_HTTP2.contains(&name.as_str()) && name != "content-length" {
            headers.append(name, value);
        }
    }
}

/// Tells that a client has gone, unless the answer has.
struct Watched(Option<Gone>);

impl Watched {
    fn answered(&mut self) {
        self.0 = None;
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(gone) = &self.0 {
            gone.tell();
        }
    }
}

/// The body of an answer.
struct Pieces {
    content: Content,
    /// Rest of the request that was not read.
    unread: Option<Incoming>,
    /// Until the answer has gone out, or its stream was reset.
    busy: Option<Busy>,
}

enum Content {
    Whole(Option<Bytes>),
    Coming(mpsc::Receiver<Piece>, Watched),
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = BrokeOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokeOff>>> {
        let (pieces, watched) = match &mut self.content {
            Content::Whole(bytes) => return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Coming(pieces, watched) => (pieces, watched),
        };
        match ready!(pieces.poll_recv(context)) {
            Some(Piece::Chunk(data)) => Poll::Ready(Some(Ok(Frame::data(data.into())))),
            Some(Piece::End(trailer)) => {
                let mut headers = HeaderMap::new();
                add(&mut headers, &trailer);
                watched.answered();
                self.content = Content::Whole(None);
                Poll::Ready((!headers.is_empty()).then(|| Ok(Frame::trailers(headers))))
            }
            // The stream is reset: what has come must not look whole.
            _ => Poll::Ready(Some(Err(BrokeOff))),
        }
    }

    fn is_end_stream(&self) -> bool {
        // With a part of the request unread the end goes out by itself, so that this lives until then.
        self.unread.is_none() && matches!(self.content, Content::Whole(None))
    }
}

/// An answer in pieces has no end.
#[derive(Debug)]
struct BrokeOff;

impl std::fmt::Display for BrokeOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the answer broke off")
    }
}

impl std::error::Error for BrokeOff {}
