//! Comparison of values.

use std::cmp::Ordering;

use crate::decimal::Decimal;
use crate::order::Order;
use crate::types::Type;
use crate::value::Value;

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// =.
    Equal,
    /// <>.
    Different,
    /// <.
    Less,
    /// <=.
    AtMost,
    /// >.
    Greater,
    /// >=.
    AtLeast,
}

impl Comparison {
    /// Returns true if values that are in this order are as it says.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Different => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    /// The comparison that says the same of two values in the other order.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

/// The order of two values that are compared in a type; `None` if one is NULL, or they have nothing in common.
///
/// Numbers are compared as they are, whatever their types. Characters have the order of the setting; a shorter text has blanks behind
/// it, but in BINARY.
pub fn compare(a: &Value, b: &Value, kind: Type, order: Order) -> Option<Ordering> {
    match (a, b) {
        (Value::Whole(a), Value::Whole(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(match kind {
            _ if kind.is_binary() => a.cmp(b),
            _ if kind.is_bits() => Order::default().compare(a, b),
            _ => order.compare(a, b),
        }),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Double(_), _) | (_, Value::Double(_)) => float(a)?.partial_cmp(&float(b)?),
        _ => Some(exact(a)?.compare(exact(b)?)),
    }
}

fn exact(value: &Value) -> Option<Decimal> {
    match value {
        Value::Whole(number) => Some(Decimal::whole(*number)),
        Value::Decimal(number) => Some(*number),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Whole(number) => Some(*number as f64),
        Value::Decimal(number) => Some(number.to_f64()),
        Value::Double(number) => Some(*number),
        _ => None,
    }
}
