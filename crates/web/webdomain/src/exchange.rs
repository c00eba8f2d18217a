//! A request and its answer: the principal facility of the task that works for it.
//!
//! States of the answer: *open* (an answer may be kept, and replaced) → *sent*; or → *in chunks* → *sent*. A kept answer goes
//! out when the task has ended and its changes are committed; an abend makes 500 of it. What was sent before cannot be undone.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use http::url::Scheme;
use http::{Fields, RequestHead};
use kernel::name::Name8;
use kernel::raise::{AbendCode, Outcome, Raise};
use kernel::security::User;
use kernel::spans::Attribute;
use kernel::task::{Connection, Facility, Request as Facing, RequestMeasures, TaskControl, TaskPart};
use otlp::Value;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, mpsc, oneshot};
use web::{Answer, Peer};

use crate::browse::Browse;
use crate::service::{Protocol, Service};
use crate::trouble::Trouble;
use crate::uri_map::UriMap;
use crate::way::Way;

/// The status of a request whose tasks have answered nothing.
const NO_ANSWER: u16 = 500;

/// A request and its answer.
pub(crate) struct Exchange {
    /// Its head.
    pub head: Box<RequestHead>,
    /// Its body.
    pub body: Vec<u8>,
    /// Sender of the request.
    pub peer: Peer,
    /// True if it is the first of its connection.
    pub is_first: bool,
    /// The service it came through.
    pub service: Arc<Service>,
    /// The URI map that it matches.
    pub map: Option<Arc<UriMap>>,
    /// The web service that it is a message for.
    pub way: Option<Way>,
    /// Whom the client has proved to be.
    pub user: Option<Arc<User>>,
    /// Failure in the door that the application is to report.
    pub trouble: Option<Trouble>,
    /// The task that works for it now, and whether its client has gone.
    pub worker: Arc<Worker>,
    /// Counts of programs' requests for it.
    pub used: Used,
    chosen: OnceLock<Chosen>,
    /// The operation of its web service.
    operation: OnceLock<String>,
    tasks: AtomicUsize,
    abend: Mutex<Option<AbendCode>>,
    /// The status of its answer, once that is known; 0 before.
    pub status: AtomicU16,
    answer: Mutex<Answering>,
    pieces: mpsc::Sender<Piece>,
    ended: Mutex<Option<oneshot::Sender<Ended>>>,
    _at_work: AtWork,
}

/// The task that works for a request now, known to the door.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    /// Its number.
    pub task: AtomicU32,
    client_gone: AtomicBool,
    goes: Notify,
}

impl Worker {
    /// The client has gone before its answer.
    pub fn client_goes(&self) {
        self.client_gone.store(true, Ordering::Release);
        self.goes.notify_waiters();
    }

    /// Waits until the client has gone.
    pub async fn client_gone(&self) {
        let goes = self.goes.notified();
        if !self.has_client_gone() {
            goes.await;
        }
    }

    /// Returns true if the client has gone before its answer, as far as the door has heard of it.
    pub fn has_client_gone(&self) -> bool {
        self.client_gone.load(Ordering::Acquire)
    }
}

/// Counts of programs' requests, for monitoring.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// Receives of the body, and their bytes.
    pub receives: AtomicU64,
    pub received_bytes: AtomicU64,
    /// Sends of the answer, and their bytes.
    pub sends: AtomicU64,
    pub sent_bytes: AtomicU64,
    /// Headers, fields and parameters that were read by name, and headers that were written.
    pub reads: AtomicU64,
    pub writes: AtomicU64,
    /// Commands of browses.
    pub browses: AtomicU64,
}

/// Choice of an analyzer for a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chosen {
    /// The program that answers.
    pub program: Option<Name8>,
    /// The converter round it.
    pub converter: Option<Name8>,
    /// Token for the converter.
    pub token: [u8; 8],
}

/// End of a task: the answer that it has kept for its client, and its abend.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Answer that goes out now; `None` if none was kept, or all was sent.
    pub answer: Option<Answer>,
    /// Its abend.
    pub abend: Option<AbendCode>,
    /// The bytes are no whole request yet.
    pub needs_more: bool,
}

