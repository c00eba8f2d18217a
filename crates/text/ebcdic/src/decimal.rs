//! Decimal numbers as bytes: packed (COMP-3) and zoned (DISPLAY), to and from whole numbers.
//!
//! A number here has no decimal point: a copybook knows where the point is meant to be. Zoned numbers are in program
//! characters, with the sign as EBCDIC leaves it there: `{`, `A`–`I` are +0 to +9, `}`, `J`–`R` are −0 to −9.
//! [`zoned_to_program`] and [`zoned_from_program`] lead from and to real EBCDIC bytes.

use thiserror::Error;

use crate::CodePage;

/// The reason why bytes are not a number, or a number does not fit its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecimalError {
    /// The field has no bytes, or only its sign.
    #[error("the field has no digits")]
    Empty,
    /// A byte or half byte that is not a digit, at this byte.
    #[error("byte {at} holds X'{byte:02X}', which is no digit")]
    Digit {
        /// Offset in the field.
        at: usize,
        /// Its value.
        byte: u8,
    },
    /// A byte that is not a sign, at this byte.
    #[error("byte {at} holds X'{byte:02X}', which is no sign")]
    Sign {
        /// Offset in the field.
        at: usize,
        /// Its value.
        byte: u8,
    },
    /// The number needs more digits than there are.
    #[error("the number does not fit in {digits} digits")]
    TooLarge {
        /// The number of digits of the field (or of a whole number here).
        digits: usize,
    },
    /// A negative number for a field without a sign.
    #[error("a negative number for an unsigned field")]
    Negative,
}

/// The most digits that any number here can have.
pub const MAX_DIGITS: usize = 38;

/// The place of a zoned number's sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZonedSign {
    /// No sign: PIC 9.
    #[default]
    None,
    /// On the last digit: PIC S9.
    Trailing,
    /// On the first digit: SIGN LEADING.
    Leading,
    /// A `+` or `-` after the digits.
    TrailingSeparate,
    /// A `+` or `-` before the digits.
    LeadingSeparate,
}

impl ZonedSign {
    /// Returns true if the sign takes a byte of its own.
    pub const fn is_separate(self) -> bool {
        matches!(self, Self::TrailingSeparate | Self::LeadingSeparate)
    }
}

/// The preferred sign half bytes.
const PLUS: u8 = 0xC;
const MINUS: u8 = 0xD;
const UNSIGNED: u8 = 0xF;

/// Reads a packed number. Signs A, C, E, F are plus, B and D minus; every other half byte must be a digit.
pub fn unpack(bytes: &[u8]) -> Result<i128, DecimalError> {
    let Some((&last, leading)) = bytes.split_last() else { return Err(DecimalError::Empty) };
    let mut number = Accumulator::default();
    for (at, &byte) in leading.iter().enumerate() {
        for half in [byte >> 4, byte & 0xF] {
            number.push(half, at, byte)?;
        }
    }
    let at = leading.len();
    number.push(last >> 4, at, last)?;
    match last & 0xF {
        0xB | MINUS => Ok(-number.value),
        0xA | PLUS | 0xE | UNSIGNED => Ok(number.value),
        _ => Err(DecimalError::Sign { at, byte: last }),
    }
}

/// Writes a packed number into the whole of `into`: sign C or D, or F if the field is unsigned. Nothing is written
/// unless the number fits.
pub fn pack(number: i128, signed: bool, into: &mut [u8]) -> Result<(), DecimalError> {
    if into.is_empty() {
        return Err(DecimalError::Empty);
    }
    if number < 0 && !signed {
        return Err(DecimalError::Negative);
    }
    let mut rest = fitting(number, into.len() * 2 - 1)?;
    let sign = match (signed, number < 0) {
        (false, _) => UNSIGNED,
        (true, false) => PLUS,
        (true, true) => MINUS,
    };
    let mut low = sign;
    for byte in into.iter_mut().rev() {
        *byte = next_digit(&mut rest) << 4 | low;
        low = next_digit(&mut rest);
    }
    Ok(())
}

/// Reads a zoned number in program characters. A field with a sign on a digit may also be written without one: the
/// number is then not negative.
pub fn read_zoned(bytes: &[u8], sign: ZonedSign) -> Result<i128, DecimalError> {
    let (digits, first, negative) = match sign {
        ZonedSign::TrailingSeparate => {
            let (&byte, digits) = bytes.split_last().ok_or(DecimalError::Empty)?;
            (digits, 0, separate_sign(byte, digits.len())?)
        }
        ZonedSign::LeadingSeparate => {
            let (&byte, digits) = bytes.split_first().ok_or(DecimalError::Empty)?;
            (digits, 1, separate_sign(byte, 0)?)
        }
        _ => (bytes, 0, false),
    };
    let signed_at = match sign {
        ZonedSign::Trailing => digits.len().checked_sub(1),
        ZonedSign::Leading => Some(0),
        _ => None,
    };
    if digits.is_empty() {
        return Err(DecimalError::Empty);
    }
    let (mut number, mut negative) = (Accumulator::default(), negative);
    for (at, &byte) in digits.iter().enumerate() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            _ if Some(at) == signed_at => {
                let (digit, minus) = overpunched(byte).ok_or(DecimalError::Sign { at, byte })?;
                negative = minus;
                digit
            }
            _ => return Err(DecimalError::Digit { at: first + at, byte }),
        };
        number.push(digit, first + at, byte)?;
    }
    Ok(if negative { -number.value } else { number.value })
}

