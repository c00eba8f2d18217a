//! Numbers in bytes: zoned, packed, binary.
//!
//! A sign shares the last digit's byte of a zoned number as in EBCDIC's text: `{` and `A` to `I`, `}` and `J` to `R`.

use std::cmp::Ordering;

use cobol_types::{Numeric, Representation, SignPlace};

use cobol_runtime::national::{Encoding, display_of};

use super::abend::ProgramFault;
use super::decimal::{Decimal, LowDigits, remainder, ten};
use cobol_ir::program::Signs;

const POSITIVE: &[u8; 10] = b"{ABCDEFGHI";
const NEGATIVE: &[u8; 10] = b"}JKLMNOPQR";

/// The whole number that bytes hold, for commands.
///
/// # Errors
/// They hold none.
pub fn number_in(bytes: &[u8], numeric: Numeric) -> Result<i64, ProgramFault> {
    match short_binary(bytes, numeric) {
        Some(number) => Ok(number),
        None => Ok(load(bytes, numeric)?.integer()),
    }
}

/// The whole number that a binary item of two or four bytes holds; `None` if it is another kind of item.
#[inline]
fn short_binary(bytes: &[u8], numeric: Numeric) -> Option<i64> {
    if !is_binary(numeric) || numeric.scale != 0 {
        return None;
    }
    Some(match (bytes, numeric.signed) {
        (&[a, b, c, d], true) => i32::from_be_bytes([a, b, c, d]).into(),
        (&[a, b, c, d], false) => u32::from_be_bytes([a, b, c, d]).into(),
        (&[a, b], true) => i16::from_be_bytes([a, b]).into(),
        (&[a, b], false) => u16::from_be_bytes([a, b]).into(),
        _ => return None,
    })
}

/// Returns true if an item holds a binary number.
#[inline]
pub fn is_binary(numeric: Numeric) -> bool {
    matches!(
        numeric.representation,
        Representation::Binary | Representation::Native | Representation::Bytes { .. }
    )
}

/// The number that bytes hold as people write it: with a decimal point, and a minus sign below zero.
///
/// # Errors
/// They hold none.
pub fn decimal_text(bytes: &[u8], numeric: Numeric) -> Result<String, ProgramFault> {
    let number = load(bytes, numeric)?;
    let sign = if number.value < 0 { "-" } else { "" };
    let digits = number.value.unsigned_abs().to_string();
    Ok(match usize::try_from(number.scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, decimals) = digits.split_at(digits.len() - scale);
            format!("{sign}{whole}.{decimals}")
        }
        Err(_) => format!("{sign}{digits}{}", "0".repeat(number.scale.unsigned_abs() as usize)),
    })
}

/// The digits that bytes hold, with their sign, whatever their decimals: numbers of one form compare as these do.
///
/// # Errors
/// They hold none.
pub fn digits_in(bytes: &[u8], numeric: Numeric) -> Result<i128, ProgramFault> {
    Ok(load(bytes, numeric)?.value)
}

/// Stores a whole number: what finds no room is cut off. A binary item takes all that its bytes hold, whatever its picture
/// says.
pub fn put_number(number: i64, numeric: Numeric, bytes: &mut [u8]) {
    if is_binary(numeric) && numeric.scale == 0 && numeric.signed && bytes.len() <= size_of::<i64>() {
        match bytes {
            [a, b, c, d] => [*a, *b, *c, *d] = (number as i32).to_be_bytes(),
            [a, b] => [*a, *b] = (number as i16).to_be_bytes(),
            bytes => {
                let whole = number.to_be_bytes();
                bytes.copy_from_slice(&whole[whole.len() - bytes.len()..]);
            }
        }
        return;
    }
    if numeric.representation == Representation::Packed
        && numeric.scale == 0
        && put_packed(number, numeric, bytes)
    {
        return;
    }
    let representation = match numeric.representation {
        Representation::Binary => Representation::Native,
        other => other,
    };
    let numeric = Numeric { representation, ..numeric };
    store(Decimal::whole(number), numeric, false, false, bytes);
}

/// The same for a packed item whose digits 64 bits hold; false for a longer one.
fn put_packed(number: i64, numeric: Numeric, bytes: &mut [u8]) -> bool {
    let (true, Some((last, high))) = (usize::from(numeric.digits) <= DIGITS_SHORT, bytes.split_last_mut())
    else {
        return false;
    };
    let mut rest = number.unsigned_abs() % ten(numeric.digits.into()) as u64;
    let sign = match (numeric.signed, number < 0 && rest > 0) {
        (false, _) => 0x0F,
        (true, false) => 0x0C,
        (true, true) => 0x0D,
    };
    *last = ((rest % 10) as u8) << 4 | sign;
    rest /= 10;
    for byte in high.iter_mut().rev() {
        let two = (rest % 100) as u8;
        rest /= 100;
        *byte = ((two / 10) << 4) | (two % 10);
    }
    true
}

