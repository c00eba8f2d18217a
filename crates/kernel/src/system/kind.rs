//! The resource types of a region: a row for each.

use spec::{CommandId, cmd};

use super::table::Table;
use super::{
    association, dsname, file, journal, monitor, program, region, reqid, statistics, task, td_queue,
    terminal, tranclass, transaction, ts_model, ts_queue, uow, urimap,
};

/// A resource type.
pub struct Kind {
    /// Its name, as INQUIRE has it.
    pub name: &'static str,
    /// What is told and changed.
    pub table: &'static dyn Table,
    /// Its INQUIRE command.
    pub inquire: CommandId,
    /// Its SET command, if it has one.
    pub set: Option<CommandId>,
}

impl Kind {
    /// The type of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}

/// Every resource type that a region has.
pub static KINDS: &[Kind] = &[
    Kind { name: "ASSOCIATION", table: &association::TASKS, inquire: cmd::INQUIRE_ASSOCIATION, set: None },
    Kind {
        name: "DSNAME",
        table: &dsname::DATA_SETS,
        inquire: cmd::INQUIRE_DSNAME,
        set: Some(cmd::SET_DSNAME),
    },
    Kind { name: "FILE", table: &file::FILES, inquire: cmd::INQUIRE_FILE, set: Some(cmd::SET_FILE) },
    Kind { name: "JOURNALMODEL", table: &journal::MODELS, inquire: cmd::INQUIRE_JOURNALMODEL, set: None },
    Kind {
        name: "JOURNALNAME",
        table: &journal::JOURNALS,
        inquire: cmd::INQUIRE_JOURNALNAME,
        set: Some(cmd::SET_JOURNALNAME),
    },
    Kind {
        name: "MONITOR",
        table: &monitor::MONITOR,
        inquire: cmd::INQUIRE_MONITOR,
        set: Some(cmd::SET_MONITOR),
    },
    Kind {
        name: "PROGRAM",
        table: &program::PROGRAMS,
        inquire: cmd::INQUIRE_PROGRAM,
        set: Some(cmd::SET_PROGRAM),
    },
    Kind { name: "REQID", table: &reqid::REQUESTS, inquire: cmd::INQUIRE_REQID, set: None },
    Kind {
        name: "STATISTICS",
        table: &statistics::STATISTICS,
        inquire: cmd::INQUIRE_STATISTICS,
        set: Some(cmd::SET_STATISTICS),
    },
    Kind { name: "SYSTEM", table: &region::SYSTEM, inquire: cmd::INQUIRE_SYSTEM, set: Some(cmd::SET_SYSTEM) },
    Kind { name: "TASK", table: &task::TASKS, inquire: cmd::INQUIRE_TASK, set: Some(cmd::SET_TASK) },
    Kind {
        name: "TDQUEUE",
        table: &td_queue::QUEUES,
        inquire: cmd::INQUIRE_TDQUEUE,
        set: Some(cmd::SET_TDQUEUE),
    },
    Kind {
        name: "TERMINAL",
        table: &terminal::TERMINALS,
        inquire: cmd::INQUIRE_TERMINAL,
        set: Some(cmd::SET_TERMINAL),
    },
    Kind {
        name: "TRANCLASS",
        table: &tranclass::CLASSES,
        inquire: cmd::INQUIRE_TRANCLASS,
        set: Some(cmd::SET_TRANCLASS),
    },
    Kind {
        name: "TRANSACTION",
        table: &transaction::TRANSACTIONS,
        inquire: cmd::INQUIRE_TRANSACTION,
        set: Some(cmd::SET_TRANSACTION),
    },
    Kind { name: "TSMODEL", table: &ts_model::MODELS, inquire: cmd::INQUIRE_TSMODEL, set: None },
    Kind {
        name: "TSQNAME",
        table: &ts_queue::NAMED,
        inquire: cmd::INQUIRE_TSQNAME,
        set: Some(cmd::SET_TSQNAME),
    },
    Kind { name: "UOW", table: &uow::ByDigits, inquire: cmd::INQUIRE_UOW, set: Some(cmd::SET_UOW) },
    Kind { name: "URIMAP", table: &urimap::URIMAPS, inquire: cmd::INQUIRE_URIMAP, set: None },
];
