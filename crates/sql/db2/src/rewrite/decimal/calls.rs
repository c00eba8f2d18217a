//! Functions: the types of their results, and those that need the type of their argument.

use std::ops::Range;

use super::expression::Value;
use super::scope::Scope;
use super::types::Precision;
use super::{DEPTH_MAX, Reader};
use crate::token::{Kind, Token};

/// Functions whose result is a number of days, characters and the like: INTEGER.
const WHOLE: [&str; 28] = [
    "INTEGER",
    "INT",
    "LENGTH",
    "CHARACTER_LENGTH",
    "CHAR_LENGTH",
    "COUNT",
    "DAY",
    "DAYS",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DAYOFWEEK_ISO",
    "DAYOFYEAR",
    "MONTH",
    "YEAR",
    "QUARTER",
    "WEEK",
    "WEEK_ISO",
    "HOUR",
    "MINUTE",
    "SECOND",
    "MICROSECOND",
    "MIDNIGHT_SECONDS",
    "JULIAN_DAY",
    "LOCATE",
    "POSSTR",
    "SIGN",
    "ASCII",
    "LOCATE_IN_STRING",
];
/// Those whose result is floating point.
const FLOATING: [&str; 15] = [
    "DOUBLE", "FLOAT", "REAL", "SQRT", "EXP", "LN", "LOG", "LOG10", "POWER", "SIN", "COS", "TAN", "RAND",
    "STDDEV", "VARIANCE",
];

