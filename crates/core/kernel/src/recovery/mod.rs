//! Units of work: what commits and backs out together. States, invariants and what a failure leaves are in this folder's
//! README.
//!
//! In scope: a task's unit of work, its end, and the names of units of work. Out of scope: what a
//! queue or a file is; how a log is written (`records`), how several agree (`coordinator`).

mod apart;
mod end;
mod indoubt;
mod prepared;
mod resynchronise;
mod work;

pub use apart::apart;
pub use end::NOT_KNOWN;
pub use end::UntilOver;
pub use end::{EndsWithUnit, coordinator};
pub use indoubt::{Identity, NetworkName, UnitId};
pub use prepared::{Prepared, Remains};
pub use resynchronise::resynchronise;
pub use work::queue_error;
pub use work::{AtEnd, Errand, UnitOfWork};
