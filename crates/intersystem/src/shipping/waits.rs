//! The kinds of waits at links.

use kernel::waits::{BroughtKind, Row, WaitsFor};

/// The abend of a task that is purged there.
const PURGED: &str = "AKCS";

/// A partner's answer.
pub(crate) static ANSWER: BroughtKind = BroughtKind::new(Row {
    name: "link",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Event,
});

/// A session.
pub(crate) static SESSION: BroughtKind = BroughtKind::new(Row {
    name: "link-session",
    resource_type: "ALLOCATE",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// The next request of the region for which a mirror works.
pub(crate) static REQUEST: BroughtKind = BroughtKind::new(Row {
    name: "link-request",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Somebody,
});

/// All of them.
pub(crate) static ALL: [&BroughtKind; 3] = [&ANSWER, &SESSION, &REQUEST];
