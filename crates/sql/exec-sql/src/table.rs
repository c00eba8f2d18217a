//! Rows of a query as a table of text, in Db2's forms of dates and times.

use std::borrow::Cow;
use std::fmt::Write;

use sql::{Column, Rows, oid};

/// A table that grows: its columns are as wide as the first rows need.
#[derive(Default)]
pub struct Table {
    widths: Vec<usize>,
}

/// The sign for NULL, as Db2's own clients show it.
const NULL: &str = "-";

impl Table {
    /// Some more rows as lines; before the first ones, the columns' names.
    pub fn text(&mut self, columns: &[Column], rows: &Rows) -> String {
        let all: Vec<Vec<Cow<'_, str>>> = (0..rows.len())
            .map(|row| rows.row(row).zip(columns).map(|(value, column)| shown(value, column)).collect())
            .collect();
        let columns: Vec<_> =
            columns.iter().map(|column| (column.name.to_uppercase(), is_number(column))).collect();
        self.all(&columns, &all)
    }

    /// The same for values that are texts as Db2 writes them. `columns`: their names, with true where they hold numbers.
    pub fn lines(&mut self, columns: &[(String, bool)], rows: &[Vec<Option<String>>]) -> String {
        let shown =
            |value: &'_ Option<String>| value.as_deref().unwrap_or(NULL).trim_end_matches(' ').to_owned();
        let all: Vec<Vec<Cow<'_, str>>> =
            rows.iter().map(|row| row.iter().map(|value| Cow::Owned(shown(value))).collect()).collect();
        self.all(columns, &all)
    }

    fn all(&mut self, columns: &[(String, bool)], all: &[Vec<Cow<'_, str>>]) -> String {
        let mut text = String::new();
        if self.widths.is_empty() {
            let names = columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            self.widths = names.iter().map(|name| name.chars().count()).collect();
            for row in all {
                for (width, value) in self.widths.iter_mut().zip(row) {
                    *width = (*width).max(value.chars().count());
                }
            }
            let names: Vec<_> = names.iter().map(|name| Cow::Borrowed(name.as_str())).collect();
            self.line(&mut text, columns, &names);
            let dashes: Vec<_> = self.widths.iter().map(|width| Cow::Owned("-".repeat(*width))).collect();
            self.line(&mut text, columns, &dashes);
        }
        for row in all {
            self.line(&mut text, columns, row);
        }
        text
    }

    fn line(&self, text: &mut String, columns: &[(String, bool)], values: &[Cow<'_, str>]) {
        let start = text.len();
        for ((value, width), (_, is_number)) in values.iter().zip(&self.widths).zip(columns) {
            let gap = if text.len() == start { "" } else { "  " };
            // A string takes what is written to it.
            let _ = match *is_number {
                true => write!(text, "{gap}{value:>width$}"),
                false => write!(text, "{gap}{value:<width$}"),
            };
        }
        text.truncate(text.trim_end_matches(' ').len().max(start));
        text.push('\n');
    }
}

fn is_number(column: &Column) -> bool {
    matches!(column.oid, oid::INT2 | oid::INT4 | oid::INT8 | oid::NUMERIC | oid::FLOAT4 | oid::FLOAT8)
}

fn shown<'a>(value: Option<&'a [u8]>, column: &Column) -> Cow<'a, str> {
    let Some(value) = value else { return Cow::Borrowed(NULL) };
    let text = String::from_utf8_lossy(value);
    match column.oid {
        oid::TIME => Cow::Owned(text.replace(':', ".")),
        oid::TIMESTAMP => Cow::Owned(timestamp(&text)),
        // Blanks behind a text are no part of what a person reads.
        oid::BPCHAR => Cow::Owned(text.trim_end_matches(' ').to_owned()),
        _ => text,
    }
}

/// `2026-01-31 10:30:00.5` as `2026-01-31-10.30.00.500000`.
fn timestamp(text: &str) -> String {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{}.{fraction:0<6}", seconds.replace(' ', "-").replace(':', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_db2s_forms() {
        let column = Column::plain;
        for (oid, value, expected) in [
            (oid::TIMESTAMP, "2026-01-31 10:30:00.5", "2026-01-31-10.30.00.500000"),
            (oid::TIMESTAMP, "2026-01-31 10:30:00", "2026-01-31-10.30.00.000000"),
            (oid::TIME, "10:30:00", "10.30.00"),
            (oid::DATE, "2026-01-31", "2026-01-31"),
            (oid::BPCHAR, "AB   ", "AB"),
            (oid::NUMERIC, "12.50", "12.50"),
        ] {
            assert_eq!(shown(Some(value.as_bytes()), &column(oid)), expected);
        }
        assert_eq!(shown(None, &column(oid::INT4)), "-");
    }
}
