//! The requests of interval control that wait for their time.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::HashMap;
use jiff::Timestamp;
use parking_lot::Mutex;
use records::{Decision, Resolved};
use spec::cond;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::alarms::Alarms;
use super::asked::{Counted, Start};
use super::kept::KeptStart;
use super::record::{from_bytes, to_bytes};
use crate::events::Event;
use kernel::clock;
use kernel::dispatcher::{Attach, AttachError, Dispatcher, Refused};
use kernel::exec::FOLLOWS;
use kernel::limits::{INTERVAL_REQUESTS_MAX, START_RETRIES_MAX, START_RETRY_AFTER, START_TERMINAL_WAIT};
use kernel::lines::often;
use kernel::name::{Name8, TerminalName, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::stores::KeypointRecord;
use kernel::task::{Facility, StartCode};
use kernel::terminal_control::start_at;
use kernel::terminals::Terminals;

/// The number of request identifiers that the region has of its own: six hexadecimal digits.
const REQUEST_NUMBERS: u32 = 1 << 24;
/// RESP2 of INVREQ for a request identifier that is pending already.
const REQUEST_IN_USE: i32 = 22;

/// A pending request, as INQUIRE REQID sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The request identifier.
    pub request: Name8,
    /// The transaction; `None`: a DELAY or a POST.
    pub transaction: Option<TransactionName>,
    /// The terminal.
    pub terminal: Option<TerminalName>,
}

enum Request {
    Start(Box<Waiting>),
    /// A protected START whose unit of work has not ended.
    Promised,
    Delay {
        cancel: oneshot::Sender<()>,
    },
    Post {
        event: Arc<Event>,
    },
}

impl Request {
    /// Returns true if it is the protected START of this record.
    fn is_kept(&self, kept: Option<KeptStart>) -> bool {
        let number = |kept: Option<KeptStart>| kept.map(|kept| kept.number);
        matches!(self, Self::Start(waiting) if kept.is_some() && number(waiting.start.data.kept) == number(kept))
    }
}

/// A START whose time has not come, or that cannot be attached now.
struct Waiting {
    start: Start,
    due: Timestamp,
    /// None for what waits for a release, which comes with the region's next start.
    timer: Option<AbortHandle>,
    /// Its time has come, and its terminal is not there.
    for_terminal: bool,
}

/// A place among the pending requests that a protected START has until its unit of work ends: what a command has promised
/// must not be refused at the syncpoint. Dropped, it is free again.
pub(super) struct Promise {
    region: Arc<Region>,
    request: Name8,
    redeemed: bool,
}

impl Promise {
    /// The unit of work has committed: the START counts from now on.
    pub fn redeem(mut self, start: Start, after: Duration) {
        self.redeemed = true;
        let (region, request) = (&self.region, self.request);
        let mut pending = IntervalControl::of(region).pending.lock();
        if after.is_zero() {
            pending.remove(&request);
            drop(pending);
            fire(region, request, start, true);
        } else {
            pending.insert(request, wait(region, request, start, after));
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if !self.redeemed {
            IntervalControl::of(&self.region).pending.lock().remove(&self.request);
        }
    }
}

/// A START that a CANCEL has taken back.
pub(super) struct Cancelled {
    /// The record of a protected START.
    pub kept: Option<KeptStart>,
}

/// The interval control of a region.
#[derive(Default)]
pub struct IntervalControl {
    pending: Mutex<HashMap<Name8, Request>>,
    alarms: Alarms,
    last_number: AtomicU32,
    last_kept: AtomicU64,
    /// The number of STARTs that wait for their terminal.
    for_terminal: AtomicUsize,
    /// Bytes of the data of STARTs that no task has retrieved.
    data: Arc<AtomicUsize>,
}

impl IntervalControl {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Counts the data of a START as long as it is kept.
    ///
    /// # Errors
    /// IOERR where there is no place for it.
    pub(crate) fn counts(&self, data: &[u8]) -> Outcome<Counted> {
        Counted::of(&self.data, data.len())
    }

