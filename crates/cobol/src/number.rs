//! COBOL numbers as bytes: zoned, packed, binary.

use crate::layout::{flag, kind};

/// Where a zoned number has its sign.
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

/// How a number is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A character for each digit (DISPLAY).
    Zoned(Sign),
    /// Two digits a byte and a sign (COMP-3).
    Packed {
        /// Whether it may be negative.
        signed: bool,
    },
    /// Two digits a byte without a sign (COMP-6).
    Comp6,
    /// Binary: COMP is big-endian, COMP-5 little-endian.
    Binary {
        /// Whether it may be negative.
        signed: bool,
        /// Whether the highest byte comes first.
        big_endian: bool,
    },
}

/// Digits with a negative sign, as mainframes overpunch them: } is 0, J is 1.
const NEGATIVE: &[u8; 10] = b"}JKLMNOPQR";
/// Digits with a positive sign: { is 0, A is 1.
const POSITIVE: &[u8; 10] = b"{ABCDEFGHI";

const PACKED_PLUS: u8 = 0xc;
const PACKED_MINUS: u8 = 0xd;
const PACKED_UNSIGNED: u8 = 0xf;

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
        Format::Binary { signed, big_endian } => decode_binary(signed, big_endian, bytes),
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
            let overpunched = |b: &u8| NEGATIVE.contains(b) || POSITIVE.contains(b);
            bytes.iter().all(|b| plain(b) || overpunched(b))
        }
        _ => true,
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

fn decode_binary(signed: bool, big_endian: bool, bytes: &[u8]) -> Option<i128> {
    const WIDEST: usize = size_of::<u64>();
    if bytes.is_empty() || bytes.len() > WIDEST {
        return None;
    }
    let mut wide = [0; WIDEST];
    wide[..bytes.len()].copy_from_slice(bytes);
    if big_endian {
        wide[..bytes.len()].reverse();
    }
    let unused = 8 * (WIDEST - bytes.len()) as u32;
    let value = u64::from_le_bytes(wide) << unused;
    Some(if signed { i128::from(value.cast_signed() >> unused) } else { i128::from(value >> unused) })
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
            let bits = 8 * bytes.len() as u32;
            let (lowest, highest) =
                if signed { (-1i128 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
            if !(lowest..=highest).contains(&value) {
                return None;
            }
            let wide = value.to_le_bytes();
            bytes.copy_from_slice(&wide[..bytes.len()]);
            if big_endian {
                bytes.reverse();
            }
            Some(())
        }
    }
}

fn encode_nibbles(mut rest: u128, sign: Option<u8>, bytes: &mut [u8]) -> Option<()> {
    bytes.fill(0);
    let mut nibbles = (0..2 * bytes.len()).rev();
    if let Some(sign) = sign {
        nibbles.next()?;
        *bytes.last_mut()? = sign;
    }
    for at in nibbles {
        let digit = (rest % 10) as u8;
        rest /= 10;
        bytes[at / 2] |= if at % 2 == 0 { digit << 4 } else { digit };
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
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
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
