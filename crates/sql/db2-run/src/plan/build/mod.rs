//! Plans from typed trees.

mod change;
mod core;
mod rules;
mod values;

use std::ops::Range;

use db2_syntax::Catalogue;
use db2_syntax::tree::{self, OrderBy, SetOperator, Statement};
use db2_values::Type;

use super::{
    Action, Block, GroupKey, Groups, KeyPlace, Numbered, Plan, Query, Recursion, Slot, SortKey, TableOf,
    Through, TotalOf, Unplanned,
};
use crate::formula::{Formula, Node};
use crate::rows::Wish;

/// The plan of a statement over tables.
pub(super) fn plan(statement: &Statement, catalogue: &Catalogue) -> Result<Plan, Unplanned> {
    let mut builder = Builder {
        catalogue,
        tables: Vec::new(),
        variables: Vec::new(),
        columns: 0,
        made: 0,
        slots: Vec::new(),
        totals: Vec::new(),
        seen: Vec::new(),
        named: Vec::new(),
        holds_rows: false,
        groups: Vec::new(),
        numbers: Vec::new(),
        recursions: Vec::new(),
        of_rows: Vec::new(),
        made_before: 0,
    };
    let action = builder.action(statement)?;
    let Builder { tables, variables, columns, made, named, holds_rows, .. } = builder;
    let mut wanted = Vec::new();
    if matches!(action, Action::Query(_)) {
        wanted.resize(columns, false);
        named.into_iter().for_each(|column| wanted[column] = true);
    }
    Ok(Plan { tables, variables, columns, made, wanted, holds_rows, action })
}

struct Builder<'c> {
    catalogue: &'c Catalogue,
    tables: Vec<TableOf>,
    variables: Vec<(u32, Type)>,
    /// Number of columns of all sources so far.
    columns: usize,
    /// Number of values so far that are made of rows.
    made: usize,
    /// The subqueries of the block that is built.
    slots: Vec<Slot>,
    /// Its functions of all rows.
    totals: Vec<TotalOf>,
    /// Columns that were named since it was last emptied.
    seen: Vec<usize>,
    /// True if rows of SYSIBM are a part of the plan.
    holds_rows: bool,
    /// Columns that were named anywhere.
    named: Vec<usize>,
    /// Values of groups, with their places, where the outputs of groups are built.
    groups: Vec<(tree::Expression, usize)>,
    /// Numbers of sequences in the block.
    numbers: Vec<Numbered>,
    /// Places of the rows that recursive queries around are run for.
    recursions: Vec<Range<usize>>,
    /// Subqueries of the block that stand inside of functions of all rows.
    of_rows: Vec<usize>,
    /// Number of values made of rows that are those of blocks around: known before the first row of this one.
    made_before: usize,
}