/// The number that bytes hold.
pub(crate) fn load(bytes: &[u8], numeric: Numeric) -> Result<Decimal, ProgramFault> {
    let value = match numeric.representation {
        Representation::Zoned(sign) => zoned(bytes, sign)?,
        Representation::Packed => packed(bytes, numeric.signed)?,
        Representation::Binary | Representation::Native | Representation::Bytes { .. } => {
            binary(bytes, numeric.signed)
        }
        Representation::National(sign) => zoned(&narrow(bytes).ok_or(ProgramFault::Data)?, sign)?,
    };
    Ok(Decimal { value, scale: numeric.scale.into() })
}

/// Digits that are added up in 64 bits.
const DIGITS_SHORT: usize = 18;

/// The value of one digit: zones are not looked at.
fn digit(byte: u8) -> Result<u64, ProgramFault> {
    match byte & 0x0F {
        digit @ 0..=9 => Ok(digit.into()),
        _ => Err(ProgramFault::Data),
    }
}

fn digits(bytes: &[u8]) -> Result<i128, ProgramFault> {
    let mut all = 0;
    for chunk in bytes.chunks(DIGITS_SHORT) {
        let short = chunk.iter().try_fold(0_u64, |sum, byte| digit(*byte).map(|digit| sum * 10 + digit))?;
        all = all * ten(chunk.len() as u32) as i128 + i128::from(short);
    }
    Ok(all)
}

/// Digit and sign of a byte that holds both.
fn signed_digit(byte: u8) -> Result<(i128, bool), ProgramFault> {
    let (digit, negative) = match byte {
        b'0'..=b'9' => (byte - b'0', false),
        // LOW-VALUES, as records have them that were never filled.
        0..=9 => (byte, false),
        b'{' => (0, false),
        b'A'..=b'I' => (byte - b'A' + 1, false),
        b'}' => (0, true),
        b'J'..=b'R' => (byte - b'J' + 1, true),
        _ => return Err(ProgramFault::Data),
    };
    Ok((digit.into(), negative))
}

fn zoned(bytes: &[u8], sign: SignPlace) -> Result<i128, ProgramFault> {
    let separate = |byte: u8| match byte {
        b'+' => Ok(false),
        b'-' => Ok(true),
        _ => Err(ProgramFault::Data),
    };
    let (magnitude, negative) = match (sign, bytes) {
        (SignPlace::None, _) => (digits(bytes)?, false),
        (SignPlace::Trailing, [high @ .., last]) => {
            let (last, negative) = signed_digit(*last)?;
            (digits(high)? * 10 + last, negative)
        }
        (SignPlace::Leading, [first, low @ ..]) => {
            let (first, negative) = signed_digit(*first)?;
            (first * ten(low.len() as u32) as i128 + digits(low)?, negative)
        }
        (SignPlace::TrailingSeparate, [all @ .., last]) => (digits(all)?, separate(*last)?),
        (SignPlace::LeadingSeparate, [first, all @ ..]) => (digits(all)?, separate(*first)?),
        _ => return Err(ProgramFault::Data),
    };
    Ok(if negative { -magnitude } else { magnitude })
}

/// Compares the digits of two zoned items without signs, of one length: bytes that are none are higher than all digits, so that
/// keys of HIGH-VALUES stay the highest.
pub(crate) fn compare_digits(left: &[u8], right: &[u8]) -> Ordering {
    let digits = |bytes: &[u8]| -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        without_sign(&mut bytes);
        bytes.iter().map(|byte| byte & 0x0F).collect()
    };
    digits(left).cmp(&digits(right))
}

/// The last byte of zoned digits without the sign that it may hold; bytes that are no digits stay as they are.
pub(crate) fn without_sign(bytes: &mut [u8]) {
    if let Some(last) = bytes.last_mut()
        && let Ok((digit, _)) = signed_digit(*last)
    {
        *last = b'0' + digit as u8;
    }
}

