//! The EXEC SQL of a program's procedure division, block by block: what a compiler of our own makes of each.
//!
//! The same calls as [`call`](crate::call) has them, with names in the place of text for another compiler.

use crate::{Event, call::Descriptor};

/// One EXEC SQL … END-EXEC among the statements of a program.
#[derive(Clone, Debug)]
pub struct Block {
    /// The line on which it stands, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u16,
    /// The statement that is asked for; none for a block that only declares something.
    pub call: Option<Call>,
    /// WHENEVER, as it stands at this place: errors first, for they may have warnings, too.
    pub go_to: Vec<(Event, String)>,
    /// Where the program has its communication area.
    pub area: Area,
}

/// The request of a block.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which statement of which package.
    pub descriptor: Descriptor,
    /// The items that the package's variables name.
    pub arguments: Vec<Argument>,
}

/// An item that is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, and those of the groups around it from the inside out.
    pub names: Vec<String>,
    /// Its length in bytes, as the package was made for it.
    pub length: usize,
}

/// A program's communication area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// A record SQLCA, its own or supplied.
    Record,
    /// SQLCODE, SQLSTATE, or both, as items by themselves.
    Items {
        /// It has SQLCODE.
        code: bool,
        /// It has SQLSTATE.
        state: bool,
    },
}
