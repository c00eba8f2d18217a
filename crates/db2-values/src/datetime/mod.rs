//! Dates, times and timestamps: the calendar, their texts, their arithmetic.

mod date;
mod duration;
mod format;
mod text;
mod time;
mod timestamp;

pub use date::{Date, DateStyle};
pub use duration::{Shift, Unit, apart, shifted};
pub use format::Format;
pub use time::{Time, TimeStyle};
pub use timestamp::Timestamp;
