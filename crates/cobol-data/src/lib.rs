//! COBOL data descriptions to items: types, offsets, lengths.
//!
//! Here live pictures, the tree that level numbers make of a list of descriptions, and where each item lies in its
//! record: slack bytes, redefinitions, tables, tables of varying size and what moves behind them.
//!
//! What never lives here: the words of the source (`cobol-syntax`), what a name stands for (`cobol-check`), bytes of
//! records (`copybook`).

mod build;
mod dynamic;
mod item;
mod layout;
mod messages;
mod picture;
mod types;

pub use build::{Built, DataOptions, build};
pub use dynamic::{DYNAMIC_LENGTH, DYNAMIC_LIMIT_MAX};
pub use item::{Area, Item, ItemId, Items, Occurs, Value};
pub use messages::{Complaint, Severity};
pub use picture::{Category, Money, Picture, PictureError, Symbol, picture};
pub use types::{Numeric, Representation, SignPlace, Type, Utf8Length};
