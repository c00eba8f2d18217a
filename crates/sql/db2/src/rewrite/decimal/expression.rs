//! Expressions: operands and the four operators between them.

use super::query::Done;
use super::scope::{self, Scope};
use super::types::Precision;
use super::{DEPTH_MAX, Reader};
use crate::rewrite::durations::is_duration_unit;
use crate::token::{Kind, Token};

/// An expression that was read.
pub(super) struct Value {
    pub(super) tokens: Vec<Token>,
    pub(super) of: Precision,
    /// A number by what it is made of: it is no date, whatever the tables say.
    pub(super) is_number: bool,
    /// The result of an operator: what is added to it is a number, too.
    is_result: bool,
}

impl Value {
    pub(super) fn new(tokens: Vec<Token>, of: Precision, is_number: bool) -> Self {
        Self { tokens, of, is_number, is_result: false }
    }
}

/// Words that are no operands: what stands behind them begins an expression.
const KEYWORDS: [&str; 57] = [
    "SELECT",
    "ALL",
    "DISTINCT",
    "FROM",
    "WHERE",
    "HAVING",
    "ON",
    "AND",
    "OR",
    "NOT",
    "BY",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "BETWEEN",
    "IN",
    "LIKE",
    "SET",
    "VALUES",
    "RETURN",
    "IS",
    "AS",
    "ASC",
    "DESC",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "ESCAPE",
    "FETCH",
    "FIRST",
    "FOR",
    "INTO",
    "USING",
    "MATCHED",
    "OVER",
    "PARTITION",
    "ORDER",
    "GROUP",
    "LIMIT",
    "OFFSET",
    "EXISTS",
    "ANY",
    "SOME",
    "JOIN",
    "INNER",
    "OUTER",
    "CROSS",
    "UPDATE",
    "DELETE",
    "MERGE",
    "WITH",
    "ONLY",
    "ROWS",
    "ROW",
    "CONCAT",
    "NULL",
];

