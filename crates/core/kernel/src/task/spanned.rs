//! Requests of a task to others, as spans of its trace.

use otlp::TraceContext;

use super::Task;
use crate::spans::{ClientSpan, TaskSpan};

impl Task {
    /// Begins the span of a request to another system. `None`: it is no span.
    #[inline]
    pub fn asks(&self, name: impl FnOnce() -> String) -> Option<Box<ClientSpan>> {
        self.span().and_then(|span| span.asks(name))
    }

    /// The place in the trace that goes along with a request: its own where it is a span, else the task's. `None`: the region makes
    /// no spans.
    pub fn passes_on(&self, asked: Option<&ClientSpan>) -> Option<TraceContext> {
        let own = || self.span().map(TaskSpan::context);
        asked.and_then(ClientSpan::context).or_else(own).cloned()
    }
}
