//! Requests whose replies are still to come, by their conversations.

use std::task::{Poll, Waker};

use crate::ended::{Ended, NoReply, malformed};
use crate::sessions::Session;

/// A reply, or why there is none.
pub(crate) type Reply = Result<Vec<u8>, NoReply>;

/// The turn of requests that follow one another.
pub type Turn = tokio::sync::OwnedMutexGuard<()>;

/// Everything that a request has until its reply is there, even if no task wants that any more.
pub(crate) struct Held {
    #[expect(dead_code, reason = "it is given back with the place")]
    pub session: Session,
    #[expect(dead_code, reason = "it is over with the place")]
    pub turn: Option<Turn>,
}

/// Takes the reply to one request, where it comes.
pub trait Taker {
    /// The reply, or why there is none. It is called on the link's thread, and must not ask anything of the link.
    fn take(self: Box<Self>, reply: Result<Vec<u8>, NoReply>);

    /// Returns true if the reply is wanted.
    fn is_wanted(&self) -> bool;
}

enum Slot {
    /// Free; holds the next one that is free.
    Free(Option<u32>),
    /// A taker waits, in a session.
    Taken(Box<dyn Taker>, Held),
    /// A task waits, in a session.
    Waiting(Option<Waker>, Held),
    /// The reply is here. The session is in use until it has been taken: so no number is larger than there are sessions.
    Here(Reply, Held),
    /// No task wants the reply any more. The number is not given to another request before it has come.
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

    /// A request that was just begun has one who takes its reply.
    pub fn goes_to(&mut self, number: u32, taker: Box<dyn Taker>) {
        let slot = &mut self.slots[number as usize];
        *slot = match std::mem::replace(slot, Slot::Free(None)) {
            Slot::Waiting(_, held) => Slot::Taken(taker, held),
            other => other,
        };
    }

    fn release(&mut self, number: u32) {
        self.slots[number as usize] = Slot::Free(self.free.replace(number));
    }

    /// Returns true if requests have no reply yet.
    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// A reply has come. One who takes it is returned with it, to be called when these requests are no longer borrowed.
    pub fn complete(&mut self, number: u32, reply: Reply) -> Result<Option<Told>, Ended> {
        let unasked = || malformed(format!("a reply to request {number}, which was not sent"));
        let slot = self.slots.get_mut(number as usize).ok_or_else(unasked)?;
        let mut told = None;
        match std::mem::replace(slot, Slot::Free(None)) {
            Slot::Waiting(waker, held) => {
                *slot = Slot::Here(reply, held);
                waker.into_iter().for_each(Waker::wake);
            }
            Slot::Taken(taker, _held) => {
                self.release(number);
                told = Some(Told { taker, reply });
            }
            Slot::Abandoned(_) => self.release(number),
            other @ (Slot::Free(_) | Slot::Here(..)) => {
                *slot = other;
                return Err(unasked());
            }
        }
        self.open -= 1;
        Ok(told)
    }

    /// Returns true if the request may still have a reply.
    pub fn expects(&self, number: u32) -> bool {
        matches!(
            self.slots.get(number as usize),
            Some(Slot::Waiting(..) | Slot::Taken(..) | Slot::Abandoned(_))
        )
    }

    /// The requests with takers that are no longer wanted.
    pub fn unwanted(&self) -> Vec<u32> {
        let is_unwanted = |slot: &Slot| matches!(slot, Slot::Taken(taker, _) if !taker.is_wanted());
        (0..).zip(&self.slots).filter(|(_, slot)| is_unwanted(slot)).map(|(number, _)| number).collect()
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
            Slot::Free(_) | Slot::Taken(..) | Slot::Abandoned(_) => unreachable!("a caller waits for it"),
        }
    }

    /// Abandons a request whose reply is no longer wanted. Returns true if it has not come: the other side is to be told.
    pub fn abandon(&mut self, number: u32) -> bool {
        let slot = &mut self.slots[number as usize];
        match std::mem::replace(slot, Slot::Free(None)) {
            Slot::Waiting(_, held) | Slot::Taken(_, held) => {
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

    /// The link has ended: everybody hears it. Takers are returned, as by [`Self::complete`].
    pub fn end(&mut self, why: &Ended) -> Vec<Told> {
        let numbers: Vec<_> = (0..self.slots.len() as u32).filter(|number| self.expects(*number)).collect();
        let told = numbers.into_iter().map(|number| self.complete(number, Err(why.clone().into())));
        told.filter_map(|told| told.ok().flatten()).collect()
    }
}

/// A reply, and the one who takes it.
pub(crate) struct Told {
    taker: Box<dyn Taker>,
    reply: Reply,
}

impl Told {
    /// Gives it.
    pub fn tell(self) {
        self.taker.take(self.reply);
    }
}
