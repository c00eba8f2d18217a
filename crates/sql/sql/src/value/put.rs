//! Host variables as values of parameters.

use std::ops::RangeInclusive;

use cobol_runtime::floating::{Hex, Width};
use ebcdic::Characters;
use ebcdic::decimal;

use super::{Argument, Decimal, Field, Kind, Unfit, characters, datetime, numeric};
use crate::codes::Sqlca;
use crate::oid::{self, Oid};
use crate::wire::{Format, Parameters};

/// The values of a statement's parameters, each in the form that its type wants.
///
/// # Errors
/// The SQLCODE for a value that does not suit its parameter, with its position.
pub(crate) fn parameters(types: &[Oid], arguments: &[Argument<'_>]) -> Result<Parameters, Sqlca> {
    if types.len() != arguments.len() {
        return Err(Sqlca::error(-313, b"07001"));
    }
    let mut parameters = Parameters::default();
    for (at, (&oid, argument)) in types.iter().zip(arguments).enumerate() {
        if argument.indicator.is_some_and(|indicator| indicator < 0) {
            parameters.push_null();
            continue;
        }
        let format = if oid::is_binary(oid) { Format::Binary } else { Format::Text };
        parameters
            .push(format, |out| write(oid, argument, out))
            .map_err(|unfit| refused(unfit, at + 1, argument))?;
    }
    Ok(parameters)
}

/// A date or time that is none is named by its text, anything else by its position.
fn refused(unfit: Unfit, position: usize, argument: &Argument<'_>) -> Sqlca {
    let is_datetime = matches!(unfit, Unfit::DATETIME | Unfit::CALENDAR);
    match read(&argument.field, argument.bytes) {
        Ok(Read::Text(text, _)) if is_datetime => {
            let text = Characters::default().text(text.trim_ascii());
            Sqlca::error(unfit.code, unfit.state).token(text.to_uppercase())
        }
        _ => super::refused(unfit, position),
    }
}

/// A host variable's value, before it is known what it is for.
pub(super) enum Read<'a> {
    Number(Decimal),
    Float(f64),
    /// Characters, one a byte, and whether blanks behind them only fill the field.
    Text(std::borrow::Cow<'a, [u8]>, bool),
}

fn write(oid: Oid, argument: &Argument<'_>, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match read(&argument.field, argument.bytes)? {
        Read::Number(number) => write_number(oid, number, out),
        Read::Float(number) => write_float(oid, number, out),
        Read::Text(text, is_padded) => write_text(oid, &text, is_padded, out),
    }
}

pub(super) fn read<'a>(field: &Field, bytes: &'a [u8]) -> Result<Read<'a>, Unfit> {
    let number = |unscaled| Decimal { unscaled, scale: field.scale.into() };
    let decimal = |read: Result<i128, decimal::DecimalError>| match read {
        Ok(unscaled) if number(unscaled).has_at_most(db2_values::limits::DIGITS_MAX) => {
            Ok(Read::Number(number(unscaled)))
        }
        Ok(_) => Err(Unfit::RANGE),
        Err(_) => Err(Unfit::DECIMAL),
    };
    let text = |bytes: &'a [u8], is_padded| Read::Text(bytes.into(), is_padded);
    match field.kind {
        Kind::Binary => Ok(Read::Number(number(binary(bytes, field.is_signed, field.is_native)))),
        Kind::Packed => decimal(decimal::unpack(bytes)),
        Kind::Zoned(sign) => decimal(decimal::read_zoned(bytes, sign)),
        Kind::Float if !field.is_native => hexadecimal(bytes).map(Read::Float),
        Kind::Float => match *bytes {
            [a, b, c, d] => Ok(Read::Float(shortest(f32::from_ne_bytes([a, b, c, d])))),
            [a, b, c, d, e, f, g, h] => Ok(Read::Float(f64::from_ne_bytes([a, b, c, d, e, f, g, h]))),
            _ => Err(Unfit::PARAMETER),
        },
        Kind::Char => Ok(text(bytes, true)),
        Kind::Varchar => Ok(text(lengthed::<2>(field, bytes, 1)?, false)),
        Kind::Large => Ok(text(lengthed::<4>(field, bytes, 1)?, false)),
        Kind::Graphic => Ok(Read::Text(narrow(bytes)?.into(), true)),
        Kind::Utf8(characters) => Ok(Read::Text(of_utf8(bytes, characters)?.into(), true)),
        Kind::Vargraphic => Ok(Read::Text(narrow(lengthed::<2>(field, bytes, 2)?)?.into(), false)),
    }
}

