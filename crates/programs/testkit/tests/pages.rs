//! `docs/cemt.md` is the page of CEMT's resource types: made from the tables that INQUIRE, SET and CEMT use, and compared
//! with them. `UPDATE_EXPECT=1 cargo test -p testkit --test pages` writes it again.

use std::fmt::Write;

use expect_test::expect_file;
use kernel::catalog;
use kernel::registry::{Kind, Takes};
use spec::OptionId;

/// The text above the types.
const HEAD: &str = "\
# Resource types of CEMT

What an operator can see and change of each type. `EXEC CICS INQUIRE` and `EXEC CICS SET` have the same options, since all of
them use one table. [The operator's page](operator.md) shows how to type them.
";

#[test]
fn the_page_has_every_type_and_what_can_be_changed() {
    let mut page = String::from(HEAD);
    region::bring_domains();
    catalog::kinds().into_iter().for_each(|kind| write_kind(&mut page, kind));
    expect_file!["../../../../docs/cemt.md"].assert_eq(&page);
}

/// Writes what one type shows and takes.
fn write_kind(page: &mut String, kind: &Kind) {
    let shown: Vec<_> = kind.table.options().into_iter().map(OptionId::name).collect();
    let _ = writeln!(page, "\n## {}\n\nShows {}.", kind.name, shown.join(", "));
    if kind.defined.is_some() {
        page.push_str("\nA CSD text or CREATE defines it, DISCARD takes it away.\n");
    }
    let settings = kind.table.settings();
    if settings.is_empty() {
        return;
    }
    page.push_str("\n| SET | takes |\n|---|---|\n");
    for (option, takes) in settings {
        let _ = writeln!(page, "| {} | {} |", option.name(), values(takes));
    }
}

/// The values that a setting takes.
fn values(takes: &Takes) -> String {
    match takes {
        Takes::OneOf(choices) => choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        Takes::Number(range) => format!("a number from {} to {}", range.start(), range.end()),
        Takes::Text => String::from("characters"),
    }
}
