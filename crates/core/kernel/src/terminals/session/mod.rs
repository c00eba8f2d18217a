//! One terminal: who sits there, what runs there, what its screen is.

mod aside;
mod away;
mod buffer;
mod input;
mod output;
mod printing;
mod started;
mod turn;

use std::any::Any;
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

use bms::ExtendedSet;
use parking_lot::Mutex;
use tn3270::datastream::{Address, Aid, Inbound, Size};
use tokio::sync::{Notify, oneshot};

use super::defined::{Printers, UpperCase};
use super::fields::Fields;
use super::{NextTask, Page, Printed, Printer};
use crate::name::{Name8, TerminalName, TransactionName};
use crate::security::User;
pub use aside::Aside;
pub use away::{AtOwner, Owner};
pub(crate) use started::Started;
pub(crate) use turn::Turn;

/// A task that is attached, as far as its terminal knows it.
pub(crate) trait Occupant: Any + Send + Sync {
    /// The connection is gone.
    fn hangs_up(&self);
}

/// The way to a terminal: a front door's bounded queue.
pub trait Line: Send + Sync {
    /// Queues a 3270 data stream, command first, when there is room. False: the connection is gone.
    fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;

    /// Queues it only if there is room now.
    fn try_send(&self, stream: Vec<u8>) -> bool;

    /// Has a printer print something, and waits for its answer; one that gives none has printed what was sent.
    fn print(&self, _: Page) -> Pin<Box<dyn Future<Output = Printed> + Send + '_>> {
        Box::pin(std::future::ready(Printed::Refused))
    }

    /// Tells a printer that its job is complete.
    fn end_job(&self) {}

    /// Ends the connection when what is queued has been sent.
    fn close(&self);

    /// The region that owns the terminal; `None`: this one.
    fn owner(&self) -> Option<Owner> {
        None
    }

    /// A task waits for input, and none is there.
    fn wants_input(&self) {}

    /// The task at a terminal of another region is over: the last output, and what its RETURN asks for.
    fn task_is_over(&self, _held: Vec<Vec<u8>>, _next: NextTask) {}

    /// Has the owner start a task there. It comes back if the terminal is this region's own.
    ///
    /// # Errors
    /// The task that was to be started.
    fn start(&self, started: Box<dyn Any + Send>) -> Result<(), Box<dyn Any + Send>> {
        Err(started)
    }
}

/// A front door's knowledge of a terminal.
pub struct TerminalParts {
    /// The default size.
    pub default_size: Size,
    /// The alternate size.
    pub alternate_size: Size,
    /// The extended attributes that it has.
    pub features: ExtendedSet,
    /// Its address, as a person would write it.
    pub peer: String,
    /// Part of its input that is translated to upper case.
    pub upper_case: UpperCase,
    /// The printer that it is; `None`: a display.
    pub printer: Option<Printer>,
}

/// Numbers of connections. They begin at the time, so that no two runs of a region have the same.
static CONNECTIONS: LazyLock<AtomicU64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    AtomicU64::new(u64::try_from(since.as_micros()).unwrap_or_default())
});

/// A terminal.
pub struct Terminal {
    /// Its identifier.
    pub name: TerminalName,
    /// The number of its connection: one that comes later, perhaps with the same name, has another.
    pub connection: u64,
    /// Its network name.
    pub netname: Name8,
    /// Its abilities.
    pub parts: TerminalParts,
    line: Box<dyn Line>,
    state: Mutex<State>,
    input: Notify,
    started: Notify,
    mended: Notify,
}

