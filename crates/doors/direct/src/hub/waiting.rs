//! An instance that waits for its next message: clients wake the one that has begun to wait last.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::state::Waiter;
use super::{Hub, Next};
use crate::edition::Edition;

/// A wait of an instance for its next message.
pub(crate) struct Waiting {
    pub(super) hub: Arc<Hub>,
    pub(super) lane: usize,
    pub(super) instance: u64,
    pub(super) edition: Arc<Edition>,
    /// It is among those that wait.
    pub(super) waits: bool,
}

impl Future for Waiting {
    type Output = Next;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Next> {
        let hub = Arc::clone(&self.hub);
        let mut state = hub.state.lock();
        if state.is_closed || !self.edition.is_present() {
            return Poll::Ready(Next::Ends);
        }
        if let Some(place) = state.take(self.lane, self.instance) {
            if std::mem::take(&mut self.waits) {
                state.idle.retain(|waiter| waiter.instance != self.instance);
            }
            state.hands_on();
            return Poll::Ready(Next::Message(place));
        }
        if !std::mem::replace(&mut self.waits, true) {
            let waker = context.waker().clone();
            state.idle.push(Waiter { instance: self.instance, lane: self.lane, waker });
        } else if let Some(own) = state.idle.iter_mut().find(|waiter| waiter.instance == self.instance) {
            own.waker.clone_from(context.waker());
        }
        state.hands_on();
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.waits {
            let mut state = self.hub.state.lock();
            state.idle.retain(|waiter| waiter.instance != self.instance);
            state.hands_on();
        }
    }
}
