//! INQUIRE FILE, SET FILE.

use std::sync::Arc;

use spec::{CommandId, OptionId, cmd, cond, opt};

use super::inquire::{Resource, chosen};
use crate::exec::value::Value;
use crate::exec::{Call, Handler, Waiting};
use crate::files::{Access, EnableStatus, File};
use crate::name::Name8;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: &[(CommandId, Handler)] = &[
    (cmd::INQUIRE_FILE, Handler::Now(|task, call| FILES.inquire(task, call))),
    (cmd::SET_FILE, Handler::Waits(set)),
];

/// RESP2 of FILENOTFOUND: no such file.
const NOT_FOUND: i32 = 18;
/// RESP2 of IOERR: the file could not be opened.
const NOT_OPENED: i32 = 32;

const FILES: Resource<Arc<File>> = Resource {
    name: opt::FILE,
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
};

/// What programs may do with a file, by the option and its two keywords.
type AccessChoice = (OptionId, [(&'static str, OptionId); 2], fn(&mut Access, bool));

const ACCESS: [AccessChoice; 5] = [
    (opt::ADD, [("ADDABLE", opt::ADDABLE), ("NOTADDABLE", opt::NOTADDABLE)], |a, yes| a.add = yes),
    (opt::BROWSE, [("BROWSABLE", opt::BROWSABLE), ("NOTBROWSABLE", opt::NOTBROWSABLE)], |a, yes| {
        a.browse = yes
    }),
    (opt::DELETE, [("DELETABLE", opt::DELETABLE), ("NOTDELETABLE", opt::NOTDELETABLE)], |a, yes| {
        a.delete = yes
    }),
    (opt::READ, [("READABLE", opt::READABLE), ("NOTREADABLE", opt::NOTREADABLE)], |a, yes| a.read = yes),
    (opt::UPDATE, [("UPDATABLE", opt::UPDATABLE), ("NOTUPDATABLE", opt::NOTUPDATABLE)], |a, yes| {
        a.update = yes
    }),
];

/// SET FILE: first what programs may do, then the data set, then OPEN or CLOSED, then ENABLED or DISABLED.
fn set<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let name: Name8 = call.need_name(opt::FILE)?;
        let file = task.region.files.get(name).ok_or_else(|| cond::FILENOTFOUND.raise(NOT_FOUND))?;
        set_access(&file, call)?;
        if let Some(dataset) = call.bytes(opt::DSNAME)? {
            let dataset = String::from_utf8_lossy(dataset.trim_ascii_end()).into_owned();
            if !file.set_dataset_name(&dataset) {
                return Err(cond::INVREQ.raise(3));
            }
        }
        match chosen(call, opt::OPENSTATUS, &[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED)], 16)? {
            Some("OPEN") => open(task, &file).await?,
            Some(_) => file.close(),
            None => {}
        }
        match chosen(call, opt::ENABLESTATUS, &[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)], 7)? {
            Some("ENABLED") => file.set_enable_status(EnableStatus::Enabled),
            Some(_) => file.set_enable_status(EnableStatus::Disabled),
            None => {}
        }
        Ok(())
    })
}

fn set_access(file: &File, call: &Call<'_>) -> Outcome {
    let mut access = file.access();
    for (option, choices, set) in ACCESS {
        if let Some(choice) = chosen(call, option, &choices, 9)? {
            set(&mut access, choice == choices[0].0);
        }
    }
    file.set_access(access);
    Ok(())
}

async fn open(task: &Task, file: &File) -> Outcome {
    match task.wait(WaitKind::File, file.open(&task.region.vsam)).await? {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::error!(target: "FC", "file {}: {error}", file.name);
            Err(cond::IOERR.raise(NOT_OPENED))
        }
    }
}
