//! Futures that are tried: polled once where no task can wait, and dropped if they are not ready.
//!
//! A command is tried where its program stands; what it waits for must know that, lest it counts as a wait.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::raise::Outcome;

/// The waker of what is only tried. It is one value for all crates: each of them may have a no-operation waker of its own, and those do
/// not know each other.
static TRIED: &Waker = Waker::noop();

/// Tries a command; `None` if it must wait. Its future is the caller's: it would be copied on its way here.
pub fn try_now(command: Pin<&mut impl Future<Output = Outcome>>) -> Outcome<Option<()>> {
    match command.poll(&mut Context::from_waker(TRIED)) {
        Poll::Ready(outcome) => outcome.map(Some),
        Poll::Pending => Ok(None),
    }
}

/// Returns true if a command is only tried here.
pub fn is_tried(context: &Context<'_>) -> bool {
    context.waker().will_wake(TRIED)
}

/// Never ready where a command is only tried, and at once where it can wait.
pub fn elsewhere() -> impl Future<Output = ()> {
    poll_fn(|context| if is_tried(context) { Poll::Pending } else { Poll::Ready(()) })
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::pin::pin;

    use super::*;
    use crate::raise::Raise;

    #[test]
    fn a_command_that_need_not_wait_is_answered_where_it_is_tried() {
        assert_eq!(try_now(pin!(ready(Ok(())))), Ok(Some(())));
        assert_eq!(try_now(pin!(ready(Err(Raise::abend("AEY9"))))), Err(Raise::abend("AEY9")));
    }

    #[test]
    fn one_that_must_wait_is_asked_again_where_it_can() {
        let command = || async {
            elsewhere().await;
            Ok(())
        };
        assert_eq!(try_now(pin!(command())), Ok(None));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(runtime.block_on(command()), Ok(()));
    }
}
