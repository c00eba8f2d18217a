//! PERFORM SHUTDOWN, PERFORM SHUTDOWN IMMEDIATE, PERFORM RESETTIME.

use spec::cmd;

use kernel::exec::{Answers, Handler};
use kernel::raise::Outcome;
use kernel::region::Region;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::PERFORM_RESETTIME, Handler::Now(|_, _| reset_told())),
    (cmd::PERFORM_SHUTDOWN, Handler::Now(|task, _| told(&task.region, Shutdown::Normal))),
    (cmd::PERFORM_SHUTDOWN_IMMEDIATE, Handler::Now(|task, _| told(&task.region, Shutdown::Immediate))),
];

fn reset_told() -> Outcome {
    reset_time();
    Ok(())
}

/// The region's date and time become those of the machine: they always are, for nothing of them is kept.
pub(crate) fn reset_time() {
    tracing::info!(target: "AP", "the date and the time of day are those of the machine");
}

/// The way in which a region ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shutdown {
    /// The tasks that run may end by themselves.
    Normal,
    /// They are ended, and their uncommitted changes are backed out; the next start is an emergency restart.
    Immediate,
}

fn told(region: &Region, how: Shutdown) -> Outcome {
    shut_down(region, how);
    Ok(())
}

/// Asks the runner of the region to end it. The task that asks goes on until it ends itself, or is ended.
pub(crate) fn shut_down(region: &Region, how: Shutdown) {
    match how {
        Shutdown::Normal => {
            tracing::info!(target: "DM", "the region shall shut down");
            region.shutdown.notify_one();
        }
        Shutdown::Immediate => {
            tracing::warn!(target: "DM", "the region shall shut down at once");
            region.immediate_shutdown.notify_one();
        }
    }
}
