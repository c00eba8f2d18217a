//! The text of `syncpoint explain` about a statement of COBOL, from its record.

use std::fmt::Write as _;

use cobol_syntax::{StatementRecord, StatementState};

/// The text about a statement.
pub(super) fn explained(record: &StatementRecord) -> String {
    let StatementRecord { name, form, meaning, stands, .. } = record;
    let mut text = format!("STATEMENT {name}: {meaning}\nForm: {form}\n");
    if *stands != "anywhere" {
        let _ = writeln!(text, "It stands: {stands}.");
    }
    let phrases: Vec<String> =
        record.phrases.iter().map(|phrase| format!("[NOT] {}", phrase.words())).collect();
    if !phrases.is_empty() {
        let _ = writeln!(text, "Phrases: {}.", phrases.join(", "));
    }
    if let Some(end) = record.ends {
        let _ = writeln!(text, "It ends with {end}, or with its sentence.");
    }
    let colon = if record.state == StatementState::Partly { "" } else { ":" };
    let lacks = record.lacks.map_or_else(String::new, |lacks| format!("{colon} {lacks}"));
    let _ = writeln!(text, "Here: {}{lacks}.", record.state.words());
    if let (Some(example), Some(shown)) = (record.example, record.shown) {
        let _ = writeln!(text, "{example} shows {}", shown.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        explained(cobol_syntax::statement(name).expect("a statement of the language"))
    }

    #[test]
    fn a_statement_is_explained_by_its_record() {
        assert_eq!(
            of("MULTIPLY"),
            "STATEMENT MULTIPLY: multiplies numbers\n\
             Form: MULTIPLY number BY items, MULTIPLY number BY number GIVING items\n\
             Phrases: [NOT] SIZE ERROR.\n\
             It ends with END-MULTIPLY, or with its sentence.\n\
             Here: built.\n\
             MULTIPLY 3 BY N DISPLAY N shows 0021\n"
        );
        assert_eq!(
            of("EXIT METHOD"),
            "STATEMENT EXIT METHOD: leaves a method\n\
             Form: EXIT METHOD\n\
             Here: refused by name and line: classes are not built: CALL a program.\n"
        );
        assert!(of("USE").contains("It stands: the head of a section of declaratives."));
    }
}
