//! The tables of an export: one for each class and type, and the file that each goes to.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use instruments::format::{ColumnForm, Kind, Record};

use crate::Format;
use crate::rows::Rows;
use crate::shape::{Cell, Column, Form, Shape};

/// The classes of monitoring: their tables are there even without a record.
const CLASSES: [&str; 4] = ["performance", "exception", "identity", "resource"];
/// The beginning of the names of tables of statistics.
const STATISTICS: &str = "statistics_";
/// The end of the name of a table that has the lists of names of another.
const NAMES: &str = "_names";
/// The number of a record in its table: lists of names say by it whose they are.
const RECORD: &str = "RECORD";

/// A table of records, and the one of its lists of names, if its records have such.
pub(crate) struct Table {
    shape: Shape,
    rows: Option<Rows>,
    written: u64,
    /// Fields that are lists of names.
    lists: Vec<String>,
    names: Option<Rows>,
    names_written: u64,
}

/// All tables, by name.
#[derive(Default)]
pub(crate) struct Tables {
    of: BTreeMap<String, Table>,
}

/// Returns the name of the table of a kind: `statistics_tcp_ip_global` of `TCP/IP global`.
fn name_of(kind: &str) -> String {
    if CLASSES.contains(&kind) {
        return kind.to_owned();
    }
    let word = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    format!("{STATISTICS}{}", kind.chars().map(word).collect::<String>())
}

impl Tables {
    /// Adds the columns of a kind. Returns what is in another form than another file has it.
    pub(crate) fn learn(&mut self, kind: &Kind) -> Vec<String> {
        let name = name_of(&kind.name);
        let table = self.of.entry(name.clone()).or_insert_with(|| Table::new(&name));
        for column in kind.columns.iter().filter(|column| column.form == ColumnForm::Named) {
            let new = column.fields.iter().filter(|field| !field.is_empty() && !table.lists.contains(field));
            table.lists.extend(new.cloned().collect::<Vec<_>>());
        }
        table.shape.learn(kind).into_iter().map(|column| format!("{name}.{column}")).collect()
    }

    /// Returns true if there is a table of a kind.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.of.contains_key(&name_of(kind))
    }

    /// Returns true if a kind has a table whether it has records or not.
    pub(crate) fn always(kind: &str) -> bool {
        CLASSES.contains(&kind)
    }

    /// Creates the files of all tables.
    pub(crate) fn create(&mut self, folder: &Path, format: Format) -> io::Result<()> {
        for (name, table) in &mut self.of {
            table.rows = Some(create(folder, name, &table.shape.columns, format)?);
            if !table.lists.is_empty() {
                table.names = Some(create(folder, &format!("{name}{NAMES}"), &names(), format)?);
            }
        }
        Ok(())
    }

    /// Adds a record. Returns the columns whose numbers are too large.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> io::Result<Vec<String>> {
        match self.of.get_mut(&name_of(&record.kind.name)) {
            Some(table) => table.add(record),
            None => Err(io::Error::other(format!("there is no table of {}", record.kind.name))),
        }
    }

    /// Ends all files. Returns the rows of each.
    pub(crate) fn end(self) -> io::Result<Vec<(String, u64)>> {
        let mut all = Vec::new();
        for (name, table) in self.of {
            let names = format!("{name}{NAMES}");
            for (name, rows, written) in
                [(name, table.rows, table.written), (names, table.names, table.names_written)]
            {
                if let Some(rows) = rows {
                    rows.end()?;
                    all.push((name, written));
                }
            }
        }
        Ok(all)
    }
}

/// Creates the file of a table.
pub(crate) fn create(folder: &Path, name: &str, columns: &[Column], format: Format) -> io::Result<Rows> {
    let extension = match format {
        Format::Parquet => "parquet",
        Format::Csv => "csv",
    };
    Rows::create(&folder.join(format!("{name}.{extension}")), columns, format)
}

/// The columns of a table of lists of names.
fn names() -> Vec<Column> {
    [
        (RECORD, Form::Integer),
        ("FIELD", Form::Text),
        ("NAME", Form::Text),
        ("NANOSECONDS", Form::Integer),
        ("TIMES", Form::Integer),
    ]
    .map(|(name, form)| Column::new(name, form))
    .to_vec()
}

impl Table {
    fn new(name: &str) -> Self {
        let before =
            if name.starts_with(STATISTICS) { Vec::new() } else { vec![Column::new(RECORD, Form::Integer)] };
        Self {
            shape: Shape::beginning_with(before),
            rows: None,
            written: 0,
            lists: Vec::new(),
            names: None,
            names_written: 0,
        }
    }

    fn add(&mut self, record: &Record<'_>) -> io::Result<Vec<String>> {
        let (mut cells, too_large) = self.shape.cells(record);
        self.written += 1;
        let number = Cell::number(self.written).unwrap_or(Cell::Nothing);
        if let (Some(cell), true) =
            (cells.first_mut(), self.shape.columns.first().is_some_and(|c| c.name == RECORD))
        {
            *cell = number.clone();
        }
        if let Some(rows) = &mut self.rows {
            rows.add(&cells)?;
        }
        let Some(names) = &mut self.names else { return Ok(too_large) };
        let mut too_large = too_large;
        for field in &self.lists {
            for (name, ns, times) in record.named(field) {
                let [ns, times] = [ns, times].map(|number| {
                    Cell::number(number).unwrap_or_else(|| {
                        too_large.push(field.clone());
                        Cell::Nothing
                    })
                });
                names.add(&[number.clone(), Cell::text(field), Cell::text(&name), ns, times])?;
                self.names_written += 1;
            }
        }
        Ok(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_of_statistics_has_a_name_of_its_own() {
        let names: Vec<_> =
            spec::measures::statistics_kinds().iter().map(|kind| name_of(kind.name)).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
        assert_eq!(
            (name_of("resource"), name_of("TCP/IP: global")),
            ("resource".into(), "statistics_tcp_ip__global".into())
        );
    }
}
