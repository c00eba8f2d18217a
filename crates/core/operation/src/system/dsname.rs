//! INQUIRE DSNAME, SET DSNAME: the data sets that files name.

use std::collections::BTreeMap;
use std::sync::Arc;

use records::Recovery;
use spec::{cmd, cond, opt};

use domains::files::{File, FileRecovery, Files};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler, Waiting};
use kernel::raise::Raise;
use kernel::registry::{Changes, Given, Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::WaitKind;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DSNAME, Handler::Now(|task, call| DATA_SETS.inquire(task, call))),
    (cmd::SET_DSNAME, Handler::Waits(|task, call| Box::pin(DATA_SETS.set(task, call)))),
];

/// RESP2 of DSNNOTFOUND: no file names it.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ for values that have none here.
const NO_SUCH_VALUE: i32 = 0;
/// Characters of a data set's name.
const NAME_LENGTH: usize = 44;

/// A data set and the files over it: at least one.
pub(super) struct DataSet {
    name: String,
    files: Vec<Arc<File>>,
}

pub(super) static DATA_SETS: Resource<DataSet> = Resource {
    name: opt::DSNAME,
    key: Key::Name,
    names: |by| data_sets(by).into_keys().map(|name| padded(&name)).collect(),
    find: |by, name| data_sets(by).remove(String::from_utf8_lossy(name).trim_end()),
    missing: Raise::Condition(cond::DSNNOTFOUND, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, _| Value::Cvda("VSAM")),
        (opt::BACKUPTYPE, |_, d| Value::Cvda(backup_type(d))),
        (opt::BASEDSNAME, |_, d| {
            let base = d.opened().map(|open| open.cluster().name.to_string());
            Value::padded(base.as_ref().unwrap_or(&d.name), NAME_LENGTH)
        }),
        (opt::FILECOUNT, |_, d| Value::Number(d.files.len() as i64)),
        (opt::FWDRECOVLOG, |_, _| Value::Number(0)),
        (opt::OBJECT, |_, d| Value::either(d.opened().is_some_and(|open| open.is_path()), "PATH", "BASE")),
        (opt::QUIESCESTATE, |by, d| {
            Value::either(Files::of(&by.region).is_quiesced(&d.name), "QUIESCED", "UNQUIESCED")
        }),
        (opt::RECOVSTATUS, |_, d| Value::Cvda(recovery_status(d))),
        (opt::VALIDITY, |_, d| Value::either(d.opened().is_some(), "VALID", "INVALID")),
    ],
    settings: &[
        Setting {
            option: opt::QUESCESTATE,
            takes: Takes::OneOf(&[
                ("QUIESCED", opt::QUIESCED),
                ("IMMQUIESCED", opt::IMMQUIESCED),
                ("UNQUIESCED", opt::UNQUIESCED),
            ]),
            resp2: NO_SUCH_VALUE,
            set: Set::Among(quiesce),
        },
        Setting {
            option: opt::BUSY,
            takes: Takes::OneOf(&[("WAIT", opt::WAIT), ("NOWAIT", opt::NOWAIT)]),
            resp2: NO_SUCH_VALUE,
            set: Set::No,
        },
    ],
};

impl DataSet {
    fn opened(&self) -> Option<Arc<vsam::Dataset>> {
        self.files.iter().find_map(|file| file.opened())
    }
}

/// The recovery of changes; unknown before the data set has been opened.
fn recovery_status(dataset: &DataSet) -> &'static str {
    let Some(open) = dataset.opened() else { return "UNDETERMINED" };
    let forward = |file: &Arc<File>| file.attribute(|a| a.recovery) == FileRecovery::Forward;
    match open.cluster().recovery {
        Recovery::NonRecoverable => "NOTRECOVABLE",
        Recovery::Recoverable if dataset.files.iter().any(forward) => "FWDRECOVABLE",
        Recovery::Recoverable => "RECOVERABLE",
    }
}

/// The kind of backup that the file asks for by which the data set is open; a file in RLS mode asks for none.
fn backup_type(dataset: &DataSet) -> &'static str {
    let Some(file) = dataset.files.iter().find(|file| file.opened().is_some()) else { return "UNDETERMINED" };
    match file.attribute(|a| (a.mode.rls, a.saved_while_open)) {
        (true, _) => "NOTAPPLIC",
        (false, true) => "DYNAMIC",
        (false, false) => "STATIC",
    }
}

/// QUIESCED: files in RLS mode are closed, when no task uses them any more, and cannot be opened until UNQUIESCED.
/// IMMQUIESCED ends the tasks that use them.
fn quiesce<'a>(by: &'a Manager, dataset: &'a DataSet, to: &'a Given, others: Changes<'a>) -> Waiting<'a> {
    Box::pin(async move {
        let quiesced = !to.is("UNQUIESCED");
        Files::of(&by.region).set_quiesced(&dataset.name, quiesced);
        if !quiesced {
            return Ok(());
        }
        let waits = !others.iter().any(|(option, given)| *option == opt::BUSY && given.is("NOWAIT"));
        for file in dataset.files.iter().filter(|file| file.attribute(|a| a.mode.rls)) {
            file.close_for_now();
            if to.is("IMMQUIESCED") {
                file.purge_users();
            }
            if waits {
                by.wait(WaitKind::FILE, file.until_unused()).await?;
            }
        }
        Ok(())
    })
}

fn data_sets(by: &Manager) -> BTreeMap<String, DataSet> {
    let mut sets = BTreeMap::new();
    for file in Files::of(&by.region).list() {
        let name = file.dataset_name();
        if !name.is_empty() {
            let new = || DataSet { name: name.clone(), files: Vec::new() };
            sets.entry(name.clone()).or_insert_with(new).files.push(file);
        }
    }
    sets
}

fn padded(name: &str) -> Vec<u8> {
    format!("{name:<NAME_LENGTH$}").into_bytes()
}
