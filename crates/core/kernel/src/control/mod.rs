//! Task control: what a task is from its attach on, what others may know of it while it runs, and PURGE.
//!
//! In scope: who a task is, its principal facility, its origin, its waits. Out of scope: what only the task
//! itself touches; that is `task`.

mod details;
mod facility;
mod origin;
mod spanned;
mod start_code;
mod times;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use parking_lot::Mutex;
use records::Owner;

pub use details::{Detail, DetailPoint, Details};
pub use facility::{Connection, Facility, Request, RequestMeasures};
pub use origin::{First, Hop, HopBeyond, Origin};
pub use start_code::{StartCode, StartedBy};
pub(crate) use times::Times;

use crate::clock::Moment;
use crate::limits::WAIT_KINDS_MAX;
use crate::meters::{Performance, Work};
use crate::name::{Name8, Name16, TransactionName};
use crate::raise::{Outcome, Raise};
use crate::security::User;
use crate::spans::TaskSpan;
use crate::terminals::Terminal;
use crate::ticks;
use crate::transactions::Transaction;
use crate::trial::is_tried;
use crate::waits::{Suspension, WaitKind};

/// The outside of a task: what it is from its attach on, what it does, and what others do to it.
pub struct TaskControl {
    /// Its number.
    pub number: u32,
    /// Its transaction, as it was defined at the attach.
    pub transaction: Arc<Transaction>,
    /// On whose behalf it runs.
    pub user: Arc<User>,
    /// Start code of the task.
    pub start_code: StartCode,
    /// Its principal facility.
    pub facility: Facility,
    /// Chain of starters, down to the first request.
    pub origin: Origin,
    /// When it was attached.
    pub attached: Moment,
    performance: Option<Box<Performance>>,
    /// Its span, if the region makes spans.
    span: Option<Box<TaskSpan>>,
    /// When it was attached by the region's clock, and nanoseconds of processor time and requests so far: what is summed up of every task.
    attached_at: u64,
    processor_ns: AtomicU64,
    requests: AtomicU64,
    /// Thresholds of its times.
    times: times::KeptTimes,
    /// Its programs are to end, whatever they do.
    terminated: AtomicBool,
    /// Its unit of work, as the run counts them.
    unit: AtomicU64,
    /// As whom it holds locks.
    owner: AtomicU64,
    /// TCBs that run it at this moment: for a moment two, when it moves.
    dispatched: AtomicU32,
    /// The TCB on which it began.
    tcb: AtomicUsize,
    /// Place of its program in a command or CALL that is answered outside of it: the program, and the line of the
    /// text that was compiled. 0: in no such command.
    stands: (AtomicU64, AtomicU32),
    state: Mutex<State>,
}

struct State {
    waits_for: Option<WaitKind>,
    name: Name16,
    serial: u32,
    counts: [u32; WAIT_KINDS_MAX],
    purged: bool,
    /// Whom a purge wakes: the task, if a purge ends its wait.
    sleeper: Option<Waker>,
    /// Taker of its entries of the trace beyond level 1.
    details: Option<details::Detailed>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            waits_for: None,
            name: Name16::default(),
            serial: 0,
            counts: [0; WAIT_KINDS_MAX],
            purged: false,
            sleeper: None,
            details: None,
        }
    }
}

impl State {
    fn begin(&mut self, kind: WaitKind, name: Name16) {
        self.waits_for = Some(kind);
        self.name = name;
        self.serial = self.serial.wrapping_add(1);
        self.counts[kind.place()] += 1;
    }

    /// A purge from now on wakes the one who waits.
    fn wake_at_purge(&mut self, waker: &Waker) {
        if self.sleeper.as_ref().is_none_or(|sleeper| !sleeper.will_wake(waker)) {
            self.sleeper = Some(waker.clone());
        }
    }
}

/// Parts of a task from its attach on.
pub struct TaskParts {
    /// Its number.
    pub number: u32,
    /// Its transaction.
    pub transaction: Arc<Transaction>,
    /// On whose behalf it runs.
    pub user: Arc<User>,
    /// Start code of the task.
    pub start_code: StartCode,
    /// Its principal facility.
    pub facility: Facility,
    /// Chain of earlier starters.
    pub origin: Origin,
    /// Its measures, if it is monitored.
    pub performance: Option<Box<Performance>>,
    /// Its span, if the region makes spans.
    pub span: Option<Box<TaskSpan>>,
}

