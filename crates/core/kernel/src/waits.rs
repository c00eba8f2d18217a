//! Kinds of waits of tasks: a row for each.
//!
//! The kinds of this crate are [`OWN`]. A domain, of a crate above as well, brings another as a [`BroughtKind`] of its row in
//! the catalogue. A kind is its place: counts by kind are arrays.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::WAIT_KINDS_MAX;
use crate::name::Name16;

/// Kind of a task's wait: shown by INQUIRE TASK, and the abend if it is purged there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitKind(u8);

/// Parties that end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// A client who may never come: a user at a terminal, the next client or message of a door. A region that ends
    /// does not wait for them.
    Somebody,
    /// Others, for what they hold or do within the region or at the end of a unit of work: it should be short.
    Others,
    /// An event that may be far away.
    Event,
}

/// Knowledge of a kind of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name by which the records of monitoring mean it.
    pub name: &'static str,
    /// The resource type that INQUIRE TASK SUSPENDTYPE shows.
    pub resource_type: &'static str,
    /// The abend of a task that is purged there.
    pub purge_abend: &'static str,
    /// Party that ends it.
    pub waits_for: WaitsFor,
}

/// The abend of a task that is purged at a wait.
const PURGED: &str = "AKCS";
/// The same at a terminal.
const PURGED_AT_TERMINAL: &str = "AKCT";
/// The same at a file.
const PURGED_AT_FILE: &str = "AFCY";

impl WaitKind {
    /// Input from its terminal.
    pub const TERMINAL: Self = Self(0);
    /// DELAY, RETRIEVE WAIT: interval control.
    pub const INTERVAL: Self = Self(1);
    /// An enqueue.
    pub const ENQUEUE: Self = Self(2);
    /// A record lock of a file in RLS mode.
    pub const RECORD_LOCK: Self = Self(3);
    /// A record lock of any other file.
    pub const RECORD_ENQUEUE: Self = Self(4);
    /// A file request.
    pub const FILE: Self = Self(5);
    /// The system log.
    pub const LOG: Self = Self(6);
    /// Participants, at the end of a unit of work.
    pub const PARTICIPANT: Self = Self(7);
    /// A queue of temporary storage.
    pub const TEMPORARY_STORAGE: Self = Self(8);
    /// A queue of transient data.
    pub const TRANSIENT_DATA: Self = Self(9);
    /// WAIT EVENT, WAITCICS.
    pub const EVENT: Self = Self(10);
    /// WAIT EXTERNAL.
    pub const EXTERNAL: Self = Self(11);
    /// A program to be translated and loaded.
    pub const PROGRAM: Self = Self(12);
    /// A program on another TCB.
    pub const TCB: Self = Self(13);
    /// A child task.
    pub const CHILD: Self = Self(14);
    /// A named counter.
    pub const COUNTER: Self = Self(15);
    /// Work that may come through a socket: ACCEPT, SELECT.
    pub const SOCKET_WORK: Self = Self(16);
    /// A peer: what it sends, or room for what is sent to it.
    pub const SOCKET: Self = Self(17);
    /// Storage, of which the region is short.
    pub const STORAGE: Self = Self(18);
    /// Nothing: it lets others go first.
    pub const GAVE_UP: Self = Self(19);
    /// The debugger of its programs.
    pub const DEBUGGER: Self = Self(20);
    /// The record server: a record, or a lock of one.
    pub const RECORD_SERVER: Self = Self(21);

    /// Its place where something is counted by kind: below [`WAIT_KINDS_MAX`].
    #[inline]
    pub fn place(self) -> usize {
        self.0.into()
    }

    /// Row of the kind.
    pub fn row(self) -> Row {
        match OWN.get(self.place()) {
            Some(row) => *row,
            None => BROUGHT[self.place() - OWN.len()].get().copied().unwrap_or(OWN[Self::GAVE_UP.place()]),
        }
    }

    /// All that there are, in the order of their places.
    pub fn all() -> impl Iterator<Item = Self> {
        let brought = BROUGHT.iter().take_while(|row| row.get().is_some()).count();
        (0..OWN.len() + brought).map(|place| Self(place as u8))
    }

    /// Returns true if it is for storage, a queue or a record: what should be there. Records of the exception class tell
    /// such waits one by one.
    pub fn is_exception(self) -> bool {
        const EXCEPTIONS: [WaitKind; 5] = [
            WaitKind::STORAGE,
            WaitKind::TEMPORARY_STORAGE,
            WaitKind::TRANSIENT_DATA,
            WaitKind::RECORD_LOCK,
            WaitKind::RECORD_ENQUEUE,
        ];
        EXCEPTIONS.contains(&self)
    }

    /// Returns true if it is for a client who may never come.
    pub fn is_for_somebody(self) -> bool {
        self.row().waits_for == WaitsFor::Somebody
    }
}

