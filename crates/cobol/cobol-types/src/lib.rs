//! Pictures and types of COBOL items, and words of its files: what compiler and running programs share.
//!
//! Out of scope: the source (`cobol-syntax`), the place of an item in its record (`cobol-data`), bytes (`cobol-run`).

#![doc = include_str!("../README.md")]

mod files;
mod picture;
mod types;

pub use files::{Access, Closing, OpenMode, Organization};
pub use picture::{Category, Money, Picture, PictureError, SIZE_MAX, Symbol, picture};
pub use types::{Numeric, Representation, SignPlace, Type, Utf8Length};
