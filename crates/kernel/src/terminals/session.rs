//! One terminal.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tn3270::datastream::{Address, Aid, Command, Inbound, Size, restores_keyboard};
use tokio::sync::Notify;

use super::fields::Fields;
use crate::dispatcher::Attach;
use crate::interval::StartData;
use crate::limits::{TERMINAL_HELD_MAX, TERMINAL_INPUT_MAX};
use crate::name::{Name8, TerminalName, TransactionName};
use crate::security::User;
use crate::task::{NextTask, TaskControl};

/// The way to a terminal: a front door's bounded queue.
pub trait Line: Send + Sync {
    /// Queues a 3270 data stream, command first, when there is room. False: the connection is gone.
    fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;

    /// Queues it only if there is room now.
    fn try_send(&self, stream: Vec<u8>) -> bool;

    /// Ends the connection when what is queued has been sent.
    fn close(&self);
}

/// What a front door knows of a terminal.
pub struct TerminalParts {
    /// The default size.
    pub default_size: Size,
    /// The alternate size.
    pub alternate_size: Size,
    /// Whether it shows colours.
    pub colour: bool,
    /// Whether it shows highlighting.
    pub highlight: bool,
    /// Whether it takes extended attributes at all.
    pub extended: bool,
    /// Where it is, as a person would write it.
    pub peer: String,
    /// What of its input is translated to upper case.
    pub upper_case: UpperCase,
}

/// What of a terminal's input is translated to upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpperCase {
    /// Nothing.
    No,
    /// The transaction's name only.
    Transaction,
    /// Everything.
    Yes,
}

/// A terminal.
pub struct Terminal {
    /// Its identifier.
    pub name: TerminalName,
    /// Its network name.
    pub netname: Name8,
    /// What it can do.
    pub parts: TerminalParts,
    line: Box<dyn Line>,
    state: Mutex<State>,
    input: Notify,
    started: Notify,
}

