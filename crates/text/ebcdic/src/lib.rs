//! EBCDIC at the border, ASCII inside.
//!
//! Programs run in *program characters*: bytes of ISO 8859-1. Data of a mainframe and the screens of a 3270 are EBCDIC.
//! Here live the translation between the two ([`CodePage`]) and the two decimal forms in which COBOL stores numbers as
//! bytes ([`decimal`]).
//!
//! Out of scope: who translates what and when. A record is translated field by field by `copybook`, a screen
//! by `bms` and `tn3270`.

#![doc = include_str!("../README.md")]

mod characters;
mod code_page;
pub mod decimal;
mod tables;

pub use characters::Characters;
pub use code_page::{CodePage, to_upper, upper};
pub use tables::Table;
