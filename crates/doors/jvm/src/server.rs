//! A JVM server: its status, and its threads.
//!
//! | what | states |
//! |---|---|
//! | JVM server | DISABLED → ENABLING → ENABLED → DISABLING → DISABLED; a JVM that ends by itself: DISABLED |
//! | thread | asked for → idle ⇄ with a task → orphan: its task has ended without it → gone; it counts against THREADLIMIT until then |

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use csd::Definition;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::task::TaskControl;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::counts::{Counts, Figures};
use crate::limits::{THREADS, THREADS_MAX, WORKS_MAX};
use crate::refusals::Refusals;
use crate::talk::Connection;
use crate::vitals::{Collections, Vitals};

/// Statuses of a JVM server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Disabled,
    Enabling,
    Enabled,
    Disabling,
}

impl Status {
    /// The name of its CVDA.
    pub fn cvda(self) -> &'static str {
        match self {
            Self::Disabled => "DISABLED",
            Self::Enabling => "ENABLING",
            Self::Enabled => "ENABLED",
            Self::Disabling => "DISABLING",
        }
    }
}

/// Kinds of JVM servers, by what their programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Programs {
    /// Classes of a class path.
    Classes,
    /// Bundles of an OSGi framework.
    Osgi,
    /// Applications of Liberty.
    Liberty,
}

/// Orders to the thread that lives with a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Make a thread of this number.
    Thread(u32),
    /// Interrupt the thread of this number.
    Interrupt(u32),
    /// The work of this number has a task; has none.
    Attached(u32),
    Reject(u32),
    /// Install the OSGi bundle of this number; have it go.
    Install(u32),
    Retire(u32),
    /// End in order.
    Close,
    /// End at once.
    Kill,
    /// Show the threads, or write the heap into a file.
    Dump {
        threads: bool,
        heap: bool,
    },
}

/// A thread of a JVM.
enum Thread {
    AskedFor,
    Idle,
    Works(Weak<TaskControl>),
    /// Since when.
    Orphan(Instant),
}

struct State {
    status: Status,
    limit: usize,
    threads: HashMap<u32, Thread>,
    idle: Vec<(u32, Connection)>,
    waiters: VecDeque<oneshot::Sender<Lease>>,
    /// The number of the next thread: no number comes twice in a run of the region.
    next: u32,
    /// Number of JVMs so far that were begun: that of the one that is there.
    life: u32,
    /// Works that wait for their threads.
    works: usize,
    orders: Option<UnboundedSender<Order>>,
    pid: Option<u32>,
    home: Option<PathBuf>,
    /// The programs of its JVM.
    programs: Programs,
    lives: Option<JoinHandle<()>>,
    counts: Counts,
    /// Tasks that wait because of THREADLIMIT.
    waiting: usize,
    /// The JVM's start, and what it has said of itself last.
    vitals: Option<(SystemTime, Vitals)>,
    /// Another JVM is to follow.
    recycles: bool,
    /// Minor and major collections of JVMs that have ended.
    collected: [Collections; 2],
}

/// A JVM server.
pub(crate) struct JvmServer {
    pub name: Name8,
    pub definition: Definition,
    /// Tasks that its users were refused.
    pub refusals: Refusals,
    state: Mutex<State>,
    /// Its status has changed.
    changed: Notify,
}

/// A task cannot have a thread: the JVM server is not enabled.
pub(crate) struct NotEnabled;

/// A thread that a task has. Dropped, it is an orphan: its connection is closed.
pub(crate) struct Lease {
    server: Arc<JvmServer>,
    pub thread: u32,
    life: u32,
    connection: Option<Connection>,
}

impl Lease {
    /// Returns true if the thread is one of this JVM of a server.
    pub fn is_of(&self, server: &Weak<JvmServer>, life: u32) -> bool {
        self.life == life && server.as_ptr() == Arc::as_ptr(&self.server)
    }

    /// The server that has the thread.
    pub fn server(&self) -> &JvmServer {
        &self.server
    }

    /// Takes the connection out, to talk over it.
    pub fn connection(&mut self) -> Option<Connection> {
        self.connection.take()
    }

