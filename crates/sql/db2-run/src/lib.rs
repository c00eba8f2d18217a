//! Statements over tables, planned and carried out.
//!
//! [`Plan::of`] chooses a way to the rows of a typed statement; a [`Run`] carries the plan out, a row at a time. It gives way after
//! a fixed number of rows, also in the middle of a sort, and it waits where the rows say so: it never holds its thread.
//!
//! Out of scope: text (`db2-syntax`), values (`db2-values`), how rows lie (`db2-rows`, behind [`rows::Rows`]), units of work.

#![doc = include_str!("../README.md")]

mod failed;
mod formula;
pub mod limits;
mod plan;
pub mod rows;
mod run;
pub mod tables;

pub use failed::{Failed, Refused};
pub use plan::{Plan, Unplanned};
pub use run::{Limits, Run, Step};
