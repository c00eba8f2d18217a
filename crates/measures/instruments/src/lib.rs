//! Files of monitoring and statistics records, and the reports that are made of them.
//!
//! In scope: how a record is written as bytes and read again ([`format`]), the sums over many records, tables
//! and plots, a page of them. Out of scope: where the figures come from (the kernel), and files themselves: bytes in, text
//! out.

mod commands;
mod escape;
pub mod format;
pub mod levels;
mod moments;
mod page;
mod performance;
mod plot;
pub mod points;
mod rates;
mod sheets;
mod slowest;
mod statistics;
mod summary;
mod table;
mod tasks;
mod timeline;
mod trace;
mod waits;
mod workload;
mod written;

pub use commands::Commands;
pub use page::Page;
pub use performance::{Causes, Performance, Selection, meaning};
pub use plot::{Plot, Point, Series};
pub use rates::{Interval, Rates};
pub use sheets::Sheets;
pub use slowest::Slowest;
pub use statistics::{Collections, collections};
pub use table::{Cell, Column, Shape, Table};
pub use tasks::Tasks;
pub use trace::{TraceFilter, TraceForm, TraceReport};
pub use waits::Wait;
pub use workload::Workload;
pub use written::Written;
