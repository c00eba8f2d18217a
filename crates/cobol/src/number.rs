//! COBOL numbers as bytes: zoned, packed, binary.

use crate::layout::{flag, kind};

/// The place of a zoned number's sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Nowhere: it is not negative.
    None,
    /// In the last digit.
    TrailingOverpunch,
    /// In the first digit.
    LeadingOverpunch,
    /// A character behind the digits.
    TrailingSeparate,
    /// A character before the digits.
    LeadingSeparate,
}

/// The form of a number in storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A character for each digit (DISPLAY).
    Zoned(Sign),
    /// Two digits a byte and a sign (COMP-3).
    Packed {
        /// True if it may be negative.
        signed: bool,
    },
    /// Two digits a byte without a sign (COMP-6).
    Comp6,
    /// Binary: COMP is big-endian, COMP-5 little-endian.
    Binary {
        /// True if it may be negative.
        signed: bool,
        /// True if the highest byte comes first.
        big_endian: bool,
    },
}

/// Digits with a negative sign, as mainframes overpunch them: } is 0, J is 1.
const NEGATIVE: &[u8; 10] = b"}JKLMNOPQR";
/// Digits with a positive sign: { is 0, A is 1.
const POSITIVE: &[u8; 10] = b"{ABCDEFGHI";

/// The signs of packed numbers as they are written.
pub const PACKED_PLUS: u8 = 0xc;
/// Of a negative one.
pub const PACKED_MINUS: u8 = 0xd;
/// Of one that has no sign.
pub const PACKED_UNSIGNED: u8 = 0xf;

/// Reads a number; `None` if the bytes are not one, or more than fits.
pub fn decode(format: Format, bytes: &[u8]) -> Option<i128> {
    match format {
        Format::Zoned(sign) => decode_zoned(sign, bytes),
        Format::Packed { .. } => {
            let (last, front) = bytes.split_last()?;
            let digits = front.iter().flat_map(|b| [b >> 4, b & 0xf]).chain([last >> 4]);
            let value = decimal(digits)?;
            match last & 0xf {
                0xb | PACKED_MINUS => Some(-value),
                0xa | PACKED_PLUS | 0xe | PACKED_UNSIGNED => Some(value),
                _ => None,
            }
        }
        Format::Comp6 => decimal(bytes.iter().flat_map(|b| [b >> 4, b & 0xf])),
        Format::Binary { signed, big_endian } => {
            let mut first = [0; BINARY_WIDEST];
            first.get_mut(..bytes.len())?.copy_from_slice(bytes);
            decode_binary(signed, big_endian, first, bytes.len())
        }
    }
}

/// Whether the mainframe's decimal instructions would calculate with these bytes: packed digits and sign must be
/// valid; of a zoned number only the lower halves of its bytes count.
pub fn is_calculable(kind: u16, flags: u16, bytes: &[u8]) -> bool {
    let digit = |nibble: u8| nibble <= 9;
    let packed = |bytes: &[u8]| bytes.iter().all(|b| digit(b >> 4) && digit(b & 0xf));
    match (kind, bytes.split_last()) {
        (kind::PACKED, _) if flags & flag::NO_SIGN_NIBBLE != 0 => packed(bytes),
        (kind::PACKED, Some((last, front))) => packed(front) && digit(last >> 4) && !digit(last & 0xf),
        (kind::DISPLAY, _) if flags & flag::SIGN_SEPARATE == 0 => {
            let plain = |b: &u8| digit(b & 0xf);
            let zoned = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'{' | b'}');
            bytes.iter().all(|b| plain(b) || zoned(b))
        }
        _ => true,
    }
}

/// Whether the lower halves of all bytes are digits: with these the mainframe calculates in any case. All are looked at,
/// which is quicker than to stop at the first.
pub fn has_only_digits<const N: usize>(bytes: &[u8; N]) -> bool {
    bytes.iter().fold(true, |so_far, byte| so_far & (byte & 0xf <= 9))
}

