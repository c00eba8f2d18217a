//! An answer.

use http::Fields;

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its reason phrase, which may hold data of the application; none: the usual one. HTTP/2 has none.
    pub phrase: Option<Vec<u8>>,
    /// Its headers. Those that say how long the message is and what becomes of the connection are the door's.
    pub fields: Fields,
    /// Its body.
    pub body: Vec<u8>,
    /// The connection ends behind it.
    pub closes: bool,
}

impl Answer {
    /// An answer of plain text.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        let mut fields = Fields::default();
        // Both are fixed texts without line ends.
        let _ = fields.push("Content-Type", "text/plain; charset=utf-8");
        Self { status, fields, body: text.into().into_bytes(), ..Self::default() }
    }
}
