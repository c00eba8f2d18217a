//! A value.

use crate::datetime::{Date, Time, Timestamp};
use crate::decimal::Decimal;

/// A value. Its [`Type`](crate::Type) stands beside it: in the column, in the expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// NULL, of any type.
    #[default]
    Null,
    /// SMALLINT, INTEGER, BIGINT.
    Whole(i64),
    /// DECIMAL, with the scale of its type.
    Decimal(Decimal),
    /// DOUBLE and REAL; never a NaN, never infinite.
    Double(f64),
    /// Characters of a program (ISO 8859-1, one byte each), or bytes. CHAR and BINARY have their whole length.
    Text(Vec<u8>),
    /// DATE.
    Date(Date),
    /// TIME.
    Time(Time),
    /// TIMESTAMP.
    Timestamp(Timestamp),
}

impl Value {
    /// Returns true if it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Characters, as a constant has them.
    pub fn text(text: &str) -> Self {
        Self::Text(ebcdic::Characters::default().bytes(text))
    }
}