impl Reader<'_> {
    /// Rewrites the expressions between two places; the type is that of the one that makes all of it, or all but a name for it.
    pub(super) fn region(&mut self, from: usize, end: usize, scope: &Scope<'_>) -> (Vec<Token>, Precision) {
        let mut out = Vec::new();
        let mut of = Precision::Unknown;
        let mut at = from;
        while at < end {
            let is_type = at > 0 && self.words.is(at - 1, &["AS"]);
            match if is_type { None } else { self.sum(at, end, scope) } {
                Some((value, behind)) => {
                    let named = usize::from(self.words.is(behind, &["AS"]));
                    if at == from && (behind == end || behind + named + 1 == end) {
                        of = value.of;
                    }
                    out.extend(value.tokens);
                    at = behind;
                }
                None => {
                    out.push(self.words.list[at].clone());
                    at += 1;
                }
            }
        }
        (out, of)
    }

    /// The same around parts that are done already.
    pub(super) fn region_around(
        &mut self,
        from: usize,
        end: usize,
        scope: &Scope<'_>,
        done: Done,
    ) -> Vec<Token> {
        let mut out = Vec::new();
        let mut at = from;
        for (start, behind, tokens) in done {
            if start < at || behind > end {
                continue;
            }
            out.extend(self.region(at, start, scope).0);
            out.extend(tokens);
            at = behind;
        }
        out.extend(self.region(at, end, scope).0);
        out
    }

    /// Operands with + and - between them.
    fn sum(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> Option<(Value, usize)> {
        let (mut first, mut at) = self.product(at, end, scope)?;
        while at < end && self.words.is_any(at, &["+", "-"]) {
            let Some((second, behind)) = self.product(at + 1, end, scope) else { break };
            let sign = &self.words.list[at];
            let function = if sign.is("+") { "plus" } else { "minus" };
            let numbers = first.is_number && second.is_number || first.is_result || second.is_result;
            let is_decimal = !(first.of.is_plain() && second.of.is_plain());
            let mode = Some(self.arithmetic.mode());
            first = if numbers && is_decimal && first.of.is_known() && second.of.is_known() {
                let of = Precision::of("sum_type", &[&first.of, &second.of], mode);
                call(function, sign, first, second, &of.sql(), of.clone())
            } else {
                let of = match (first.of.is_plain(), second.of.is_plain()) {
                    (true, true) => Precision::plain(&first.of, &second.of),
                    _ => Precision::of("sum_type", &[&first.of, &second.of], mode),
                };
                between(first, sign, second, of, numbers)
            };
            at = behind;
        }
        Some((first, at))
    }

    /// Operands with * and / between them.
    fn product(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> Option<(Value, usize)> {
        let (mut first, mut at) = self.signed(at, end, scope)?;
        while at < end && self.words.is_any(at, &["*", "/"]) {
            let Some((second, behind)) = self.signed(at + 1, end, scope) else { break };
            let sign = &self.words.list[at];
            let mode = Some(self.arithmetic.mode());
            let types = [&first.of, &second.of];
            first = if types.iter().all(|of| of.is_plain()) {
                let of = Precision::plain(&first.of, &second.of);
                between(first, sign, second, of, true)
            } else if types.iter().any(|of| !of.is_known()) {
                between(first, sign, second, Precision::Unknown, true)
            } else if sign.is("/") {
                let of = Precision::of("quotient_type", &types, mode);
                let more = format!("{}, {}", second.of.sql(), of.sql());
                call("quotient", sign, first, second, &more, of)
            } else {
                let of = Precision::of("product_type", &types, mode);
                let more = format!("{}, {}, {}", first.of.sql(), second.of.sql(), of.sql());
                call("product", sign, first, second, &more, of)
            };
            at = behind;
        }
        Some((first, at))
    }

    fn signed(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> Option<(Value, usize)> {
        if at < end && self.words.is_any(at, &["+", "-"]) {
            let (mut value, behind) = self.operand(at + 1, end, scope)?;
            value.tokens.insert(0, self.words.list[at].clone());
            return Some((value, behind));
        }
        self.operand(at, end, scope)
    }

    fn operand(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> Option<(Value, usize)> {
        let (value, behind) = self.plain_operand(at, end, scope)?;
        let is_unit = behind < end
            && self.words.get(behind).is_some_and(is_duration_unit)
            && !self.words.is_any(behind + 1, &["(", "."]);
        let calculates = at > 0 && self.words.is_any(at - 1, &["+", "-"]);
        if is_unit && calculates {
            let mut tokens = value.tokens;
            tokens.push(self.words.list[behind].clone());
            return Some((Value::new(tokens, Precision::Unknown, false), behind + 1));
        }
        Some((value, behind))
    }

    fn plain_operand(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> Option<(Value, usize)> {
        let token = self.words.get(at).filter(|_| at < end)?;
        let alone =
            |of: Precision, is_number: bool| Some((Value::new(vec![token.clone()], of, is_number), at + 1));
        match token.kind {
            Kind::Number => alone(Precision::of_constant(&token.text), true),
            Kind::Host => {
                let of = Precision::from(token.holds);
                let is_number = of.is_known();
                alone(of, is_number)
            }
            Kind::Marker | Kind::Text | Kind::Prefixed => alone(Precision::Unknown, false),
            Kind::Sign if token.is("(") => Some(self.parentheses(at, end, scope)),
            Kind::Word if token.is("CASE") => Some(self.case(at, end, scope)),
            Kind::Word if token.is_any(&KEYWORDS) => None,
            Kind::Word if token.is("CURRENT") && at + 1 < end && self.words.has_kind(at + 1, Kind::Word) => {
                let tokens = self.words.list[at..at + 2].to_vec();
                Some((Value::new(tokens, Precision::Unknown, false), at + 2))
            }
            Kind::Word if self.words.is(at + 1, &["VALUE", "FOR"]) && token.is_any(&["NEXT", "PREVIOUS"]) => {
                let behind =
                    self.words.qualified_name(at + 3).map_or(at + 3, |(_, range)| range.end).min(end);
                let tokens = self.words.list[at..behind].to_vec();
                Some((Value::new(tokens, Precision::Unknown, true), behind))
            }
            Kind::Word | Kind::Delimited => Some(self.name(at, end, scope)),
            Kind::Sign | Kind::Made => None,
        }
    }

    /// A column, or a function with its arguments.
    fn name(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> (Value, usize) {
        let mut behind = at + 1;
        let mut parts = vec![at];
        while behind + 1 < end && self.words.is(behind, &["."]) {
            let is_name = self.words.list[behind + 1].is_name();
            if is_name {
                parts.push(behind + 1);
            }
            behind += 2;
            if !is_name {
                // T.*
                return (Value::new(self.words.list[at..behind].to_vec(), Precision::Unknown, false), behind);
            }
        }
        if behind < end && self.words.is(behind, &["("]) {
            return self.call(at, behind, end, scope);
        }
        let named: Vec<String> = parts.iter().map(|part| scope::folded(&self.words.list[*part])).collect();
        let of = match named.as_slice() {
            [column] => scope.column(None, column),
            [.., table, column] => scope.column(Some(table), column),
            [] => Precision::Unknown,
        };
        (Value::new(self.words.list[at..behind].to_vec(), of, false), behind)
    }

    fn parentheses(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> (Value, usize) {
        let close = self.words.close(at).min(end);
        let inside = close.saturating_sub(1).max(at + 1).min(close);
        if self.depth >= DEPTH_MAX {
            return (Value::new(self.words.list[at..close].to_vec(), Precision::Unknown, false), close);
        }
        self.depth += 1;
        let mut tokens = vec![self.words.list[at].clone()];
        let mut is_number = false;
        let of = if self.begins_query(at + 1) {
            let (inner, columns) = self.query(at + 1, inside, scope);
            tokens.extend(inner);
            columns.first().map_or(Precision::Unknown, |column| column.of.clone())
        } else if let Some((value, behind)) = self.sum(at + 1, inside, scope)
            && behind == inside
        {
            is_number = value.is_number;
            tokens.extend(value.tokens);
            value.of
        } else {
            tokens.extend(self.region(at + 1, inside, scope).0);
            Precision::Unknown
        };
        tokens.extend_from_slice(&self.words.list[inside..close]);
        self.depth -= 1;
        (Value::new(tokens, of, is_number), close)
    }

    /// CASE … END.
    fn case(&mut self, at: usize, end: usize, scope: &Scope<'_>) -> (Value, usize) {
        let mut depth = 0_usize;
        let mut behind = at;
        while behind < end {
            depth += usize::from(self.words.is(behind, &["CASE"]));
            if self.words.is(behind, &["END"]) {
                depth -= 1;
            }
            behind += 1;
            if depth == 0 {
                break;
            }
        }
        if self.depth >= DEPTH_MAX {
            return (Value::new(self.words.list[at..behind].to_vec(), Precision::Unknown, false), behind);
        }
        self.depth += 1;
        let mut tokens = vec![self.words.list[at].clone()];
        let mut results: Option<Precision> = None;
        let mut i = at + 1;
        while i < behind {
            let is_result = self.words.is_any(i - 1, &["THEN", "ELSE"]);
            let Some((value, next)) = self.sum(i, behind, scope) else {
                tokens.push(self.words.list[i].clone());
                i += 1;
                continue;
            };
            if is_result {
                let whole = self.words.is_any(next, &["WHEN", "ELSE", "END"]);
                let of = if whole { value.of } else { Precision::Unknown };
                results = Some(match results {
                    Some(before) if before == of => before,
                    Some(before) => Precision::of("common_type", &[&before, &of], None),
                    None => of,
                });
            }
            tokens.extend(value.tokens);
            i = next;
        }
        self.depth -= 1;
        (Value::new(tokens, results.unwrap_or(Precision::Unknown), false), behind)
    }
}

/// Two operands with their operator, as they stand.
fn between(first: Value, sign: &Token, second: Value, of: Precision, is_number: bool) -> Value {
    let mut tokens = first.tokens;
    tokens.push(sign.clone());
    tokens.extend(second.tokens);
    Value { tokens, of, is_number, is_result: false }
}

/// Two operands as arguments of a function, with their types behind them.
fn call(function: &str, sign: &Token, first: Value, second: Value, more: &str, of: Precision) -> Value {
    let mut tokens = Vec::with_capacity(first.tokens.len() + second.tokens.len() + 3);
    let glued = first.tokens.first().is_some_and(|token| token.glued);
    let made = |text: String, glued: bool| Token { glued, ..sign.made(text) };
    tokens.push(made(format!("db2.{function}("), glued));
    tokens.extend(first.tokens);
    tokens.push(made(",".into(), true));
    tokens.extend(second.tokens);
    tokens.push(made(format!(", {more})"), true));
    if let Some(token) = tokens.get_mut(1) {
        token.glued = true;
    }
    Value { tokens, of, is_number: true, is_result: true }
}
