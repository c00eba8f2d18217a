//! The dispatcher: TCBs, and which task runs where and when.
//!
//! A TCB is a thread with an event loop and a private COBOL runtime. The first is the QR TCB, the others are open TCBs.
//! A task lives on one TCB; a program that must run elsewhere (QUASIRENT from an open TCB, REQUIRED from QR) is run
//! there as a *visit*: the task goes over whole and comes back.
//!
//! States of an attach: *admitted* (a task number, a place below MXT and its class) → *running* → *ended*; or *queued*
//! → admitted when a task ends. A queue that is full refuses.

mod abends;
mod acceptors;
mod admission;
mod cobol;
mod contain;
mod context;
mod end;
mod follower;
mod levels;
mod links;
mod loaded;
mod lookout;
mod numbers;
mod placement;
mod refused;
mod run;
mod silence;
mod stay;
mod steps;
mod supplied;
mod tcb;
mod thread;
mod watchdog;
mod way;
mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use foldhash::HashMap;
use otlp::TraceContext;
use parking_lot::Mutex;
use records::Owner;
use tokio::sync::{Notify, watch};

pub use acceptors::Acceptors;
pub(crate) use admission::Admissions;
pub use admission::{AttachError, ClassInfo};
pub use context::Context;
pub use follower::{Ended, Failure, Follower, Following};
pub use lookout::Lookout;
pub use placement::Door;
pub use refused::Refused;
pub(crate) use refused::give_up;
pub use silence::sign_off_silent;
pub use supplied::{SuppliedFunction, SuppliedProgram, SuppliedWaiting};
pub use tcb::start as start_tcb;
use watchdog::Watchdog;
pub use work::Work;

use crate::channels::Channel;
use crate::meters;
use crate::monitoring::Monitoring;
use crate::name::{Name8, TransactionName};
use crate::notices::{Notice, Notices};
use crate::programs::{Concurrency, Program, Programs};
use crate::region::Region;
use crate::security::{User, may_attach};
use crate::spans::{Spans, TaskSpan};
use crate::task::{Facility, KeptParts, Origin, StartCode, TaskControl, TaskParts};
use crate::terminals::Terminal;
use crate::ticks::now;
use crate::transactions::{RELAY, Supplied, Transaction, Transactions};
use crate::words::counted;
use admission::Admission;
use numbers::Numbers;
use placement::Placement;

/// A request to attach a task.
pub struct Attach {
    /// The transaction.
    pub transaction: TransactionName,
    /// The first program, if it is not the transaction's: one of a program list, which is
    /// the region's own and needs no permission, unless `asks` says so.
    pub program: Option<Name8>,
    /// With `program`: the user needs permission for the transaction all the same, since a client has asked for the task.
    pub asks: bool,
    /// Start code of the task.
    pub start_code: StartCode,
    /// On whose behalf.
    pub user: Arc<User>,
    /// The principal facility.
    pub facility: Facility,
    /// Chain of earlier starters.
    pub origin: Origin,
    /// Its parent in a trace; `None`: the task before it, if that has a place in one.
    pub parent: Option<Box<TraceContext>>,
    /// The IPCONN over which its request has come; blank: none.
    pub over: Name8,
    /// The first program's COMMAREA.
    pub commarea: Option<Vec<u8>>,
    /// The first program's channel.
    pub channel: Option<Arc<Channel>>,
    /// Data that the first RECEIVE gives before the terminal is read.
    pub input_message: Option<Vec<u8>>,
    /// Parts that domains have for it: the data of RETRIEVE, those that wait for its end.
    pub kept: KeptParts,
    /// On the TCB of the thread that attaches it, if its program may run there and that TCB is not overloaded.
    pub here: bool,
    /// With `here`: however busy that TCB is, since what the task serves is there.
    pub bound: bool,
    /// It finishes what a task has done: it begins while the region ends, too.
    pub finishes: bool,
}