impl Reader<'_> {
    /// A function's call: its name begins at `at`, its parenthesis stands at `open`.
    pub(super) fn call(&mut self, at: usize, open: usize, end: usize, scope: &Scope<'_>) -> (Value, usize) {
        let close = self.words.close(open).min(end);
        let name = if open == at + 1 { self.words.list[at].text.to_uppercase() } else { String::new() };
        if self.depth >= DEPTH_MAX {
            return (Value::new(self.words.list[at..close].to_vec(), Precision::Unknown, false), close);
        }
        self.depth += 1;
        let (mut tokens, arguments) = self.arguments(&name, at, open, close, scope);
        self.depth -= 1;
        let mut behind = close;
        while let Some(over) = self.over(behind, end) {
            tokens.extend(self.region(behind, over, scope).0);
            behind = over;
        }
        let mode = self.arithmetic.mode();
        let first = arguments.first().cloned().unwrap_or(Precision::Unknown);
        let is_single = arguments.len() == 1;
        let known = |of: Precision| Value::new(Vec::new(), of, true);
        let mut value = match &*name {
            "SUM" if is_single && first.is_known() && first != Precision::Float => {
                let of = Precision::of("total_type", &[&first], Some(mode));
                tokens = around("total", tokens, &of);
                known(of)
            }
            "AVG" if is_single && first.is_known() && first != Precision::Float => {
                let of = Precision::of("average_type", &[&first], Some(mode));
                tokens = around("average", tokens, &of);
                known(of)
            }
            "LENGTH" | "DIGITS" | "CHAR" if is_single && first.is_known() && !self.is_constant(open) => {
                with_type(&mut tokens, &name, &first);
                let of = if name == "LENGTH" { Precision::Whole(11) } else { Precision::Unknown };
                Value::new(Vec::new(), of, name == "LENGTH")
            }
            "MULTIPLY_ALT" if arguments.len() == 2 && arguments.iter().all(Precision::is_known) => {
                let of = Precision::of("alternative_type", &[&first, &arguments[1]], Some(mode));
                last_argument(&mut tokens, &of);
                known(of)
            }
            "COALESCE" | "VALUE" | "IFNULL" | "NVL" | "MAX" | "MIN" => {
                let mut rest = arguments.into_iter().skip(1);
                let of = rest.try_fold(first, |before, of| {
                    let joined =
                        if before == of { of } else { Precision::of("common_type", &[&before, &of], None) };
                    joined.is_known().then_some(joined)
                });
                Value::new(Vec::new(), of.unwrap_or(Precision::Unknown), false)
            }
            "ABS" | "ABSVAL" | "TRUNC" | "TRUNCATE" | "NULLIF" => {
                Value::new(Vec::new(), first, name != "NULLIF")
            }
            "DECIMAL" | "DEC" | "NUMERIC" => known(self.decimal(open)),
            "CAST" => Value::new(Vec::new(), self.cast(open, close), false),
            "SMALLINT" => known(Precision::Whole(5)),
            "BIGINT" | "COUNT_BIG" => known(Precision::Whole(19)),
            _ if WHOLE.contains(&&*name) => known(Precision::Whole(11)),
            _ if FLOATING.contains(&&*name) => known(Precision::Float),
            _ => Value::new(Vec::new(), Precision::Unknown, false),
        };
        value.tokens = tokens;
        (value, behind)
    }

    /// The call's tokens, and the types of its arguments.
    fn arguments(
        &mut self,
        name: &str,
        at: usize,
        open: usize,
        close: usize,
        scope: &Scope<'_>,
    ) -> (Vec<Token>, Vec<Precision>) {
        let mut tokens = self.words.list[at..(open + 1).min(close)].to_vec();
        let inside = close.saturating_sub(1).max(open + 1).min(close);
        let mut types = Vec::new();
        if self.begins_query(open + 1) {
            let (inner, columns) = self.query(open + 1, inside, scope);
            types.extend(columns.into_iter().take(1).map(|column| column.of));
            tokens.extend(inner);
        } else if name == "CAST" {
            let until =
                self.words.find_outside(open + 1, &["AS"]).filter(|at| *at < inside).unwrap_or(inside);
            tokens.extend(self.region(open + 1, until, scope).0);
            tokens.extend_from_slice(&self.words.list[until..inside]);
        } else {
            let mut done = open + 1;
            for Range { start, end } in self.words.arguments(open) {
                let (start, end) = (start.min(inside), end.min(inside));
                tokens.extend_from_slice(&self.words.list[done.min(start)..start]);
                let skips = usize::from(start < end && self.words.is_any(start, &["DISTINCT", "ALL"]));
                tokens.extend_from_slice(&self.words.list[start..start + skips]);
                let (argument, of) = self.region(start + skips, end, scope);
                tokens.extend(argument);
                types.push(of);
                done = end;
            }
            tokens.extend_from_slice(&self.words.list[done.min(inside)..inside]);
        }
        tokens.extend_from_slice(&self.words.list[inside..close]);
        (tokens, types)
    }

    /// Behind OVER (…) or FILTER (…), if one stands at `at`.
    fn over(&self, at: usize, end: usize) -> Option<usize> {
        let is_over =
            at + 1 < end && self.words.is_any(at, &["OVER", "FILTER"]) && self.words.is(at + 1, &["("]);
        is_over.then(|| self.words.close(at + 1).min(end))
    }

    /// Returns true if the only argument is a constant: its length is known elsewhere.
    fn is_constant(&self, open: usize) -> bool {
        let signed = usize::from(self.words.is_any(open + 1, &["-", "+"]));
        self.words.has_kind(open + 1 + signed, Kind::Number) && self.words.is(open + 2 + signed, &[")"])
    }

    /// DECIMAL(x, p, s).
    fn decimal(&self, open: usize) -> Precision {
        let number = |range: Option<&Range<usize>>, otherwise: u8| match range {
            None => Some(otherwise),
            Some(range) => self.words.get(range.start).and_then(|token| token.text.parse().ok()),
        };
        let arguments = self.words.arguments(open);
        if arguments.len() == 1 {
            // As long as its argument asks for: 15 digits of most.
            return Precision::Unknown;
        }
        match (number(arguments.get(1), 15), number(arguments.get(2), 0)) {
            (Some(precision @ 1..=31), Some(scale)) if scale <= precision => {
                Precision::Decimal(precision, scale)
            }
            _ => Precision::Unknown,
        }
    }

    /// CAST(x AS type).
    fn cast(&self, open: usize, close: usize) -> Precision {
        let Some(at) = self.words.find_outside(open + 1, &["AS"]).filter(|at| *at < close).map(|at| at + 1)
        else {
            return Precision::Unknown;
        };
        let number = |at: usize| self.words.get(at).and_then(|token| token.text.parse::<u8>().ok());
        match self.words.get(at).map(|token| token.text.to_uppercase()).as_deref() {
            Some("SMALLINT") => Precision::Whole(5),
            Some("INTEGER" | "INT") => Precision::Whole(11),
            Some("BIGINT") => Precision::Whole(19),
            Some("DOUBLE" | "FLOAT" | "REAL") => Precision::Float,
            Some("DECIMAL" | "DEC" | "NUMERIC") => {
                let precision = if self.words.is(at + 1, &["("]) { number(at + 2) } else { Some(5) };
                let scale = if self.words.is(at + 3, &[","]) { number(at + 4) } else { Some(0) };
                match (precision, scale) {
                    (Some(p @ 1..=31), Some(s)) if s <= p => Precision::Decimal(p, s),
                    _ => Precision::Unknown,
                }
            }
            _ => Precision::Unknown,
        }
    }
}

/// A function around a call.
fn around(function: &str, mut inner: Vec<Token>, of: &Precision) -> Vec<Token> {
    let (Some(first), Some(last)) = (inner.first().cloned(), inner.last().cloned()) else { return inner };
    if let Some(token) = inner.first_mut() {
        token.glued = true;
    }
    let mut tokens = vec![first.made(format!("db2.{function}("))];
    tokens.extend(inner);
    tokens.push(Token { glued: true, ..last.made(format!(", {})", of.sql())) });
    tokens
}

/// LENGTH, DIGITS and CHAR with their argument's type.
fn with_type(tokens: &mut Vec<Token>, name: &str, of: &Precision) {
    if let Some(first) = tokens.first_mut() {
        *first = first.made(format!("db2.{}_of", name.to_lowercase()));
    }
    last_argument(tokens, of);
}

/// Puts a type in front of the last parenthesis.
fn last_argument(tokens: &mut Vec<Token>, of: &Precision) {
    let at = tokens.len().saturating_sub(1);
    if let Some(last) = tokens.get(at).filter(|last| last.is(")")).cloned() {
        tokens.insert(at, Token { glued: true, ..last.made(format!(", {}", of.sql())) });
    }
}
