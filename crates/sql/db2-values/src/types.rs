//! The types of columns, variables and expressions.

use crate::limits;

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
    /// REAL.
    Real,
    /// DOUBLE.
    Double,
    /// CHAR.
    Char(u32),
    /// VARCHAR, and constants.
    VarChar(u32),
    /// CHAR FOR BIT DATA.
    Bytes(u32),
    /// VARCHAR FOR BIT DATA, and hexadecimal constants.
    VarBytes(u32),
    /// BINARY.
    Binary(u32),
    /// VARBINARY.
    VarBinary(u32),
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// TIMESTAMP with so many digits behind the point of its seconds, up to 12.
    Timestamp(u8),
}

impl Type {
    /// The type as three numbers for files: a code, a length or precision, a scale.
    pub fn coded(self) -> (u8, u32, u8) {
        match self {
            Self::SmallInt => (1, 0, 0),
            Self::Integer => (2, 0, 0),
            Self::BigInt => (3, 0, 0),
            Self::Decimal { precision, scale } => (4, precision.into(), scale),
            Self::Real => (5, 0, 0),
            Self::Double => (6, 0, 0),
            Self::Char(length) => (7, length, 0),
            Self::VarChar(length) => (8, length, 0),
            Self::Bytes(length) => (9, length, 0),
            Self::VarBytes(length) => (10, length, 0),
            Self::Binary(length) => (11, length, 0),
            Self::VarBinary(length) => (12, length, 0),
            Self::Date => (13, 0, 0),
            Self::Time => (14, 0, 0),
            Self::Timestamp(digits) => (15, 0, digits),
        }
    }

    /// The type of three such numbers; `None`: they stand for none.
    pub fn of_code(code: u8, length: u32, scale: u8) -> Option<Self> {
        let kind = match code {
            1 => Self::SmallInt,
            2 => Self::Integer,
            3 => Self::BigInt,
            4 => Self::Decimal {
                precision: u8::try_from(length).ok().filter(|digits| (1..=31).contains(digits))?,
                scale,
            },
            5 => Self::Real,
            6 => Self::Double,
            7 => Self::Char(length),
            8 => Self::VarChar(length),
            9 => Self::Bytes(length),
            10 => Self::VarBytes(length),
            11 => Self::Binary(length),
            12 => Self::VarBinary(length),
            13 => Self::Date,
            14 => Self::Time,
            15 if scale <= limits::FRACTION_MAX => Self::Timestamp(scale),
            _ => return None,
        };
        (kind.coded() == (code, length, scale)).then_some(kind)
    }

    /// Returns true if it is a number.
    pub fn is_number(self) -> bool {
        self.is_whole() || self.is_float() || matches!(self, Self::Decimal { .. })
    }

    /// Returns true if it is a whole number.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::SmallInt | Self::Integer | Self::BigInt)
    }

    /// Returns true if it is floating point.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Real | Self::Double)
    }

    /// Returns true if it is characters or bytes.
    pub fn is_text(self) -> bool {
        self.length().is_some()
    }

    /// Returns true if each of its values has the whole length.
    pub fn is_fixed(self) -> bool {
        matches!(self, Self::Char(_) | Self::Bytes(_) | Self::Binary(_))
    }

    /// Returns true if its values are bytes and no characters: FOR BIT DATA, BINARY.
    pub fn is_bits(self) -> bool {
        matches!(self, Self::Bytes(_) | Self::VarBytes(_)) || self.is_binary()
    }

    /// Returns true if it is BINARY or VARBINARY, which no blanks are added to.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Binary(_) | Self::VarBinary(_))
    }

    /// Returns true if it is a date, a time or both.
    pub fn is_datetime(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::Timestamp(_))
    }

    /// The most characters or bytes of a text.
    pub fn length(self) -> Option<u32> {
        match self {
            Self::Char(length)
            | Self::VarChar(length)
            | Self::Bytes(length)
            | Self::VarBytes(length)
            | Self::Binary(length)
            | Self::VarBinary(length) => Some(length),
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
            (Self::Timestamp(a), Self::Timestamp(b)) => Some(Self::Timestamp(a.max(b))),
            // A date is midnight's timestamp.
            (Self::Timestamp(a), Self::Date) | (Self::Date, Self::Timestamp(a)) => Some(Self::Timestamp(a)),
            // A constant or a variable of characters stands for a number or a date.
            _ if self.is_text() && !other.is_text() => Some(other),
            _ if other.is_text() && !self.is_text() => Some(self),
            _ => None,
        }
    }

    fn common_text(self, other: Self) -> Self {
        let length = self.length().max(other.length()).unwrap_or_default();
        let both = [self, other];
        let is_fixed = both.iter().all(|kind| kind.is_fixed());
        let is_bits = both.iter().any(|kind| kind.is_bits());
        match (both.iter().any(|kind| kind.is_binary()), is_bits, is_fixed) {
            (true, _, true) => Self::Binary(length),
            (true, _, false) => Self::VarBinary(length),
            (_, true, true) => Self::Bytes(length),
            (_, true, false) => Self::VarBytes(length),
            (_, false, true) => Self::Char(length),
            (_, false, false) => Self::VarChar(length),
        }
    }

    fn common_number(self, other: Self) -> Self {
        let (Some((p, s)), Some((q, t))) = (self.digits(), other.digits()) else {
            return if self == Self::Real && other == Self::Real { Self::Real } else { Self::Double };
        };
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
            () => {
                column.is_text()
                    || matches!((self, column), (Self::Timestamp(_), _) if column.is_datetime())
                    || matches!((self, column), (Self::Date, Self::Timestamp(_)))
            }
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
        assert!(Type::Timestamp(6).is_assignable(Type::Date) && !Type::Date.is_assignable(Type::Time));
        assert!(!Type::Integer.is_assignable(Type::Date) && Type::Date.is_assignable(Type::Char(10)));
    }
}
