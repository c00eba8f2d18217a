//! Names looked up in the table: a name that is refused or does not exist gets a message.

use diagnostics::{Diagnostic, TextPlace};

use super::codes;
use crate::table::{self, Standing};

/// Looks a name up in the table, and adds a message if it is refused or not there. Returns true if it is done here.
pub(super) fn check(of: &str, name: &str, place: &TextPlace, messages: &mut Vec<Diagnostic>) -> bool {
    let code = if of.is_empty() { codes::STATEMENT } else { codes::KEYWORD };
    let what = match of {
        "" => "a statement".to_owned(),
        "DCB" | "DISP" => format!("a sub-parameter of {of}"),
        of => format!("a keyword of {of}"),
    };
    let message = match table::find(of, name) {
        Some(row) if row.standing == Standing::Refused => {
            Diagnostic::error(code, format!("{name} is not built")).help(row.note)
        }
        Some(row) => return row.standing == Standing::Done,
        None => {
            let shown = if name.is_empty() { "nothing" } else { name };
            let message = Diagnostic::error(code, format!("{shown} is not {what}"));
            match table::meant(of, name) {
                Some(meant) => message.help(format!("did you mean {meant}?")),
                None => message.help("docs/jobs.md lists what may stand here"),
            }
        }
    };
    messages.push(message.at(place.clone()));
    false
}
