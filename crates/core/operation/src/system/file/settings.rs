//! The changes that SET FILE makes to a file's definition, and the order in which everything is done.

use std::sync::Arc;

use spec::{cond, opt};
use vsam::Integrity;

use super::status::{close, disable, enable, open};
use domains::files::{Attributes, File, NotChanged, TableKind, UpdateModel};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::registry::{Given, Manager, Set, Setting, Takes};

/// RESP2 of INVREQ: the file is not closed.
const NOT_CLOSED: i32 = 2;
/// RESP2 of INVREQ: the file is neither disabled nor unenabled.
const NOT_DISABLED: i32 = 3;
/// RESP2 of INVREQ for values whose refusal, or whose own number, has no published number here.
const NO_SUCH_VALUE: i32 = 0;

/// First CLOSED and DISABLED; then the settings for a file that is closed and not enabled; then OPEN and ENABLED.
pub(super) const SETTINGS: &[Setting<Arc<File>>] = &[
    Setting { set: Set::Among(close), ..OPENSTATUS },
    Setting { set: Set::Among(disable), ..ENABLESTATUS },
    Setting {
        option: opt::BUSY,
        takes: Takes::OneOf(&[("WAIT", opt::WAIT), ("NOWAIT", opt::NOWAIT), ("FORCE", opt::FORCE)]),
        resp2: 6,
        set: Set::No,
    },
    Setting {
        option: opt::ADD,
        takes: Takes::OneOf(&[("ADDABLE", opt::ADDABLE), ("NOTADDABLE", opt::NOTADDABLE)]),
        resp2: 4,
        set: Set::Now(|_, file, to| change(file, |a| a.access.add = to.is("ADDABLE"))),
    },
    Setting {
        option: opt::BROWSE,
        takes: Takes::OneOf(&[("BROWSABLE", opt::BROWSABLE), ("NOTBROWSABLE", opt::NOTBROWSABLE)]),
        resp2: 5,
        set: Set::Now(|_, file, to| change(file, |a| a.access.browse = to.is("BROWSABLE"))),
    },
    Setting {
        option: opt::DELETE,
        takes: Takes::OneOf(&[("DELETABLE", opt::DELETABLE), ("NOTDELETABLE", opt::NOTDELETABLE)]),
        resp2: 7,
        set: Set::Now(|_, file, to| change(file, |a| a.access.delete = to.is("DELETABLE"))),
    },
    Setting {
        option: opt::DISPOSITION,
        takes: Takes::OneOf(&[("OLD", opt::OLD), ("SHARE", opt::SHARE)]),
        resp2: 8,
        set: Set::Now(|_, file, to| change(file, |a| a.old = to.is("OLD"))),
    },
    Setting {
        option: opt::EMPTYSTATUS,
        takes: Takes::OneOf(&[
            ("EMPTYREQ", opt::EMPTYREQ),
            ("EMPTY", opt::EMPTY),
            ("NOEMPTYREQ", opt::NOEMPTYREQ),
        ]),
        resp2: 9,
        set: Set::Now(|_, file, to| change(file, |a| a.empty_required = !to.is("NOEMPTYREQ"))),
    },
    Setting {
        option: opt::LSRPOOLNUM,
        takes: Takes::Number(1..=255),
        resp2: 11,
        set: Set::Now(|_, file, to| change(file, |a| a.lsr_pool = to.number())),
    },
    Setting {
        option: opt::READ,
        takes: Takes::OneOf(&[("READABLE", opt::READABLE), ("NOTREADABLE", opt::NOTREADABLE)]),
        resp2: 12,
        set: Set::Now(|_, file, to| change(file, |a| a.access.read = to.is("READABLE"))),
    },
    Setting {
        option: opt::STRINGS,
        takes: Takes::Number(1..=255),
        resp2: 13,
        set: Set::Now(|_, file, to| change(file, |a| a.strings = to.number())),
    },
    Setting {
        option: opt::UPDATE,
        takes: Takes::OneOf(&[("UPDATABLE", opt::UPDATABLE), ("NOTUPDATABLE", opt::NOTUPDATABLE)]),
        resp2: 14,
        set: Set::Now(|_, file, to| change(file, |a| a.access.update = to.is("UPDATABLE"))),
    },
    Setting {
        option: opt::READINTEG,
        takes: Takes::OneOf(&[
            ("UNCOMMITTED", opt::UNCOMMITTED),
            ("CONSISTENT", opt::CONSISTENT),
            ("REPEATABLE", opt::REPEATABLE),
        ]),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.mode.integrity = integrity(to))),
    },
    Setting {
        option: opt::RLSACCESS,
        takes: Takes::OneOf(&[("RLS", opt::RLS), ("NOTRLS", opt::NOTRLS)]),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.mode.rls = to.is("RLS"))),
    },
    Setting {
        option: opt::TABLE,
        takes: Takes::OneOf(&[
            ("CFTABLE", opt::CFTABLE),
            ("CICSTABLE", opt::CICSTABLE),
            ("NOTTABLE", opt::NOTTABLE),
            ("USERTABLE", opt::USERTABLE),
        ]),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.table.kind = table_kind(to))),
    },
    Setting {
        option: opt::MAXNUMRECS,
        takes: Takes::Number(0..=99_999_999),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.table.records_max = limit(to))),
    },
    Setting {
        option: opt::CFDTPOOL,
        takes: Takes::Text,
        resp2: 0,
        set: Set::Now(|_, file, to| change(file, |a| a.table.pool = name(to))),
    },
    Setting {
        option: opt::TABLENAME,
        takes: Takes::Text,
        resp2: 0,
        set: Set::Now(|_, file, to| change(file, |a| a.table.name = name(to))),
    },
    Setting {
        option: opt::LOADTYPE,
        takes: Takes::OneOf(&[("LOAD", opt::LOAD), ("NOLOAD", opt::NOLOAD)]),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.table.load = to.is("LOAD"))),
    },
    Setting {
        option: opt::UPDATEMODEL,
        takes: Takes::OneOf(&[("CONTENTION", opt::CONTENTION), ("LOCKING", opt::LOCKING)]),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.table.update_model = update_model(to))),
    },
    Setting {
        option: opt::KEYLENGTH,
        takes: Takes::Number(0..=255),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.key_length = to.number())),
    },
    Setting {
        option: opt::RECORDSIZE,
        takes: Takes::Number(0..=32_767),
        resp2: NO_SUCH_VALUE,
        set: Set::Now(|_, file, to| change(file, |a| a.record_size = to.number())),
    },
    Setting { option: opt::DSNAME, takes: Takes::Text, resp2: 0, set: Set::Now(name_data_set) },
    Setting { option: opt::OBJECTNAME, takes: Takes::Text, resp2: 0, set: Set::Now(name_data_set) },
    Setting { set: Set::Waits(open), ..OPENSTATUS },
    Setting { set: Set::Now(enable), ..ENABLESTATUS },
];