struct State {
    user: Arc<User>,
    next: NextTask,
    task: Option<Arc<TaskControl>>,
    /// The input that started the task, until the task reads it, or writes: what comes after a write is the answer to
    /// it. It goes with the task.
    first_input: Option<Inbound>,
    /// What came since: for the task, or for the next one.
    inputs: VecDeque<Inbound>,
    /// Output that the task has sent and the terminal does not have yet, in order.
    held: Vec<Vec<u8>>,
    /// Started tasks that wait until the terminal is free.
    waiting: VecDeque<Attach>,
    fields: Fields,
    last_key: (Aid, Address),
    upper_case: UpperCase,
    alternate: bool,
    locked: bool,
    gone: bool,
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
            next: NextTask::default(),
            task: None,
            first_input: None,
            inputs: VecDeque::new(),
            held: Vec::new(),
            fields: Fields::default(),
            last_key: (Aid::None, Address(0)),
            waiting: VecDeque::new(),
            upper_case: parts.upper_case,
            alternate: false,
            locked: true,
            gone: false,
        };
        Arc::new(Self {
            name,
            netname,
            parts,
            line,
            state: Mutex::new(state),
            input: Notify::new(),
            started: Notify::new(),
        })
    }

    /// Who is signed on.
    pub fn user(&self) -> Arc<User> {
        Arc::clone(&self.state.lock().user)
    }

    /// Signs a user on (or the default user, which is signing off).
    pub fn set_user(&self, user: Arc<User>) {
        self.state.lock().user = user;
    }

    /// The task that is attached.
    pub fn task(&self) -> Option<Arc<TaskControl>> {
        self.state.lock().task.clone()
    }

    /// The key of the last input, and where the cursor was.
    pub fn last_key(&self) -> (Aid, Address) {
        self.state.lock().last_key
    }

    /// What of its input is translated to upper case.
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

    /// Whether the screen has its alternate size now.
    pub fn is_alternate(&self) -> bool {
        self.state.lock().alternate
    }

    /// The transaction that RETURN TRANSID named for the next input.
    pub fn next_transaction(&self) -> Option<TransactionName> {
        self.state.lock().next.transaction
    }

    /// Whether the connection is gone.
    pub fn is_gone(&self) -> bool {
        self.state.lock().gone
    }

    /// A task is attached. False if there is one already, or the connection is gone.
    pub(crate) fn attach(&self, control: &Arc<TaskControl>) -> bool {
        let mut state = self.state.lock();
        let free = state.task.is_none() && !state.gone;
        if free {
            state.task = Some(Arc::clone(control));
        }
        free
    }

    /// The task has ended; what its RETURN asked for is kept for the next input.
    pub(crate) fn detach(&self, next: NextTask) {
        let mut state = self.state.lock();
        state.task = None;
        state.next = next;
        state.first_input = None;
    }

    /// What RETURN asked for; taken once.
    pub(crate) fn take_next(&self) -> NextTask {
        std::mem::take(&mut self.state.lock().next)
    }

    /// Keeps an input for the attached task. False if it has too many already: the client does not wait for its turn.
    pub(crate) fn keep_input(&self, input: Inbound) -> bool {
        let mut state = self.state.lock();
        if state.inputs.len() >= TERMINAL_INPUT_MAX {
            return false;
        }
        state.locked = true;
        state.fields.keyed(&input);
        state.inputs.push_back(input);
        drop(state);
        self.input.notify_one();
        true
    }

    /// The next input, if it is there.
    pub(crate) fn take_input(&self) -> Option<Inbound> {
        let mut state = self.state.lock();
        let input = state.first_input.take().or_else(|| state.inputs.pop_front())?;
        state.last_key = (input.aid, input.cursor().unwrap_or_default());
        Some(input)
    }

    /// Waits for input: `None` when the connection is gone.
    pub(crate) async fn wait_input(&self) -> Option<Inbound> {
        self.flush().await;
        loop {
            let arrived = self.input.notified();
            if let Some(input) = self.take_input() {
                return Some(input);
            }
            if self.is_gone() {
                return None;
            }
            arrived.await;
        }
    }

    /// Keeps an input for the task that it starts.
    pub(crate) fn keep_first_input(&self, input: Inbound) {
        let mut state = self.state.lock();
        state.last_key = (input.aid, input.cursor().unwrap_or_default());
        state.locked = true;
        state.fields.keyed(&input);
        state.first_input = Some(input);
    }

    /// The task has written: what it reads from now on came after the input that started it.
    pub(crate) fn forget_first_input(&self) {
        self.state.lock().first_input = None;
    }

    /// What came while the last task was ending: it starts the next one.
    pub(crate) fn take_waiting_input(&self) -> Option<Inbound> {
        let mut state = self.state.lock();
        if state.task.is_some() { None } else { state.inputs.pop_front() }
    }

    /// Whether the keyboard waits for the program.
    pub fn is_locked(&self) -> bool {
        self.state.lock().locked
    }

    /// Sends a data stream; it notes what the stream does to keyboard and size. False when the connection is gone.
    ///
    /// The stream is held until the task ends, waits for input or DELAYs: output is deferred, as published. So nobody
    /// types into a screen that the same task is about to replace, and a stream that erases takes the place of the
    /// writes before it.
    pub async fn send(&self, data: Vec<u8>) -> bool {
        let data = self.note_output(data);
        let held = {
            let mut state = self.state.lock();
            if erases(&data) && state.held.iter().all(|earlier| is_write(earlier)) {
                state.held.clear();
            }
            state.held.push(data);
            state.held.len()
        };
        if held > TERMINAL_HELD_MAX { self.flush().await } else { !self.is_gone() }
    }

    /// Lets the terminal have what is held for it. False when the connection is gone.
    pub(crate) async fn flush(&self) -> bool {
        let held = std::mem::take(&mut self.state.lock().held);
        for data in held {
            if !self.line.send(data).await {
                return false;
            }
        }
        !self.is_gone()
    }

    /// Sends without waiting: for messages outside tasks. False when the connection is gone or does not read.
    pub fn try_send(&self, data: Vec<u8>) -> bool {
        self.line.try_send(self.note_output(data))
    }

    /// Ends the session from this side, once the terminal has what was sent to it: CESF LOGOFF, the region's end.
    pub fn log_off(&self) {
        self.line.close();
    }

    /// Notes what a stream does to the screen; gives the form in which it is sent.
    fn note_output(&self, data: Vec<u8>) -> Vec<u8> {
        let mut state = self.state.lock();
        match command(&data) {
            Some(Command::EraseWrite) => state.alternate = false,
            Some(Command::EraseWriteAlternate) => state.alternate = true,
            _ => {}
        }
        if restores_keyboard(&data) {
            state.locked = false;
        }
        let size = if state.alternate { self.parts.alternate_size } else { self.parts.default_size };
        state.fields.write(data, size.positions())
    }

    /// Keeps a started task until the terminal is free. It comes back if the terminal is free now.
    pub(crate) fn queue(&self, attach: Attach) -> Option<Attach> {
        let mut state = self.state.lock();
        if state.task.is_none() && state.waiting.is_empty() {
            return Some(attach);
        }
        state.waiting.push_back(attach);
        drop(state);
        self.started.notify_one();
        None
    }

    /// The data of the next started task of a transaction that waits here: it does not start any more.
    pub(crate) fn take_started(&self, transaction: TransactionName) -> Option<StartData> {
        let mut state = self.state.lock();
        let has_data = |attach: &Attach| attach.start_data.as_ref().is_some_and(|data| !data.is_empty());
        let at = state.waiting.iter().position(|a| a.transaction == transaction && has_data(a))?;
        state.waiting.remove(at).and_then(|attach| attach.start_data)
    }

    /// The same, waited for: `None` when the connection is gone.
    pub(crate) async fn wait_started(&self, transaction: TransactionName) -> Option<StartData> {
        loop {
            let started = self.started.notified();
            if let Some(data) = self.take_started(transaction) {
                return Some(data);
            }
            if self.is_gone() {
                return None;
            }
            started.await;
        }
    }

    /// The started task that is next, if the terminal is free.
    pub(crate) fn take_waiting(&self) -> Option<Attach> {
        let mut state = self.state.lock();
        if state.task.is_some() { None } else { state.waiting.pop_front() }
    }

    /// The connection is gone: a task that waits here ends, and so does any other that is attached.
    pub fn hang_up(&self) {
        let task = {
            let mut state = self.state.lock();
            state.gone = true;
            state.task.clone()
        };
        self.input.notify_waiters();
        self.input.notify_one();
        self.started.notify_one();
        if let Some(task) = task {
            task.purge();
        }
    }
}

