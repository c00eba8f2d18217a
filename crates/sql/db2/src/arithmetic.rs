//! Decimal arithmetic: the rules of a statement, and the numbers that host variables hold.

use serde::{Deserialize, Serialize};

/// The rules of a statement's arithmetic where both operands have at most 15 digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arithmetic {
    /// At most 31 digits, not 15.
    pub is_long: bool,
    /// The least scale of a division: 1 to 9, or 0.
    pub least_scale: u8,
}

impl Arithmetic {
    /// As an option or CURRENT PRECISION has it: DEC15, DEC31, 15, 31, D15.3, `D31,3`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_uppercase();
        let digits = text.strip_prefix("DEC").or(text.strip_prefix('D')).unwrap_or(&text);
        let (most, scale) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let least_scale = scale.parse().ok().filter(|scale| *scale <= 9)?;
        match most {
            "15" => Some(Self { is_long: false, least_scale }),
            "31" => Some(Self { is_long: true, least_scale }),
            _ => None,
        }
    }

    /// As functions of the schema `db2` have it.
    pub(crate) fn mode(self) -> u32 {
        (if self.is_long { 310 } else { 150 }) + u32::from(self.least_scale)
    }
}

/// The kind of number in a host variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// No number, or what is not known.
    #[default]
    Other,
    /// SMALLINT, INTEGER, BIGINT: 5, 11 or 19 digits.
    Whole(u8),
    /// DECIMAL.
    Decimal {
        /// Digits.
        precision: u8,
        /// Those behind the point.
        scale: u8,
    },
    /// Floating point.
    Float,
}