/// Writes a zoned number in program characters into the whole of `into`. Nothing is written unless the number fits.
pub fn write_zoned(number: i128, sign: ZonedSign, into: &mut [u8]) -> Result<(), DecimalError> {
    if number < 0 && sign == ZonedSign::None {
        return Err(DecimalError::Negative);
    }
    let width = into.len().saturating_sub(usize::from(sign.is_separate()));
    if width == 0 {
        return Err(DecimalError::Empty);
    }
    let mut rest = fitting(number, width)?;
    let start = usize::from(sign == ZonedSign::LeadingSeparate);
    for byte in into[start..start + width].iter_mut().rev() {
        *byte = b'0' + next_digit(&mut rest);
    }
    let minus = number < 0;
    let separate = if minus { b'-' } else { b'+' };
    match sign {
        ZonedSign::None => {}
        ZonedSign::Leading => into[0] = overpunch(into[0], minus),
        ZonedSign::Trailing => into[width - 1] = overpunch(into[width - 1], minus),
        ZonedSign::LeadingSeparate => into[0] = separate,
        ZonedSign::TrailingSeparate => into[width] = separate,
    }
    Ok(())
}

/// Turns a zoned number of an EBCDIC file into program characters in place. The same in every country:
/// [`CodePage::NUMERIC`].
pub fn zoned_to_program(bytes: &mut [u8]) {
    CodePage::NUMERIC.to_program_in_place(bytes);
}

/// Turns a zoned number in program characters into the form of an EBCDIC file in place.
pub fn zoned_from_program(bytes: &mut [u8]) {
    CodePage::NUMERIC.from_program_in_place(bytes);
}

/// Digit and sign of an overpunched character; `true` for minus.
fn overpunched(byte: u8) -> Option<(u8, bool)> {
    match byte {
        b'{' => Some((0, false)),
        b'A'..=b'I' => Some((byte - b'A' + 1, false)),
        b'}' => Some((0, true)),
        b'J'..=b'R' => Some((byte - b'J' + 1, true)),
        _ => None,
    }
}

/// A digit character with a sign on it.
pub fn overpunch(digit: u8, minus: bool) -> u8 {
    match (digit, minus) {
        (b'0', false) => b'{',
        (b'0', true) => b'}',
        (digit, false) => digit - b'1' + b'A',
        (digit, true) => digit - b'1' + b'J',
    }
}

fn separate_sign(byte: u8, at: usize) -> Result<bool, DecimalError> {
    match byte {
        b'+' => Ok(false),
        b'-' => Ok(true),
        _ => Err(DecimalError::Sign { at, byte }),
    }
}

/// A whole number that grows by digits.
#[derive(Default)]
struct Accumulator {
    value: i128,
}

impl Accumulator {
    fn push(&mut self, digit: u8, at: usize, byte: u8) -> Result<(), DecimalError> {
        if digit > 9 {
            return Err(DecimalError::Digit { at, byte });
        }
        let grown = self.value.checked_mul(10).and_then(|v| v.checked_add(i128::from(digit)));
        self.value = grown.ok_or(DecimalError::TooLarge { digits: MAX_DIGITS })?;
        Ok(())
    }
}

/// The digits of a number without its sign, if it fits in this many digits.
fn fitting(number: i128, digits: usize) -> Result<u128, DecimalError> {
    let magnitude = number.unsigned_abs();
    let fits = match u32::try_from(digits).ok().and_then(|d| 10u128.checked_pow(d)) {
        Some(limit) => magnitude < limit,
        None => true,
    };
    if fits { Ok(magnitude) } else { Err(DecimalError::TooLarge { digits }) }
}

