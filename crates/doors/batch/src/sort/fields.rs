//! Fields of records: where they lie, what they hold, how they are compared.

use ebcdic::decimal::{ZonedSign, pack, read_zoned, unpack, write_zoned};

use super::control::Item;

/// Bytes of a number in an order that bytes have.
const NUMBER: usize = size_of::<i128>();

/// The format of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// CH, AC, BI where bytes decide.
    Bytes,
    /// BI as a number.
    Binary,
    /// FI.
    Fixed,
    /// PD.
    Packed,
    /// ZD.
    Zoned,
    /// FS, CSF: digits with a floating sign.
    Floating,
    /// UFF: the digits of a text, without a sign.
    Digits,
    /// SFF: the same with a sign.
    SignedDigits,
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its offset.
    pub at: usize,
    pub length: usize,
    pub format: Format,
}

impl Format {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "CH" | "AC" | "AQ" => Self::Bytes,
            "BI" => Self::Binary,
            "FI" => Self::Fixed,
            "PD" => Self::Packed,
            "ZD" | "CTO" => Self::Zoned,
            "FS" | "CSF" => Self::Floating,
            "UFF" => Self::Digits,
            "SFF" => Self::SignedDigits,
            _ => return None,
        })
    }
}

impl Field {
    /// Makes a field from position and length as they are written.
    pub fn new(position: &Item, length: &Item, format: Format) -> Option<Self> {
        let at = position.number()?.checked_sub(1)?;
        let length = length.number().filter(|length| (1..=32_760).contains(length))?;
        let fits = match format {
            Format::Packed => length <= 16,
            Format::Zoned => length <= 31,
            Format::Fixed => length <= 8,
            _ => true,
        };
        fits.then_some(Self { at, length, format })
    }

    /// Returns its bytes; where the record is shorter, zeros.
    pub fn bytes(&self, record: &[u8]) -> Vec<u8> {
        let there = record.get(self.at..).unwrap_or_default();
        let mut bytes = there[..there.len().min(self.length)].to_vec();
        bytes.resize(self.length, 0);
        bytes
    }

    /// Returns the number that it holds; `None` if it holds no number.
    pub fn number(&self, record: &[u8]) -> Option<i128> {
        let bytes = self.bytes(record);
        match self.format {
            Format::Packed => unpack(&bytes).ok(),
            Format::Zoned => read_zoned(&bytes, ZonedSign::Trailing).ok(),
            Format::Fixed => {
                let fill = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { 0xFF } else { 0 };
                let mut whole = [fill; NUMBER];
                whole[NUMBER - bytes.len()..].copy_from_slice(&bytes);
                Some(i128::from_be_bytes(whole))
            }
            Format::Binary if bytes.len() < NUMBER => {
                let mut whole = [0; NUMBER];
                whole[NUMBER - bytes.len()..].copy_from_slice(&bytes);
                Some(i128::from_be_bytes(whole))
            }
            Format::Bytes | Format::Binary => None,
            Format::Floating | Format::Digits | Format::SignedDigits => {
                let mut digits = bytes.iter().filter(|byte| byte.is_ascii_digit());
                let value = digits.try_fold(0_i128, |value, digit| {
                    value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))
                })?;
                let is_minus = self.format != Format::Digits && bytes.iter().any(|byte| matches!(byte, b'-'))
                    || self.format == Format::SignedDigits && bytes.ends_with(b")");
                Some(if is_minus { -value } else { value })
            }
        }
    }

    /// Stores a number; `false` if it does not fit.
    pub fn store(&self, number: i128, record: &mut [u8]) -> bool {
        let Some(bytes) = record.get_mut(self.at..self.at + self.length) else { return false };
        store(number, self.format, bytes)
    }

    /// Returns bytes that are in the same order as the field's values.
    pub fn ordered(&self, record: &[u8]) -> Vec<u8> {
        match self.format {
            Format::Bytes | Format::Binary => self.bytes(record),
            // What is no number comes in the order of its bytes, before all numbers.
            _ => match self.number(record) {
                Some(number) => {
                    let flipped = (number as u128) ^ (1 << 127);
                    [&[1], &flipped.to_be_bytes()[..]].concat()
                }
                None => {
                    let mut bytes = self.bytes(record);
                    bytes.resize(NUMBER, 0);
                    [&[0], &bytes[..NUMBER]].concat()
                }
            },
        }
    }

    /// Returns the number of bytes that `ordered` gives.
    pub fn ordered_length(&self) -> usize {
        match self.format {
            Format::Bytes | Format::Binary => self.length,
            _ => NUMBER + 1,
        }
    }
}

/// Stores a number in a form; `false` if it does not fit.
pub(super) fn store(number: i128, format: Format, bytes: &mut [u8]) -> bool {
    match format {
        Format::Packed => pack(number, true, bytes).is_ok(),
        // A number that is not negative can be read as it is printed.
        Format::Zoned => {
            let sign = if number < 0 { ZonedSign::Trailing } else { ZonedSign::None };
            write_zoned(number, sign, bytes).is_ok()
        }
        Format::Fixed | Format::Binary => {
            let bits = bytes.len() * 8;
            let fits = match format {
                Format::Binary => number >= 0 && (bits >= 127 || number < 1 << bits),
                _ => bits >= 128 || (-(1 << (bits - 1))..1 << (bits - 1)).contains(&number),
            };
            if fits {
                let whole = number.to_be_bytes();
                let from = whole.len().saturating_sub(bytes.len());
                bytes.fill(0);
                let to = bytes.len() - (whole.len() - from);
                bytes[to..].copy_from_slice(&whole[from..]);
            }
            fits
        }
        Format::Floating => {
            let text = format!("{number:>width$}", width = bytes.len());
            let fits = text.len() == bytes.len();
            if fits {
                bytes.copy_from_slice(text.as_bytes());
            }
            fits
        }
        Format::Bytes | Format::Digits | Format::SignedDigits => false,
    }
}