fn packed(bytes: &[u8], signed: bool) -> Result<i128, ProgramFault> {
    let Some((last, high)) = bytes.split_last() else { return Err(ProgramFault::Data) };
    let mut sum: i128 = 0;
    for chunk in high.chunks(DIGITS_SHORT / 2) {
        let mut short = 0_u64;
        for byte in chunk {
            let (first, second) = (byte >> 4, byte & 0x0F);
            if first > 9 || second > 9 {
                return Err(ProgramFault::Data);
            }
            short = short * 100 + u64::from(first * 10 + second);
        }
        sum = sum * ten(2 * chunk.len() as u32) as i128 + i128::from(short);
    }
    let (first, sign) = (last >> 4, last & 0x0F);
    if first > 9 || sign < 10 {
        return Err(ProgramFault::Data);
    }
    sum = sum * 10 + i128::from(first);
    Ok(if signed && matches!(sign, 0xB | 0xD) { -sum } else { sum })
}

fn binary(bytes: &[u8], signed: bool) -> i128 {
    // Nearly all are as long as one of these.
    match (bytes, signed) {
        ([a, b], true) => return i16::from_be_bytes([*a, *b]).into(),
        ([a, b, c, d], true) => return i32::from_be_bytes([*a, *b, *c, *d]).into(),
        _ => {}
    }
    let first = bytes.first().copied().unwrap_or(0);
    let start: i128 = if signed && first & 0x80 != 0 { -1 } else { 0 };
    bytes.iter().fold(start, |sum, byte| sum << 8 | i128::from(*byte))
}

/// Stores a number; with `checked` a number that does not fit is left out, which the answer says.
pub(crate) fn store(
    value: Decimal,
    numeric: Numeric,
    rounded: bool,
    checked: bool,
    bytes: &mut [u8],
) -> bool {
    let digits = u32::from(numeric.digits);
    let (mut value, mut over) = value.aligned(numeric.scale.into(), rounded, digits);
    if !numeric.signed {
        value = value.abs();
    }
    let native = matches!(numeric.representation, Representation::Native | Representation::Bytes { .. });
    if native {
        over = !fits(value, bytes.len(), numeric.signed);
    }
    if over && checked {
        return false;
    }
    if !native {
        let low = remainder(value.unsigned_abs(), digits) as i128;
        value = if value < 0 { -low } else { low };
    }
    match numeric.representation {
        Representation::Zoned(sign) => store_zoned(value, sign, bytes),
        Representation::Packed => store_packed(value, numeric.signed, bytes),
        Representation::Binary | Representation::Native | Representation::Bytes { .. } => {
            let all = value.to_be_bytes();
            bytes.copy_from_slice(&all[all.len() - bytes.len()..]);
        }
        Representation::National(sign) => {
            let mut narrow = vec![b'0'; bytes.len() / 2];
            store_zoned(value, sign, &mut narrow);
            widen(&narrow, bytes);
        }
    }
    true
}

/// National characters of which each has a byte of its own, as such bytes; `None` if one has not.
pub(crate) fn narrow(national: &[u8]) -> Option<Vec<u8>> {
    national.chunks(2).map(|unit| if let [0, byte] = *unit { Some(byte) } else { None }).collect()
}

/// Bytes as national characters.
pub(crate) fn widen(bytes: &[u8], national: &mut [u8]) {
    for (unit, byte) in national.chunks_exact_mut(2).zip(bytes) {
        unit.copy_from_slice(&[0, *byte]);
    }
}

/// The same number as it lies in bytes, where it lies in national characters.
fn narrowed(numeric: Numeric) -> Option<Numeric> {
    let Representation::National(sign) = numeric.representation else { return None };
    Some(Numeric { representation: Representation::Zoned(sign), ..numeric })
}

/// Returns true if a field of so many bytes holds a value.
fn fits(value: i128, length: usize, signed: bool) -> bool {
    let bits = 8 * length.min(15) as u32 - u32::from(signed);
    if value < 0 { value >= -(1 << bits) } else { value < 1 << bits }
}

fn store_zoned(value: i128, sign: SignPlace, bytes: &mut [u8]) {
    let separate = if value < 0 { b'-' } else { b'+' };
    let table = if value < 0 { NEGATIVE } else { POSITIVE };
    let write = |bytes: &mut [u8]| {
        let mut digits = LowDigits::of(value.unsigned_abs());
        bytes.iter_mut().rev().for_each(|byte| *byte = b'0' + digits.take());
    };
    match (sign, bytes) {
        (SignPlace::None, bytes) => write(bytes),
        (SignPlace::TrailingSeparate, [all @ .., last]) => {
            write(all);
            *last = separate;
        }
        (SignPlace::LeadingSeparate, [first, all @ ..]) => {
            write(all);
            *first = separate;
        }
        (SignPlace::Trailing, bytes) => {
            write(bytes);
            if let Some(last) = bytes.last_mut() {
                *last = table[usize::from(*last - b'0')];
            }
        }
        (SignPlace::Leading, bytes) => {
            write(bytes);
            if let Some(first) = bytes.first_mut() {
                *first = table[usize::from(*first - b'0')];
            }
        }
        _ => {}
    }
}

