//! Requests of the web in traces: whose child the task of one is, and what those that tasks make bring along.

use std::borrow::Cow;

use http::Fields;
use http::answers::Answer;
use kernel::region::Region;
use kernel::spans::{ClientSpan, Spans};
use kernel::task::Task;
use otlp::context::{TRACEPARENT, TRACESTATE};
use otlp::{TraceContext, TraceState, Value};

use crate::server::Server;

/// The first status by which a server says that it does not do what was asked.
const CLIENT_ERROR: u16 = 400;

/// The place in a trace that a request has brought, where the region makes spans.
pub(crate) fn parent(region: &Region, head: &Fields) -> Option<Box<TraceContext>> {
    if !Spans::are_on(region) {
        return None;
    }
    TraceContext::read(head.all(TRACEPARENT), head.all(TRACESTATE)).map(Box::new)
}

/// The headers of a request that a task makes.
pub(crate) fn headers(place: &TraceContext) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
    let state = place.state.as_ref().map(TraceState::text);
    let state = state.map(|state| (TRACESTATE, Cow::Borrowed(state)));
    [(TRACEPARENT, Cow::Owned(place.traceparent()))].into_iter().chain(state)
}

/// A request of a task begins, under the names that the conventions have for HTTP. Its query, which may have what is secret, is not
/// told.
pub(crate) fn asks(task: &Task, method: &str, server: &Server, path: &str) -> Option<Box<ClientSpan>> {
    let mut span = task.asks(|| method.to_owned())?;
    let path = path.split('?').next().unwrap_or_default();
    span.tells("http.request.method", Value::text(method));
    span.tells("server.address", Value::text(server.host.as_str()));
    span.tells("server.port", u64::from(server.port).into());
    span.tells("url.full", Value::text(format!("{}://{}{path}", server.scheme.text(), server.authority())));
    Some(span)
}

/// It is over: with this answer, or without one.
pub(crate) fn answered(span: &mut Option<Box<ClientSpan>>, answer: Option<&Answer>) {
    let Some(mut span) = span.take() else { return };
    match answer.map(|answer| answer.head.status) {
        Some(status) => {
            span.tells("http.response.status_code", u64::from(status).into());
            if status >= CLIENT_ERROR {
                span.fails(status.to_string());
            }
        }
        None => span.fails("no answer"),
    }
}
