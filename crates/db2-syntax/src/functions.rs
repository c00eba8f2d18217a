//! Functions: of values, and of all rows.

use db2::package::Spot;
use db2_values::{Type, digits};

use crate::context::{Aggregates, Context};
use crate::expression::{concatenated, expression};
use crate::refusal::Refusal;
use crate::tree::{Aggregate, Expression, Function, Node};

/// Reads a function's name and its arguments.
pub(crate) fn call(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let name = context.reader.name("a function")?;
    context.reader.want("(")?;
    let aggregate = match name.text.as_str() {
        "COUNT" => Some(Aggregate::Count),
        "SUM" => Some(Aggregate::Sum),
        "AVG" => Some(Aggregate::Average),
        "MIN" => Some(Aggregate::Minimum),
        "MAX" => Some(Aggregate::Maximum),
        _ => None,
    };
    match aggregate {
        Some(function) => of_rows(context, function, name.spot),
        None => of_values(context, &name.text, name.spot),
    }
}

fn of_rows(context: &mut Context<'_>, function: Aggregate, spot: Spot) -> Result<Expression, Refusal> {
    match context.aggregates {
        Aggregates::Allowed(_) => {}
        Aggregates::Forbidden => {
            return Err(Refusal::code(-120, spot, "a function of all rows cannot stand here"));
        }
        Aggregates::Inside => {
            return Err(Refusal::code(-112, spot, "a function of all rows stands inside of another"));
        }
    }
    if function == Aggregate::Count && context.reader.take_all(&["*", ")"]) {
        context.aggregates = Aggregates::Allowed(true);
        return Ok(aggregate(function, false, None, Type::Integer));
    }
    let is_distinct = context.reader.take("DISTINCT");
    if !is_distinct {
        context.reader.take("ALL");
    }
    context.aggregates = Aggregates::Inside;
    let value = expression(context)?;
    context.aggregates = Aggregates::Allowed(true);
    if context.reader.is(",") {
        return Err(context.reader.not_built("MAX or MIN of several values"));
    }
    context.reader.want(")")?;
    if context.reader.is("OVER") {
        return Err(context.reader.not_built("OVER"));
    }
    let adds = matches!(function, Aggregate::Sum | Aggregate::Average);
    if adds && !value.kind.is_number() {
        return Err(Refusal::code(-402, spot, "only numbers can be added up"));
    }
    let kind = match function {
        Aggregate::Count => Type::Integer,
        Aggregate::Sum => digits::total(value.kind, context.arithmetic()),
        Aggregate::Average => digits::average(value.kind, context.arithmetic()),
        Aggregate::Minimum | Aggregate::Maximum => value.kind,
    };
    Ok(aggregate(function, is_distinct, Some(value), kind))
}

fn aggregate(function: Aggregate, is_distinct: bool, value: Option<Expression>, kind: Type) -> Expression {
    let node = Node::Aggregate { function, is_distinct, value: value.map(Box::new) };
    Expression { node, kind, is_nullable: function != Aggregate::Count }
}

fn of_values(context: &mut Context<'_>, name: &str, spot: Spot) -> Result<Expression, Refusal> {
    let function = match name {
        "COALESCE" | "VALUE" | "IFNULL" => Function::Coalesce,
        "UPPER" | "UCASE" => Function::Upper,
        "LOWER" | "LCASE" => Function::Lower,
        "SUBSTR" => Function::Substring,
        "STRIP" | "TRIM" => Function::Strip,
        "RTRIM" => Function::StripRight,
        "LTRIM" => Function::StripLeft,
        "LENGTH" => Function::Length,
        "DIGITS" => Function::Digits,
        "SMALLINT" | "INTEGER" | "INT" | "BIGINT" | "DECIMAL" | "DEC" | "FLOAT" | "DOUBLE" | "REAL" => {
            Function::Convert
        }
        "CONCAT" => {
            let [left, right] = exactly(arguments(context)?, name, spot)?;
            return concatenated(left, right, spot);
        }
        _ => return Err(Refusal::not_built(spot, &format!("the function {name}"))),
    };
    let values = arguments(context)?;
    match function {
        Function::Coalesce => coalesce(values, name, spot),
        Function::Substring => substring(values, name, spot),
        Function::Convert => convert(values, name, spot),
        function => of_one(function, values, name, spot),
    }
}