impl Attach {
    /// The program that the task begins with.
    pub(crate) fn first_program(&self, transaction: &Transaction) -> Name8 {
        let is_routed = |terminal: &Arc<Terminal>| transaction.is_routed(terminal.owner().is_none());
        self.program.unwrap_or_else(|| match self.facility.terminal().is_some_and(is_routed) {
            true => Name8::from(RELAY),
            false => transaction.program,
        })
    }

    /// Its parent in a trace: that of the request, else the task before it.
    pub fn place(&self) -> Option<&TraceContext> {
        self.parent.as_deref().or_else(|| self.origin.trace())
    }

    /// A task without facility and data, which is its own origin.
    pub fn new(transaction: TransactionName, start_code: StartCode, user: Arc<User>) -> Self {
        Self {
            transaction,
            program: None,
            asks: false,
            start_code,
            user,
            facility: Facility::None,
            origin: Origin::default(),
            parent: None,
            over: Name8::BLANK,
            commarea: None,
            channel: None,
            input_message: None,
            kept: KeptParts::default(),
            here: false,
            bound: false,
            finishes: false,
        }
    }
}

/// An attach that has its task number.
pub struct Admitted {
    /// The requested attach.
    pub attach: Attach,
    /// Its first program, found when it begins; `None`: there is none that may be used.
    pub program: Option<Arc<Program>>,
    /// Control block of the task.
    pub control: Arc<TaskControl>,
}

