//! One thread that waits for sockets and clocks.

use diagnostics::Diagnostic;
use tokio::runtime::{Builder, LocalOptions};

use crate::application::Messages;
use crate::codes;

/// Runs a piece of work to its end on an event loop of this thread.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, Messages>>) -> Result<T, Messages> {
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
    let not_started = |error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("the event loop cannot be started: {error}"))]
    };
    runtime.map_err(not_started)?.block_on(work)
}
