//! A value that one side sends once and the other awaits.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

struct State<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// The sending side.
pub(crate) struct Signal<T>(Arc<Mutex<State<T>>>);

/// The awaiting side.
pub(crate) struct Signalled<T>(Arc<Mutex<State<T>>>);

/// Both sides of a new signal.
pub(crate) fn signal<T>() -> (Signal<T>, Signalled<T>) {
    let state = Arc::new(Mutex::new(State { value: None, waker: None }));
    (Signal(state.clone()), Signalled(state))
}

impl<T> Signal<T> {
    /// Sends the value. Nobody need be there to receive it.
    pub(crate) fn send(self, value: T) {
        let waker = {
            let mut state = self.0.lock();
            state.value = Some(value);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Signalled<T> {
    /// Whether the value is there.
    pub(crate) fn is_sent(&self) -> bool {
        self.0.lock().value.is_some()
    }
}

impl<T> Future for Signalled<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = self.0.lock();
        match state.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
