//! Statements over one table, whose rows are in memory.

mod memory;
mod plans;
mod statements;
mod tables;
