//! INQUIRE FILE, SET FILE.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::inquire::{Key, Resource};
use super::set::{Given, Set, Setting, Takes};
use crate::exec::value::Value;
use crate::exec::{Answers, Handler, Waiting};
use crate::files::{Access, EnableStatus, File};
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
/// RESP2 of IOERR: the file could not be opened.
const NOT_OPENED: i32 = 32;
/// RESP2 of INVREQ: the file is open, and its data set cannot be changed.
const IS_OPEN: i32 = 3;

pub(super) static FILES: Resource<Arc<File>> = Resource {
    name: opt::FILE,
    key: Key::Name,
    names: |task| task.region.files.list().iter().map(|f| f.name.as_bytes().to_vec()).collect(),
    find: |task, name| task.region.files.get(Name8::new(name)),
    missing: Raise::Condition(cond::FILENOTFOUND, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, _| Value::Cvda("VSAM")),
        (opt::ADD, |_, f| Value::either(f.access().add, "ADDABLE", "NOTADDABLE")),
        (opt::BROWSE, |_, f| Value::either(f.access().browse, "BROWSABLE", "NOTBROWSABLE")),
        (opt::DELETE, |_, f| Value::either(f.access().delete, "DELETABLE", "NOTDELETABLE")),
        (opt::DISPOSITION, |_, _| Value::Cvda("SHARE")),
        (opt::DSNAME, |_, f| Value::padded(&f.dataset_name(), 44)),
        (opt::ENABLESTATUS, |_, f| {
            Value::Cvda(match f.enable_status() {
                EnableStatus::Enabled => "ENABLED",
                EnableStatus::Disabled => "DISABLED",
                EnableStatus::Unenabled => "UNENABLED",
            })
        }),
        (opt::KEYLENGTH, |_, f| Value::Number(f.opened().map_or(0, |d| d.key_length() as i64))),
        (opt::KEYPOSITION, |_, f| {
            Value::Number(f.opened().and_then(|d| d.key_field()).map_or(0, |key| key.offset as i64))
        }),
        (opt::OBJECT, |_, f| Value::either(f.opened().is_some_and(|d| d.is_path()), "PATH", "BASE")),
        (opt::OPENSTATUS, |_, f| Value::either(f.is_open(), "OPEN", "CLOSED")),
        (opt::READ, |_, f| Value::either(f.access().read, "READABLE", "NOTREADABLE")),
        (opt::RECORDSIZE, |_, f| Value::Number(f.opened().map_or(0, |d| d.cluster().maximum as i64))),
        (opt::REMOTENAME, |_, _| Value::text([b' '; 8])),
        (opt::REMOTESYSTEM, |_, _| Value::text([b' '; 4])),
        (opt::TYPE, |_, f| {
            Value::Cvda(match f.opened().map(|d| d.cluster().organization) {
                Some(vsam::Organization::Keyed(_)) => "KSDS",
                Some(vsam::Organization::EntrySequenced) => "ESDS",
                Some(vsam::Organization::Relative) => "RRDS",
                None => "NOTAPPLIC",
            })
        }),
        (opt::UPDATE, |_, f| Value::either(f.access().update, "UPDATABLE", "NOTUPDATABLE")),
    ],
    // First what programs may do, then the data set, then OPEN or CLOSED, then ENABLED or DISABLED.
    settings: &[
        Setting {
            option: opt::ADD,
            takes: Takes::OneOf(&[("ADDABLE", opt::ADDABLE), ("NOTADDABLE", opt::NOTADDABLE)]),
            resp2: 9,
            set: Set::Now(|_, file, to| allow(file, |access| access.add = to.is("ADDABLE"))),
        },
        Setting {
            option: opt::BROWSE,
            takes: Takes::OneOf(&[("BROWSABLE", opt::BROWSABLE), ("NOTBROWSABLE", opt::NOTBROWSABLE)]),
            resp2: 9,
            set: Set::Now(|_, file, to| allow(file, |access| access.browse = to.is("BROWSABLE"))),
        },
        Setting {
            option: opt::DELETE,
            takes: Takes::OneOf(&[("DELETABLE", opt::DELETABLE), ("NOTDELETABLE", opt::NOTDELETABLE)]),
            resp2: 9,
            set: Set::Now(|_, file, to| allow(file, |access| access.delete = to.is("DELETABLE"))),
        },
        Setting {
            option: opt::READ,
            takes: Takes::OneOf(&[("READABLE", opt::READABLE), ("NOTREADABLE", opt::NOTREADABLE)]),
            resp2: 9,
            set: Set::Now(|_, file, to| allow(file, |access| access.read = to.is("READABLE"))),
        },
        Setting {
            option: opt::UPDATE,
            takes: Takes::OneOf(&[("UPDATABLE", opt::UPDATABLE), ("NOTUPDATABLE", opt::NOTUPDATABLE)]),
            resp2: 9,
            set: Set::Now(|_, file, to| allow(file, |access| access.update = to.is("UPDATABLE"))),
        },
        Setting { option: opt::DSNAME, takes: Takes::Text, resp2: IS_OPEN, set: Set::Now(name_data_set) },
        Setting {
            option: opt::OPENSTATUS,
            takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED)]),
            resp2: 16,
            set: Set::Waits(open_or_close),
        },
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: 7,
            set: Set::Now(|_, file, to| {
                let enabled = to.is("ENABLED");
                file.set_enable_status(if enabled { EnableStatus::Enabled } else { EnableStatus::Disabled });
                Ok(())
            }),
        },
    ],
};

fn allow(file: &File, change: impl FnOnce(&mut Access)) -> Outcome {
    let mut access = file.access();
    change(&mut access);
    file.set_access(access);
    Ok(())
}

fn name_data_set(_: &Task, file: &Arc<File>, to: &Given) -> Outcome {
    let Given::Text(name) = to else { return Ok(()) };
    let name = String::from_utf8_lossy(name.trim_ascii_end()).into_owned();
    if file.set_dataset_name(&name) { Ok(()) } else { Err(cond::INVREQ.raise(IS_OPEN)) }
}

fn open_or_close<'a>(task: &'a Task, file: &'a Arc<File>, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        if to.is("CLOSED") {
            file.close();
            return Ok(());
        }
        match task.wait(WaitKind::File, file.open(&task.region.vsam)).await? {
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::error!(target: "FC", "file {}: {error}", file.name);
                Err(cond::IOERR.raise(NOT_OPENED))
            }
        }
    })
}
