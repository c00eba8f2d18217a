//! Records one by one, with the fields that are asked for.

use crate::format::{Broken, ColumnForm, FileEntry, Reader, Record};
use crate::moments::moment;
use crate::performance::{Selection, lost_note};
use crate::table::{Cell, Table};

/// A list of tasks.
pub struct Tasks {
    fields: Vec<String>,
    most: usize,
    selection: Selection,
    rows: Vec<Vec<Cell>>,
    lost: u64,
}

impl Tasks {
    /// A list of at most so many tasks, with these fields.
    pub fn new(fields: Vec<String>, most: usize, selection: Selection) -> Self {
        Self { fields, most, selection, rows: Vec::new(), lost: 0 }
    }

    /// Adds the records of a file, as long as there is room.
    ///
    /// # Errors
    /// The place where the file is broken; what came before is there.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if self.rows.len() < self.most && self.selection.takes(&record) => {
                    self.rows.push(self.fields.iter().map(|field| cell(&record, field)).collect());
                }
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    /// A line for each task.
    pub fn table(&self) -> Table {
        let name = |field: &String| {
            spec::measures::monitoring_fields()
                .iter()
                .find(|known| known.name == field)
                .map(|known| known.name)
        };
        let columns: Vec<_> = self.fields.iter().map(|field| (name(field).unwrap_or("?"), "")).collect();
        let mut table = Table::new("Tasks", &columns);
        table.rows.clone_from(&self.rows);
        table.notes = lost_note(self.lost);
        if self.rows.len() == self.most {
            table.notes.push(format!("These are the first {}; there may be more.", self.most));
        }
        table
    }
}

/// A field of a record: clocks in microseconds, points in time as such.
fn cell(record: &Record<'_>, field: &str) -> Cell {
    let form = record.kind.columns.iter().find(|column| column.fields.iter().any(|name| name == field));
    match form.map(|column| column.form) {
        None => Cell::Empty,
        Some(ColumnForm::Text) => Cell::Text(record.text(field).into_owned()),
        Some(ColumnForm::Clock) => Cell::Number(record.clock(field).0 as f64 / 1e3, 1),
        Some(ColumnForm::Time) => Cell::Number(record.number(field) as f64 / 1e3, 1),
        Some(ColumnForm::Stamp) => Cell::Text(moment(record.number(field))),
        Some(ColumnForm::Count | ColumnForm::Value) => Cell::Count(record.number(field)),
        Some(ColumnForm::Named) => {
            let named = record.named(field).map(|(name, ns, count)| {
                let us = ns as f64 / 1e3;
                if ns == 0 { format!("{name}:{count}") } else { format!("{name}:{count} in {us:.1}") }
            });
            Cell::Text(named.collect::<Vec<_>>().join(" "))
        }
    }
}
