//! Spans of tasks, for a collector of traces: a task is a span, and so is what it asks others for.
//!
//! ```text
//! front door, link, START ── TraceContext ──► attach ──► TaskSpan ──► Sink (at the end of the task)
//!                                                          │
//!                              ClientSpan (a request to a server, another region, a database) ──► Sink
//! ```
//!
//! As long as no sink is there, an attach costs the test of one flag, and a task has no span. A sink never lets a task wait: it
//! takes a span or counts it.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

pub use otlp::Attribute;
use otlp::{Event, Kind, Span, SpanId, TraceContext, TraceId, Value};
use parking_lot::Mutex;

use crate::limits::CLIENT_SPANS_MAX;
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::region::{Looks, Region};
use crate::ticks;

/// Takes spans that are over.
pub trait Sink: Send + Sync {
    /// Takes one, or counts it as dropped; it never waits.
    fn take(&self, span: Span);

    /// Counts a span that was not made, since its task has too many.
    fn drops(&self);

    /// Its counts so far; with `reset`, the most that have waited are counted from now on.
    fn figures(&self, reset: bool) -> SpanFigures;
}

/// The counts of a sink since the region's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanFigures {
    /// Spans that the collector has taken.
    pub exported: u64,
    /// Spans that were dropped.
    pub dropped: u64,
    /// Spans that wait to be sent.
    pub waiting: u64,
    /// The most that have waited.
    pub waiting_peak: u64,
    /// Requests to the collector that have failed.
    pub failed: u64,
}

/// The choice of spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The part of new traces that is sampled, 0 to 1.
    pub ratio: f64,
    /// Spans name users.
    pub users: bool,
}

/// The spans of a region.
#[derive(Default)]
pub struct Spans(OnceLock<Arc<Tracer>>);

/// The one who makes them.
struct Tracer {
    choice: Choice,
    sink: Box<dyn Sink>,
}

impl Spans {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// From now on tasks that are attached have spans. The first sink stays.
    pub fn begin(region: &Region, choice: Choice, sink: Box<dyn Sink>) {
        if Self::of(region).0.set(Arc::new(Tracer { choice, sink })).is_ok() {
            region.looks.set(Looks::SPANS, true);
        }
    }

    /// Returns true if tasks have spans.
    #[inline]
    pub fn are_on(region: &Region) -> bool {
        region.looks.any(Looks::SPANS)
    }

    /// The counts of the sink; `None`: there is none. `reset`: see [`Sink::figures`].
    pub fn figures(&self, reset: bool) -> Option<SpanFigures> {
        self.0.get().map(|tracer| tracer.sink.figures(reset))
    }

    /// The span of a task that is attached: a child of this place, or the first of a new trace.
    pub(crate) fn attached(region: &Region, parent: Option<&TraceContext>) -> Option<Box<TaskSpan>> {
        let tracer = Arc::clone(Self::of(region).0.get()?);
        let context = match parent {
            Some(parent) => TraceContext { span: new_span(), ..parent.clone() },
            None => tracer.choice.new_trace(),
        };
        let parent = parent.map(|parent| parent.span);
        let asked = AtomicU32::new(0);
        Some(Box::new(TaskSpan {
            context,
            parent,
            begun: Begun::now(),
            tracer,
            asked,
            failed: Mutex::default(),
        }))
    }
}

impl Choice {
    /// The place of a task that begins a trace.
    fn new_trace(&self) -> TraceContext {
        let trace = new_trace();
        // A ratio of 1 takes the greatest number, too.
        let sampled = self.ratio >= 1.0 || (trace.lot() as f64) < self.ratio * u64::MAX as f64;
        TraceContext { trace, span: new_span(), sampled, state: None }
    }
}

/// A begin, by both clocks: that of the day may be set meanwhile.
#[derive(Clone, Copy, Debug)]
struct Begun {
    unix_ns: u64,
    at: u64,
}

impl Begun {
    fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { unix_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX), at: ticks::now() }
    }

    /// The time of day now, as far from the begin as it is.
    fn until_now(self) -> u64 {
        self.unix_ns.saturating_add(ticks::now().saturating_sub(self.at))
    }
}

/// The span of a task that runs.
pub struct TaskSpan {
    context: TraceContext,
    parent: Option<SpanId>,
    begun: Begun,
    tracer: Arc<Tracer>,
    /// Requests so far that are spans.
    asked: AtomicU32,
    failed: Mutex<Option<Failed>>,
}

/// The abend of a task.
struct Failed {
    at_ns: u64,
    code: AbendCode,
    program: Name8,
}

impl TaskSpan {
    /// The place of the task in its trace.
    pub fn context(&self) -> &TraceContext {
        &self.context
    }

    /// The span that has asked for the task; `None`: the trace begins with it.
    pub(crate) fn parent(&self) -> Option<SpanId> {
        self.parent
    }

    /// Returns true if spans name users.
    pub(crate) fn names_users(&self) -> bool {
        self.tracer.choice.users
    }

