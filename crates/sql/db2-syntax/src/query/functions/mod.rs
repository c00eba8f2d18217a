//! Functions: of values, and of all rows.

mod numbers;
mod read;
mod rows;
mod texts;
mod times;

use db2::package::Spot;
use db2_values::Type;

pub(super) use texts::concatenated;

use crate::context::Context;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function, Node};

/// A call of a function while its type is looked for.
pub(super) struct Call<'c> {
    name: &'c str,
    spot: Spot,
    values: Vec<Expression>,
}

/// Reads a function's name and its arguments.
pub(super) fn call(context: &mut Context<'_>) -> Result<Expression, Refusal> {
    let name = context.reader.name("a function")?;
    context.reader.want("(")?;
    if let Some(function) = rows::function(&name.text) {
        return rows::read(context, function, &name);
    }
    let spot = name.spot;
    match name.text.as_str() {
        "TRIM" | "STRIP" => return read::strip(context, &name),
        "EXTRACT" => return read::extract(context, &name),
        "CHAR" | "VARCHAR" | "CHARACTER" => return read::characters(context, &name),
        _ => {}
    }
    if !is_known(&name.text) {
        return Err(Refusal::not_built(spot, &format!("the function {}", name.text)));
    }
    let mut values = read::arguments(context)?;
    if general(&name.text).is_some() {
        context.alike(&mut values.iter_mut().collect::<Vec<_>>());
    }
    if context.reader.is("OVER") {
        return Err(context.reader.not_built("OVER"));
    }
    Call { name: &name.text, spot, values }.typed()
}

/// Returns true if one of the tables has the function.
fn is_known(name: &str) -> bool {
    name == "CONCAT"
        || general(name).is_some()
        || texts::function(name).is_some()
        || numbers::function(name).is_some()
        || times::function(name).is_some()
}

/// Functions of values of any type.
fn general(name: &str) -> Option<Function> {
    Some(match name {
        "COALESCE" | "VALUE" | "IFNULL" | "NVL" => Function::Coalesce,
        "NULLIF" => Function::NullIf,
        "GREATEST" | "MAX" => Function::Greatest,
        "LEAST" | "MIN" => Function::Least,
        _ => return None,
    })
}

impl Call<'_> {
    fn typed(self) -> Result<Expression, Refusal> {
        if self.name == "CONCAT" {
            let spot = self.spot;
            let [left, right] = self.exactly()?;
            return concatenated(left, right, spot);
        }
        if let Some(function) = general(self.name) {
            return self.general(function);
        }
        if let Some(function) = texts::function(self.name) {
            return self.of_texts(function);
        }
        if let Some(function) = numbers::function(self.name) {
            return self.of_numbers(function);
        }
        match times::function(self.name) {
            Some(function) => self.of_times(function),
            None => Err(Refusal::not_built(self.spot, &format!("the function {}", self.name))),
        }
    }

    fn general(self, function: Function) -> Result<Expression, Refusal> {
        let is_number_right = match function {
            Function::NullIf => self.values.len() == 2,
            _ => self.values.len() >= 2,
        };
        if !is_number_right {
            return Err(self.wrong_number());
        }
        let first = self.values[0].kind;
        let kind = self.values.iter().try_fold(first, |kind, value| kind.common(value.kind));
        let kind = kind.ok_or_else(|| Refusal::code(-401, self.spot, "these values have no common type"))?;
        let kind = if function == Function::NullIf { first } else { kind };
        let mut call = self.made(function, kind);
        if function == Function::NullIf {
            call.is_nullable = true;
        }
        Ok(call)
    }

    /// The call, with the type of its result.
    fn made(self, function: Function, kind: Type) -> Expression {
        let is_nullable = match function {
            Function::Coalesce => self.values.iter().all(|value| value.is_nullable),
            _ => self.values.iter().any(|value| value.is_nullable),
        };
        Expression { node: Node::Call(function, self.values), kind, is_nullable }
    }

    fn wrong_number(&self) -> Refusal {
        Refusal::code(-170, self.spot, format!("{} does not have so many arguments", self.name))
    }

    fn wrong_type(&self) -> Refusal {
        Refusal::code(-171, self.spot, format!("{} does not take an argument of this type", self.name))
    }

    fn exactly<const N: usize>(self) -> Result<[Expression; N], Refusal> {
        let wrong = self.wrong_number();
        self.values.try_into().map_err(|_| wrong)
    }

    /// The types of the arguments, so many of them.
    fn kinds(&self, number: std::ops::RangeInclusive<usize>) -> Result<Vec<Type>, Refusal> {
        if number.contains(&self.values.len()) {
            Ok(self.values.iter().map(|value| value.kind).collect())
        } else {
            Err(self.wrong_number())
        }
    }

    /// -171 unless something is so.
    fn demand(&self, is_so: bool) -> Result<(), Refusal> {
        if is_so { Ok(()) } else { Err(self.wrong_type()) }
    }

    /// The number that an argument is, if it is a constant.
    fn constant(&self, at: usize) -> Option<u32> {
        match self.values.get(at).map(|value| &value.node) {
            Some(Node::Number(digits)) => digits.parse().ok(),
            _ => None,
        }
    }
}
