//! The text of a document: names, values, characters and references.

use super::TEXT_MAX;

/// Bytes of a reference, at most.
const REFERENCE_MAX: usize = 12;

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Scan<'t> {
    text: &'t [u8],
    at: usize,
}

/// Characters that were read: how many bytes they had, what they are, and whether they are one reference by itself.
pub(super) struct Reading {
    pub(super) length: usize,
    pub(super) text: Vec<u8>,
    pub(super) single: bool,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Returns true if markup begins here and does not end.
    pub(super) fn is_open_markup(&self) -> bool {
        let rest = self.rest();
        let end: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', ..] => b"?>",
            _ => b">",
        };
        rest.starts_with(b"<") && memchr::memmem::find(rest, end).is_none()
    }

    pub(super) fn take(&mut self, wanted: &[u8]) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    pub(super) fn spaces(&mut self) {
        self.at += self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    }

    /// Up to some bytes, which are taken, too.
    pub(super) fn until(&mut self, end: &[u8]) -> Option<&'t [u8]> {
        let found = memchr::memmem::find(self.rest(), end)?;
        let text = &self.rest()[..found];
        self.at += found + end.len();
        Some(text)
    }

    pub(super) fn name(&mut self) -> Option<&'t [u8]> {
        let is_first = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
        let is_next = |byte: &u8| is_first(*byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        let rest = self.rest();
        rest.first().filter(|byte| is_first(**byte))?;
        let length = rest.iter().take_while(|byte| is_next(byte)).count();
        self.at += length;
        Some(&rest[..length])
    }

    /// A name and its value in quotes; none inside where there is no other one.
    pub(super) fn attribute(&mut self) -> Option<Option<(&'t [u8], &'t [u8])>> {
        let before = self.at;
        self.spaces();
        if self.is_at_end() || matches!(self.rest().first(), Some(b'/' | b'>')) {
            return Some(None);
        }
        (self.at > before).then_some(())?;
        let name = self.name()?;
        self.spaces();
        self.take(b"=").then_some(())?;
        self.spaces();
        let quote = *self.rest().first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        self.at += 1;
        let value = self.until(&[quote])?;
        (!value.contains(&b'<')).then_some(Some((name, value)))
    }
}

/// Characters of content up to a tag, to a reference in the older form, or as many as an event holds.
pub(super) fn characters(rest: &[u8], (compatible, utf8): (bool, bool)) -> Option<Reading> {
    let mut text = Vec::new();
    let mut at = 0;
    while at < rest.len() && (text.len() < TEXT_MAX || (utf8 && is_within_character(rest[at]))) {
        match rest[at] {
            b'<' => break,
            b'&' if compatible && at > 0 => break,
            b'&' => match reference(&rest[at..], utf8) {
                Some((character, length)) if compatible => {
                    return Some(Reading { length, text: character, single: true });
                }
                Some((character, length)) => {
                    text.extend(character);
                    at += length;
                }
                // What is in front of it comes first.
                None => break,
            },
            b'\r' => {
                at += if rest[at..].starts_with(b"\r\n") { 2 } else { 1 };
                text.push(b'\n');
            }
            byte => {
                if rest[at..].starts_with(b"]]>") || (byte < b' ' && !matches!(byte, b'\t' | b'\n')) {
                    return None;
                }
                text.push(byte);
                at += 1;
            }
        }
    }
    (at > 0).then_some(Reading { length: at, text, single: false })
}

/// Returns true of a byte of UTF-8 that begins no character.
fn is_within_character(byte: u8) -> bool {
    matches!(byte, 0x80..0xC0)
}

/// The number of bytes of a CDATA section that come next; `None` if its end is not there.
pub(super) fn cdata_length(rest: &[u8], utf8: bool) -> Option<usize> {
    let length = match memchr::memmem::find(rest, b"]]>") {
        Some(end) => end,
        // The last two bytes may belong to its end.
        None => rest.len().checked_sub(2).filter(|length| *length > 0)?,
    };
    let cut = length.min(TEXT_MAX);
    let within = rest[cut..length].iter().take_while(|byte| utf8 && is_within_character(**byte)).count();
    Some(cut + within)
}

pub(super) fn with_line_feeds(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\r' => out.push(b'\n'),
            b'\n' if at > 0 && text[at - 1] == b'\r' => {}
            byte => out.push(*byte),
        }
    }
    out
}

/// The pieces of an attribute's value, each with whether it is one reference by itself.
pub(super) fn attribute_value(
    value: &[u8],
    (compatible, utf8): (bool, bool),
) -> Option<Vec<(Vec<u8>, bool)>> {
    let mut pieces = vec![(Vec::new(), false)];
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        let (character, length, single) = match byte {
            b'&' => {
                let (character, length) = reference(&value[at..], utf8)?;
                (character, length, compatible)
            }
            b'\t' | b'\r' | b'\n' => {
                (vec![b' '], if value[at..].starts_with(b"\r\n") { 2 } else { 1 }, false)
            }
            0..b' ' => return None,
            byte => (vec![byte], 1, false),
        };
        at += length;
        if single {
            pieces.push((character, true));
            pieces.push((Vec::new(), false));
        } else if let Some((last, _)) = pieces.last_mut() {
            last.extend(character);
        }
    }
    let only = pieces.len() == 1;
    pieces.retain(|(text, _)| only || !text.is_empty());
    Some(pieces)
}

/// The character of a reference, and how many bytes that has.
fn reference(text: &[u8], utf8: bool) -> Option<(Vec<u8>, usize)> {
    let end = text.iter().take(REFERENCE_MAX).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&text[1..end]).ok()?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        other => {
            let digits = other.strip_prefix('#')?;
            let number = match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => digits.parse().ok()?,
            };
            let is_legal = |one: &char| matches!(one, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
            char::from_u32(number).filter(is_legal)?
        }
    };
    let bytes = match utf8 {
        true => character.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
        false => vec![u8::try_from(u32::from(character)).ok()?],
    };
    Some((bytes, end + 1))
}
