//! Decimal numbers in records.

use ebcdic::decimal::{self, ZonedSign};

use crate::fault::{FaultKind, MappingFault};
use crate::model::{Number, Store};

/// Powers of ten that fit in 64 bits.
const POWERS: usize = 19;

/// Writes a number without its point.
pub(crate) fn write(number: i128, as_: &Number, into: &mut [u8]) -> Result<(), MappingFault> {
    if number < 0 && !as_.signed {
        return Err(MappingFault::new(FaultKind::NegativeUnsigned, "the field has no sign"));
    }
    let bounded_by_digits = !matches!(as_.store, Store::Native);
    if bounded_by_digits && number.unsigned_abs() >= power(as_.digits) {
        return Err(overflow(as_.digits));
    }
    match as_.store {
        Store::Zoned(sign) => zoned(number, sign, into),
        Store::Packed => packed(number, as_.signed, into),
        Store::Binary | Store::Native => return binary(number, as_, into),
    }
    Ok(())
}

/// Reads a number without its point.
pub(crate) fn read(as_: &Number, bytes: &[u8]) -> Result<i128, MappingFault> {
    let bad = |error: decimal::DecimalError| MappingFault::new(FaultKind::InvalidNumber, error.to_string());
    match as_.store {
        Store::Zoned(sign) => {
            quick_zoned(sign, bytes).map_or_else(|| decimal::read_zoned(bytes, sign).map_err(bad), Ok)
        }
        Store::Packed => quick_packed(bytes).map_or_else(|| decimal::unpack(bytes).map_err(bad), Ok),
        Store::Binary | Store::Native => Ok(whole(bytes, as_.signed)),
    }
}

fn power(digits: usize) -> u128 {
    const POWERS_OF_TEN: [u128; decimal::MAX_DIGITS + 1] = {
        let mut powers = [1; decimal::MAX_DIGITS + 1];
        let mut at = 1;
        while at < powers.len() {
            powers[at] = powers[at - 1] * 10;
            at += 1;
        }
        powers
    };
    POWERS_OF_TEN[digits.min(decimal::MAX_DIGITS)]
}

fn overflow(digits: usize) -> MappingFault {
    MappingFault::new(FaultKind::OutputOverflow, format!("the number does not fit into {digits} digits"))
}

/// The number is known to fit: its digits from the last one.
fn zoned(number: i128, sign: ZonedSign, into: &mut [u8]) {
    let Ok(mut rest) = u64::try_from(number.unsigned_abs()) else {
        let _ = decimal::write_zoned(number, sign, into);
        return;
    };
    if !matches!(sign, ZonedSign::None | ZonedSign::Trailing) || into.is_empty() {
        let _ = decimal::write_zoned(number, sign, into);
        return;
    }
    for byte in into.iter_mut().rev() {
        *byte = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if sign == ZonedSign::Trailing
        && let Some(last) = into.last_mut()
    {
        *last = decimal::overpunch(*last, number < 0);
    }
}

fn packed(number: i128, signed: bool, into: &mut [u8]) {
    let Ok(mut rest) = u64::try_from(number.unsigned_abs()) else {
        let _ = decimal::pack(number, signed, into);
        return;
    };
    let mut low = match (signed, number < 0) {
        (false, _) => 0xF,
        (true, false) => 0xC,
        (true, true) => 0xD,
    };
    for byte in into.iter_mut().rev() {
        *byte = ((rest % 10) as u8) << 4 | low;
        rest /= 10;
        low = (rest % 10) as u8;
        rest /= 10;
    }
}

fn binary(number: i128, as_: &Number, into: &mut [u8]) -> Result<(), MappingFault> {
    let bytes = number.to_be_bytes();
    let Some(from) = bytes.len().checked_sub(into.len()) else { return Err(overflow(as_.digits)) };
    if whole(&bytes[from..], as_.signed) != number {
        return Err(MappingFault::new(
            FaultKind::OutputOverflow,
            format!("the number does not fit into {} bytes", into.len()),
        ));
    }
    into.copy_from_slice(&bytes[from..]);
    Ok(())
}

/// A binary number, whose highest byte is the first.
fn whole(bytes: &[u8], signed: bool) -> i128 {
    let negative = signed && bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |number, byte| number << 8 | i128::from(*byte))
}

