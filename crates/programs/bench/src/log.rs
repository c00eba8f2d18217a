//! The region's log: an abend while something is measured is a figure that means nothing, so it is shown.

use std::io::{Write, sink, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::filter::LevelFilter;

/// True during a step whose messages are of no interest here: tasks are purged, a partner is not there yet.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows warnings and errors from here on.
pub(crate) fn start() {
    let writer = || -> Box<dyn Write> {
        if QUIET.load(Ordering::Relaxed) { Box::new(sink()) } else { Box::new(stderr()) }
    };
    tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_writer(writer).init();
}

/// Does something that makes tasks abend, or regions wait for each other.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    QUIET.store(true, Ordering::Relaxed);
    let done = work();
    QUIET.store(false, Ordering::Relaxed);
    done
}
