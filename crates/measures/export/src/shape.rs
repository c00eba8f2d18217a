//! The columns of a table: every field that a file describes, and how a record fills them.

use std::rc::Rc;

use instruments::format::{ColumnForm, Kind, Record, Value};

/// The form of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A whole number; of a time, nanoseconds.
    Integer,
    /// Microseconds since 1970.
    Moment,
    /// Characters.
    Text,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) form: Form,
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, form: Form) -> Self {
        Self { name: name.into(), form }
    }
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// There is no value.
    Nothing,
    /// A number, or a point in time.
    Number(i64),
    /// Characters.
    Text(String),
}

impl Cell {
    pub(crate) fn text(text: &str) -> Self {
        if text.is_empty() { Self::Nothing } else { Self::Text(text.to_owned()) }
    }

    /// A number; `None` if an integer of 64 bits with a sign does not hold it.
    pub(crate) fn number(number: u64) -> Option<Self> {
        i64::try_from(number).ok().map(Self::Number)
    }
}

/// The columns of a table that has the records of a kind, as all files together describe it.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) columns: Vec<Column>,
    /// The way in which the kind of the last record fills them.
    plan: Option<Plan>,
}

/// The way of one kind's values into a row.
#[derive(Debug)]
struct Plan {
    kind: Rc<Kind>,
    /// A record in which everything is 0 or empty.
    empty: Vec<Cell>,
    /// Of each column of the kind, the columns of the table that take it.
    takers: Vec<Vec<usize>>,
}

/// The name of the column with the number of times that a clock was taken.
fn counted(field: &str) -> String {
    format!("{field}_COUNT")
}

/// The columns that a field of a form has; lists of names have a table of their own.
fn columns_of(field: &str, form: ColumnForm) -> Vec<Column> {
    match form {
        ColumnForm::Count | ColumnForm::Value | ColumnForm::Time => vec![Column::new(field, Form::Integer)],
        ColumnForm::Clock => {
            vec![Column::new(field, Form::Integer), Column::new(counted(field), Form::Integer)]
        }
        ColumnForm::Stamp => vec![Column::new(field, Form::Moment)],
        ColumnForm::Text => vec![Column::new(field, Form::Text)],
        ColumnForm::Named => Vec::new(),
    }
}

impl Shape {
    /// A table that has these columns before its fields.
    pub(crate) fn beginning_with(columns: Vec<Column>) -> Self {
        Self { columns, plan: None }
    }

    /// Adds the columns of a kind that are not there yet. Returns the fields that another file has in another form.
    pub(crate) fn learn(&mut self, kind: &Kind) -> Vec<String> {
        let mut differ = Vec::new();
        for (field, form) in fields(kind) {
            for column in columns_of(field, form) {
                match self.columns.iter().find(|known| known.name == column.name) {
                    None => self.columns.push(column),
                    Some(known) if known.form == column.form => {}
                    Some(_) => differ.push(column.name),
                }
            }
        }
        differ
    }

    /// The cells of a record; those before its fields are empty. Fields whose numbers are too large are named.
    pub(crate) fn cells(&mut self, record: &Record<'_>) -> (Vec<Cell>, Vec<String>) {
        if self.plan.as_ref().is_none_or(|plan| !Rc::ptr_eq(&plan.kind, &record.kind)) {
            self.plan = Some(self.plan_for(&record.kind));
        }
        let Some(plan) = &self.plan else { return (Vec::new(), Vec::new()) };
        let (mut cells, mut too_large) = (plan.empty.clone(), Vec::new());
        for (column, value) in &record.values {
            for place in plan.takers.get(*column).into_iter().flatten() {
                let mut add = |place: usize, number: u64| {
                    if !add(&mut cells[place], number) {
                        cells[place] = Cell::Nothing;
                        too_large.push(self.columns[place].name.clone());
                    }
                };
                match value {
                    Value::Number(number) => add(*place, *number),
                    Value::Clock(time, count) => {
                        add(*place, *time);
                        add(*place + 1, *count);
                    }
                    Value::Text(text) => cells[*place] = Cell::text(&String::from_utf8_lossy(text)),
                    Value::Named(..) => {}
                }
            }
        }
        (cells, too_large)
    }

    fn plan_for(&self, kind: &Rc<Kind>) -> Plan {
        let mut empty = vec![Cell::Nothing; self.columns.len()];
        let place = |column: &Column| self.columns.iter().position(|known| known == column);
        let mut takers = Vec::new();
        for column in &kind.columns {
            let mut places = Vec::new();
            for field in &column.fields {
                let columns = columns_of(field, column.form);
                places.extend(columns.first().and_then(&place));
                for place in columns.iter().filter(|column| column.form == Form::Integer).filter_map(&place) {
                    // A record holds only what is not 0.
                    empty[place] = Cell::Number(0);
                }
            }
            takers.push(places);
        }
        Plan { kind: Rc::clone(kind), empty, takers }
    }
}

/// Adds a number to a cell. Returns false if the sum is too large.
fn add(cell: &mut Cell, number: u64) -> bool {
    let before = match cell {
        Cell::Number(before) => *before,
        _ => 0,
    };
    let sum = i64::try_from(number).ok().and_then(|number| before.checked_add(number));
    sum.map(|sum| *cell = Cell::Number(sum)).is_some()
}

/// The fields of a kind, each once, with the form of its columns.
fn fields(kind: &Kind) -> impl Iterator<Item = (&str, ColumnForm)> {
    let all = kind
        .columns
        .iter()
        .flat_map(|column| column.fields.iter().map(|field| (field.as_str(), column.form)));
    // A column that feeds no field has one name, and that is empty.
    all.filter(|(field, _)| !field.is_empty())
}
