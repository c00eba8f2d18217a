//! Spans on their way to a collector: OTLP over HTTP, on a thread of its own.
//!
//! ```text
//! tasks ──► Exporter::take ──► queue (bounded) ──► sender (its thread) ──► line ══► collector
//!                 │ full: dropped and counted          │ no answer: rests, and tries again
//! ```
//!
//! Giving a span waits for nothing: not for the collector, and not for the thread.

mod exporter;
pub mod limits;
mod line;
mod queue;
mod sender;

pub use exporter::Exporter;
pub use line::Collector;
pub use queue::Figures;
