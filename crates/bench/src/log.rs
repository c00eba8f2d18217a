//! The region's log: an abend while something is measured is a figure that means nothing, so it is shown.

use std::io::{Write, sink, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::filter::LevelFilter;

/// True while tasks are being purged, which their region reports one by one.
static PURGING: AtomicBool = AtomicBool::new(false);

/// Shows warnings and errors from here on.
pub(crate) fn start() {
    let writer = || -> Box<dyn Write> {
        if PURGING.load(Ordering::Relaxed) { Box::new(sink()) } else { Box::new(stderr()) }
    };
    tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_writer(writer).init();
}

/// Does something that makes tasks abend.
pub(crate) fn quietly(purge: impl FnOnce()) {
    PURGING.store(true, Ordering::Relaxed);
    purge();
    PURGING.store(false, Ordering::Relaxed);
}
