//! A table: text for a terminal, CSV, JSON.

use std::fmt::Write;

/// A figure or a word of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Characters.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number with so many decimals.
    Number(f64, usize),
    /// Nothing.
    Empty,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its heading.
    pub heading: &'static str,
    /// Its unit; empty: none.
    pub unit: &'static str,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its title.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// The notes below it.
    pub notes: Vec<String>,
}

/// The form in which a table is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Aligned, for a terminal.
    #[default]
    Text,
    /// Comma-separated values with a line of headings.
    Csv,
    /// A list of objects.
    Json,
}

impl Cell {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number, decimals) => format!("{number:.decimals$}"),
            Self::Empty => String::new(),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Empty => "null".to_owned(),
            number => number.text(),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Number(..))
    }
}

impl Column {
    fn name(&self) -> String {
        if self.unit.is_empty() { self.heading.to_owned() } else { format!("{} {}", self.heading, self.unit) }
    }
}

impl Table {
    /// An empty table: each column a heading and a unit.
    pub fn new(title: impl Into<String>, columns: &[(&'static str, &'static str)]) -> Self {
        let columns = columns.iter().map(|(heading, unit)| Column { heading, unit }).collect();
        Self { title: title.into(), columns, ..Self::default() }
    }

    /// The table in a shape.
    pub fn show(&self, shape: Shape) -> String {
        match shape {
            Shape::Text => self.aligned(),
            Shape::Csv => self.csv(),
            Shape::Json => self.json(),
        }
    }

    fn aligned(&self) -> String {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |place: usize, column: &Column| {
            let widest = cells.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count()).max();
            widest.unwrap_or(0).max(column.heading.chars().count()).max(column.unit.chars().count())
        };
        let widths: Vec<usize> =
            self.columns.iter().enumerate().map(|(n, column)| width(n, column)).collect();
        let numeric: Vec<bool> = (0..self.columns.len())
            .map(|place| self.rows.iter().any(|row| row.get(place).is_some_and(Cell::is_number)))
            .collect();
        let line = |texts: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for ((text, width), numeric) in texts.zip(&widths).zip(&numeric) {
                // Writing to a String cannot fail.
                let _ = if *numeric {
                    write!(line, "{text:>width$}  ")
                } else {
                    write!(line, "{text:<width$}  ")
                };
            }
            line.truncate(line.trim_end().len());
            line.push('\n');
            line
        };
        let mut text = String::new();
        if !self.title.is_empty() {
            text = format!("{}\n\n", self.title);
        }
        text.push_str(&line(&mut self.columns.iter().map(|column| column.heading)));
        if self.columns.iter().any(|column| !column.unit.is_empty()) {
            text.push_str(&line(&mut self.columns.iter().map(|column| column.unit)));
        }
        cells.iter().for_each(|row| text.push_str(&line(&mut row.iter().map(String::as_str))));
        if !self.notes.is_empty() {
            text.push('\n');
        }
        self.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text
    }

    fn csv(&self) -> String {
        // Writing to a vector cannot fail, and all rows have as many cells as there are columns.
        let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        let _ = out.write_record(self.columns.iter().map(Column::name));
        for row in &self.rows {
            let _ = out.write_record(row.iter().map(Cell::text));
        }
        let bytes = out.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Cell>| {
            let members = self.columns.iter().zip(row);
            let members =
                members.map(|(column, cell)| format!("{}: {}", quoted(&column.name()), cell.json()));
            format!("  {{{}}}", members.collect::<Vec<_>>().join(", "))
        };
        let rows: Vec<_> = self.rows.iter().map(object).collect();
        format!("[\n{}\n]\n", rows.join(",\n"))
    }
}

/// A text as JSON has it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn table() -> Table {
        let mut table = Table::new("Tasks", &[("Transaction", ""), ("Tasks", ""), ("CPU", "µs")]);
        table.rows.push(vec![Cell::Text("AUTH".into()), Cell::Count(12), Cell::Number(498.04, 1)]);
        table.rows.push(vec![Cell::Text("a,\"b\"".into()), Cell::Count(3), Cell::Empty]);
        table.notes.push("That is all.".into());
        table
    }

    #[test]
    fn text_is_aligned_numbers_to_the_right() {
        expect![[r#"
            Tasks

            Transaction  Tasks    CPU
                                   µs
            AUTH            12  498.0
            a,"b"            3

            That is all.
        "#]]
        .assert_eq(&table().show(Shape::Text));
    }

    #[test]
    fn csv_and_json_quote_what_must_be() {
        expect![[r#"
            Transaction,Tasks,CPU µs
            AUTH,12,498.0
            "a,""b""",3,
        "#]]
        .assert_eq(&table().show(Shape::Csv));
        expect![[r#"
            [
              {"Transaction": "AUTH", "Tasks": 12, "CPU µs": 498.0},
              {"Transaction": "a,\"b\"", "Tasks": 3, "CPU µs": null}
            ]
        "#]]
        .assert_eq(&table().show(Shape::Json));
    }
}
