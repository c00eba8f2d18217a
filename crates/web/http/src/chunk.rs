//! Chunks: a body whose sender does not know its length yet.

use memchr::memchr;

use crate::fields::Fields;
use crate::head;
use crate::limits::{CHUNK_DIGITS_MAX, HEADERS_MAX, Limits};
use crate::refusal::Refusal;
use crate::write;

/// Reads chunks. Extensions are refused: they are not needed, and readers differ in where they end.
#[derive(Debug)]
pub struct ChunkReader {
    state: State,
    trailer: Fields,
    /// Lines of the trailer, as they come.
    lines: Vec<u8>,
    trailer_max: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the size; this number of its digits was read.
    Size {
        digits: usize,
        size: u64,
    },
    /// LF after the size.
    SizeEnd {
        size: u64,
    },
    /// This number of bytes of data are to come.
    Data {
        left: u64,
    },
    /// CR after the data.
    DataEnd,
    /// LF after that.
    DataEndLine,
    /// In the lines after the last chunk: their number so far, and the start of this one.
    Trailer {
        lines: usize,
        begin: usize,
    },
    Whole,
}

const BEGIN: State = State::Size { digits: 0, size: 0 };

impl ChunkReader {
    /// Nothing was read yet.
    pub fn new(limits: &Limits) -> Self {
        Self { state: BEGIN, trailer: Fields::default(), lines: Vec::new(), trailer_max: limits.head }
    }

    /// Takes the bytes that belong to the chunks, and appends their data to `into`, which has at most `most` bytes;
    /// returns the number of bytes taken.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn take(&mut self, bytes: &[u8], into: &mut Vec<u8>, most: u64) -> Result<usize, Refusal> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Whole {
            at += match self.state {
                State::Data { left } => {
                    let rest = &bytes[at..];
                    let taken = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    into.extend_from_slice(&rest[..taken]);
                    let left = left - taken as u64;
                    self.state = if left == 0 { State::DataEnd } else { State::Data { left } };
                    taken
                }
                State::Trailer { lines, begin } => self.trailer(&bytes[at..], lines, begin)?,
                _ => {
                    self.state = self.mark(bytes[at], into.len() as u64, most)?;
                    1
                }
            };
        }
        Ok(at)
    }

    /// The state after one byte that is neither data nor trailer.
    fn mark(&self, byte: u8, read: u64, most: u64) -> Result<State, Refusal> {
        Ok(match (self.state, byte) {
            (State::Size { digits: 1.., size }, b'\r') => State::SizeEnd { size },
            (State::Size { digits, size }, _) if digits < CHUNK_DIGITS_MAX => {
                let digit = char::from(byte).to_digit(16).ok_or(Refusal::Chunk)?;
                State::Size { digits: digits + 1, size: size * 16 + u64::from(digit) }
            }
            (State::SizeEnd { size: 0 }, b'\n') => State::Trailer { lines: 0, begin: 0 },
            (State::SizeEnd { size }, b'\n') if size > most.saturating_sub(read) => {
                return Err(Refusal::BodyTooLong);
            }
            (State::SizeEnd { size }, b'\n') => State::Data { left: size },
            (State::DataEnd, b'\r') => State::DataEndLine,
            (State::DataEndLine, b'\n') => BEGIN,
            _ => return Err(Refusal::Chunk),
        })
    }

    /// Takes of the trailer up to the end of a line; the answer is how much.
    fn trailer(&mut self, bytes: &[u8], lines: usize, begin: usize) -> Result<usize, Refusal> {
        let end = memchr(b'\n', bytes).map(|at| at + 1);
        let taken = end.unwrap_or(bytes.len());
        if self.lines.len() + taken > self.trailer_max {
            return Err(Refusal::HeadTooLong);
        }
        self.lines.extend_from_slice(&bytes[..taken]);
        if end.is_none() {
            return Ok(taken);
        }
        let whole = &self.lines[begin..];
        if !whole.ends_with(b"\r\n") {
            return Err(Refusal::BareLineFeed);
        }
        if whole.len() == 2 {
            let index = head::headers(&self.lines, 0).map_err(|_| Refusal::Trailer)?;
            self.trailer = Fields::over(std::mem::take(&mut self.lines), index);
            self.state = State::Whole;
        } else if lines == HEADERS_MAX {
            return Err(Refusal::TooManyHeaders);
        } else {
            self.state = State::Trailer { lines: lines + 1, begin: self.lines.len() };
        }
        Ok(taken)
    }

    /// Returns true if the last chunk and its trailer are there.
    pub fn is_whole(&self) -> bool {
        self.state == State::Whole
    }

    /// The headers after the last chunk. They never affect the message's length.
    pub fn into_trailer(self) -> Fields {
        self.trailer
    }
}

/// Writes a chunk; no data would be the last one, and write nothing.
pub fn write_chunk(data: &[u8], into: &mut Vec<u8>) {
    if !data.is_empty() {
        into.extend_from_slice(format!("{:X}\r\n", data.len()).as_bytes());
        into.extend_from_slice(data);
        into.extend_from_slice(b"\r\n");
    }
}

/// Writes the last chunk, with a trailer.
pub fn write_last(trailer: &Fields, into: &mut Vec<u8>) {
    into.extend_from_slice(b"0\r\n");
    write::fields(trailer, into);
    into.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], most: u64) -> Result<(Vec<u8>, Fields, usize), Refusal> {
        let mut reader = ChunkReader::new(&Limits::default());
        let mut data = Vec::new();
        let taken = reader.take(bytes, &mut data, most)?;
        assert!(reader.is_whole());
        Ok((data, reader.into_trailer(), taken))
    }

    #[test]
    fn what_was_written_is_read() {
        let mut bytes = Vec::new();
        for piece in ["Hello, ", "", "world", &"x".repeat(300)] {
            write_chunk(piece.as_bytes(), &mut bytes);
        }
        let mut trailer = Fields::default();
        trailer.push("X-Sum", "17").expect("a header");
        write_last(&trailer, &mut bytes);
        let length = bytes.len();
        bytes.extend_from_slice(b"GET");
        let (data, read, taken) = read(&bytes, 400).expect("chunks");
        assert_eq!(data.len(), 312);
        assert_eq!((read, taken), (trailer, length));
    }

    #[test]
    fn sizes_are_bounded_one_by_one_and_all_together() {
        assert_eq!(read(b"5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n", 9), Err(Refusal::BodyTooLong));
        assert!(read(b"00000005\r\nhello\r\n0\r\n\r\n", 9).is_ok());
        assert_eq!(read(b"000000005\r\nhello\r\n0\r\n\r\n", 9), Err(Refusal::Chunk));
        assert_eq!(read(b"FFFFFFFF\r\n", 9), Err(Refusal::BodyTooLong));
    }
}
