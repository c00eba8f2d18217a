//! The end of a region that has not started yet.

use std::pin::Pin;

use diagnostics::Diagnostic;

/// Reasons why a region does not run.
#[derive(Debug)]
pub enum NotStarted {
    /// Everything that is wrong, as messages for the user.
    Wrong(Vec<Diagnostic>),
    /// It was to end before it had started.
    Ended,
}

impl From<Vec<Diagnostic>> for NotStarted {
    fn from(messages: Vec<Diagnostic>) -> Self {
        Self::Wrong(messages)
    }
}

/// Does something, unless the region is to end first.
///
/// # Errors
/// It is to end.
pub(crate) async fn unless<T>(
    ends: Pin<&mut impl Future<Output = ()>>,
    work: impl Future<Output = T>,
) -> Result<T, NotStarted> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        () = ends => Err(NotStarted::Ended),
    }
}
