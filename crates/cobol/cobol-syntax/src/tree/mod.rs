//! The syntax tree: what was written, with every place, before any name is looked up.

mod data;
mod environment;
mod expression;
mod markup;
mod program;
mod statement;

pub use cobol_types::{Access, Closing, OpenMode, Organization};
pub use data::*;
pub use environment::*;
pub use expression::*;
pub use markup::*;
pub use program::*;
pub use statement::*;