    /// Gives the thread back.
    pub fn back(mut self, connection: Connection) {
        self.connection = Some(connection);
        self.goes_back();
    }

    /// Gives the thread back with which nothing was done.
    pub fn goes_back(mut self) {
        if let Some(connection) = self.connection.take() {
            let (server, thread) = (Arc::clone(&self.server), self.thread);
            std::mem::forget(self);
            server.idles(thread, connection);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.server.orphans(self.thread);
    }
}

impl JvmServer {
    /// A disabled one.
    pub fn new(definition: &Definition) -> Arc<Self> {
        let limit = definition.number("THREADLIMIT").and_then(|limit| usize::try_from(limit).ok());
        Arc::new(Self {
            name: Name8::from(definition.name.as_str()),
            definition: definition.clone(),
            refusals: Refusals::default(),
            state: Mutex::new(State {
                status: Status::Disabled,
                limit: limit.unwrap_or(THREADS).clamp(1, THREADS_MAX),
                threads: HashMap::new(),
                idle: Vec::new(),
                waiters: VecDeque::new(),
                next: 1,
                life: 0,
                works: 0,
                orders: None,
                pid: None,
                home: None,
                programs: Programs::Classes,
                lives: None,
                counts: Counts::default(),
                waiting: 0,
                vitals: None,
                recycles: false,
                collected: [Collections::default(); 2],
            }),
            changed: Notify::new(),
        })
    }

    pub fn status(&self) -> Status {
        self.state.lock().status
    }

    /// Number of its JVM's process; 0: it has none.
    pub fn pid(&self) -> u32 {
        self.state.lock().pid.unwrap_or(0)
    }

    /// JAVA_HOME, once it is known.
    pub fn home(&self) -> Option<PathBuf> {
        self.state.lock().home.clone()
    }

    pub fn limit(&self) -> usize {
        self.state.lock().limit
    }

    /// The task of a number, if it has a thread.
    pub fn task(&self, number: u32) -> Option<Arc<TaskControl>> {
        let state = self.state.lock();
        state.threads.values().filter_map(Thread::task).find(|task| task.number == number)
    }

    /// Number of threads that have a task.
    pub fn working(&self) -> usize {
        self.state.lock().working()
    }

    /// SET THREADLIMIT: those who wait get what is free now.
    pub fn set_limit(&self, limit: usize) {
        let mut state = self.state.lock();
        state.limit = limit.clamp(1, THREADS_MAX);
        state.ask();
    }

    /// Begins to start: true if it was DISABLED.
    pub fn begins(&self, orders: UnboundedSender<Order>) -> bool {
        let mut state = self.state.lock();
        if state.status != Status::Disabled {
            return false;
        }
        state.status = Status::Enabling;
        state.life = state.life.wrapping_add(1);
        state.orders = Some(orders);
        true
    }

    /// Keeps the thread that lives with the JVM.
    pub fn lives(&self, thread: JoinHandle<()>) {
        self.state.lock().lives = Some(thread);
    }

    pub fn has_process(&self, pid: u32, home: PathBuf, programs: Programs) {
        let mut state = self.state.lock();
        (state.pid, state.home, state.programs) = (Some(pid), Some(home), programs);
        state.vitals = Some((SystemTime::now(), Vitals::default()));
    }

    /// The programs of its JVM.
    pub fn programs(&self) -> Programs {
        self.state.lock().programs
    }

    /// The JVM has said how it is.
    pub fn is_well(&self, told: Vitals) {
        if let Some((_, vitals)) = &mut self.state.lock().vitals {
            *vitals = told;
        }
    }

    /// Microseconds from 1970 to the start of its JVM, and what it has said of itself; with collections of JVMs before it. `None`
    /// if it has no JVM.
    pub fn vitals(&self) -> Option<(u64, Vitals)> {
        let state = self.state.lock();
        let (created, mut vitals) = state.vitals.clone()?;
        vitals.minor.add(&state.collected[0]);
        vitals.major.add(&state.collected[1]);
        let since = created.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Some((u64::try_from(since.as_micros()).unwrap_or(u64::MAX), vitals))
    }

