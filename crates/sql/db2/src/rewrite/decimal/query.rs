//! Queries: their tables, and the types of their columns.

use super::scope::{self, Relation, Scope};
use super::types::Precision;
use super::{Column, DEPTH_MAX, Reader};
use crate::token::{Kind, Token};

/// Rewritten parts of FROM, each with its place.
pub(super) type Done = Vec<(usize, usize, Vec<Token>)>;

/// Words that end FROM.
const CLAUSES: [&str; 10] =
    ["WHERE", "GROUP", "HAVING", "ORDER", "FETCH", "FOR", "WITH", "LIMIT", "OPTIMIZE", "QUERYNO"];
/// Words between the parts of a query.
const SETS: [&str; 3] = ["UNION", "EXCEPT", "INTERSECT"];

impl Reader<'_> {
    /// A query with its common tables, and its columns.
    pub(super) fn query(&mut self, from: usize, end: usize, outer: &Scope<'_>) -> (Vec<Token>, Vec<Column>) {
        if self.depth >= DEPTH_MAX {
            return (self.words.list[from..end].to_vec(), Vec::new());
        }
        self.depth += 1;
        let known = self.common.len();
        let (mut out, mut at) = self.common_tables(from, end, outer);
        let mut columns: Option<Vec<Column>> = None;
        while at < end {
            let until = (at..end).find(|i| self.ends_part(at, *i)).unwrap_or(end);
            let (tokens, own) = self.part(at, until, outer);
            out.extend(tokens);
            columns = Some(match columns {
                None => own,
                Some(first) => first.into_iter().zip(own).map(|(a, b)| common(&a, &b)).collect(),
            });
            at = until;
            while at < end && (self.words.is_any(at, &SETS) || self.words.is_any(at, &["ALL", "DISTINCT"])) {
                out.push(self.words.list[at].clone());
                at += 1;
            }
        }
        self.common.truncate(known);
        self.depth -= 1;
        (out, columns.unwrap_or_default())
    }

    /// Returns true if UNION or one like it stands at `at`, outside of parentheses that open behind `from`.
    fn ends_part(&self, from: usize, at: usize) -> bool {
        self.words.is_any(at, &SETS)
            && self.words.find_outside(from, &[&self.words.list[at].text.to_uppercase()]) == Some(at)
    }

    /// WITH A (B, C) AS (…), …: what they become, and where the query begins.
    fn common_tables(&mut self, from: usize, end: usize, outer: &Scope<'_>) -> (Vec<Token>, usize) {
        let mut out = Vec::new();
        let mut at = from;
        if !self.words.is(at, &["WITH"]) {
            return (out, at);
        }
        loop {
            out.push(self.words.list[at].clone());
            let Some(name) = self.words.get(at + 1).filter(|token| token.is_name()).map(scope::folded) else {
                return (out, at + 1);
            };
            let Some(open) = self.words.find_outside(at + 1, &["AS", "("]).filter(|open| *open + 1 < end)
            else {
                return (out, at + 1);
            };
            let inner = self.words.close(open + 1).min(end);
            out.extend_from_slice(&self.words.list[at + 1..open + 2]);
            // One that asks for itself has the types of its first part: they are known when the others are read.
            let (tokens, columns) = self.query(open + 2, inner.saturating_sub(1).max(open + 2), outer);
            out.extend(tokens);
            out.extend(self.words.list[..inner].last().filter(|last| last.is(")")).cloned());
            let columns = renamed(columns, &self.names(at + 2, open));
            self.common.push((name, columns));
            at = inner;
            if at >= end || !self.words.is(at, &[","]) {
                return (out, at);
            }
        }
    }

    /// The names in parentheses at `at`.
    fn names(&self, at: usize, end: usize) -> Vec<String> {
        if at >= end || !self.words.is(at, &["("]) {
            return Vec::new();
        }
        let arguments = self.words.arguments(at);
        arguments.iter().filter_map(|range| self.words.get(range.start)).map(scope::folded).collect()
    }

    /// A SELECT, VALUES, or a query in parentheses.
    fn part(&mut self, from: usize, end: usize, outer: &Scope<'_>) -> (Vec<Token>, Vec<Column>) {
        if self.words.is(from, &["("]) && self.words.is_any(from + 1, &["SELECT", "WITH", "VALUES", "("]) {
            let close = self.words.close(from).min(end);
            let mut out = vec![self.words.list[from].clone()];
            let (tokens, columns) = self.query(from + 1, close.saturating_sub(1).max(from + 1), outer);
            out.extend(tokens);
            out.extend_from_slice(&self.words.list[close.saturating_sub(1).max(from + 1)..close]);
            out.extend(self.region(close, end, outer).0);
            return (out, columns);
        }
        let begins = self.words.is(from, &["SELECT"]) || self.words.has_kind(from, Kind::Made);
        if !begins {
            return (self.region(from, end, outer).0, Vec::new());
        }
        self.block(from, end, outer)
    }

    fn block(&mut self, start: usize, end: usize, outer: &Scope<'_>) -> (Vec<Token>, Vec<Column>) {
        let outside = |words: &crate::words::Words, from: usize, word: &str| {
            words.find_outside(from, &[word]).filter(|at| *at < end)
        };
        let from = outside(self.words, start, "FROM").unwrap_or(end);
        let behind = CLAUSES.iter().filter_map(|word| outside(self.words, from, word)).min().unwrap_or(end);
        let mut done = Done::new();
        let relations =
            if from < end { self.relations(from + 1, behind, outer, &mut done) } else { Vec::new() };
        let scope = Scope::new(relations, Some(outer));
        let mut out = vec![self.words.list[start].clone()];
        let mut at = start + 1;
        while at < from && self.words.is_any(at, &["DISTINCT", "ALL"]) {
            out.push(self.words.list[at].clone());
            at += 1;
        }
        let mut columns = Vec::new();
        while at < from {
            let comma = outside(self.words, at, ",").filter(|comma| *comma < from).unwrap_or(from);
            let (tokens, of) = self.region(at, comma, &scope);
            self.add_columns(&mut columns, at, comma, of, &scope);
            out.extend(tokens);
            if comma < from {
                out.push(self.words.list[comma].clone());
            }
            at = comma + 1;
        }
        out.extend(self.region_around(from, behind, &scope, done));
        out.extend(self.region(behind, end, &scope).0);
        (out, columns)
    }

    /// Notes the columns that an item of SELECT makes.
    fn add_columns(
        &self,
        columns: &mut Vec<Column>,
        from: usize,
        end: usize,
        of: Precision,
        scope: &Scope<'_>,
    ) {
        if self.words.is(end.wrapping_sub(1), &["*"]) && end - from <= 3 {
            // All columns of what is known; a table's are found by its name where they are asked for.
            return columns.extend(scope.relations().iter().flat_map(|relation| relation.columns().to_vec()));
        }
        let name = self.words.list[from..end].last().filter(|token| token.is_name()).map(scope::folded);
        columns.push(Column { name: name.unwrap_or_default(), of });
    }

    /// The tables between FROM and what ends it; queries in parentheses are put into `done`.
    pub(super) fn relations(
        &mut self,
        from: usize,
        end: usize,
        outer: &Scope<'_>,
        done: &mut Done,
    ) -> Vec<Relation> {
        let mut all: Vec<Relation> = Vec::new();
        let mut at = from;
        let mut starts = true;
        while at < end {
            let lateral = usize::from(self.words.is_any(at, &["TABLE", "LATERAL"]));
            if starts && self.words.is(at + lateral, &["("]) && self.begins_query(at + lateral + 1) {
                let open = at + lateral;
                let close = self.words.close(open);
                let inside = close.saturating_sub(1).max(open + 1);
                let around = Scope::new(all.clone(), Some(outer));
                let (tokens, columns) = self.query(open + 1, inside, &around);
                done.push((open + 1, inside, tokens));
                let (alias, behind) = scope::alias(self.words, close, self.words.len());
                let columns = renamed(columns, &self.names(behind, self.words.len()));
                all.extend(alias.map(|name| Relation::made(columns, name)));
                at = behind;
                starts = false;
            } else if starts && let Some((table, behind)) = self.changed(at) {
                // FINAL TABLE (UPDATE T …): its rows are those of T.
                let (alias, behind) = scope::alias(self.words, behind, end);
                all.push(Relation::table(table, alias));
                at = behind;
                starts = false;
            } else if starts && let Some((table, behind)) = scope::table(self.words, at) {
                let (alias, behind) = scope::alias(self.words, behind, end);
                let known = self.common.iter().rev().find(|(name, _)| *name == table);
                all.push(match known {
                    Some((name, columns)) => {
                        Relation::made(columns.clone(), alias.unwrap_or_else(|| name.clone()))
                    }
                    None => Relation::table(table, alias),
                });
                at = behind;
                starts = false;
            } else {
                // A join in parentheses has tables within.
                let inner = starts && self.words.is(at, &["("]);
                starts = inner || self.words.is_any(at, &[",", "JOIN"]);
                let skips = self.words.is(at, &["("]) && !inner;
                at = if skips { self.words.close(at) } else { at + 1 };
            }
        }
        all
    }

    /// The table that is changed in `FINAL TABLE (…)` at `at`, and what stands behind the parentheses.
    fn changed(&self, at: usize) -> Option<(String, usize)> {
        let words = self.words;
        let is_change = words.is_any(at, &["FINAL", "NEW", "OLD"]) && words.is(at + 1, &["TABLE", "("]);
        let verb = at + 3;
        let name = verb + 1 + usize::from(words.is_any(verb + 1, &["INTO", "FROM"]));
        let (table, _) = scope::table(words, name).filter(|_| is_change)?;
        Some((table, words.close(at + 2)))
    }

    pub(super) fn begins_query(&self, at: usize) -> bool {
        self.words.is_any(at, &["SELECT", "WITH", "VALUES"])
            || self.words.is(at, &["("]) && self.words.is_any(at + 1, &["SELECT", "WITH"])
    }
}

/// Columns under other names.
fn renamed(columns: Vec<Column>, names: &[String]) -> Vec<Column> {
    if names.is_empty() {
        return columns;
    }
    let given = names.iter().enumerate();
    let of = |at: usize| columns.get(at).map_or(Precision::Unknown, |column| column.of.clone());
    given.map(|(at, name)| Column { name: name.clone(), of: of(at) }).collect()
}

/// A column of two queries.
fn common(first: &Column, second: &Column) -> Column {
    let of = if first.of == second.of {
        first.of.clone()
    } else {
        Precision::of("common_type", &[&first.of, &second.of], None)
    };
    Column { name: first.name.clone(), of }
}
