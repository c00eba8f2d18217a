//! IDCAMS commands carried out, and files loaded into data sets.
//!
//! In scope: the glue between commands as values (`idcams`), record layouts (`copybook`) and data sets (`vsam`),
//! and the data sets that are plain files: sequential ones and their generations.
//!
//! Out of scope: the syntax of commands, and how a data set of the record engine keeps its records.

#![doc = include_str!("../README.md")]

mod attributes;
mod claims;
mod codes;
mod convert;
mod file;
mod load;
mod locate;
mod pattern;
mod replacing;
mod reservations;
mod run;
mod sequential;

pub use convert::{ConvertError, convert};
pub use file::{Content, File, FileError, RECORD_WORD, Reader, Shape, Writer};
pub use load::{LoadError, load_empty};
pub use locate::{DataSets, Located};
pub use reservations::{Holder, Reservations};
pub use run::{Outcome, Progress, Run};
pub use sequential::{DatasetEntry, Generations, Group, Sequential, generation_name};
