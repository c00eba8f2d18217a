//! COBOL data descriptions to items: types, offsets, lengths.
//!
//! Here live the tree that level numbers make of a list of descriptions, and where each item lies in its
//! record: slack bytes, redefinitions, tables, tables of varying size and what moves behind them.
//!
//! Out of scope: the words of the source (`cobol-syntax`), what a name stands for (`cobol-check`), bytes of
//! records (`copybook`), pictures and types (`cobol-types`).

mod build;
mod built;
mod dynamic;
mod item;
mod layout;
mod messages;
mod options;

pub use build::build;
pub use built::Built;
pub use cobol_types::{
    Category, Money, Numeric, Picture, PictureError, Representation, SignPlace, Symbol, Type, Utf8Length,
    picture,
};
pub use dynamic::{DYNAMIC_LENGTH, DYNAMIC_LIMIT_MAX};
pub use item::{Area, Item, ItemId, Items, Occurs, Value};
pub use messages::{Complaint, Severity};
pub use options::DataOptions;