/// The kinds of this crate: the place of each is its number.
const OWN: [Row; 22] = [
    Row {
        name: "terminal",
        resource_type: "ZCIOWAIT",
        purge_abend: PURGED_AT_TERMINAL,
        waits_for: WaitsFor::Somebody,
    },
    Row { name: "interval", resource_type: "ICWAIT", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "enqueue", resource_type: "ENQUEUE", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row {
        name: "record-lock",
        resource_type: "FCRVWAIT",
        purge_abend: PURGED_AT_FILE,
        waits_for: WaitsFor::Others,
    },
    Row {
        name: "record-enqueue",
        resource_type: "ENQUEUE",
        purge_abend: PURGED_AT_FILE,
        waits_for: WaitsFor::Others,
    },
    Row { name: "file", resource_type: "FCIOWAIT", purge_abend: PURGED_AT_FILE, waits_for: WaitsFor::Others },
    Row { name: "log", resource_type: "LGFORCE", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row { name: "participant", resource_type: "RMCLIENT", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row {
        name: "temporary-storage",
        resource_type: "TSSHARED",
        purge_abend: PURGED,
        waits_for: WaitsFor::Others,
    },
    Row {
        name: "transient-data",
        resource_type: "TDEPLOCK",
        purge_abend: PURGED,
        waits_for: WaitsFor::Others,
    },
    Row { name: "event", resource_type: "USERWAIT", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "external", resource_type: "USERWAIT", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "program", resource_type: "PROGRAM", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row { name: "tcb", resource_type: "DISPATCH", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row { name: "child", resource_type: "AS_FETCH", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "counter", resource_type: "NC_COUNT", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row { name: "socket-work", resource_type: "SOCKET", purge_abend: PURGED, waits_for: WaitsFor::Somebody },
    Row { name: "socket", resource_type: "SOCKET", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "storage", resource_type: "EUDSA", purge_abend: PURGED, waits_for: WaitsFor::Others },
    Row { name: "gave-up", resource_type: "KCCOMPAT", purge_abend: PURGED, waits_for: WaitsFor::Event },
    Row { name: "debugger", resource_type: "DEBUGGER", purge_abend: PURGED, waits_for: WaitsFor::Somebody },
    Row {
        name: "record-server",
        resource_type: "FCRVWAIT",
        purge_abend: PURGED_AT_FILE,
        waits_for: WaitsFor::Others,
    },
];

/// Those that others have brought.
static BROUGHT: [OnceLock<Row>; WAIT_KINDS_MAX - OWN.len()] =
    [const { OnceLock::new() }; WAIT_KINDS_MAX - OWN.len()];

/// A kind of waits that a domain brings: a constant of the domain, which its row in the catalogue names.
pub struct BroughtKind {
    row: Row,
    kind: OnceLock<WaitKind>,
}

impl BroughtKind {
    /// A kind that has no place yet.
    pub const fn new(row: Row) -> Self {
        Self { row, kind: OnceLock::new() }
    }

    /// The kind, which has its place from the first time on.
    ///
    /// # Panics
    /// If there are too many.
    pub fn kind(&self) -> WaitKind {
        static PLACES: AtomicUsize = AtomicUsize::new(0);
        *self.kind.get_or_init(|| {
            let place = PLACES.fetch_add(1, Ordering::Relaxed);
            let own =
                BROUGHT.get(place).unwrap_or_else(|| panic!("no place for waits of kind {}", self.row.name));
            own.get_or_init(|| self.row);
            WaitKind((OWN.len() + place) as u8)
        })
    }
}

/// Present wait of a task, and the number of its waits.
#[derive(Clone, Copy, Debug)]
pub struct Suspension {
    /// The kind; `None`: nothing that has a name.
    pub kind: Option<WaitKind>,
    /// The name that the program gave; blank: none.
    pub name: Name16,
    /// Waits so far, this one counted.
    pub serial: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_others_bring_has_a_place_of_its_own() {
        const ROW: Row =
            Row { name: "peer", resource_type: "PEER", purge_abend: PURGED, waits_for: WaitsFor::Somebody };
        static PEER: BroughtKind = BroughtKind::new(ROW);
        let kind = PEER.kind();
        assert_eq!(PEER.kind(), kind);
        assert!(kind.place() >= OWN.len() && kind.is_for_somebody());
        assert_eq!(kind.row(), ROW);
        assert!(WaitKind::all().any(|known| known == kind));
    }

    #[test]
    fn a_kind_stands_at_its_place() {
        assert_eq!(WaitKind::TERMINAL.row().name, "terminal");
        assert_eq!(WaitKind::GAVE_UP.row().name, "gave-up");
        assert!(WaitKind::all().enumerate().all(|(place, kind)| kind.place() == place));
    }
}
