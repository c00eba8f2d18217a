//! A wait for a lock, as a future.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use super::{Claim, Locks, Resource};
use crate::{Error, Result};

/// One place in a queue.
pub(super) struct Waiter {
    pub(super) claim: Claim,
    pub(super) resource: Resource,
    /// The second in which the wait has begun.
    pub(super) since: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    outcome: Option<Result<()>>,
    waker: Option<Waker>,
}

impl Waiter {
    pub(super) fn new(claim: Claim, resource: Resource, since: u32) -> Self {
        Self { claim, resource, since, state: Mutex::default() }
    }

    /// Says how the wait ended. Called with the waits in hand, once.
    pub(super) fn settle(&self, outcome: Result<()>) {
        self.state.lock().outcome = Some(outcome);
    }

    /// Wakes the poller. Called without them.
    pub(super) fn wake(&self) {
        let waker = self.state.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The future. Dropped before its end it leaves the queue, or gives back a lock that was granted meanwhile.
pub(super) struct Waiting {
    locks: Arc<Locks>,
    waiter: Arc<Waiter>,
    /// The waiter has seen the outcome: nothing is left to undo.
    seen: bool,
}

impl Waiting {
    pub(super) fn new(locks: Arc<Locks>, waiter: Arc<Waiter>) -> Self {
        Self { locks, waiter, seen: false }
    }

    /// The same wait, ended with [`Error::TimedOut`] if `limit` ends first.
    pub(super) async fn at_most(mut self, limit: Pin<Box<dyn Future<Output = ()> + Send>>) -> Result<()> {
        let mut limit = pin!(limit);
        poll_fn(|context| {
            if let Poll::Ready(outcome) = Pin::new(&mut self).poll(context) {
                return Poll::Ready(outcome);
            }
            if limit.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.locks.table.refuse(self.waiter.claim.owner, Error::TimedOut);
            // It was either refused just now, or granted just before.
            Pin::new(&mut self).poll(context)
        })
        .await
    }
}

impl Future for Waiting {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let outcome = {
            let mut state = self.waiter.state.lock();
            if state.outcome.is_none() {
                state.waker = Some(context.waker().clone());
            }
            state.outcome.clone()
        };
        match outcome {
            Some(outcome) => {
                self.seen = true;
                Poll::Ready(outcome)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.seen {
            return;
        }
        self.locks.table.refuse(self.waiter.claim.owner, Error::Cancelled);
        let granted = matches!(self.waiter.state.lock().outcome, Some(Ok(())));
        if granted {
            let Claim { owner, lifetime } = self.waiter.claim;
            self.locks.release(owner, &self.waiter.resource, lifetime);
        }
    }
}