/// A whole number.
fn binary(bytes: &[u8], is_signed: bool, is_native: bool) -> i128 {
    let is_reversed = is_native && cfg!(target_endian = "little");
    let byte = |at: usize| bytes[if is_reversed { bytes.len() - 1 - at } else { at }];
    let mut number = match bytes {
        [] => return 0,
        _ if is_signed => i128::from(byte(0) as i8),
        _ => i128::from(byte(0)),
    };
    for at in 1..bytes.len() {
        number = number << 8 | i128::from(byte(at));
    }
    number
}

/// The number that people read in a short float, not the nearest of the long ones.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// Hexadecimal floating point: of a short one the number that people read.
fn hexadecimal(bytes: &[u8]) -> Result<f64, Unfit> {
    let hex = Hex::from_bytes(bytes);
    let is_it = |number: &f64| {
        Hex::from_f64(*number).and_then(|hex| hex.to_bytes(Width::Short)).is_some_and(|short| short == bytes)
    };
    match bytes.len() {
        4 => {
            let digits = SHORT_DIGITS.map(|digits| format!("{:.digits$e}", hex.to_f64()));
            let mut numbers = digits.filter_map(|digits| digits.parse().ok());
            Ok(numbers.find(is_it).unwrap_or_else(|| hex.to_f64()))
        }
        8 => Ok(hex.to_f64()),
        _ => Err(Unfit::PARAMETER),
    }
}

/// Digits behind the first of a short number of hexadecimal floating point: as few as tell it from all others.
const SHORT_DIGITS: RangeInclusive<usize> = 5..=8;

/// The text behind its length of so many bytes; the length counts units of so many bytes.
fn lengthed<'a, const N: usize>(field: &Field, bytes: &'a [u8], unit: usize) -> Result<&'a [u8], Unfit> {
    let (length, text) = bytes.split_at_checked(N).ok_or(Unfit::LENGTH)?;
    let length = binary(length, true, field.is_native);
    let length = usize::try_from(length).map_err(|_| Unfit::LENGTH)?;
    text.get(..length.saturating_mul(unit)).ok_or(Unfit::LENGTH)
}

/// Characters of two bytes as characters of one.
fn narrow(bytes: &[u8]) -> Result<Vec<u8>, Unfit> {
    let narrowed = bytes.chunks_exact(2).map(|unit| match *unit {
        [0, character] => Ok(character),
        _ => Err(Unfit::CHARACTER),
    });
    narrowed.collect()
}

/// Characters of UTF-8 as characters of one byte: so many of them, or all where that is 0.
fn of_utf8(bytes: &[u8], characters: u32) -> Result<Vec<u8>, Unfit> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unfit::CHARACTER)?;
    let count = if characters == 0 { usize::MAX } else { characters as usize };
    let bytes = text.chars().take(count).map(|character| Characters::default().byte(character));
    bytes.collect::<Option<_>>().ok_or(Unfit::CHARACTER)
}

fn write_number(oid: Oid, number: Decimal, out: &mut Vec<u8>) -> Result<(), Unfit> {
    let whole = || number.at_scale(0).ok_or(Unfit::RANGE);
    match oid {
        oid::INT2 => out.extend(i16::try_from(whole()?).map_err(|_| Unfit::RANGE)?.to_be_bytes()),
        oid::INT4 => out.extend(i32::try_from(whole()?).map_err(|_| Unfit::RANGE)?.to_be_bytes()),
        oid::INT8 => out.extend(i64::try_from(whole()?).map_err(|_| Unfit::RANGE)?.to_be_bytes()),
        oid::OID => out.extend(u32::try_from(whole()?).map_err(|_| Unfit::RANGE)?.to_be_bytes()),
        oid::XID8 => out.extend(u64::try_from(whole()?).map_err(|_| Unfit::RANGE)?.to_be_bytes()),
        oid::NUMERIC => {
            if !numeric::to_numeric(number, out) {
                return Err(Unfit::RANGE);
            }
        }
        oid::FLOAT4 | oid::FLOAT8 => {
            return write_float(oid, number.text().parse().map_err(|_| Unfit::RANGE)?, out);
        }
        oid::BOOL => out.push(u8::from(number.unscaled != 0)),
        oid::BYTEA | oid::DATE | oid::TIME | oid::TIMESTAMP => return Err(Unfit::PARAMETER),
        // Texts, and types that go as text.
        _ => out.extend(number.text().as_bytes()),
    }
    Ok(())
}

