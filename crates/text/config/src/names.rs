//! The rules for names that a configuration contains.

use diagnostics::Diagnostic;
use ebcdic::CodePage;

use crate::reader::{Table, refused};
use crate::{Located, at, codes};

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

/// An EBCDIC code page by its name: `037`, `IBM-1047`, `cp500`; reports one that is not known.
pub(crate) fn code_page(table: &Table<'_>, key: &'static str) -> Option<CodePage> {
    let name = table.string(key)?;
    let page = CodePage::parse(&name.value);
    if page.is_none() {
        let names = CodePage::ALL.map(|page| format!("{:03}", page.number()));
        let wanted = format!("an EBCDIC code page: {}", names.join(", "));
        table.report(refused(key, &name, &wanted, names.iter().map(String::as_str)));
    }
    page
}
