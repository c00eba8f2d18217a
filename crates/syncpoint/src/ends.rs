//! The wish to stop, as it comes from outside: signals.

use diagnostics::Diagnostic;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::application::Messages;
use crate::codes;

/// Added to a signal's number, this is the exit status of what the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// What ends a process in order: Ctrl-C, and what service managers send.
pub(crate) struct Ends {
    interrupt: Signal,
    terminate: Signal,
}

impl Ends {
    /// Listens from now on.
    pub fn new() -> Result<Self, Messages> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                vec![Diagnostic::error(codes::NO_RUNTIME, format!("signals cannot be waited for: {error}"))]
            })
        };
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Waits for the first signal.
    pub async fn asked(mut self) {
        self.next().await;
    }

    /// Waits for the next signal; the exit status of a process that it ends.
    pub async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        };
        ENDED_BY_SIGNAL + kind.as_raw_value()
    }
}
