//! What is wrong with descriptions: places and words; whoever has the frames makes diagnostics of them.

use cobol_source::At;

pub use diagnostics::Severity;

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// How bad it is.
    pub severity: Severity,
    /// The message's number.
    pub code: &'static str,
    /// Where.
    pub at: At,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}
