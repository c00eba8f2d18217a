//! The moment at which a request is sent.

use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Waits until it is polled by a caller that waits. A trial, which polls once to see whether an answer is there, sends nothing:
/// the request would be sent twice.
pub(super) async fn caller_waits() {
    // That waker has no data; its table of functions may be there more than once.
    poll_fn(|context| match context.waker().data() == Waker::noop().data() {
        true => Poll::Pending,
        false => Poll::Ready(()),
    })
    .await;
}

/// Lets the other tasks that are ready on this thread have their turn.
pub(super) async fn give_way() {
    let mut given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
