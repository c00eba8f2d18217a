//! What is done to whole data sets: loading, copying, building indexes, listing, printing, verifying.
//!
//! Each utility is a function of [`crate::Vsam`] with a unit of work of its own. Those that take long report how many
//! records they have done. What never lives here: the syntax of the commands, and the files of other systems.

mod build;
mod extent;
mod list;
mod load;
mod print;
mod verify;
mod walk;

pub use extent::Extent;
pub use load::{Copied, Records, Replace};
pub use print::PrintFormat;
pub use verify::Verified;

/// Called now and then with how many records are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

/// Records between two reports, and between two commits where many are written.
const STEP: usize = 1000;
