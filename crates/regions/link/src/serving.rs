//! Requests of the other side that are being answered.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::ended::{Ended, malformed, reason};
use crate::frame::FAILED;

#[derive(Default)]
enum Slot {
    #[default]
    Free,
    Running,
    /// A task waits to hear that it is cancelled.
    Watched(Waker),
    Cancelled,
}

/// The requests of one link, by their conversations.
#[derive(Default)]
pub(crate) struct Serving {
    slots: Vec<Slot>,
    running: usize,
}

impl Serving {
    /// One more, of at most so many.
    pub fn begin(&mut self, number: u32, most: u32) -> Result<(), Ended> {
        if number >= most {
            return Err(malformed(format!("request {number}, where {most} may be in flight")));
        }
        let place = number as usize;
        if place >= self.slots.len() {
            self.slots.resize_with(place + 1, Slot::default);
        }
        if !matches!(self.slots[place], Slot::Free) {
            return Err(malformed(format!("request {number} twice")));
        }
        self.slots[place] = Slot::Running;
        self.running += 1;
        Ok(())
    }

    /// It has its answer.
    pub fn finish(&mut self, number: u32) {
        self.slots[number as usize] = Slot::Free;
        self.running -= 1;
    }

    /// The other side no longer wants an answer. One that has been sent already was under way.
    pub fn cancel(&mut self, number: u32) {
        let Some(slot) = self.slots.get_mut(number as usize) else { return };
        if let Slot::Running | Slot::Watched(_) = slot
            && let Slot::Watched(waker) = std::mem::replace(slot, Slot::Cancelled)
        {
            waker.wake();
        }
    }

    /// The partner wants no answer any more.
    pub fn cancel_all(&mut self) {
        (0..self.slots.len() as u32).for_each(|number| self.cancel(number));
    }

    /// Returns true if requests are being answered.
    pub fn is_open(&self) -> bool {
        self.running > 0
    }

    /// Returns true if the other side no longer wants an answer.
    pub fn is_cancelled(&self, number: u32) -> bool {
        matches!(self.slots[number as usize], Slot::Cancelled)
    }

    /// Waits until the other side no longer wants an answer.
    pub fn poll_cancelled(&mut self, number: u32, waker: &Waker) -> Poll<()> {
        let slot = &mut self.slots[number as usize];
        if let Slot::Cancelled = slot {
            return Poll::Ready(());
        }
        *slot = Slot::Watched(waker.clone());
        Poll::Pending
    }
}

/// The link of requests that wait for their answers.
pub(crate) trait Answering {
    /// Sends the answer to a request.
    fn answer(&self, conversation: u32, flags: u8, body: &[u8]);

    /// The requests that are being answered.
    fn serving(&self) -> &RefCell<Serving>;
}

/// A request that waits for its answer. Dropped without one, the asker hears that.
pub struct Asked {
    link: Rc<dyn Answering>,
    conversation: u32,
    answered: bool,
}

impl Asked {
    pub(crate) fn new(link: Rc<dyn Answering>, conversation: u32) -> Self {
        Self { link, conversation, answered: false }
    }

    /// Answers it.
    pub fn reply(mut self, body: &[u8]) {
        self.answer(0, body);
    }

    /// Says why there is no answer.
    pub fn fail(mut self, why: &str) {
        self.answer(FAILED, reason(why).as_bytes());
    }

    fn answer(&mut self, flags: u8, body: &[u8]) {
        self.answered = true;
        self.link.answer(self.conversation, flags, body);
    }

    /// Waits until the other side no longer wants an answer, or is gone. An answer is to be given even then.
    pub async fn cancelled(&self) {
        let serving = self.link.serving();
        poll_fn(|context| serving.borrow_mut().poll_cancelled(self.conversation, context.waker())).await;
    }

    /// Returns true if the other side no longer wants an answer.
    pub fn is_cancelled(&self) -> bool {
        self.link.serving().borrow().is_cancelled(self.conversation)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.answered {
            self.answer(FAILED, b"the request was dropped");
        }
    }
}
