//! Interval control: the clock, delays, started tasks.
//!
//! States of a START: *pending* (its time has not come) → *due* → its task is attached: at once, or with TERMID when
//! the terminal is free. CANCEL takes a pending one out.
//!
//! A START with PROTECT belongs to its unit of work and survives a crash until its task has committed; one without
//! survives an orderly end of the region.

mod alarms;
pub mod clock;
mod convert;
mod delay;
mod kept;
mod post;
mod requests;
mod start;
mod time;

pub use kept::KeptStart;
pub use post::Posting;
pub use requests::{IntervalControl, Pending, Start, StartData};
pub use time::DateForm;

use crate::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] =
    &[time::HANDLERS, convert::HANDLERS, delay::HANDLERS, start::HANDLERS, post::HANDLERS];
