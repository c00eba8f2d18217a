//! IDCAMS commands carried out, and files loaded into data sets.
//!
//! What lives here: the glue between commands as values (`idcams`), record layouts (`copybook`) and data sets (`vsam`).
//!
//! What never lives here: the syntax of commands, and how a data set keeps its records.

#![doc = include_str!("../README.md")]

mod codes;
mod define;
mod load;
mod run;

pub use load::{Load, LoadError, Shape};
pub use run::{Outcome, Run};
