//! Units of work: what commits and backs out together.
//!
//! States: *clean* (nothing was changed) → *in flight* (private changes, locks) → committed or backed out; the task's
//! next unit of work begins clean. All of a task's units of work have one owner of locks, so that a task never waits
//! for itself.
//!
//! Invariants: a unit of work ends in `Task::syncpoint` or `Task::rollback`, whoever asks for it; the log is forced
//! before SYNCPOINT answers; an abend backs out before its message is shown.

mod commands;
mod indoubt;
mod syncpoint;
mod work;

pub(crate) use commands::HANDLERS;
pub use indoubt::{Identity, UnitId};
pub(crate) use syncpoint::apart;
pub use work::{AtEnd, UnitOfWork};
pub(crate) use work::{Ended, queue_error};
