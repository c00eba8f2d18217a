//! Errors of a server, in its own words.

use std::fmt;

use super::receive::Body;

/// An error (or notice) of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFault {
    /// PostgreSQL's SQLSTATE.
    pub state: [u8; 5],
    /// True if the session ends with the error.
    pub is_fatal: bool,
    /// The server's message.
    pub message: String,
    /// More of it.
    pub detail: String,
    /// Position in the statement, in characters from 1; 0 if unknown.
    pub position: u32,
    /// The schema that it concerns.
    pub schema: String,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The type.
    pub data_type: String,
    /// The constraint.
    pub constraint: String,
    /// The line of the server's source that says so.
    pub line: u32,
}

impl ServerFault {
    /// Reads the fields of a message. Unknown fields are skipped.
    pub(crate) fn read(body: &[u8]) -> Self {
        let mut fault = Self::default();
        let mut body = Body(body);
        while let (Ok(kind @ 1..), Ok(value)) = (body.u8(), body.text()) {
            match kind {
                b'C' => fault.state = value.try_into().unwrap_or(*b"XX000"),
                b'V' => fault.is_fatal = matches!(value, b"FATAL" | b"PANIC"),
                b'M' => fault.message = text(value),
                b'D' => fault.detail = text(value),
                b'P' => fault.position = text(value).parse().unwrap_or(0),
                b's' => fault.schema = text(value),
                b't' => fault.table = text(value),
                b'c' => fault.column = text(value),
                b'd' => fault.data_type = text(value),
                b'n' => fault.constraint = text(value),
                b'L' => fault.line = text(value).parse().unwrap_or(0),
                _ => (),
            }
        }
        fault
    }

    /// PostgreSQL's SQLSTATE as text.
    pub fn state(&self) -> &str {
        std::str::from_utf8(&self.state).unwrap_or("XX000")
    }
}

impl fmt::Display for ServerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.state(), self.message)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

/// A text of the server: in the session's encoding, which is UTF-8 or Latin-1.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart() {
        let fault = ServerFault::read(
            b"SERROR\0VERROR\0C23505\0Mduplicate key\0DKey (id)=(1)\0sapp\0tcontact\0ncontact_pkey\0\0",
        );
        assert_eq!((fault.state(), fault.is_fatal), ("23505", false));
        assert_eq!((fault.table.as_str(), fault.constraint.as_str()), ("contact", "contact_pkey"));
        assert_eq!(fault.to_string(), "23505 duplicate key (Key (id)=(1))");
    }

    #[test]
    fn a_message_that_is_cut_off_gives_what_it_has() {
        assert_eq!(ServerFault::read(b"C23505\0Mdup").state(), "23505");
        assert_eq!(ServerFault::read(b"").message, "");
    }
}
