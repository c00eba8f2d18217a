//! EZACICD macros: lines become operands, each with its place.
//!
//! A macro's operands end at the first blank; after a comma they go on in the next line, and the text between is a
//! remark, as is everything from column 72 on. An asterisk in column 1 makes a line a comment.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};

/// An operand: `KEY=VALUE`, both in upper case.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// Its place in the text.
    pub place: TextPlace,
}

/// One macro.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Its place in the text.
    pub place: TextPlace,
}

/// The column at which remarks begin, from 0: the column of the continuation mark.
const MARK: usize = 71;

/// Codes of messages about such texts.
pub mod code {
    /// A line that is not an EZACICD macro.
    pub const NOT_A_MACRO: &str = "SPSO001";
    /// A line that goes beyond column 71.
    pub const LONG: &str = "SPSO007";
    /// An operand without a value.
    pub const NO_VALUE: &str = "SPSO002";
    /// A key that a macro does not have.
    pub const UNKNOWN: &str = "SPSO003";
    /// A value that a key does not take.
    pub const VALUE: &str = "SPSO004";
    /// A key that must be there.
    pub const MISSING: &str = "SPSO005";
    /// A transaction that two listeners have.
    pub const TWICE: &str = "SPSO006";
}

/// Reads the macros of a text, and the messages about it.
pub fn macros(source: &Arc<Source>) -> (Vec<Macro>, Vec<Diagnostic>) {
    let (mut macros, mut messages) = (Vec::new(), Vec::new());
    let mut continued = false;
    for (at, line) in source.text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('*') {
            continue;
        }
        let letters: Vec<char> = line.chars().skip(MARK - 1).take(2).collect();
        if letters.len() == 2 && letters.iter().all(|letter| !letter.is_whitespace()) {
            let message = Diagnostic::error(code::LONG, "this line goes beyond column 71");
            let message = message.at(TextPlace::new(source, at + 1, MARK + 1, 1));
            messages.push(message.help("end it with a comma before, and go on in the next line"));
        }
        let line = line.char_indices().nth(MARK).map_or(line, |(end, _)| &line[..end]);
        let words = words(line);
        let operands = if continued {
            words.first().copied()
        } else {
            let Some(operation) = words.iter().position(|(_, word)| word.eq_ignore_ascii_case("EZACICD"))
            else {
                // The sections and the end of an assembler source.
                let assembler = ["CSECT", "TITLE", "END", "PRINT"];
                if !words.iter().any(|(_, word)| assembler.contains(&word.to_ascii_uppercase().as_str())) {
                    let message = Diagnostic::error(code::NOT_A_MACRO, "this is not an EZACICD macro");
                    messages.push(message.at(TextPlace::new(source, at + 1, 1, line.len())));
                }
                continue;
            };
            let (column, word) = words[operation];
            macros.push(Macro {
                operands: Vec::new(),
                place: TextPlace::new(source, at + 1, column + 1, word.len()),
            });
            words.get(operation + 1).copied()
        };
        let (Some((column, text)), Some(this)) = (operands, macros.last_mut()) else { continue };
        continued = text.ends_with(',');
        let mut start = column;
        for part in text.split(',') {
            let place = TextPlace::new(source, at + 1, start + 1, part.len().max(1));
            start += part.len() + 1;
            match part.split_once('=') {
                Some((key, value)) => this.operands.push(Operand {
                    key: key.to_ascii_uppercase(),
                    value: value.trim_matches('\'').to_ascii_uppercase(),
                    place,
                }),
                None if part.is_empty() => {}
                None => messages.push(
                    Diagnostic::error(code::NO_VALUE, format!("`{part}` has no value"))
                        .at(place)
                        .help("operands are written KEY=VALUE, with a comma between them and no blank"),
                ),
            }
        }
    }
    (macros, messages)
}

/// The words of a line, and where each begins.
fn words(line: &str) -> Vec<(usize, &str)> {
    line.split_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_go_on_behind_a_comma_and_remarks_do_not_count() {
        let text = "\
* our listeners
         EZACICD TYPE=LISTENER,         the kind                       X
               TRANID=CSKL,PORT=3010    a remark
         EZACICD TYPE=CICS
";
        let (macros, messages) = macros(&Source::new("listeners.txt", text));
        assert!(messages.is_empty());
        let keys: Vec<String> = macros[0].operands.iter().map(|o| format!("{}={}", o.key, o.value)).collect();
        assert_eq!(keys, ["TYPE=LISTENER", "TRANID=CSKL", "PORT=3010"]);
        let place = &macros[0].operands[2].place;
        assert_eq!((macros.len(), place.line, place.column), (2, 3, 28));
    }

    #[test]
    fn what_is_no_macro_is_told() {
        let (_, messages) = macros(&Source::new("x", "LISTENER ON PORT 12\n EZACICD TYPE"));
        let codes: Vec<_> = messages.iter().map(|message| message.code).collect();
        assert_eq!(codes, [code::NOT_A_MACRO, code::NO_VALUE]);
    }
}
