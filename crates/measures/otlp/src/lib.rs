//! Trace contexts as the W3C writes them, and spans as requests of OTLP.
//!
//! ```text
//! traceparent, tracestate ──► TraceContext ──► traceparent, tracestate
//!                                  │
//!                                Span ──► request::encode ──► the body of a POST to /v1/traces
//! ```

pub mod context;
mod ids;
pub mod limits;
pub mod request;
mod span;
mod state;
mod wire;

pub use context::TraceContext;
pub use ids::{SpanId, TraceId};
pub use span::{Attribute, Event, Kind, Span, Value};
pub use state::TraceState;
