//! What comes out: a program's module with everything that is known of it, or why there is none.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::lines::LineMap;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The member's name: the name under which CICS knows the program.
    pub name: String,
    /// The module to load. The file is never changed in place: another build has another name.
    pub module: PathBuf,
    /// What the translation says about the program.
    pub listing: Arc<Listing>,
    /// Warnings.
    pub messages: Vec<Diagnostic>,
    /// Whether it was built just now, rather than found.
    pub built: bool,
}

/// What a translation says about its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The symbol to call: the name in PROGRAM-ID, which may be another than the member's.
    pub entry: String,
    /// The EXEC statements in the order of the program.
    pub statements: Vec<Statement>,
    /// From generated lines to the user's.
    pub lines: LineMap,
}

/// One EXEC statement of a program, as dumps, traces and the debugger show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The source's name: its path as messages show it.
    pub source: String,
    /// The line at which it begins, from 1.
    pub line: u32,
    /// The command's words, as in `READ`.
    pub command: String,
}

impl Listing {
    /// The statement of a number in a descriptor (from 1).
    pub fn statement(&self, number: u16) -> Option<&Statement> {
        self.statements.get(usize::from(number).checked_sub(1)?)
    }
}

/// Why there is no artifact.
#[derive(Clone, Debug)]
pub enum Failure {
    /// No folder has it.
    NotFound(Box<Diagnostic>),
    /// It is there, but does not translate, assemble or compile; or the machine is at fault.
    Broken(Vec<Diagnostic>),
}

impl Failure {
    /// What to tell the user.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::NotFound(message) => std::slice::from_ref(message),
            Self::Broken(messages) => messages,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(message: Diagnostic) -> Self {
        Self::Broken(vec![message])
    }
}
