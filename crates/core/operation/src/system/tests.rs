//! The tables against the records of the published interface.

use std::collections::BTreeSet;

use spec::{Command, OptionId, Status, cmd, opt};

use super::association;
use super::kinds::KINDS;
use kernel::registry::Kind;
use kernel::registry::signature;
use kernel::registry::{Table, Takes};

/// Options of an INQUIRE that are not rows: the name, and the browse.
const BROWSE: [OptionId; 4] = [opt::START, opt::AT, opt::NEXT, opt::END];

fn built(command: &Command) -> BTreeSet<&'static str> {
    command.options.iter().filter(|option| !option.not_yet).map(|option| option.name).collect()
}

fn known(command: &Command, options: impl IntoIterator<Item = OptionId>) -> BTreeSet<&'static str> {
    let known = |option: &OptionId| command.options.iter().any(|o| o.id == *option);
    options.into_iter().filter(known).map(OptionId::name).collect()
}

#[test]
fn the_record_of_an_inquire_says_what_its_table_tells() {
    for Kind { table, inquire, defined, .. } in KINDS {
        let command = spec::command(*inquire);
        let signature = defined.map_or(&[][..], |_| &signature::OPTIONS);
        let rows = table.options().into_iter().chain([table.name()]).chain(BROWSE);
        let rows = rows.chain(signature.iter().copied());
        assert_eq!(known(command, rows), built(command), "{}", command.name);
        assert_ne!(command.status, Status::NotYet, "{}", command.name);
    }
}

#[test]
fn the_record_of_inquire_association_says_what_its_table_tells() {
    let command = spec::command(cmd::INQUIRE_ASSOCIATION);
    let rows = association::TASKS.options().into_iter().chain([opt::ASSOCIATION]);
    assert_eq!(known(command, rows), built(command));
}

#[test]
fn the_record_of_a_set_says_what_its_table_changes() {
    for Kind { table, set, .. } in KINDS {
        let Some(set) = set else { continue };
        let command = spec::command(*set);
        let mut options = vec![table.name()];
        for (option, takes) in table.settings() {
            options.push(option);
            if let Takes::OneOf(choices) = takes {
                options.extend(choices.iter().map(|(_, keyword)| *keyword));
            }
        }
        assert_eq!(known(command, options), built(command), "{}", command.name);
    }
}

#[test]
fn a_browse_has_a_name_to_give() {
    let without_one = [cmd::INQUIRE_SYSTEM, cmd::INQUIRE_MONITOR, cmd::INQUIRE_STATISTICS];
    for kind in KINDS {
        let named = spec::command(kind.inquire).options.iter().any(|option| option.id == kind.table.name());
        assert_eq!(named, !without_one.contains(&kind.inquire), "{}", kind.name);
    }
}

/// The files whose tables name CVDAs.
const TABLES: [(&str, &str); 15] = [
    ("association", include_str!("association.rs")),
    ("dsname", include_str!("dsname.rs")),
    ("file", include_str!("file/told.rs")),
    ("monitor", include_str!("monitor.rs")),
    ("program", include_str!("program/mod.rs")),
    ("region", include_str!("region.rs")),
    ("reqid", include_str!("reqid.rs")),
    ("task", include_str!("task.rs")),
    ("td_queue", include_str!("td_queue.rs")),
    ("terminal", include_str!("terminal/mod.rs")),
    ("transaction", include_str!("transaction/mod.rs")),
    ("ts_queue", include_str!("ts_queue.rs")),
    ("uow", include_str!("uow.rs")),
    ("uow_failure", include_str!("uow_failure.rs")),
    ("uow_link", include_str!("uow_link.rs")),
];

/// Rows are functions of a running task, so the names are looked for in the text: literals of capitals.
#[test]
fn every_cvda_that_a_table_tells_has_a_number() {
    for (file, text) in TABLES {
        let pieces: Vec<&str> = text.split('"').collect();
        for pair in pieces.windows(2).step_by(2) {
            let [before, literal] = pair else { continue };
            let is_name = literal.len() > 1 && literal.bytes().all(|b| b.is_ascii_uppercase());
            let is_log = before.trim_end().ends_with("target:");
            if is_name && !is_log {
                assert!(spec::cvda(literal).is_some(), "{file}: {literal} has no number");
            }
        }
    }
}