/// The dispatcher of a region.
pub struct Dispatcher {
    tcbs: Placement,
    attached: AtomicU64,
    tasks: Mutex<Tasks>,
    admission: Mutex<Admission>,
    idle: Notify,
    closed: AtomicBool,
    followers: Vec<&'static Follower>,
    watchdog: Watchdog,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Tasks, and their numbers. Those that wait to be let in have a number alone.
#[derive(Default)]
struct Tasks {
    running: HashMap<u32, Arc<TaskControl>>,
    numbers: Numbers,
}

/// Attaches a task. Its number; a queued one has its number already.
///
/// # Errors
/// The reason: see [`AttachError`].
pub fn attach(region: &Arc<Region>, attach: Attach) -> Result<u32, AttachError> {
    Dispatcher::of(region).try_attach(region, attach).map_err(|refused| refused.why)
}

/// The span of a task that is attached. The region's own work, which no client has asked for, has none.
#[cold]
fn span_of(region: &Region, attach: &Attach, transaction: &Transaction) -> Option<Box<TaskSpan>> {
    let parent = attach.place();
    let is_asked = attach.start_code != StartCode::System || !matches!(attach.facility, Facility::None);
    let has_span = parent.is_some() || is_asked || transaction.supplied == Supplied::No;
    if has_span { Spans::attached(region, parent) } else { None }
}

impl Dispatcher {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// A dispatcher for the TCBs behind these doors, the first being QR, and their threads; what follows the ends of tasks.
    pub fn new(
        (tcbs, threads): (Vec<Door>, Vec<JoinHandle<()>>),
        tasks_max: usize,
        followers: Vec<&'static Follower>,
    ) -> Self {
        Self {
            followers,
            watchdog: Watchdog::default(),
            threads: Mutex::new(threads),
            tcbs: Placement::new(tcbs),
            attached: AtomicU64::new(0),
            tasks: Mutex::default(),
            admission: Mutex::new(Admission::new(tasks_max)),
            idle: Notify::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// The tasks that are running or waiting, by number.
    pub fn tasks(&self) -> Vec<Arc<TaskControl>> {
        let mut tasks: Vec<_> = self.tasks.lock().running.values().cloned().collect();
        tasks.sort_unstable_by_key(|task| task.number);
        tasks
    }

    /// The task of a number.
    pub fn task(&self, number: u32) -> Option<Arc<TaskControl>> {
        self.tasks.lock().running.get(&number).cloned()
    }

    /// The task that holds locks as this owner.
    pub fn task_of(&self, owner: Owner) -> Option<Arc<TaskControl>> {
        self.tasks.lock().running.values().find(|task| task.owner() == owner).cloned()
    }

    /// Number of tasks.
    pub fn running(&self) -> usize {
        self.tasks.lock().running.len()
    }

    /// Results of admission since the region started; with `reset`, the highest numbers start again.
    pub fn admissions(&self, reset: bool) -> Admissions {
        self.admission.lock().counted(reset)
    }

    /// Number of tasks attached since the region started.
    pub fn attached(&self) -> u64 {
        self.attached.load(Ordering::Relaxed)
    }

    /// The region has started: what belongs to it for as long as it lives has begun.
    pub fn started(&self) {
        self.tcbs.started();
    }

    /// MXT.
    pub fn tasks_max(&self) -> usize {
        self.admission.lock().tasks_max()
    }

    /// Sets MXT. Tasks that wait for it are let in by [`Self::admit_waiting`].
    pub fn set_tasks_max(&self, tasks_max: usize) {
        self.admission.lock().set_tasks_max(tasks_max);
    }

    /// Sets how many tasks of a class may run at once. Those that wait are let in by [`Self::admit_waiting`].
    pub fn set_class_max(&self, class: Name8, tasks_max: usize) {
        self.admission.lock().set_class_max(class, tasks_max);
    }

    /// PURGETHRESH of a class: beyond so many that wait, further tasks of it are not attached.
    pub fn set_class_waiting_max(&self, class: Name8, waiting_max: Option<usize>) {
        self.admission.lock().set_class_waiting_max(class, waiting_max);
    }

    /// A limit was raised: the tasks that it has kept waiting begin.
    pub fn admit_waiting(&self, region: &Arc<Region>) {
        loop {
            // Not in the condition of the loop, which would hold the lock meanwhile.
            let next = self.admission.lock().next();
            let Some(next) = next else { return };
            self.start(region, next);
        }
    }

    /// Number of tasks that have had to wait for MXT so far.
    pub(crate) fn delayed(&self) -> u64 {
        self.admission.lock().counted(false).delayed
    }

    /// Returns true if a task that comes now waits for MXT.
    pub fn is_full(&self) -> bool {
        self.admission.lock().is_full()
    }

    /// Number of tasks that wait because MXT is reached.
    pub(crate) fn waiting_for_limit(&self) -> usize {
        self.admission.lock().waiting_for_limit()
    }

    /// A class is not defined any more: nothing limits its tasks.
    pub fn remove_class(&self, class: Name8) {
        self.admission.lock().remove_class(class);
    }

    /// The transaction classes, by name.
    pub fn classes(&self) -> Vec<ClassInfo> {
        self.admission.lock().classes()
    }

    /// The highest numbers of all transaction classes start again.
    pub fn reset_class_peaks(&self) {
        self.admission.lock().reset_class_peaks();
    }

    /// Waits until no task runs.
    pub async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            if self.tasks.lock().running.is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Attaches a task; what is refused comes back.
    pub fn try_attach(&self, region: &Arc<Region>, attach: Attach) -> Result<u32, Refused> {
        let transaction = match self.may_attach(region, &attach) {
            Ok(transaction) => transaction,
            Err(why) => return Err(Refused { why, attach: Box::new(attach) }),
        };
        let Some(number) = self.tasks.lock().numbers.take() else {
            return Err(Refused { why: AttachError::QueueFull, attach: Box::new(attach) });
        };
        let span = if Spans::are_on(region) { span_of(region, &attach, &transaction) } else { None };
        let tasks = || self.tasks_beside(transaction.class);
        let performance = Monitoring::of(region).attached(tasks);
        if let Some(performance) = performance.as_ref().filter(|_| !attach.over.is_blank()) {
            performance.comes_over(attach.over);
        }
        let control = Arc::new(TaskControl::new(TaskParts {
            number,
            transaction,
            user: Arc::clone(&attach.user),
            start_code: attach.start_code,
            facility: attach.facility.clone(),
            origin: attach.origin.clone(),
            performance,
            span,
        }));
        if control.terminal().is_some_and(|terminal| !terminal.attach(Arc::<TaskControl>::clone(&control))) {
            self.gives_up(number);
            return Err(Refused { why: AttachError::TerminalBusy, attach: Box::new(attach) });
        }
        let offered = self.admission.lock().offer(Box::new(Admitted { attach, program: None, control }));
        match offered {
            Ok(admitted) => {
                if let Some(admitted) = admitted {
                    self.start(region, admitted);
                }
                Ok(number)
            }
            Err((why, admitted)) => {
                self.gives_up(number);
                Err(Refused::admitted(why, *admitted))
            }
        }
    }

    /// The tasks beside which one of a class is attached.
    fn tasks_beside(&self, class: Name8) -> meters::Tasks {
        let (most, running) = (self.tasks_max(), self.running());
        meters::Tasks { most, running, of_class: self.admission.lock().running_of(class) }
    }

    /// A task that has its number does not begin.
    fn gives_up(&self, number: u32) {
        self.tasks.lock().numbers.give(number);
    }

    /// The transaction of an attach, if it may begin.
    fn may_attach(&self, region: &Region, attach: &Attach) -> Result<Arc<Transaction>, AttachError> {
        if self.closed.load(Ordering::Relaxed) && !attach.finishes {
            return Err(AttachError::Closing);
        }
        let known = Transactions::of(region).started_by(attach.transaction);
        let stand_in =
            || region.options.unknown_transaction.and_then(|name| Transactions::of(region).get(name));
        let transaction = known.or_else(stand_in).ok_or(AttachError::Unknown)?;
        let is_at_terminal = attach.facility.terminal().is_some();
        let may_be_routed = || is_at_terminal && Programs::of(region).usable(RELAY.into()).is_ok();
        if transaction.remote.is_some() && !may_be_routed() {
            return Err(AttachError::Remote);
        }
        if !transaction.is_enabled() {
            return Err(AttachError::Disabled);
        }
        let is_free = attach.program.is_some() && !attach.asks;
        if !is_free && !may_attach(region, &attach.user, &transaction) {
            return Err(AttachError::NotAuthorized);
        }
        Ok(transaction)
    }

    fn start(&self, region: &Arc<Region>, mut admitted: Box<Admitted>) {
        self.attached.fetch_add(1, Ordering::Relaxed);
        admitted.control.transaction.attaches.fetch_add(1, Ordering::Relaxed);
        if let Some(performance) = admitted.control.performance() {
            performance.admitted();
        }
        self.tasks.lock().running.insert(admitted.control.number, Arc::clone(&admitted.control));
        if Notices::are_wanted(region) {
            self.tells_counts(region, &admitted.control);
        }
        let program = admitted.attach.first_program(&admitted.control.transaction);
        admitted.program = Programs::of(region).usable(program).ok();
        let concurrency = admitted.program.as_ref().map_or(Concurrency::Quasirent, |p| p.concurrency);
        let here = if admitted.attach.here { thread::here() } else { None };
        let index = here.as_ref().map(|tcb| tcb.index);
        let bound = index.filter(|index| admitted.attach.bound && self.fits(*index, concurrency));
        let chosen = bound.unwrap_or_else(|| self.tcbs.choose(concurrency, index, now()));
        admitted.control.lives_on(chosen);
        self.tcbs.enters(chosen);
        match here.filter(|here| here.index == chosen) {
            Some(here) => here.run(admitted),
            // A TCB that has stopped takes nothing more: the region is ending, and so is the task.
            None => {
                self.send(chosen, Work::Task(admitted));
            }
        }
    }

    /// The TCB on which a program of a task that lives elsewhere is run.
    pub(crate) fn tcb_for(&self, concurrency: Concurrency) -> usize {
        self.tcbs.choose(concurrency, None, now())
    }

    /// Returns true if a program of that kind may run on the TCB.
    pub(crate) fn fits(&self, tcb: usize, concurrency: Concurrency) -> bool {
        match concurrency {
            Concurrency::Quasirent => tcb == 0,
            Concurrency::Threadsafe => true,
            Concurrency::Required => tcb != 0 || self.tcb_count() == 1,
        }
    }

    /// Number of TCBs: QR, which is 0, and the open ones.
    pub fn tcb_count(&self) -> usize {
        self.tcbs.doors().len()
    }

    /// Does something on a TCB's thread, where it may spawn what stays there. False if the TCB has stopped.
    pub fn on_tcb(&self, tcb: usize, what: impl FnOnce() + Send + 'static) -> bool {
        self.send(tcb, Work::Do(Box::new(what)))
    }

    /// State of a TCB, stuck or not, now and from now on.
    pub fn stuck(&self, tcb: usize) -> watch::Receiver<bool> {
        self.tcbs.doors()[tcb].meter.stuck.subscribe()
    }

    /// Hands work to a TCB.
    pub(crate) fn send(&self, tcb: usize, work: Work) -> bool {
        self.tcbs.doors()[tcb].send(work)
    }

    /// A task that lived on a TCB has ended: the next of the queue may start.
    pub(crate) fn ended(&self, region: &Arc<Region>, tcb: usize, control: &TaskControl) {
        self.tcbs.leaves(tcb);
        let next = self.admission.lock().release(control.number, control.transaction.class);
        {
            let mut tasks = self.tasks.lock();
            tasks.running.remove(&control.number);
            tasks.numbers.give(control.number);
            if tasks.running.is_empty() && next.is_none() {
                self.idle.notify_waiters();
            }
        }
        if Notices::are_wanted(region) {
            self.tells_counts(region, control);
        }
        if let Some(next) = next {
            self.start(region, next);
        }
    }

    /// A task begins or has ended: how many run now, of all and of its class.
    #[cold]
    fn tells_counts(&self, region: &Arc<Region>, control: &TaskControl) {
        let (of_all, of_class) = {
            let mut admission = self.admission.lock();
            let counted = admission.counted(false);
            let own = control.transaction.class;
            let classes = if own.is_blank() { Vec::new() } else { admission.classes() };
            let class = classes.into_iter().find(|class| class.name == own);
            (Notice::Tasks { running: counted.running, most: counted.limit }, class)
        };
        Notices::tell(region, Some(control), of_all);
        if let Some(class) = of_class {
            let of_class = Notice::Class { name: class.name, running: class.running, most: class.tasks_max };
            Notices::tell(region, Some(control), of_class);
        }
    }

    /// No task is attached any more, and none begins: those that wait to be let in are given up, their STARTs kept.
    pub fn close(&self, region: &Arc<Region>) {
        self.closed.store(true, Ordering::Relaxed);
        let waiting = self.admission.lock().close();
        if !waiting.is_empty() {
            let waiting = counted(waiting.len(), "task");
            tracing::warn!(target: "DS", "waiting to be let in, and not begun since the region ends: {waiting}");
        }
        for admitted in waiting {
            self.gives_up(admitted.control.number);
            give_up(region, Refused::admitted(AttachError::Closing, admitted));
        }
    }

    /// Returns true if no task is attached any more.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Watches the TCBs from now on.
    pub fn watch(&self, region: &Arc<Region>) -> io::Result<()> {
        self.watchdog.start(region)
    }

    /// Ends the TCBs: each finishes what it is doing now.
    pub fn stop(&self) {
        self.watchdog.stop();
        for tcb in self.tcbs.doors() {
            tcb.send(Work::Stop);
        }
        for thread in self.threads.lock().drain(..) {
            if thread.join().is_err() {
                tracing::error!(target: "DS", "a TCB ended with a panic");
            }
        }
    }
}
