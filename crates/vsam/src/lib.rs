//! Data sets on the record engine: clusters, alternate indexes, paths, browses, the catalogue.
//!
//! What never lives here: locks, logs and commits (those are `records`'), and conditions (those are the kernel's).

mod definition;
mod error;
mod name;

pub use definition::{AlternateIndex, Cluster, Definition, KeyField, Organization, Path};
pub use error::{Error, Result};
pub use name::Name;
