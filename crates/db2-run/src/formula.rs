//! Expressions, ready to be calculated.

use std::borrow::Cow;

use db2_values::{
    Decimal, Function, Operator, Purpose, Setting, Type, Types, Unfit, Value, calculate, convert, negative,
};

/// An expression with everything that can be known before it runs: constants are values, variables and sums have places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    pub(crate) node: Node,
    pub(crate) kind: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Constant(Value),
    /// A host variable, by its place among those of the plan.
    Variable(usize),
    Column(usize),
    Now,
    Negative(Box<Formula>),
    Arithmetic(Operator, Box<[Formula; 2]>),
    Concatenation(Box<[Formula; 2]>),
    Call(Function, Vec<Formula>, Vec<Type>),
    /// The number of a text, as exact as it is written.
    NumberOf(Box<Formula>),
    /// A function of all rows, by its place among those of the plan.
    Total(usize),
}

/// The values that an expression stands on.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'f> {
    pub(crate) columns: &'f [Value],
    pub(crate) variables: &'f [Value],
    pub(crate) totals: &'f [Value],
    pub(crate) setting: &'f Setting,
}

const NULL: Value = Value::Null;

impl Formula {
    /// The value for a row.
    pub(crate) fn value<'v>(&'v self, frame: &Frame<'v>) -> Result<Cow<'v, Value>, Unfit> {
        let of = |values: &'v [Value], at: usize| Cow::Borrowed(values.get(at).unwrap_or(&NULL));
        let made = match &self.node {
            Node::Constant(value) => return Ok(Cow::Borrowed(value)),
            Node::Variable(at) => return Ok(of(frame.variables, *at)),
            Node::Column(at) => return Ok(of(frame.columns, *at)),
            Node::Total(at) => return Ok(of(frame.totals, *at)),
            Node::Now => {
                convert(Value::Timestamp(frame.setting.now), self.kind, Purpose::Expression, frame.setting)?
            }
            Node::Negative(value) => negative(&*value.value(frame)?, self.kind)?,
            Node::Arithmetic(operator, values) => {
                let [a, b] = values.as_ref();
                let found = [a.value(frame)?, b.value(frame)?];
                calculate(*operator, [&found[0], &found[1]], [a.kind, b.kind], self.kind)?
            }
            Node::Concatenation(values) => {
                let [a, b] = values.as_ref();
                self.joined(&*a.value(frame)?, &*b.value(frame)?, frame.setting)?
            }
            Node::NumberOf(text) => match text.value(frame)?.as_ref() {
                Value::Text(text) => Value::Decimal(Decimal::parse(text).ok_or(Unfit::CAST)?),
                _ => Value::Null,
            },
            Node::Call(function, values, kinds) => {
                let values: Result<Vec<Value>, Unfit> =
                    values.iter().map(|value| value.value(frame).map(Cow::into_owned)).collect();
                let types = Types { arguments: kinds, result: self.kind };
                db2_values::call(*function, &values?, types, frame.setting)?
            }
        };
        Ok(Cow::Owned(made))
    }

    fn joined(&self, a: &Value, b: &Value, setting: &Setting) -> Result<Value, Unfit> {
        let (Value::Text(a), Value::Text(b)) = (a, b) else { return Ok(Value::Null) };
        convert(Value::Text([a.as_slice(), b].concat()), self.kind, Purpose::Expression, setting)
    }

    /// The value in the type of a comparison, where it is not of that kind already.
    pub(crate) fn within(self, kind: Type) -> Self {
        let is_alike = self.kind == kind
            || (self.kind.is_number() && kind.is_number())
            || (self.kind.is_text() && kind.is_text());
        if is_alike {
            return self;
        }
        if kind.digits().is_some() && self.kind.is_text() {
            return Self { node: Node::NumberOf(Box::new(self)), kind };
        }
        let kinds = vec![self.kind];
        Self { node: Node::Call(Function::Convert, vec![self], kinds), kind }
    }

    /// Returns true if it is the same for all rows.
    pub(crate) fn is_fixed(&self) -> bool {
        match &self.node {
            Node::Constant(_) | Node::Variable(_) | Node::Now => true,
            Node::Column(_) | Node::Total(_) => false,
            Node::Negative(value) | Node::NumberOf(value) => value.is_fixed(),
            Node::Arithmetic(_, values) | Node::Concatenation(values) => values.iter().all(Self::is_fixed),
            Node::Call(_, values, _) => values.iter().all(Self::is_fixed),
        }
    }
}
