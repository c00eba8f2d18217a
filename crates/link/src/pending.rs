//! Requests whose replies are still to come, by their conversations.

use std::task::{Poll, Waker};

use crate::ended::{Ended, NoReply, malformed};
use crate::sessions::Session;

/// A reply, or why there is none.
pub(crate) type Reply = Result<Vec<u8>, NoReply>;

/// The turn of requests that follow one another.
pub type Turn = tokio::sync::OwnedMutexGuard<()>;

/// Everything that a request has until its reply is there, even if nobody wants that any more.
pub(crate) struct Held {
    #[expect(dead_code, reason = "it is given back with the place")]
    pub session: Session,
    #[expect(dead_code, reason = "it is over with the place")]
    pub turn: Option<Turn>,
}

enum Slot {
    /// Nobody's; the next one that is free.
    Free(Option<u32>),
    /// Somebody waits, in a session.
    Waiting(Option<Waker>, Held),
    /// The reply is here. The session is in use until it has been taken: so no number is larger than there are sessions.
    Here(Reply, Held),
    /// Nobody wants the reply any more. The number is not given to another request before it has come.
    Abandoned(#[expect(dead_code, reason = "it is given back with the place")] Held),
}

/// The requests of one link.
#[derive(Default)]
pub(crate) struct Pending {
    slots: Vec<Slot>,
    free: Option<u32>,
    /// Those without a reply.
    open: usize,
}

impl Pending {
    /// A new request: its conversation.
    pub fn begin(&mut self, held: Held) -> u32 {
        let slot = Slot::Waiting(None, held);
        self.open += 1;
        match self.free {
            Some(number) => {
                let place = &mut self.slots[number as usize];
                let Slot::Free(next) = std::mem::replace(place, slot) else { unreachable!("it was free") };
                self.free = next;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        }
    }

    fn release(&mut self, number: u32) {
        self.slots[number as usize] = Slot::Free(self.free.replace(number));
    }

    /// Returns true if requests have no reply yet.
    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// A reply has come.
    pub fn complete(&mut self, number: u32, reply: Reply) -> Result<(), Ended> {
        let unasked = || malformed(format!("a reply to request {number}, which nobody has asked"));
        let slot = self.slots.get_mut(number as usize).ok_or_else(unasked)?;
        match std::mem::replace(slot, Slot::Free(None)) {
            Slot::Waiting(waker, held) => {
                *slot = Slot::Here(reply, held);
                waker.into_iter().for_each(Waker::wake);
            }
            Slot::Abandoned(_) => self.release(number),
            other @ (Slot::Free(_) | Slot::Here(..)) => {
                *slot = other;
                return Err(unasked());
            }
        }
        self.open -= 1;
        Ok(())
    }

    /// Returns true if the request may still have a reply.
    pub fn expects(&self, number: u32) -> bool {
        matches!(self.slots.get(number as usize), Some(Slot::Waiting(..) | Slot::Abandoned(_)))
    }

    /// Takes the reply, or has the waker called when it comes.
    pub fn poll(&mut self, number: u32, waker: &Waker) -> Poll<Reply> {
        match &mut self.slots[number as usize] {
            Slot::Waiting(waiting, _) => {
                match waiting {
                    Some(known) => known.clone_from(waker),
                    None => *waiting = Some(waker.clone()),
                }
                Poll::Pending
            }
            slot @ Slot::Here(..) => {
                let Slot::Here(reply, _held) = std::mem::replace(slot, Slot::Free(None)) else {
                    unreachable!()
                };
                self.release(number);
                Poll::Ready(reply)
            }
            Slot::Free(_) | Slot::Abandoned(_) => unreachable!("somebody waits for it"),
        }
    }

    /// Nobody wants the reply any more. Returns true if it has not come: the other side is to be told.
    pub fn abandon(&mut self, number: u32) -> bool {
        let slot = &mut self.slots[number as usize];
        match std::mem::replace(slot, Slot::Free(None)) {
            Slot::Waiting(_, held) => {
                *slot = Slot::Abandoned(held);
                true
            }
            Slot::Here(..) => {
                self.release(number);
                false
            }
            other => {
                *slot = other;
                false
            }
        }
    }

    /// The link has ended: everybody hears it.
    pub fn end(&mut self, why: &Ended) {
        let numbers = 0..self.slots.len() as u32;
        for number in numbers.filter(|number| self.expects(*number)).collect::<Vec<_>>() {
            let told = self.complete(number, Err(why.clone().into()));
            debug_assert!(told.is_ok());
        }
    }
}