    /// A request identifier of the region's own: no application's begins like this.
    pub fn new_request(&self) -> Name8 {
        self.free_request(&self.pending.lock())
    }

    /// The same, where the pending requests are at hand.
    fn free_request(&self, pending: &HashMap<Name8, Request>) -> Name8 {
        loop {
            let number = self.last_number.fetch_add(1, Ordering::Relaxed) % REQUEST_NUMBERS;
            let request = Name8::from(format!("DF{number:06X}").as_str());
            // A START that an earlier run has left may have it. There are more names than requests may wait.
            if !pending.contains_key(&request) {
                return request;
            }
        }
    }

    /// Starts a task when its time has come. Called on a TCB's thread, whose timer it is.
    ///
    /// # Errors
    /// IOERR where the request identifier is in use, INVREQ where too many wait.
    pub fn start(&self, region: &Arc<Region>, request: Name8, start: Start, after: Duration) -> Outcome {
        let mut pending = self.pending.lock();
        has_room(&pending, request)?;
        if after.is_zero() {
            drop(pending);
            fire(region, request, start, true);
        } else {
            pending.insert(request, wait(region, request, start, after));
        }
        Ok(())
    }

    /// The number of STARTs of a transaction that wait until a terminal is there.
    pub(crate) fn waiting_for(&self, terminal: TerminalName, transaction: TransactionName) -> usize {
        let waits = |what: &&Request| {
            matches!(what, Request::Start(waiting) if waiting.for_terminal
                && waiting.start.terminal == Some(terminal)
                && waiting.start.transaction == transaction)
        };
        self.pending.lock().values().filter(waits).count()
    }

    /// The automatic initiate descriptors of a region: started tasks that wait until their terminal is free, or is there.
    pub fn descriptors(&self, region: &Region) -> usize {
        let at_terminals =
            Terminals::of(region).list().iter().map(|terminal| terminal.started_tasks()).sum::<usize>();
        at_terminals + self.for_terminal.load(Ordering::Relaxed)
    }

    /// Keeps a place for a protected START.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) fn promise(&self, region: &Arc<Region>, request: Name8) -> Outcome<Promise> {
        let mut pending = self.pending.lock();
        has_room(&pending, request)?;
        pending.insert(request, Request::Promised);
        Ok(Promise { region: Arc::clone(region), request, redeemed: false })
    }

