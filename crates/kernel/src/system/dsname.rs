//! INQUIRE DSNAME: the data sets that files name.

use std::collections::BTreeMap;
use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::inquire::{Key, Resource};
use crate::exec::value::Value;
use crate::exec::{Answers, Handler};
use crate::files::File;
use crate::raise::Raise;
use crate::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_DSNAME, Handler::Now(|task, call| DATA_SETS.inquire(task, call)))];

/// RESP2 of DSNNOTFOUND: no file names it.
const NOT_FOUND: i32 = 1;
/// Characters of a data set's name.
const NAME_LENGTH: usize = 44;

/// A data set, by the files over it: at least one.
pub(super) struct DataSet(Vec<Arc<File>>);

pub(super) static DATA_SETS: Resource<DataSet> = Resource {
    name: opt::DSNAME,
    key: Key::Name,
    names: |task| data_sets(task).into_keys().map(|name| padded(&name)).collect(),
    find: |task, name| data_sets(task).remove(String::from_utf8_lossy(name).trim_end()),
    missing: Raise::Condition(cond::DSNNOTFOUND, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, _| Value::Cvda("VSAM")),
        (opt::FILECOUNT, |_, d| Value::Number(d.0.len() as i64)),
        (opt::OBJECT, |_, d| {
            Value::either(d.0.iter().filter_map(|f| f.opened()).any(|d| d.is_path()), "PATH", "BASE")
        }),
        (opt::VALIDITY, |_, d| Value::either(d.0.iter().any(|f| f.is_open()), "VALID", "INVALID")),
    ],
    settings: &[],
};

fn data_sets(task: &Task) -> BTreeMap<String, DataSet> {
    let mut sets = BTreeMap::new();
    for file in task.region.files.list() {
        let name = file.dataset_name();
        if !name.is_empty() {
            sets.entry(name).or_insert_with(|| DataSet(Vec::new())).0.push(file);
        }
    }
    sets
}

fn padded(name: &str) -> Vec<u8> {
    format!("{name:<NAME_LENGTH$}").into_bytes()
}