/// Plain digits that fit in 64 bits.
fn quick_zoned(sign: ZonedSign, bytes: &[u8]) -> Option<i128> {
    if !matches!(sign, ZonedSign::None | ZonedSign::Trailing) || bytes.len() >= POWERS {
        return None;
    }
    let (last, leading) = bytes.split_last()?;
    let mut number = 0i64;
    for byte in leading {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    let (digit, minus) = match (sign, last) {
        (_, b'0'..=b'9') => (last - b'0', false),
        (ZonedSign::Trailing, b'{') => (0, false),
        (ZonedSign::Trailing, b'A'..=b'I') => (last - b'A' + 1, false),
        (ZonedSign::Trailing, b'}') => (0, true),
        (ZonedSign::Trailing, b'J'..=b'R') => (last - b'J' + 1, true),
        _ => return None,
    };
    number = number * 10 + i64::from(digit);
    Some(i128::from(if minus { -number } else { number }))
}

/// Packed digits that fit in 64 bits, with a preferred sign.
fn quick_packed(bytes: &[u8]) -> Option<i128> {
    let (last, leading) = bytes.split_last()?;
    if bytes.len() * 2 > POWERS {
        return None;
    }
    let mut number = 0i64;
    for byte in leading {
        let (high, low) = (byte >> 4, byte & 0xF);
        if high > 9 || low > 9 {
            return None;
        }
        number = number * 100 + i64::from(high * 10 + low);
    }
    let digit = last >> 4;
    if digit > 9 {
        return None;
    }
    number = number * 10 + i64::from(digit);
    match last & 0xF {
        0xC | 0xF => Some(i128::from(number)),
        0xD => Some(i128::from(-number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS: [ZonedSign; 5] = [
        ZonedSign::None,
        ZonedSign::Leading,
        ZonedSign::Trailing,
        ZonedSign::LeadingSeparate,
        ZonedSign::TrailingSeparate,
    ];

    #[test]
    fn the_quick_ways_give_what_the_slow_ones_give() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..20_000 {
            let digits = random.usize(1..=31);
            let number = random.i128(..) % 10i128.pow(digits as u32);
            let sign = SIGNS[random.usize(..SIGNS.len())];
            let signed = sign != ZonedSign::None;
            let number = if signed { number } else { number.abs() };
            let mut field = vec![0; digits + usize::from(sign.is_separate())];
            let as_ = Number { store: Store::Zoned(sign), digits, scale: 0, signed };
            write(number, &as_, &mut field).expect("it fits");
            let mut judge = field.clone();
            decimal::write_zoned(number, sign, &mut judge).expect("it fits");
            assert_eq!(field, judge);
            assert_eq!(read(&as_, &field), Ok(number));
            let as_ = Number { store: Store::Packed, digits, scale: 0, signed };
            let mut field = vec![0; digits / 2 + 1];
            write(number, &as_, &mut field).expect("it fits");
            let mut judge = field.clone();
            decimal::pack(number, signed, &mut judge).expect("it fits");
            assert_eq!(field, judge);
            assert_eq!(read(&as_, &field), Ok(number));
        }
    }

    #[test]
    fn nothing_wraps() {
        let of = |store, digits, signed, number: i128, length| {
            let mut field = vec![0; length];
            write(number, &Number { store, digits, scale: 0, signed }, &mut field)
                .map(|()| field)
                .map_err(|fault| fault.kind)
        };
        use FaultKind::{NegativeUnsigned, OutputOverflow};
        assert_eq!(of(Store::Binary, 4, true, 10_000, 2), Err(OutputOverflow));
        assert_eq!(of(Store::Native, 4, true, 32_767, 2), Ok(vec![0x7F, 0xFF]));
        assert_eq!(of(Store::Native, 4, true, 32_768, 2), Err(OutputOverflow));
        assert_eq!(of(Store::Native, 4, false, 65_535, 2), Ok(vec![0xFF, 0xFF]));
        assert_eq!(of(Store::Binary, 9, true, -2, 4), Ok(vec![0xFF, 0xFF, 0xFF, 0xFE]));
        assert_eq!(of(Store::Packed, 3, false, -1, 2), Err(NegativeUnsigned));
        assert_eq!(of(Store::Packed, 2, true, 100, 2), Err(OutputOverflow));
    }
}