fn store_packed(value: i128, signed: bool, bytes: &mut [u8]) {
    let sign = match (signed, value < 0) {
        (false, _) => 0x0F,
        (true, false) => 0x0C,
        (true, true) => 0x0D,
    };
    let mut digits = LowDigits::of(value.unsigned_abs());
    let Some((last, high)) = bytes.split_last_mut() else { return };
    *last = digits.take() << 4 | sign;
    for byte in high.iter_mut().rev() {
        let low = digits.take();
        *byte = digits.take() << 4 | low;
    }
}

/// Returns true if bytes are a valid number: IF NUMERIC.
pub(crate) fn is_numeric(bytes: &[u8], numeric: Numeric) -> bool {
    if let Some(zoned) = narrowed(numeric) {
        return narrow(bytes).is_some_and(|bytes| is_numeric(&bytes, zoned));
    }
    let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    let signed = |byte: u8| byte > 9 && signed_digit(byte).is_ok();
    match (numeric.representation, bytes) {
        (Representation::Zoned(SignPlace::None), _) => digits(bytes),
        (Representation::Zoned(SignPlace::Trailing), [high @ .., last]) => digits(high) && signed(*last),
        (Representation::Zoned(SignPlace::Leading), [first, low @ ..]) => digits(low) && signed(*first),
        (Representation::Zoned(SignPlace::TrailingSeparate), [all @ .., sign])
        | (Representation::Zoned(SignPlace::LeadingSeparate), [sign, all @ ..]) => {
            digits(all) && matches!(sign, b'+' | b'-')
        }
        (Representation::Packed, [high @ .., last]) => {
            let sign = last & 0x0F;
            let valid = if numeric.signed { matches!(sign, 0xC | 0xD | 0xF) } else { sign == 0xF };
            valid && last >> 4 <= 9 && high.iter().all(|byte| byte >> 4 <= 9 && byte & 0x0F <= 9)
        }
        (Representation::Binary, _) => {
            binary(bytes, numeric.signed).unsigned_abs() < ten(numeric.digits.into())
        }
        (Representation::Native | Representation::Bytes { .. }, _) => true,
        _ => false,
    }
}

/// The digits of a zoned or packed number without its sign, whatever lies there.
pub(crate) fn unsigned(bytes: &[u8], numeric: Numeric) -> Vec<u8> {
    if let Some(zoned) = narrowed(numeric) {
        return unsigned(&display_of(bytes, Encoding::Program), zoned);
    }
    let mut out = bytes.to_vec();
    let plain = |byte: &mut u8| {
        if let Ok((digit, _)) = signed_digit(*byte)
            && *byte > 9
        {
            *byte = b'0' + digit as u8;
        }
    };
    match numeric.representation {
        Representation::Zoned(SignPlace::Trailing) => out.last_mut().into_iter().for_each(plain),
        Representation::Zoned(SignPlace::Leading) => out.first_mut().into_iter().for_each(plain),
        Representation::Zoned(SignPlace::TrailingSeparate) => out.truncate(bytes.len().saturating_sub(1)),
        Representation::Zoned(SignPlace::LeadingSeparate) => out.drain(..1.min(bytes.len())).for_each(drop),
        Representation::Packed => {
            let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]);
            let all: Vec<u8> = halves.map(|half| b'0' + half).collect();
            let digits = usize::from(numeric.digits);
            out = all[(all.len() - 1).saturating_sub(digits)..all.len() - 1].to_vec();
        }
        _ => {}
    }
    out
}

/// Digits into a zoned item that keeps the sign which it holds. Characters that are no digits get no sign.
pub(crate) fn keep_sign(digits: &[u8], numeric: Numeric, bytes: &mut [u8]) {
    let at = match numeric.representation {
        Representation::Zoned(SignPlace::Leading) => Some(0),
        Representation::Zoned(SignPlace::Trailing) => bytes.len().checked_sub(1),
        _ => None,
    };
    let sign = at
        .and_then(|at| bytes.get(at))
        .and_then(|byte| [POSITIVE, NEGATIVE].into_iter().find(|table| table.contains(byte)));
    let length = bytes.len().min(digits.len());
    bytes[..length].copy_from_slice(&digits[..length]);
    if let Some(byte) = at.and_then(|at| bytes.get_mut(at))
        && let Some(table) = sign.filter(|_| byte.is_ascii_digit())
    {
        *byte = table[usize::from(*byte - b'0')];
    }
}

