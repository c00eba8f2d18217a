//! Lists of values, and of the host variables that get them.

use db2::Kind;
use db2_values::Type;

use super::expression;
use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, HostTarget, Node, Output};

/// Values in parentheses.
pub(super) fn in_parentheses(context: &mut Context<'_>) -> Result<Vec<Output>, Refusal> {
    let mut outputs = Vec::new();
    context.reader.want("(")?;
    loop {
        outputs.push(nameless(value_or_null(context)?));
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    Ok(outputs)
}

/// A value, or NULL.
pub(super) fn value_or_null(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    if context.reader.take("NULL") {
        return Ok(Expression { node: Node::Null, kind: Type::VarChar(1), is_nullable: true });
    }
    expression(context)
}

/// An output without a name.
pub(super) fn nameless(value: Expression) -> Output {
    Output { name: None, value }
}

/// Variables with commas between them.
pub(super) fn targets(context: &mut Context<'_>) -> Result<Vec<HostTarget>, Refusal> {
    let mut targets = vec![target(context)?];
    while context.reader.take(",") {
        targets.push(target(context)?);
    }
    Ok(targets)
}

/// A host variable that gets a value.
pub(super) fn target(context: &mut Context<'_>) -> Result<HostTarget, Refusal> {
    let Some(token) = context.reader.peek(0).filter(|token| token.kind == Kind::Host).cloned() else {
        return Err(context.reader.unexpected("a host variable"));
    };
    context.reader.next();
    context.target(&token)
}
