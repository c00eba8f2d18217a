//! A strict pull reader of JSON: RFC 8259, UTF-8, numbers as their digits.

use std::borrow::Cow;

use crate::fault::{FaultKind, MappingFault};
use crate::limits::DEPTH_MAX;

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A message. A byte order mark before it is passed over, as RFC 8259 allows.
    pub fn new(message: &'a [u8]) -> Result<Self, MappingFault> {
        let text = std::str::from_utf8(message)
            .map_err(|_| MappingFault::new(FaultKind::InvalidUnicode, "the message is no UTF-8"))?;
        Ok(Self { text: text.strip_prefix('\u{FEFF}').unwrap_or(text), at: 0 })
    }

    /// The next byte that is not a blank; it is not passed over.
    pub fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Passes over a sign.
    pub fn expect(&mut self, sign: u8) -> Result<(), MappingFault> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.format(&format!("{:?} is expected", char::from(sign))))
        }
    }

    /// Passes over a sign, if it is next.
    pub fn takes(&mut self, sign: u8) -> bool {
        let is = self.peek() == Some(sign);
        self.at += usize::from(is);
        is
    }

    /// Passes over `"name":`, if exactly that is next.
    pub fn takes_member(&mut self, name: &str) -> bool {
        self.peek();
        let rest = &self.text.as_bytes()[self.at..];
        let behind = rest
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_prefix(name.as_bytes())?.strip_prefix(b"\":"));
        if let Some(behind) = behind {
            self.at += rest.len() - behind.len();
        }
        behind.is_some()
    }

    /// The name of a member, with its colon.
    pub fn member(&mut self) -> Result<Cow<'a, str>, MappingFault> {
        if self.peek() != Some(b'"') {
            return Err(self.format("a name in quotes is expected"));
        }
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Reads a string; its quote is next.
    pub fn string(&mut self) -> Result<Cow<'a, str>, MappingFault> {
        self.at += 1;
        let from = self.at;
        let mut text = Cow::Borrowed("");
        let mut begin = from;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let stop = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            let Some(stop) = stop else { return Err(self.format("a string has no end")) };
            let byte = rest[stop];
            self.at += stop;
            let piece = &self.text[begin..self.at];
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(match text {
                        Cow::Borrowed(_) if begin == from => Cow::Borrowed(piece),
                        _ => {
                            text.to_mut().push_str(piece);
                            text
                        }
                    });
                }
                b'\\' => {
                    let whole = text.to_mut();
                    whole.push_str(piece);
                    self.at += 1;
                    let character = self.escape()?;
                    whole.push(character);
                    begin = self.at;
                }
                _ => return Err(self.format("a control character stands in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, MappingFault> {
        let byte = self.text.as_bytes().get(self.at).copied();
        self.at += 1;
        Ok(match byte {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.code(),
            _ => return Err(self.format("\\ begins no escape")),
        })
    }

    fn code(&mut self) -> Result<char, MappingFault> {
        let first = self.unit()?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            units.push(self.unit()?);
        }
        let mut characters = char::decode_utf16(units);
        match (characters.next(), characters.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(MappingFault::new(FaultKind::InvalidUnicode, "\\u stands for half a character")),
        }
    }

    fn unit(&mut self) -> Result<u16, MappingFault> {
        let digits = self
            .text
            .as_bytes()
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits.and_then(|digits| u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let unit = unit.ok_or_else(|| self.format("\\u has four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }

    /// A number as its digits, by the grammar: no plus, no leading zeros, digits round the point.
    pub fn number(&mut self) -> Result<&'a str, MappingFault> {
        let from = self.at;
        let bytes = self.text.as_bytes();
        let digits = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut at = from + usize::from(bytes.get(from) == Some(&b'-'));
        let whole = digits(at);
        let mut fine = whole == 1 || (whole > 1 && bytes[at] != b'0');
        at += whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            fine &= fraction > 0;
            at += 1 + fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            fine &= exponent > 0;
            at += exponent;
        }
        if !fine {
            return Err(self.format("this is no number"));
        }
        self.at = at;
        Ok(&self.text[from..at])
    }

    /// Passes over a word such as `null`, if it is next.
    pub fn takes_word(&mut self, word: &str) -> bool {
        self.peek();
        let is = self.text[self.at..].starts_with(word);
        self.at += if is { word.len() } else { 0 };
        is
    }

    /// Passes over a value of any kind.
    pub fn skip(&mut self, depth: usize) -> Result<(), MappingFault> {
        if depth > DEPTH_MAX {
            return Err(MappingFault::new(
                FaultKind::TooComplex,
                format!("more than {DEPTH_MAX} values within each other"),
            ));
        }
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            Some(b'[') => {
                self.at += 1;
                self.items(b']', |reader| reader.skip(depth + 1))
            }
            Some(b'{') => {
                self.at += 1;
                self.items(b'}', |reader| {
                    reader.member()?;
                    reader.skip(depth + 1)
                })
            }
            _ if ["true", "false", "null"].iter().any(|word| self.takes_word(word)) => Ok(()),
            _ => Err(self.format("a value is expected")),
        }
    }

    /// Items between commas up to a closing sign; the opening one was passed.
    pub fn items(
        &mut self,
        end: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), MappingFault>,
    ) -> Result<(), MappingFault> {
        if self.takes(end) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.takes(end) {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Checks that nothing follows the message's value.
    pub fn end(&mut self) -> Result<(), MappingFault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.format("something stands behind the message's value")),
        }
    }

    /// A fault of this place.
    pub fn format(&self, what: &str) -> MappingFault {
        MappingFault::new(FaultKind::Format, format!("{what} at byte {}", self.at.min(self.text.len())))
    }
}
