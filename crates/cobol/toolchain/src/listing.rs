//! The EXEC statements of a source's programs, in a form that can be kept.

use serde::{Deserialize, Serialize};

/// The programs of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The programs; the first one is entered when the member is.
    pub programs: Vec<ProgramListing>,
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
    pub(crate) fn of(exec: &cobol_exec::Read) -> Self {
        let programs = exec.programs.iter().map(|program| ProgramListing {
            name: program.name.clone(),
            statements: program.statements.iter().map(Statement::of).collect(),
        });
        Self { programs: programs.collect() }
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
    fn of(statement: &cobol_exec::Statement) -> Self {
        let place = &statement.origin.place;
        Self { source: place.source.name.clone(), line: place.line as u32, text: statement.text.clone() }
    }
}
