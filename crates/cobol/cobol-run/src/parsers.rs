//! Documents that XML PARSE is reading.

use cobol_runtime::xml::Reader;

/// A document that a statement reads.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    pub(super) number: u32,
    /// The texts of events are national.
    pub(super) national: bool,
    /// `None` where the document was too long, or is not in the characters that the statement says.
    pub(super) reader: Option<Reader>,
}

/// The document of each statement that is being carried out.
pub(super) type Parsers = Vec<Parser>;
