//! The signals that mean something to a running region, and those that mean nothing.

use std::ops::RangeInclusive;
use std::sync::Arc;

use command_line::ends::{has_terminal, listen};
use kernel::region::Region;
use kernel::security::rebuild_certificates;
use kernel::terminals::rebuild_security;
use rustix::process::Signal as RawSignal;
use tokio::signal::unix::{SignalKind, signal};

use crate::application::Messages;
use crate::log::Log;

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
    // A handler stays when its listener is gone.
    for meaningless in MEANINGLESS.into_iter().map(RawSignal::as_raw) {
        drop(listen(SignalKind::from_raw(meaningless))?);
    }
    for meaningless in REAL_TIME {
        // A program that watches this one, such as Valgrind, may keep the last of them for itself.
        drop(signal(SignalKind::from_raw(meaningless)).ok());
    }
    Ok(())
}
