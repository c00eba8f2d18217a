//! Requests on their way from units of work, on any thread, to the link, on its own; what both sides know of the server.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use records::{Claim, Error, Owner, Resource, Result, StoreId};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use super::asking::give_way;
use super::copies::Copies;
use super::directory::Directory;
use super::hears::Hears;
use crate::limits::{BLOCKED_MAX, NUMBERS_ASIDE, PATIENCE_AT_END, PLACES, TOGETHER};
use crate::protocol::{CommitPlace, Request, to_bytes};

/// The number of a session with the server: 1 is the first one of this engine.
pub(crate) type Epoch = u64;

/// A reply, and the session that it was given in.
pub(crate) type Told = Result<(Vec<u8>, Epoch)>;

/// The one who wants a reply.
pub(super) enum To {
    /// No caller; the request is done all the same.
    Nobody,
    /// A task: if it is gone, the request is cancelled.
    Task(oneshot::Sender<Told>),
    /// A thread that is blocked.
    Thread(std::sync::mpsc::Sender<Told>),
    /// The directory: numbers of stores that are set aside.
    Numbers,
}

impl To {
    /// Gives the reply.
    pub fn tell(self, told: Told) {
        match self {
            Self::Nobody | Self::Numbers => {}
            Self::Task(tell) => drop(tell.send(told)),
            Self::Thread(tell) => drop(tell.send(told)),
        }
    }

    /// Returns true if no caller wants the reply any more.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Task(tell) if tell.is_closed())
    }
}

/// A request.
pub(super) struct Call {
    pub body: Vec<u8>,
    /// The only session in which it may be asked.
    pub epoch: Option<Epoch>,
    /// It may be asked again in another session.
    pub is_repeatable: bool,
    /// The place of a commit, its own until the reply comes: a lost one is asked for afterwards.
    pub place: Option<Placed>,
    /// The receiver of the reply.
    pub to: To,
    /// The moment from which it waits.
    pub since: Instant,
}

/// The state of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is being made; the reason for which it is not there.
    Missing(String),
    /// It is there: the session.
    Here(Epoch),
    /// The engine can do no work any more: the reason.
    Failed(String),
}

/// A name that this region claims: how often beside others, and alone.
type Claimed = HashMap<(Vec<u8>, bool), usize>;

pub(crate) struct Calls {
    queue: Mutex<VecDeque<Call>>,
    bell: Notify,
    /// A caller has left a request that may have been sent.
    left: AtomicBool,
    pub(super) phase: watch::Sender<Phase>,
    pub(crate) directory: Directory,
    largest_unit: AtomicUsize,
    places: Mutex<Places>,
    number: AtomicU64,
    claimed: Mutex<Claimed>,
    pub(super) hears: Hears,
    pub(super) copies: Copies,
    /// Stores that take a limited number of records.
    bounds: Mutex<HashMap<StoreId, u64>>,
    /// True as soon as there is one.
    any_bound: AtomicBool,
    /// Stores in which this region reads ahead, and the session that has said so.
    ahead: Mutex<HashMap<StoreId, Epoch>>,
    /// The number of the last change of any unit of work.
    edits: AtomicU64,
    /// Tasks that have names to their own end, and the session in which those are.
    tasks: Mutex<HashMap<Owner, Option<Epoch>>>,
    /// Lock that each owner waits for at the server.
    awaited: Mutex<HashMap<Owner, Resource>>,
    /// The time for which a request waits for the server.
    patience: Mutex<Duration>,
    /// The number of the records; 0: the server has not named it yet.
    records: AtomicU64,
}

/// Places for commits that are free: those that were used, and the first that was not.
#[derive(Default)]
struct Places {
    free: Vec<u32>,
    next: u32,
}

/// A place of a commit, given back when dropped.
pub(super) struct Placed {
    calls: Arc<Calls>,
    pub place: CommitPlace,
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.calls.places.lock().free.push(self.place.place);
    }
}