struct State {
    user: Arc<User>,
    /// When the last input came.
    heard: Instant,
    next: NextTask,
    /// The task that an input has started is the one that RETURN TRANSID has named.
    continues: bool,
    task: Option<Arc<dyn Occupant>>,
    /// Whose turn it is has been decided, and its task is about to be attached: see [`Turn`].
    claimed: bool,
    /// The input that started the task, until the task reads it, or writes: what comes after a write is the answer to
    /// it. It goes with the task.
    first_input: Option<Inbound>,
    /// Input since then: for the task, or for the next one.
    inputs: VecDeque<Inbound>,
    /// Those who have asked what the display shows, in the order in which it answers: the answer, and the size of the screen.
    buffer_reads: VecDeque<oneshot::Sender<(Vec<u8>, Size)>>,
    /// Its printers, if no definition names them.
    printers: Printers,
    /// Output that the task has sent and the terminal does not have yet, in order.
    held: Vec<Vec<u8>>,
    /// Lines of the message that was written last, if nothing was written since.
    message_lines: u16,
    /// Started tasks that wait until the terminal is free.
    waiting: VecDeque<Box<dyn Started>>,
    fields: Fields,
    last_key: (Aid, Address),
    upper_case: UpperCase,
    alternate: bool,
    locked: bool,
    gone: bool,
    /// It has printed something since its last job was complete.
    printed: bool,
    /// Its session ends with its task.
    ends_with_task: bool,
    /// The number of data streams that were written to its screen.
    writes: u64,
    /// The number of inputs that have come from it.
    reads: u64,
}

impl Terminal {
    /// A terminal that has just connected.
    pub fn new(
        name: TerminalName,
        netname: Name8,
        parts: TerminalParts,
        user: Arc<User>,
        line: Box<dyn Line>,
    ) -> Arc<Self> {
        let state = State {
            user,
            heard: Instant::now(),
            next: NextTask::default(),
            continues: false,
            task: None,
            claimed: false,
            first_input: None,
            inputs: VecDeque::new(),
            buffer_reads: VecDeque::new(),
            printers: Printers::default(),
            held: Vec::new(),
            message_lines: 0,
            fields: Fields::default(),
            last_key: (Aid::None, Address(0)),
            waiting: VecDeque::new(),
            upper_case: parts.upper_case,
            alternate: false,
            locked: parts.printer.is_none(),
            gone: false,
            printed: false,
            ends_with_task: false,
            writes: 0,
            reads: 0,
        };
        Arc::new(Self {
            name,
            connection: CONNECTIONS.fetch_add(1, Ordering::Relaxed),
            netname,
            parts,
            line,
            state: Mutex::new(state),
            input: Notify::new(),
            started: Notify::new(),
            mended: Notify::new(),
        })
    }

    /// The user who is signed on.
    pub fn user(&self) -> Arc<User> {
        Arc::clone(&self.state.lock().user)
    }

    /// Signs a user on (or the default user, which is signing off).
    pub fn set_user(&self, user: Arc<User>) {
        self.state.lock().user = user;
    }

