//! Plans from typed trees.

use db2_syntax::tree::{self, Condition, Expression, OrderBy, Statement};
use db2_syntax::{DefaultValue, Table};
use db2_values::{Decimal, Pattern, Type, Value, constant};

use super::access::{Clue, choose};
use super::{Action, Change, Plan, Query, SortKey, Source, TotalOf, Unplanned, Which};
use crate::condition::Test;
use crate::formula::{Formula, Node};
use crate::rows::Wish;

/// The plan of a statement over a table.
pub(super) fn plan(statement: &Statement, table: &Table) -> Result<Plan, Unplanned> {
    let mut builder = Builder { table, variables: Vec::new(), totals: Vec::new() };
    let action = match statement {
        Statement::Query(query) | Statement::Cursor(tree::Cursor { query, .. }) => {
            builder.query(query).map(|query| Action::Query(Box::new(query)))
        }
        Statement::Insert(insert) => builder.insert(&insert.values).map(Action::Insert),
        Statement::Update(update) => {
            let sets = builder.sets(&update.values)?;
            builder.change(&update.which, Some(sets), update.isolation).map(Action::Change)
        }
        Statement::Delete(delete) => {
            builder.change(&delete.which, None, delete.isolation).map(Action::Change)
        }
        Statement::CreateTable(_) | Statement::CreateIndex(_) => Err(Unplanned::Definition),
    }?;
    let kinds = table.columns.iter().map(|column| column.kind).collect();
    Ok(Plan { table: table.clone(), kinds, variables: builder.variables, action })
}

struct Builder<'t> {
    table: &'t Table,
    variables: Vec<(u32, Type)>,
    totals: Vec<TotalOf>,
}

