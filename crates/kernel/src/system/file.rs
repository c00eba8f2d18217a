//! INQUIRE FILE, SET FILE.

use std::sync::Arc;

use spec::{cmd, cond, opt};
use vsam::{Integrity, Organization};

use super::inquire::{Key, Resource};
use super::set::{Changes, Given, Set, Setting, Takes};
use crate::exec::value::Value;
use crate::exec::{Answers, Handler, Waiting};
use crate::files::{
    Attributes, EnableStatus, File, FileRecovery, NotChanged, NotOpened, OpenStatus, TableAttributes,
    TableKind, UpdateModel,
};
use crate::name::Name8;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_FILE, Handler::Now(|task, call| FILES.inquire(task, call))),
    (cmd::SET_FILE, Handler::Waits(|task, call| Box::pin(FILES.set(task, call)))),
];

/// RESP2 of FILENOTFOUND: no such file.
pub(super) const NOT_FOUND: i32 = 18;
/// RESP2 of INVREQ: the file is not closed.
const NOT_CLOSED: i32 = 2;
/// RESP2 of INVREQ: the file is neither disabled nor unenabled.
const NOT_DISABLED: i32 = 3;
/// RESP2 of INVREQ: the task that closes or disables it uses it itself.
const IN_USE_HERE: i32 = 21;
/// RESP2 of INVREQ: the data set is quiesced.
const QUIESCED: i32 = 45;
/// RESP2 of IOERR: the file could not be opened.
const NOT_OPENED: i32 = 32;
/// RESP2 of INVREQ for values whose refusal, or whose own number, has no published number here.
const NO_SUCH_VALUE: i32 = 0;
/// Characters of a data set's name.
const DSNAME_LENGTH: usize = 44;

pub(super) static FILES: Resource<Arc<File>> = Resource {
    name: opt::FILE,
    key: Key::Name,
    names: |task| task.region.files.list().iter().map(|f| f.name.as_bytes().to_vec()).collect(),
    find: |task, name| task.region.files.get(Name8::new(name)),
    missing: Raise::Condition(cond::FILENOTFOUND, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, _| Value::Cvda("VSAM")),
        (opt::ADD, |_, f| Value::either(f.attribute(|a| a.access.add), "ADDABLE", "NOTADDABLE")),
        (opt::BASEDSNAME, |_, f| {
            let base = f.opened().map(|d| d.cluster().name.to_string());
            Value::padded(&base.unwrap_or_else(|| f.dataset_name()), DSNAME_LENGTH)
        }),
        (opt::BLOCKKEYLEN, |_, _| Value::Number(0)),
        (opt::BLOCKSIZE, |_, _| Value::Number(0)),
        (opt::BROWSE, |_, f| Value::either(f.attribute(|a| a.access.browse), "BROWSABLE", "NOTBROWSABLE")),
        (opt::CFDTPOOL, |_, f| Value::text(table(f).pool)),
        (opt::DELETE, |_, f| Value::either(f.attribute(|a| a.access.delete), "DELETABLE", "NOTDELETABLE")),
        (opt::DISPOSITION, |_, f| Value::either(f.attribute(|a| a.old), "OLD", "SHARE")),
        (opt::DSNAME, |_, f| Value::padded(&f.dataset_name(), DSNAME_LENGTH)),
        (opt::EMPTYSTATUS, |_, f| Value::either(f.attribute(|a| a.empty_required), "EMPTYREQ", "NOEMPTYREQ")),
        (opt::ENABLESTATUS, |_, f| {
            Value::Cvda(match f.enable_status() {
                (EnableStatus::Enabled, _) => "ENABLED",
                (EnableStatus::Disabled, true) => "DISABLING",
                (EnableStatus::Disabled, false) => "DISABLED",
                (EnableStatus::Unenabled, true) => "UNENABLING",
                (EnableStatus::Unenabled, false) => "UNENABLED",
            })
        }),
        (opt::EXCLUSIVE, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::FWDRECSTATUS, |_, f| {
            let forward = f.attribute(|a| a.recovery) == FileRecovery::Forward;
            Value::either(forward, "FWDRECOVABLE", "NOTFWDRCVBLE")
        }),
        (opt::JOURNALNUM, |_, _| Value::Number(0)),
        (opt::KEYLENGTH, |_, f| {
            let open = f.opened().map(|d| d.key_length() as i64);
            Value::Number(open.unwrap_or_else(|| f.attribute(|a| a.key_length)))
        }),
        (opt::KEYPOSITION, |_, f| {
            Value::Number(f.opened().and_then(|d| d.key_field()).map_or(0, |key| key.offset as i64))
        }),
        (opt::LSRPOOLNUM, |_, f| Value::Number(f.attribute(|a| a.lsr_pool))),
        (opt::MAXNUMRECS, |_, f| Value::Number(table(f).records_max.unwrap_or(0).into())),
        (opt::OBJECT, |_, f| Value::either(f.opened().is_some_and(|d| d.is_path()), "PATH", "BASE")),
        (opt::OPENSTATUS, |_, f| {
            Value::Cvda(match f.open_status() {
                OpenStatus::Open => "OPEN",
                OpenStatus::Closed => "CLOSED",
                OpenStatus::Closing => "CLOSING",
            })
        }),
        (opt::READ, |_, f| Value::either(f.attribute(|a| a.access.read), "READABLE", "NOTREADABLE")),
        (opt::RECORDFORMAT, |_, f| Value::either(f.attribute(|a| a.mode.fixed), "FIXED", "VARIABLE")),
        (opt::RECORDSIZE, |_, f| {
            let open = f.opened().map(|d| d.cluster().maximum as i64);
            Value::Number(open.unwrap_or_else(|| f.attribute(|a| a.record_size)))
        }),
        (opt::RECOVSTATUS, |_, f| Value::either(is_recoverable(f), "RECOVERABLE", "NOTRECOVABLE")),
        (opt::RELTYPE, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::REMOTENAME, |_, _| Value::text([b' '; 8])),
        (opt::REMOTESYSTEM, |_, _| Value::text([b' '; 4])),
        (opt::STRINGS, |_, f| Value::Number(f.attribute(|a| a.strings))),
        (opt::TABLE, |_, f| {
            Value::Cvda(match table(f).kind {
                TableKind::None => "NOTTABLE",
                TableKind::Cics => "CICSTABLE",
                TableKind::User => "USERTABLE",
                // CFTABLE, whose number is not known here.
                TableKind::Coupling => "NOTAPPLIC",
            })
        }),
        (opt::TABLENAME, |_, f| Value::text(table_name(f))),
        (opt::TYPE, |_, f| {
            Value::Cvda(match f.opened().map(|d| d.cluster().organization) {
                Some(Organization::Keyed(_)) => "KSDS",
                Some(Organization::EntrySequenced) => "ESDS",
                Some(Organization::Relative) => "RRDS",
                None => "NOTAPPLIC",
            })
        }),
        (opt::UPDATE, |_, f| Value::either(f.attribute(|a| a.access.update), "UPDATABLE", "NOTUPDATABLE")),
    ],
    // First CLOSED and DISABLED; then what takes a file that is closed and not enabled; then OPEN and ENABLED.
    settings: &[
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
    ],
};

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

