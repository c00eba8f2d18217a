//! The machine's resources: processor time used, open files allowed.

use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::time::{ClockId, clock_gettime};

/// Processor time that this process has used.
pub(crate) fn processor_time() -> Duration {
    // Every Linux has this clock.
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// Allows this process as many open files as it needs, if the machine lets it; says how many it may have.
pub(crate) fn allow_open_files(needed: u64) -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return needed;
    };
    let allowed = needed.clamp(soft.min(hard), hard);
    if setrlimit(Resource::RLIMIT_NOFILE, allowed, hard).is_ok() { allowed } else { soft }
}
