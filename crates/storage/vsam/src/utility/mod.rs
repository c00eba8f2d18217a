//! Work on whole data sets: loading, building indexes, counting, examining.
//!
//! Each utility is a function of [`crate::Vsam`] with a unit of work of its own. Those that take long report how many
//! records they have done. Out of scope: the syntax of the commands, and the files of other systems.

mod build;
mod change;
mod examine;
mod filling;
mod load;
mod sort;
mod statistics;
mod walk;

pub use change::{Change, Changed};
pub use examine::{Examined, Tests};
pub use filling::Filling;
pub use load::{Copied, Records, Replace};
pub use sort::{SORT_MEMORY, Sorter};
pub use statistics::Statistics;

/// Called now and then with how many records are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

/// Records between two reports, and between two commits where many are written.
const STEP: usize = 1000;
