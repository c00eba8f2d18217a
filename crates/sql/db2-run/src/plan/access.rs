//! Ways to rows, chosen by rules: the index with most of its columns given, then one with a range, then one with the order.

use std::cmp::Ordering;
use std::ops::{Bound, Range};

use db2_syntax::Table;
use db2_values::{Comparison, Pattern, Purpose, Type, Unfit, Value, compare, convert, key};

use crate::formula::{Formula, Frame, Known, Node, Test, pattern_of};
use crate::rows::{self, Path};

/// A way to rows.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) path: Path,
    /// Columns of the index that are given, with their values.
    pub(crate) equal: Vec<(KeyColumn, Formula)>,
    /// Things said of the column behind these.
    pub(crate) reach: Option<(KeyColumn, Vec<Reach>)>,
    /// True if at most one row is found.
    pub(crate) is_one: bool,
    /// True if rows come in the order that is wanted.
    pub(crate) is_sorted: bool,
    pub(crate) is_backward: bool,
}

/// A column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyColumn {
    pub(crate) column: usize,
    pub(crate) kind: Type,
    pub(crate) is_nullable: bool,
    pub(crate) is_descending: bool,
}

/// A statement about a column whose keys lie side by side.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// It is less, or greater, than a value.
    Than(Comparison, Formula),
    /// It begins as a pattern does.
    Like(Formula, Option<Pattern>),
}

/// Something that a condition says of a column and that holds for all rows which are meant.
pub(super) enum Clue<'c> {
    Compared(usize, Comparison, &'c Formula),
    Like(usize, &'c Formula, Option<&'c Pattern>),
}

impl<'c> Clue<'c> {
    /// Adds what a condition says of the columns of a source, as far as it stands on what is known.
    pub(super) fn of(test: &'c Test, source: &Range<usize>, known: &Known<'_>, clues: &mut Vec<Self>) {
        match test {
            Test::All(tests) => tests.iter().for_each(|test| Self::of(test, source, known, clues)),
            Test::Compare { comparison, values, kind } => match values.as_ref() {
                [column, value] if value.is_fixed(known) && is_column(column, source) => {
                    Self::compared(column, *comparison, value, *kind, source, clues);
                }
                [value, column] if value.is_fixed(known) => {
                    Self::compared(column, comparison.turned(), value, *kind, source, clues);
                }
                _ => {}
            },
            Test::Like { value, pattern, known: parsed, escape: None } if pattern.is_fixed(known) => {
                if let Node::Column(column) = value.node
                    && source.contains(&column)
                {
                    clues.push(Self::Like(column - source.start, pattern, parsed.as_ref()));
                }
            }
            _ => {}
        }
    }

    fn compared(
        column: &Formula,
        comparison: Comparison,
        value: &'c Formula,
        kind: Type,
        source: &Range<usize>,
        clues: &mut Vec<Self>,
    ) {
        if let Node::Column(at) = column.node
            && source.contains(&at)
            && comparison != Comparison::Different
            && has_keys(column.kind, kind)
        {
            clues.push(Self::Compared(at - source.start, comparison, value));
        }
    }

    fn column(&self) -> usize {
        match self {
            Self::Compared(column, ..) | Self::Like(column, ..) => *column,
        }
    }
}

fn is_column(formula: &Formula, source: &Range<usize>) -> bool {
    matches!(formula.node, Node::Column(at) if source.contains(&at))
}

/// Returns true if keys of a column are in the order in which its values are compared in a type.
fn has_keys(column: Type, compared: Type) -> bool {
    match compared {
        _ if compared.is_number() => column.is_number() && (column.is_float() || !compared.is_float()),
        _ if compared.is_text() => {
            column.is_text()
                && column.is_bits() == compared.is_bits()
                && column.is_binary() == compared.is_binary()
        }
        Type::Timestamp(_) => matches!(column, Type::Timestamp(_)),
        _ => column == compared,
    }
}

