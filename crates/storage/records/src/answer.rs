//! An answer that is usually there already.
//!
//! Nearly every call of an engine has its data in memory and must not pay for a future on the heap; the few that wait
//! (for a lock, for the log, for another machine) do. [`Answer`] is a future that is one or the other, and unlike
//! `async fn` it keeps the traits of this crate usable as `dyn`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A value that is ready, or a future that will bring it.
pub enum Answer<'a, T> {
    /// The value; taken by the first poll.
    Ready(Option<T>),
    /// Something must be waited for. Dropping it gives the wait up and leaves nothing behind.
    Later(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

impl<'a, T> Answer<'a, T> {
    /// An answer that is there.
    pub fn ready(value: T) -> Self {
        Self::Ready(Some(value))
    }

    /// An answer that comes when the future ends.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }
}

impl<T> Answer<'_, T> {
    /// The value, if it is there: what spares a future.
    pub fn now(self) -> Result<T, Self> {
        match self {
            Self::Ready(Some(value)) => Ok(value),
            later => Err(later),
        }
    }
}

impl<T: Unpin> Future for Answer<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match &mut *self {
            Self::Ready(value) => match value.take() {
                Some(value) => Poll::Ready(value),
                // Polled after its end, which no `.await` does: there is nothing more to come.
                None => Poll::Pending,
            },
            Self::Later(future) => future.as_mut().poll(context),
        }
    }
}