    /// Its counts, and what is now; peaks begin again if they are reset.
    pub fn figures(&self, reset: bool) -> Figures {
        let mut state = self.state.lock();
        let (working, waiting) = (state.working(), state.waiting);
        let figures = Figures { counts: state.counts, limit: state.limit, working, waiting };
        if reset {
            state.counts.reset_peaks(working, waiting);
        }
        figures
    }

    /// The JVM has said that it is there.
    pub fn is_up(&self) {
        {
            let mut state = self.state.lock();
            if state.status == Status::Enabling {
                state.status = Status::Enabled;
                state.ask();
            }
        }
        self.changed.notify_waiters();
    }

    /// The JVM has ended: tasks hear it from their connections, and those who wait for a thread now.
    pub fn has_ended(&self) {
        let (idle, waiters) = {
            let mut state = self.state.lock();
            state.status = Status::Disabled;
            (state.orders, state.pid) = (None, None);
            state.threads.clear();
            if let Some((_, vitals)) = state.vitals.take() {
                state.collected[0].add(&vitals.minor);
                state.collected[1].add(&vitals.major);
            }
            (std::mem::take(&mut state.idle), std::mem::take(&mut state.waiters))
        };
        drop((idle, waiters));
        self.changed.notify_waiters();
    }

    /// Ends when no task has a thread any more. False if it is not enabled.
    pub fn phases_out(&self) -> bool {
        self.disables(false)
    }

    /// Ends when no task has a thread any more, so that another JVM follows. False if it is not enabled.
    pub fn recycles(&self) -> bool {
        self.status() == Status::Enabled && self.disables(true)
    }

    /// Returns true if another JVM is to follow.
    pub fn is_recycling(&self) -> bool {
        self.state.lock().recycles
    }

    /// Returns true once if another JVM is to follow the one that has ended.
    pub fn is_recycled(&self) -> bool {
        std::mem::take(&mut self.state.lock().recycles)
    }

    /// The time for which a thread has gone on without its task; `None` if none has.
    pub fn orphaned(&self) -> Option<Duration> {
        let state = self.state.lock();
        let since = state.threads.values().filter_map(|thread| match thread {
            Thread::Orphan(since) => Some(since.elapsed()),
            Thread::AskedFor | Thread::Idle | Thread::Works(_) => None,
        });
        since.max()
    }

    fn disables(&self, recycles: bool) -> bool {
        let mut state = self.state.lock();
        state.recycles = recycles;
        match state.status {
            Status::Enabling | Status::Enabled => state.status = Status::Disabling,
            Status::Disabling => {}
            Status::Disabled => return false,
        }
        let waiters = std::mem::take(&mut state.waiters);
        state.close_if_idle();
        drop(state);
        drop(waiters);
        true
    }

    /// Purges the tasks that have a thread.
    pub fn purges(&self, by_force: bool) {
        let state = self.state.lock();
        let tasks: Vec<Arc<TaskControl>> = state.threads.values().filter_map(Thread::task).collect();
        drop(state);
        tasks.iter().for_each(|task| if by_force { task.force_purge() } else { task.purge() });
    }

    /// Gives an order to the thread that lives with the JVM.
    pub fn order(&self, order: Order) {
        self.state.lock().order(order);
    }

    /// Counts work that waits, and returns the number of the JVM that is there; `None` if too much waits.
    pub fn work_waits(&self) -> Option<u32> {
        let mut state = self.state.lock();
        if state.works >= WORKS_MAX {
            return None;
        }
        state.works += 1;
        Some(state.life)
    }

    /// Work waits no more.
    pub fn work_waits_no_more(&self) {
        self.state.lock().works -= 1;
    }

    /// Rejects work of a JVM, if that is still the one that is there.
    pub fn rejects(&self, number: u32, life: u32) {
        let state = self.state.lock();
        if state.life == life {
            state.order(Order::Reject(number));
        }
    }

    /// Waits until it is DISABLED.
    pub async fn disabled(&self) {
        loop {
            let changed = self.changed.notified();
            if self.status() == Status::Disabled {
                break;
            }
            changed.await;
        }
        let lives = self.state.lock().lives.take();
        if let Some(thread) = lives {
            // It has nothing more to do.
            let _ = thread.join();
        }
    }

