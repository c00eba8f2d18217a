//! Kinds of waits for SQL.

use kernel::waits::{BroughtKind, Row, WaitsFor};

/// The abend of a task that is purged there.
const PURGED: &str = "AKCS";

/// The server's answer to a statement.
pub(crate) static ANSWER: BroughtKind = BroughtKind::new(Row {
    name: "db2",
    resource_type: "DB2",
    purge_abend: PURGED,
    waits_for: WaitsFor::Event,
});

/// One of the threads that DB2CONN and DB2ENTRY allow.
pub(crate) static THREAD: BroughtKind = BroughtKind::new(Row {
    name: "db2-thread",
    resource_type: "CDB2RDYQ",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// A connection to the server.
pub(crate) static CONNECTION: BroughtKind = BroughtKind::new(Row {
    name: "db2-connection",
    resource_type: "CDB2CONN",
    purge_abend: PURGED,
    waits_for: WaitsFor::Event,
});
