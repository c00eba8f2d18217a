//! The wait analysis: of each day and transaction, how long its tasks waited for what.

use std::collections::BTreeMap;
use std::io;

use instruments::format::Record;
use instruments::{Causes, meaning};

use crate::rows::Rows;
use crate::shape::{Cell, Column, Form};

const DAY_US: u64 = 24 * 60 * 60 * 1_000_000;

/// Waits by day, transaction and the field that means their cause alone.
#[derive(Default)]
pub(crate) struct Waits {
    causes: Causes,
    of: BTreeMap<(u64, String, &'static str), Waited>,
}

/// The sum of waits.
#[derive(Default)]
struct Waited {
    records: u64,
    ns: u64,
    times: u64,
}

/// The columns of the table.
pub(crate) fn columns() -> Vec<Column> {
    [
        ("DAY", Form::Moment),
        ("TRAN", Form::Text),
        ("FIELD", Form::Text),
        ("MEANING", Form::Text),
        ("RECORDS", Form::Integer),
        ("WAITED", Form::Integer),
        ("TIMES", Form::Integer),
    ]
    .map(|(name, form)| Column::new(name, form))
    .to_vec()
}

impl Waits {
    /// Adds the waits of a performance record.
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        let day = record.number("STOP") / DAY_US * DAY_US;
        let transaction = record.text("TRAN");
        for (field, ns, times) in self.causes.waits(record) {
            let sum = self.of.entry((day, transaction.clone().into_owned(), field)).or_default();
            sum.records += 1;
            sum.ns = sum.ns.saturating_add(ns);
            sum.times = sum.times.saturating_add(times);
        }
    }

    /// Writes the rows, and returns their number.
    pub(crate) fn write(&self, rows: &mut Rows) -> io::Result<u64> {
        let number = |number| Cell::number(number).unwrap_or(Cell::Number(i64::MAX));
        for ((day, transaction, field), sum) in &self.of {
            rows.add(&[
                number(*day),
                Cell::text(transaction),
                Cell::text(field),
                Cell::text(meaning(field)),
                number(sum.records),
                number(sum.ns),
                number(sum.times),
            ])?;
        }
        Ok(self.of.len() as u64)
    }
}
