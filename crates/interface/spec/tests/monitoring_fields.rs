//! The page `docs/monitoring-fields.md`: each published field of monitoring, in exactly one of three lists.
//!
//! `UPDATE=1` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use spec::measures::{MonitoringField, Source, monitoring_fields};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/monitoring-fields.md");

const HEAD: &str = "\
# Fields of monitoring

Written from `crates/interface/spec/monitoring` by `UPDATE=1 cargo test -p spec --test monitoring_fields`. Each published field is in one of
three lists: recorded, not recorded yet, or without a meaning here. [monitoring.md](monitoring.md) says how records are written
and read.
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    let (mut kept, mut later, mut never) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for field in monitoring_fields() {
        let class = (field.record, field.group);
        match field.source {
            Source::NotYet(reason) => later.entry((reason, class)).or_insert_with(Vec::new).push(field.name),
            Source::Never(reason) => never.entry((reason, class)).or_insert_with(Vec::new).push(field.name),
            _ => kept.entry(class).or_insert_with(Vec::new).push(field),
        }
    }
    page.push_str("\n## Recorded\n");
    for ((class, group), fields) in kept {
        let _ = writeln!(page, "\n{}\n\n| field | meaning | from |\n|---|---|---|", title(class, group));
        for field in fields {
            let _ = writeln!(page, "| {} | {} | {} |", field.name, field.meaning, from(field));
        }
    }
    for (title_of, list) in [("Not recorded yet", later), ("Without a meaning here", never)] {
        let _ = writeln!(page, "\n## {title_of}\n\n| class | fields | reason |\n|---|---|---|");
        for ((reason, (class, group)), fields) in list {
            let _ = writeln!(page, "| {} | {} | {reason} |", title(class, group), fields.join(" "));
        }
    }
    page
}

/// The class of records, and the group of fields if there is one.
fn title(class: &str, group: &str) -> String {
    if group == "-" { class.to_owned() } else { format!("{class}, {group}") }
}

fn from(field: &MonitoringField) -> String {
    match field.source {
        Source::Requests(_) => "requests".to_owned(),
        Source::Waits(causes) => format!("waits: {}", causes.join(", ")),
        _ => "measured".to_owned(),
    }
}

#[test]
fn the_page_has_each_field_once() {
    let page = page();
    let mut names = BTreeSet::new();
    for field in monitoring_fields() {
        assert!(names.insert((field.record, field.name)), "{} stands twice", field.name);
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(Path::new(PAGE), &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(Path::new(PAGE)).unwrap_or_default();
    assert!(written == page, "docs/monitoring-fields.md is not what the records say: UPDATE=1 writes it");
}