/// Piece that goes out while the task runs.
#[derive(Debug)]
pub(crate) enum Piece {
    /// A whole answer.
    Whole(Answer),
    /// The head of one in chunks.
    Begin(Answer),
    /// A chunk.
    Chunk(Vec<u8>),
    /// The end of one in chunks.
    End(Fields),
}

/// The door's ends of an exchange.
pub(crate) struct DoorSide {
    /// Pieces that go out while the task runs.
    pub pieces: mpsc::Receiver<Piece>,
    /// End of the task.
    pub ended: oneshot::Receiver<Ended>,
}

/// The answer, as far as the task has come with it.
#[derive(Default)]
pub(crate) struct Answering {
    /// State of the answer.
    pub state: AnswerState,
    /// Headers that the program has written.
    pub fields: Fields,
    /// Answer that goes out at the end of the task.
    pub kept: Option<Answer>,
    /// Answer that goes out at the end of a task that has abended.
    pub excuse: Option<Answer>,
    /// The bytes are no whole request yet.
    pub needs_more: bool,
    /// The headers that may still be written behind an answer in chunks: its header Trailer has announced them.
    pub announced: Fields,
    /// Number of bytes of the body that the program has received.
    pub received: usize,
    /// Headers that are still to be browsed.
    pub headers: Option<Browse>,
    /// Fields of a form that are still to be browsed.
    pub form: Option<Browse>,
    /// Parameters of the query string that are still to be browsed.
    pub query: Option<Browse>,
}

/// States of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerState {
    /// Nothing was sent.
    #[default]
    Open,
    /// Its head was sent, and chunks may follow.
    InChunks,
    /// It was sent.
    Sent,
}

/// A request at work: it counts as long as this lives.
pub(crate) struct AtWork(Arc<Service>);

impl AtWork {
    /// One more of a service; `None` if so many are at work already, whichever TCB has let them in.
    pub fn of(service: &Arc<Service>, most: u64) -> Option<Self> {
        let one_more = |now: u64| (now < most).then_some(now + 1);
        service.counts.at_work.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Self(Arc::clone(service)))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.counts.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request on its way to a task.
pub(crate) struct Arrived {
    pub head: Box<RequestHead>,
    pub body: Vec<u8>,
    pub peer: Peer,
    pub service: Arc<Service>,
    pub map: Option<Arc<UriMap>>,
    pub way: Option<Way>,
    pub user: Option<Arc<User>>,
    pub trouble: Option<Trouble>,
    pub at_work: AtWork,
}

impl Exchange {
    /// A request that waits for its task.
    pub fn new(arrived: Arrived) -> (Arc<Self>, DoorSide) {
        // One piece waits at most: the task waits for a slow client.
        let (pieces, arriving) = mpsc::channel(1);
        let (sender, ended) = oneshot::channel();
        let Arrived { head, body, peer, service, map, way, user, trouble, at_work } = arrived;
        let exchange = Self {
            is_first: peer.asks(),
            _at_work: at_work,
            head,
            body,
            peer,
            service,
            map,
            way,
            user,
            trouble,
            worker: Arc::default(),
            used: Used::default(),
            chosen: OnceLock::new(),
            operation: OnceLock::new(),
            tasks: AtomicUsize::new(0),
            abend: Mutex::default(),
            status: AtomicU16::new(0),
            answer: Mutex::default(),
            pieces,
            ended: Mutex::new(Some(sender)),
        };
        (Arc::new(exchange), DoorSide { pieces: arriving, ended })
    }

    /// That for which a task works.
    pub fn of(task: &TaskControl) -> Option<Arc<Self>> {
        let Facility::Request(request) = &task.facility else { return None };
        let request: Arc<dyn Any + Send + Sync> = Arc::<dyn Facing>::clone(request);
        request.downcast().ok()
    }