/// The best way to the rows that the clues tell of, in an order if there is one wanted: columns of the table, true: descending.
pub(super) fn choose(table: &Table, clues: &[Clue<'_>], sort: Option<&[(usize, bool)]>) -> Access {
    let key = (!table.key.is_empty()).then(|| {
        let columns = table.key.iter().map(|column| (*column, false)).collect::<Vec<_>>();
        by_index(table, Path::Key, &columns, true, clues, sort)
    });
    let others =
        table.indexes.iter().enumerate().map(|(at, index)| {
            by_index(table, Path::Index(at), &index.columns, index.is_unique, clues, sort)
        });
    let scan = Access {
        path: Path::Scan,
        equal: Vec::new(),
        reach: None,
        is_one: false,
        is_sorted: sort.is_some_and(<[_]>::is_empty),
        is_backward: false,
    };
    let has_order = sort.is_some_and(|sort| !sort.is_empty());
    let worth = |access: &Access| (access.worth(), access.is_sorted && has_order);
    // Of equal ones the first: the scan before an index that does nothing for the statement.
    let mut best = scan;
    for access in key.into_iter().chain(others) {
        if worth(&access) > worth(&best) {
            best = access;
        }
    }
    best
}

fn by_index(
    table: &Table,
    path: Path,
    columns: &[(usize, bool)],
    is_unique: bool,
    clues: &[Clue<'_>],
    sort: Option<&[(usize, bool)]>,
) -> Access {
    let described = |(column, is_descending): (usize, bool)| {
        let of = &table.columns[column];
        KeyColumn { column, kind: of.kind, is_nullable: of.is_nullable, is_descending }
    };
    let mut equal = Vec::new();
    for column in columns {
        let found = clues.iter().find_map(|clue| match clue {
            Clue::Compared(at, Comparison::Equal, value) if *at == column.0 => Some(*value),
            _ => None,
        });
        let Some(value) = found else { break };
        equal.push((described(*column), value.clone()));
    }
    let next = columns.get(equal.len()).map(|column| described(*column));
    let reach = next.and_then(|next| {
        let said: Vec<Reach> =
            clues.iter().filter(|clue| clue.column() == next.column).map(reach_of).collect();
        (!said.is_empty()).then_some((next, said))
    });
    let is_one = is_unique && equal.len() == columns.len();
    let order = if is_one { sort.map(|_| false) } else { in_order(columns, equal.len(), is_unique, sort) };
    Access { path, equal, reach, is_one, is_sorted: order.is_some(), is_backward: order.unwrap_or_default() }
}

fn reach_of(clue: &Clue<'_>) -> Reach {
    match clue {
        Clue::Compared(_, comparison, value) => Reach::Than(*comparison, (*value).clone()),
        Clue::Like(_, pattern, known) => Reach::Like((*pattern).clone(), known.cloned()),
    }
}

/// The direction in which an index has the order that is wanted, true: backward; `None` if it does not have it.
fn in_order(
    columns: &[(usize, bool)],
    given: usize,
    is_unique: bool,
    sort: Option<&[(usize, bool)]>,
) -> Option<bool> {
    let (fixed, mut rest) = columns.split_at(given);
    let mut is_backward = None;
    for (column, is_descending) in sort? {
        // All rows have the same there.
        if fixed.iter().any(|(other, _)| other == column) {
            continue;
        }
        let Some((next, behind)) = rest.split_first() else {
            // No two rows are alike so far: what else they are sorted by decides nothing.
            return if is_unique { is_backward.or(Some(false)) } else { None };
        };
        let is_turned = next.1 != *is_descending;
        if next.0 != *column || is_backward.is_some_and(|is_backward| is_backward != is_turned) {
            return None;
        }
        is_backward = Some(is_turned);
        rest = behind;
    }
    Some(is_backward.unwrap_or(false))
}

/// The part of an index that a statement has to look at.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// None: no row can be meant.
    Nothing,
    /// The only key that a row can have.
    One(Vec<u8>),
    /// A range.
    Range(rows::Range),
}

impl Access {
    /// A measure of the rows that it leaves out: of two ways the greater is better.
    pub(super) fn worth(&self) -> (bool, usize, bool) {
        (self.is_one, self.equal.len(), self.reach.is_some())
    }

    /// The part of the index for the values of this run. Rows in it are tested all the same: it may be too large, never too small.
    pub(crate) fn found(&self, frame: &Frame<'_>) -> Result<Found, Unfit> {
        let mut prefix = Vec::new();
        for (column, value) in &self.equal {
            match fit(&*value.value(frame)?, *column, frame)? {
                Fit::Exact(value) => append(&mut prefix, &value, *column, frame),
                Fit::Near(_) | Fit::Outside | Fit::Null => return Ok(Found::Nothing),
            }
        }
        if self.is_one {
            return Ok(Found::One(prefix));
        }
        let whole = || if prefix.is_empty() { Bound::Unbounded } else { Bound::Included(prefix.clone()) };
        let mut range = rows::Range { low: whole(), high: whole(), is_backward: self.is_backward };
        if let Some((column, said)) = &self.reach {
            for reach in said {
                if !reach.narrow(&mut range, &prefix, *column, frame)? {
                    return Ok(Found::Nothing);
                }
            }
        }
        Ok(Found::Range(range))
    }
}

fn append(key: &mut Vec<u8>, value: &Value, column: KeyColumn, frame: &Frame<'_>) {
    key::append(key, value, column.kind, column.is_descending, frame.setting.order);
}

impl Reach {
    /// Makes a range smaller. Returns false if nothing is left.
    fn narrow(
        &self,
        range: &mut rows::Range,
        prefix: &[u8],
        column: KeyColumn,
        frame: &Frame<'_>,
    ) -> Result<bool, Unfit> {
        let key_of = |value: &Value| {
            let mut key = prefix.to_vec();
            append(&mut key, value, column, frame);
            key
        };
        match self {
            Self::Than(comparison, value) => {
                let (key, is_exact) = match fit(&*value.value(frame)?, column, frame)? {
                    Fit::Null => return Ok(false),
                    Fit::Outside => return Ok(true),
                    Fit::Exact(value) => (key_of(&value), true),
                    Fit::Near(value) => (key_of(&value), false),
                };
                let is_strict = matches!(comparison, Comparison::Less | Comparison::Greater) && is_exact;
                let bound = if is_strict { Bound::Excluded(key) } else { Bound::Included(key) };
                let is_least = matches!(comparison, Comparison::Greater | Comparison::AtLeast);
                if *comparison == Comparison::Equal || is_least != column.is_descending {
                    range.low = later(std::mem::replace(&mut range.low, Bound::Unbounded), bound.clone());
                }
                if *comparison == Comparison::Equal || is_least == column.is_descending {
                    range.high = earlier(std::mem::replace(&mut range.high, Bound::Unbounded), bound);
                }
                if is_least && column.is_nullable {
                    Self::without_null(range, key_of(&Value::Null), column);
                }
                Ok(true)
            }
            Self::Like(pattern, known) => {
                let pattern = match known {
                    Some(pattern) => Some(pattern.clone()),
                    None => pattern_of(pattern, None, frame)?,
                };
                let Some(pattern) = pattern else { return Ok(false) };
                let bound = Bound::Included([prefix, &beginning(&pattern.prefix(), column, frame)].concat());
                range.low = later(std::mem::replace(&mut range.low, Bound::Unbounded), bound.clone());
                range.high = earlier(std::mem::replace(&mut range.high, Bound::Unbounded), bound);
                Ok(true)
            }
        }
    }

    /// NULL is above all values, and greater than none.
    fn without_null(range: &mut rows::Range, null: Vec<u8>, column: KeyColumn) {
        let bound = Bound::Excluded(null);
        if column.is_descending {
            range.low = later(std::mem::replace(&mut range.low, Bound::Unbounded), bound);
        } else {
            range.high = earlier(std::mem::replace(&mut range.high, Bound::Unbounded), bound);
        }
    }
}

/// The beginning of keys of texts that begin so: as far as a key has them side by side.
fn beginning(text: &[u8], column: KeyColumn, frame: &Frame<'_>) -> Vec<u8> {
    const GROUP: usize = 8;
    let length = text.len().min(column.kind.length().unwrap_or_default() as usize);
    let length = if column.kind.is_fixed() { length } else { length.min(GROUP) };
    let kind = match column.kind {
        kind if kind.is_binary() => Type::Binary(length as u32),
        kind if kind.is_bits() => Type::Bytes(length as u32),
        _ => Type::Char(length as u32),
    };
    let mut key = Vec::new();
    let value = Value::Text(text[..length].to_vec());
    key::append(&mut key, &value, kind, column.is_descending, frame.setting.order);
    key
}

fn bytes(bound: &Bound<Vec<u8>>) -> &[u8] {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => &[],
    }
}

