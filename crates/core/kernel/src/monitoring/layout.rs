//! The layout of files of monitoring records: the kinds of records, and the published fields that each column feeds.
//!
//! Nothing here knows a field's name: the records in `spec` say which column they take.

use std::iter;

use instruments::format::{ColumnForm, KindLayout, Layout, LayoutColumn};
use spec::measures::{REQUEST_SLOTS, Source, monitoring_fields};

use super::others::{EXCEPTION, Excepted, IDENTITY, Identified, RESOURCE, Resourced};
use super::performance::{Measure, PERFORMANCE};
use crate::limits::WAIT_KINDS_MAX;
use crate::meters::{Figure, UsedFigure};
use crate::waits::WaitKind;

/// The fields of a kind of record that take what `takes` says.
fn fields(record: &str, takes: impl Fn(&Source) -> bool) -> String {
    let fields = monitoring_fields().iter().filter(|f| f.record == record && takes(&f.source));
    fields.map(|field| field.name).collect::<Vec<_>>().join(" ")
}

/// Columns that are measured under a name.
fn measured(record: &str, columns: &[(&'static str, ColumnForm)]) -> Vec<LayoutColumn> {
    let feeds = |source: &Source, name: &str| matches!(source, Source::Measured(known) if *known == name);
    let names = |name: &str| fields(record, |source| feeds(source, name));
    columns.iter().map(|(name, form)| LayoutColumn { form: *form, names: names(name) }).collect()
}

/// The layout of files of monitoring records: the place of a kind is its number.
pub(super) fn layout() -> Layout {
    let mut kinds = vec![KindLayout { name: "performance".to_owned(), columns: performance() }];
    for (number, name, lists) in [
        (EXCEPTION, "exception", &[Excepted::ALL][..]),
        (IDENTITY, "identity", &[Identified::ALL]),
        (RESOURCE, "resource", &[Resourced::ALL, UsedFigure::ALL]),
    ] {
        debug_assert_eq!(number, kinds.len());
        let columns = lists.iter().flat_map(|list| measured(name, list)).collect();
        kinds.push(KindLayout { name: name.to_owned(), columns });
    }
    debug_assert_eq!(PERFORMANCE, 0);
    Layout { kinds }
}

/// The columns of a performance record: measures, figures, waits by cause, counters of requests.
fn performance() -> Vec<LayoutColumn> {
    let of_wait = |kind: Option<WaitKind>| LayoutColumn {
        form: ColumnForm::Clock,
        names: kind.map_or_else(String::new, |kind| {
            fields(
                "performance",
                |source| matches!(source, Source::Waits(causes) if causes.contains(&kind.row().name)),
            )
        }),
    };
    let waits = WaitKind::all().map(Some).chain(iter::repeat(None)).take(WAIT_KINDS_MAX).map(of_wait);
    let requests = (0..REQUEST_SLOTS).map(|slot| LayoutColumn {
        form: ColumnForm::Count,
        names: fields(
            "performance",
            |source| matches!(source, Source::Requests(slots) if slots.iter().any(|s| usize::from(*s) == slot)),
        ),
    });
    let mut columns = measured("performance", Measure::ALL);
    columns.extend(measured("performance", Figure::ALL));
    columns.extend(waits.chain(requests));
    columns
}

#[cfg(test)]
mod tests {
    use spec::measures::{Form, MonitoringField};

    use super::*;

    /// The columns of the records of a kind that are measured under a name.
    fn names_of(record: &str) -> Vec<&'static [(&'static str, ColumnForm)]> {
        match record {
            "performance" => vec![Measure::ALL, Figure::ALL],
            "exception" => vec![Excepted::ALL],
            "identity" => vec![Identified::ALL],
            "resource" => vec![Resourced::ALL, UsedFigure::ALL],
            other => panic!("{other} is no class of records"),
        }
    }

    fn is_of_form(field: &MonitoringField, form: ColumnForm) -> bool {
        let as_written = match field.form {
            Form::Clock => ColumnForm::Clock,
            // Published counts may be the highest of what there was.
            Form::Count if form == ColumnForm::Value => ColumnForm::Value,
            Form::Count => ColumnForm::Count,
            Form::Value => ColumnForm::Value,
            Form::Time => ColumnForm::Time,
            Form::Stamp => ColumnForm::Stamp,
            Form::Text(_) => ColumnForm::Text,
            Form::Named => ColumnForm::Named,
        };
        as_written == form
    }

    #[test]
    fn every_source_of_a_field_is_a_column_or_a_cause_of_the_same_form() {
        for field in monitoring_fields() {
            match field.source {
                Source::NotYet(_) | Source::Never(_) | Source::Requests(_) => {}
                // That each cause is a kind of waits is checked where all domains are known.
                Source::Waits(_) => assert_eq!(field.form, Form::Clock, "{}", field.name),
                Source::Measured(name) => {
                    let lists = names_of(field.record);
                    let column = lists.iter().copied().flatten().find(|(known, _)| *known == name);
                    let (_, form) = column.unwrap_or_else(|| panic!("{}: {name}", field.name));
                    assert!(is_of_form(field, *form), "{}: {name} is {form:?}", field.name);
                }
            }
        }
    }

    #[test]
    fn every_column_feeds_a_field() {
        let layout = layout();
        let waits = Measure::ALL.len() + Figure::ALL.len();
        for kind in &layout.kinds {
            for (place, column) in kind.columns.iter().enumerate() {
                let free = waits + WaitKind::GAVE_UP.place() + 1..waits + WAIT_KINDS_MAX;
                let is_free = kind.name == "performance" && free.contains(&place);
                assert!(
                    is_free || !column.names.is_empty(),
                    "column {place} of {} feeds no field",
                    kind.name
                );
            }
        }
    }
}