fn arguments(context: &mut Context<'_>) -> Result<Vec<Expression>, Refusal> {
    const SIDES: [&str; 6] = ["L", "LEADING", "T", "TRAILING", "B", "BOTH"];
    let mut values = Vec::new();
    if context.reader.take(")") {
        return Ok(values);
    }
    loop {
        let is_side = context.reader.is_any(&SIDES) && !context.reader.is_ahead(1, ".");
        if is_side
            && (!values.is_empty() || !(context.reader.is_ahead(1, ",") || context.reader.is_ahead(1, ")")))
        {
            return Err(context.reader.not_built("the side of STRIP or TRIM"));
        }
        values.push(expression(context)?);
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(values)
}

fn wrong_number(name: &str, spot: Spot) -> Refusal {
    Refusal::code(-170, spot, format!("{name} does not have so many arguments"))
}

fn wrong_type(name: &str, spot: Spot) -> Refusal {
    Refusal::code(-171, spot, format!("{name} does not take an argument of this type"))
}

fn exactly<const N: usize>(
    values: Vec<Expression>,
    name: &str,
    spot: Spot,
) -> Result<[Expression; N], Refusal> {
    values.try_into().map_err(|_| wrong_number(name, spot))
}

fn call_of(function: Function, values: Vec<Expression>, kind: Type) -> Expression {
    let is_nullable = match function {
        Function::Coalesce => values.iter().all(|value| value.is_nullable),
        _ => values.iter().any(|value| value.is_nullable),
    };
    Expression { node: Node::Call(function, values), kind, is_nullable }
}

fn coalesce(values: Vec<Expression>, name: &str, spot: Spot) -> Result<Expression, Refusal> {
    let [first, _, ..] = values.as_slice() else { return Err(wrong_number(name, spot)) };
    let kind = values.iter().try_fold(first.kind, |kind, value| kind.common(value.kind));
    let kind = kind.ok_or_else(|| Refusal::code(-401, spot, "these values have no common type"))?;
    Ok(call_of(Function::Coalesce, values, kind))
}

/// SUBSTR: of CHAR, with a length that is a constant, it is CHAR; else VARCHAR.
fn substring(values: Vec<Expression>, name: &str, spot: Spot) -> Result<Expression, Refusal> {
    if !matches!(values.len(), 2 | 3) {
        return Err(wrong_number(name, spot));
    }
    let Some(whole) = values[0].kind.length() else { return Err(wrong_type(name, spot)) };
    if !values[1..].iter().all(|value| value.kind.is_whole()) {
        return Err(wrong_type(name, spot));
    }
    let constant = |at: usize| match values.get(at).map(|value| &value.node) {
        Some(Node::Number(digits)) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let (start, length) = (constant(1), constant(2));
    let is_outside = start == Some(0)
        || start.is_some_and(|start| start > whole)
        || start.zip(length).is_some_and(|(start, length)| length > whole + 1 - start);
    if is_outside {
        return Err(Refusal::code(-138, spot, "SUBSTR takes more than the text has"));
    }
    let is_bytes = matches!(values[0].kind, Type::Bytes(_) | Type::VarBytes(_));
    let kind = match (length.filter(|length| (1..=255).contains(length)), is_bytes) {
        (Some(length), false) => Type::Char(length),
        (Some(length), true) => Type::Bytes(length),
        (None, false) => Type::VarChar(whole),
        (None, true) => Type::VarBytes(whole),
    };
    Ok(call_of(Function::Substring, values, kind))
}

fn of_one(
    function: Function,
    values: Vec<Expression>,
    name: &str,
    spot: Spot,
) -> Result<Expression, Refusal> {
    let [value] = exactly::<1>(values, name, spot)?;
    let kind = value.kind;
    let result = match (function, kind) {
        (Function::Length, _) => Type::Integer,
        (Function::Digits, Type::SmallInt) => Type::Char(5),
        (Function::Digits, Type::Integer) => Type::Char(10),
        (Function::Digits, Type::BigInt) => Type::Char(19),
        (Function::Digits, Type::Decimal { precision, .. }) => Type::Char(precision.into()),
        (Function::Upper | Function::Lower, Type::Char(_) | Type::VarChar(_)) => kind,
        (
            Function::Strip | Function::StripLeft | Function::StripRight,
            Type::Char(length) | Type::VarChar(length),
        ) => Type::VarChar(length),
        (
            Function::Strip | Function::StripLeft | Function::StripRight,
            Type::Bytes(length) | Type::VarBytes(length),
        ) => Type::VarBytes(length),
        _ => return Err(wrong_type(name, spot)),
    };
    Ok(call_of(function, vec![value], result))
}

/// INTEGER, DECIMAL and the like: a value in another type.
fn convert(mut values: Vec<Expression>, name: &str, spot: Spot) -> Result<Expression, Refusal> {
    let constant = |value: &Expression| match &value.node {
        Node::Number(digits) => digits.parse::<u8>().ok(),
        _ => None,
    };
    let further: Option<Vec<u8>> = values.iter().skip(1).map(constant).collect();
    let Some(further) = further else { return Err(wrong_type(name, spot)) };
    let Some(first) = values.first() else { return Err(wrong_number(name, spot)) };
    if !first.kind.is_number() && !first.kind.is_text() {
        return Err(wrong_type(name, spot));
    }
    let of_value = match first.kind {
        Type::Integer => 11,
        Type::SmallInt => 5,
        Type::BigInt => 19,
        _ => 15,
    };
    let kind = match (name, further.as_slice()) {
        ("DECIMAL" | "DEC", []) => Type::Decimal { precision: of_value, scale: 0 },
        ("DECIMAL" | "DEC", [precision @ 1..=31]) => Type::Decimal { precision: *precision, scale: 0 },
        ("DECIMAL" | "DEC", [precision @ 1..=31, scale]) if scale <= precision => {
            Type::Decimal { precision: *precision, scale: *scale }
        }
        ("SMALLINT", []) => Type::SmallInt,
        ("INTEGER" | "INT", []) => Type::Integer,
        ("BIGINT", []) => Type::BigInt,
        ("REAL", []) => Type::Real,
        ("FLOAT" | "DOUBLE", []) => Type::Double,
        _ => return Err(wrong_number(name, spot)),
    };
    values.truncate(1);
    Ok(call_of(Function::Convert, values, kind))
}
