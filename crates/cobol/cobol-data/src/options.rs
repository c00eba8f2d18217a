//! Settings of a program that decide how its data lie.

use cobol_types::Money;

/// Options of a program for all of its items.
#[derive(Clone, Debug)]
pub struct DataOptions {
    /// Symbols of money, and the decimal comma.
    pub money: Money,
    /// The length of a POINTER: 4, or 8 where records must be those of GnuCOBOL.
    pub pointer_length: usize,
    /// Digits of a number, at most: 18, or 31 with ARITH(EXTEND).
    pub digits_max: usize,
    /// NSYMBOL(NATIONAL): PIC N is national, else it is double-byte.
    pub national: bool,
    /// Alignment of SYNCHRONIZED: as the language reference says, or each item to its own length as cobc does.
    pub align_to_length: bool,
}

impl Default for DataOptions {
    fn default() -> Self {
        Self {
            money: Money::default(),
            pointer_length: 4,
            digits_max: 18,
            national: true,
            align_to_length: false,
        }
    }
}
