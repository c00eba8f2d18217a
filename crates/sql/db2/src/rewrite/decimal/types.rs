//! Precision and scale, as far as a text says them, and as PostgreSQL is asked for them.

use crate::arithmetic::Holds;

/// The type of an expression, where it is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Unknown,
    Whole(u8),
    Decimal(u8, u8),
    Float,
    /// An expression of PostgreSQL's.
    Asked(String),
}

impl Precision {
    /// As functions of the schema `db2` have it.
    pub(super) fn sql(&self) -> String {
        match self {
            Self::Unknown => "0".into(),
            Self::Whole(digits) => format!("-{digits}"),
            Self::Decimal(precision, scale) => (u32::from(*precision) * 100 + u32::from(*scale)).to_string(),
            Self::Float => "-99".into(),
            Self::Asked(text) => text.clone(),
        }
    }

    pub(super) fn is_known(&self) -> bool {
        *self != Self::Unknown
    }

    /// Returns true if no rule of decimal numbers applies to it.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Whole(_) | Self::Float)
    }

    /// The result of a function of the schema for these.
    pub(super) fn of(function: &str, operands: &[&Self], mode: Option<u32>) -> Self {
        if operands.iter().any(|operand| !operand.is_known()) {
            return Self::Unknown;
        }
        let mut arguments: Vec<String> = operands.iter().map(|operand| operand.sql()).collect();
        arguments.extend(mode.map(|mode| mode.to_string()));
        Self::Asked(format!("db2.{function}({})", arguments.join(", ")))
    }

    /// That of a result of operands none of which is decimal.
    pub(super) fn plain(first: &Self, second: &Self) -> Self {
        match (first, second) {
            (Self::Whole(a), Self::Whole(b)) => Self::Whole(if *a.max(b) > 11 { 19 } else { 11 }),
            _ => Self::Float,
        }
    }

    /// That of a constant.
    pub(super) fn of_constant(text: &str) -> Self {
        if text.contains(['e', 'E']) {
            return Self::Float;
        }
        let digits = text.bytes().filter(u8::is_ascii_digit).count().min(31) as u8;
        match text.split_once('.') {
            Some((_, behind)) => Self::Decimal(digits.max(1), behind.len().min(31) as u8),
            None if digits > 19 => Self::Decimal(digits, 0),
            None => Self::Whole(digits.max(5)),
        }
    }
}

impl From<Holds> for Precision {
    fn from(holds: Holds) -> Self {
        match holds {
            Holds::Other => Self::Unknown,
            Holds::Whole(digits) => Self::Whole(digits),
            Holds::Decimal { precision, scale } => Self::Decimal(precision, scale),
            Holds::Float => Self::Float,
        }
    }
}
