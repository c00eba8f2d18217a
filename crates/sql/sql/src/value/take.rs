//! Values of a result into a program's fields.

use cobol_runtime::floating::{Hex, Width};
use db2_values::Time;
use ebcdic::{Characters, decimal};

use super::{DateStyle, Decimal, Field, Kind, TimeStyle, Unfit, characters, datetime, numeric};
use crate::answer::{Column, Values};
use crate::codes::Sqlca;
use crate::oid::{self, Oid};

/// Styles in which a program sees dates and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Styles {
    /// Dates.
    pub date: DateStyle,
    /// Times.
    pub time: TimeStyle,
}

/// A field that takes a value.
#[derive(Debug)]
pub struct FieldTarget<'a> {
    /// Form of the value.
    pub field: Field,
    /// Its bytes.
    pub bytes: &'a mut [u8],
    /// Its indicator, COMP, where it has one.
    pub indicator: Option<&'a mut [u8; 2]>,
}

/// Results of taking a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// As it is.
    Whole,
    /// Cut to the field's length. How long it was; of a time without its seconds, the seconds.
    Cut(usize),
}

/// Indicator of a NULL value, and of one that could not be passed on.
const NULL: i16 = -1;
const UNCONVERTED: i16 = -2;

/// Puts a row into fields, in order. The SQLCA says what was cut or left out; rows and other counts are not its business.
///
/// # Errors
/// The SQLCA that the program gets. Fields before the one at fault have their values.
pub fn take_row(
    row: Values<'_>,
    columns: &[Column],
    targets: &mut [FieldTarget<'_>],
    styles: Styles,
) -> Result<Sqlca, Sqlca> {
    let row = row.zip(columns).map(|(value, column)| value.map(|value| (value, column.oid)));
    take_each(columns.len(), row, targets, |(value, oid), field, into| take(oid, value, field, into, styles))
}

/// Puts each value of a row of so many into its field; `None` is NULL.
pub(super) fn take_each<V>(
    count: usize,
    row: impl Iterator<Item = Option<V>>,
    targets: &mut [FieldTarget<'_>],
    mut take: impl FnMut(V, &Field, &mut [u8]) -> Result<Taken, Unfit>,
) -> Result<Sqlca, Sqlca> {
    let mut sqlca = Sqlca::default();
    if count != targets.len() {
        sqlca.warn(3);
        sqlca.state = if count > targets.len() { *b"01503" } else { sqlca.state };
    }
    for (at, (value, target)) in row.zip(targets).enumerate() {
        let Some(value) = value else {
            target.indicate(NULL).ok_or_else(|| Sqlca::error(-305, b"22002").token((at + 1).to_string()))?;
            continue;
        };
        match take(value, &target.field, target.bytes) {
            Ok(Taken::Whole) => {
                target.indicate(0);
            }
            Ok(Taken::Cut(length)) => {
                target.indicate(i16::try_from(length).unwrap_or(i16::MAX));
                sqlca.warn(1);
                sqlca.state = *b"01004";
            }
            // With an indicator that is a warning, and the rest of the row goes on.
            Err(Unfit::RESULT) if target.indicate(UNCONVERTED).is_some() => {
                sqlca.code = 304;
                sqlca.state = *b"01515";
            }
            Err(unfit) => return Err(super::refused(unfit, at + 1)),
        }
    }
    Ok(sqlca)
}

impl FieldTarget<'_> {
    /// Sets the indicator, if there is one.
    fn indicate(&mut self, value: i16) -> Option<()> {
        **self.indicator.as_mut()? = value.to_be_bytes();
        Some(())
    }
}

/// Puts one value into a field.
fn take(oid: Oid, value: &[u8], field: &Field, into: &mut [u8], styles: Styles) -> Result<Taken, Unfit> {
    match oid {
        oid::INT2 => number(Decimal::whole(i16::from_be_bytes(exact(value)?)), field, into),
        oid::INT4 => number(Decimal::whole(i32::from_be_bytes(exact(value)?)), field, into),
        oid::INT8 => number(Decimal::whole(i64::from_be_bytes(exact(value)?)), field, into),
        oid::OID => number(Decimal::whole(u32::from_be_bytes(exact(value)?)), field, into),
        oid::XID8 => number(Decimal::whole(u64::from_be_bytes(exact(value)?)), field, into),
        oid::NUMERIC => {
            let scale = match field.kind {
                Kind::Binary | Kind::Packed | Kind::Zoned(_) => field.scale.into(),
                _ => numeric::scale_of_numeric(value),
            };
            number(numeric::from_numeric(value, scale).ok_or(Unfit::RESULT)?, field, into)
        }
        oid::FLOAT4 => {
            let short = f32::from_be_bytes(exact(value)?);
            float(f64::from(short), || short.to_string(), field, into)
        }
        oid::FLOAT8 => {
            let long = f64::from_be_bytes(exact(value)?);
            float(long, || long.to_string(), field, into)
        }
        oid::BOOL => number(Decimal::whole(u8::from(value == [1])), field, into),
        oid::DATE => {
            let date = datetime::date(i32::from_be_bytes(exact(value)?)).ok_or(Unfit::RESULT)?;
            datetime_text(&date.text(styles.date), 10, field, into)
        }
        oid::TIME => {
            let time = datetime::time(i64::from_be_bytes(exact(value)?)).ok_or(Unfit::RESULT)?;
            time_text(time, styles.time, field, into)
        }
        oid::TIMESTAMP => {
            let text = datetime::timestamp_text(i64::from_be_bytes(exact(value)?)).ok_or(Unfit::RESULT)?;
            datetime_text(&text, 19, field, into)
        }
        oid::BYTEA => text(value, field, into),
        _ => text(&characters::receive(value)?, field, into),
    }
}

fn exact<const N: usize>(value: &[u8]) -> Result<[u8; N], Unfit> {
    value.try_into().map_err(|_| Unfit::RESULT)
}

pub(super) fn number(number: Decimal, field: &Field, into: &mut [u8]) -> Result<Taken, Unfit> {
    let unscaled = || number.at_scale(field.scale.into()).ok_or(Unfit::RESULT);
    match field.kind {
        Kind::Binary => binary(unscaled()?, field, into)?,
        Kind::Packed | Kind::Zoned(_) => {
            let unscaled = unscaled()?;
            let fits = Decimal { unscaled, scale: 0 }.has_at_most(field.digits.into());
            let written = match field.kind {
                Kind::Zoned(sign) => fits && decimal::write_zoned(unscaled, sign, into).is_ok(),
                _ => fits && decimal::pack(unscaled, field.is_signed, into).is_ok(),
            };
            if !written {
                return Err(Unfit::RESULT);
            }
        }
        Kind::Float => {
            let number: f64 = number.text().parse().map_err(|_| Unfit::RESULT)?;
            write_float(number, field, into)?;
        }
        _ => {
            let digits = number.text();
            // A number without its last digits would be another one.
            if digits.len() > capacity(field) {
                return Err(Unfit::RESULT);
            }
            return text(digits.as_bytes(), field, into);
        }
    }
    Ok(Taken::Whole)
}

/// Writes a whole number; it fits by bytes, not by the picture's digits.
fn binary(number: i128, field: &Field, into: &mut [u8]) -> Result<(), Unfit> {
    let bits = into.len() as u32 * 8;
    let (least, most) = match field.is_signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    if !(least..=most).contains(&number) {
        return Err(Unfit::RESULT);
    }
    let bytes = number.to_be_bytes();
    into.copy_from_slice(&bytes[bytes.len() - into.len()..]);
    if field.is_native && cfg!(target_endian = "little") {
        into.reverse();
    }
    Ok(())
}

pub(super) fn float(
    value: f64,
    shortest: impl FnOnce() -> String,
    field: &Field,
    into: &mut [u8],
) -> Result<Taken, Unfit> {
    match field.kind {
        Kind::Float => write_float(value, field, into).map(|()| Taken::Whole),
        _ => number(Decimal::parse(shortest().as_bytes()).ok_or(Unfit::RESULT)?, field, into),
    }
}

fn write_float(number: f64, field: &Field, into: &mut [u8]) -> Result<(), Unfit> {
    if !field.is_native {
        let width = if into.len() == Width::Short.length() { Width::Short } else { Width::Long };
        let bytes = Hex::from_f64(number).and_then(|hex| hex.to_bytes(width));
        let bytes = bytes.filter(|bytes| bytes.len() == into.len()).ok_or(Unfit::RESULT)?;
        into.copy_from_slice(&bytes);
    } else if into.len() == 4 {
        let short = number as f32;
        if short.is_infinite() && number.is_finite() {
            return Err(Unfit::RESULT);
        }
        into.copy_from_slice(&short.to_ne_bytes());
    } else {
        into.copy_from_slice(&number.to_ne_bytes());
    }
    Ok(())
}

/// A date or timestamp, of which so many characters are the least that a field must take.
pub(super) fn datetime_text(
    shown: &str,
    least: usize,
    field: &Field,
    into: &mut [u8],
) -> Result<Taken, Unfit> {
    if !field.is_text() {
        return Err(Unfit::TARGET);
    }
    if capacity(field) < least {
        return Err(Unfit::RESULT);
    }
    text(shown.as_bytes(), field, into)
}

/// A time; a field for five characters has hours and minutes, and the indicator the seconds.
pub(super) fn time_text(
    time: Time,
    style: TimeStyle,
    field: &Field,
    into: &mut [u8],
) -> Result<Taken, Unfit> {
    let shown = time.text(style);
    if style == TimeStyle::Usa || capacity(field) >= 8 || !field.is_text() {
        return datetime_text(&shown, 8, field, into);
    }
    datetime_text(&shown[..5], 5, field, into)?;
    Ok(Taken::Cut(time.second() as usize))
}

/// Number of characters that a field of a text kind takes.
fn capacity(field: &Field) -> usize {
    let bytes = field.bytes as usize;
    match field.kind {
        Kind::Varchar => bytes.saturating_sub(2),
        Kind::Large => bytes.saturating_sub(4),
        Kind::Graphic => bytes / 2,
        Kind::Utf8(characters) if characters > 0 => characters as usize,
        Kind::Vargraphic => bytes.saturating_sub(2) / 2,
        _ => bytes,
    }
}

/// Puts characters into a field: padded where it is longer, cut where it is shorter.
pub(super) fn text(value: &[u8], field: &Field, into: &mut [u8]) -> Result<Taken, Unfit> {
    let length = value.len().min(capacity(field));
    let kept = &value[..length];
    match field.kind {
        Kind::Char => {
            let (front, rest) = into.split_at_mut(length);
            front.copy_from_slice(kept);
            rest.fill(b' ');
        }
        Kind::Varchar => {
            put_length(field, &mut into[..2], length);
            into[2..2 + length].copy_from_slice(kept);
        }
        Kind::Large => {
            put_length(field, &mut into[..4], length);
            into[4..4 + length].copy_from_slice(kept);
        }
        Kind::Graphic => widen(kept, into),
        Kind::Utf8(_) => return Ok(put_utf8(value, length, into)),
        Kind::Vargraphic => {
            put_length(field, &mut into[..2], length);
            widen(kept, &mut into[2..2 + 2 * length]);
        }
        _ => {
            let value = Decimal::parse(value).ok_or(Unfit::CAST)?;
            return number(value, field, into);
        }
    }
    // Blanks that do not fit are no loss.
    let is_whole = value[length..].iter().all(|&byte| byte == b' ');
    Ok(if is_whole { Taken::Whole } else { Taken::Cut(value.len()) })
}

/// Puts characters of one byte into UTF-8, so many at most, and as many as there is room for, with blanks behind them.
fn put_utf8(value: &[u8], most: usize, into: &mut [u8]) -> Taken {
    let (mut taken, mut end) = (0, 0);
    for character in Characters::default().text(&value[..most]).chars() {
        let mut buffer = [0; 4];
        let character = character.encode_utf8(&mut buffer).as_bytes();
        let Some(place) = into.get_mut(end..end + character.len()) else { break };
        place.copy_from_slice(character);
        (taken, end) = (taken + 1, end + character.len());
    }
    into[end..].fill(b' ');
    let is_whole = value[taken..].iter().all(|&byte| byte == b' ');
    if is_whole { Taken::Whole } else { Taken::Cut(value.len()) }
}

/// A length in front of a text, which is no longer than its field.
fn put_length(field: &Field, into: &mut [u8], length: usize) {
    let bytes = length.to_be_bytes();
    into.copy_from_slice(&bytes[bytes.len() - into.len()..]);
    if field.is_native && cfg!(target_endian = "little") {
        into.reverse();
    }
}

/// Characters of one byte into characters of two, padded with blanks.
fn widen(value: &[u8], into: &mut [u8]) {
    let characters = value.iter().copied().chain(std::iter::repeat(b' '));
    for (unit, character) in into.chunks_exact_mut(2).zip(characters) {
        unit.copy_from_slice(&[0, character]);
    }
}

#[cfg(test)]
mod tests {
    use ebcdic::decimal::ZonedSign;

    use super::*;

    #[track_caller]
    fn get(oid: Oid, value: &[u8], field: Field) -> Result<(Vec<u8>, Taken), i32> {
        let mut into = vec![0; field.bytes as usize];
        let taken = take(oid, value, &field, &mut into, Styles::default()).map_err(|unfit| unfit.code)?;
        Ok((into, taken))
    }

    fn whole(bytes: &[u8]) -> Result<(Vec<u8>, Taken), i32> {
        Ok((bytes.to_vec(), Taken::Whole))
    }

    #[test]
    fn numbers() {
        let one = 12_345i32.to_be_bytes();
        assert_eq!(get(oid::INT4, &one, Field::binary(4)), whole(&one));
        assert_eq!(get(oid::INT4, &one, Field::binary(2)), whole(&[0x30, 0x39]));
        assert_eq!(get(oid::INT4, &70_000i32.to_be_bytes(), Field::binary(2)), Err(-304));
        assert_eq!(get(oid::INT4, &one, Field::packed(7, 2)), whole(&[0x12, 0x34, 0x50, 0x0C]));
        assert_eq!(get(oid::INT4, &one, Field::packed(4, 0)), Err(-304));
        assert_eq!(get(oid::INT4, &one, Field::zoned(5, 0, ZonedSign::Trailing)), whole(b"1234E"));
        assert_eq!(get(oid::INT4, &(-1i32).to_be_bytes(), Field::zoned(5, 0, ZonedSign::None)), Err(-304));
        assert_eq!(get(oid::INT4, &one, Field::char(8)), whole(b"12345   "));
        assert_eq!(get(oid::INT4, &one, Field::char(4)), Err(-304));
        assert_eq!(get(oid::INT4, &one, Field::float(8)), whole(&12345f64.to_ne_bytes()));
    }

    #[test]
    fn hexadecimal_floating_point() {
        let hex = |bytes| Field { is_native: false, ..Field::float(bytes) };
        assert_eq!(get(oid::FLOAT8, &2.75f64.to_be_bytes(), hex(8)), whole(&[0x41, 0x2C, 0, 0, 0, 0, 0, 0]));
        assert_eq!(get(oid::FLOAT4, &(-0.1f32).to_be_bytes(), hex(4)), whole(&[0xC0, 0x19, 0x99, 0x9A]));
        assert_eq!(get(oid::INT4, &0i32.to_be_bytes(), hex(4)), whole(&[0; 4]));
        assert_eq!(get(oid::FLOAT8, &1e300f64.to_be_bytes(), hex(8)), Err(-304));
    }

    #[test]
    fn texts() {
        assert_eq!(get(oid::BPCHAR, b"AB", Field::char(4)), whole(b"AB  "));
        assert_eq!(get(oid::BPCHAR, b"AB    ", Field::char(4)), whole(b"AB  "));
        assert_eq!(get(oid::BPCHAR, b"ABCDE", Field::char(4)), Ok((b"ABCD".to_vec(), Taken::Cut(5))));
        assert_eq!(get(oid::VARCHAR, b"AB", Field::varchar(3)), whole(b"\0\x02AB\0"));
        assert_eq!(get(oid::TEXT, b"A", Field::graphic(2)), whole(b"\0A\0 "));
        let utf8 = Field::utf8(2);
        assert_eq!(get(oid::BPCHAR, "äb  ".as_bytes(), utf8), whole("äb     ".as_bytes()));
        assert_eq!(get(oid::TEXT, "äbc".as_bytes(), utf8), Ok(("äb     ".into(), Taken::Cut(3))));
        let of_bytes = Field { kind: Kind::Utf8(0), bytes: 4, ..utf8 };
        assert_eq!(get(oid::TEXT, "aäö".as_bytes(), of_bytes), Ok(("aä ".into(), Taken::Cut(3))));
        assert_eq!(get(oid::INT4, &12i32.to_be_bytes(), utf8), whole(b"12      "));
        assert_eq!(get(oid::BPCHAR, "A\u{1}ä\u{E001}".as_bytes(), Field::char(4)), whole(b"A\0\xE4\x01"));
        assert_eq!(get(oid::BPCHAR, "€".as_bytes(), Field::char(4)), Err(-330));
        assert_eq!(get(oid::BYTEA, b"\0\x01\xE4", Field::char(3)), whole(b"\0\x01\xE4"));
        assert_eq!(get(oid::TEXT, b" 1.5", Field::packed(3, 1)), whole(&[0x01, 0x5C]));
        assert_eq!(get(oid::TEXT, b"x", Field::packed(3, 1)), Err(-420));
    }

    #[test]
    fn dates_and_times() {
        assert_eq!(get(oid::DATE, &1i32.to_be_bytes(), Field::char(10)), whole(b"2000-01-02"));
        assert_eq!(get(oid::DATE, &1i32.to_be_bytes(), Field::char(8)), Err(-304));
        assert_eq!(get(oid::DATE, &1i32.to_be_bytes(), Field::binary(4)), Err(-303));
        assert_eq!(get(oid::DATE, &i32::MAX.to_be_bytes(), Field::char(10)), Err(-304));
        let time = 37_805_000_000i64.to_be_bytes();
        assert_eq!(get(oid::TIME, &time, Field::char(8)), whole(b"10.30.05"));
        assert_eq!(get(oid::TIME, &time, Field::char(5)), Ok((b"10.30".to_vec(), Taken::Cut(5))));
        assert_eq!(
            get(oid::TIMESTAMP, &1i64.to_be_bytes(), Field::char(26)),
            whole(b"2000-01-01-00.00.00.000001")
        );
        let cut = get(oid::TIMESTAMP, &1i64.to_be_bytes(), Field::char(19));
        assert_eq!(cut, Ok((b"2000-01-01-00.00.00".to_vec(), Taken::Cut(26))));
    }

    #[test]
    fn indicators_and_warnings() {
        let mut rows = Vec::new();
        for value in [Some(b"ABC".as_slice()), None, Some(&70_000i32.to_be_bytes())] {
            rows.extend(value.map_or(-1, |value| value.len() as i32).to_be_bytes());
            rows.extend(value.unwrap_or_default());
        }
        let column = Column::plain;
        let columns = [column(oid::TEXT), column(oid::TEXT), column(oid::INT4)];
        let (mut a, mut b, mut c) = ([0; 2], [b'?'; 2], [0; 2]);
        let mut indicators = [[9; 2]; 3];
        let [ia, ib, ic] = &mut indicators;
        let mut targets = [
            FieldTarget { field: Field::char(2), bytes: &mut a, indicator: Some(ia) },
            FieldTarget { field: Field::char(2), bytes: &mut b, indicator: Some(ib) },
            FieldTarget { field: Field::binary(2), bytes: &mut c, indicator: Some(ic) },
        ];
        let row = || Values::of(3, &rows);
        let sqlca = take_row(row(), &columns, &mut targets, Styles::default()).unwrap();
        assert_eq!((sqlca.code, &sqlca.state, sqlca.warnings[1]), (304, b"01515", b'W'));
        targets[1].indicator = None;
        let error = take_row(row(), &columns, &mut targets, Styles::default()).unwrap_err();
        assert_eq!((error.code, error.tokens), (-305, vec!["2".to_owned()]));
        assert_eq!(indicators, [[0, 3], [0xFF, 0xFF], [0xFF, 0xFE]]);
        assert_eq!((&a, &b), (b"AB", b"??"));
    }
}
