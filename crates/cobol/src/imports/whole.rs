//! Whole numbers in fields, as far as they are simple: no signs in digits, and at most 18 digits; a decimal point is the
//! caller's affair. What is simple is done here without the runtime; what is not is its own affair.
//!
//! Bytes of programs are copied by libc: an address that is none must end in a fault of the program, also in a debug
//! build, where Rust's own accesses look at addresses first.

use super::bytes;
use crate::layout::{Attribute, Field, flag, kind};
use crate::number::{PACKED_MINUS, PACKED_PLUS, PACKED_UNSIGNED, decode_binary, encode_binary};

/// What a binary field may be beside: nothing of it changes a number that fits.
const BINARY_FLAGS: u16 =
    flag::SIGNED | flag::BINARY_SWAP | flag::REAL_BINARY | flag::BINARY_TRUNCATED | flag::CONSTANT;

/// Most digits of a simple number.
const DIGITS_MAX: usize = 18;

/// Most bytes of a simple packed number.
const PACKED_MAX: usize = DIGITS_MAX / 2;

/// How a field keeps simple numbers.
#[derive(Clone, Copy)]
enum Form {
    /// Digits without a sign.
    Digits,
    /// Two digits a byte, and a sign.
    Packed { signed: bool },
    /// Binary.
    Binary { signed: bool, big_endian: bool },
}

impl Form {
    #[inline(always)]
    fn of(size: usize, attribute: &Attribute) -> Option<Self> {
        let flags = attribute.flags;
        let only = |known: u16| flags & !known == 0;
        let signed = flags & flag::SIGNED != 0;
        match attribute.kind {
            kind::BINARY | kind::COMP5 if only(BINARY_FLAGS) && matches!(size, 1 | 2 | 4 | 8) => {
                Some(Self::Binary { signed, big_endian: flags & flag::BINARY_SWAP != 0 })
            }
            kind::DISPLAY if only(flag::CONSTANT) && (1..=DIGITS_MAX).contains(&size) => Some(Self::Digits),
            kind::PACKED if only(flag::SIGNED | flag::CONSTANT) && (1..=PACKED_MAX).contains(&size) => {
                Some(Self::Packed { signed })
            }
            _ => None,
        }
    }
}

/// The number in a field, if it is a simple one.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn read(field: &Field) -> Option<i64> {
    // SAFETY: each field has its attribute.
    unsafe { if (*field.attribute).scale == 0 { read_digits(field) } else { None } }
}

/// The same without its decimal point, wherever that stands.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn read_digits(field: &Field) -> Option<i64> {
    // SAFETY: each field has its attribute, and data as long as it says.
    unsafe {
        let attribute = &*field.attribute;
        match Form::of(field.size, attribute)? {
            Form::Binary { signed, big_endian } => {
                i64::try_from(decode_binary(signed, big_endian, first_bytes(field), field.size)?).ok()
            }
            Form::Digits => bytes::digits(field.data, field.size),
            Form::Packed { signed } => {
                let number = packed(&first_bytes::<PACKED_MAX>(field)[..field.size])?;
                (fits(number, attribute.digits) && (signed || number >= 0)).then_some(number)
            }
        }
    }
}

/// Puts a number into a field, if it is one for simple numbers and this one fits; whether it did.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn write(field: &Field, number: i64) -> bool {
    // SAFETY: each field has its attribute.
    unsafe { (*field.attribute).scale == 0 && write_digits(field, number) }
}

/// The same without its decimal point, wherever that stands.
///
/// # Safety
/// A field of the running program.
#[inline(always)]
pub(super) unsafe fn write_digits(field: &Field, number: i64) -> bool {
    // SAFETY: each field has its attribute, and room for as many bytes as it says.
    unsafe {
        let attribute = &*field.attribute;
        match Form::of(field.size, attribute) {
            _ if !fits(number, attribute.digits) => false,
            Some(Form::Binary { signed, big_endian }) => {
                let bytes = encode_binary(signed, big_endian, number.into(), field.size);
                bytes.inspect(|bytes| put_first(field, bytes)).is_some()
            }
            Some(Form::Digits) if number >= 0 => {
                put_first(field, &as_digits(number.unsigned_abs(), field.size));
                true
            }
            Some(Form::Packed { signed }) if signed || number >= 0 => {
                put_first(field, &as_packed(signed, number, field.size));
                true
            }
            _ => false,
        }
    }
}

/// Whether a number has no more than so many digits.
#[inline(always)]
fn fits(number: i64, digits: u16) -> bool {
    POWERS.get(usize::from(digits)).is_some_and(|power| number.unsigned_abs() < *power)
}

/// Powers of ten, by their number of zeros.
const POWERS: [u64; DIGITS_MAX + 1] = {
    let mut powers = [1; DIGITS_MAX + 1];
    let mut zeros = 1;
    while zeros < powers.len() {
        powers[zeros] = 10 * powers[zeros - 1];
        zeros += 1;
    }
    powers
};

/// All bytes of a field, and zeros behind them.
///
/// # Safety
/// The field has its bytes, and no more of them.
#[inline(always)]
unsafe fn first_bytes<const MOST: usize>(field: &Field) -> [u8; MOST] {
    let mut first = [0; MOST];
    // SAFETY: as the caller says.
    unsafe { libc::memcpy(first.as_mut_ptr().cast(), field.data.cast(), field.size.min(MOST)) };
    first
}

/// # Safety
/// The field has room for its bytes, which are no more than these.
#[inline(always)]
unsafe fn put_first<const MOST: usize>(field: &Field, first: &[u8; MOST]) {
    // SAFETY: as the caller says.
    unsafe { libc::memcpy(field.data.cast(), first.as_ptr().cast(), field.size.min(MOST)) };
}

/// A number as so many digits.
fn as_digits(mut number: u64, size: usize) -> [u8; DIGITS_MAX] {
    let mut digits = [0; DIGITS_MAX];
    for digit in digits[..size].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// The number that packed bytes stand for.
fn packed(bytes: &[u8]) -> Option<i64> {
    let (last, front) = bytes.split_last()?;
    let mut valid = last >> 4 <= 9;
    let number = front.iter().fold(0, |number, byte| {
        let (high, low) = (byte >> 4, byte & 0xf);
        valid &= high <= 9 && low <= 9;
        100 * number + i64::from(10 * high + low)
    });
    let number = 10 * number + i64::from(last >> 4);
    // Of other signs the runtime has a mind of its own.
    match last & 0xf {
        PACKED_PLUS | PACKED_UNSIGNED if valid => Some(number),
        PACKED_MINUS if valid => Some(-number),
        _ => None,
    }
}

/// A number as so many packed bytes.
fn as_packed(signed: bool, number: i64, size: usize) -> [u8; PACKED_MAX] {
    let sign = match (signed, number < 0) {
        (false, _) => PACKED_UNSIGNED,
        (true, false) => PACKED_PLUS,
        (true, true) => PACKED_MINUS,
    };
    let mut rest = number.unsigned_abs();
    let mut packed = [0; PACKED_MAX];
    if let Some((last, front)) = packed[..size].split_last_mut() {
        *last = ((rest % 10) as u8) << 4 | sign;
        rest /= 10;
        for byte in front.iter_mut().rev() {
            let two = (rest % 100) as u8;
            *byte = (two / 10) << 4 | (two % 10);
            rest /= 100;
        }
    }
    packed
}
