//! Storage of the region that programs know: COMMAREAs, areas got with GETMAIN, and what tasks share.
//!
//! All tasks of a region share the areas of an [`Arena`], on which programs work where they are: they lie apart from the region's heap,
//! and what is known of them lies apart from them. A check zone on either side of each area there tells whether a program wrote beside it.
//! Any other area is bytes of the region's own, which programs see as copies in their windows.
//!
//! An address that came out of a program is worth nothing until it was looked up: [`read`] and [`write`](write()) find the area
//! that it lies in, and go no further.
//!
//! Out of scope: the meaning of a command, a task, a limit.

#![doc = include_str!("../README.md")]

mod area;
mod arena;
mod error;
mod private;
#[allow(unsafe_code, reason = "the one file that has it")]
mod raw;
mod words;

pub use area::{Area, Overlay, copy, is_whole, read, read_on_zeros, write};
pub use arena::Arena;
pub use error::{AccessError, StorageFault};
pub use raw::{Addresses, alone, give_back, give_to_system};
