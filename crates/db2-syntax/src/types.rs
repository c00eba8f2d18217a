//! The types of columns, variables and expressions.

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// SMALLINT.
    SmallInt,
    /// INTEGER.
    Integer,
    /// BIGINT.
    BigInt,
    /// DECIMAL.
    Decimal {
        /// Digits.
        precision: u8,
        /// Those behind the point.
        scale: u8,
    },
    /// DOUBLE, and REAL.
    Double,
    /// CHAR.
    Char(u32),
    /// VARCHAR, and constants.
    VarChar(u32),
    /// CHAR FOR BIT DATA.
    Bytes(u32),
    /// VARCHAR FOR BIT DATA, and hexadecimal constants.
    VarBytes(u32),
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// TIMESTAMP.
    Timestamp,
}

impl Type {
    /// Returns true if it is a number.
    pub fn is_number(self) -> bool {
        self.is_whole() || matches!(self, Self::Decimal { .. } | Self::Double)
    }

    /// Returns true if it is a whole number.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::SmallInt | Self::Integer | Self::BigInt)
    }

    /// Returns true if it is characters or bytes.
    pub fn is_text(self) -> bool {
        self.length().is_some()
    }

    /// Returns true if it is a date, a time or both.
    pub fn is_datetime(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::Timestamp)
    }

    /// The most characters or bytes of a text.
    pub fn length(self) -> Option<u32> {
        match self {
            Self::Char(length) | Self::VarChar(length) | Self::Bytes(length) | Self::VarBytes(length) => {
                Some(length)
            }
            _ => None,
        }
    }

    /// Digits and scale of an exact number.
    pub fn digits(self) -> Option<(u8, u8)> {
        match self {
            Self::SmallInt => Some((5, 0)),
            Self::Integer => Some((11, 0)),
            Self::BigInt => Some((19, 0)),
            Self::Decimal { precision, scale } => Some((precision, scale)),
            _ => None,
        }
    }

    /// The type in which values of both are compared, or become one column; `None` if they have nothing in common.
    pub fn common(self, other: Self) -> Option<Self> {
        match (self, other) {
            _ if self == other => Some(self),
            _ if self.is_text() && other.is_text() => Some(self.common_text(other)),
            _ if self.is_number() && other.is_number() => Some(self.common_number(other)),
            // A constant or a variable of characters stands for a number or a date.
            _ if self.is_text() && !other.is_text() => Some(other),
            _ if other.is_text() && !self.is_text() => Some(self),
            _ => None,
        }
    }

    fn common_text(self, other: Self) -> Self {
        let length = self.length().max(other.length()).unwrap_or_default();
        let are_bytes = [self, other].iter().any(|kind| matches!(kind, Self::Bytes(_) | Self::VarBytes(_)));
        let are_fixed = [self, other].iter().all(|kind| matches!(kind, Self::Char(_) | Self::Bytes(_)));
        match (are_bytes, are_fixed) {
            (false, true) => Self::Char(length),
            (false, false) => Self::VarChar(length),
            (true, true) => Self::Bytes(length),
            (true, false) => Self::VarBytes(length),
        }
    }

    fn common_number(self, other: Self) -> Self {
        let (Some((p, s)), Some((q, t))) = (self.digits(), other.digits()) else { return Self::Double };
        if self.is_whole() && other.is_whole() {
            return if p > q { self } else { other };
        }
        let scale = s.max(t);
        Self::Decimal { precision: (scale + (p - s).max(q - t)).min(31), scale }
    }

    /// Returns true if a value of this type can be assigned to a column of another.
    pub fn is_assignable(self, column: Self) -> bool {
        match () {
            () if self == column => true,
            // Numbers, dates and times are read from characters.
            () if self.is_text() => true,
            () if self.is_number() => column.is_number() || column.is_text(),
            () => column.is_text() || (self == Self::Timestamp && column.is_datetime()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_both() {
        let amount = Type::Decimal { precision: 11, scale: 2 };
        let rate = Type::Decimal { precision: 5, scale: 4 };
        assert_eq!(amount.common(rate), Some(Type::Decimal { precision: 13, scale: 4 }));
        assert_eq!(Type::SmallInt.common(Type::BigInt), Some(Type::BigInt));
        assert_eq!(
            Type::Integer.common(Type::Decimal { precision: 31, scale: 5 }),
            Some(Type::Decimal { precision: 31, scale: 5 })
        );
        assert_eq!(amount.common(Type::Double), Some(Type::Double));
    }

    #[test]
    fn characters_stand_for_numbers_and_dates_and_these_for_nothing_else() {
        assert_eq!(Type::Char(10).common(Type::Date), Some(Type::Date));
        assert_eq!(Type::Integer.common(Type::VarChar(3)), Some(Type::Integer));
        assert_eq!(Type::Integer.common(Type::Date), None);
        assert_eq!(Type::Char(3).common(Type::Bytes(8)), Some(Type::Bytes(8)));
        assert!(Type::Timestamp.is_assignable(Type::Date) && !Type::Date.is_assignable(Type::Time));
        assert!(!Type::Integer.is_assignable(Type::Date) && Type::Date.is_assignable(Type::Char(10)));
    }
}
