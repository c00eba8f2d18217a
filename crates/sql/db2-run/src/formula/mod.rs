//! Expressions and conditions, ready to be calculated. They stand inside of each other, so they are one module.

mod condition;

use std::borrow::Cow;

use db2_values::{
    Decimal, Function, Operator, Purpose, Setting, Type, Types, Unfit, Value, calculate, convert, negative,
};

pub(crate) use condition::{Test, compared, pattern_of};

/// An expression with everything that can be known before it runs: constants are values, variables, sums and subqueries have places.
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
    /// A column, by its number in the statement.
    Column(usize),
    Now,
    Negative(Box<Formula>),
    Arithmetic(Operator, Box<[Formula; 2]>),
    Concatenation(Box<[Formula; 2]>),
    Call(Function, Vec<Formula>, Vec<Type>),
    /// The number of a text, as exact as it is written.
    NumberOf(Box<Formula>),
    /// CASE: the first value whose test holds, else the other; none: NULL.
    Case(Vec<(Test, Formula)>, Option<Box<Formula>>),
    /// A value that was made of rows (a function of all of them, a subquery), by its place among those of the plan.
    Made(usize),
}

/// The values that an expression stands on.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'f> {
    pub(crate) columns: &'f [Value],
    pub(crate) variables: &'f [Value],
    pub(crate) made: &'f [Value],
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
            Node::Made(at) => return Ok(of(frame.made, *at)),
            Node::Case(branches, otherwise) => {
                for (test, value) in branches {
                    if test.holds(frame)? {
                        return value.value(frame);
                    }
                }
                return otherwise.as_ref().map_or(Ok(Cow::Borrowed(&NULL)), |value| value.value(frame));
            }
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

    /// The value in a type, converted where it has another one.
    pub(crate) fn converted(self, kind: Type) -> Self {
        if self.kind == kind {
            return self;
        }
        let kinds = vec![self.kind];
        Self { node: Node::Call(Function::Convert, vec![self], kinds), kind }
    }

    /// Returns true if all that it stands on is known.
    pub(crate) fn is_fixed(&self, known: &Known<'_>) -> bool {
        match &self.node {
            Node::Constant(_) | Node::Variable(_) | Node::Now => true,
            Node::Column(at) => (known.columns)(*at),
            Node::Made(at) => (known.made)(*at),
            Node::Negative(value) | Node::NumberOf(value) => value.is_fixed(known),
            Node::Arithmetic(_, values) | Node::Concatenation(values) => {
                values.iter().all(|value| value.is_fixed(known))
            }
            Node::Call(_, values, _) => values.iter().all(|value| value.is_fixed(known)),
            Node::Case(..) => false,
        }
    }
}

/// Values that are known where an expression is calculated.
pub(crate) struct Known<'k> {
    pub(crate) columns: &'k dyn Fn(usize) -> bool,
    pub(crate) made: &'k dyn Fn(usize) -> bool,
}
