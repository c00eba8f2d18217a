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
