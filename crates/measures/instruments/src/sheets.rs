//! Statistics as a report in the manner of the published formatter: a part for each kind, one after the other.

use std::fmt::Write;

use spec::measures::{StatisticsKind, statistics_kinds};

use crate::Collections;
use crate::format::{Broken, FileEntry, Reader, Record, Value};
use crate::moments::moment;
use crate::statistics::{COLLECTED, REASON, RESOURCE, shown};
use crate::table::quoted;

/// Statistics of any number of files, by collection and kind.
#[derive(Default)]
pub struct Sheets {
    which: Option<Collections>,
    kind: String,
    collections: Vec<Collection>,
    /// Records that are missing.
    lost: u64,
}

/// The records of one time and one reason.
struct Collection {
    at: u64,
    reason: String,
    parts: Vec<Part>,
}

/// The records of one kind.
struct Part {
    kind: String,
    /// Each resource with its fields, as they are shown; of the region itself it is empty.
    rows: Vec<(String, Vec<(String, String)>)>,
}

/// The width of a meaning before its value.
const MEANING: usize = 48;

impl Sheets {
    /// No statistics yet; `kind`: only those kinds whose name has this in it.
    pub fn new(which: Collections, kind: &str) -> Self {
        Self { which: Some(which), kind: kind.to_owned(), ..Self::default() }
    }

    /// Adds the records of a file; files come in the order in which they were written.
    ///
    /// # Errors
    /// The place at which the file is broken; the records before it count.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if record.kind.name.contains(&self.kind) => self.take(&record),
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, record: &Record<'_>) {
        let (at, reason) = (record.number(COLLECTED), record.text(REASON));
        if self.collections.last().is_none_or(|last| last.at != at || last.reason != *reason) {
            if self.which != Some(Collections::All) {
                self.collections.clear();
            }
            self.collections.push(Collection { at, reason: reason.into_owned(), parts: Vec::new() });
        }
        let Some(collection) = self.collections.last_mut() else { return };
        let kind = &record.kind.name;
        let row = (record.text(RESOURCE).into_owned(), fields(record));
        match collection.parts.iter_mut().find(|part| part.kind == *kind) {
            Some(part) => part.rows.push(row),
            None => collection.parts.push(Part { kind: kind.clone(), rows: vec![row] }),
        }
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for collection in &self.collections {
            let title =
                format!("{} statistics, collected {}", reason(&collection.reason), moment(collection.at));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{title}\n{}\n", "=".repeat(title.chars().count()));
            collection.parts.iter().for_each(|part| part.write(&mut text));
        }
        if self.lost > 0 {
            let _ = writeln!(
                text,
                "{} records are missing: they came faster than they could be written.",
                self.lost
            );
        }
        text
    }

    /// The same as JSON: a list of collections, in each the kinds by name, in each a list of resources.
    pub fn json(&self) -> String {
        let collections: Vec<_> = self.collections.iter().map(Collection::json).collect();
        format!("[{}]\n", collections.join(","))
    }
}

/// The reason of a collection in words.
fn reason(letters: &str) -> &str {
    match letters {
        "INT" => "Interval",
        "EOD" => "End-of-day",
        "REQ" => "Requested",
        "RRT" => "Requested reset",
        "USS" => "Unsolicited",
        other => other,
    }
}

fn known(kind: &str) -> Option<&'static StatisticsKind> {
    statistics_kinds().iter().find(|known| known.name == kind)
}

fn meaning(kind: &str, field: &str) -> &'static str {
    let field = known(kind).and_then(|kind| kind.fields.iter().find(|known| known.name == field));
    field.map_or("", |field| field.meaning)
}

/// The fields of a record as they are shown.
fn fields(record: &Record<'_>) -> Vec<(String, String)> {
    let kind = known(&record.kind.name);
    let shown_as = |(column, value): &(usize, Value<'_>)| {
        let name = record.kind.columns.get(*column)?.fields.first()?;
        let is_head = [COLLECTED, REASON, RESOURCE].contains(&name.as_str());
        let field = kind.and_then(|kind| kind.fields.iter().find(|field| field.name == name));
        (!is_head).then(|| (name.clone(), shown(value, field)))
    };
    record.values.iter().filter_map(shown_as).collect()
}

impl Part {
    /// The region's own figures one below the other, those of resources as a table with its legend.
    fn write(&self, text: &mut String) {
        let mut title: Vec<char> = self.kind.chars().collect();
        if let Some(first) = title.first_mut() {
            *first = first.to_ascii_uppercase();
        }
        let title: String = title.into_iter().collect();
        let _ = writeln!(text, "{title}\n{}", "-".repeat(title.chars().count()));
        for (_, fields) in self.rows.iter().filter(|(resource, _)| resource.is_empty()) {
            for (name, value) in fields {
                let label = format!("{} ", meaning(&self.kind, name));
                let dots = ".".repeat(MEANING.saturating_sub(label.chars().count()));
                let _ = writeln!(text, "  {label}{dots}: {value:>20}  {name}");
            }
        }
        let resources: Vec<_> = self.rows.iter().filter(|(resource, _)| !resource.is_empty()).collect();
        if !resources.is_empty() {
            self.write_resources(text, &resources);
        }
        text.push('\n');
    }

