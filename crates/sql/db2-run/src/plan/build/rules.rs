//! Rules of changes: checks, and those between tables.

use std::ops::Range;

use db2_syntax::tree::{self, Comparison, Condition, Expression};
use db2_syntax::{OnDelete, Reference, Table};

use super::Builder;
use crate::plan::{Cascade, Check, Node, Rule, Rules, Unplanned};
use crate::rows::Wish;

const NO_PARENT: i32 = -530;
const HAS_CHILDREN_TO_UPDATE: i32 = -531;
const HAS_CHILDREN: i32 = -532;

impl Builder<'_> {
    /// The rules of new rows; of an UPDATE those that the columns which it sets touch.
    pub(super) fn rules_of_new(
        &mut self,
        table: &Table,
        checks: &[(String, Condition)],
        set: Option<&[usize]>,
    ) -> Result<Rules, Unplanned> {
        let around = self.enter();
        let mut rules = Rules::default();
        for (name, condition) in checks {
            rules.checks.push((name.clone(), self.test(condition)?));
        }
        let own = 0..table.columns.len();
        let is_touched =
            |columns: &[usize]| set.is_none_or(|set| columns.iter().any(|column| set.contains(column)));
        for reference in table.references.iter().filter(|reference| is_touched(&reference.columns)) {
            // A parent that was dropped asks for nothing.
            if self.catalogue.table(&reference.parent).is_none_or(|parent| parent.key.is_empty()) {
                continue;
            }
            let parent = self.table(&reference.parent)?;
            let key = self.tables[parent].table.key.clone();
            let nulls = reference
                .columns
                .iter()
                .map(|column| Condition::IsNull(Box::new(self.value_of(0, *column, &own))));
            let mut parts: Vec<Condition> = nulls.collect();
            parts.push(Condition::Exists(Box::new(self.matching(parent, &key, &reference.columns, 0, &own))));
            let rule = self.rule(&Condition::Or(parts), NO_PARENT, &reference.name)?;
            rules.parents.push(rule);
        }
        if set.is_some() && is_touched(&table.key) && !table.key.is_empty() {
            rules.key.clone_from(&table.key);
            for (child, reference) in self.catalogue.children(&table.name) {
                let children = self.children(child, reference, 0, &own)?;
                rules.children.push(self.rule(&children, HAS_CHILDREN_TO_UPDATE, &reference.name)?);
            }
        }
        rules.core.slots = std::mem::take(&mut self.slots);
        self.leave(around);
        Ok(rules)
    }

    /// The rules of deleted rows of the first table.
    pub(super) fn rules_of_deleted(&mut self) -> Result<Rules, Unplanned> {
        let own = 0..self.tables[0].kinds.len();
        if self.catalogue.children(&self.tables[0].table.name).is_empty() {
            return Ok(Rules::default());
        }
        let around = self.enter();
        let node = Node { table: 0, columns: own, rules: Vec::new(), cascades: Vec::new() };
        let mut rules = Rules { nodes: vec![node], ..Rules::default() };
        let mut at = 0;
        while at < rules.nodes.len() {
            self.node(&mut rules, at)?;
            at += 1;
        }
        rules.core.slots = std::mem::take(&mut self.slots);
        self.leave(around);
        Ok(rules)
    }

    /// The rules of a node, and the nodes behind it.
    fn node(&mut self, rules: &mut Rules, at: usize) -> Result<(), Unplanned> {
        let (parent, columns) = (rules.nodes[at].table, rules.nodes[at].columns.clone());
        let name = self.tables[parent].table.name.clone();
        for (child, reference) in self.catalogue.children(&name) {
            if reference.on_delete == OnDelete::Restrict {
                let children = self.children(child, reference, parent, &columns)?;
                let rule = self.rule(&children, HAS_CHILDREN, &reference.name)?;
                rules.nodes[at].rules.push(rule);
                continue;
            }
            let table = self.table(&child.name)?;
            let node = match rules.nodes.iter().position(|node| node.table == table) {
                Some(node) => node,
                None if reference.on_delete == OnDelete::SetNull => 0,
                None => {
                    let columns = self.room_for(table);
                    rules.nodes.push(Node { table, columns, rules: Vec::new(), cascades: Vec::new() });
                    rules.nodes.len() - 1
                }
            };
            let cascade = self.cascade(table, reference, parent, &columns, node)?;
            rules.nodes[at].cascades.push(cascade);
        }
        Ok(())
    }

    fn cascade(
        &mut self,
        table: usize,
        reference: &Reference,
        parent: usize,
        of_parent: &Range<usize>,
        node: usize,
    ) -> Result<Cascade, Unplanned> {
        let key = self.tables[parent].table.key.clone();
        let query = self.matching(table, &reference.columns, &key, parent, of_parent);
        let columns = query.from[0].first..query.from[0].first + query.from[0].kinds.len();
        let around = self.enter();
        let sources = self.sources(&query.from, Wish { for_update: true, ..Wish::READS })?;
        let conditions = self.conditions(&query)?;
        let (core, _) = self.joined(sources, conditions, Some(&[]));
        self.leave(around);
        let is_null = |column: &usize| self.tables[table].table.columns[*column].is_nullable;
        let nulls = match reference.on_delete {
            OnDelete::SetNull => Some(reference.columns.iter().copied().filter(is_null).collect()),
            OnDelete::Cascade | OnDelete::Restrict => None,
        };
        Ok(Cascade { core, table, columns, nulls, node })
    }

    /// A condition that no row of a child belongs to the row of a parent in these columns.
    fn children(
        &mut self,
        child: &Table,
        reference: &Reference,
        parent: usize,
        of_parent: &Range<usize>,
    ) -> Result<Condition, Unplanned> {
        let table = self.table(&child.name)?;
        let key = self.tables[parent].table.key.clone();
        let query = self.matching(table, &reference.columns, &key, parent, of_parent);
        Ok(Condition::Not(Box::new(Condition::Exists(Box::new(query)))))
    }

    /// A query for rows of a table whose columns are equal to others of a row, which is in these columns of the statement.
    fn matching(
        &mut self,
        table: usize,
        columns: &[usize],
        others: &[usize],
        other: usize,
        of_other: &Range<usize>,
    ) -> tree::Query {
        let own = self.room_for(table);
        let equal = columns.iter().zip(others).map(|(column, other_column)| {
            let value = self.value_of(table, *column, &own);
            let kind = value.kind;
            let values = Box::new([value, self.value_of(other, *other_column, of_other)]);
            Condition::Compare { comparison: Comparison::Equal, values, kind }
        });
        let source = tree::Source {
            rows: tree::RowsOf::Table(self.tables[table].table.name.clone()),
            first: own.start,
            kinds: self.tables[table].kinds.clone(),
            join: tree::Join::Inner,
            on: None,
        };
        let condition = Some(Condition::And(equal.collect()));
        // What was found stays so to the end of the unit of work.
        let isolation = Some(tree::Isolation::ReadStability);
        tree::Query { from: vec![source], condition, isolation, ..tree::Query::of_values(Vec::new()) }
    }

    /// New columns for a row of a table.
    fn room_for(&mut self, table: usize) -> Range<usize> {
        let first = self.columns;
        self.columns += self.tables[table].kinds.len();
        first..self.columns
    }

    fn value_of(&self, table: usize, column: usize, columns: &Range<usize>) -> Expression {
        let of = &self.tables[table].table.columns[column];
        let node = tree::Node::Column(columns.start + column);
        Expression { node, kind: of.kind, is_nullable: of.is_nullable }
    }

    fn rule(&mut self, condition: &Condition, code: i32, name: &str) -> Result<Rule, Unplanned> {
        let before = self.slots.len();
        let test = self.test(condition)?;
        let slots = (before..self.slots.len()).collect();
        Ok(Rule { check: Check { slots, test }, code, name: name.to_owned() })
    }
}
