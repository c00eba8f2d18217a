//! The resource types of this crate: a row for each.

use spec::cmd;

use super::{
    association, dsname, file, health, journal, monitor, profile, program, region, reqid, statistics, task,
    td_queue, terminal, tranclass, transaction, ts_model, ts_queue, uow, uow_enq, uow_failure, uow_link,
};
use domains::{documents, enqueue, files, journals, temporary_storage, transient_data};
use kernel::registry::Kind;

/// The resource types of this crate.
pub static KINDS: &[&Kind] = &[
    &Kind {
        name: "ASSOCIATION",
        table: &association::TASKS,
        inquire: cmd::INQUIRE_ASSOCIATION,
        set: None,
        defined: None,
    },
    &Kind {
        name: "DOCTEMPLATE",
        table: &documents::definition::TEMPLATES,
        inquire: cmd::INQUIRE_DOCTEMPLATE,
        set: None,
        defined: Some(&documents::definition::DEFINED),
    },
    &Kind {
        name: "DSNAME",
        table: &dsname::DATA_SETS,
        inquire: cmd::INQUIRE_DSNAME,
        set: Some(cmd::SET_DSNAME),
        defined: None,
    },
    &Kind {
        name: "ENQMODEL",
        table: &enqueue::definition::MODELS,
        inquire: cmd::INQUIRE_ENQMODEL,
        set: Some(cmd::SET_ENQMODEL),
        defined: Some(&enqueue::definition::DEFINED),
    },
    &Kind {
        name: "FILE",
        table: &file::FILES,
        inquire: cmd::INQUIRE_FILE,
        set: Some(cmd::SET_FILE),
        defined: Some(&files::definition::DEFINED),
    },
    &Kind {
        name: "JOURNALMODEL",
        table: &journal::MODELS,
        inquire: cmd::INQUIRE_JOURNALMODEL,
        set: None,
        defined: Some(&journals::definition::DEFINED),
    },
    &Kind {
        name: "JOURNALNAME",
        table: &journal::JOURNALS,
        inquire: cmd::INQUIRE_JOURNALNAME,
        set: Some(cmd::SET_JOURNALNAME),
        defined: None,
    },
    &Kind {
        name: "MONITOR",
        table: &monitor::MONITOR,
        inquire: cmd::INQUIRE_MONITOR,
        set: Some(cmd::SET_MONITOR),
        defined: None,
    },
    &Kind {
        name: "PROFILE",
        table: &profile::PROFILES,
        inquire: cmd::INQUIRE_PROFILE,
        set: None,
        defined: Some(&profile::DEFINED),
    },
    &Kind {
        name: "PROGRAM",
        table: &program::PROGRAMS,
        inquire: cmd::INQUIRE_PROGRAM,
        set: Some(cmd::SET_PROGRAM),
        defined: Some(&program::definition::DEFINED),
    },
    &Kind { name: "REQID", table: &reqid::REQUESTS, inquire: cmd::INQUIRE_REQID, set: None, defined: None },
    &Kind {
        name: "STATISTICS",
        table: &statistics::STATISTICS,
        inquire: cmd::INQUIRE_STATISTICS,
        set: Some(cmd::SET_STATISTICS),
        defined: None,
    },
    &Kind {
        name: "SYSTEM",
        table: &region::SYSTEM,
        inquire: cmd::INQUIRE_SYSTEM,
        set: Some(cmd::SET_SYSTEM),
        defined: None,
    },
    &Kind {
        name: "TASK",
        table: &task::TASKS,
        inquire: cmd::INQUIRE_TASK,
        set: Some(cmd::SET_TASK),
        defined: None,
    },
    &Kind {
        name: "TDQUEUE",
        table: &td_queue::QUEUES,
        inquire: cmd::INQUIRE_TDQUEUE,
        set: Some(cmd::SET_TDQUEUE),
        defined: Some(&transient_data::definition::DEFINED),
    },
    &Kind {
        name: "TERMINAL",
        table: &terminal::TERMINALS,
        inquire: cmd::INQUIRE_TERMINAL,
        set: Some(cmd::SET_TERMINAL),
        defined: Some(&terminal::definition::DEFINED),
    },
    &Kind {
        name: "TRANCLASS",
        table: &tranclass::CLASSES,
        inquire: cmd::INQUIRE_TRANCLASS,
        set: Some(cmd::SET_TRANCLASS),
        defined: Some(&tranclass::definition::DEFINED),
    },
    &Kind {
        name: "TRANSACTION",
        table: &transaction::TRANSACTIONS,
        inquire: cmd::INQUIRE_TRANSACTION,
        set: Some(cmd::SET_TRANSACTION),
        defined: Some(&transaction::definition::DEFINED),
    },
    &Kind {
        name: "TSMODEL",
        table: &ts_model::MODELS,
        inquire: cmd::INQUIRE_TSMODEL,
        set: None,
        defined: Some(&temporary_storage::definition::DEFINED),
    },
    &Kind {
        name: "TSQNAME",
        table: &ts_queue::NAMED,
        inquire: cmd::INQUIRE_TSQNAME,
        set: Some(cmd::SET_TSQNAME),
        defined: None,
    },
    &Kind {
        name: "UOW",
        table: &uow::ByDigits,
        inquire: cmd::INQUIRE_UOW,
        set: Some(cmd::SET_UOW),
        defined: None,
    },
    &Kind {
        name: "UOWDSNFAIL",
        table: &uow_failure::FAILURES,
        inquire: cmd::INQUIRE_UOWDSNFAIL,
        set: None,
        defined: None,
    },
    &Kind {
        name: "UOWENQ",
        table: &uow_enq::ENQUEUES,
        inquire: cmd::INQUIRE_UOWENQ,
        set: None,
        defined: None,
    },
    &Kind {
        name: "UOWLINK",
        table: &uow_link::LINKS,
        inquire: cmd::INQUIRE_UOWLINK,
        set: Some(cmd::SET_UOWLINK),
        defined: None,
    },
    &Kind {
        name: "WLMHEALTH",
        table: &health::HEALTH,
        inquire: cmd::INQUIRE_WLMHEALTH,
        set: Some(cmd::SET_WLMHEALTH),
        defined: None,
    },
];
