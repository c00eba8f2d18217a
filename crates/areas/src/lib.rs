//! Storage that programs and the region share: EIBs, COMMAREAs, areas got with GETMAIN.
//!
//! It lies apart from the region's heap, and what is known of it lies apart from it: whatever is written beyond an area spoils
//! other areas, never the allocator or the region's own data. A check zone on either side of each area tells afterwards.
//! What all tasks of a region share lies in an [`Arena`] of its own, on which programs work where it is.
//!
//! An address that came out of a program is worth nothing until it was looked up: [`read`] and [`write`](write()) find the area
//! that it lies in, and go no further.
//!
//! Out of scope: the meaning of a command, a task, a limit.

#![doc = include_str!("../README.md")]

mod area;
mod arena;
mod blocks;
mod error;
mod words;

pub use area::{Area, Overlay, Writer, is_whole, read, write};
pub use arena::Arena;
pub use error::{AccessError, StorageFault};
