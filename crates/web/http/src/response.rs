//! The head of an answer, as a client reads it: as strictly as a server reads requests.

use crate::body::{self, Length};
use crate::fields::{Fields, Span, is_text};
use crate::head::{self, FirstLine, Found};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::version::Version;

/// The head of an answer.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    /// Its version.
    pub version: Version,
    /// Its status, 100 to 999.
    pub status: u16,
    reason: Span,
    fields: Fields,
}

/// The rule for the first line of an answer.
pub(crate) struct StatusLine;

impl FirstLine for StatusLine {
    fn begins(bytes: &[u8]) -> Result<(), Refusal> {
        let common = bytes.len().min(5);
        if bytes[..common] == b"HTTP/"[..common] { Ok(()) } else { Err(Refusal::FirstLine) }
    }

    fn judge(line: &[u8], _: &Limits) -> Result<(), Refusal> {
        split(line).map(|_| ())
    }
}

impl ResponseHead {
    pub(crate) fn read(bytes: &[u8], found: Found) -> Result<Self, Refusal> {
        let raw = bytes[found.begin..found.end].to_vec();
        let line = found.first - found.begin;
        let index = head::headers(&raw, line + 2)?;
        let (version, status, reason) = split(&raw[..line])?;
        let reason = Span::new(line - reason.len(), line);
        Ok(Self { version, status, reason, fields: Fields::over(raw, index) })
    }

    /// Its headers.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The reason phrase, which may hold data of the application.
    pub fn reason(&self) -> &[u8] {
        self.reason.of(self.fields.raw())
    }

    /// The length of the body of an answer to a request of this method.
    ///
    /// # Errors
    /// Lengths that contradict each other, or are malformed.
    pub fn length(&self, method: &str) -> Result<Length, Refusal> {
        body::of_response(&self.fields, self.version, self.status, method)
    }

    /// Returns true if the server keeps the connection.
    pub fn keeps(&self) -> bool {
        match self.version {
            Version::Http10 => self.fields.lists("Connection", "keep-alive"),
            _ => !self.fields.lists("Connection", "close"),
        }
    }
}

/// Version, status and reason of a first line. The blank after the status may be missing if there is no reason.
fn split(line: &[u8]) -> Result<(Version, u16, &[u8]), Refusal> {
    let (version, rest) = line.split_at_checked(8).ok_or(Refusal::FirstLine)?;
    let version = match version {
        b"HTTP/1.1" => Version::Http11,
        b"HTTP/1.0" => Version::Http10,
        _ => return Err(Refusal::Version),
    };
    let (status, reason) = match rest {
        [b' ', a, b, c] => ([a, b, c], &[] as &[u8]),
        [b' ', a, b, c, b' ', reason @ ..] => ([a, b, c], reason),
        _ => return Err(Refusal::FirstLine),
    };
    if !status.iter().all(|digit| digit.is_ascii_digit()) || *status[0] == b'0' || !is_text(reason) {
        return Err(Refusal::FirstLine);
    }
    let status = status.iter().fold(0, |number, digit| number * 10 + u16::from(**digit - b'0'));
    Ok((version, status, reason))
}
