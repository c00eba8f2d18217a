//! STRING and UNSTRING.

use crate::character::Character;
use crate::{Pace, Stopped};

/// A sender of STRING.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a, T = u8> {
    /// Its text.
    pub text: &'a [T],
    /// DELIMITED BY: it ends in front of the first of these. None for SIZE.
    pub delimiter: Option<&'a [T]>,
}

/// STRING: puts the pieces one after the other from the 1-based pointer on. The rest of the receiver stays.
///
/// Returns the pointer after it, and true if it overflowed: the pointer was outside, or a piece found no room.
pub fn string<T: Character>(
    pieces: &[Piece<'_, T>],
    into: &mut [T],
    pointer: i64,
    pace: &mut Pace<'_>,
) -> Result<(i64, bool), Stopped> {
    let Some(mut at) = place(pointer, into.len()) else { return Ok((pointer, true)) };
    for piece in pieces {
        pace.steps(1 + piece.text.len() / 16)?;
        let end = piece_end(piece.text, piece.delimiter.unwrap_or_default());
        let length = end.min(into.len() - at);
        into[at..at + length].copy_from_slice(&piece.text[..length]);
        at += length;
        if length < end {
            return Ok((at as i64 + 1, true));
        }
    }
    Ok((at as i64 + 1, false))
}

/// Returns the end of a sender: the place of the first delimiter. An empty delimiter ends nothing.
pub fn piece_end<T: Character>(text: &[T], delimiter: &[T]) -> usize {
    T::find(text, delimiter).unwrap_or(text.len())
}

/// A delimiter of UNSTRING.
#[derive(Clone, Copy, Debug)]
pub struct Delimiter<'a, T = u8> {
    /// Its text; nothing matches an empty one.
    pub text: &'a [T],
    /// ALL: several that follow each other are one.
    pub all: bool,
}

/// The text that one receiver of UNSTRING takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<'a, T = u8> {
    /// The characters in front of the delimiter: what is moved, and whose length COUNT IN takes.
    pub text: &'a [T],
    /// The delimiter, once also for ALL; empty at the end of the sender: what DELIMITER IN takes.
    pub delimiter: &'a [T],
}

/// UNSTRING on its way through the sender.
#[derive(Clone, Copy, Debug)]
pub struct Unstring<'a, T = u8> {
    text: &'a [T],
    delimiters: &'a [Delimiter<'a, T>],
    at: usize,
}

impl<'a, T: Character> Unstring<'a, T> {
    /// Begins at the 1-based pointer; `None` if it is outside the sender, which is an overflow.
    pub fn new(text: &'a [T], delimiters: &'a [Delimiter<'a, T>], pointer: i64) -> Option<Self> {
        Some(Self { text, delimiters, at: place(pointer, text.len())? })
    }

    /// Returns the text that the next receiver takes; `None` at the end of the sender. `length` is the receiver's,
    /// which counts if there are no delimiters.
    pub fn take(&mut self, length: usize, pace: &mut Pace<'_>) -> Result<Option<Taken<'a, T>>, Stopped> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        if self.delimiters.is_empty() {
            let text = &rest[..length.min(rest.len())];
            self.at += text.len();
            return Ok(Some(Taken { text, delimiter: &[] }));
        }
        let cost = 1 + self.delimiters.iter().map(|d| 1 + d.text.len() / 16).sum::<usize>();
        for end in 0..rest.len() {
            pace.steps(cost)?;
            let behind = &rest[end..];
            let found = self.delimiters.iter().find(|d| !d.text.is_empty() && behind.starts_with(d.text));
            if let Some(delimiter) = found {
                let mut next = end + delimiter.text.len();
                while delimiter.all && rest[next..].starts_with(delimiter.text) {
                    pace.steps(1 + delimiter.text.len() / 16)?;
                    next += delimiter.text.len();
                }
                self.at += next;
                return Ok(Some(Taken { text: &rest[..end], delimiter: delimiter.text }));
            }
        }
        self.at = self.text.len();
        Ok(Some(Taken { text: rest, delimiter: &[] }))
    }

    /// Returns the pointer, 1-based.
    pub fn pointer(&self) -> i64 {
        self.at as i64 + 1
    }

    /// Returns true if text is left over: an overflow, when all receivers have taken theirs.
    pub fn is_left_over(&self) -> bool {
        self.at < self.text.len()
    }
}

/// The 0-based place of a pointer in so many bytes.
pub fn place(pointer: i64, length: usize) -> Option<usize> {
    let at = usize::try_from(pointer.checked_sub(1)?).ok()?;
    (at < length).then_some(at)
}
