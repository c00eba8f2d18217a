//! Result of a build: a program's code with everything that is known of it, or the reason why there is none.

use std::path::PathBuf;
use std::sync::Arc;

use db2::package::Package;
use diagnostics::Diagnostic;

use crate::listing::Listing;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The member's name: the name under which CICS knows the program.
    pub name: String,
    /// The file of its source.
    pub source: PathBuf,
    /// Its machine code.
    pub unit: Arc<native::Unit>,
    /// The translation's account of the source's programs.
    pub listing: Arc<Listing>,
    /// The packages of those of its programs that have EXEC SQL: calls find theirs by its token.
    pub packages: Vec<Arc<Package>>,
    /// Warnings.
    pub messages: Vec<Diagnostic>,
    /// True if it was built just now, rather than found.
    pub built: bool,
}

/// Reasons why there is no artifact.
#[derive(Clone, Debug)]
pub enum Failure {
    /// No folder has it.
    NotFound(Box<Diagnostic>),
    /// It is there, but does not translate, assemble or compile; or the machine is at fault.
    Broken(Vec<Diagnostic>),
}

impl Failure {
    /// Messages for the user.
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