impl TaskParts {
    /// Nothing but a number, a transaction and a user, for which the region works by itself.
    pub(crate) fn new(number: u32, transaction: TransactionName, user: Arc<User>) -> Self {
        Self {
            number,
            transaction: Arc::new(Transaction::new(transaction, Name8::BLANK)),
            user,
            start_code: StartCode::System,
            facility: Facility::None,
            origin: Origin::default(),
            performance: None,
            span: None,
        }
    }

    /// A task of the region itself.
    #[cfg(test)]
    pub(crate) fn of_a_test(number: u32, transaction: &str) -> Self {
        Self::new(number, transaction.into(), User::region())
    }
}

impl TaskControl {
    /// The outside of a task that is about to be attached.
    pub fn new(parts: TaskParts) -> Self {
        let TaskParts { number, transaction, user, start_code, facility, origin, performance, span } = parts;
        Self {
            number,
            transaction,
            user,
            start_code,
            facility,
            origin,
            attached: Moment::now(),
            performance,
            span,
            attached_at: ticks::now(),
            processor_ns: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            times: Default::default(),
            terminated: AtomicBool::new(false),
            unit: AtomicU64::new(0),
            owner: AtomicU64::new(0),
            dispatched: AtomicU32::new(0),
            tcb: AtomicUsize::new(0),
            stands: Default::default(),
            state: Mutex::default(),
        }
    }

    /// Its terminal, if that is its principal facility.
    #[inline]
    pub fn terminal(&self) -> Option<&Arc<Terminal>> {
        self.facility.terminal()
    }

    /// Starter of the task.
    pub fn started_by(&self) -> StartedBy {
        StartedBy::of(self.start_code, &self.facility)
    }

    /// The name of that: the queue of a trigger, else the principal facility; blank: none.
    pub fn starter_name(&self) -> Name8 {
        self.start_code.trigger_queue().map_or_else(|| self.facility.name(), Name8::new)
    }

    /// Its point of origin: itself, unless another task has started it.
    pub fn first(&self) -> First {
        self.origin.first().unwrap_or_else(|| First::of(self))
    }

    /// Its measures, if it is monitored.
    #[inline]
    pub fn performance(&self) -> Option<&Performance> {
        self.performance.as_deref()
    }

    /// A TCB has run it for so long.
    #[inline]
    pub(crate) fn has_worked(&self, processor_ns: u64) {
        self.processor_ns.fetch_add(processor_ns, Ordering::Relaxed);
    }

    /// Thresholds of its times from now on.
    pub(crate) fn set_times(&self, times: Times) {
        self.times.set(times);
    }

    /// Its processor time so far, as it is known between two dispatches and now and then in one that lasts, and the time
    /// since its attach; both 0 if there is no threshold of either.
    pub(crate) fn times_so_far(&self) -> [u64; 2] {
        self.times_with(0)
    }

    fn times_with(&self, running_ns: u64) -> [u64; 2] {
        if !self.times.any() {
            return [0; 2];
        }
        let processor = self.processor_ns.load(Ordering::Relaxed).saturating_add(running_ns);
        [self.times.has_seen(processor), ticks::now().saturating_sub(self.attached_at)]
    }

    /// Returns true if a time of it is beyond its threshold, of a task that has run for so long since its last dispatch ended.
    pub(crate) fn is_time_over(&self, running_ns: u64) -> bool {
        self.times.are_over(self.times_with(running_ns))
    }

    /// The same of a threshold whose passing ends the task.
    pub(crate) fn ends_by_time(&self, running_ns: u64) -> bool {
        self.times.end_it(self.times_with(running_ns))
    }

    /// Processor time of dispatches that are over.
    pub(crate) fn processor_ns(&self) -> u64 {
        self.processor_ns.load(Ordering::Relaxed)
    }

    /// Its last program has ended, after so many requests.
    pub(crate) fn has_requested(&self, requests: u64) {
        self.requests.store(requests, Ordering::Relaxed);
    }

    /// The work of a task that ends now, by the region's clock.
    pub(crate) fn work(&self, now: u64) -> Work {
        let response_ns = now.saturating_sub(self.attached_at);
        Work {
            tasks: 1,
            response_ns,
            response_max_ns: response_ns,
            processor_ns: self.processor_ns.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
        }
    }

    /// Its unit of work, as the run counts them.
    pub fn unit(&self) -> u64 {
        self.unit.load(Ordering::Relaxed)
    }

    /// As whom the task holds locks.
    pub fn owner(&self) -> Owner {
        Owner(self.owner.load(Ordering::Relaxed))
    }

    /// The task holds its locks as this owner.
    pub(crate) fn holds_as(&self, owner: Owner) {
        self.owner.store(owner.0, Ordering::Relaxed);
    }