impl Builder<'_> {
    fn query(&mut self, query: &tree::Query) -> Result<Query, Unplanned> {
        let outputs = self.all(query.outputs.iter().map(|output| &output.value))?;
        let wish = Wish { isolation: query.isolation, for_update: query.updates.is_some() };
        let mut sort = Vec::new();
        let wanted: &[tree::Order] = if query.grouped { &[] } else { &query.order };
        for order in wanted {
            let by = match order.by {
                OrderBy::Output(at) => outputs[at].clone(),
                OrderBy::Column(at) => self.column(at),
            };
            sort.push(SortKey { by, is_descending: order.is_descending });
        }
        let source = self.source(query.condition.as_ref(), &sort, wish)?;
        if source.access.is_sorted {
            sort.clear();
        }
        Ok(Query {
            source,
            outputs,
            totals: std::mem::take(&mut self.totals),
            is_grouped: query.grouped,
            is_distinct: query.is_distinct,
            sort,
            first: query.first,
        })
    }

    fn source(
        &mut self,
        condition: Option<&Condition>,
        sort: &[SortKey],
        wish: Wish,
    ) -> Result<Source, Unplanned> {
        let test = condition.map(|condition| self.test(condition)).transpose()?;
        let mut clues = Vec::new();
        if let Some(test) = &test {
            Clue::of(test, &mut clues);
        }
        Ok(Source { access: choose(self.table, &clues, sort), test, wish })
    }

    fn change(
        &mut self,
        which: &tree::Which,
        sets: Option<Vec<(usize, Formula)>>,
        isolation: Option<tree::Isolation>,
    ) -> Result<Change, Unplanned> {
        let wish = Wish { isolation, for_update: true };
        let which = match which {
            tree::Which::All => Which::Searched(Box::new(self.source(None, &[], wish)?)),
            tree::Which::Searched(condition) => {
                Which::Searched(Box::new(self.source(Some(condition), &[], wish)?))
            }
            tree::Which::Current(cursor) => Which::Current(cursor.clone()),
        };
        Ok(Change { which, sets, wish })
    }

    /// A value for each column of a new row.
    fn insert(&mut self, given: &[tree::Assignment]) -> Result<Vec<Formula>, Unplanned> {
        let value = |column| given.iter().find(|given| given.column == column);
        (0..self.table.columns.len()).map(|column| self.assigned(column, value(column))).collect()
    }

    fn sets(&mut self, given: &[tree::Assignment]) -> Result<Vec<(usize, Formula)>, Unplanned> {
        given.iter().map(|given| Ok((given.column, self.assigned(given.column, Some(given))?))).collect()
    }

    fn assigned(&mut self, column: usize, given: Option<&tree::Assignment>) -> Result<Formula, Unplanned> {
        match given.and_then(|given| given.value.as_ref()) {
            Some(value) => self.formula(value),
            None => self.default(column),
        }
    }

    fn default(&self, column: usize) -> Result<Formula, Unplanned> {
        let column = &self.table.columns[column];
        let of = |node, kind| Ok(Formula { node, kind });
        match &column.default {
            None | Some(DefaultValue::Null) => of(Node::Constant(Value::Null), column.kind),
            Some(DefaultValue::OfType) if column.kind.is_datetime() => of(Node::Now, column.kind),
            Some(DefaultValue::OfType) if column.kind.is_text() => {
                of(Node::Constant(Value::Text(Vec::new())), column.kind)
            }
            Some(DefaultValue::OfType) => of(Node::Constant(Value::Whole(0)), Type::Integer),
            Some(DefaultValue::Constant(text)) => match text.strip_prefix('\'') {
                Some(inner) => {
                    let text = inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'");
                    of(Node::Constant(Value::text(&text)), Type::VarChar(text.chars().count() as u32))
                }
                None => number(text, self.table, column.kind),
            },
        }
    }

    fn all<'e>(&mut self, values: impl Iterator<Item = &'e Expression>) -> Result<Vec<Formula>, Unplanned> {
        values.map(|value| self.formula(value)).collect()
    }

    fn column(&self, at: usize) -> Formula {
        Formula { node: Node::Column(at), kind: self.table.columns[at].kind }
    }

    fn formula(&mut self, expression: &Expression) -> Result<Formula, Unplanned> {
        let kind = expression.kind;
        let node = match &expression.node {
            tree::Node::Null => Node::Constant(Value::Null),
            tree::Node::Number(text) => {
                Node::Constant(constant(text, kind).ok_or_else(|| Unplanned::Number(text.clone()))?)
            }
            tree::Node::Text(text) => Node::Constant(Value::text(text)),
            tree::Node::Bytes(bytes) => Node::Constant(Value::Text(bytes.clone())),
            tree::Node::Variable(number) => Node::Variable(self.variable(*number, kind)),
            tree::Node::Column(at) => Node::Column(*at),
            tree::Node::Now => Node::Now,
            tree::Node::Negative(value) => Node::Negative(Box::new(self.formula(value)?)),
            tree::Node::Arithmetic(operator, values) => Node::Arithmetic(*operator, self.both(values)?),
            tree::Node::Concatenation(values) => Node::Concatenation(self.both(values)?),
            tree::Node::Call(function, values) => {
                let kinds = values.iter().map(|value| value.kind).collect();
                Node::Call(*function, self.all(values.iter())?, kinds)
            }
            tree::Node::Aggregate { function, is_distinct, value } => {
                let value = value.as_ref().map(|value| self.formula(value)).transpose()?;
                let (function, is_distinct) = (*function, *is_distinct);
                self.totals.push(TotalOf { function, is_distinct, value, result: kind });
                Node::Total(self.totals.len() - 1)
            }
        };
        Ok(Formula { node, kind })
    }

    fn both(&mut self, values: &[Expression; 2]) -> Result<Box<[Formula; 2]>, Unplanned> {
        Ok(Box::new([self.formula(&values[0])?, self.formula(&values[1])?]))
    }

    /// The place of a variable.
    fn variable(&mut self, number: u32, kind: Type) -> usize {
        let known = self.variables.iter().position(|variable| *variable == (number, kind));
        known.unwrap_or_else(|| {
            self.variables.push((number, kind));
            self.variables.len() - 1
        })
    }

    fn test(&mut self, condition: &Condition) -> Result<Test, Unplanned> {
        Ok(match condition {
            Condition::And(parts) => Test::All(self.tests(parts)?),
            Condition::Or(parts) => Test::Any(self.tests(parts)?),
            Condition::Not(part) => Test::Not(Box::new(self.test(part)?)),
            Condition::Compare { comparison, values, kind } => {
                let [a, b] = *self.both(values)?;
                let values = Box::new([a.within(*kind), b.within(*kind)]);
                Test::Compare { comparison: *comparison, values, kind: *kind }
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
        })
    }

    fn tests(&mut self, conditions: &[Condition]) -> Result<Vec<Test>, Unplanned> {
        conditions.iter().map(|condition| self.test(condition)).collect()
    }
}

/// The number of a default, as exact as it is written.
fn number(text: &str, table: &Table, column: Type) -> Result<Formula, Unplanned> {
    let wrong = || Unplanned::Number(format!("{text} of {}", table.name));
    if column.is_float() {
        let value = constant(text, Type::Double).ok_or_else(wrong)?;
        return Ok(Formula { node: Node::Constant(value), kind: Type::Double });
    }
    let number = Decimal::parse(text.as_bytes()).ok_or_else(wrong)?;
    let scale = u8::try_from(number.scale).map_err(|_| wrong())?;
    let kind = Type::Decimal { precision: 31, scale };
    Ok(Formula { node: Node::Constant(Value::Decimal(number)), kind })
}
