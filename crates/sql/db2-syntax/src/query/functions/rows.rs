//! Functions of all rows.

use db2_values::{Type, digits};

use super::Call;
use super::read::arguments;
use crate::context::{Aggregates, Context};
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{Aggregate, Expression, Function, Node};

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Aggregate> {
    Some(match name {
        "COUNT" | "COUNT_BIG" => Aggregate::Count,
        "SUM" => Aggregate::Sum,
        "AVG" => Aggregate::Average,
        "MIN" => Aggregate::Minimum,
        "MAX" => Aggregate::Maximum,
        _ => return None,
    })
}

/// Reads its argument, behind the parenthesis. MIN and MAX of several values are functions of these.
pub(super) fn read(
    context: &mut Context<'_>,
    function: Aggregate,
    name: &Name,
) -> Result<Expression, Refusal> {
    let before = context.aggregates();
    let is_extreme = matches!(function, Aggregate::Minimum | Aggregate::Maximum);
    if is_extreme && has_comma(context) {
        let values = arguments(context)?;
        return Call { name: &name.text, spot: name.spot, values }.typed();
    }
    match before {
        Aggregates::Allowed(_) => {}
        Aggregates::Forbidden => {
            return Err(Refusal::code(-120, name.spot, "a function of all rows cannot stand here"));
        }
        Aggregates::Inside => {
            return Err(Refusal::code(-112, name.spot, "a function of all rows stands inside of another"));
        }
    }
    of_rows(context, function, name)
}

/// Returns true if a comma stands in these parentheses, outside of others.
fn has_comma(context: &Context<'_>) -> bool {
    let (mut depth, mut ahead) = (0_usize, 0);
    while context.reader.peek(ahead).is_some() {
        match () {
            () if context.reader.is_ahead(ahead, "(") => depth += 1,
            () if context.reader.is_ahead(ahead, ")") && depth == 0 => return false,
            () if context.reader.is_ahead(ahead, ")") => depth -= 1,
            () if context.reader.is_ahead(ahead, ",") && depth == 0 => return true,
            () => {}
        }
        ahead += 1;
    }
    false
}

fn of_rows(context: &mut Context<'_>, function: Aggregate, name: &Name) -> Result<Expression, Refusal> {
    if function == Aggregate::Count && context.reader.take_all(&["*", ")"]) {
        return end(context, counted(name, None, false));
    }
    let is_distinct = context.reader.take("DISTINCT");
    if !is_distinct {
        context.reader.take("ALL");
    }
    context.set_aggregates(Aggregates::Inside);
    let value = context.expression()?;
    context.reader.want(")")?;
    let adds = matches!(function, Aggregate::Sum | Aggregate::Average);
    if adds && !value.kind.is_number() {
        return Err(Refusal::code(-402, name.spot, "only numbers can be added up"));
    }
    let kind = match function {
        Aggregate::Count => return end(context, counted(name, Some(value), is_distinct)),
        Aggregate::Sum => digits::total(value.kind, context.arithmetic()),
        Aggregate::Average => digits::average(value.kind, context.arithmetic()),
        Aggregate::Minimum | Aggregate::Maximum => value.kind,
    };
    end(context, aggregate(function, is_distinct, Some(value), kind))
}

/// A window is refused; behind it a function of all rows has stood here.
fn end(context: &mut Context<'_>, found: Expression) -> Result<Expression, Refusal> {
    context.set_aggregates(Aggregates::Allowed(true));
    if context.reader.is("OVER") {
        return Err(context.reader.not_built("OVER"));
    }
    Ok(found)
}

/// COUNT is INTEGER, COUNT_BIG a number of 31 digits.
fn counted(name: &Name, value: Option<Expression>, is_distinct: bool) -> Expression {
    if name.text == "COUNT" {
        return aggregate(Aggregate::Count, is_distinct, value, Type::Integer);
    }
    let count = aggregate(Aggregate::Count, is_distinct, value, Type::BigInt);
    let kind = Type::Decimal { precision: 31, scale: 0 };
    Expression { node: Node::Call(Function::Convert, vec![count]), kind, is_nullable: false }
}

fn aggregate(function: Aggregate, is_distinct: bool, value: Option<Expression>, kind: Type) -> Expression {
    let node = Node::Aggregate { function, is_distinct, value: value.map(Box::new) };
    Expression { node, kind, is_nullable: function != Aggregate::Count }
}