fn write_float(oid: Oid, number: f64, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match oid {
        oid::FLOAT8 => out.extend(number.to_be_bytes()),
        oid::FLOAT4 => {
            let short = number as f32;
            if short.is_infinite() && number.is_finite() {
                return Err(Unfit::RANGE);
            }
            out.extend(short.to_be_bytes());
        }
        // Display writes the shortest text that stands for this number, without an exponent.
        _ => {
            return write_number(
                oid,
                Decimal::parse(number.to_string().as_bytes()).ok_or(Unfit::RANGE)?,
                out,
            );
        }
    }
    Ok(())
}

fn write_text(oid: Oid, text: &[u8], is_padded: bool, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match oid {
        oid::DATE => {
            out.extend(datetime::days(text)?.to_be_bytes());
        }
        oid::TIME => out.extend(datetime::of_day(text)?.to_be_bytes()),
        oid::TIMESTAMP => out.extend(datetime::since(text)?.to_be_bytes()),
        oid::INT2 | oid::INT4 | oid::INT8 | oid::OID | oid::XID8 | oid::NUMERIC => {
            return write_number(oid, Decimal::parse(text).ok_or(Unfit::CAST)?, out);
        }
        oid::FLOAT4 | oid::FLOAT8 => {
            let number = std::str::from_utf8(text.trim_ascii()).ok().and_then(|text| text.parse().ok());
            return write_float(oid, number.ok_or(Unfit::CAST)?, out);
        }
        oid::BOOL => match text.trim_ascii() {
            b"0" | b"N" | b"n" | b"F" | b"f" => out.push(0),
            b"1" | b"Y" | b"y" | b"T" | b"t" => out.push(1),
            _ => return Err(Unfit::CAST),
        },
        oid::BYTEA => out.extend(text),
        _ => {
            // Db2 compares texts as if the shorter had blanks behind it. So does bpchar, on which Db2's VARCHAR stands here;
            // PostgreSQL's own texts do not, and a field's fill would tell equal ones apart.
            let is_own = matches!(oid, oid::TEXT | oid::VARCHAR | oid::NAME);
            let text = if is_padded && is_own { text.trim_ascii_end() } else { text };
            characters::send(text, out);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ebcdic::decimal::ZonedSign;

    use super::*;

    #[track_caller]
    fn put(oid: Oid, field: Field, bytes: &[u8]) -> Result<Vec<u8>, i32> {
        let mut out = Vec::new();
        write(oid, &Argument { field, bytes, indicator: None }, &mut out)
            .map(|()| out)
            .map_err(|unfit| unfit.code)
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(put(oid::INT4, Field::binary(2), &[0xFF, 0xFE]), Ok(vec![0xFF, 0xFF, 0xFF, 0xFE]));
        let native = Field { is_native: true, ..Field::binary(4) };
        assert_eq!(put(oid::INT4, native, &(-2i32).to_ne_bytes()), Ok((-2i32).to_be_bytes().to_vec()));
        assert_eq!(put(oid::INT2, Field::binary(4), &70_000i32.to_be_bytes()), Err(-302));
        assert_eq!(
            put(oid::INT4, Field::packed(5, 2), &[0x12, 0x34, 0x5D]),
            Ok((-123i32).to_be_bytes().to_vec())
        );
        let unsigned = Field { is_signed: false, ..Field::binary(2) };
        assert_eq!(put(oid::INT4, unsigned, &[0xFF, 0xFF]), Ok(65_535i32.to_be_bytes().to_vec()));
    }

    #[test]
    fn fields_that_hold_no_number() {
        assert_eq!(put(oid::INT4, Field::packed(5, 0), b"     "), Err(-310));
        assert_eq!(put(oid::INT4, Field::zoned(3, 0, ZonedSign::Trailing), b"1 2"), Err(-310));
        assert_eq!(put(oid::INT4, Field::char(4), b"12x "), Err(-420));
        assert_eq!(put(oid::INT4, Field::char(4), b"12  "), Ok(12i32.to_be_bytes().to_vec()));
    }

    #[test]
    fn hexadecimal_floating_point() {
        let hex = |bytes| Field { is_native: false, ..Field::float(bytes) };
        let long = [0x41, 0x2C, 0, 0, 0, 0, 0, 0];
        assert_eq!(put(oid::INT4, hex(8), &long), Ok(2i32.to_be_bytes().to_vec()));
        assert_eq!(put(oid::FLOAT8, hex(8), &long), Ok(2.75f64.to_be_bytes().to_vec()));
        assert_eq!(put(oid::FLOAT8, hex(4), &[0xC0, 0x19, 0x99, 0x9A]), Ok((-0.1f64).to_be_bytes().to_vec()));
        assert_eq!(put(oid::FLOAT8, hex(4), &[0; 4]), Ok(0f64.to_be_bytes().to_vec()));
        assert_eq!(put(oid::FLOAT4, hex(8), &[0x7F; 8]), Err(-302));
    }

    #[test]
    fn texts() {
        assert_eq!(put(oid::BPCHAR, Field::char(4), b"AB  "), Ok(b"AB  ".to_vec()));
        assert_eq!(put(oid::VARCHAR, Field::char(4), b"AB  "), Ok(b"AB".to_vec()));
        assert_eq!(put(oid::VARCHAR, Field::varchar(4), b"\0\x03AB xx"), Ok(b"AB ".to_vec()));
        assert_eq!(put(oid::VARCHAR, Field::varchar(4), b"\0\x05AB  "), Err(-311));
        assert_eq!(put(oid::VARCHAR, Field::varchar(4), b"\xFF\xFFAB  "), Err(-311));
        let native = Field { is_native: true, ..Field::varchar(4) };
        assert_eq!(put(oid::TEXT, native, &[&2u16.to_ne_bytes()[..], b"ABxx"].concat()), Ok(b"AB".to_vec()));
        assert_eq!(put(oid::TEXT, Field::graphic(2), b"\0A\0 "), Ok(b"A".to_vec()));
        assert_eq!(put(oid::TEXT, Field::graphic(1), &[0x20, 0xAC]), Err(-330));
        let utf8 = Field::utf8(2);
        assert_eq!(put(oid::BPCHAR, utf8, "äb     ".as_bytes()), Ok("äb".into()));
        assert_eq!(put(oid::TEXT, utf8, "ä      ".as_bytes()), Ok("ä".into()));
        assert_eq!(put(oid::TEXT, utf8, "€x    ".as_bytes()), Err(-330));
        assert_eq!(put(oid::TEXT, utf8, b"\xC3A      "), Err(-330));
        let of_bytes = Field { kind: Kind::Utf8(0), bytes: 5, ..utf8 };
        assert_eq!(put(oid::BPCHAR, of_bytes, "äöx".as_bytes()), Ok("äöx".into()));
        assert_eq!(put(oid::BPCHAR, Field::char(2), b"A\0"), Ok(b"A\x01".to_vec()));
        assert_eq!(put(oid::BPCHAR, Field::char(2), b"\x01\xE4"), Ok("\u{E001}ä".into()));
        assert_eq!(put(oid::BYTEA, Field::char(2), b"A\0"), Ok(b"A\0".to_vec()));
        assert_eq!(put(oid::TEXT, Field::packed(3, 2), &[0x12, 0x3D]), Ok(b"-1.23".to_vec()));
    }

    #[test]
    fn dates_and_times() {
        assert_eq!(put(oid::DATE, Field::char(10), b"2000-01-02"), Ok(1i32.to_be_bytes().to_vec()));
        assert_eq!(put(oid::TIME, Field::char(8), b"00.00.01"), Ok(1_000_000i64.to_be_bytes().to_vec()));
        assert_eq!(put(oid::DATE, Field::char(10), b"2000-02-30"), Err(-181));
        assert_eq!(put(oid::TIMESTAMP, Field::char(10), b"2000-02-28"), Err(-180));
        assert_eq!(put(oid::DATE, Field::binary(4), &[0; 4]), Err(-301));
    }

    #[test]
    fn floats() {
        assert_eq!(
            put(oid::FLOAT8, Field::float(4), &0.1f32.to_ne_bytes()),
            Ok(0.1f64.to_be_bytes().to_vec())
        );
        assert_eq!(put(oid::FLOAT4, Field::float(8), &1e300f64.to_ne_bytes()), Err(-302));
        assert_eq!(put(oid::INT4, Field::float(8), &2.9f64.to_ne_bytes()), Ok(2i32.to_be_bytes().to_vec()));
        assert_eq!(put(oid::TEXT, Field::float(8), &f64::NAN.to_ne_bytes()), Err(-302));
    }

    #[test]
    fn parameters_are_counted_and_named_by_position() {
        let argument = Argument { field: Field::char(2), bytes: b"x ", indicator: None };
        assert_eq!(parameters(&[], &[argument]).unwrap_err().code, -313);
        let error = parameters(&[oid::TEXT, oid::INT4], &[argument; 2]).unwrap_err();
        assert_eq!((error.code, error.tokens), (-420, vec!["2".to_owned()]));
        let null = Argument { indicator: Some(-1), ..argument };
        assert!(parameters(&[oid::INT4], &[null]).is_ok());
    }
}
