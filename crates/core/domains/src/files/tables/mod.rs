//! Data tables: files whose records are in main storage.
//!
//! | TABLE | its records | a change | is gone |
//! |---|---|---|---|
//! | CICS | copies of a data set's | goes to the data set, and drops the copy | when the file is closed; no program notices |
//! | USER | loaded from a data set, then its own | stays in the table | when the file is closed |
//! | CF | its own, or loaded once; shared by all files that name its pool and table | stays in the table | with the pool |
//!
//! A CICS-maintained table is the data set itself, of which the record engine keeps copies: commands know nothing of
//! it. The other two are data sets of the engine in main storage, with rules of their own: what they do not allow, what
//! they allow while they are loaded, and changes under the contention model. A coupling-facility data table of a region whose records
//! are at a record server is there, too, for all regions (`shared`).
//!
//! States of a table: *loading* → *loaded* (as far as it went). A loading task fills it while others go on.
//!
//! Out of scope: how a command reads its options, and how a table keeps its records (`records`).

mod data_table;
mod loader;
mod loading;
mod open;
mod pools;
mod rules;
mod shared;

pub(crate) use data_table::DataTable;
pub use loading::LOADERS;
pub(crate) use open::Opened;
pub use pools::Tables;
pub(super) use rules::{Request, outcome};
pub(crate) use shared::Was;
