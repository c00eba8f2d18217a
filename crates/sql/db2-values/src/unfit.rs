//! Reasons why there is no value.

/// A value that does not suit, or that cannot be had: what the program sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// SQLCODE.
    pub code: i32,
    /// Db2's SQLSTATE.
    pub state: &'static [u8; 5],
}

impl Unfit {
    /// A program's number, text or length is out of range, or no number.
    pub const RANGE: Self = Self { code: -302, state: b"22003" };
    /// A program's field holds no decimal number.
    pub const DECIMAL: Self = Self { code: -310, state: b"22023" };
    /// A length in front of a text is negative, or longer than the field.
    pub const LENGTH: Self = Self { code: -311, state: b"22501" };
    /// A program's field is of a kind that the parameter does not take.
    pub const PARAMETER: Self = Self { code: -301, state: b"42895" };
    /// A text is no date, time or timestamp.
    pub const DATETIME: Self = Self { code: -180, state: b"22007" };
    /// A date, time or timestamp that there is not.
    pub const CALENDAR: Self = Self { code: -181, state: b"22007" };
    /// A text is no number.
    pub const CAST: Self = Self { code: -420, state: b"22018" };
    /// A character that the other side does not have.
    pub const CHARACTER: Self = Self { code: -330, state: b"22021" };
    /// A result's number does not fit the program's field.
    pub const RESULT: Self = Self { code: -304, state: b"22003" };
    /// A result is of a kind that the program's field does not take.
    pub const TARGET: Self = Self { code: -303, state: b"42806" };
    /// The number of a calculation or a conversion is out of range.
    pub const OVERFLOW: Self = Self { code: -802, state: b"22003" };
    /// A division by zero.
    pub const ZERO: Self = Self { code: -802, state: b"22012" };
    /// A date that is calculated lies before year 1 or behind year 9999.
    pub const YEARS: Self = Self { code: -183, state: b"22008" };
    /// SUBSTR and its like take what the text does not have.
    pub const SUBSTRING: Self = Self { code: -138, state: b"22011" };
    /// An argument of a function is out of its range.
    pub const ARGUMENT: Self = Self { code: -171, state: b"42815" };
    /// The character of ESCAPE is not one, or stands before what needs none.
    pub const ESCAPE: Self = Self { code: -130, state: b"22025" };
    /// A number has more digits than the text that it becomes.
    pub const DIGITS: Self = Self { code: -433, state: b"22001" };
    /// A text that is made is longer than any.
    pub const TOO_LONG: Self = Self { code: -137, state: b"54006" };
    /// A text is longer than its column.
    pub const COLUMN_LENGTH: Self = Self { code: -404, state: b"22001" };
    /// A number is out of its column's range.
    pub const COLUMN_RANGE: Self = Self { code: -406, state: b"22003" };
    /// NULL for a column that is never NULL.
    pub const COLUMN_NULL: Self = Self { code: -407, state: b"23502" };
    /// A column does not take values of this type.
    pub const COLUMN_TYPE: Self = Self { code: -408, state: b"42821" };
    /// Values whose types have nothing in common.
    pub const TYPES: Self = Self { code: -401, state: b"42818" };
    /// A text is not as its format says.
    pub const UNLIKE: Self = Self { code: -20_448, state: b"22007" };
    /// A format of dates and times that is none.
    pub const FORMAT: Self = Self { code: -20_447, state: b"22007" };
}