    /// Waits for a thread. One that is being enabled is waited for.
    ///
    /// # Errors
    /// It is not enabled, or ends meanwhile.
    pub async fn thread(self: &Arc<Self>, task: &Arc<TaskControl>) -> Result<Lease, NotEnabled> {
        let (mut waits, limited) = {
            let mut state = self.state.lock();
            if !matches!(state.status, Status::Enabling | Status::Enabled) {
                return Err(NotEnabled);
            }
            if let Some((thread, connection)) = state.idle.pop() {
                state.works(thread, task);
                let life = state.life;
                return Ok(Lease { server: Arc::clone(self), thread, life, connection: Some(connection) });
            }
            let (give, waits) = oneshot::channel();
            // Those that were purged wait no more.
            state.waiters.retain(|waiter| !waiter.is_closed());
            state.waiters.push_back(give);
            state.ask();
            let limited = state.is_at_limit().then(|| Limited::begins(self, &mut state));
            (waits, limited)
        };
        let lease = (&mut waits).await.map_err(|_| NotEnabled)?;
        drop(limited);
        let is_there = {
            let mut state = self.state.lock();
            let is_there = state.threads.contains_key(&lease.thread);
            if is_there {
                state.works(lease.thread, task);
            }
            is_there
        };
        // The JVM may have ended since it was given.
        if is_there { Ok(lease) } else { Err(NotEnabled) }
    }

    /// Returns true if a thread of this number was asked for.
    pub fn is_expected(&self, thread: u32) -> bool {
        matches!(self.state.lock().threads.get(&thread), Some(Thread::AskedFor))
    }

    /// A thread has nothing to do: the one who has waited longest gets it.
    pub fn idles(self: &Arc<Self>, thread: u32, mut connection: Connection) {
        loop {
            let mut state = self.state.lock();
            if !state.threads.contains_key(&thread) || state.status == Status::Disabled {
                return;
            }
            let Some(waiter) = state.waiters.pop_front() else {
                // THREADLIMIT may have been lowered; the connection ends the thread.
                if state.threads.len() <= state.limit {
                    state.threads.insert(thread, Thread::Idle);
                    state.idle.push((thread, connection));
                } else {
                    state.threads.insert(thread, Thread::Orphan(Instant::now()));
                }
                state.close_if_idle();
                return;
            };
            state.threads.insert(thread, Thread::Works(Weak::new()));
            let life = state.life;
            drop(state);
            let lease = Lease { server: Arc::clone(self), thread, life, connection: Some(connection) };
            match waiter.send(lease) {
                Ok(()) => return,
                // It was purged meanwhile.
                Err(mut lease) => {
                    let Some(own) = lease.connection.take() else { return };
                    std::mem::forget(lease);
                    connection = own;
                }
            }
        }
    }

    /// A task has ended without its thread, which may go on.
    fn orphans(&self, thread: u32) {
        let mut state = self.state.lock();
        if let Some(kept) = state.threads.get_mut(&thread) {
            *kept = Thread::Orphan(Instant::now());
            state.order(Order::Interrupt(thread));
        }
        state.close_if_idle();
    }

    /// A thread has ended.
    pub fn is_gone(&self, thread: u32) {
        let mut state = self.state.lock();
        state.idle.retain(|(idle, _)| *idle != thread);
        state.threads.remove(&thread);
        state.ask();
    }
}

/// A task that waits because of THREADLIMIT.
struct Limited<'a> {
    server: &'a JvmServer,
    since: Instant,
}

impl<'a> Limited<'a> {
    fn begins(server: &'a JvmServer, state: &mut State) -> Self {
        state.waiting += 1;
        let waiting = state.waiting;
        state.counts.waits(waiting);
        Self { server, since: Instant::now() }
    }
}

impl Drop for Limited<'_> {
    fn drop(&mut self) {
        let waited = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut state = self.server.state.lock();
        state.waiting -= 1;
        state.counts.wait_ns = state.counts.wait_ns.saturating_add(waited);
    }
}

impl Thread {
    fn task(&self) -> Option<Arc<TaskControl>> {
        if let Self::Works(task) = self { task.upgrade() } else { None }
    }
}

