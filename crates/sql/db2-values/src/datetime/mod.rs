//! Dates, times and timestamps: the calendar, their texts.

mod date;
mod format;
mod text;
mod time;
mod timestamp;

pub(crate) use date::days_of;
pub use date::{Date, DateStyle};
pub use format::Format;
pub use time::{Time, TimeStyle};
pub use timestamp::Timestamp;