impl Calls {
    pub fn new(patience: Duration) -> Self {
        Self {
            queue: Mutex::default(),
            bell: Notify::new(),
            left: AtomicBool::new(false),
            phase: watch::Sender::new(Phase::Missing("the record server was not reached yet".into())),
            directory: Directory::default(),
            largest_unit: AtomicUsize::new(usize::MAX),
            places: Mutex::default(),
            number: AtomicU64::new(1),
            claimed: Mutex::default(),
            hears: Hears::default(),
            copies: Copies::default(),
            bounds: Mutex::default(),
            any_bound: AtomicBool::new(false),
            ahead: Mutex::default(),
            edits: AtomicU64::new(0),
            tasks: Mutex::default(),
            awaited: Mutex::default(),
            patience: Mutex::new(patience),
            records: AtomicU64::new(0),
        }
    }

    /// The number of the records that this region uses; 0: the server has not named it yet.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Acquire)
    }

    /// Only records with this number are those of this region.
    pub(super) fn records_are(&self, number: u64) {
        self.records.store(number, Ordering::Release);
    }

    /// The time for which a request waits for the server.
    pub(super) fn patience(&self) -> Duration {
        *self.patience.lock()
    }

    /// The region ends: it waits for a server that is gone only a moment more.
    pub(super) fn is_ending(&self) {
        let mut patience = self.patience.lock();
        *patience = PATIENCE_AT_END.min(*patience);
    }

    pub fn largest_unit(&self) -> usize {
        self.largest_unit.load(Ordering::Relaxed)
    }

    pub(super) fn largest_unit_is(&self, bytes: u64) {
        self.largest_unit.store(bytes.try_into().unwrap_or(usize::MAX), Ordering::Relaxed);
    }

    /// Adds a request. Returns true if it is the first one of a round: the link has not been called for it yet.
    fn add(&self, call: Call) -> bool {
        if let Phase::Failed(why) = &*self.phase.borrow() {
            call.to.tell(Err(Error::Lost(why.clone())));
            return false;
        }
        let waiting = {
            let mut queue = self.queue.lock();
            queue.push_back(call);
            queue.len()
        };
        if waiting >= TOGETHER {
            self.bell.notify_one();
        }
        waiting == 1
    }

    fn send(&self, body: Vec<u8>, epoch: Option<Epoch>, to: To) {
        self.add(Call { body, epoch, is_repeatable: false, place: None, to, since: Instant::now() });
        self.bell.notify_one();
    }

    /// A request goes back to be asked in the next session.
    pub(super) fn again(&self, call: Call) {
        self.queue.lock().push_front(call);
        self.bell.notify_one();
    }

    /// Asks: the request is sent when this is polled by a caller that waits, and cancelled when it is dropped.
    pub async fn ask(&self, request: &Request<'_>, epoch: Option<Epoch>) -> Told {
        super::asking::caller_waits().await;
        let (tell, told) = oneshot::channel();
        let (body, is_repeatable) = (to_bytes(request), request.is_repeatable());
        let (place, to, since) = (None, To::Task(tell), Instant::now());
        let is_first = self.add(Call { body, epoch, is_repeatable, place, to, since });
        let mut wanted = Wanted { calls: self, told };
        self.go(is_first).await;
        (&mut wanted.told).await.unwrap_or_else(|_| Err(gone()))
    }

    /// Asks for a commit, which goes on if this is dropped.
    pub(super) async fn ask_to_commit(&self, body: Vec<u8>, epoch: Option<Epoch>, place: Placed) -> Told {
        let (tell, told) = oneshot::channel();
        let (place, to, since) = (Some(place), To::Task(tell), Instant::now());
        let is_first = self.add(Call { body, epoch, is_repeatable: false, place, to, since });
        self.go(is_first).await;
        told.await.unwrap_or_else(|_| Err(gone()))
    }

    /// The first one of a round calls the link when the other tasks that are ready on its thread have had their turn: so their
    /// requests go together.
    async fn go(&self, is_first: bool) {
        if is_first {
            let _calls = Rings(self);
            give_way().await;
        }
    }

    /// Sends a request whose reply is not wanted.
    pub fn tell(&self, request: &Request<'_>, epoch: Option<Epoch>) {
        self.send(to_bytes(request), epoch, To::Nobody);
    }

    /// Asks for more numbers of stores.
    pub fn wants_numbers(&self) {
        self.send(to_bytes(&Request::Aside(NUMBERS_ASIDE)), None, To::Numbers);
    }

    /// Asks, and blocks the thread until the reply comes.
    pub fn ask_and_block(&self, request: &Request<'_>) -> Result<Vec<u8>> {
        self.ask_and_block_for(request, None, BLOCKED_MAX).map(|(reply, _)| reply)
    }

    /// The same in one session, for as long as it may take.
    pub fn ask_and_block_for(&self, request: &Request<'_>, epoch: Option<Epoch>, most: Duration) -> Told {
        let (tell, told) = std::sync::mpsc::channel();
        self.send(to_bytes(request), epoch, To::Thread(tell));
        match told.recv_timeout(most) {
            Ok(told) => told,
            Err(_) => Err(Error::Lost("the record server does not answer".into())),
        }
    }

    /// Waits until requests may have come, or a caller has left one.
    pub(super) async fn called(&self) {
        self.bell.notified().await;
    }

    /// Takes all requests that have come.
    pub(super) fn take(&self, taken: &mut VecDeque<Call>) {
        std::mem::swap(taken, &mut *self.queue.lock());
    }

    /// Requests that were taken and not sent go back to where they were.
    pub(super) fn give_back(&self, taken: &mut VecDeque<Call>) {
        let mut queue = self.queue.lock();
        taken.append(&mut queue);
        std::mem::swap(taken, &mut *queue);
    }

    /// Returns true if a caller has left a request since this was last asked.
    pub(super) fn is_one_left(&self) -> bool {
        self.left.load(Ordering::Acquire) && self.left.swap(false, Ordering::AcqRel)
    }

    /// Takes the requests that do not wait for a server that is not there: those of a session that is over, and those that have
    /// waited too long.
    pub(super) fn impatient(&self, everything: bool) -> Vec<Call> {
        let (now, patience) = (Instant::now(), self.patience());
        let mut queue = self.queue.lock();
        let (gone, waiting) = queue.drain(..).partition(|call| {
            everything || call.epoch.is_some() || now.duration_since(call.since) >= patience
        });
        *queue = waiting;
        gone.into()
    }

    /// A place for a commit.
    pub(super) fn place(self: &Arc<Self>) -> Result<Placed> {
        let mut places = self.places.lock();
        let place = match places.free.pop() {
            Some(place) => place,
            None => {
                if places.next >= PLACES {
                    return Err(Error::Limit("places for commits"));
                }
                places.next += 1;
                places.next - 1
            }
        };
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        Ok(Placed { calls: Arc::clone(self), place: CommitPlace { place, number } })
    }

    /// A claim that the server has granted.
    pub fn claimed(self: &Arc<Self>, name: Vec<u8>, alone: bool) -> Claim {
        *self.claimed.lock().entry((name.clone(), alone)).or_default() += 1;
        let calls = Arc::clone(self);
        Claim::given_back_by(move || {
            let key = (name, alone);
            {
                let mut claimed = calls.claimed.lock();
                match claimed.get_mut(&key) {
                    Some(1) | None => drop(claimed.remove(&key)),
                    Some(times) => *times -= 1,
                }
            }
            calls.tell(&Request::GiveBack { name: &key.0, alone }, calls.epoch());
        })
    }

    /// The claims that a new session must have, each as often as it was granted.
    pub(super) fn claims(&self) -> Vec<(Vec<u8>, bool)> {
        let claimed = self.claimed.lock();
        claimed.iter().flat_map(|(claim, times)| std::iter::repeat_n(claim.clone(), *times)).collect()
    }

    /// The region wants to read ahead in a store: the server hears it once in each session.
    pub fn reads_ahead(&self, store: StoreId) {
        let Some(epoch) = self.epoch().filter(|_| self.copies.are_possible()) else { return };
        if self.ahead.lock().insert(store, epoch) != Some(epoch) {
            self.tell(&Request::Ahead { store: store.0 }, Some(epoch));
        }
    }

    /// The number of one change more: no two units of work have the same.
    pub fn edit(&self) -> u64 {
        self.edits.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A store takes up to so many records.
    pub fn is_bound(&self, store: StoreId, most: u64) {
        self.bounds.lock().insert(store, most);
        self.any_bound.store(true, Ordering::Release);
    }

    /// Returns true if a store takes a limited number of records. Cheap where no store does.
    pub fn has_bound(&self, store: StoreId) -> bool {
        self.any_bound.load(Ordering::Acquire) && self.bounds.lock().contains_key(&store)
    }

    /// The stores that take a limited number of records.
    pub(super) fn bounds(&self) -> Vec<(StoreId, u64)> {
        self.bounds.lock().iter().map(|(store, most)| (*store, *most)).collect()
    }

    /// A store is gone.
    pub(super) fn has_no_bound(&self, store: StoreId) {
        self.bounds.lock().remove(&store);
    }

    /// A task takes a name to its own end: it is known from before it asks.
    pub fn task_begins(&self, owner: Owner) {
        self.tasks.lock().entry(owner).or_default();
    }

    /// It has the name in this session.
    pub fn task_is_in(&self, owner: Owner, epoch: Epoch) {
        self.tasks.lock().insert(owner, Some(epoch));
    }

    /// Returns true if a task may have names to its own end.
    pub fn is_task(&self, owner: Owner) -> bool {
        self.tasks.lock().contains_key(&owner)
    }

    /// The session in which a task has such names: in another one they are lost.
    pub fn task_epoch(&self, owner: Owner) -> Option<Epoch> {
        let tasks = self.tasks.lock();
        if tasks.is_empty() { None } else { tasks.get(&owner).copied().flatten() }
    }

    /// A task has ended.
    pub fn task_ends(&self, owner: Owner) {
        let epoch = self.tasks.lock().remove(&owner);
        if let Some(epoch) = epoch {
            self.tell(&Request::TaskEnds { owner: owner.0 }, epoch.or(self.epoch()));
        }
    }

    /// An owner waits for something at the server until what is returned is dropped.
    pub(super) fn waits_for(self: &Arc<Self>, owner: Owner, resource: Resource) -> Awaits {
        self.awaited.lock().insert(owner, resource);
        Awaits { calls: Arc::clone(self), owner }
    }

    /// Lock that an owner waits for at the server.
    pub fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.awaited.lock().get(&owner).cloned()
    }

    /// The session, if there is one.
    pub fn epoch(&self) -> Option<Epoch> {
        match &*self.phase.borrow() {
            Phase::Here(epoch) => Some(*epoch),
            _ => None,
        }
    }

    /// Waits until the server is there, or cannot be.
    pub async fn is_there(&self) -> std::result::Result<(), String> {
        let mut phases = self.phase.subscribe();
        let waits = async {
            loop {
                match &*phases.borrow_and_update() {
                    Phase::Here(_) => return Ok(()),
                    Phase::Failed(why) => return Err(why.clone()),
                    Phase::Missing(_) => {}
                }
                if phases.changed().await.is_err() {
                    return Err("the link to the record server has ended".into());
                }
            }
        };
        match tokio::time::timeout(self.patience(), waits).await {
            Ok(is) => is,
            Err(_) => Err(match &*self.phase.borrow() {
                Phase::Missing(why) | Phase::Failed(why) => why.clone(),
                Phase::Here(_) => return Ok(()),
            }),
        }
    }

    /// Waits until the engine can do no work any more: the reason.
    pub async fn failure(&self) -> String {
        let mut phases = self.phase.subscribe();
        loop {
            if let Phase::Failed(why) = &*phases.borrow_and_update() {
                return why.clone();
            }
            if phases.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// A caller that wants a reply; if dropped before it has come, the request is cancelled.
struct Wanted<'a> {
    calls: &'a Calls,
    told: oneshot::Receiver<Told>,
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        // One that has told its reply has ended.
        if !self.told.is_terminated() {
            self.told.close();
            self.calls.left.store(true, Ordering::Release);
            self.calls.bell.notify_one();
        }
    }
}

/// Calls the link, when dropped, for requests that wait.
struct Rings<'a>(&'a Calls);

impl Drop for Rings<'_> {
    fn drop(&mut self) {
        if !self.0.queue.lock().is_empty() {
            self.0.bell.notify_one();
        }
    }
}

/// A wait at the server.
pub(super) struct Awaits {
    calls: Arc<Calls>,
    owner: Owner,
}

impl Drop for Awaits {
    fn drop(&mut self) {
        self.calls.awaited.lock().remove(&self.owner);
    }
}

fn gone() -> Error {
    Error::Lost("the link to the record server has ended".into())
}
