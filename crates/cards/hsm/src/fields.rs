//! The fields of a command, from left to right.

use card::digits::{Digits, number};
use card::hex;
use card::pan::Pan;

use crate::error::ErrorCode;
use crate::lmk::{Cryptogram, KeyType, Scheme};

/// The first byte of a trailer, which a response repeats.
const TRAILER: u8 = 0x19;
/// The local master key's number with its mark; there is one, with number 00.
const LMK_NUMBER: &[u8] = b"%00";
/// The end of a card number of variable length.
const DELIMITER: u8 = b';';

/// The unread rest of a command.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], ErrorCode> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ErrorCode::DataLength)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next characters.
    pub(crate) fn text(&mut self, length: usize) -> Result<&'a str, ErrorCode> {
        std::str::from_utf8(self.bytes(length)?).map_err(|_| ErrorCode::InvalidInput)
    }

    /// The next digits.
    pub(crate) fn digits<const N: usize>(&mut self) -> Result<Digits<N>, ErrorCode> {
        Digits::parse(self.text(N)?).ok_or(ErrorCode::InvalidInput)
    }

    /// The next digits as a number.
    pub(crate) fn number(&mut self, length: usize) -> Result<u32, ErrorCode> {
        let value = number(self.text(length)?).ok_or(ErrorCode::InvalidInput)?;
        u32::try_from(value).map_err(|_| ErrorCode::InvalidInput)
    }

    /// Digits after their count of one digit.
    pub(crate) fn counted_digits(&mut self) -> Result<&'a str, ErrorCode> {
        let count = self.number(1)?;
        let text = self.text(count as usize)?;
        number(text).map(|_| text).ok_or(ErrorCode::InvalidInput)
    }

    /// A length of four hexadecimal digits.
    pub(crate) fn hex_length(&mut self) -> Result<usize, ErrorCode> {
        let length = hex::decode(self.text(4)?).ok_or(ErrorCode::InvalidInput)?;
        Ok(usize::from(u16::from_be_bytes(length)))
    }

    /// A card number up to its delimiter.
    pub(crate) fn pan(&mut self) -> Result<Pan, ErrorCode> {
        let end = self.rest.iter().position(|byte| *byte == DELIMITER).ok_or(ErrorCode::InvalidAccount)?;
        let pan = Pan::new(self.text(end)?).map_err(|_| ErrorCode::InvalidAccount)?;
        self.bytes(1)?;
        Ok(pan)
    }

    /// Reads the type of a key.
    pub(crate) fn key_type(&mut self) -> Result<KeyType, ErrorCode> {
        KeyType::of_code(self.text(3)?).ok_or(ErrorCode::InvalidInput)
    }

    /// Reads the scheme in which a key must be written.
    pub(crate) fn scheme(&mut self) -> Result<Scheme, ErrorCode> {
        let letter = self.text(1)?.chars().next();
        letter.and_then(Scheme::of_letter).ok_or(ErrorCode::KeyScheme)
    }

    /// A wrapped key: letter and 32 digits.
    pub(crate) fn cryptogram(&mut self) -> Result<Cryptogram, ErrorCode> {
        let scheme = self.scheme()?;
        Ok(Cryptogram { scheme, halves: [self.half()?, self.half()?] })
    }

    fn half(&mut self) -> Result<[u8; 8], ErrorCode> {
        hex::decode(self.text(16)?).ok_or(ErrorCode::InvalidInput)
    }

    /// The end of the command: perhaps the number of the local master key, perhaps a trailer, which is returned with
    /// its first byte.
    pub(crate) fn end(self) -> Result<&'a [u8], ErrorCode> {
        let rest = self.rest.strip_prefix(LMK_NUMBER).unwrap_or(self.rest);
        match rest.first() {
            None | Some(&TRAILER) => Ok(rest),
            Some(_) => Err(ErrorCode::DataLength),
        }
    }
}