const OPENSTATUS: Setting<Arc<File>> = Setting {
    option: opt::OPENSTATUS,
    takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED)]),
    resp2: 16,
    set: Set::No,
};

const ENABLESTATUS: Setting<Arc<File>> = Setting {
    option: opt::ENABLESTATUS,
    takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
    resp2: 17,
    set: Set::No,
};

fn table_kind(to: &Given) -> TableKind {
    if to.is("CFTABLE") {
        TableKind::Coupling
    } else if to.is("CICSTABLE") {
        TableKind::Cics
    } else if to.is("USERTABLE") {
        TableKind::User
    } else {
        TableKind::None
    }
}

fn update_model(to: &Given) -> UpdateModel {
    if to.is("CONTENTION") { UpdateModel::Contention } else { UpdateModel::Locking }
}

/// MAXNUMRECS: 0 is no limit.
fn limit(to: &Given) -> Option<u32> {
    u32::try_from(to.number()).ok().filter(|number| *number > 0)
}

fn name(to: &Given) -> Name8 {
    match to {
        Given::Text(name) => Name8::new(name),
        _ => Name8::BLANK,
    }
}

fn integrity(to: &Given) -> Integrity {
    if to.is("REPEATABLE") {
        Integrity::Repeatable
    } else if to.is("CONSISTENT") {
        Integrity::Consistent
    } else {
        Integrity::Uncommitted
    }
}

fn change(file: &File, change: impl FnOnce(&mut Attributes)) -> Outcome {
    file.change(change).map_err(|why| {
        cond::INVREQ.raise(match why {
            NotChanged::Open => NOT_CLOSED,
            NotChanged::Enabled => NOT_DISABLED,
        })
    })
}

fn name_data_set(_: &Manager, file: &Arc<File>, to: &Given) -> Outcome {
    let Given::Text(name) = to else { return Ok(()) };
    let name = String::from_utf8_lossy(name.trim_ascii_end()).into_owned();
    change(file, |attributes| attributes.dataset = name)
}
