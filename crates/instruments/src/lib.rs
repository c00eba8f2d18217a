//! Files of monitoring and statistics records, and the reports that are made of them.
//!
//! In scope: how a record is written as bytes and read again ([`format`]), the sums over many records, tables
//! and a plot. Out of scope: where the figures come from (the kernel), and files themselves: bytes in, text
//! out.

mod commands;
pub mod format;
mod performance;
mod plot;
pub mod points;
mod rates;
mod sheets;
mod statistics;
mod summary;
mod table;
mod tasks;
mod trace;
mod waits;
mod workload;
mod written;

pub use commands::Commands;
pub use performance::{Performance, Selection};
pub use plot::{Plot, Point, Series};
pub use rates::{Interval, Rates};
pub use sheets::Sheets;
pub use statistics::{Collections, collections};
pub use table::{Cell, Column, Shape, Table};
pub use tasks::Tasks;
pub use trace::{TraceFilter, TraceForm, TraceReport};
pub use waits::Wait;
pub use workload::Workload;
pub use written::Written;
