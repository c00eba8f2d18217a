//! Expressions, each with its type.

use db2::package::Spot;
use db2::{Kind, Token};
use db2_values::{Type, digits};

use super::{case, dates, functions, sequences};
use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Node, Operator};

/// Reads an expression.
pub(crate) fn expression(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let mut left = product(context)?;
    if dates::unit(context, &left)?.is_some() {
        return Err(Refusal::code(-182, context.reader.spot(), "a duration stands alone")
            .help("write it behind + or - and a date, a time or a timestamp"));
    }
    loop {
        let spot = context.reader.spot();
        let operator = match () {
            () if context.reader.take("+") => Operator::Add,
            () if context.reader.take("-") => Operator::Subtract,
            () => return Ok(left),
        };
        let mut right = product(context)?;
        if let Some(unit) = dates::unit(context, &right)? {
            context.give(&mut right, Type::Decimal { precision: 15, scale: 0 });
            left = dates::moved(operator, left, right, unit, spot)?;
            continue;
        }
        left = calculated(context, operator, left, right, spot)?;
    }
}

fn product(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let mut left = factor(context)?;
    loop {
        let spot = context.reader.spot();
        let operator = match () {
            () if context.reader.take("*") => Operator::Multiply,
            () if context.reader.take("/") => Operator::Divide,
            () if ["||", "!!", "CONCAT"].iter().any(|sign| context.reader.take(sign)) => {
                let mut right = factor(context)?;
                context.alike(&mut [&mut left, &mut right]);
                left = functions::concatenated(left, right, spot)?;
                continue;
            }
            () => return Ok(left),
        };
        let right = factor(context)?;
        left = calculated(context, operator, left, right, spot)?;
    }
}

/// Two numbers with an operator between them.
fn calculated(
    context: &mut Context<'_>,
    operator: Operator,
    mut left: Expression,
    mut right: Expression,
    spot: Spot,
) -> Result<Expression, Refusal> {
    context.calculates(&mut left, &mut right, spot)?;
    if left.kind.is_datetime() || right.kind.is_datetime() {
        return dates::calculated(operator, left, right, spot);
    }
    if !left.kind.is_number() || !right.kind.is_number() {
        return Err(Refusal::code(-401, spot, "characters are no operand of arithmetic")
            .help("make a number of them, with DECIMAL for example"));
    }
    let (first, second) = (counted(&left), counted(&right));
    let kind = digits::result(operator, first, second, context.arithmetic()).map_err(|_| {
        Refusal::code(-419, spot, "this division has no digits left behind the point")
            .help("give its operands fewer digits, with DECIMAL")
    })?;
    let is_nullable = left.is_nullable || right.is_nullable;
    Ok(Expression { node: Node::Arithmetic(operator, Box::new([left, right])), kind, is_nullable })
}

/// The type of an operand by its digits: a whole number of up to five that is written out has five.
fn counted(value: &Expression) -> Type {
    match &value.node {
        Node::Number(digits) if value.kind == Type::Integer && digits.len() <= 5 => Type::SmallInt,
        _ => value.kind,
    }
}

/// Reads a value that is no sum, product or concatenation.
fn factor(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    context.nested(signed)
}

fn signed(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let spot = context.reader.spot();
    if context.reader.take("-") {
        let value = factor(context)?;
        if !value.kind.is_number() {
            return Err(Refusal::code(-402, spot, "only a number has a sign"));
        }
        let kind = if value.kind == Type::SmallInt { Type::Integer } else { value.kind };
        let is_nullable = value.is_nullable;
        return Ok(Expression { node: Node::Negative(Box::new(value)), kind, is_nullable });
    }
    context.reader.take("+");
    primary(context)
}

fn primary(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    context.weigh(1)?;
    let Some(token) = context.reader.peek(0).cloned() else {
        return Err(context.reader.unexpected("a value"));
    };
    match token.kind {
        Kind::Host => {
            context.reader.next();
            context.input(&token)
        }
        Kind::Number => {
            context.reader.next();
            number(&token)
        }
        Kind::Text => {
            context.reader.next();
            Ok(text(&token))
        }
        Kind::Prefixed => {
            let bytes = bytes(&token)?;
            context.reader.next();
            Ok(bytes)
        }
        Kind::Marker => context.marker(),
        Kind::Word | Kind::Delimited => named(context),
        Kind::Sign if token.text == "(" => {
            if context.reader.is_ahead(1, "SELECT") || context.reader.is_ahead(1, "WITH") {
                return scalar(context, token.spot);
            }
            context.reader.next();
            let value = expression(context)?;
            context.reader.want(")")?;
            Ok(value)
        }
        Kind::Sign | Kind::Made => Err(context.reader.unexpected("a value")),
    }
}