/// What the file's definition says of its table.
fn table(file: &File) -> TableAttributes {
    file.attribute(|attributes| attributes.table)
}

/// The name of a coupling-facility data table: the file's if the definition gives none.
fn table_name(file: &File) -> Name8 {
    match table(file) {
        TableAttributes { kind: TableKind::Coupling, name, .. } if name.is_blank() => file.name,
        TableAttributes { name, .. } => name,
    }
}

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

/// Whether changes belong to units of work: as its data set says, or before that is known, its definition.
fn is_recoverable(file: &File) -> bool {
    match file.opened() {
        Some(dataset) => dataset.cluster().recovery == records::Recovery::Recoverable,
        None => file.attribute(|attributes| attributes.recovery) != FileRecovery::None,
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

fn name_data_set(_: &Task, file: &Arc<File>, to: &Given) -> Outcome {
    let Given::Text(name) = to else { return Ok(()) };
    let name = String::from_utf8_lossy(name.trim_ascii_end()).into_owned();
    change(file, |attributes| attributes.dataset = name)
}

fn close<'a>(task: &'a Task, file: &'a Arc<File>, to: &'a Given, others: Changes<'a>) -> Waiting<'a> {
    let close = to.is("CLOSED").then_some(File::close as fn(&File));
    Box::pin(end_use(task, file, close, others))
}

fn disable<'a>(task: &'a Task, file: &'a Arc<File>, to: &'a Given, others: Changes<'a>) -> Waiting<'a> {
    let disable = to.is("DISABLED").then_some(File::disable as fn(&File));
    Box::pin(end_use(task, file, disable, others))
}

/// Closes or disables a file. Unless NOWAIT it waits until the tasks that use it have ended their units of work; FORCE
/// ends those tasks.
async fn end_use(task: &Task, file: &File, end: Option<fn(&File)>, others: Changes<'_>) -> Outcome {
    let Some(end) = end else { return Ok(()) };
    if file.is_used_by(task.number) {
        return Err(cond::INVREQ.raise(IN_USE_HERE));
    }
    end(file);
    let busy = |name| others.iter().any(|(option, given)| *option == opt::BUSY && given.is(name));
    if busy("FORCE") {
        file.purge_users();
    }
    if busy("NOWAIT") { Ok(()) } else { task.wait(WaitKind::File, file.until_unused()).await }
}

fn open<'a>(task: &'a Task, file: &'a Arc<File>, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        if !to.is("OPEN") {
            return Ok(());
        }
        let region = &task.region;
        match task.wait(WaitKind::File, region.files.open(file, region)).await? {
            Ok(_) => Ok(()),
            Err(NotOpened::Quiesced) => Err(cond::INVREQ.raise(QUIESCED)),
            Err(error) => {
                tracing::error!(target: "FC", "file {}: {error}", file.name);
                Err(cond::IOERR.raise(NOT_OPENED))
            }
        }
    })
}

fn enable(_: &Task, file: &Arc<File>, to: &Given) -> Outcome {
    if to.is("ENABLED") {
        file.enable();
    }
    Ok(())
}
