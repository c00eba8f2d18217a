//! Types as columns and CAST name them.

use db2_values::Type;
use db2_values::limits::FRACTION_MAX;

use crate::context::Context;
use crate::refusal::Refusal;

/// Reads a type.
pub(crate) fn kind(context: &mut Context<'_>) -> Result<Type, Refusal> {
    let spot = context.reader.spot();
    let name = context.reader.name("a type")?;
    let kind = match name.text.as_str() {
        "SMALLINT" => Type::SmallInt,
        "INTEGER" | "INT" => Type::Integer,
        "BIGINT" => Type::BigInt,
        "DECIMAL" | "DEC" | "NUMERIC" => decimal(context)?,
        "DOUBLE" => {
            context.reader.take("PRECISION");
            Type::Double
        }
        "REAL" => Type::Real,
        "FLOAT" => {
            if context.reader.is("(") {
                return Err(context.reader.not_built("FLOAT of a number of bits"));
            }
            Type::Double
        }
        "CHAR" | "CHARACTER" => {
            if context.reader.is("VARYING") || context.reader.is("LARGE") {
                return Err(context.reader.not_built("CHARACTER VARYING or LARGE"));
            }
            text(context, 255, Type::Char, Type::Bytes)?
        }
        "VARCHAR" => text(context, 32_704, Type::VarChar, Type::VarBytes)?,
        "DATE" => Type::Date,
        "TIME" => Type::Time,
        "TIMESTAMP" => timestamp(context)?,
        other => return Err(Refusal::not_built(spot, &format!("the type {other}"))),
    };
    Ok(kind)
}

/// The digits of a timestamp in parentheses, if there are any.
pub(crate) fn timestamp(context: &mut Context<'_>) -> Result<Type, Refusal> {
    let spot = context.reader.spot();
    if !context.reader.take("(") {
        return Ok(Type::Timestamp(6));
    }
    let digits = context.reader.unsigned("a number of digits")?;
    context.reader.want(")")?;
    match u8::try_from(digits) {
        Ok(digits) if digits <= FRACTION_MAX => Ok(Type::Timestamp(digits)),
        _ => {
            Err(Refusal::code(-604, spot, format!("a timestamp has 0 to {FRACTION_MAX} digits of a second")))
        }
    }
}

fn decimal(context: &mut Context<'_>) -> Result<Type, Refusal> {
    let (mut precision, mut scale) = (5, 0);
    let spot = context.reader.spot();
    if context.reader.take("(") {
        precision = context.reader.unsigned("a number of digits")?;
        if context.reader.take(",") {
            scale = context.reader.unsigned("a number of digits")?;
        }
        context.reader.want(")")?;
    }
    match (u8::try_from(precision), u8::try_from(scale)) {
        (Ok(precision @ 1..=31), Ok(scale)) if scale <= precision => Ok(Type::Decimal { precision, scale }),
        _ => Err(Refusal::code(
            -604,
            spot,
            "a decimal number has 1 to 31 digits, and no more behind the point",
        )),
    }
}

fn text(
    context: &mut Context<'_>,
    most: u32,
    of_characters: fn(u32) -> Type,
    of_bytes: fn(u32) -> Type,
) -> Result<Type, Refusal> {
    let spot = context.reader.spot();
    let mut length = 1;
    if context.reader.take("(") {
        length = context.reader.unsigned("a length")?;
        context.reader.want(")")?;
    } else if most > 255 {
        return Err(context.reader.unexpected("a length in parentheses"));
    }
    let length = u32::try_from(length).ok().filter(|length| (1..=most).contains(length));
    let wrong = || Refusal::code(-604, spot, format!("a length is 1 to {most}"));
    let are_bytes = context.reader.take_all(&["FOR", "BIT", "DATA"]);
    length.map(if are_bytes { of_bytes } else { of_characters }).ok_or_else(wrong)
}
