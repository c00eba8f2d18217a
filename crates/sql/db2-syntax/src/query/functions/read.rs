//! Arguments, and functions whose arguments have words between them.

use db2_values::{DateStyle, Type};

use super::{Call, times};
use crate::context::Context;
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function};

/// Reads arguments and the parenthesis behind them. A unit of lengths at the end means nothing: a character is a byte.
pub(super) fn arguments(context: &mut Context<'_>) -> Result<Vec<Expression>, Refusal> {
    const UNITS: [&str; 3] = ["CODEUNITS32", "CODEUNITS16", "OCTETS"];
    let mut values = Vec::new();
    if context.reader.take(")") {
        return Ok(values);
    }
    loop {
        let is_unit = context.reader.is_any(&UNITS) && context.reader.is_ahead(1, ")");
        if is_unit && !values.is_empty() {
            context.reader.next();
        } else {
            values.push(context.expression()?);
        }
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(values)
}

/// Sides of STRIP and TRIM.
const SIDES: [(&str, Function); 6] = [
    ("L", Function::StripLeft),
    ("LEADING", Function::StripLeft),
    ("T", Function::StripRight),
    ("TRAILING", Function::StripRight),
    ("B", Function::Strip),
    ("BOTH", Function::Strip),
];

fn side(context: &mut Context<'_>, behind: &[&str]) -> Option<Function> {
    let (_, function) = SIDES.iter().find(|(word, _)| context.reader.is(word))?;
    let is_side = behind.is_empty() || behind.iter().any(|next| context.reader.is_ahead(1, next));
    if !is_side || context.reader.is_ahead(1, ".") {
        return None;
    }
    context.reader.next();
    Some(*function)
}

/// `STRIP(text, side, character)`, `TRIM(side character FROM text)`.
pub(super) fn strip(context: &mut Context<'_>, name: &Name) -> Result<Expression, Refusal> {
    let is_alone = context.reader.is_ahead(1, ",") || context.reader.is_ahead(1, ")");
    let mut function = if is_alone { None } else { side(context, &[]) };
    let mut values = Vec::new();
    if !context.reader.is("FROM") {
        values.push(context.expression()?);
    }
    if context.reader.take("FROM") {
        values.insert(0, context.expression()?);
    } else if context.reader.take(",") {
        function = Some(side(context, &[",", ")"]).ok_or_else(|| context.reader.unexpected("a side"))?);
        if context.reader.take(",") {
            values.push(context.expression()?);
        }
    }
    context.reader.want(")")?;
    let call = Call { name: &name.text, spot: name.spot, values };
    call.stripped(function.unwrap_or(Function::Strip))
}

/// `EXTRACT(YEAR FROM date)`.
pub(super) fn extract(context: &mut Context<'_>, name: &Name) -> Result<Expression, Refusal> {
    const PARTS: [&str; 6] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"];
    let part = PARTS.into_iter().find(|part| context.reader.take(part));
    let part = part.ok_or_else(|| context.reader.unexpected("a part of a date or a time"))?;
    context.reader.want("FROM")?;
    let values = vec![context.expression()?];
    context.reader.want(")")?;
    let call = Call { name: part, spot: name.spot, values };
    match times::function(part) {
        Some(function) => call.of_times(function),
        None => Err(call.wrong_type()),
    }
}

/// CHAR and VARCHAR: of a date or a time in a style, of others with a length.
pub(super) fn characters(context: &mut Context<'_>, name: &Name) -> Result<Expression, Refusal> {
    const STYLES: [(&str, DateStyle); 4] =
        [("ISO", DateStyle::Iso), ("USA", DateStyle::Usa), ("EUR", DateStyle::Eur), ("JIS", DateStyle::Jis)];
    let values = vec![context.expression()?];
    let call = Call { name: &name.text, spot: name.spot, values };
    let (mut function, mut length) = (Function::Convert, None);
    let is_datetime = call.values[0].kind.is_datetime();
    if context.reader.take(",") {
        let style = STYLES.iter().find(|(word, _)| is_datetime && context.reader.take(word));
        match style {
            Some((_, style)) => function = Function::Styled(*style),
            None if is_datetime => return Err(context.reader.not_built("this style of dates")),
            None => length = Some(context.reader.unsigned("a length")?),
        }
    }
    context.reader.want(")")?;
    let most = if name.text == "VARCHAR" { 32_704 } else { 255 };
    let length =
        match length.map(|length| u32::try_from(length).ok().filter(|length| (1..=most).contains(length))) {
            Some(None) => return Err(Refusal::code(-171, name.spot, format!("a length is 1 to {most}"))),
            Some(length) => length,
            None => None,
        };
    let own = width(call.values[0].kind).ok_or_else(|| call.wrong_type())?;
    let length = length.unwrap_or(own.min(most).max(1));
    let kind = match (name.text == "VARCHAR", call.values[0].kind.is_bits()) {
        (true, true) => Type::VarBytes(length),
        (true, false) => Type::VarChar(length),
        (false, true) => Type::Bytes(length),
        (false, false) => Type::Char(length),
    };
    Ok(call.made(function, kind))
}

/// Characters that a value of a type has at most.
fn width(kind: Type) -> Option<u32> {
    Some(match kind {
        Type::SmallInt => 6,
        Type::Integer => 11,
        Type::BigInt => 20,
        Type::Decimal { precision, .. } => u32::from(precision) + 2,
        Type::Real | Type::Double => 24,
        Type::Date => 10,
        Type::Time => 8,
        Type::Timestamp(0) => 19,
        Type::Timestamp(digits) => 20 + u32::from(digits),
        kind => kind.length()?,
    })
}
