//! Joins: in which order the sources are gone through, by which way each, and where conditions are tested.

use std::ops::Range;
use std::sync::Arc;

use db2_syntax::tree::{self, Condition, Join, RowsOf};
use db2_values::{Comparison, Type, Value};

use super::Builder;
use crate::formula::{Known, Test};
use crate::plan::access::{Clue, choose};
use crate::plan::{Access, Asks, Check, Core, From, Level, Query, Slot, Unplanned};
use crate::rows::Wish;

/// A source before its place among the loops is known.
pub(super) struct Source {
    from: Rows,
    columns: Range<usize>,
    join: Join,
}

enum Rows {
    Table(usize, Wish),
    Query(Box<Query>, bool),
    Itself(Range<usize>),
    System(Arc<[Vec<Value>]>),
    Changed,
}

impl Source {
    /// Returns true if it is no table, and may have many rows.
    fn is_long(&self) -> bool {
        match &self.from {
            Rows::Query(..) | Rows::Changed => true,
            Rows::System(rows) => rows.len() > 1,
            Rows::Table(..) | Rows::Itself(_) => false,
        }
    }
}

/// A condition that must be true.
pub(super) struct Conjunct {
    test: Test,
    slots: Range<usize>,
    /// The columns that it names, in its subqueries, too.
    sees: Vec<usize>,
    /// The source on the right of LEFT JOIN whose condition it is.
    of_left: Option<usize>,
}

/// A source that got its place.
struct Placed {
    source: usize,
    access: Option<Access>,
}

impl Builder<'_> {
    pub(super) fn sources(&mut self, from: &[tree::Source], wish: Wish) -> Result<Vec<Source>, Unplanned> {
        let begin = from.iter().map(|source| source.first).min().unwrap_or(0);
        let mut sources = Vec::new();
        for source in from {
            let columns = source.first..source.first + source.kinds.len();
            self.columns = self.columns.max(columns.end);
            let rows = match &source.rows {
                RowsOf::Table(name) => Rows::Table(self.table(name)?, wish),
                RowsOf::System(rows) => {
                    self.holds_rows |= rows.len() > 1;
                    Rows::System(rows.as_slice().into())
                }
                RowsOf::Changed(_) => Rows::Changed,
                RowsOf::Itself => {
                    let none = || Rows::System(Arc::default());
                    self.recursions.last().cloned().map_or_else(none, Rows::Itself)
                }
                RowsOf::Query(query) => {
                    let around = std::mem::take(&mut self.seen);
                    let query = self.query(query, Wish { for_update: false, ..wish })?;
                    let seen = std::mem::replace(&mut self.seen, around);
                    let before = begin..source.first;
                    let is_same = !seen.iter().any(|column| before.contains(column));
                    self.seen.extend(seen);
                    Rows::Query(Box::new(query), is_same)
                }
            };
            sources.push(Source { from: rows, columns, join: source.join });
        }
        Ok(sources)
    }

    pub(super) fn conditions(&mut self, query: &tree::Query) -> Result<Vec<Conjunct>, Unplanned> {
        let mut found = Vec::new();
        for (at, source) in query.from.iter().enumerate() {
            let of_left = (source.join == Join::Left).then_some(at);
            if let Some(on) = &source.on {
                self.conjuncts(on, of_left, &mut found)?;
            }
        }
        if let Some(condition) = &query.condition {
            self.conjuncts(condition, None, &mut found)?;
        }
        Ok(found)
    }

    fn conjuncts(
        &mut self,
        condition: &Condition,
        of_left: Option<usize>,
        found: &mut Vec<Conjunct>,
    ) -> Result<(), Unplanned> {
        if let Condition::And(parts) = condition {
            return parts.iter().try_for_each(|part| self.conjuncts(part, of_left, found));
        }
        let around = std::mem::take(&mut self.seen);
        let before = self.slots.len();
        let test = self.test(condition)?;
        let sees = std::mem::replace(&mut self.seen, around);
        self.seen.extend(&sees);
        found.push(Conjunct { test, slots: before..self.slots.len(), sees, of_left });
        Ok(())
    }

    /// The loops of a block. True: its rows come in the order that is wanted.
    pub(super) fn joined(
        &mut self,
        sources: Vec<Source>,
        conditions: Vec<Conjunct>,
        wanted: Option<&[(usize, bool)]>,
    ) -> (Core, bool) {
        let begin = sources.iter().map(|source| source.columns.start).min().unwrap_or(0);
        let block = begin..sources.iter().map(|source| source.columns.end).max().unwrap_or(0);
        let once = self.once(&block);
        let joining =
            Joining { builder: self, sources: &sources, conditions: &conditions, block: &block, once: &once };
        let placed = joining.place(wanted);
        let is_sorted = wanted.is_some_and(<[_]>::is_empty)
            || placed.first().and_then(|first| first.access.as_ref()).is_some_and(|access| access.is_sorted);
        let order: Vec<usize> = placed.iter().map(|placed| placed.source).collect();
        let mut from: Vec<Option<Source>> = sources.into_iter().map(Some).collect();
        let mut levels = Vec::new();
        for placed in placed {
            let Some(source) = from[placed.source].take() else { continue };
            levels.push(level(source, placed.access));
        }
        distribute(&mut levels, &order, conditions, &block, &once);
        (Core { levels, once, ..Core::default() }, is_sorted)
    }

    /// The subqueries of the block that are the same for all its rows. Others, of which only the value they are compared with
    /// differs, keep their rows.
    fn once(&mut self, block: &Range<usize>) -> Vec<usize> {
        let mut once = Vec::new();
        for (at, slot) in self.slots.iter_mut().enumerate() {
            if !slot.sees.iter().any(|column| block.contains(column)) {
                once.push(at);
            } else if !slot.query_sees.iter().any(|column| block.contains(column)) {
                keep(slot);
            }
        }
        once
    }
}

