//! Locks of groups and lists: comments of a fixed form, so that DFHCSDUP reads the text as before.
//!
//! ```text
//! *LOCK GROUP(BANK) BY(ALICE)
//! ```

use std::sync::Arc;

use diagnostics::{Source, TextPlace};
use jcl::Record;

use crate::Command;

/// The start of such a comment.
const MARK: &str = "*LOCK ";

/// The lock that a record holds.
pub(crate) fn read(source: &Arc<Source>, record: Record<'_>) -> Option<Command> {
    let (name, list, by) = parts(record.text)?;
    let place = TextPlace::new(source, record.line, 1, record.text.chars().count());
    Some(Command::Lock { name: name.to_owned(), list, by: by.to_owned(), place })
}

/// The name that a line locks, if it is the comment of a lock.
pub(crate) fn name(line: &str) -> Option<&str> {
    parts(line).map(|(name, ..)| name)
}

fn parts(line: &str) -> Option<(&str, bool, &str)> {
    let rest = line.strip_prefix(MARK)?.trim_end();
    let (list, rest) = match rest.strip_prefix("GROUP(") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("LIST(")?),
    };
    let (name, by) = rest.split_once(") BY(")?;
    Some((name, list, by.strip_suffix(')')?))
}

/// The comment of a lock.
pub(crate) fn line(name: &str, list: bool, by: &str) -> String {
    format!("{MARK}{}({name}) BY({by})", if list { "LIST" } else { "GROUP" })
}
