//! Statistics as a table: each collection, each kind, each resource, what is not zero.

use spec::measures::{Form, StatisticsField, statistics_kinds};

use crate::format::{Broken, FileEntry, Reader, Record, Value};
use crate::moments::moment;
use crate::performance::lost_note;
use crate::table::{Cell, Table};

/// Which collections are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collections {
    /// All.
    All,
    /// The last of each file.
    Last,
}

/// The fields that say when and what a record is.
pub(crate) const COLLECTED: &str = "COLLECTED";
pub(crate) const REASON: &str = "REASON";
pub(crate) const RESOURCE: &str = "RESOURCE";

/// The statistics of a file. `kind`: only those whose name has this in it.
///
/// # Errors
/// The place where the file is broken.
pub fn collections(bytes: &[u8], which: Collections, kind: &str) -> Result<Table, Broken> {
    let columns = [
        ("Collected", ""),
        ("Reason", ""),
        ("Kind", ""),
        ("Resource", ""),
        ("Field", ""),
        ("Value", ""),
        ("Meaning", ""),
    ];
    let mut table = Table::new("Statistics", &columns);
    let (mut last, mut lost) = (0, 0);
    for entry in Reader::new(bytes)? {
        let record = match entry? {
            FileEntry::Lost(count) => {
                lost += count;
                continue;
            }
            FileEntry::Record(record) if record.kind.name.contains(kind) => record,
            FileEntry::Record(_) => continue,
        };
        let at = record.number(COLLECTED);
        if at == 0 {
            // A record of monitoring is none of statistics.
            continue;
        }
        if which == Collections::Last && at != last {
            table.rows.clear();
            last = at;
        }
        add(&mut table, &record, at);
    }
    table.notes = lost_note(lost);
    Ok(table)
}

fn add(table: &mut Table, record: &Record<'_>, at: u64) {
    let kind = statistics_kinds().iter().find(|kind| kind.name == record.kind.name);
    for (column, value) in &record.values {
        let Some(name) = record.kind.columns.get(*column).and_then(|column| column.fields.first()) else {
            continue;
        };
        if [COLLECTED, REASON, RESOURCE].contains(&name.as_str()) {
            continue;
        }
        let field = kind.and_then(|kind| kind.fields.iter().find(|field| field.name == name));
        table.rows.push(vec![
            Cell::Text(moment(at)),
            Cell::Text(record.text(REASON).into_owned()),
            Cell::Text(record.kind.name.clone()),
            Cell::Text(record.text(RESOURCE).into_owned()),
            Cell::Text(name.clone()),
            Cell::Text(shown(value, field)),
            Cell::Text(field.map_or("", |field| field.meaning).to_owned()),
        ]);
    }
}

pub(crate) fn shown(value: &Value<'_>, field: Option<&StatisticsField>) -> String {
    match (value, field.map(|field| field.form)) {
        (Value::Number(us), Some(Form::Stamp)) => moment(*us),
        (Value::Number(ns), Some(Form::Time)) => format!("{:.6} s", *ns as f64 / 1e9),
        (Value::Number(number), _) => number.to_string(),
        (Value::Text(text), _) => String::from_utf8_lossy(text).into_owned(),
        (Value::Clock(ns, count), _) | (Value::Named(_, ns, count), _) => {
            format!("{:.6} s in {count}", *ns as f64 / 1e9)
        }
    }
}
