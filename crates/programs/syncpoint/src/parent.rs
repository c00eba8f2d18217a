//! The process that has started this one: without it this one ends, too.

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// Ends this process in order, by SIGTERM, as soon as the process of this number has ended.
pub(crate) fn ends_with(parent: Option<u32>) {
    let Some(parent) = parent else { return };
    let is_known = set_parent_process_death_signal(Some(Signal::TERM)).is_ok();
    let present = getppid().and_then(|process| u32::try_from(process.as_raw_nonzero().get()).ok());
    // It may have ended before the signal was asked for.
    if !is_known || present != Some(parent) {
        std::process::exit(1);
    }
}
