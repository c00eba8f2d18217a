//! Data sets on the record engine: clusters, alternate indexes, paths, browses, the catalogue.
//!
//! Out of scope: locks, logs and commits (those are `records`'), and conditions (those are the kernel's).

mod alter;
mod browse;
mod catalogue;
mod change;
mod cursor;
mod dataset;
mod definition;
mod entry;
mod error;
mod loaded;
mod name;
mod note;
mod search;
mod sphere;
mod table;
mod uses;
mod utility;

pub use browse::Browse;
pub use catalogue::{Preparing, Vsam};
pub use dataset::Dataset;
pub use definition::{AlternateIndex, Cluster, Definition, KeyField, Organization, Path};
pub use entry::CatalogEntry;
pub use error::{Error, Result};
pub use name::Name;
pub use search::{Found, Integrity, Search};
pub use sphere::{Key, RBA_LENGTH, RRN_LENGTH, rba, rrn};
pub use utility::{
    Change, Changed, Copied, Examined, Filling, Progress, Records, Replace, SORT_MEMORY, Sorter, Statistics,
    Tests,
};

/// The examples of the README are compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