/// A number as DISPLAY shows it: digits, with the sign in the last of them where it is no character of its own.
pub(crate) fn show(
    bytes: &[u8],
    numeric: Numeric,
    signs: Signs,
    out: &mut Vec<u8>,
) -> Result<(), ProgramFault> {
    if let Some(zoned) = narrowed(numeric) {
        return show(&display_of(bytes, Encoding::Program), zoned, signs, out);
    }
    let shares_sign = |sign: SignPlace| matches!(sign, SignPlace::Trailing | SignPlace::Leading);
    let digits = match numeric.representation {
        Representation::Zoned(sign) if signs == Signs::Within || !shares_sign(sign) => {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        _ => numeric.widest().unwrap_or(numeric.digits.into()),
    };
    let separate = numeric.signed && signs == Signs::Separate;
    let sign = if numeric.signed && !separate { SignPlace::Trailing } else { SignPlace::None };
    let value = load(bytes, numeric)?.value % ten(digits as u32) as i128;
    if separate {
        out.push(if value < 0 { b'-' } else { b'+' });
    }
    let start = out.len();
    out.resize(start + digits, 0);
    store_zoned(value, sign, &mut out[start..]);
    if value >= 0
        && sign == SignPlace::Trailing
        && let Some(last) = out.last_mut()
    {
        // A positive number is shown with its plain digit.
        *last = b'0' + (value % 10) as u8;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(digits: u16, scale: i16, signed: bool, representation: Representation) -> Numeric {
        Numeric { digits, scale, signed, representation }
    }

    #[track_caller]
    fn check(value: i128, scale: i32, to: Numeric, expected: &[u8]) {
        let mut bytes = vec![0; to.length()];
        store(Decimal { value, scale }, to, false, false, &mut bytes);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn numbers_in_bytes() {
        let zoned = |sign| Representation::Zoned(sign);
        check(-1234, 2, numeric(5, 2, true, zoned(SignPlace::Trailing)), b"0123M");
        check(1234, 2, numeric(5, 2, true, zoned(SignPlace::Leading)), b"{1234");
        check(-1234, 2, numeric(5, 2, true, zoned(SignPlace::LeadingSeparate)), b"-01234");
        check(-1234, 2, numeric(3, 0, false, zoned(SignPlace::None)), b"012");
        check(-1234, 0, numeric(4, 0, true, Representation::Packed), &[0x01, 0x23, 0x4D]);
        check(1234, 0, numeric(3, 0, false, Representation::Packed), &[0x23, 0x4F]);
        check(-2, 0, numeric(4, 0, true, Representation::Binary), &[0xFF, 0xFE]);
        check(12345, 0, numeric(4, 0, true, Representation::Binary), &[0x09, 0x29]);
        check(12345, 0, numeric(4, 0, true, Representation::Native), &[0x30, 0x39]);
    }

    /// Whole numbers that a command gives lie as those that a program stores.
    #[test]
    fn packed_numbers_of_commands() {
        for digits in 1..=20 {
            for signed in [false, true] {
                let packed = numeric(digits, 0, signed, Representation::Packed);
                for number in
                    [0, 1, -1, 99, -100, 123_456_789_012_345_678, i64::MAX, i64::MIN, -10, 5_000_000]
                {
                    let (mut found, mut expected) = (vec![0; packed.length()], vec![0; packed.length()]);
                    put_number(number, packed, &mut found);
                    store(Decimal::whole(number), packed, false, false, &mut expected);
                    assert_eq!(found, expected, "{number} in {digits} digits");
                }
            }
        }
    }

    #[test]
    fn what_is_no_number() {
        let packed = numeric(3, 0, true, Representation::Packed);
        assert_eq!(load(&[0x12, 0x34], packed), Err(ProgramFault::Data), "a sign that is a digit");
        assert_eq!(load(&[0x1A, 0x3C], packed), Err(ProgramFault::Data));
        let zoned = numeric(3, 0, true, Representation::Zoned(SignPlace::Trailing));
        assert_eq!(load(b"   ", zoned), Err(ProgramFault::Data));
        assert_eq!(load(&[0; 3], zoned), Ok(Decimal::whole(0)), "LOW-VALUES");
        assert!(!is_numeric(&[0; 3], zoned));
        let unsigned = numeric(3, 0, false, Representation::Zoned(SignPlace::None));
        assert_eq!(load(b"   ", unsigned), Ok(Decimal::whole(0)), "zones are not looked at");
    }
}
