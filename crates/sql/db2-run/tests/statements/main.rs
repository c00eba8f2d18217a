//! Statements over tables, whose rows are in memory.

mod bank;
mod expressions;
mod groups;
mod joins;
mod memory;
mod merge;
mod numbers;
mod one_table;
mod plans;
mod rules;
mod sets;
mod subqueries;
mod tables;
mod views;
