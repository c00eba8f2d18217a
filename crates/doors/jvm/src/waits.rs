//! Kinds of waits for Java.

use kernel::waits::{BroughtKind, Row, WaitsFor};

/// The abend of a task that is purged there.
const PURGED: &str = "AKCS";

/// Its Java program, which computes in the JVM.
pub(crate) static JAVA: BroughtKind = BroughtKind::new(Row {
    name: "java",
    resource_type: "JAVA",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// One of the threads that THREADLIMIT allows.
pub(crate) static THREAD: BroughtKind = BroughtKind::new(Row {
    name: "java-thread",
    resource_type: "JVMTHRD",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});
