//! Conditions, ready to be decided.

use db2_values::{Comparison, Pattern, Type, Unfit, Value, compare};

use super::{Formula, Frame};

/// A condition of a row: true, false, or unknown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    Compare {
        comparison: Comparison,
        values: Box<[Formula; 2]>,
        kind: Type,
    },
    In {
        value: Formula,
        list: Vec<Formula>,
        kind: Type,
    },
    Like {
        value: Formula,
        pattern: Formula,
        known: Option<Pattern>,
        escape: Option<Formula>,
    },
    IsNull(Formula),
    /// NULL is like NULL.
    Alike {
        values: Box<[Formula; 2]>,
        kind: Type,
    },
    /// The answer of a subquery: 1, 0, or NULL where it is unknown.
    Answer(Formula),
}

impl Test {
    /// The answer for a row; `None`: unknown.
    pub(crate) fn answer(&self, frame: &Frame<'_>) -> Result<Option<bool>, Unfit> {
        match self {
            Self::All(tests) => joined(tests, frame, false),
            Self::Any(tests) => joined(tests, frame, true),
            Self::Not(test) => Ok(test.answer(frame)?.map(|answer| !answer)),
            Self::Compare { comparison, values, kind } => {
                let [a, b] = values.as_ref();
                compared(&*a.value(frame)?, &*b.value(frame)?, *comparison, *kind, frame)
            }
            Self::In { value, list, kind } => {
                let value = value.value(frame)?;
                let mut answer = Some(false);
                for other in list {
                    let other = other.value(frame)?;
                    match compared(&value, &other, Comparison::Equal, *kind, frame)? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => answer = None,
                    }
                }
                Ok(answer)
            }
            Self::Like { value, pattern, known, escape } => {
                let value = value.value(frame)?;
                let Value::Text(text) = value.as_ref() else { return Ok(None) };
                match known {
                    Some(pattern) => Ok(Some(pattern.matches(text))),
                    None => {
                        Ok(pattern_of(pattern, escape.as_ref(), frame)?.map(|pattern| pattern.matches(text)))
                    }
                }
            }
            Self::IsNull(value) => Ok(Some(value.value(frame)?.is_null())),
            Self::Alike { values, kind } => {
                let (a, b) = (values[0].value(frame)?, values[1].value(frame)?);
                match (a.is_null(), b.is_null()) {
                    (false, false) => compared(&a, &b, Comparison::Equal, *kind, frame),
                    (a, b) => Ok(Some(a == b)),
                }
            }
            Self::Answer(answer) => Ok(match answer.value(frame)?.as_ref() {
                Value::Whole(answer) => Some(*answer == 1),
                _ => None,
            }),
        }
    }

    /// Returns true if the answer for a row is true.
    pub(crate) fn holds(&self, frame: &Frame<'_>) -> Result<bool, Unfit> {
        Ok(self.answer(frame)? == Some(true))
    }
}

/// One answer of many: `decisive`, as soon as one is; unknown if one is unknown; else the other.
fn joined(tests: &[Test], frame: &Frame<'_>, decisive: bool) -> Result<Option<bool>, Unfit> {
    let mut answer = Some(!decisive);
    for test in tests {
        match test.answer(frame)? {
            Some(found) if found == decisive => return Ok(Some(decisive)),
            Some(_) => {}
            None => answer = None,
        }
    }
    Ok(answer)
}

/// The answer of a comparison; `None`: a value is NULL.
pub(crate) fn compared(
    a: &Value,
    b: &Value,
    comparison: Comparison,
    kind: Type,
    frame: &Frame<'_>,
) -> Result<Option<bool>, Unfit> {
    if a.is_null() || b.is_null() {
        return Ok(None);
    }
    let order = compare(a, b, kind, frame.setting.order).ok_or(Unfit::TYPES)?;
    Ok(Some(comparison.holds(order)))
}

/// The pattern of LIKE; `None` if it is NULL.
pub(crate) fn pattern_of(
    pattern: &Formula,
    escape: Option<&Formula>,
    frame: &Frame<'_>,
) -> Result<Option<Pattern>, Unfit> {
    let pattern = pattern.value(frame)?;
    let escape = escape.map(|escape| escape.value(frame)).transpose()?;
    match (pattern.as_ref(), escape.as_deref()) {
        (Value::Text(pattern), None) => Pattern::parse(pattern, None).map(Some),
        (Value::Text(pattern), Some(Value::Text(escape))) => Pattern::parse(pattern, Some(escape)).map(Some),
        _ => Ok(None),
    }
}