/// Whether a data stream replaces the whole screen.
fn erases(data: &[u8]) -> bool {
    matches!(command(data), Some(Command::EraseWrite | Command::EraseWriteAlternate))
}

/// Whether a data stream does nothing but change the screen.
fn is_write(data: &[u8]) -> bool {
    erases(data) || matches!(command(data), Some(Command::Write | Command::EraseAllUnprotected))
}

fn command(data: &[u8]) -> Option<Command> {
    data.first().copied().and_then(Command::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { rows: 24, columns: 80 };
    const ERASE_WRITE: u8 = 0xF5;
    const WRITE: u8 = 0xF1;
    const STRUCTURED: u8 = 0xF3;

    /// A client that only remembers.
    struct Memory(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Line for Memory {
        fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(async move { self.try_send(stream) })
        }

        fn try_send(&self, stream: Vec<u8>) -> bool {
            self.0.lock().push(stream);
            true
        }

        fn close(&self) {}
    }

    /// What a client gets of a task's output: at once, and when the task ends.
    #[track_caller]
    fn check(sent: &[Vec<u8>], at_once: &[Vec<u8>], at_the_end: &[Vec<u8>]) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let parts = TerminalParts {
            default_size: SIZE,
            alternate_size: SIZE,
            colour: false,
            highlight: false,
            extended: false,
            peer: String::new(),
            upper_case: UpperCase::No,
        };
        let name = TerminalName::from("T001");
        let line = Box::new(Memory(Arc::clone(&seen)));
        let terminal = Terminal::new(name, Name8::from("LU1"), parts, User::region(), line);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for stream in sent {
                assert!(terminal.send(stream.clone()).await);
            }
            assert_eq!(*seen.lock(), at_once);
            assert!(terminal.flush().await);
            assert_eq!(*seen.lock(), at_the_end);
        });
    }

    #[test]
    fn output_is_held_until_the_task_ends() {
        let (first, second) = (vec![ERASE_WRITE, 1], vec![WRITE, 2]);
        check(&[first.clone(), second.clone()], &[], &[first, second]);
    }

    #[test]
    fn a_screen_that_is_replaced_at_once_is_never_seen() {
        let last = vec![ERASE_WRITE, 3];
        check(&[vec![ERASE_WRITE, 1], vec![WRITE, 2], last.clone()], &[], &[last]);
    }

    #[test]
    fn a_structured_field_is_more_than_a_picture() {
        let (field, last) = (vec![STRUCTURED, 1], vec![ERASE_WRITE, 2]);
        check(&[field.clone(), last.clone()], &[], &[field, last]);
    }

    #[test]
    fn not_everything_can_be_held() {
        let many: Vec<_> = (0..=TERMINAL_HELD_MAX).map(|n| vec![WRITE, n as u8]).collect();
        check(&many, &many, &many);
    }
}