/// The narrower of two beginnings. A longer one that begins as the other does is narrower.
fn later(a: Bound<Vec<u8>>, b: Bound<Vec<u8>>) -> Bound<Vec<u8>> {
    narrower(a, b, Ordering::Greater)
}

/// The narrower of two ends.
fn earlier(a: Bound<Vec<u8>>, b: Bound<Vec<u8>>) -> Bound<Vec<u8>> {
    narrower(a, b, Ordering::Less)
}

fn narrower(a: Bound<Vec<u8>>, b: Bound<Vec<u8>>, wanted: Ordering) -> Bound<Vec<u8>> {
    let (of_a, of_b) = (bytes(&a), bytes(&b));
    let is_b = match (&a, &b) {
        (Bound::Unbounded, _) => true,
        (_, Bound::Unbounded) => false,
        (Bound::Included(_), Bound::Excluded(_)) if of_a == of_b => true,
        (Bound::Included(_), _) if of_b.starts_with(of_a) => true,
        (_, Bound::Included(_)) if of_a.starts_with(of_b) => false,
        _ => of_b.cmp(of_a) == wanted,
    };
    if is_b { b } else { a }
}

/// A value beside the values that a column can have.
enum Fit {
    Null,
    /// It is one of them.
    Exact(Value),
    /// It lies beside this one: between it and the next, or it is this one with more behind it.
    Near(Value),
    /// It is greater or less than all.
    Outside,
}

fn fit(value: &Value, column: KeyColumn, frame: &Frame<'_>) -> Result<Fit, Unfit> {
    let converted = match convert(value.clone(), column.kind, Purpose::Column, frame.setting) {
        Ok(Value::Null) => return Ok(Fit::Null),
        Ok(converted) => converted,
        Err(Unfit::COLUMN_RANGE) => return Ok(Fit::Outside),
        Err(Unfit::COLUMN_LENGTH) => match value {
            Value::Text(text) => {
                let length = column.kind.length().unwrap_or_default() as usize;
                return Ok(Fit::Near(Value::Text(text[..length.min(text.len())].to_vec())));
            }
            _ => return Ok(Fit::Outside),
        },
        Err(unfit) => return Err(unfit),
    };
    let is_exact = compare(&converted, value, column.kind, frame.setting.order).is_some_and(Ordering::is_eq);
    Ok(if is_exact { Fit::Exact(converted) } else { Fit::Near(converted) })
}
