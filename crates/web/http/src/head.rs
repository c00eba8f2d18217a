//! The head of a message, found in bytes that come piece by piece. Each byte is looked at once, and the verdict does not
//! depend on where the pieces were cut: lines are judged in their order, headers once all are there.

use memchr::memchr;

use crate::fields::{Span, is_token_byte};
use crate::limits::{HEADERS_MAX, Limits, METHOD_MAX};
use crate::refusal::Refusal;

/// The length of a first line without its target: a method, two blanks and a version.
const FIRST_LINE_REST: usize = METHOD_MAX + 2 + 8;

/// The progress of looking at a head.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan {
    /// The place after the line end that may precede a head.
    begin: usize,
    /// All bytes before it were looked at.
    looked: usize,
    /// The start of the line that contains `looked`.
    line: usize,
    /// The end of the first line, without CR LF.
    first: Option<usize>,
    headers: usize,
    opened: bool,
}

/// The place of a whole head in its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The start of the first line.
    pub begin: usize,
    /// The end of the first line.
    pub first: usize,
    /// The place after the empty line.
    pub end: usize,
}

/// A judge of first lines.
pub(crate) trait FirstLine {
    /// Judges its beginning, as soon as it is there: no more than that may ever come.
    fn begins(bytes: &[u8]) -> Result<(), Refusal>;
    /// Judges it whole.
    fn judge(line: &[u8], limits: &Limits) -> Result<(), Refusal>;
}

impl Scan {
    /// Looks at the new bytes of a message; `bytes` always start at the start of the message.
    pub(crate) fn look<F: FirstLine>(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Option<Found>, Refusal> {
        if !self.opened && !self.open(bytes)? {
            return Ok(None);
        }
        if self.first.is_none() {
            F::begins(&bytes[self.begin..])?;
        }
        loop {
            let end = memchr(b'\n', &bytes[self.looked..]).map(|at| self.looked + at);
            self.bounded(end.unwrap_or(bytes.len()), limits)?;
            let Some(end) = end else {
                self.looked = bytes.len();
                return Ok(None);
            };
            if end == self.line || bytes[end - 1] != b'\r' {
                return Err(Refusal::BareLineFeed);
            }
            let line = self.line..end - 1;
            (self.line, self.looked) = (end + 1, end + 1);
            match self.first {
                None => {
                    F::judge(&bytes[line.clone()], limits)?;
                    self.first = Some(line.end);
                }
                Some(first) if line.is_empty() => {
                    return Ok(Some(Found { begin: self.begin, first, end: end + 1 }));
                }
                Some(_) => {
                    self.headers += 1;
                    if self.headers > HEADERS_MAX {
                        return Err(Refusal::TooManyHeaders);
                    }
                }
            }
        }
    }

    /// Passes over one line end before the head: RFC 9112, 2.2. False: it takes more bytes to know.
    fn open(&mut self, bytes: &[u8]) -> Result<bool, Refusal> {
        self.begin = match bytes {
            [] | [b'\r'] => return Ok(false),
            [b'\r', b'\n', ..] => 2,
            [b'\r', ..] => return Err(Refusal::FirstLine),
            _ => 0,
        };
        (self.looked, self.line, self.opened) = (self.begin, self.begin, true);
        Ok(true)
    }

    /// Checks that the bytes up to `end` are within the limits.
    fn bounded(&self, end: usize, limits: &Limits) -> Result<(), Refusal> {
        if self.first.is_none() && end - self.begin > limits.target + FIRST_LINE_REST {
            return Err(Refusal::TargetTooLong);
        }
        if end - self.begin > limits.head {
            return Err(Refusal::HeadTooLong);
        }
        Ok(())
    }
}

/// Checks that the bytes, as far as they go, begin with a method.
pub(crate) fn begins_with_method(bytes: &[u8]) -> Result<(), Refusal> {
    let known = &bytes[..bytes.len().min(METHOD_MAX + 1)];
    match known.iter().position(|byte| !is_token_byte(*byte)) {
        Some(0) => Err(Refusal::Method),
        Some(at) if known[at] == b' ' => Ok(()),
        None if known.len() <= METHOD_MAX => Ok(()),
        _ => Err(Refusal::Method),
    }
}

/// Reads header lines up to the empty one; all of them are in `raw` from `from`.
pub(crate) fn headers(raw: &[u8], from: usize) -> Result<Vec<(Span, Span)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let parsed = match httparse::parse_headers(&raw[from..], &mut headers) {
        Ok(httparse::Status::Complete((_, parsed))) => parsed,
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooManyHeaders),
        _ => return Err(Refusal::Header),
    };
    let base = raw.as_ptr().addr();
    let span = |bytes: &[u8]| {
        let at = bytes.as_ptr().addr() - base;
        Span::new(at, at + bytes.len())
    };
    Ok(parsed.iter().map(|header| (span(header.name.as_bytes()), span(header.value))).collect())
}
