//! The signals that ask a command to end.

use std::fs::File;

use diagnostics::Diagnostic;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::codes;
use crate::messages::Messages;

/// Added to a signal's number, this is the exit status of what the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// The signals that end a process in order: Ctrl-C, those of service managers, and the end of the session in which it
/// was started.
pub struct Ends {
    interrupt: Signal,
    terminate: Signal,
    /// Present if there is a terminal that could hang up: else SIGHUP has a meaning of its own.
    hang_up: Option<Signal>,
}

/// The terminal of the session that a process was started in.
const TERMINAL: &str = "/dev/tty";

/// Returns true if the process has a terminal that could hang up.
pub fn has_terminal() -> bool {
    File::open(TERMINAL).is_ok()
}

impl Ends {
    /// Listens from now on.
    pub fn new() -> Result<Self, Messages> {
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: has_terminal().then(|| listen(SignalKind::hangup())).transpose()?,
        })
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
            () = hung_up(&mut self.hang_up) => SignalKind::hangup(),
        };
        ENDED_BY_SIGNAL + kind.as_raw_value()
    }
}

async fn hung_up(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Listens for a signal from now on.
pub fn listen(kind: SignalKind) -> Result<Signal, Messages> {
    signal(kind).map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("signals cannot be waited for: {error}"))]
    })
}