    /// It begins on this TCB.
    pub(crate) fn lives_on(&self, tcb: usize) {
        self.tcb.store(tcb, Ordering::Relaxed);
    }

    /// The TCB on which it began.
    pub(crate) fn tcb(&self) -> usize {
        self.tcb.load(Ordering::Relaxed)
    }

    /// Its program asks for something that is answered outside of it, until this is dropped.
    pub(crate) fn stands_at(&self, program: [u8; 8], line: u32) -> Stands<'_> {
        self.stands_until(Name8::new(program), line);
        Stands(self)
    }

    /// The same, until [`Self::stands_no_more`].
    #[inline]
    pub(crate) fn stands_until(&self, program: Name8, line: u32) {
        self.stands.0.store(u64::from_ne_bytes(*program.as_bytes()), Ordering::Relaxed);
        self.stands.1.store(line, Ordering::Relaxed);
    }

    /// Its program goes on.
    #[inline]
    pub(crate) fn stands_no_more(&self) {
        self.stands.0.store(0, Ordering::Relaxed);
    }

    /// Place of its program meanwhile: its name, and the line of the text that was compiled.
    pub(crate) fn stands(&self) -> Option<(Name8, u32)> {
        let program = self.stands.0.load(Ordering::Relaxed);
        let line = self.stands.1.load(Ordering::Relaxed);
        (program != 0).then(|| (Name8::new(program.to_ne_bytes()), line))
    }

    /// Runs a dispatch: it is seen as running meanwhile.
    #[inline]
    pub(crate) fn dispatch<T>(&self, run: impl FnOnce() -> T) -> T {
        self.dispatched.fetch_add(1, Ordering::Relaxed);
        let outcome = run();
        self.dispatched.fetch_sub(1, Ordering::Relaxed);
        outcome
    }

    /// Returns true if a TCB runs it at this moment.
    pub fn is_dispatched(&self) -> bool {
        self.dispatched.load(Ordering::Relaxed) > 0
    }

    /// The task begins a unit of work.
    pub(crate) fn begin_unit(&self, count: u64) {
        self.unit.store(count, Ordering::Relaxed);
    }

    /// Number of its waits, by kind.
    pub(crate) fn waits(&self) -> [u32; WAIT_KINDS_MAX] {
        self.state.lock().counts
    }

    /// Its present wait, and the number of the wait.
    pub fn wait_in_hand(&self) -> Suspension {
        let state = self.state.lock();
        Suspension { kind: state.waits_for, name: state.name, serial: state.serial }
    }

    /// Kind of its present wait; `None`: it runs, or is ready to.
    pub fn waits_for(&self) -> Option<WaitKind> {
        self.state.lock().waits_for
    }

    /// PURGE: ends the task at its next wait, or the one it is in.
    pub fn purge(&self) {
        let sleeper = {
            let mut state = self.state.lock();
            state.purged = true;
            state.sleeper.take()
        };
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
    }

    /// FORCEPURGE: the same, and a program that runs ends as well.
    pub fn force_purge(&self) {
        // The task must be known as purged before its program ends: no exit may keep it.
        self.purge();
        self.terminated.store(true, Ordering::Relaxed);
        // A wait that only force ends looks once more.
        self.purge();
    }

    /// Returns true if its programs are to end, whatever they do.
    pub(crate) fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::Relaxed)
    }

    /// Returns true if the task is to end.
    pub fn is_purged(&self) -> bool {
        self.state.lock().purged
    }

    /// Waits for an event whatever happens: a purge counts at the next wait.
    pub async fn wait_through<F: Future>(&self, kind: WaitKind, event: F) -> F::Output {
        let (mut event, mut waiting) = (pin!(event), None);
        poll_fn(|context| {
            let polled = event.as_mut().poll(context);
            if polled.is_pending() && !is_tried(context) {
                waiting.get_or_insert_with(|| Waiting::begin(self, kind, Name16::BLANK));
            }
            polled
        })
        .await
    }

    /// Waits for an event, or for a purge by force: a wait whose end a task must not leave before it is known, if it can be helped.
    ///
    /// # Errors
    /// The abend of a task that was purged by force.
    pub async fn wait_unless_forced<F: Future>(&self, kind: WaitKind, event: F) -> Outcome<F::Output> {
        let (mut event, mut waiting) = (pin!(event), None);
        poll_fn(|context| {
            if let Poll::Ready(result) = event.as_mut().poll(context) {
                return Poll::Ready(Ok(result));
            }
            waiting.get_or_insert_with(|| Waiting::begin(self, kind, Name16::BLANK));
            let mut state = self.state.lock();
            if self.is_terminated() {
                return Poll::Ready(Err(Raise::abend(kind.row().purge_abend)));
            }
            state.wake_at_purge(context.waker());
            Poll::Pending
        })
        .await
    }

    /// Waits for an event, or for a purge.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub fn wait<F: Future>(&self, kind: WaitKind, event: F) -> impl Future<Output = Outcome<F::Output>> {
        // Not an async function: it would keep a place for the event beside the one that waits for it.
        self.wait_named(kind, Name16::BLANK, event)
    }

    /// The same for a wait whose end tells its kind: `turns_out` is that, if it is another one.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub async fn wait_told<F: Future>(
        &self,
        kind: WaitKind,
        event: F,
        turns_out: impl FnOnce(&F::Output) -> Option<WaitKind>,
    ) -> Outcome<F::Output> {
        let before = self.wait_in_hand().serial;
        let told = self.wait(kind, event).await?;
        if let Some(other) = turns_out(&told).filter(|other| *other != kind) {
            self.turns_out((kind, other), before);
        }
        Ok(told)
    }

    /// The wait that is just over was one of another kind. `before`: the number of the one before it.
    fn turns_out(&self, (kind, other): (WaitKind, WaitKind), before: u32) {
        {
            let mut state = self.state.lock();
            // What is there already is not waited for.
            if state.serial == before {
                return;
            }
            state.counts[kind.place()] -= 1;
            state.counts[other.place()] += 1;
        }
        if let Some(performance) = self.performance() {
            performance.turns_out(other);
        }
    }

    /// The same for a wait that the program has given a name.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub async fn wait_named<F: Future>(&self, kind: WaitKind, name: Name16, event: F) -> Outcome<F::Output> {
        let (mut event, mut waiting) = (pin!(event), None);
        poll_fn(|context| {
            if let Poll::Ready(result) = event.as_mut().poll(context) {
                return Poll::Ready(Ok(result));
            }
            // Nearly all events are there already. A command that is only tried does not wait for one that is not.
            if is_tried(context) {
                return Poll::Pending;
            }
            waiting.get_or_insert_with(|| Waiting::begin(self, kind, name));
            let mut state = self.state.lock();
            if state.purged {
                return Poll::Ready(Err(Raise::abend(kind.row().purge_abend)));
            }
            state.wake_at_purge(context.waker());
            Poll::Pending
        })
        .await
    }
}

