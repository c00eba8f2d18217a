//! A request and its answer: the principal facility of the task that works for it.
//!
//! States of the answer: *open* (an answer may be kept, and replaced) → *sent*; or → *in chunks* → *sent*. What is kept goes
//! out when the task has ended and its changes are committed; an abend makes 500 of it. What was sent before cannot be undone.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{Fields, RequestHead};
use kernel::name::Name8;
use kernel::raise::AbendCode;
use kernel::task::{Connection, Facility, Request as Facing, TaskControl, TaskPart};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{mpsc, oneshot};
use web::{Answer, Peer};

use crate::message::Way;
use crate::service::Service;
use crate::uri::UriMap;

/// A request and its answer.
pub(crate) struct Exchange {
    /// Its head.
    pub head: Box<RequestHead>,
    /// Its body.
    pub body: Vec<u8>,
    /// Who sent it.
    pub peer: Peer,
    /// The service it came through.
    pub service: Arc<Service>,
    /// The URI map that it matches.
    pub map: Option<Arc<UriMap>>,
    /// The web service that it is a message for.
    pub way: Option<Way>,
    answer: Mutex<Answering>,
    pieces: mpsc::Sender<Piece>,
    ended: Mutex<Option<oneshot::Sender<Ended>>>,
    _at_work: AtWork,
}

/// How a task has ended: what it has kept for its client, and its abend.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What goes out now; `None`: nothing was kept, or all was sent.
    pub answer: Option<Answer>,
    /// Its abend.
    pub abend: Option<AbendCode>,
}

/// What goes out while the task runs.
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
    /// What goes out while the task runs.
    pub pieces: mpsc::Receiver<Piece>,
    /// How it has ended.
    pub ended: oneshot::Receiver<Ended>,
}

/// The answer, as far as the task has come with it.
#[derive(Default)]
pub(crate) struct Answering {
    /// How far.
    pub state: State,
    /// Headers that the program has written.
    pub fields: Fields,
    /// What goes out at the end of the task.
    pub kept: Option<Answer>,
    /// How much of the body the program has received.
    pub received: usize,
    /// Headers that are still to be browsed.
    pub headers: Option<Browse>,
    /// Fields of a form that are still to be browsed.
    pub form: Option<Browse>,
    /// Parameters of the query string that are still to be browsed.
    pub query: Option<Browse>,
}

/// Names and values that a browse has not given yet, the next one last.
pub(crate) type Browse = Vec<(Vec<u8>, Vec<u8>)>;

/// How far an answer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing was sent.
    #[default]
    Open,
    /// Its head was sent, and chunks may follow.
    InChunks,
    /// It was sent.
    Sent,
}

/// A request at work: it counts as long as this lives.
struct AtWork(Arc<Service>);

impl AtWork {
    fn new(service: &Arc<Service>) -> Self {
        service.counts.at_work.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(service))
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
}

impl Exchange {
    /// A request that waits for its task.
    pub fn new(arrived: Arrived) -> (Arc<Self>, DoorSide) {
        // One piece waits at most: the task waits for a slow client.
        let (pieces, arriving) = mpsc::channel(1);
        let (sender, ended) = oneshot::channel();
        let Arrived { head, body, peer, service, map, way } = arrived;
        if let Some(map) = &map {
            count(&map.matched);
        }
        let exchange = Self {
            _at_work: AtWork::new(&service),
            head,
            body,
            peer,
            service,
            map,
            way,
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

    /// Where pieces go that do not wait for the end of the task.
    pub fn pieces(&self) -> &mpsc::Sender<Piece> {
        &self.pieces
    }

    /// Whether the client speaks TLS.
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
}

impl Exchange {
    /// Its task is gone: what it has kept goes out, unless it has abended.
    fn ended(&self, abend: Option<AbendCode>) {
        let answer = {
            let mut answer = self.answer.lock();
            let kept = answer.kept.take();
            if answer.state == State::Open && abend.is_none() { kept } else { None }
        };
        if let Some(sender) = self.ended.lock().take() {
            // The connection may be gone.
            let _ = sender.send(Ended { answer, abend });
        }
    }
}

/// What a task keeps of its request: it hears how the task has ended, and tells the door once its locks are gone. A task that
/// never began, or was lost, has not ended normally.
pub(crate) struct Ending {
    exchange: Arc<Exchange>,
    abend: Option<AbendCode>,
}

/// The abend of a task that never began, or was lost.
const LOST: &str = "AKCS";

impl Ending {
    /// That of a request.
    pub fn of(exchange: &Arc<Exchange>) -> Self {
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
        self.exchange.ended(self.abend);
    }
}

/// Counts one more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The name of a program that a request leads to, if it leads to one.
pub(crate) fn program(exchange: &Exchange) -> Option<Name8> {
    exchange.map.as_ref().and_then(|map| map.program)
}
