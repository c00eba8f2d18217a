//! Spans: what was done from when to when, and for whom.

use std::borrow::Cow;

use crate::context::TraceContext;
use crate::ids::SpanId;
use crate::limits::VALUE_BYTES_MAX;

/// The kind of a span. Its numbers are those of OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Work of the system itself.
    Internal = 1,
    /// Work for an asker that waits for it.
    Server = 2,
    /// The wait for the work of another system.
    Client = 3,
    /// Work that was left to be done.
    Consumer = 5,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Count(i64),
    /// A number.
    Number(f64),
}

impl Value {
    /// A text of a length that is bounded.
    pub fn text(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.len() > VALUE_BYTES_MAX {
            let most = (0..=VALUE_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end));
            text.truncate(most.unwrap_or_default());
        }
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// The name of an attribute, and its value.
pub type Attribute = (Cow<'static, str>, Value);

/// Something that has happened within a span.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, in nanoseconds since 1970.
    pub at_ns: u64,
    /// Its name.
    pub name: &'static str,
    /// More of it.
    pub attributes: Vec<Attribute>,
}

/// A span that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Its trace, its number, and what is passed on.
    pub context: TraceContext,
    /// The span whose child it is; `None`: the first of its trace.
    pub parent: Option<SpanId>,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its begin, in nanoseconds since 1970.
    pub begin_ns: u64,
    /// Its end.
    pub end_ns: u64,
    /// More of it.
    pub attributes: Vec<Attribute>,
    /// Happenings within it.
    pub events: Vec<Event>,
    /// The reason why it has failed; `None`: it has not.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "\u{e4}".repeat(VALUE_BYTES_MAX);
        let Value::Text(cut) = Value::text(format!("a{long}")) else { panic!("a text") };
        assert_eq!(cut.len(), VALUE_BYTES_MAX - 1);
        assert_eq!(Value::text("short"), Value::Text("short".into()));
    }
}