/// Keeps the rows of a subquery behind IN, if they can be looked up by their keys.
fn keep(slot: &mut Slot) {
    let of_query = slot.query.kinds();
    if let Asks::Compared { value, comparison: Comparison::Equal, is_all: false, kind, is_kept } =
        &mut slot.asks
    {
        let has_keys = |of: Type| match *kind {
            Type::Decimal { precision, .. } => precision < 31 && of.digits().is_some(),
            kind if kind.is_whole() => of.is_whole(),
            kind if kind.is_text() => !kind.is_binary() && of.is_text() && of.is_bits() == kind.is_bits(),
            kind => of == kind,
        };
        *is_kept = has_keys(value.kind) && of_query.first().is_some_and(|of| has_keys(*of));
    }
}

struct Joining<'j, 'c> {
    builder: &'j Builder<'c>,
    sources: &'j [Source],
    conditions: &'j [Conjunct],
    block: &'j Range<usize>,
    once: &'j [usize],
}

impl Joining<'_, '_> {
    /// Sources in the order of their loops. Tables that are joined freely: at each step the one with the best way to its rows.
    fn place(&self, wanted: Option<&[(usize, bool)]>) -> Vec<Placed> {
        let is_free = self.sources.iter().all(|source| source.join == Join::Inner && !source.is_long());
        // A source that is no table has few rows.
        let worth = |access: &Option<Access>| access.as_ref().map_or((true, usize::MAX, true), Access::worth);
        let mut left: Vec<usize> = (0..self.sources.len()).collect();
        let mut placed: Vec<Placed> = Vec::new();
        while !left.is_empty() {
            let candidates = if is_free { left.len() } else { 1 };
            let mut best: Option<(usize, Option<Access>)> = None;
            for (at, source) in left.iter().take(candidates).enumerate() {
                let access = self.access(*source, &placed, wanted);
                let is_better = best.as_ref().is_none_or(|(_, best)| worth(&access) > worth(best));
                if is_better {
                    best = Some((at, access));
                }
            }
            let Some((at, access)) = best else { break };
            placed.push(Placed { source: left.remove(at), access });
        }
        placed
    }

    /// The best way to the rows of a table behind others; `None` for a query.
    fn access(&self, source: usize, placed: &[Placed], wanted: Option<&[(usize, bool)]>) -> Option<Access> {
        let Source { from: Rows::Table(table, _), columns, join } = &self.sources[source] else {
            return None;
        };
        let is_there = |column: usize| {
            !self.block.contains(&column)
                || placed.iter().any(|placed| self.sources[placed.source].columns.contains(&column))
        };
        let made = |at: usize| {
            at < self.builder.made_before || self.once.iter().any(|slot| self.builder.slots[*slot].made == at)
        };
        let known = Known { columns: &is_there, made: &made };
        let mut clues = Vec::new();
        for condition in self.conditions {
            let is_of_it = match join {
                Join::Left => condition.of_left == Some(source),
                Join::Inner => condition.of_left.is_none(),
            };
            if is_of_it && condition.slots.clone().all(|slot| self.once.contains(&slot)) {
                Clue::of(&condition.test, columns, &known, &mut clues);
            }
        }
        let sort: Option<Vec<(usize, bool)>> = match wanted {
            Some(wanted) if placed.is_empty() => wanted
                .iter()
                .map(|(column, is_descending)| {
                    columns.contains(column).then(|| (column - columns.start, *is_descending))
                })
                .collect(),
            _ => None,
        };
        Some(choose(&self.builder.tables[*table].table, &clues, sort.as_deref()))
    }
}

fn level(source: Source, access: Option<Access>) -> Level {
    let from = match (source.from, access) {
        (Rows::Table(table, wish), Some(access)) => From::Table { table, access, wish },
        (Rows::Query(query, is_same), _) => From::Query(query, is_same),
        (Rows::Itself(made), _) => From::Itself(made),
        (Rows::Changed, _) => From::Changed,
        (Rows::System(rows), _) => From::System(rows),
        (Rows::Table(..), None) => From::System(Arc::default()),
    };
    Level { from, columns: source.columns, join: source.join, on: Vec::new(), checks: Vec::new() }
}

/// Puts each condition where all its columns are there.
fn distribute(
    levels: &mut [Level],
    order: &[usize],
    conditions: Vec<Conjunct>,
    block: &Range<usize>,
    once: &[usize],
) {
    for condition in conditions {
        let slots = condition.slots.filter(|slot| !once.contains(slot)).collect();
        let check = Check { slots, test: condition.test };
        if let Some(source) = condition.of_left {
            if let Some(at) = order.iter().position(|other| *other == source) {
                levels[at].on.push(check);
            }
            continue;
        }
        let at = |column: &usize| levels.iter().position(|level| level.columns.contains(column));
        let last = condition.sees.iter().filter(|column| block.contains(column)).filter_map(at).max();
        if let Some(level) = levels.get_mut(last.unwrap_or(0)) {
            level.checks.push(check);
        }
    }
    // What needs no subquery comes first.
    for level in levels {
        level.on.sort_by_key(|check| !check.slots.is_empty());
        level.checks.sort_by_key(|check| !check.slots.is_empty());
    }
}
