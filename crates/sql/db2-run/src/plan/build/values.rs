//! Expressions and conditions.

use db2_syntax::tree::{self, Condition, Expression};
use db2_values::{Pattern, Type, Value, constant};

use super::Builder;
use crate::formula::{Formula, Node, Test};
use crate::plan::{Asks, Numbered, Query, Slot, TotalOf, Unplanned};
use crate::rows::Wish;

impl Builder<'_> {
    pub(super) fn all<'e>(
        &mut self,
        values: impl Iterator<Item = &'e Expression>,
    ) -> Result<Vec<Formula>, Unplanned> {
        values.map(|value| self.formula(value)).collect()
    }

    pub(super) fn formula(&mut self, expression: &Expression) -> Result<Formula, Unplanned> {
        let kind = expression.kind;
        if let Some((_, place)) = self.groups.iter().find(|(group, _)| group == expression) {
            return Ok(Formula { node: Node::Made(*place), kind });
        }
        let node = match &expression.node {
            tree::Node::Null => Node::Constant(Value::Null),
            tree::Node::Number(text) => {
                Node::Constant(constant(text, kind).ok_or_else(|| Unplanned::Number(text.clone()))?)
            }
            tree::Node::Text(text) => Node::Constant(Value::text(text)),
            tree::Node::Bytes(bytes) => Node::Constant(Value::Text(bytes.clone())),
            tree::Node::Variable(number) => Node::Variable(self.variable(*number, kind)),
            tree::Node::Column(at) => {
                self.names(*at);
                Node::Column(*at)
            }
            tree::Node::Now => Node::Now,
            tree::Node::Numbered(of, name) => Node::Made(self.number(*of, name)),
            tree::Node::Negative(value) => Node::Negative(Box::new(self.formula(value)?)),
            tree::Node::Arithmetic(operator, values) => Node::Arithmetic(*operator, self.both(values)?),
            tree::Node::Concatenation(values) => Node::Concatenation(self.both(values)?),
            tree::Node::Call(function, values) => {
                let kinds = values.iter().map(|value| value.kind).collect();
                Node::Call(*function, self.all(values.iter())?, kinds)
            }
            tree::Node::Case(branches, otherwise) => self.case(branches, otherwise.as_deref(), kind)?,
            tree::Node::Subquery(query) => {
                let (query, sees) = self.subquery(query)?;
                Node::Made(self.slot(query, Asks::Value, sees, Vec::new()))
            }
            tree::Node::Aggregate { function, is_distinct, value } => {
                let value = value.as_ref().map(|value| self.of_rows(value)).transpose()?;
                let (function, is_distinct, made) = (*function, *is_distinct, self.place());
                self.totals.push(TotalOf { function, is_distinct, value, result: kind, made });
                Node::Made(made)
            }
        };
        Ok(Formula { node, kind })
    }

    /// The value of a row that a function of all rows gets: not that of a group.
    fn of_rows(&mut self, value: &Expression) -> Result<Formula, Unplanned> {
        let groups = std::mem::take(&mut self.groups);
        let before = self.slots.len();
        let found = self.formula(value);
        self.of_rows.extend(before..self.slots.len());
        self.groups = groups;
        found
    }

    fn case(
        &mut self,
        branches: &[(Condition, Expression)],
        otherwise: Option<&Expression>,
        kind: Type,
    ) -> Result<Node, Unplanned> {
        let mut tests = Vec::new();
        for (condition, value) in branches {
            tests.push((self.test(condition)?, self.formula(value)?.converted(kind)));
        }
        let otherwise = otherwise.map(|value| self.formula(value)).transpose()?;
        Ok(Node::Case(tests, otherwise.map(|value| Box::new(value.converted(kind)))))
    }

    fn both(&mut self, values: &[Expression; 2]) -> Result<Box<[Formula; 2]>, Unplanned> {
        Ok(Box::new([self.formula(&values[0])?, self.formula(&values[1])?]))
    }

    /// A subquery, and the columns that it names.
    fn subquery(&mut self, query: &tree::Query) -> Result<(Query, Vec<usize>), Unplanned> {
        let around = std::mem::take(&mut self.seen);
        let query = self.query(query, Wish::READS)?;
        let sees = std::mem::replace(&mut self.seen, around);
        self.seen.extend(&sees);
        Ok((query, sees))
    }

    /// Adds a subquery to the block. Returns the place of its value.
    fn slot(&mut self, query: Query, asks: Asks, query_sees: Vec<usize>, others: Vec<usize>) -> usize {
        let made = self.place();
        let sees = query_sees.iter().copied().chain(others).collect();
        self.slots.push(Slot { query, made, asks, query_sees, sees });
        made
    }

    /// The place of a number of a sequence.
    fn number(&mut self, of: tree::Number, name: &str) -> usize {
        let known = self.numbers.iter().find(|number| number.of == of && number.name == name);
        if let Some(known) = known {
            return known.made;
        }
        let made = self.place();
        self.numbers.push(Numbered { of, name: name.to_owned(), made });
        made
    }

    /// The place of a variable.
    fn variable(&mut self, number: u32, kind: Type) -> usize {
        let known = self.variables.iter().position(|variable| *variable == (number, kind));
        known.unwrap_or_else(|| {
            self.variables.push((number, kind));
            self.variables.len() - 1
        })
    }

    pub(super) fn test(&mut self, condition: &Condition) -> Result<Test, Unplanned> {
        Ok(match condition {
            Condition::And(parts) => Test::All(self.tests(parts)?),
            Condition::Or(parts) => Test::Any(self.tests(parts)?),
            Condition::Not(part) => Test::Not(Box::new(self.test(part)?)),
            Condition::Compare { comparison, values, kind } => {
                let [a, b] = *self.both(values)?;
                let values = Box::new([a.within(*kind), b.within(*kind)]);
                Test::Compare { comparison: *comparison, values, kind: *kind }
            }
            Condition::Alike { values, kind } => {
                let [a, b] = *self.both(values)?;
                Test::Alike { values: Box::new([a.within(*kind), b.within(*kind)]), kind: *kind }
            }
            Condition::In { value, list, kind } => {
                let value = self.formula(value)?.within(*kind);
                let list = self.all(list.iter())?.into_iter().map(|item| item.within(*kind)).collect();
                Test::In { value, list, kind: *kind }
            }
            Condition::Like { value, pattern, escape } => {
                let (value, pattern) = (self.formula(value)?, self.formula(pattern)?);
                let escape = escape.as_ref().map(|escape| self.formula(escape)).transpose()?;
                let known = match (&pattern.node, &escape) {
                    (Node::Constant(Value::Text(text)), None) => Pattern::parse(text, None).ok(),
                    _ => None,
                };
                Test::Like { value, pattern, known, escape }
            }
            Condition::IsNull(value) => Test::IsNull(self.formula(value)?),
            Condition::Exists(query) => {
                let (query, sees) = self.subquery(query)?;
                answer(self.slot(query, Asks::Exists, sees, Vec::new()))
            }
            Condition::Quantified { comparison, is_all, value, query, kind } => {
                let around = std::mem::take(&mut self.seen);
                let value = self.formula(value)?.within(*kind);
                let others = std::mem::replace(&mut self.seen, around);
                self.seen.extend(&others);
                let (mut query, sees) = self.subquery(query)?;
                within(&mut query, *kind);
                let (comparison, is_all, kind) = (*comparison, *is_all, *kind);
                let asks = Asks::Compared { value, comparison, is_all, kind, is_kept: false };
                answer(self.slot(query, asks, sees, others))
            }
        })
    }

    fn tests(&mut self, conditions: &[Condition]) -> Result<Vec<Test>, Unplanned> {
        conditions.iter().map(|condition| self.test(condition)).collect()
    }
}

fn answer(made: usize) -> Test {
    Test::Answer(Formula { node: Node::Made(made), kind: Type::Integer })
}

/// The only output of a query in the type of a comparison.
fn within(query: &mut Query, kind: Type) {
    for block in &mut query.blocks {
        let outputs = std::mem::take(&mut block.outputs);
        block.outputs = outputs.into_iter().map(|output| output.within(kind)).collect();
    }
}
