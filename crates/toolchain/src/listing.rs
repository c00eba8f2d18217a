//! What a translation says about its programs, in a form that can be kept.

use serde::{Deserialize, Serialize};
use translator::{CompilerOption, Translation};

use crate::lines::LineMap;

/// What a translation says about a source's programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The programs; the first one is entered when the member is.
    pub programs: Vec<ProgramListing>,
    /// From generated lines to the user's.
    pub lines: LineMap,
}

/// One program of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramListing {
    /// The name in PROGRAM-ID: the symbol to call.
    pub name: String,
    /// The EXEC statements in the order of the program.
    pub statements: Vec<Statement>,
}

/// One EXEC statement of a program, as dumps, traces and the debugger show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The source's name: its path as messages show it.
    pub source: String,
    /// The line at which it begins, from 1.
    pub line: u32,
    /// The command on one line, as in `READ FILE('ACCT') INTO(REC)`.
    pub text: String,
}

impl Listing {
    pub(crate) fn of(translation: &Translation) -> Self {
        let mut lines = LineMap::default();
        for number in 1..=translation.line_map.line_count() {
            if let Some(origin) = translation.line_map.origin(number) {
                lines.push(number as u32, &origin.place.source.name, origin.place.line as u32);
            }
        }
        let programs = translation.programs.iter().map(|program| ProgramListing {
            name: program.name.clone(),
            statements: program.statements.iter().map(Statement::of).collect(),
        });
        Self { programs: programs.collect(), lines }
    }

    /// The symbol to call when the member is entered.
    pub fn entry(&self) -> Option<&str> {
        self.programs.first().map(|program| program.name.as_str())
    }

    /// The statement of a number (from 1) in a descriptor of a program of that name.
    pub fn statement(&self, program: &str, number: u16) -> Option<&Statement> {
        let program = self.programs.iter().find(|listing| listing.name.eq_ignore_ascii_case(program))?;
        program.statements.get(usize::from(number).checked_sub(1)?)
    }
}

impl Statement {
    fn of(statement: &translator::Statement) -> Self {
        let place = &statement.origin.place;
        Self { source: place.source.name.clone(), line: place.line as u32, text: statement.text.clone() }
    }
}

/// The flags for one source: what its own cards ask for, and words that it uses as names.
pub(crate) fn flags(translation: &Translation) -> Vec<String> {
    let asked_for = card_flags(&translation.compiler_options);
    asked_for.into_iter().map(str::to_owned).chain(translation.name_flags()).collect()
}

fn card_flags(options: &[CompilerOption]) -> Vec<&'static str> {
    // The last card wins. TRUNC(BIN) and TRUNC(OPT) are what the dialect does by itself; NSYMBOL has only one meaning
    // in this compiler.
    let trunc = options.iter().rev().find(|option| option.name == "TRUNC");
    match trunc.map(|option| option.value.as_str()) {
        Some("STD") => vec!["-fbinary-truncate"],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_card_decides() {
        let card = |value: &str| CompilerOption::new("TRUNC", value);
        assert!(card_flags(&[]).is_empty());
        assert!(card_flags(&[card("BIN")]).is_empty());
        assert_eq!(card_flags(&[card("BIN"), card("STD")]), ["-fbinary-truncate"]);
        assert!(card_flags(&[card("STD"), card("OPT")]).is_empty());
    }
}