/// Takes the last digit off a number.
fn next_digit(rest: &mut u128) -> u8 {
    let digit = (*rest % 10) as u8;
    *rest /= 10;
    digit
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packed_numbers() {
        let cases: [(&[u8], Result<i128, DecimalError>); 11] = [
            (&[0x12, 0x3C], Ok(123)),
            (&[0x12, 0x3D], Ok(-123)),
            (&[0x12, 0x3F], Ok(123)),
            (&[0x12, 0x3A], Ok(123)),
            (&[0x12, 0x3B], Ok(-123)),
            (&[0x12, 0x3E], Ok(123)),
            (&[0x0D], Ok(0)),
            (&[], Err(DecimalError::Empty)),
            (&[0x1A, 0x3C], Err(DecimalError::Digit { at: 0, byte: 0x1A })),
            (&[0x12, 0x34], Err(DecimalError::Sign { at: 1, byte: 0x34 })),
            (&[0x99; 40], Err(DecimalError::TooLarge { digits: MAX_DIGITS })),
        ];
        for (bytes, number) in cases {
            assert_eq!(unpack(bytes), number, "{bytes:02X?}");
        }
    }

    #[test]
    fn packing_fills_the_field_or_leaves_it_alone() {
        let mut field = [0xEE; 3];
        pack(-1234, true, &mut field).expect("fits");
        assert_eq!(field, [0x01, 0x23, 0x4D]);
        pack(99999, false, &mut field).expect("fits");
        assert_eq!(field, [0x99, 0x99, 0x9F]);
        assert_eq!(pack(100_000, true, &mut field), Err(DecimalError::TooLarge { digits: 5 }));
        assert_eq!(pack(-1, false, &mut field), Err(DecimalError::Negative));
        assert_eq!(field, [0x99, 0x99, 0x9F]);
        assert_eq!(pack(0, true, &mut []), Err(DecimalError::Empty));
    }

    #[test]
    fn zoned_numbers() {
        use ZonedSign::{Leading, LeadingSeparate, None, Trailing, TrailingSeparate};
        let cases: [(&[u8], ZonedSign, Result<i128, DecimalError>); 16] = [
            (b"00123", None, Ok(123)),
            (b"0000000194{", Trailing, Ok(1940)),
            (b"0012C", Trailing, Ok(123)),
            (b"0012L", Trailing, Ok(-123)),
            (b"0000}", Trailing, Ok(0)),
            (b"00123", Trailing, Ok(123)),
            (b"J23", Leading, Ok(-123)),
            (b"123-", TrailingSeparate, Ok(-123)),
            (b"+123", LeadingSeparate, Ok(123)),
            (b"12 ", None, Err(DecimalError::Digit { at: 2, byte: b' ' })),
            (b"12L", None, Err(DecimalError::Digit { at: 2, byte: b'L' })),
            (b"12s", Trailing, Err(DecimalError::Sign { at: 2, byte: b's' })),
            (b"-1x", LeadingSeparate, Err(DecimalError::Digit { at: 2, byte: b'x' })),
            (b"123", TrailingSeparate, Err(DecimalError::Sign { at: 2, byte: b'3' })),
            (b"-", TrailingSeparate, Err(DecimalError::Empty)),
            (b"", Leading, Err(DecimalError::Empty)),
        ];
        for (bytes, sign, number) in cases {
            assert_eq!(read_zoned(bytes, sign), number, "{:?} {sign:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_zoned_number_that_does_not_fit_leaves_the_field_alone() {
        let mut field = *b"xxx";
        assert_eq!(write_zoned(1000, ZonedSign::None, &mut field), Err(DecimalError::TooLarge { digits: 3 }));
        assert_eq!(
            write_zoned(100, ZonedSign::LeadingSeparate, &mut field),
            Err(DecimalError::TooLarge { digits: 2 })
        );
        assert_eq!(write_zoned(-1, ZonedSign::None, &mut field), Err(DecimalError::Negative));
        assert_eq!(&field, b"xxx");
        assert_eq!(write_zoned(0, ZonedSign::TrailingSeparate, &mut [b'x']), Err(DecimalError::Empty));
    }

    #[test]
    fn zoned_numbers_of_an_ebcdic_file_are_overpunched_characters_here() {
        let mut bytes = [0xF0, 0xF1, 0xF2, 0xC0, 0xC9, 0xD0, 0xD9];
        zoned_to_program(&mut bytes);
        assert_eq!(&bytes, b"012{I}R");
        zoned_from_program(&mut bytes);
        assert_eq!(bytes, [0xF0, 0xF1, 0xF2, 0xC0, 0xC9, 0xD0, 0xD9]);
    }

    const SIGNED: [ZonedSign; 4] =
        [ZonedSign::Trailing, ZonedSign::Leading, ZonedSign::TrailingSeparate, ZonedSign::LeadingSeparate];

    proptest! {
        #[test]
        fn what_is_written_is_read_again(number in any::<i64>()) {
            let number = i128::from(number);
            let mut field = [0; 20];
            pack(number, true, &mut field).expect("fits");
            prop_assert_eq!(unpack(&field), Ok(number));
            for sign in SIGNED {
                write_zoned(number, sign, &mut field).expect("fits");
                prop_assert_eq!(read_zoned(&field, sign), Ok(number));
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            let _ = unpack(&bytes);
            for sign in SIGNED {
                let _ = read_zoned(&bytes, sign);
            }
        }
    }
}
