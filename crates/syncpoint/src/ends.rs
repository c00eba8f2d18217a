//! What comes from outside as signals: the wish to stop, and that the log's file has been moved away.

use diagnostics::Diagnostic;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::application::Messages;
use crate::codes;
use crate::log::Log;

/// Added to a signal's number, this is the exit status of what the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// What ends a process in order: Ctrl-C, what service managers send, and the end of the session that it was started in.
pub(crate) struct Ends {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Ends {
    /// Listens from now on.
    pub fn new() -> Result<Self, Messages> {
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
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
            _ = self.hang_up.recv() => SignalKind::hangup(),
        };
        ENDED_BY_SIGNAL + kind.as_raw_value()
    }
}

/// Opens the log's file again at each SIGUSR1. It must be called on an event loop of one thread, as `event_loop` is.
pub(crate) fn reopen_when_asked(log: Log) -> Result<(), Messages> {
    let mut asked = listen(SignalKind::user_defined1())?;
    tokio::task::spawn_local(async move {
        while asked.recv().await.is_some() {
            log.reopen();
        }
    });
    Ok(())
}

fn listen(kind: SignalKind) -> Result<Signal, Messages> {
    signal(kind).map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("signals cannot be waited for: {error}"))]
    })
}
