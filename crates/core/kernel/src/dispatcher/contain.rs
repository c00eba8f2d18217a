//! A mistake of ours stays with the task in which it shows: a panic becomes an abend.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use crate::raise::{Abend, AbendCode};
use crate::task::Task;

/// The abend of a task in which the region's own code has failed.
pub(super) const FAILED: &str = "AEXZ";

/// Text of a panic.
pub(super) struct Panic(String);

impl Panic {
    /// That of a panic.
    pub fn of(said: &(dyn Any + Send)) -> Self {
        let text = said.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| said.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| String::from("it has not said why")))
    }

    /// Tells it in the log: there it is looked for.
    pub fn tell(&self, task: u32, transaction: impl std::fmt::Display) {
        tracing::error!(target: "AP", "task {task} ({transaction}): the region's own code has failed: {}", self.0);
    }

    /// The abend of the task. No exit takes it: what the failed code has left undone is not to be gone on with.
    pub fn abend(&self, task: &Task) -> Abend {
        self.tell(task.number, task.transaction.name);
        Abend { cancel: true, ..Abend::from(AbendCode::from(FAILED)) }
    }
}

/// Does something; a panic in it is its result.
pub(super) fn contained_now<T>(what: impl FnOnce() -> T) -> Result<T, Panic> {
    // What the task has is dropped with it; what it shares is guarded by locks that are let go of on the way.
    catch_unwind(AssertUnwindSafe(what)).map_err(|said| Panic::of(&*said))
}

/// Waits for a future; a panic in it is its result.
///
/// The future is its caller's: an async function keeps a place for what it is given beside the one in which it polls it, and a task
/// that waits would have all that twice.
pub(super) async fn contained<F: Future + ?Sized>(mut future: Pin<&mut F>) -> Result<F::Output, Panic> {
    poll_fn(|context| match contained_now(|| future.as_mut().poll(context)) {
        Ok(Poll::Ready(result)) => Poll::Ready(Ok(result)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_result() {
        fn fails(waits: u8) -> u8 {
            panic!("after {waits} wait")
        }
        let failing = pin!(async {
            tokio::task::yield_now().await;
            fails(1)
        });
        let failed = contained(failing);
        assert_eq!(failed.await.err().map(|Panic(said)| said).as_deref(), Some("after 1 wait"));
        assert!(matches!(contained(pin!(async { 7 })).await, Ok(7)));
    }
}
