//! The span of a task, as far as it shows from outside of the task.

use otlp::{Kind, TraceContext, Value};

use super::{Facility, StartCode, TaskControl};
use crate::spans::{Attribute, TaskSpan};
use crate::ticks;

/// Nanoseconds of a second.
const SECOND_NS: f64 = 1e9;

impl TaskControl {
    /// Its span, if the region makes spans.
    #[inline]
    pub fn span(&self) -> Option<&TaskSpan> {
        self.span.as_deref()
    }

    /// Its place in a trace, for what it asks for and starts.
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.span().map(TaskSpan::context)
    }

    /// It is gone: so is its span.
    #[inline]
    pub(crate) fn span_ends(&self) {
        if let Some(span) = self.span() {
            span.ends(self.transaction.name.to_string().trim_end().to_owned(), self.kind(), || {
                self.told(span)
            });
        }
    }

    /// The kind of its span: a caller waits for it, a caller has left it to be done, or the region has begun it.
    fn kind(&self) -> Kind {
        match (&self.facility, self.start_code) {
            (Facility::Terminal(_) | Facility::Socket(_) | Facility::Request(_), _) => Kind::Server,
            (_, StartCode::Linked(_)) => Kind::Server,
            (_, StartCode::Start | StartCode::StartWithData | StartCode::Trigger(_)) => Kind::Consumer,
            (_, StartCode::Terminal | StartCode::Child | StartCode::System) => Kind::Internal,
        }
    }

    /// More of it.
    fn told(&self, span: &TaskSpan) -> Vec<Attribute> {
        let work = self.work(ticks::now());
        let text = |text: String| Value::text(text.trim_end());
        let mut told: Vec<Attribute> = vec![
            ("cics.tranid".into(), text(self.transaction.name.to_string())),
            ("cics.task".into(), Value::from(u64::from(self.number))),
            ("cics.program".into(), text(self.transaction.program.to_string())),
            (
                "cics.start_code".into(),
                text(String::from_utf8_lossy(self.start_code.as_bytes()).into_owned()),
            ),
            ("cics.requests".into(), Value::from(work.requests)),
            ("cics.cpu_seconds".into(), Value::Number(work.processor_ns as f64 / SECOND_NS)),
            ("cics.response_seconds".into(), Value::Number(work.response_ns as f64 / SECOND_NS)),
        ];
        if let Some(terminal) = self.facility.terminal_name() {
            told.push(("cics.terminal".into(), text(terminal.to_string())));
        }
        if span.names_users() {
            told.push(("user.name".into(), text(self.user.id.to_string())));
        }
        if let Some(client) = self.facility.client() {
            told.push(("client.address".into(), Value::text(client.ip().to_string())));
            told.push(("client.port".into(), Value::from(u64::from(client.port()))));
        }
        if let Facility::Request(request) = &self.facility {
            request.described(&mut told);
        }
        told
    }
}