/// The digit that the mainframe's instructions take a character of a zoned number for, whatever its zone says: the lower
/// half of the byte that it is there. What is none there counts by its own lower half, as far as that is a digit.
pub fn digit(character: u8) -> u8 {
    match character {
        b'1'..=b'9' => character - b'0',
        b'A'..=b'I' => character - b'A' + 1,
        b'J'..=b'R' => character - b'J' + 1,
        b'S'..=b'Z' => character - b'S' + 2,
        b'a'..=b'i' => character - b'a' + 1,
        b'j'..=b'r' => character - b'j' + 1,
        b's'..=b'z' => character - b's' + 2,
        b'0' | b'{' | b'}' => 0,
        _ if character & 0xf <= 9 => character & 0xf,
        _ => 0,
    }
}

fn decimal(mut digits: impl Iterator<Item = u8>) -> Option<i128> {
    digits.try_fold(0i128, |value, digit| match digit {
        0..=9 => value.checked_mul(10)?.checked_add(digit.into()),
        _ => None,
    })
}

fn decode_zoned(sign: Sign, bytes: &[u8]) -> Option<i128> {
    let plain = |bytes: &[u8]| decimal(bytes.iter().map(|b| b.wrapping_sub(b'0')));
    let with_sign = |sign: u8, value: i128| match sign {
        b'+' => Some(value),
        b'-' => Some(-value),
        _ => None,
    };
    let mut digits = bytes.to_vec();
    let overpunched = match sign {
        Sign::None => return plain(bytes),
        Sign::LeadingSeparate => return with_sign(*bytes.first()?, plain(&bytes[1..])?),
        Sign::TrailingSeparate => return with_sign(*bytes.last()?, plain(&bytes[..bytes.len() - 1])?),
        Sign::LeadingOverpunch => digits.first_mut()?,
        Sign::TrailingOverpunch => digits.last_mut()?,
    };
    let place = |table: &[u8; 10], byte: u8| table.iter().position(|d| *d == byte).map(|d| b'0' + d as u8);
    let negative = match (place(NEGATIVE, *overpunched), place(POSITIVE, *overpunched)) {
        (Some(digit), _) => {
            *overpunched = digit;
            true
        }
        (None, Some(digit)) => {
            *overpunched = digit;
            false
        }
        (None, None) => false,
    };
    let value = plain(&digits)?;
    Some(if negative { -value } else { value })
}

/// Most bytes that a binary number has.
pub const BINARY_WIDEST: usize = size_of::<u64>();

/// How many bits of a 64-bit word a number of so many bytes leaves; `None` if it has none, or too many.
#[inline]
fn unused_bits(size: usize) -> Option<u32> {
    (1..=BINARY_WIDEST).contains(&size).then(|| 8 * (BINARY_WIDEST - size) as u32)
}

/// The binary number in the first `size` of the bytes.
#[inline]
pub fn decode_binary(
    signed: bool,
    big_endian: bool,
    first: [u8; BINARY_WIDEST],
    size: usize,
) -> Option<i128> {
    let unused = unused_bits(size)?;
    let highest = if big_endian { u64::from_be_bytes(first) } else { u64::from_le_bytes(first) << unused };
    Some(lowered(signed, highest, unused))
}

/// The number in the highest bits of a word.
#[inline]
fn lowered(signed: bool, highest: u64, unused: u32) -> i128 {
    if signed { i128::from(highest.cast_signed() >> unused) } else { i128::from(highest >> unused) }
}

/// A binary number as the first `size` of these bytes; `None` if it does not fit.
#[inline]
pub fn encode_binary(
    signed: bool,
    big_endian: bool,
    value: i128,
    size: usize,
) -> Option<[u8; BINARY_WIDEST]> {
    let unused = unused_bits(size)?;
    let low = value as u64;
    let highest = low << unused;
    // What fits comes back.
    (lowered(signed, highest, unused) == value)
        .then(|| if big_endian { highest.to_be_bytes() } else { low.to_le_bytes() })
}

/// Writes a number that fills `bytes`; `None` if it does not fit or the format has no sign for it.
pub fn encode(format: Format, value: i128, bytes: &mut [u8]) -> Option<()> {
    match format {
        Format::Zoned(sign) => encode_zoned(sign, value, bytes),
        Format::Packed { signed } => {
            let sign = match (signed, value < 0) {
                (true, false) => PACKED_PLUS,
                (true, true) => PACKED_MINUS,
                (false, false) => PACKED_UNSIGNED,
                (false, true) => return None,
            };
            encode_nibbles(value.unsigned_abs(), Some(sign), bytes)
        }
        Format::Comp6 if value < 0 => None,
        Format::Comp6 => encode_nibbles(value.unsigned_abs(), None, bytes),
        Format::Binary { signed, big_endian } => {
            let size = bytes.len();
            bytes.copy_from_slice(&encode_binary(signed, big_endian, value, size)?[..size]);
            Some(())
        }
    }
}