/// A program that asks for something, as long as this lives.
pub(crate) struct Stands<'a>(&'a TaskControl);

impl Drop for Stands<'_> {
    fn drop(&mut self) {
        self.0.stands_no_more();
    }
}

/// A task's wait. At its end, also when it is dropped, the task runs again.
struct Waiting<'a>(&'a TaskControl);

/// The component and the level of a wait in the trace, and its function.
const DISPATCHER: &str = "DS";
const WAITS: u8 = 2;
const SUSPEND: &str = "SUSPEND";

impl<'a> Waiting<'a> {
    fn begin(control: &'a TaskControl, kind: WaitKind, name: Name16) -> Self {
        let details = {
            let mut state = control.state.lock();
            state.begin(kind, name);
            state.details.clone()
        };
        if let Some(details) = details {
            traced(control, &details, DetailPoint::Entry, (kind, name));
        }
        Self(control)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let (details, kind, name) = {
            let mut state = self.0.state.lock();
            // A purge later on would only wake a task in vain.
            state.sleeper = None;
            (state.details.clone(), state.waits_for.take(), state.name)
        };
        if let (Some(details), Some(kind)) = (details, kind) {
            traced(self.0, &details, DetailPoint::Exit, (kind, name));
        }
    }
}

/// Makes an entry of the begin or the end of a wait.
#[cold]
fn traced(
    control: &TaskControl,
    details: &details::Detailed,
    point: DetailPoint,
    (kind, name): (WaitKind, Name16),
) {
    let Some(by) = details.at(DISPATCHER, WAITS) else { return };
    let data = name.to_string();
    by.note(
        control,
        &Detail {
            component: DISPATCHER,
            level: WAITS,
            point,
            function: SUSPEND,
            resource: kind.row().name.as_bytes(),
            number: 0,
            data: data.trim_end(),
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_force_ends_a_program_that_runs() {
        let task = TaskControl::new(TaskParts::of_a_test(1, "LOOP"));
        task.purge();
        assert!(task.is_purged() && !task.is_terminated());
        task.force_purge();
        assert!(task.is_purged() && task.is_terminated());
    }
}
