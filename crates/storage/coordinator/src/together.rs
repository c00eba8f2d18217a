//! Several answers, waited for at once.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use records::Answer;

/// Waits for all of them at once.
pub(crate) async fn together<T: Unpin>(mut answers: Vec<Answer<'_, T>>) -> Vec<T> {
    let mut came: Vec<Option<T>> = answers.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (answer, came) in answers.iter_mut().zip(&mut came) {
            if came.is_none()
                && let Poll::Ready(value) = Pin::new(answer).poll(context)
            {
                *came = Some(value);
            }
        }
        if came.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    came.into_iter().flatten().collect()
}