    /// The answer, as far as the task has come with it.
    pub fn answer(&self) -> MutexGuard<'_, Answering> {
        self.answer.lock()
    }

    /// Returns true if the task has sent or kept an answer.
    pub fn has_answer(&self) -> bool {
        let answer = self.answer();
        answer.kept.is_some() || answer.state != AnswerState::Open
    }

    /// Returns true if its answer would go out now, and no client takes it.
    pub fn is_for_nobody(&self) -> bool {
        self.worker.has_client_gone() && self.answer().state == AnswerState::Open
    }

    /// Notes an analyzer's choice, once.
    pub fn choose(&self, chosen: Chosen) {
        // It is set once: an analyzer runs once.
        let _ = self.chosen.set(chosen);
    }

    /// The name of the program that it leads to, if it leads to one.
    pub fn program(&self) -> Option<Name8> {
        let of_map = || self.map.as_ref().and_then(|map| map.program);
        self.chosen.get().map_or_else(of_map, |chosen| chosen.program)
    }

    /// The converter of that program, if it has one.
    pub fn converter(&self) -> Option<Name8> {
        let of_map = || self.map.as_ref().and_then(|map| map.converter);
        self.chosen.get().map_or_else(of_map, |chosen| chosen.converter)
    }

    /// Token of the analyzer for the converter.
    pub fn token(&self) -> [u8; 8] {
        self.chosen.get().map_or_else(Default::default, |chosen| chosen.token)
    }

    /// Channel for pieces that do not wait for the end of the task.
    pub fn pieces(&self) -> &mpsc::Sender<Piece> {
        &self.pieces
    }

    /// Returns true if it is a request of HTTP.
    pub fn is_http(&self) -> bool {
        self.service.said.protocol == Protocol::Http
    }

    /// That it is no whole request yet.
    pub fn needs_more(&self) {
        self.answer().needs_more = true;
    }

    /// Keeps an answer for a failed request: without HTTP none goes out.
    pub fn excuse(&self, answer: Answer, has_abended: bool) {
        if !self.is_http() {
            return;
        }
        let mut answering = self.answer();
        *(if has_abended { &mut answering.excuse } else { &mut answering.kept }) = Some(answer);
    }

    /// Returns true if the client speaks TLS.
    pub fn is_secure(&self) -> bool {
        self.peer.is_secure()
    }

    /// The media type of the body, as its header says it.
    pub fn media(&self) -> Option<String> {
        self.head.fields().get("Content-Type").map(|value| String::from_utf8_lossy(value).into_owned())
    }
}

impl Facing for Exchange {
    fn connection(&self) -> Connection {
        let client = self.peer.client;
        Connection { door: self.service.name, client, server: self.peer.server.unwrap_or(client) }
    }

    fn measured(&self) -> RequestMeasures {
        let got = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Used { receives, received_bytes, sends, sent_bytes, reads, writes, browses } = &self.used;
        let map = self.map.as_deref();
        let of_way = self.way.as_ref();
        // `TLSv1_3` in the words of the library.
        let version = self.peer.tls.as_ref().map(|tls| tls.version.replace(['v', '_'], ""));
        RequestMeasures {
            map: map.map(|map| map.name).unwrap_or_default(),
            pipeline: of_way.map(Way::pipeline).unwrap_or_default(),
            service: of_way.and_then(Way::name).unwrap_or_default(),
            operation: self.operation.get().cloned().unwrap_or_default(),
            program: self.program().unwrap_or_default(),
            tls: version.unwrap_or_default(),
            cipher: self.peer.tls.as_ref().map(|tls| tls.cipher.clone()).unwrap_or_default(),
            first: self.is_first,
            receives: got(receives),
            received_bytes: got(received_bytes),
            sends: got(sends),
            sent_bytes: got(sent_bytes),
            reads: got(reads),
            writes: got(writes),
            browses: got(browses),
            encrypted: if self.peer.tls.is_some() { got(sent_bytes) } else { 0 },
            decrypted: if self.peer.tls.is_some() { self.body.len() as u64 } else { 0 },
            tls_ns: self.peer.tally.as_ref().map(|tally| tally.take().processor_ns),
        }
    }