impl State {
    /// A thread has a task.
    fn works(&mut self, thread: u32, task: &Arc<TaskControl>) {
        self.threads.insert(thread, Thread::Works(Arc::downgrade(task)));
        let working = self.working();
        self.counts.begins(working);
    }

    /// Returns true if the one who waits last has to wait for others: no thread is being made for it.
    fn is_at_limit(&self) -> bool {
        self.status == Status::Enabled && self.asked() < self.waiters.len()
    }

    /// Number of threads that are being made.
    fn asked(&self) -> usize {
        self.threads.values().filter(|thread| matches!(thread, Thread::AskedFor)).count()
    }

    fn working(&self) -> usize {
        self.threads.values().filter(|thread| matches!(thread, Thread::Works(_))).count()
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A life that is over takes none.
            let _ = orders.send(order);
        }
    }

    /// Asks for as many threads as are waited for and may be.
    fn ask(&mut self) {
        if self.status != Status::Enabled {
            return;
        }
        let wanted = self.waiters.len().saturating_sub(self.asked());
        for _ in 0..wanted.min(self.limit.saturating_sub(self.threads.len())) {
            let number = self.next;
            self.next = self.next.wrapping_add(1).max(1);
            self.threads.insert(number, Thread::AskedFor);
            self.order(Order::Thread(number));
        }
    }

    fn close_if_idle(&mut self) {
        if self.status == Status::Disabling && self.working() == 0 {
            self.order(Order::Close);
        }
    }
}

/// The JVM servers of a region.
#[derive(Default)]
pub struct JvmServers {
    servers: Mutex<Vec<Arc<JvmServer>>>,
    /// The folder of sockets, classes and output; `None` until the region starts JVMs.
    folder: Mutex<Option<PathBuf>>,
}

impl JvmServers {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The one of a name.
    pub(crate) fn get(&self, name: Name8) -> Option<Arc<JvmServer>> {
        self.servers.lock().iter().find(|server| server.name == name).cloned()
    }

    /// The status of the one of a name, and the number of its process.
    #[doc(hidden)]
    pub fn status(&self, name: &str) -> Option<(String, u32)> {
        let server = self.get(Name8::from(name))?;
        Some((server.status().cvda().to_owned(), server.pid()))
    }

    /// All, by name.
    pub(crate) fn all(&self) -> Vec<Arc<JvmServer>> {
        let mut all = self.servers.lock().clone();
        all.sort_by_key(|server| server.name);
        all
    }

    pub(crate) fn add(&self, server: Arc<JvmServer>) {
        let mut servers = self.servers.lock();
        servers.retain(|other| other.name != server.name);
        servers.push(server);
    }

    pub(crate) fn remove(&self, name: Name8) {
        self.servers.lock().retain(|server| server.name != name);
    }

    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().clone()
    }

    /// Has a folder from now on, in which JVMs may be started. Returns those that are to be enabled.
    pub(crate) fn opened(&self, folder: PathBuf) -> Vec<Arc<JvmServer>> {
        *self.folder.lock() = Some(folder);
        self.all().into_iter().filter(|server| !server.definition.is("STATUS", "DISABLED")).collect()
    }

    /// Ends all JVMs: in order, those that do not end within their time at once.
    pub async fn close(&self) {
        *self.folder.lock() = None;
        let all = self.all();
        for server in &all {
            server.phases_out();
            server.order(Order::Close);
        }
        for server in &all {
            server.disabled().await;
        }
    }

    /// Ends all JVMs as if they had died.
    pub async fn kill(&self) {
        *self.folder.lock() = None;
        let all = self.all();
        all.iter().for_each(|server| server.order(Order::Kill));
        for server in &all {
            server.disabled().await;
        }
    }
}

#[cfg(test)]
impl JvmServer {
    /// A disabled one with defaults.
    pub fn of_a_test() -> Arc<Self> {
        let text = "DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(PLAIN)";
        let request = csd::request(text, csd::Given::Anywhere).expect("a definition");
        Self::new(&Definition {
            resource: csd::ResourceType::Jvmserver,
            name: "JVM1".to_owned(),
            group: "T".to_owned(),
            attributes: request.attributes,
            place: request.place,
        })
    }
}
