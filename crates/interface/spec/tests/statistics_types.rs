//! The page `docs/statistics-types.md`: each type of statistics, kept or with the reason why not.
//!
//! `UPDATE=1` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use spec::measures::{From, Source, StatisticsKind, statistics_kinds};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/statistics-types.md");

const HEAD: &str = "\
# Types of statistics

Written from `crates/interface/spec/statistics` by `UPDATE=1 cargo test -p spec --test statistics_types`. Each published type is in one of three
lists: kept, not kept yet, or without a meaning here. Types of ours stand at the end. [statistics.md](statistics.md) says when they are
written, and how they are read.
";

/// Fields by their effect of a reset.
fn kept(kind: &StatisticsKind) -> Vec<String> {
    let fields = kind.fields.iter().filter(|field| field.from != From::NotYet);
    let mark = |from: &From| match from {
        From::Peak => " (highest)",
        From::Current => " (present)",
        _ => "",
    };
    fields.map(|field| format!("{}{}", field.name, mark(&field.from))).collect()
}

fn row(page: &mut String, kind: &StatisticsKind) {
    let fields = kept(kind);
    let _ = writeln!(
        page,
        "| {} | {} | {} | {} |",
        kind.name,
        fields.len(),
        kind.fields.len(),
        fields.join(", ")
    );
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let (mut later, mut never) = (BTreeMap::new(), BTreeMap::new());
    let (ours, published): (Vec<_>, Vec<_>) = statistics_kinds().iter().partition(|kind| kind.dsect == "-");
    page.push_str("\n## Kept\n\n| type | fields kept | published | which |\n|---|---|---|---|\n");
    for kind in published {
        match kind.absence {
            Some(Source::NotYet(reason)) => later.entry(reason).or_insert_with(Vec::new).push(kind.name),
            Some(Source::Never(reason)) => never.entry(reason).or_insert_with(Vec::new).push(kind.name),
            _ => row(&mut page, kind),
        }
    }
    let lists = [("Not kept yet", later), ("Without a meaning here", never)];
    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let _ = writeln!(page, "\n## {title}\n\n| types | reason |\n|---|---|");
        for (reason, names) in list {
            let _ = writeln!(page, "| {} | {reason} |", names.join(", "));
        }
    }
    page.push_str("\n## Ours\n\n| type | fields | meaning |\n|---|---|---|\n");
    for kind in ours {
        let meanings = kind.fields.iter().map(|field| format!("{}: {}", field.name, field.meaning));
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            kind.name,
            kind.fields.len(),
            meanings.collect::<Vec<_>>().join("; ")
        );
    }
    page
}

#[test]
fn the_page_has_each_type_once() {
    let names: BTreeSet<_> = statistics_kinds().iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), statistics_kinds().len(), "a type stands twice");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PAGE, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(written == page, "docs/statistics-types.md is not what the records say: UPDATE=1 writes it");
}
