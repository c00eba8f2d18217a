//! INSERT, UPDATE and DELETE.

use db2_syntax::{DefaultValue, Table, tree};
use db2_values::{Decimal, Type, Value, constant};

use super::Builder;
use crate::formula::{Formula, Node, Test};
use crate::plan::{Change, Core, Given, Insert, Merge, Rules, Unplanned};
use crate::rows::Wish;

impl Builder<'_> {
    pub(super) fn insert(&mut self, insert: &tree::Insert) -> Result<Insert, Unplanned> {
        let at = self.table(&insert.table)?;
        let table = self.tables[at].table.clone();
        let (of_columns, query) = match &insert.rows {
            Some((columns, query)) => (columns.clone(), query.as_ref().clone()),
            None => {
                let given = insert.values.iter().filter(|given| given.value.is_some());
                let output = |given: &tree::Assignment| {
                    given.value.clone().map(|value| tree::Output { name: None, value })
                };
                let outputs = given.clone().filter_map(output).collect();
                (given.map(|given| given.column).collect(), tree::Query::of_values(outputs))
            }
        };
        let query = self.query(&query, Wish::READS)?;
        let is_given = |column: usize| of_columns.contains(&column);
        let identity = table.columns.iter().enumerate();
        let identity =
            identity.filter(|(column, _)| !is_given(*column)).find(|(_, of)| of.generated.is_some());
        let identity = identity.map(|(column, _)| (column, self.place()));
        let given = |column| match of_columns.iter().position(|given| *given == column) {
            Some(output) => Ok(Given::Output(output)),
            None if identity.is_some_and(|(of, _)| of == column) => {
                let made = identity.map_or(0, |(_, made)| made);
                Ok(Given::Default(Formula { node: Node::Made(made), kind: Type::BigInt }))
            }
            None => default(&table, column).map(Given::Default),
        };
        let columns = (0..table.columns.len()).map(given).collect::<Result<_, _>>()?;
        self.columns = self.columns.max(table.columns.len());
        let rules = self.rules_of_new(&table, &insert.checks, None)?;
        let rules = Rules { of_views: self.of_views(&insert.of_views)?, ..rules };
        Ok(Insert { query, columns, identity: identity.map(|(_, made)| made), rules })
    }

    pub(super) fn update(&mut self, update: &tree::Update) -> Result<Change, Unplanned> {
        let change = self.change(&update.table, &update.which, Some(&update.values), update.isolation)?;
        let table = self.tables[0].table.clone();
        let set: Vec<usize> = update.values.iter().map(|value| value.column).collect();
        let rules = self.rules_of_new(&table, &update.checks, Some(&set))?;
        let rules = Rules { of_views: self.of_views(&update.of_views)?, ..rules };
        Ok(Change { rules, ..change })
    }

    fn of_views(
        &mut self,
        conditions: &[(String, tree::Condition)],
    ) -> Result<Vec<(String, Test)>, Unplanned> {
        conditions.iter().map(|(view, condition)| Ok((view.clone(), self.test(condition)?))).collect()
    }

    pub(super) fn merge(&mut self, merge: &tree::Merge) -> Result<Merge, Unplanned> {
        self.table(&merge.table)?;
        let change = match &merge.matched {
            Some(tree::Matched::Update(update)) => Some(self.update(update)?),
            Some(tree::Matched::Delete(delete)) => Some(self.delete(delete)?),
            None => None,
        };
        let insert = merge.insert.as_ref().map(|insert| self.insert(insert)).transpose()?;
        Ok(Merge { insert, change })
    }

    pub(super) fn delete(&mut self, delete: &tree::Delete) -> Result<Change, Unplanned> {
        let change = self.change(&delete.table, &delete.which, None, delete.isolation)?;
        let rules = self.rules_of_deleted()?;
        Ok(Change { rules, ..change })
    }

    fn change(
        &mut self,
        name: &str,
        which: &tree::Which,
        given: Option<&[tree::Assignment]>,
        isolation: Option<tree::Isolation>,
    ) -> Result<Change, Unplanned> {
        let wish = Wish { isolation, for_update: true, ..Wish::READS };
        let at = self.table(name)?;
        let table = self.tables[at].table.clone();
        let around = self.enter();
        // The table's columns are the first of the statement.
        let source = tree::Source {
            rows: tree::RowsOf::Table(name.to_owned()),
            first: 0,
            kinds: self.tables[at].kinds.clone(),
            join: tree::Join::Inner,
            on: None,
        };
        let condition = match which {
            tree::Which::Searched(condition) => Some(condition.clone()),
            tree::Which::All | tree::Which::Current(_) => None,
        };
        let query = tree::Query { from: vec![source], condition, ..tree::Query::of_values(Vec::new()) };
        let sources = self.sources(&query.from, wish)?;
        let conditions = self.conditions(&query)?;
        let first_of_sets = self.slots.len();
        let sets = given.map(|given| self.sets(&table, given)).transpose()?;
        let (core, _) = self.joined(sources, conditions, Some(&[]));
        let late = (first_of_sets..self.slots.len()).filter(|slot| !core.once.contains(slot)).collect();
        let core = Core { slots: std::mem::take(&mut self.slots), late, ..core };
        let numbers = std::mem::take(&mut self.numbers);
        self.leave(around);
        let cursor = match which {
            tree::Which::Current(cursor) => Some(cursor.clone()),
            tree::Which::All | tree::Which::Searched(_) => None,
        };
        Ok(Change { core, cursor, sets, numbers, wish, rules: Rules::default() })
    }

    fn sets(
        &mut self,
        table: &Table,
        given: &[tree::Assignment],
    ) -> Result<Vec<(usize, Formula)>, Unplanned> {
        let set = |given: &tree::Assignment| {
            let value = match &given.value {
                Some(value) => self.formula(value)?,
                None => default(table, given.column)?,
            };
            Ok((given.column, value))
        };
        given.iter().map(set).collect()
    }
}

/// The value of a column for which a row gives none.
fn default(table: &Table, column: usize) -> Result<Formula, Unplanned> {
    let column = &table.columns[column];
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
            None => number(text, table, column.kind),
        },
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
