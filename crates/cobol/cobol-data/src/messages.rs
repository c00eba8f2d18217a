//! Mistakes in descriptions: places and words; the caller, who has the frames, makes diagnostics of them.

use cobol_source::At;

pub use diagnostics::Severity;

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// Severity of the mistake.
    pub severity: Severity,
    /// The message's number.
    pub code: &'static str,
    /// Place of the mistake.
    pub at: At,
    /// The mistake.
    pub message: String,
    /// Advice.
    pub help: &'static str,
}
