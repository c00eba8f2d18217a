//! The length of a body: reading it from a head, and reading the body by it.

use crate::chunk::ChunkReader;
use crate::fields::Fields;
use crate::limits::{BODY_STEP, LENGTH_DIGITS_MAX, Limits};
use crate::refusal::Refusal;
use crate::version::Version;

/// The rule by which the length of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// This number of bytes.
    Known(u64),
    /// Chunks, the last of which is empty.
    Chunked,
    /// All up to the end of the connection: answers only.
    UntilClose,
}

/// Reads a body piece by piece.
#[derive(Debug)]
pub struct BodyReader {
    kind: Kind,
    bytes: Vec<u8>,
    most: u64,
}

#[derive(Debug)]
enum Kind {
    Left(u64),
    Chunked(ChunkReader),
    UntilClose,
}

impl BodyReader {
    /// A body of such a length.
    pub fn new(length: Length, limits: &Limits) -> Self {
        let (kind, room) = match length {
            Length::Known(length) => (Kind::Left(length), usize::try_from(length).unwrap_or(usize::MAX)),
            Length::Chunked => (Kind::Chunked(ChunkReader::new(limits)), 0),
            Length::UntilClose => (Kind::UntilClose, 0),
        };
        Self { kind, bytes: Vec::with_capacity(room.min(BODY_STEP)), most: limits.body }
    }

    /// Takes the bytes that belong to the body; returns their number.
    ///
    /// # Errors
    /// A malformed chunk, or too long a body.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, Refusal> {
        match &mut self.kind {
            Kind::Left(left) => {
                let taken = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                self.bytes.extend_from_slice(&bytes[..taken]);
                *left -= taken as u64;
                Ok(taken)
            }
            Kind::Chunked(chunks) => chunks.take(bytes, &mut self.bytes, self.most),
            Kind::UntilClose => {
                self.bytes.extend_from_slice(bytes);
                if self.bytes.len() as u64 > self.most {
                    return Err(Refusal::BodyTooLong);
                }
                Ok(bytes.len())
            }
        }
    }

    /// Returns true if all of it is there. A body that ends with its connection never is.
    pub fn is_whole(&self) -> bool {
        match &self.kind {
            Kind::Left(left) => *left == 0,
            Kind::Chunked(chunks) => chunks.is_whole(),
            Kind::UntilClose => false,
        }
    }

    /// Returns true if the end of the connection now is the end of the body.
    pub fn may_end(&self) -> bool {
        matches!(self.kind, Kind::UntilClose) || self.is_whole()
    }

    /// The bytes read, and the headers after them.
    pub fn into_parts(self) -> (Vec<u8>, Fields) {
        let trailer = match self.kind {
            Kind::Chunked(chunks) => chunks.into_trailer(),
            _ => Fields::default(),
        };
        (self.bytes, trailer)
    }
}

/// The length that a request gives its body.
pub(crate) fn of_request(fields: &Fields, version: Version) -> Result<Length, Refusal> {
    if is_chunked(fields, version)? {
        return Ok(Length::Chunked);
    }
    Ok(declared(fields)?.map_or(Length::Known(0), Length::Known))
}

/// The length that an answer to a request of this method gives its body.
pub(crate) fn of_response(
    fields: &Fields,
    version: Version,
    status: u16,
    method: &str,
) -> Result<Length, Refusal> {
    let chunked = is_chunked(fields, version)?;
    let declared = declared(fields)?;
    if method == "HEAD" || !may_have_body(status) {
        return Ok(Length::Known(0));
    }
    if chunked {
        return Ok(Length::Chunked);
    }
    Ok(declared.map_or(Length::UntilClose, Length::Known))
}

/// Returns true if answers of a status may have a body.
pub const fn may_have_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

/// Transfer-Encoding: absent, or exactly one `chunked`.
fn is_chunked(fields: &Fields, version: Version) -> Result<bool, Refusal> {
    let mut codings = fields.all("Transfer-Encoding");
    let Some(coding) = codings.next() else { return Ok(false) };
    if version == Version::Http10 {
        return Err(Refusal::CodingBefore11);
    }
    if codings.next().is_some() || !coding.eq_ignore_ascii_case(b"chunked") {
        return Err(Refusal::Coding);
    }
    if fields.has("Content-Length") {
        return Err(Refusal::TwoLengths);
    }
    Ok(true)
}

/// Content-Length: absent, or exactly one plain number.
pub(crate) fn declared(fields: &Fields) -> Result<Option<u64>, Refusal> {
    let mut lengths = fields.all("Content-Length");
    let Some(length) = lengths.next() else { return Ok(None) };
    let plain = (1..=LENGTH_DIGITS_MAX).contains(&length.len()) && length.iter().all(u8::is_ascii_digit);
    if lengths.next().is_some() || !plain {
        return Err(Refusal::Length);
    }
    Ok(Some(length.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))))
}
