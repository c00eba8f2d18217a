//! DISPLAY and OCCUR: columns of values, a line for each record or for each value.

use access::Client;
use datasets::Shape;
use ebcdic::Characters;

use crate::sort::{Field, Format, Plan, Route, taken};
use crate::utility_records::{Desk, Failed};

use super::operators::{Column, Report, Shown};
use super::{ToolTarget, groups, number};

/// The blanks between two columns.
const GAP: &str = "   ";
/// The width of a report's lines, at least.
const LINE_MIN: usize = 121;

/// Writes a report.
pub(super) fn write(report: &Report, plan: &Plan, route: &Route, desk: &mut Desk<'_>) -> Result<(), Failed> {
    let Desk { dds, client, output } = desk;
    let (client, output) = (&mut **client, &mut **output);
    let widths: Vec<usize> = report.columns.iter().map(|column| width(column, report)).collect();
    let whole = widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1);
    let shape = Shape::Fixed(Some(whole.max(LINE_MIN)));
    let mut target = ToolTarget::open(&report.list, shape, dds, client)?;
    let mut line = |text: &str, client: &mut Client| {
        target.write(Characters::default().bytes(text.trim_end()), client, output)
    };
    for title in &report.titles {
        line(title, client)?;
    }
    if !report.titles.is_empty() {
        line("", client)?;
    }
    if report.has_headings {
        let headings: Vec<String> = report
            .columns
            .iter()
            .zip(&widths)
            .map(|(column, width)| match is_number(column) {
                true => format!("{:>width$}", column.heading),
                false => format!("{:width$}", column.heading),
            })
            .collect();
        line(&headings.join(GAP), client)?;
        if report.is_blank {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            line(&rules.join(GAP), client)?;
        } else {
            line("", client)?;
        }
    }
    let shown = |record: &[u8], place: u64, occurrences: u64| -> Result<String, Failed> {
        let mut values = Vec::with_capacity(widths.len());
        for (column, width) in report.columns.iter().zip(&widths) {
            let value = match column.what {
                Shown::Field(field) if !is_number(column) => text_of(&field, record),
                Shown::Field(field) => digits(number(&field, record, place)?, column, report),
                Shown::Occurrences => digits(occurrences.into(), column, report),
                Shown::Number => digits(i128::from(place) + 1, column, report),
            };
            values.push(match is_number(column) {
                true => format!("{value:>width$}"),
                false => format!("{value:width$}"),
            });
        }
        Ok(values.join(GAP))
    };
    match report.occurring {
        Some(bound) => {
            let of_column = |column: &Column| match column.what {
                Shown::Field(field) => Some(field),
                Shown::Occurrences | Shown::Number => None,
            };
            let fields: Vec<Field> = report.columns.iter().filter_map(of_column).collect();
            let mut place = 0;
            groups::each(&fields, plan, route, client, &mut |first, client, size| {
                if bound.holds(size.into()) {
                    line(&shown(first, place, size)?, client)?;
                }
                place += 1;
                Ok(())
            })?;
        }
        None => {
            let mut place = 0;
            taken(plan, route, client, &mut |client, record| {
                line(&shown(&record, place, 1)?, client)?;
                place += 1;
                Ok(())
            })?;
        }
    }
    target.finish(client)
}

/// Returns true if a column shows numbers: they stand at its right.
fn is_number(column: &Column) -> bool {
    match column.what {
        Shown::Field(field) => field.format != Format::Bytes,
        Shown::Occurrences | Shown::Number => true,
    }
}

fn width(column: &Column, report: &Report) -> usize {
    let own = match column.what {
        Shown::Field(field) if field.format == Format::Bytes => field.length,
        _ => column.digits.0 + usize::from(has_sign(column)),
    };
    let heading = if report.has_headings { column.heading.chars().count() } else { 0 };
    own.max(heading)
}

/// Returns true if a column's numbers have a sign.
fn has_sign(column: &Column) -> bool {
    !column.digits.1 && matches!(column.what, Shown::Field(_))
}

fn text_of(field: &Field, record: &[u8]) -> String {
    let there = record.get(field.at..).unwrap_or_default();
    Characters::default().text(&there[..there.len().min(field.length)])
}

/// Shows a number; one that has too many digits is shown as asterisks.
fn digits(number: i128, column: &Column, report: &Report) -> String {
    let wanted = column.digits.0;
    let plain = number.unsigned_abs().to_string();
    let width = wanted + usize::from(has_sign(column));
    if plain.len() > wanted {
        return "*".repeat(width);
    }
    let sign = if number < 0 { '-' } else { '+' };
    match (report.is_blank, has_sign(column)) {
        (true, true) if number < 0 => format!("{:>width$}", format!("-{plain}")),
        (true, _) => format!("{plain:>width$}"),
        (false, true) => format!("{sign}{plain:0>wanted$}"),
        (false, false) => format!("{plain:0>wanted$}"),
    }
}
