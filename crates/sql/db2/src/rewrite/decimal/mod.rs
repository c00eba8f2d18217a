//! Decimal arithmetic: each operator and function whose result has a precision and scale by Db2's rules becomes a function of
//! the schema `db2` that gets the types of its operands.
//!
//! Types of constants, host variables and casts stand in the text; a column's is asked from PostgreSQL's catalogue
//! (`db2.column_type`), which the planner does once. So nothing needs to be known when a program is translated, and a table that
//! is altered counts from then on.
//!
//! ```text
//! statement ─► query ─► block: FROM ─► scope ─► regions ─► expressions: operands, operators, calls
//!                 └ common tables, tables in parentheses: their columns' types
//! ```

mod calls;
mod expression;
mod query;
mod scope;
mod types;

use crate::arithmetic::Arithmetic;
use crate::token::{Kind, Token};
use crate::words::Words;

use scope::{Relation, Scope};

/// Parentheses within each other that are looked into; what is deeper is PostgreSQL's arithmetic.
const DEPTH_MAX: usize = 64;

/// Rewrites the arithmetic of a query or a change, as the program has written it.
pub(crate) fn apply(words: &mut Words) {
    if !(0..words.len()).any(|at| concerns(words, at)) {
        return;
    }
    let mut reader = Reader { words, arithmetic: words.arithmetic, common: Vec::new(), depth: 0 };
    let list = reader.statement();
    words.list = list;
}

/// Returns true if the token at `at` is arithmetic, or calls a function whose result is.
fn concerns(words: &Words, at: usize) -> bool {
    words.is_any(at, &["*", "/", "+", "-"])
        || words.is(at + 1, &["("])
            && words.is_any(at, &["AVG", "SUM", "LENGTH", "DIGITS", "CHAR", "MULTIPLY_ALT"])
}

/// A table's column, or what a query makes one of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: String,
    of: types::Precision,
}

struct Reader<'w> {
    words: &'w Words,
    arithmetic: Arithmetic,
    /// Common table expressions that have been read.
    common: Vec<(String, Vec<Column>)>,
    depth: usize,
}

impl Reader<'_> {
    fn statement(&mut self) -> Vec<Token> {
        let (words, end) = (self.words, self.words.len());
        let outside = Scope::default();
        match () {
            () if words.is(0, &["UPDATE"]) => self.change(1, end),
            () if words.is(0, &["DELETE", "FROM"]) => self.change(2, end),
            () if words.is(0, &["MERGE", "INTO"]) => self.merge(end),
            () if words.is(0, &["INSERT"]) => {
                const QUERIES: [&str; 3] = ["VALUES", "SELECT", "WITH"];
                let query = (1..end).find(|at| words.is_any(*at, &QUERIES)).unwrap_or(end);
                let mut out = words.list[..query].to_vec();
                out.extend(self.query(query, end, &outside).0);
                out
            }
            // CREATE VIEW V (…) AS SELECT …
            () if words.is(0, &["CREATE", "VIEW"]) => {
                let Some(query) = words.find_outside(2, &["AS"]).map(|at| at + 1) else {
                    return words.list.clone();
                };
                let mut out = words.list[..query].to_vec();
                out.extend(self.query(query, end, &outside).0);
                out
            }
            () if words.is_any(0, &["SELECT", "WITH", "VALUES", "("]) || words.has_kind(0, Kind::Made) => {
                self.query(0, end, &outside).0
            }
            () => words.list.clone(),
        }
    }

    /// UPDATE T [[AS] A] …, DELETE FROM T [[AS] A] …: the table stands at `at`.
    fn change(&mut self, at: usize, end: usize) -> Vec<Token> {
        let (relations, _) = self.named(at, end);
        let scope = Scope::new(relations, None);
        let mut out = self.words.list[..at].to_vec();
        out.extend(self.region(at, end, &scope).0);
        out
    }

    /// MERGE INTO T [AS] A USING (…) AS B (…) ON … WHEN …
    fn merge(&mut self, end: usize) -> Vec<Token> {
        let (mut relations, using) = self.named(2, end);
        let source = using + 1;
        let mut done = Vec::new();
        if self.words.is(using, &["USING"]) {
            relations.extend(self.relations(source, end.min(source + 1), &Scope::default(), &mut done));
        }
        let scope = Scope::new(relations, None);
        let mut out = self.words.list[..2.min(end)].to_vec();
        out.extend(self.region_around(2, end, &scope, done));
        out
    }

    /// A table's name with its alias, and what stands behind.
    fn named(&self, at: usize, end: usize) -> (Vec<Relation>, usize) {
        let Some((table, behind)) = scope::table(self.words, at) else { return (Vec::new(), at) };
        let (alias, behind) = scope::alias(self.words, behind, end);
        (vec![Relation::table(table, alias)], behind)
    }
}
