//! What comes out: a program's module with everything that is known of it, or why there is none.

use std::path::PathBuf;
use std::sync::Arc;

use db2::package::Package;
use diagnostics::Diagnostic;

use crate::listing::Listing;
use crate::whole;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The member's name: the name under which CICS knows the program.
    pub name: String,
    /// The module to load. The file is never changed in place: another build has another name.
    pub module: PathBuf,
    /// Its machine code, if our own compiler has made it: the module is its source then.
    pub own: Option<Arc<native::Unit>>,
    /// Why the hosted compiler has made it, where our own was to be tried first.
    pub hosted_because: Option<String>,
    /// What the translation says about the source's programs.
    pub listing: Arc<Listing>,
    /// The packages of those of its programs that have EXEC SQL: calls find theirs by its token.
    pub packages: Vec<Arc<Package>>,
    /// Warnings.
    pub messages: Vec<Diagnostic>,
    /// Whether it was built just now, rather than found.
    pub built: bool,
}

impl Program {
    /// Why a natively compiled program cannot CALL it, and what to do about that; none if it is natively compiled, too.
    pub fn refuses_native_callers(&self) -> Option<String> {
        let why = self.hosted_because.as_deref().unwrap_or(whole::CONFIGURED);
        self.own.is_none().then(|| {
            format!(
                "it is compiled by the hosted compiler ({why}), and its caller natively: name both in `gnucobol` of [cobol], or both in `native`"
            )
        })
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
