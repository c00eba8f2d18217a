//! Statements over tables, whose rows are in memory.

mod expressions;
mod groups;
mod joins;
mod memory;
mod one_table;
mod plans;
mod subqueries;
mod tables;