    /// A number for the record of a protected START.
    pub(super) fn new_kept(&self) -> KeptStart {
        KeptStart::new(self.last_kept.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Names a DELAY, for CANCEL: what ends it.
    ///
    /// # Errors
    /// INVREQ where the request identifier is in use.
    pub fn name_delay(&self, request: Name8) -> Outcome<oneshot::Receiver<()>> {
        let mut pending = self.pending.lock();
        if pending.contains_key(&request) {
            return Err(cond::INVREQ.raise(REQUEST_IN_USE));
        }
        let (cancel, cancelled) = oneshot::channel();
        pending.insert(request, Request::Delay { cancel });
        Ok(cancelled)
    }

    /// The DELAY is over.
    pub fn forget_delay(&self, request: Name8) {
        self.pending.lock().remove(&request);
    }

    /// Posts an event when its time has come. Called on a TCB's thread.
    ///
    /// # Errors
    /// INVREQ where the request identifier is in use, or too many wait.
    pub fn post(&self, region: &Arc<Region>, request: Name8, event: &Arc<Event>, after: Duration) -> Outcome {
        let mut pending = self.pending.lock();
        let in_use = || cond::INVREQ.raise(REQUEST_IN_USE);
        if pending.len() >= INTERVAL_REQUESTS_MAX {
            return Err(in_use());
        }
        let Entry::Vacant(entry) = pending.entry(request) else { return Err(in_use()) };
        entry.insert(Request::Post { event: Arc::clone(event) });
        drop(pending);
        let goes_off =
            |region: &Region, request: Name8, event: &Arc<Event>| Self::of(region).goes_off(request, event);
        self.alarms.set(region, (request, event), after, goes_off);
        Ok(())
    }

    /// The time of a POST has come, if that is still pending.
    fn goes_off(&self, request: Name8, event: &Arc<Event>) {
        if self.withdraw(request, event) {
            event.post();
        }
    }

    /// Withdraws an event that its task no longer wants. A request that has since got the same name stays. Returns true if it was pending.
    pub fn withdraw(&self, request: Name8, event: &Arc<Event>) -> bool {
        let mut pending = self.pending.lock();
        let Entry::Occupied(entry) = pending.entry(request) else { return false };
        let is_its = matches!(entry.get(), Request::Post { event: posted } if Arc::ptr_eq(posted, event));
        if is_its {
            entry.remove();
        }
        is_its
    }

    /// Takes a POST or a DELAY back: it is over at once. False if none of that name is pending.
    pub(super) fn cut_short(&self, request: Name8) -> bool {
        let mut pending = self.pending.lock();
        let Entry::Occupied(entry) = pending.entry(request) else { return false };
        if matches!(entry.get(), Request::Start(_) | Request::Promised) {
            return false;
        }
        let cut = entry.remove();
        drop(pending);
        match cut {
            Request::Start(_) | Request::Promised => {}
            // A delay that has just ended needs no cancelling.
            Request::Delay { cancel } => drop(cancel.send(())),
            Request::Post { event } => event.post(),
        }
        true
    }

    /// Takes a START back, which comes to nothing. `None` if none of that name is pending, or if it starts another
    /// transaction than `transaction`.
    pub(super) fn cancel_start(
        &self,
        request: Name8,
        transaction: Option<TransactionName>,
    ) -> Option<Cancelled> {
        let mut pending = self.pending.lock();
        let Entry::Occupied(entry) = pending.entry(request) else { return None };
        let Request::Start(waiting) = entry.get() else { return None };
        if transaction.is_some_and(|wanted| wanted != waiting.start.transaction) {
            return None;
        }
        waiting.timer.iter().for_each(AbortHandle::abort);
        self.for_terminal.fetch_sub(usize::from(waiting.for_terminal), Ordering::Relaxed);
        let kept = waiting.start.data.kept;
        entry.remove();
        Some(Cancelled { kept })
    }

    /// Holds a START under its request identifier, or another where that is in use: by an earlier run until
    /// [`Self::release`], or until its time, or until its terminal is there.
    fn put(&self, request: Name8, waiting: Waiting) -> Name8 {
        let mut pending = self.pending.lock();
        self.put_within(&mut pending, request, waiting)
    }

    fn put_within(
        &self,
        pending: &mut HashMap<Name8, Request>,
        mut request: Name8,
        waiting: Waiting,
    ) -> Name8 {
        // Only one can have the name; all are to come.
        if pending.contains_key(&request) {
            request = self.free_request(pending);
        }
        self.for_terminal.fetch_add(usize::from(waiting.for_terminal), Ordering::Relaxed);
        pending.insert(request, Request::Start(Box::new(waiting)));
        request
    }

    /// A START whose time has come is kept for the next start of the region.
    pub(super) fn keep(&self, request: Name8, start: Start) {
        self.put(request, Waiting { start, due: Timestamp::now(), timer: None, for_terminal: false });
    }

    /// A START is tried again in a while. On a thread with an event loop.
    pub(super) fn put_back(&self, region: &Arc<Region>, request: Name8, start: Start, after: Duration) {
        let mut pending = self.pending.lock();
        let waiting = Waiting { start, due: clock::after(after), timer: None, for_terminal: false };
        let request = self.put_within(&mut pending, request, waiting);
        if let Some(Request::Start(waiting)) = pending.get_mut(&request) {
            waiting.timer = Some(time(region, request, after));
        }
    }

    /// A START whose time has come waits for its terminal. On a thread with an event loop.
    pub(super) fn await_terminal(&self, region: &Arc<Region>, request: Name8, start: Start) {
        tracing::info!(
            target: "IC",
            "request {request}: transaction {} waits until its terminal {} is there",
            start.transaction,
            start.terminal.unwrap_or_default()
        );
        let mut pending = self.pending.lock();
        let waiting = Waiting { start, due: Timestamp::now(), timer: None, for_terminal: true };
        let request = self.put_within(&mut pending, request, waiting);
        if let Some(Request::Start(waiting)) = pending.get_mut(&request) {
            waiting.timer = Some(time(region, request, START_TERMINAL_WAIT));
        }
    }

    /// A terminal is there: STARTs that wait for it begin, in the order of their times.
    pub fn terminal_came(&self, region: &Arc<Region>, terminal: TerminalName) {
        if self.for_terminal.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut pending = self.pending.lock();
        let is_for = |what: &Request| matches!(what, Request::Start(w) if w.for_terminal && w.start.terminal == Some(terminal));
        let mut starts: Vec<_> = pending
            .extract_if(|_, what| is_for(what))
            .filter_map(|(request, what)| match what {
                Request::Start(waiting) => Some((waiting.due, request, waiting)),
                _ => None,
            })
            .collect();
        drop(pending);
        self.for_terminal.fetch_sub(starts.len(), Ordering::Relaxed);
        starts.sort_by_key(|(due, request, _)| (*due, *request));
        for (_, request, waiting) in starts {
            waiting.timer.iter().for_each(AbortHandle::abort);
            fire(region, request, waiting.start, false);
        }
    }

    /// The region ends: nothing comes due any more.
    pub fn stop(&self) {
        for request in self.pending.lock().values() {
            match request {
                Request::Start(waiting) => waiting.timer.iter().for_each(AbortHandle::abort),
                Request::Post { .. } | Request::Delay { .. } | Request::Promised => {}
            }
        }
        self.alarms.stop();
    }

    /// Returns the records that a warm restart keeps: STARTs that are not protected.
    pub fn keypoint(&self) -> Vec<KeypointRecord> {
        let pending = self.pending.lock();
        let starts = pending.iter().filter_map(|(request, what)| match what {
            Request::Start(waiting) if waiting.start.data.kept.is_none() => {
                let Waiting { start, due, .. } = &**waiting;
                Some((request.as_bytes().to_vec(), to_bytes(*request, start, *due).into()))
            }
            _ => None,
        });
        starts.collect()
    }

    /// A START that the keypoint has kept.
    pub fn restore(&self, region: &Region, _: &[u8], record: &[u8]) {
        self.hold(region, record, None);
    }

    /// A protected START, found at the start.
    pub fn recover(&self, region: &Region, key: &[u8], record: &[u8]) {
        let Some(kept) = KeptStart::from_key(key) else { return };
        self.last_kept.fetch_max(kept.number, Ordering::Relaxed);
        self.hold(region, record, Some(kept));
    }

    /// A unit of work in doubt has made a START, whose number is taken, or has worked one off: that one waits with it.
    pub(super) fn doubtful(&self, key: &[u8], record: Option<&[u8]>) {
        let Some(kept) = KeptStart::from_key(key) else { return };
        self.last_kept.fetch_max(kept.number, Ordering::Relaxed);
        if record.is_none() {
            self.drop_kept(kept);
        }
    }

    /// A unit of work in doubt has ended without its task: its STARTs count from now on; what it has worked off is over, or
    /// is still to be done.
    pub(super) fn resumed(&self, region: &Arc<Region>, resolved: &Resolved) {
        for change in resolved.of_store(region.stores.starts) {
            let Some(kept) = KeptStart::from_key(&change.key) else { continue };
            match (resolved.decision, &change.record) {
                (Decision::Commit, Some(record)) => match from_bytes(region, record, Some(kept)) {
                    Some((request, start, due)) => self.resume(region, request, start, due),
                    None => {
                        tracing::warn!(target: "IC", "a START that was in doubt is dropped: its user is unknown now")
                    }
                },
                (Decision::Commit, None) => self.drop_kept(kept),
                (Decision::Backout, None) => drop(tokio::spawn(resume_kept(Arc::clone(region), kept))),
                (Decision::Backout, Some(_)) => {}
            }
        }
    }

    /// A START counts from now on, unless it waits already.
    fn resume(&self, region: &Arc<Region>, request: Name8, start: Start, due: Timestamp) {
        let mut pending = self.pending.lock();
        if pending.values().any(|request| request.is_kept(start.data.kept)) {
            return;
        }
        let after = Duration::try_from(due.duration_since(Timestamp::now())).unwrap_or_default();
        let waiting = Waiting { start, due, timer: None, for_terminal: false };
        let request = self.put_within(&mut pending, request, waiting);
        if let Some(Request::Start(waiting)) = pending.get_mut(&request) {
            waiting.timer = Some(time(region, request, after));
        }
    }

    /// The record of a START is gone, or is not to be used: it does not wait any more.
    fn drop_kept(&self, kept: KeptStart) {
        for (_, request) in self.pending.lock().extract_if(|_, request| request.is_kept(Some(kept))) {
            if let Request::Start(waiting) = request {
                waiting.timer.iter().for_each(AbortHandle::abort);
                self.for_terminal.fetch_sub(usize::from(waiting.for_terminal), Ordering::Relaxed);
            }
        }
    }

    /// Holds a START of an earlier run until [`Self::release`].
    fn hold(&self, region: &Region, record: &[u8], kept: Option<KeptStart>) {
        let Some((request, start, due)) = from_bytes(region, record, kept) else {
            tracing::warn!(target: "IC", "a START of the last run is dropped: its user is unknown now");
            return;
        };
        self.put(request, Waiting { start, due, timer: None, for_terminal: false });
    }

    /// Returns the number of waiting STARTs.
    pub fn held(&self) -> usize {
        self.pending.lock().values().filter(|request| matches!(request, Request::Start(_))).count()
    }

    /// Lets the time of held STARTs count: those whose time has come are attached at once.
    pub fn release(&self, region: &Arc<Region>) {
        let now = Timestamp::now();
        for (request, what) in self.pending.lock().iter_mut() {
            if let Request::Start(waiting) = what
                && waiting.timer.is_none()
            {
                let after = Duration::try_from(waiting.due.duration_since(now)).unwrap_or_default();
                waiting.timer = Some(time(region, *request, after));
            }
        }
    }

    /// Returns the pending requests, by request identifier.
    pub fn list(&self) -> Vec<Pending> {
        let pending = self.pending.lock();
        let mut list: Vec<_> = pending
            .iter()
            .filter_map(|(request, what)| match what {
                Request::Start(waiting) => {
                    let Start { transaction, terminal, .. } = waiting.start;
                    let transaction = Some(transaction);
                    Some(Pending { request: *request, transaction, terminal })
                }
                Request::Delay { .. } | Request::Post { .. } => {
                    Some(Pending { request: *request, transaction: None, terminal: None })
                }
                Request::Promised => None,
            })
            .collect();
        list.sort_unstable_by_key(|pending| pending.request);
        list
    }
}

/// Returns success if another request of this name may wait.
///
/// IOERR where the name is in use, INVREQ where too many wait.
fn has_room(pending: &HashMap<Name8, Request>, request: Name8) -> Outcome {
    if pending.contains_key(&request) {
        return Err(cond::IOERR.raise(0));
    }
    if pending.len() >= INTERVAL_REQUESTS_MAX {
        return Err(cond::INVREQ.raise(0));
    }
    Ok(())
}

/// A START that waits for its time. On a thread with an event loop.
fn wait(region: &Arc<Region>, request: Name8, start: Start, after: Duration) -> Request {
    let (due, timer) = (clock::after(after), Some(time(region, request, after)));
    Request::Start(Box::new(Waiting { start, due, timer, for_terminal: false }))
}

/// Starts the task of a request when its time has come, or gives it up when it has waited too long for its terminal.
fn time(region: &Arc<Region>, request: Name8, after: Duration) -> AbortHandle {
    // A region that has ended is not kept by what it does not wait for any more.
    let region = Arc::downgrade(region);
    let timer = tokio::spawn(async move {
        tokio::time::sleep(after).await;
        let Some(region) = region.upgrade().filter(|region| !Dispatcher::of(region).is_closed()) else {
            return;
        };
        let due = IntervalControl::of(&region).pending.lock().remove(&request);
        let Some(Request::Start(waiting)) = due else { return };
        if !waiting.for_terminal {
            return fire(&region, request, waiting.start, false);
        }
        IntervalControl::of(&region).for_terminal.fetch_sub(1, Ordering::Relaxed);
        let Start { transaction, terminal, data, .. } = waiting.start;
        let terminal = terminal.unwrap_or_default();
        tracing::warn!(target: "IC", "request {request}: transaction {transaction} is given up: terminal {terminal} has not come");
        if let Some(kept) = data.kept {
            kept.forget_later(&region);
        }
    });
    timer.abort_handle()
}

/// The unit of work that had worked off a START is backed out: the START is to be done again.
async fn resume_kept(region: Arc<Region>, kept: KeptStart) {
    if let Some((request, start)) = kept.read(&region).await {
        IntervalControl::of(&region).resume(&region, request, start, Timestamp::now());
    }
}

/// Attaches a started task; at a terminal, when that is free. `here`: a task asks for it, on whose TCB it may stay.
fn fire(region: &Arc<Region>, request: Name8, start: Start, here: bool) {
    // A channel is no data in the sense of the start code.
    let code = if start.data.is_empty() { StartCode::Start } else { StartCode::StartWithData };
    let terminal = match start.terminal {
        None => None,
        Some(name) => match Terminals::of(region).get(name) {
            Some(terminal) => Some(terminal),
            None if Dispatcher::of(region).is_closed() => {
                return IntervalControl::of(region).keep(request, start);
            }
            None => return IntervalControl::of(region).await_terminal(region, request, start),
        },
    };
    let mut attach = Attach::new(start.transaction, code, start.user);
    attach.origin = start.origin;
    attach.channel = start.channel;
    attach.kept.put(start.data);
    if let Some(followed) = start.followed {
        attach.kept.put(followed);
        (attach.program, attach.asks) = (Some(Name8::from(FOLLOWS)), true);
    }
    attach.here = here;
    if let Some(terminal) = terminal {
        return start_at(region, &terminal, attach);
    }
    if let Err(refused) = Dispatcher::of(region).try_attach(region, attach) {
        not_attached(region, request, Start::of(*refused.attach), refused.why);
    }
}

/// A START whose task does not begin, whatever has been done for it already. The client of a socket goes with the region.
pub(super) fn refused(region: &Arc<Region>, Refused { why, attach }: Refused) -> Option<Refused> {
    if !attach.start_code.is_start() || matches!(attach.facility, Facility::Socket(_)) {
        return Some(Refused { why, attach });
    }
    not_attached(region, IntervalControl::of(region).new_request(), Start::of(*attach), why);
    None
}

/// The task of a START cannot be attached. A protected START is never dropped for that.
fn not_attached(region: &Arc<Region>, request: Name8, mut start: Start, why: AttachError) {
    let transaction = start.transaction;
    match (why, start.data.kept) {
        (AttachError::Closing, _) => IntervalControl::of(region).keep(request, start),
        (AttachError::TerminalBusy, _) => IntervalControl::of(region).await_terminal(region, request, start),
        (_, Some(kept)) if kept.tries < START_RETRIES_MAX => {
            tracing::warn!(
                target: "IC",
                "request {request}: transaction {transaction} is not started: {why:?}; it is tried again in {} s",
                START_RETRY_AFTER.as_secs()
            );
            start.data.kept = Some(kept.tried());
            IntervalControl::of(region).put_back(region, request, start, START_RETRY_AFTER);
        }
        (_, Some(_)) => {
            tracing::error!(
                target: "IC",
                "request {request}: transaction {transaction} is not started: {why:?}; it is kept until the region \
                 starts again or CANCEL REQID({request}) gives it up"
            );
            IntervalControl::of(region).keep(request, start);
        }
        (_, None) => {
            often!(warn, target: "IC", "request {request}: transaction {transaction} is not started: {why:?}");
        }
    }
}
