//! The signals from outside: the wish to stop, and the notice that the log's file has been moved away.

use std::fs::File;
use std::ops::RangeInclusive;
use std::sync::Arc;

use diagnostics::Diagnostic;
use kernel::region::Region;
use kernel::security::rebuild_certificates;
use kernel::terminals::rebuild_security;
use rustix::process::Signal as RawSignal;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::application::Messages;
use crate::codes;
use crate::log::Log;

/// Added to a signal's number, this is the exit status of what the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// The signals that end a process in order: Ctrl-C, those of service managers, and the end of the session in which it
/// was started.
pub(crate) struct Ends {
    interrupt: Signal,
    terminate: Signal,
    /// Present if there is a terminal that could hang up: else SIGHUP means [`read_again_when_asked`].
    hang_up: Option<Signal>,
}

/// The terminal of the session that a process was started in.
const TERMINAL: &str = "/dev/tty";

fn has_terminal() -> bool {
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

/// Reads users, profiles and certificates again at each SIGHUP, where no terminal can hang up. It must be called as
/// [`reopen_when_asked`].
pub(crate) fn read_again_when_asked(region: &Arc<Region>) -> Result<(), Messages> {
    if has_terminal() {
        return Ok(());
    }
    let (mut asked, region) = (listen(SignalKind::hangup())?, Arc::downgrade(region));
    tokio::task::spawn_local(async move {
        while asked.recv().await.is_some() {
            let Some(region) = region.upgrade() else { return };
            tracing::info!(target: "XS", "SIGHUP: users, profiles and certificates are read again");
            // What is wrong with them stands in the log.
            let again = move || {
                let _ = rebuild_security(&region);
                rebuild_certificates(&region)
            };
            let _ = tokio::task::spawn_blocking(again).await;
        }
    });
    Ok(())
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

/// Signals that mean nothing to this process, and whose default would end it: strangers and limits of the system send them.
const MEANINGLESS: [RawSignal; 10] = [
    RawSignal::USR1,
    RawSignal::USR2,
    RawSignal::ALARM,
    RawSignal::VTALARM,
    RawSignal::PROF,
    RawSignal::IO,
    RawSignal::POWER,
    RawSignal::STKFLT,
    RawSignal::XCPU,
    RawSignal::XFSZ,
];
/// Signals of real time that the C library leaves to programs.
const REAL_TIME: RangeInclusive<i32> = 34..=64;

/// Lets signals pass that mean nothing to this process, those of real time among them. Programs that this process starts have the
/// defaults.
pub(crate) fn let_signals_pass() -> Result<(), Messages> {
    // A handler stays when nobody listens any more.
    for meaningless in MEANINGLESS.into_iter().map(RawSignal::as_raw) {
        drop(listen(SignalKind::from_raw(meaningless))?);
    }
    for meaningless in REAL_TIME {
        // A program that watches this one, such as Valgrind, may keep the last of them for itself.
        drop(signal(SignalKind::from_raw(meaningless)).ok());
    }
    Ok(())
}

fn listen(kind: SignalKind) -> Result<Signal, Messages> {
    signal(kind).map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("signals cannot be waited for: {error}"))]
    })
}
