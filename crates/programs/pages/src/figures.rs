//! The figures of monitoring and statistics, as lines of a test.

use domains::statistics::{Figure, Statistics};
use instruments::format::{ColumnForm, FileEntry, Reader, Record};
use kernel::monitoring::Monitoring;
use region::RECORD_FOLDER;

use crate::house::House;

/// Of each monitoring record of a class and a transaction, a line with its fields: `words` are the transaction, then the
/// fields.
pub fn monitoring(house: &House, class: &str, words: &[String]) -> Vec<String> {
    let Some((transaction, fields)) = words.split_first() else { return Vec::new() };
    let field = match class {
        "exception" => "EXCMNTRN",
        "identity" => "MNI_TRAN",
        "resource" => "MNR_TRAN",
        _ => "TRAN",
    };
    Monitoring::of(&house.running.region).flush();
    let mut lines = Vec::new();
    for file in files(house) {
        for entry in Reader::new(&file).into_iter().flatten() {
            match entry {
                Ok(FileEntry::Record(record))
                    if record.kind.name == class && record.text(field) == *transaction =>
                {
                    lines.push(line(&record, fields))
                }
                Ok(_) => {}
                Err(broken) => lines.push(broken.to_string()),
            }
        }
    }
    lines
}

/// The files of performance records, in order.
fn files(house: &House) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(house.state.join(RECORD_FOLDER)) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().contains("performance"));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

fn line(record: &Record<'_>, fields: &[String]) -> String {
    let shown = fields.iter().map(|field| format!("{field} {}", value(record, field)));
    shown.collect::<Vec<_>>().join(", ")
}

fn value(record: &Record<'_>, field: &str) -> String {
    let column = record.kind.columns.iter().find(|column| column.fields.iter().any(|name| name == field));
    match column.map(|column| column.form) {
        None => "is no field".to_owned(),
        Some(ColumnForm::Clock) => record.clock(field).1.to_string(),
        Some(ColumnForm::Text) => record.text(field).into_owned(),
        Some(ColumnForm::Named) => {
            let named = record.named(field).map(|(name, _, count)| format!("{name}:{count}"));
            named.collect::<Vec<_>>().join(" ")
        }
        Some(_) => record.number(field).to_string(),
    }
}

/// The fields of a resource's statistics, a line each: `words` are the resource, then the fields.
pub fn statistics(house: &House, words: &[String]) -> Vec<String> {
    let Some((resource, fields)) = words.split_first() else { return Vec::new() };
    let resource = if resource == "-" { "" } else { resource };
    let region = &house.running.region;
    let records = Statistics::of(region).now(region);
    let of_resource = records.iter().filter(|record| record.resource == resource);
    let figures: Vec<_> = of_resource.flat_map(|record| &record.figures).collect();
    let shown = fields.iter().map(|field| match figures.iter().find(|(id, _)| id.field().name == field) {
        None => format!("{field} is not kept"),
        Some((_, Figure::Number(number))) => format!("{field} {number}"),
        Some((_, Figure::Text(text))) => format!("{field} {}", String::from_utf8_lossy(text)),
    });
    shown.collect()
}