    /// The task abends in this program.
    pub(crate) fn fails(&self, code: AbendCode, program: Name8) {
        *self.failed.lock() = Some(Failed { at_ns: self.begun.until_now(), code, program });
    }

    /// A request of the task begins. `None`: it is no span, for the trace is not sampled, or the task has too many.
    pub(crate) fn asks(&self, name: impl FnOnce() -> String) -> Option<Box<ClientSpan>> {
        if !self.context.sampled {
            return None;
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) >= CLIENT_SPANS_MAX {
            // It is not to run over.
            self.asked.fetch_sub(1, Ordering::Relaxed);
            self.tracer.sink.drops();
            return None;
        }
        let begun = Begun::now();
        let context = TraceContext { span: new_span(), ..self.context.clone() };
        let span = Span {
            context,
            parent: Some(self.context.span),
            name: name(),
            kind: Kind::Client,
            begin_ns: begun.unix_ns,
            end_ns: begun.unix_ns,
            attributes: Vec::new(),
            events: Vec::new(),
            error: None,
        };
        Some(Box::new(ClientSpan { span: Some(span), begun, tracer: Arc::clone(&self.tracer) }))
    }

    /// The task is gone.
    pub(crate) fn ends(&self, name: String, kind: Kind, attributes: impl FnOnce() -> Vec<Attribute>) {
        if !self.context.sampled {
            return;
        }
        let failed = self.failed.lock().take();
        let mut attributes = attributes();
        if let Some(failed) = &failed {
            attributes.push(("cics.abend.code".into(), Value::text(failed.code.to_string())));
            attributes
                .push(("cics.abend.program".into(), Value::text(failed.program.to_string().trim_end())));
        }
        let error = failed.as_ref().map(|failed| format!("abend {}", failed.code));
        let span = Span {
            context: self.context.clone(),
            parent: self.parent,
            name,
            kind,
            begin_ns: self.begun.unix_ns,
            end_ns: self.begun.until_now(),
            attributes,
            events: failed.map(Failed::event).into_iter().collect(),
            error,
        };
        self.tracer.sink.take(span);
    }
}

impl Failed {
    /// It as an event, under the names that the conventions have for exceptions.
    fn event(self) -> Event {
        let attributes = vec![
            ("exception.type".into(), Value::text(self.code.to_string())),
            ("cics.program".into(), Value::text(self.program.to_string().trim_end())),
        ];
        Event { at_ns: self.at_ns, name: "exception", attributes }
    }
}

/// A request of a task to another system: a span of kind client. It ends when it is dropped, whatever becomes of its task.
pub struct ClientSpan {
    span: Option<Span>,
    begun: Begun,
    tracer: Arc<Tracer>,
}

impl ClientSpan {
    /// The place of the request in its trace, for the one who is asked.
    pub fn context(&self) -> Option<&TraceContext> {
        self.span.as_ref().map(|span| &span.context)
    }

    /// Tells more of it.
    pub fn tells(&mut self, key: &'static str, value: Value) {
        if let Some(span) = &mut self.span {
            span.attributes.push((key.into(), value));
        }
    }

    /// It has failed, for this reason.
    pub fn fails(&mut self, why: impl Into<String>) {
        if let Some(span) = &mut self.span {
            span.error = Some(why.into());
        }
    }
}

impl Drop for ClientSpan {
    fn drop(&mut self) {
        if let Some(mut span) = self.span.take() {
            span.end_ns = self.begun.until_now();
            self.tracer.sink.take(span);
        }
    }
}

thread_local! {
    /// Secret keys, another pair in each thread, and how often they were used.
    static LOTS: (RandomState, Cell<u64>) = (RandomState::new(), Cell::new(0));
}

/// Draws a number that cannot be foreseen.
fn lot() -> u64 {
    LOTS.with(|(keys, used)| {
        used.set(used.get().wrapping_add(1));
        keys.hash_one(used.get())
    })
}

fn new_span() -> SpanId {
    loop {
        if let Some(id) = SpanId::of(lot().to_be_bytes()) {
            return id;
        }
    }
}

fn new_trace() -> TraceId {
    loop {
        let both = u128::from(lot()) << 64 | u128::from(lot());
        if let Some(id) = TraceId::of(both.to_be_bytes()) {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_traces_are_sampled_as_the_ratio_says() {
        let sampled = |ratio: f64| {
            let choice = Choice { ratio, users: false };
            (0..10_000).filter(|_| choice.new_trace().sampled).count()
        };
        assert_eq!((sampled(0.0), sampled(1.0)), (0, 10_000));
        assert!((1_500..3_500).contains(&sampled(0.25)), "a quarter");
    }

    #[test]
    fn numbers_are_others_each_time_and_in_each_thread() {
        let lots = || (0..1_000).map(|_| lot()).collect::<Vec<_>>();
        let mut all = std::thread::spawn(lots).join().expect("a thread");
        all.extend(lots());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2_000);
    }
}