/// The value of a query in parentheses.
fn scalar(context: &mut Context<'_>, spot: Spot) -> Result<Expression, Refusal> {
    let query = context.subquery()?;
    let [output] = query.outputs.as_slice() else {
        return Err(Refusal::code(-412, spot, "this subquery has more than one column"));
    };
    let kind = output.value.kind;
    Ok(Expression { node: Node::Subquery(Box::new(query)), kind, is_nullable: true })
}

/// A column, a function, a special register, or words that have a meaning of their own.
fn named(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    const WORDS: [&str; 7] = ["CASE", "CAST", "NEXT", "PREVIOUS", "EXISTS", "NULL", "DEFAULT"];
    let is_name = context.reader.is_ahead(1, ".");
    match WORDS.into_iter().find(|word| context.reader.is(word) && !is_name) {
        Some("NULL" | "DEFAULT") => return Err(context.reader.unexpected("a value")),
        Some("NEXT" | "PREVIOUS") => {}
        Some("CASE") => return context.nested(case::case),
        Some("CAST") => return case::cast(context),
        Some(word) => return Err(context.reader.not_built(word)),
        None => {}
    }
    if let Some(now) = now(context)? {
        return Ok(now);
    }
    if let Some(value) = sequences::value(context)? {
        return Ok(value);
    }
    if context.reader.is_ahead(1, "(") {
        return functions::call(context);
    }
    let (qualifier, name) = context.reader.qualified("a column")?;
    context.column(qualifier.as_deref(), &name)
}

/// CURRENT DATE and its like.
fn now(context: &mut Context<'_>) -> Result<Option<Expression>, Refusal> {
    const REGISTERS: [(&str, &str, Type); 3] = [
        ("DATE", "CURRENT_DATE", Type::Date),
        ("TIME", "CURRENT_TIME", Type::Time),
        ("TIMESTAMP", "CURRENT_TIMESTAMP", Type::Timestamp(6)),
    ];
    for (name, joined, kind) in REGISTERS {
        if context.reader.take(joined) || context.reader.take_all(&["CURRENT", name]) {
            let kind = if name == "TIMESTAMP" { crate::kind::timestamp(context)? } else { kind };
            return Ok(Some(Expression { node: Node::Now, kind, is_nullable: false }));
        }
    }
    let is_register =
        context.reader.is("CURRENT") && context.reader.peek(1).is_some_and(|next| next.kind == Kind::Word);
    if is_register || context.reader.is("USER") {
        return register(context).map(Some);
    }
    Ok(None)
}

/// CURRENT SCHEMA and its like, and USER.
fn register(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let words = 1 + usize::from(context.reader.is("CURRENT"));
    let found = context.reader.peek(words - 1).and_then(|token| context.register(token));
    let found = found.ok_or_else(|| context.reader.not_built("this special register"))?;
    (0..words).for_each(|_| drop(context.reader.next()));
    Ok(found)
}

fn number(token: &Token) -> Result<Expression, Refusal> {
    let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
    let scale = token.text.split_once('.').map(|(_, behind)| behind.len());
    let too_long = || Refusal::code(-102, token.spot, "this number has more than 31 digits");
    let kind = match scale {
        _ if token.text.contains(['e', 'E']) => Type::Double,
        None if token.text.parse::<i32>().is_ok() => Type::Integer,
        None if token.text.parse::<i64>().is_ok() => Type::BigInt,
        _ => {
            let precision = u8::try_from(digits).ok().filter(|digits| *digits <= 31).ok_or_else(too_long)?;
            Type::Decimal { precision: precision.max(1), scale: scale.unwrap_or(0) as u8 }
        }
    };
    Ok(Expression { node: Node::Number(token.text.clone()), kind, is_nullable: false })
}

fn text(token: &Token) -> Expression {
    let inner = token.text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(&token.text);
    let text = inner.replace("''", "'");
    let length = text.chars().count() as u32;
    Expression { node: Node::Text(text), kind: Type::VarChar(length), is_nullable: false }
}

/// X'…', whose digits the lexer has checked; constants with other prefixes are not built.
fn bytes(token: &Token) -> Result<Expression, Refusal> {
    let (prefix, digits) = token.text.split_once('\'').unwrap_or(("", ""));
    if !["X", "BX"].iter().any(|known| prefix.eq_ignore_ascii_case(known)) {
        return Err(Refusal::not_built(token.spot, &format!("a constant with {prefix} before it")));
    }
    let digits = digits.trim_end_matches('\'').as_bytes();
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect();
    let kind = Type::VarBytes(bytes.len() as u32);
    Ok(Expression { node: Node::Bytes(bytes), kind, is_nullable: false })
}