/// Takes the last digits off a number: what is below the power of ten. Few numbers have more than a machine word, whose
/// division is quick.
fn take<const POWER: u8>(rest: &mut u128) -> u8 {
    if let Ok(word) = u64::try_from(*rest) {
        *rest = (word / u64::from(POWER)).into();
        return (word % u64::from(POWER)) as u8;
    }
    let digits = (*rest % u128::from(POWER)) as u8;
    *rest /= u128::from(POWER);
    digits
}

fn encode_nibbles(mut rest: u128, sign: Option<u8>, bytes: &mut [u8]) -> Option<()> {
    let mut front = bytes;
    if let Some(sign) = sign {
        let (last, others) = front.split_last_mut()?;
        *last = take::<10>(&mut rest) << 4 | sign;
        front = others;
    }
    for byte in front.iter_mut().rev() {
        let two = take::<100>(&mut rest);
        *byte = (two / 10) << 4 | (two % 10);
    }
    (rest == 0).then_some(())
}

fn encode_zoned(sign: Sign, value: i128, bytes: &mut [u8]) -> Option<()> {
    let negative = value < 0;
    let last = bytes.len().checked_sub(1)?;
    let mark = if negative { b'-' } else { b'+' };
    let digits = match sign {
        Sign::None if negative => return None,
        Sign::TrailingSeparate => {
            bytes[last] = mark;
            &mut bytes[..last]
        }
        Sign::LeadingSeparate => {
            bytes[0] = mark;
            &mut bytes[1..]
        }
        _ => &mut *bytes,
    };
    let mut rest = value.unsigned_abs();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + take::<10>(&mut rest);
    }
    let overpunched = match sign {
        Sign::TrailingOverpunch => digits.last_mut(),
        Sign::LeadingOverpunch => digits.first_mut(),
        _ => None,
    };
    if let Some(digit) = overpunched {
        let table = if negative { NEGATIVE } else { POSITIVE };
        *digit = table[usize::from(*digit - b'0')];
    }
    (rest == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_number_is_kept_in_its_first_bytes_and_comes_back_if_it_fits() {
        /// Signed, highest byte first, value, size, bytes.
        type Case<'a> = (bool, bool, i128, usize, Option<&'a [u8]>);
        let cases: [Case<'_>; 14] = [
            (true, true, -2, 2, Some(&[0xff, 0xfe])),
            (true, false, -2, 2, Some(&[0xfe, 0xff])),
            (true, true, 4102, 4, Some(&[0, 0, 0x10, 0x06])),
            (false, false, 4102, 4, Some(&[0x06, 0x10, 0, 0])),
            (true, true, 32_767, 2, Some(&[0x7f, 0xff])),
            (true, true, 32_768, 2, None),
            (true, true, -32_768, 2, Some(&[0x80, 0])),
            (true, true, -32_769, 2, None),
            (false, true, 65_535, 2, Some(&[0xff, 0xff])),
            (false, true, 65_536, 2, None),
            (false, true, -1, 8, None),
            (false, false, u64::MAX as i128, 8, Some(&[0xff; 8])),
            (true, true, i64::MIN as i128, 8, Some(&[0x80, 0, 0, 0, 0, 0, 0, 0])),
            (true, true, u64::MAX as i128, 8, None),
        ];
        for (signed, big_endian, value, size, bytes) in cases {
            let first = encode_binary(signed, big_endian, value, size);
            assert_eq!(first.as_ref().map(|first| &first[..size]), bytes, "{value} in {size} bytes");
            if let Some(bytes) = bytes {
                assert_eq!(decode(Format::Binary { signed, big_endian }, bytes), Some(value));
            }
        }
        for size in [0, 9] {
            assert_eq!(encode_binary(true, true, 1, size), None);
            assert_eq!(decode(Format::Binary { signed: true, big_endian: true }, &vec![0; size]), None);
        }
    }
}
