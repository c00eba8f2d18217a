//! The surroundings that a statement is read in.

use db2::{Arithmetic, Token};
use db2_values::Type;

use crate::catalogue::Catalogue;

/// A host variable as its program describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its number, of the caller's choice.
    pub number: u32,
    /// The type of its values.
    pub kind: Type,
}

/// The surroundings that a statement is read in.
pub struct Setting<'s> {
    /// The tables that there are.
    pub catalogue: &'s Catalogue,
    /// The rules of its decimal numbers.
    pub arithmetic: Arithmetic,
    /// The variable of this name; `None` where the program has none. A word, and no host variable, asks for the special register of
    /// this name without CURRENT.
    pub variables: &'s dyn Fn(&Token) -> Option<Variable>,
}
