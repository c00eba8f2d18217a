//! The rules for names that a configuration contains.

use diagnostics::Diagnostic;

use crate::reader::{Table, at};
use crate::{Located, codes};

/// Longest APPLID, user id and program name.
pub(crate) const LONG_NAME: usize = 8;
/// Longest SYSID, transaction and transient data queue name.
pub(crate) const SHORT_NAME: usize = 4;

/// A resource name in upper case; reports one that is empty, too long or holds other characters.
pub(crate) fn resource_name(table: &Table<'_>, what: &str, name: &Located<String>, longest: usize) -> String {
    let upper = name.value.to_ascii_uppercase();
    let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "@#$".contains(c);
    let complaint = if upper.is_empty() {
        Some("this is empty".to_owned())
    } else if upper.chars().count() > longest {
        Some(format!("this has {} characters", upper.chars().count()))
    } else {
        upper.chars().find(|c| !allowed(*c)).map(|c| format!("`{c}` is not allowed in it"))
    };
    if let Some(complaint) = complaint {
        let message = Diagnostic::error(
            codes::NAME,
            format!("{what} is a name of 1 to {longest} letters, digits, @, # or $"),
        );
        table.report(at(message, name).label(complaint));
    }
    upper
}

/// The number of an EBCDIC code page as everybody writes it (`037`), from `37`, `IBM-037`, `cp037`.
pub(crate) fn code_page(name: &str) -> String {
    let lower = name.trim().to_ascii_lowercase();
    let digits = ["ibm-", "ibm", "cp"].iter().find_map(|prefix| lower.strip_prefix(prefix)).unwrap_or(&lower);
    match digits.parse::<u16>() {
        Ok(number) => format!("{number:03}"),
        Err(_) => lower,
    }
}
