//! One thread that waits for sockets and clocks.

use diagnostics::Diagnostic;
use tokio::task::LocalSet;

use crate::application::Messages;
use crate::codes;

/// Runs a piece of work to its end on an event loop of this thread.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, Messages>>) -> Result<T, Messages> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("the event loop cannot be started: {error}"))]
    })?;
    LocalSet::new().block_on(&runtime, work)
}