    fn write_resources(&self, text: &mut String, resources: &[&(String, Vec<(String, String)>)]) {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in resources.iter().flat_map(|(_, fields)| fields) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let value = |fields: &[(String, String)], name: &str| {
            fields.iter().find(|(known, _)| known == name).map_or("0".to_owned(), |(_, value)| value.clone())
        };
        let width = |name: &&str| {
            let widest = resources.iter().map(|(_, fields)| value(fields, name).chars().count()).max();
            widest.unwrap_or_default().max(name.chars().count())
        };
        let widths: Vec<usize> = names.iter().map(width).collect();
        let first =
            resources.iter().map(|(resource, _)| resource.chars().count()).max().unwrap_or_default().max(8);
        let _ = write!(text, "  {:<first$}", "Resource");
        for (name, width) in names.iter().zip(&widths) {
            let _ = write!(text, "  {name:>width$}");
        }
        text.push('\n');
        for (resource, fields) in resources {
            let _ = write!(text, "  {resource:<first$}");
            for (name, width) in names.iter().zip(&widths) {
                let _ = write!(text, "  {:>width$}", value(fields, name));
            }
            text.push('\n');
        }
        for name in names {
            let _ = writeln!(text, "    {name}: {}", meaning(&self.kind, name));
        }
    }
}

impl Collection {
    fn json(&self) -> String {
        let part = |part: &Part| {
            let rows = part.rows.iter().map(|(resource, fields)| {
                let fields = fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)));
                let all: Vec<_> =
                    std::iter::once(format!("\"resource\":{}", quoted(resource))).chain(fields).collect();
                format!("{{{}}}", all.join(","))
            });
            format!("{}:[{}]", quoted(&part.kind), rows.collect::<Vec<_>>().join(","))
        };
        let parts: Vec<_> = self.parts.iter().map(part).collect();
        format!(
            "{{\"collected\":{},\"reason\":{},\"kinds\":{{{}}}}}",
            quoted(&moment(self.at)),
            quoted(&self.reason),
            parts.join(",")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};

    fn file() -> Vec<u8> {
        let column = |form, names: &str| LayoutColumn { form, names: names.to_owned() };
        let kind = |name: &str, fields: &[&str]| KindLayout {
            name: name.to_owned(),
            columns: [
                (ColumnForm::Stamp, COLLECTED),
                (ColumnForm::Text, REASON),
                (ColumnForm::Text, RESOURCE),
            ]
            .into_iter()
            .chain(fields.iter().map(|field| (ColumnForm::Count, *field)))
            .map(|(form, name)| column(form, name))
            .collect(),
        };
        let kinds = vec![kind("transaction manager global", &["XMGNUM"]), kind("wait", &["SPWCOUNT"])];
        let mut bytes = Layout { kinds }.header();
        for (kind, at, reason, resource, number) in [
            (0, 1_000_000, "INT", "", 3),
            (0, 2_000_000, "RRT", "", 7),
            (1, 2_000_000, "RRT", "file", 2),
            (1, 2_000_000, "RRT", "a \"b", 1),
        ] {
            let mut record = Encoder::begin(&mut bytes, kind);
            record.number(0, at);
            record.text(1, reason.as_bytes());
            record.text(2, resource.as_bytes());
            record.number(3, number);
            record.end();
        }
        bytes
    }

    #[test]
    fn a_report_has_a_part_for_each_kind_and_json_has_the_same() {
        let mut sheets = Sheets::new(Collections::Last, "");
        sheets.add(&file()).expect("a file of ours");
        let text = sheets.text();
        assert!(text.starts_with("Requested reset statistics, collected "), "{text}");
        assert!(text.contains("Transaction manager global\n-----"), "{text}");
        let line = text.lines().find(|line| line.ends_with("XMGNUM")).expect("a line");
        assert!(line.contains(":                    7"), "{line}");
        assert!(text.contains("  file             2\n"), "{text}");
        let json = sheets.json();
        assert!(
            json.contains(r#""reason":"RRT""#) && json.contains(r#"{"resource":"a \"b","SPWCOUNT":"1"}"#),
            "{json}"
        );
        let mut all = Sheets::new(Collections::All, "transaction");
        all.add(&file()).expect("a file of ours");
        assert_eq!(all.text().matches("XMGNUM").count(), 2);
    }
}