    /// Its address on the network.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.parts.peer.parse().ok()
    }

    /// The same without its port.
    pub fn address(&self) -> Option<IpAddr> {
        self.peer().map(|peer| peer.ip().to_canonical())
    }

    /// The task that is attached: `Terminal::task` says which.
    pub(crate) fn occupant(&self) -> Option<Arc<dyn Occupant>> {
        self.state.lock().task.clone()
    }

    /// The key of the last input, and where the cursor was.
    pub fn last_key(&self) -> (Aid, Address) {
        self.state.lock().last_key
    }

    /// Part of its input that is translated to upper case.
    pub fn upper_case(&self) -> UpperCase {
        self.state.lock().upper_case
    }

    /// SET TERMINAL UCTRANST.
    pub fn set_upper_case(&self, upper_case: UpperCase) {
        self.state.lock().upper_case = upper_case;
    }

    /// The size that the screen has now.
    pub fn size(&self) -> Size {
        if self.state.lock().alternate { self.parts.alternate_size } else { self.parts.default_size }
    }

    /// Returns true if the screen has its alternate size now.
    pub fn is_alternate(&self) -> bool {
        self.state.lock().alternate
    }

    /// The printers that copies of its screen go to, if it has no definition.
    pub(super) fn own_printers(&self) -> Printers {
        self.state.lock().printers
    }

    /// SET TERMINAL PRINTER, ALTPRINTER of a display without a definition.
    pub(super) fn set_own_printers(&self, printers: Printers) {
        self.state.lock().printers = printers;
    }

    /// The transaction that RETURN TRANSID named for the next input.
    pub fn next_transaction(&self) -> Option<TransactionName> {
        self.state.lock().next.transaction
    }

    /// Returns true if the connection is gone.
    pub fn is_gone(&self) -> bool {
        self.state.lock().gone
    }

    /// The way to it.
    pub(super) fn line(&self) -> &dyn Line {
        &*self.line
    }

    /// Waits until what kept the printer from printing is mended, or it is gone. To be asked for before the page is sent.
    pub(super) fn mended(&self) -> impl Future<Output = ()> {
        self.mended.notified()
    }

    /// Notes that the printer can print again.
    pub fn is_mended(&self) {
        self.mended.notify_waiters();
    }

    /// The number of data streams that were written to its screen.
    pub fn writes(&self) -> u64 {
        self.state.lock().writes
    }

    /// The number of inputs that have come from it.
    pub fn reads(&self) -> u64 {
        self.state.lock().reads
    }

    /// It prints something.
    pub(super) fn has_printed(&self) {
        self.state.lock().printed = true;
    }

    /// Tells a printer that all of a job is there, if it has printed anything since the last one.
    pub(crate) fn end_job(&self) {
        if std::mem::take(&mut self.state.lock().printed) {
            self.line.end_job();
        }
    }

    /// Returns true if the keyboard waits for the program.
    pub fn is_locked(&self) -> bool {
        self.state.lock().locked
    }

    /// A task is attached. False if there is one already, or the connection is gone.
    pub(crate) fn attach(&self, task: Arc<dyn Occupant>) -> bool {
        let mut state = self.state.lock();
        let free = state.task.is_none() && !state.gone;
        if free {
            state.task = Some(task);
            state.claimed = false;
        }
        free
    }

    /// The task has ended. The transaction that its RETURN names is kept for the next input; where it names none, one
    /// that an earlier task has named is still to come: a started task does not end the conversation that it interrupts.
    ///
    /// True when the task leaves the keyboard locked. A user whose keyboard it has freed may press a key at this moment: that
    /// input waits or is still to come, and its own answer frees the keyboard again.
    #[must_use]
    pub(crate) fn detach(&self, next: NextTask) -> bool {
        let mut state = self.state.lock();
        state.task = None;
        if next.transaction.is_some() {
            state.next = next;
        }
        state.first_input = None;
        state.locked && state.inputs.is_empty()
    }

    /// A task that was attached does not begin; what the last one asked for stays.
    pub(crate) fn unattach(&self) {
        self.state.lock().task = None;
    }

    /// When its user has last done something.
    pub(crate) fn heard(&self) -> Instant {
        self.state.lock().heard
    }

    /// Forgets the request of RETURN.
    pub(crate) fn forget_next(&self) {
        self.state.lock().next = NextTask::default();
    }

    /// Request of RETURN; taken once.
    pub(crate) fn take_next(&self) -> NextTask {
        let mut state = self.state.lock();
        state.continues = state.next.transaction.is_some();
        std::mem::take(&mut state.next)
    }

    /// Returns true if the task that an input has started goes on with a pseudo-conversation.
    pub fn continues(&self) -> bool {
        self.state.lock().continues
    }

    /// The connection is gone: a task that waits here ends, and so does any other that is attached.
    pub fn hang_up(&self) {
        let task = {
            let mut state = self.state.lock();
            state.gone = true;
            state.buffer_reads.clear();
            state.task.clone()
        };
        self.input.notify_waiters();
        self.input.notify_one();
        self.started.notify_one();
        self.mended.notify_waiters();
        if let Some(task) = task {
            task.hangs_up();
        }
    }
}
