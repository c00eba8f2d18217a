//! Numbers of rows: what a statement says, or a host variable.

use crate::package::Count;
use crate::token::Kind;
use crate::words::Words;

/// A number that a statement says, or a host variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Literal(i32),
    Host(u32),
}

impl Number {
    pub(super) fn at(words: &Words, at: usize) -> Option<Self> {
        let negative = words.is(at, &["-"]);
        let token = words.get(at + usize::from(negative))?;
        match token.kind {
            Kind::Host => Some(Self::Host(token.variable)),
            Kind::Number => {
                token.text.parse().ok().map(|n: i32| Self::Literal(if negative { -n } else { n }))
            }
            _ => None,
        }
    }

    /// The number as an action has it: a host variable goes behind the inputs.
    pub(super) fn behind(self, inputs: &mut Vec<u32>) -> Count {
        match self {
            Self::Literal(number) => Count::Literal(number),
            Self::Host(variable) => {
                inputs.push(variable);
                Count::Input(inputs.len() as u16 - 1)
            }
        }
    }
}

/// FOR n ROWS from `from` on: where, and the number.
pub(super) fn row_count(words: &Words, from: usize) -> Option<(usize, Number)> {
    (from..words.len()).find_map(|at| {
        let rows = words.is(at, &["FOR"]) && words.is_any(at + 2, &["ROWS", "ROW"]);
        let hint = at > 0 && words.is(at - 1, &["OPTIMIZE"]);
        (rows && !hint).then(|| Number::at(words, at + 1)).flatten().map(|number| (at, number))
    })
}
