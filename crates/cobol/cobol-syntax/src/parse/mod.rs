//! The rules of the grammar: one file for each division, and for what they share.

mod condition;
mod data;
mod data_values;
mod descriptions;
mod environment;
pub(crate) mod expression;
mod procedure;
mod program;
mod statements;

pub(crate) use descriptions::free_names;
pub(crate) use program::programs;
