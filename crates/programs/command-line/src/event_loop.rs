//! One thread that waits for sockets and clocks.

use std::time::Duration;

use diagnostics::Diagnostic;
use tokio::runtime::{Builder, LocalOptions};

use crate::codes;
use crate::messages::Messages;

/// For what runs beside it, such as a compiler, when the work has ended.
const BESIDE: Duration = Duration::from_secs(5);

/// Runs a piece of work to its end on an event loop of this thread. What it has begun beside it has a little time to end, too.
pub fn run<T>(work: impl Future<Output = Result<T, Messages>>) -> Result<T, Messages> {
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
    let not_started = |error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("the event loop cannot be started: {error}"))]
    };
    let runtime = runtime.map_err(not_started)?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(BESIDE);
    done
}
