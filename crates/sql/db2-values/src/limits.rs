//! Limits of values.

/// Digits of a decimal number.
pub const DIGITS_MAX: u32 = 31;

/// Bytes of a text that a function makes: the longest VARCHAR.
pub const TEXT_MAX: usize = 32_704;

/// Digits of a timestamp behind the point of its seconds.
pub const FRACTION_MAX: u8 = 12;
