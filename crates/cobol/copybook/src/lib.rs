//! Records read and written by COBOL data descriptions.
//!
//! Here live the [`Layout`] of a record, made from the items of `cobol-data`, the translation of a record between EBCDIC and
//! program characters field by field ([`Converter`]), and records as names with values ([`decode`], [`encode`]).
//!
//! Files of records, and rules of offsets and lengths (`cobol-data`), never live here.

#![doc = include_str!("../README.md")]

mod build;
mod choice;
mod convert;
mod layout;
mod number;
mod parse;
mod recast;
mod record_types;
mod text;
mod value;
mod walk;

pub use choice::Choices;
pub use convert::Converter;
pub use layout::{Field, Form, Kind, Layout, Occurs, Usage};
pub use parse::{Parsed, parse, parse_as};
pub use recast::{Recast, Wishes};
pub use record_types::RecordTypes;
pub use text::value_text;
pub use value::{decode, encode};
pub use walk::{Leaf, RecordError, leaves};
