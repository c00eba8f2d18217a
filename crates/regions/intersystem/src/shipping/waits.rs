//! The kinds of waits at links.

use kernel::meters::Figure;
use kernel::task::{Task, WaitKind};
use kernel::waits::{BroughtKind, Row, WaitsFor};

use crate::partner::Sort;

/// The abend of a task that is purged there.
const PURGED: &str = "AKCS";

/// An answer of a partner on this machine.
static ANSWER: BroughtKind = BroughtKind::new(Row {
    name: "link",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Event,
});

/// A session to a partner on this machine.
static SESSION: BroughtKind = BroughtKind::new(Row {
    name: "link-session",
    resource_type: "ALLOCATE",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// An answer of a partner on another machine.
static ANSWER_ELSEWHERE: BroughtKind = BroughtKind::new(Row {
    name: "ipconn",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Event,
});

/// A session to a partner on another machine.
static SESSION_ELSEWHERE: BroughtKind = BroughtKind::new(Row {
    name: "ipconn-session",
    resource_type: "ALLOCATE",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// The wait for an answer of a partner.
pub(crate) fn answer(of: Sort) -> WaitKind {
    match of {
        Sort::Connection => ANSWER.kind(),
        Sort::Ipconn => ANSWER_ELSEWHERE.kind(),
    }
}

/// The wait for a session to a partner.
pub(crate) fn session(of: Sort) -> WaitKind {
    match of {
        Sort::Connection => SESSION.kind(),
        Sort::Ipconn => SESSION_ELSEWHERE.kind(),
    }
}

/// Counts that a task asks for a session, if that is one of an IPCONN.
pub(crate) fn allocates(task: &Task, of: Sort) {
    if of == Sort::Ipconn {
        task.adds(Figure::IpconnAllocates, 1);
    }
}

/// The next request of the region for which a mirror works.
pub(crate) static REQUEST: BroughtKind = BroughtKind::new(Row {
    name: "link-request",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Somebody,
});

/// The request by which that region ends the unit of work.
pub(crate) static SYNCPOINT: BroughtKind = BroughtKind::new(Row {
    name: "link-syncpoint",
    resource_type: "IRLINK",
    purge_abend: PURGED,
    waits_for: WaitsFor::Somebody,
});

/// All of them.
pub(crate) static ALL: [&BroughtKind; 6] =
    [&ANSWER, &SESSION, &REQUEST, &SYNCPOINT, &ANSWER_ELSEWHERE, &SESSION_ELSEWHERE];
