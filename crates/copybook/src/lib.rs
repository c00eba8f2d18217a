//! COBOL data descriptions, and records read and written by them.
//!
//! Here live the [`Layout`] of a record (offsets and lengths as the compiler we use gives them), the translation of a
//! record between EBCDIC and program characters field by field ([`Converter`]), and records as names with values
//! ([`decode`], [`encode`]).
//!
//! What never lives here: files of records, and COBOL other than data descriptions.

#![doc = include_str!("../README.md")]

mod build;
mod choice;
mod clauses;
mod convert;
mod layout;
mod number;
mod parse;
mod picture;
mod tokens;
mod value;
mod walk;

pub use choice::{Choices, RecordTypes};
pub use convert::Converter;
pub use layout::{Field, Kind, Layout, Occurs, Usage};
pub use parse::{Parsed, parse, parse_with_pointers};
pub use value::{decode, encode, value_text};
pub use walk::{Leaf, RecordError, leaves};