    fn has_operation(&self, name: &str) {
        // A request is for one.
        let _ = self.operation.set(name.to_owned());
    }

    fn described(&self, told: &mut Vec<Attribute>) {
        describe(self, told);
    }
}

impl Exchange {
    /// A task that was to work for it could not be attached: another one says so.
    pub fn forgive(&self) {
        *self.abend.lock() = None;
    }

    /// The status of its answer is known.
    pub fn has_status(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// A task of it is gone. Behind the last one goes out what was kept, unless one has abended: then its excuse does.
    fn left(&self, abend: Option<AbendCode>) {
        let abend = {
            let mut known = self.abend.lock();
            *known = known.or(abend);
            *known
        };
        if self.tasks.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let (answer, needs_more) = {
            let mut answer = self.answer.lock();
            let (kept, excuse) = (answer.kept.take(), answer.excuse.take());
            let goes_out = if abend.is_none() { kept } else { excuse };
            let is_open = answer.state == AnswerState::Open;
            let goes_out = goes_out.filter(|_| is_open);
            if is_open {
                self.has_status(goes_out.as_ref().map_or(NO_ANSWER, |answer| answer.status));
            }
            (goes_out, answer.needs_more)
        };
        if let Some(sender) = self.ended.lock().take() {
            // The connection may be gone.
            let _ = sender.send(Ended { answer, abend, needs_more });
        }
    }
}

/// Tells a request of a client, for the span of its task.
fn describe(exchange: &Exchange, told: &mut Vec<Attribute>) {
    if !exchange.is_http() {
        return;
    }
    let (head, scheme) = (&exchange.head, if exchange.is_secure() { Scheme::Https } else { Scheme::Http });
    let mut text = |key: &'static str, text: &str| told.push((key.into(), Value::text(text)));
    text("http.request.method", head.method());
    text("url.scheme", scheme.text());
    text("url.path", head.path());
    if let Some(host) = head.host() {
        text("server.address", host);
    }
    if let Some(map) = &exchange.map {
        text("http.route", &map.matches.path);
        text("cics.urimap", map.name.to_string().trim_end());
    }
    text("cics.tcpipservice", exchange.service.name.to_string().trim_end());
    let status = exchange.status.load(Ordering::Relaxed);
    if status != 0 {
        told.push(("http.response.status_code".into(), u64::from(status).into()));
    }
}

/// Waits for something that a task needs for its answer, as long as a client waits for that answer: otherwise the changes of the task are
/// backed out, whatever it goes on to do.
///
/// # Errors
/// AKCS: the client has gone before the answer.
pub(crate) async fn for_somebody<T>(task: &TaskControl, event: impl Future<Output = T>) -> Outcome<T> {
    let exchange = Exchange::of(task).filter(|exchange| exchange.answer().state == AnswerState::Open);
    let Some(exchange) = exchange else { return Ok(event.await) };
    tokio::select! {
        biased;
        done = event => Ok(done),
        () = exchange.worker.client_gone() => Err(Raise::abend(LOST)),
    }
}

/// A task's part of its request: it hears how the task has ended, and informs the door once the task's locks are
/// gone. A task that never began, or was lost, has not ended normally.
pub(crate) struct Ending {
    exchange: Arc<Exchange>,
    abend: Option<AbendCode>,
}

/// The abend of a task that never began, or was lost.
const LOST: &str = "AKCS";

impl Ending {
    /// That of a request.
    pub fn of(exchange: &Arc<Exchange>) -> Self {
        exchange.tasks.fetch_add(1, Ordering::AcqRel);
        Self { exchange: Arc::clone(exchange), abend: Some(AbendCode::from(LOST)) }
    }
}

impl TaskPart for Ending {
    fn refused(&mut self) -> bool {
        true
    }

    fn task_ends(&mut self, abend: Option<AbendCode>, _: Option<&str>) {
        self.abend = abend;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.exchange.left(self.abend);
    }
}
