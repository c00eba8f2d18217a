//! Language Environment callable services that compute: dates, times and the feedback tokens that programs compare.
//!
//! Every service is a function of its arguments; the time and the century window are arguments too. Text is program
//! characters.
//!
//! Out of scope: clocks, storage, abends (only the arguments of CEE3ABD), messages to a log.

#![doc = include_str!("../README.md")]

mod abend;
mod calendar;
mod century;
mod door;
mod feedback;
mod parse;
mod picture;
mod services;
mod write;

pub use abend::{Abend, abend};
pub use century::{CenturyWindow, set_century};
pub use door::{Answer, Argument, Century, SERVICES, call};
pub use feedback::{Feedback, SUCCESS, Token};
pub use services::{
    Fields, Local, Now, Offset, Text, cobol_days, date, datm, day_of_week, days, gmt, gmt_offset, isec,
    local_time, seci, secs, vstring,
};
pub use write::TEXT_LENGTH;
