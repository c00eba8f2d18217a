//! The rules of tables, one small example for each.

#[path = "../common/mod.rs"]
mod common;

mod changes;
mod cursors;
mod definitions;
mod forms;
mod isolation;
mod numbers;