impl Builder<'_> {
    fn action(&mut self, statement: &Statement) -> Result<Action, Unplanned> {
        match statement {
            Statement::Query(query) | Statement::Cursor(tree::Cursor { query, .. }) => self.whole(query),
            Statement::Insert(insert) => self.insert(insert).map(|insert| Action::Insert(Box::new(insert))),
            Statement::Update(update) => self.update(update).map(|change| Action::Change(Box::new(change))),
            Statement::Delete(delete) => self.delete(delete).map(|change| Action::Change(Box::new(change))),
            Statement::Merge(merge) => self.merge(merge).map(|merge| Action::Merge(Box::new(merge))),
            Statement::CreateTable(_)
            | Statement::CreateIndex(_)
            | Statement::CreateView(_)
            | Statement::CreateSequence(_)
            | Statement::AlterTable(_) => Err(Unplanned::Definition),
        }
    }

    /// The query that a statement is.
    fn whole(&mut self, query: &tree::Query) -> Result<Action, Unplanned> {
        let takes = matches!(query.locks, Some(tree::Locks::Update | tree::Locks::Exclusive));
        let wish = Wish {
            isolation: query.isolation,
            for_update: takes || query.updates.is_some(),
            skips_locked: query.skips_locked,
        };
        let [tree::Source { rows: tree::RowsOf::Changed(change), .. }] = query.from.as_slice() else {
            return self.query(query, wish).map(|query| Action::Query(Box::new(query)));
        };
        let is_old = change.is_old;
        let change = self.action(&change.statement)?;
        self.seen.clear();
        let query = self.query(query, Wish { for_update: false, ..wish })?;
        Ok(Action::Through(Box::new(Through { change, is_old, query })))
    }

    fn query(&mut self, query: &tree::Query, wish: Wish) -> Result<Query, Unplanned> {
        let is_alone = query.further.is_empty();
        let first = query.further.iter().position(|further| further.is_recursive).map(|at| at + 1);
        let recursion = first.map(|first| {
            let made = self.made..self.made + query.outputs.len();
            self.made = made.end;
            Recursion { first, made }
        });
        let (block, sort) = self.block(query, wish, is_alone)?;
        let (mut blocks, mut united) = (vec![block], 0);
        self.recursions.extend(recursion.as_ref().map(|recursion| recursion.made.clone()));
        for further in &query.further {
            blocks.push(self.block(&further.query, wish, false)?.0);
            if !further.keeps_all {
                united = blocks.len();
            }
        }
        if recursion.is_some() {
            self.recursions.pop();
        }
        let sets = sets(query);
        let united = if sets.is_empty() { united } else { 0 };
        Ok(Query { blocks, united, sets, recursion, sort, first: query.first, offset: query.offset })
    }

    /// A block, and the keys that its rows are still to be sorted by.
    fn block(
        &mut self,
        query: &tree::Query,
        wish: Wish,
        is_alone: bool,
    ) -> Result<(Block, Vec<SortKey>), Unplanned> {
        let wish = Wish { isolation: query.isolation.or(wish.isolation), ..wish };
        let around = self.enter();
        let sources = self.sources(&query.from, wish)?;
        let conditions = self.conditions(query)?;
        let first_of_rows = self.slots.len();
        let mut groups = if query.grouped { Some(self.keys(query)?) } else { None };
        let of_groups = self.slots.len();
        let outputs = self.all(query.outputs.iter().map(|output| &output.value))?;
        if let (Some(groups), Some(having)) = (&mut groups, &query.having) {
            groups.having = Some(self.test(having)?);
        }
        let mut sort = self.sort(query, &outputs)?;
        let wanted = if groups.is_none() && is_alone { order_of(&sort) } else { None };
        let (mut core, is_sorted) = self.joined(sources, conditions, wanted.as_deref());
        if is_sorted {
            sort.clear();
        }
        let later = (first_of_rows..self.slots.len()).filter(|slot| !core.once.contains(slot));
        match &mut groups {
            Some(groups) => {
                groups.totals = std::mem::take(&mut self.totals);
                let is_of_row = |slot: &usize| *slot < of_groups || self.of_rows.contains(slot);
                (core.late, groups.late) = later.partition(is_of_row);
            }
            None => core.late = later.collect(),
        }
        core.slots = std::mem::take(&mut self.slots);
        core.numbers = std::mem::take(&mut self.numbers);
        self.leave(around);
        Ok((Block { core, outputs, groups, is_distinct: query.is_distinct }, sort))
    }

    /// Keys of groups. From here on such a value is that of the group.
    fn keys(&mut self, query: &tree::Query) -> Result<Groups, Unplanned> {
        let mut keys = Vec::new();
        for group in &query.groups {
            let by = self.formula(group)?;
            let place = match by.node {
                Node::Column(at) => KeyPlace::Column(at),
                _ => KeyPlace::Made(self.place()),
            };
            keys.push(GroupKey { by, place });
        }
        for (group, key) in query.groups.iter().zip(&keys) {
            if let KeyPlace::Made(at) = key.place {
                self.groups.push((group.clone(), at));
            }
        }
        Ok(Groups { keys, totals: Vec::new(), having: None, late: Vec::new() })
    }

    fn sort(&mut self, query: &tree::Query, outputs: &[Formula]) -> Result<Vec<SortKey>, Unplanned> {
        let mut sort = Vec::new();
        let is_one_row = query.grouped && query.groups.is_empty();
        let order: &[tree::Order] = if is_one_row { &[] } else { &query.order };
        for order in order {
            let (by, output) = match &order.by {
                OrderBy::Output(at) => (outputs[*at].clone(), Some(*at)),
                OrderBy::Column(at) => (self.column(*at, query), None),
                OrderBy::Value(value) => (self.formula(value)?, None),
            };
            sort.push(SortKey { by, output, is_descending: order.is_descending });
        }
        Ok(sort)
    }

    fn column(&mut self, at: usize, query: &tree::Query) -> Formula {
        self.names(at);
        let of = query.from.iter().find_map(|source| source.kinds.get(at.checked_sub(source.first)?));
        Formula { node: Node::Column(at), kind: of.copied().unwrap_or(Type::Integer) }
    }

    /// A column is named.
    fn names(&mut self, column: usize) {
        self.seen.push(column);
        self.named.push(column);
    }

    /// The place of a value that is made of rows.
    fn place(&mut self) -> usize {
        self.made += 1;
        self.made - 1
    }

    /// The number of a table in the plan.
    fn table(&mut self, name: &str) -> Result<usize, Unplanned> {
        if let Some(at) = self.tables.iter().position(|of| of.table.name == name) {
            return Ok(at);
        }
        let table = self.catalogue.table(name).ok_or_else(|| Unplanned::NoTable(name.to_owned()))?;
        let kinds = table.columns.iter().map(|column| column.kind).collect();
        self.tables.push(TableOf { table: table.clone(), kinds });
        Ok(self.tables.len() - 1)
    }

    /// Begins a block inside of another one.
    fn enter(&mut self) -> Around {
        let made_before = std::mem::replace(&mut self.made_before, self.made);
        Around {
            slots: std::mem::take(&mut self.slots),
            totals: std::mem::take(&mut self.totals),
            groups: std::mem::take(&mut self.groups),
            of_rows: std::mem::take(&mut self.of_rows),
            numbers: std::mem::take(&mut self.numbers),
            made_before,
        }
    }

    fn leave(&mut self, around: Around) {
        self.slots = around.slots;
        self.totals = around.totals;
        self.groups = around.groups;
        self.of_rows = around.of_rows;
        self.numbers = around.numbers;
        self.made_before = around.made_before;
    }
}

/// The operators of a query, if EXCEPT or INTERSECT is among them.
fn sets(query: &tree::Query) -> Vec<(SetOperator, bool)> {
    if query.further.iter().all(|further| further.operator == SetOperator::Union) {
        return Vec::new();
    }
    let operators = query.further.iter().map(|further| (further.operator, further.keeps_all));
    std::iter::once((SetOperator::Union, true)).chain(operators).collect()
}

/// The block around the one that is built.
struct Around {
    slots: Vec<Slot>,
    totals: Vec<TotalOf>,
    groups: Vec<(tree::Expression, usize)>,
    of_rows: Vec<usize>,
    numbers: Vec<Numbered>,
    made_before: usize,
}

/// The columns that rows are to be sorted by; `None` if one of the keys is no column.
fn order_of(sort: &[SortKey]) -> Option<Vec<(usize, bool)>> {
    let of = |key: &SortKey| match key.by.node {
        Node::Column(at) => Some((at, key.is_descending)),
        _ => None,
    };
    sort.iter().map(of).collect()
}
