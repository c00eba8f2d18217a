//! The line of a terminal of another region: output and wishes of its task, until the relay fetches them.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

use kernel::raise::AbendCode;
use kernel::task::{NextTask, TaskPart};
use kernel::terminals::{Line, Owner, Page, Printed};
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use super::message::{Answer, Ended, Then};
use crate::limits::OUTPUT_MAX;

/// Called when something is to be done at the owner.
pub(super) trait AtOwners: Send + Sync {
    /// The relay is to go on, though nothing was typed.
    fn wake(&self, conversation: u64);
    /// A task is to be started there.
    fn start(&self, started: Box<dyn Any + Send>);
}

/// A terminal's line to its owner.
pub(super) struct Surrogate {
    owner: Owner,
    there: Box<dyn AtOwners>,
    state: Mutex<State>,
    told: Notify,
    room: Notify,
}

#[derive(Default)]
struct State {
    /// The conversation of the relay; `None`: there is none.
    conversation: Option<u64>,
    output: Vec<Vec<u8>>,
    /// The task waits for input, and the relay is to hear that.
    waits: bool,
    /// It has asked for input that has not come.
    wants: bool,
    page: Option<(Page, oneshot::Sender<Printed>)>,
    /// The page that the relay has taken.
    printing: Option<oneshot::Sender<Printed>>,
    ended: Option<Box<Ended>>,
    abend: Option<AbendCode>,
    logs_off: bool,
    /// The relay waits for the user to type: it fetches nothing until it is woken.
    sleeps: bool,
}

impl Surrogate {
    pub fn new(owner: Owner, there: Box<dyn AtOwners>) -> Arc<Self> {
        Arc::new(Self { owner, there, state: Mutex::default(), told: Notify::new(), room: Notify::new() })
    }

    /// A relay has come.
    pub fn begin(&self, conversation: u64) {
        *self.state.lock() = State { conversation: Some(conversation), ..State::default() };
    }

    /// There is no relay any more.
    pub fn is_over(&self) {
        let before = std::mem::take(&mut *self.state.lock());
        drop(before);
        self.room.notify_waiters();
        self.told.notify_one();
    }

    /// The relay goes on: with the fate of a page, if there was one.
    pub fn goes_on(&self, printed: Option<u8>, has_input: bool) {
        let printing = {
            let mut state = self.state.lock();
            state.sleeps = false;
            state.wants &= !has_input;
            // Something else was to be told: the task may wait still.
            state.waits = state.wants;
            printed.and_then(|printed| Some((state.printing.take()?, printed)))
        };
        if let Some((tell, printed)) = printing {
            // Its task may be gone.
            let _ = tell.send(if printed == 0 { Printed::Done } else { Printed::Refused });
        }
    }

    /// The next thing for the relay; waits until there is one.
    pub async fn next(&self) -> Answer {
        loop {
            let told = self.told.notified();
            if let Some(answer) = self.take() {
                self.room.notify_waiters();
                return answer;
            }
            told.await;
        }
    }

    fn take(&self) -> Option<Answer> {
        let mut state = self.state.lock();
        if state.conversation.is_none() {
            return Some(Answer::Nobody);
        }
        let then = if let Some(mut ended) = state.ended.take() {
            ended.logs_off = state.logs_off;
            ended.abend = state.abend.map(|code| *code.as_bytes());
            state.conversation = None;
            Then::Ended(ended)
        } else if let Some((page, tell)) = state.page.take() {
            state.printing = Some(tell);
            match page {
                Page::Stream(bytes) => Then::Prints(bytes, false),
                Page::Scs(bytes) => Then::Prints(bytes, true),
            }
        } else if std::mem::take(&mut state.waits) {
            state.sleeps = true;
            Then::Waits
        } else if !state.output.is_empty() {
            Then::Goes
        } else {
            return None;
        };
        let output = std::mem::take(&mut state.output);
        Some(Answer::Told(output.into_iter().map(Into::into).collect(), then))
    }

    /// Something is to be told.
    fn tells(&self, change: impl FnOnce(&mut State)) -> bool {
        let wakes = {
            let mut state = self.state.lock();
            let Some(conversation) = state.conversation else { return false };
            change(&mut state);
            std::mem::take(&mut state.sleeps).then_some(conversation)
        };
        self.told.notify_one();
        if let Some(conversation) = wakes {
            self.there.wake(conversation);
        }
        true
    }
}

/// The line, as the terminal has it.
pub(super) struct Way(pub Arc<Surrogate>);

impl Line for Way {
    fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async move {
            loop {
                let room = self.0.room.notified();
                let mut room = std::pin::pin!(room);
                room.as_mut().enable();
                if self.0.state.lock().output.len() < OUTPUT_MAX {
                    return self.0.tells(|state| state.output.push(stream));
                }
                room.await;
            }
        })
    }

    fn try_send(&self, stream: Vec<u8>) -> bool {
        let has_room = self.0.state.lock().output.len() < OUTPUT_MAX;
        has_room && self.0.tells(|state| state.output.push(stream))
    }

    fn print(&self, page: Page) -> Pin<Box<dyn Future<Output = Printed> + Send + '_>> {
        let (tell, told) = oneshot::channel();
        let asked = self.0.tells(|state| state.page = Some((page, tell)));
        Box::pin(async move {
            if !asked {
                return Printed::Gone;
            }
            told.await.unwrap_or(Printed::Gone)
        })
    }

    fn close(&self) {
        self.0.state.lock().logs_off = true;
    }

    fn owner(&self) -> Option<Owner> {
        Some(self.0.owner)
    }

    fn wants_input(&self) {
        let is_new = {
            let state = self.0.state.lock();
            !state.sleeps && !state.waits
        };
        if is_new {
            self.0.tells(|state| (state.waits, state.wants) = (true, true));
        }
    }

    fn task_is_over(&self, held: Vec<Vec<u8>>, next: NextTask) {
        self.0.tells(|state| {
            state.output.extend(held);
            (state.waits, state.wants) = (false, false);
            state.ended = Some(Box::new(Ended::of(next)));
        });
    }

    fn start(&self, started: Box<dyn Any + Send>) -> Result<(), Box<dyn Any + Send>> {
        self.0.there.start(started);
        Ok(())
    }
}

/// The part of a routed task by which its relay hears of its abend, or that it does not begin.
pub(super) struct Routed(pub Arc<Surrogate>);

impl TaskPart for Routed {
    fn refused(&mut self) -> bool {
        self.0.tells(|state| state.ended = Some(Box::default()));
        true
    }

    fn task_ends(&mut self, abend: Option<AbendCode>, _: Option<&str>) {
        self.0.state.lock().abend = abend;
    }
}
