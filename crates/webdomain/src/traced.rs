//! Requests of the web in traces: whose child the task of one is, and what those that tasks make bring along.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use http::Fields;
use http::answers::Answer;
use http::url::Scheme;
use kernel::region::Region;
use kernel::spans::{Attribute, ClientSpan, Spans};
use kernel::task::Task;
use otlp::context::{TRACEPARENT, TRACESTATE};
use otlp::{TraceContext, TraceState, Value};

use crate::exchange::Exchange;
use crate::session::Server;

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

/// Tells a request of a client, for the span of its task.
pub(crate) fn describe(exchange: &Exchange, told: &mut Vec<Attribute>) {
    if !exchange.is_http() {
        return;
    }
    let (head, scheme) = (&exchange.head, if exchange.is_secure() { Scheme::Https } else { Scheme::Http });
    let mut text = |key: &'static str, text: &str| told.push((key.into(), Value::text(text)));
    text("http.request.method", head.method());
    text("url.scheme", scheme.text());
    text("url.path", head.path());
    if let Some(host) = head.host() {
        text("server.address", host);
    }
    if let Some(map) = &exchange.map {
        text("http.route", &map.matches.path);
        text("cics.urimap", map.name.to_string().trim_end());
    }
    text("cics.tcpipservice", exchange.service.name.to_string().trim_end());
    let status = exchange.status.load(Ordering::Relaxed);
    if status != 0 {
        told.push(("http.response.status_code".into(), u64::from(status).into()));
    }
}
