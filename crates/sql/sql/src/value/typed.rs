//! Values in Db2's types between COBOL's fields and those who keep such values themselves: the region's own tables.

use db2_values::{Setting, Type, Value};

use super::put::{self, Read};
use super::take::{self, FieldTarget, Styles, Taken};
use super::{Argument, Decimal, Field, Kind, Unfit};
use crate::codes::Sqlca;

impl Field {
    /// The type of the field's values.
    pub fn type_of_values(&self) -> Type {
        let bytes = self.bytes;
        match self.kind {
            Kind::Binary => self.type_of_binary(),
            Kind::Packed | Kind::Zoned(_) => Type::Decimal { precision: self.digits, scale: self.scale },
            Kind::Float if bytes == 4 => Type::Real,
            Kind::Float => Type::Double,
            Kind::Char => Type::Char(bytes),
            Kind::Varchar => Type::VarChar(bytes.saturating_sub(2)),
            Kind::Large => Type::VarChar(bytes.saturating_sub(4)),
            Kind::Graphic => Type::Char(bytes / 2),
            Kind::Vargraphic => Type::VarChar(bytes.saturating_sub(2) / 2),
            Kind::Utf8(0) => Type::Char(bytes),
            Kind::Utf8(characters) => Type::Char(characters),
        }
    }

    /// A whole number fits by its bytes, not by the picture's digits.
    fn type_of_binary(&self) -> Type {
        match (self.bytes, self.is_signed, self.scale) {
            (..=2, true, 0) => Type::SmallInt,
            (..=2, false, 0) | (..=4, true, 0) => Type::Integer,
            (..=4, false, 0) | (_, true, 0) => Type::BigInt,
            (..=2, _, scale) => Type::Decimal { precision: 5.max(scale), scale },
            (..=4, _, scale) => Type::Decimal { precision: 10.max(scale), scale },
            (_, _, scale) => Type::Decimal { precision: 20.max(scale), scale },
        }
    }
}

/// The value of a field, in [`Field::type_of_values`].
///
/// # Errors
/// The field holds none: letters in a number, a length that is none.
pub fn value_of(argument: &Argument<'_>) -> Result<Value, Unfit> {
    if argument.indicator.is_some_and(|indicator| indicator < 0) {
        return Ok(Value::Null);
    }
    let kind = argument.field.type_of_values();
    Ok(match put::read(&argument.field, argument.bytes)? {
        Read::Number(number) if kind.is_whole() => {
            Value::Whole(i64::try_from(number.unscaled).map_err(|_| Unfit::RANGE)?)
        }
        Read::Number(number) => Value::Decimal(number),
        Read::Float(number) if number.is_finite() => Value::Double(number),
        Read::Float(_) => return Err(Unfit::RANGE),
        Read::Text(text, _) => {
            let mut text = text.into_owned();
            if let Type::Char(length) = kind {
                text.resize(length as usize, b' ');
            }
            Value::Text(text)
        }
    })
}

/// Puts a row of values, with their types, into fields, as [`take_row`](super::take_row) does.
///
/// # Errors
/// The SQLCA that the program gets. Fields before the one at fault have their values.
pub fn take_values(
    values: &[Value],
    kinds: &[Type],
    targets: &mut [FieldTarget<'_>],
    setting: &Setting,
) -> Result<Sqlca, Sqlca> {
    let styles = Styles { date: setting.date, time: setting.time };
    let row = values.iter().zip(kinds).map(|(value, kind)| (!value.is_null()).then_some((value, *kind)));
    take::take_each(values.len(), row, targets, |(value, kind), field, into| {
        take_value(value, kind, field, into, styles)
    })
}

/// Puts one value into a field.
fn take_value(
    value: &Value,
    kind: Type,
    field: &Field,
    into: &mut [u8],
    styles: Styles,
) -> Result<Taken, Unfit> {
    match value {
        Value::Null => Err(Unfit::TARGET),
        Value::Whole(number) => take::number(Decimal::whole(*number), field, into),
        Value::Decimal(number) => take::number(*number, field, into),
        Value::Double(number) if kind == Type::Real => {
            take::float(*number, || (*number as f32).to_string(), field, into)
        }
        Value::Double(number) => take::float(*number, || number.to_string(), field, into),
        Value::Text(text) => take::text(text, field, into),
        Value::Date(date) => take::datetime_text(&date.text(styles.date), 10, field, into),
        Value::Time(time) => take::time_text(*time, styles.time, field, into),
        Value::Timestamp(timestamp) => {
            let digits = if let Type::Timestamp(digits) = kind { digits } else { 6 };
            take::datetime_text(&timestamp.text(digits), 19, field, into)
        }
    }
}

#[cfg(test)]
mod tests {
    use ebcdic::decimal::ZonedSign;

    use super::*;

    #[track_caller]
    fn through(field: Field, bytes: &[u8], value: Value) {
        let argument = Argument { field, bytes, indicator: Some(0) };
        assert_eq!(value_of(&argument).unwrap(), value);
        let (mut into, mut indicator) = (vec![0; bytes.len()], [9; 2]);
        let target = FieldTarget { field, bytes: &mut into, indicator: Some(&mut indicator) };
        let setting = Setting::at(db2_values::Timestamp::parse(b"2026-11-29-10.30.00").unwrap());
        let taken = take_values(&[value], &[field.type_of_values()], &mut [target], &setting);
        assert_eq!(taken.map(|sqlca| sqlca.code), Ok(0));
        assert_eq!((into.as_slice(), indicator), (bytes, [0; 2]));
    }

    #[test]
    fn a_value_goes_in_and_comes_out_as_it_was() {
        through(Field::binary(2), &[0xFF, 0xFE], Value::Whole(-2));
        through(Field::binary(4), &12_345i32.to_be_bytes(), Value::Whole(12_345));
        through(
            Field::packed(5, 2),
            &[0x12, 0x34, 0x5D],
            Value::Decimal(Decimal { unscaled: -12_345, scale: 2 }),
        );
        let zoned = Field::zoned(3, 0, ZonedSign::Trailing);
        through(zoned, b"12C", Value::Decimal(Decimal { unscaled: 123, scale: 0 }));
        through(Field::char(4), b"A\0\xE4 ", Value::Text(b"A\0\xE4 ".to_vec()));
        through(Field::varchar(3), b"\0\x02AB\0", Value::Text(b"AB".to_vec()));
        through(Field::float(8), &2.5f64.to_ne_bytes(), Value::Double(2.5));
    }

    #[test]
    fn null_needs_an_indicator() {
        let argument = Argument { field: Field::char(2), bytes: b"??", indicator: Some(-1) };
        assert_eq!(value_of(&argument), Ok(Value::Null));
        let setting = Setting::at(db2_values::Timestamp::parse(b"2026-11-29-10.30.00").unwrap());
        let mut into = *b"??";
        let target = FieldTarget { field: Field::char(2), bytes: &mut into, indicator: None };
        let refused = take_values(&[Value::Null], &[Type::Char(2)], &mut [target], &setting).unwrap_err();
        assert_eq!((refused.code, refused.tokens), (-305, vec!["1".to_owned()]));
    }
}
