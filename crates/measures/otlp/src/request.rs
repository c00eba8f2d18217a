//! Requests of OTLP over HTTP in binary form, and a collector's answers.

use crate::span::{Attribute, Event, Span, Value};
use crate::wire::{Found, Writer, fields};
use crate::{SpanId, TraceId};

/// The path behind the endpoint.
pub const PATH: &str = "/v1/traces";
/// The media type of requests and answers.
pub const MEDIA: &str = "application/x-protobuf";

/// STATUS_CODE_ERROR.
const ERROR: u64 = 2;
/// The flag of a span in a sampled trace.
const SAMPLED: u32 = 1;

/// The system that spans come from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// The product, and its version.
    pub scope: (String, String),
}

/// A request with spans: `ExportTraceServiceRequest`.
pub fn encode(source: &Source, spans: &[Span]) -> Vec<u8> {
    let (name, version) = &source.scope;
    let scope = Writer::default().bytes(1, name).bytes(2, version);
    let spans = Writer::default().message(1, scope).messages(2, spans.iter().map(written));
    let resource = attributes(Writer::default(), 1, &source.attributes);
    let of_region = Writer::default().message(1, resource).message(2, spans);
    Writer::default().message(1, of_region).end()
}

/// `Span` of `opentelemetry.proto.trace.v1`, with the numbers of its fields.
fn written(span: &Span) -> Writer {
    let state = span.context.state.as_ref().map_or("", |state| state.text());
    let parent = span.parent.as_ref().map_or([].as_slice(), |parent| parent.bytes().as_slice());
    let writer = Writer::default()
        .bytes(1, span.context.trace.bytes())
        .bytes(2, span.context.span.bytes())
        .bytes(3, state)
        .bytes(4, parent)
        .bytes(5, &span.name)
        .number(6, span.kind as u64)
        .fixed(7, span.begin_ns)
        .fixed(8, span.end_ns);
    let writer = attributes(writer, 9, &span.attributes).messages(11, span.events.iter().map(event));
    let failed = span.error.iter().map(|why| Writer::default().bytes(2, why).number(3, ERROR));
    writer.messages(15, failed).short(16, if span.context.sampled { SAMPLED } else { 0 })
}

fn event(event: &Event) -> Writer {
    attributes(Writer::default().fixed(1, event.at_ns).bytes(2, event.name), 3, &event.attributes)
}

fn attributes(writer: Writer, field: u32, all: &[Attribute]) -> Writer {
    let any = |value: &Value| match value {
        Value::Text(text) => Writer::default().given(1, text.as_bytes()),
        // A negative number has all its bits.
        Value::Count(count) => Writer::default().given_number(3, *count as u64),
        Value::Number(number) => Writer::default().given_double(4, *number),
    };
    let one = |(key, value): &Attribute| Writer::default().bytes(1, &**key).message(2, any(value));
    writer.messages(field, all.iter().map(one))
}

/// The spans that a collector has not taken, and its reason, by its answer to a request that was successful otherwise. An answer
/// that is no message says nothing.
pub fn rejected(answer: &[u8]) -> (u64, String) {
    let partial = fields(answer).and_then(|all| fields(last(&all, 1)?.bytes())).unwrap_or_default();
    let count = last(&partial, 1).map_or(0, Found::number);
    // A negative count is none.
    (i64::try_from(count).map_or(0, |_| count), last(&partial, 2).map(Found::text).unwrap_or_default())
}

/// The value of a field: the last one, if it is there several times.
fn last<'a>(all: &[(u64, Found<'a>)], field: u64) -> Option<Found<'a>> {
    all.iter().rev().find(|(number, _)| *number == field).map(|(_, found)| *found)
}

/// The values of a field that may be there several times.
fn each<'a>(all: &[(u64, Found<'a>)], field: u64) -> impl Iterator<Item = &'a [u8]> {
    all.iter().filter(move |(number, _)| *number == field).map(|(_, found)| found.bytes())
}

/// A span as a collector reads it: for tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its trace.
    pub trace: TraceId,
    /// Its number.
    pub span: SpanId,
    /// The span whose child it is.
    pub parent: Option<SpanId>,
    /// Its tracestate.
    pub state: String,
    /// Its name.
    pub name: String,
    /// Its kind, by the number of OTLP.
    pub kind: i32,
    /// Its begin and its end.
    pub times: (u64, u64),
    /// Its attributes as texts, those of its source behind them.
    pub attributes: Vec<(String, String)>,
    /// The names of its events.
    pub events: Vec<String>,
    /// The reason why it has failed.
    pub error: Option<String>,
}

/// Reads a request as a collector does; `None` if it is none.
pub fn decode(body: &[u8]) -> Option<Vec<Read>> {
    let mut all = Vec::new();
    for of_source in each(&fields(body)?, 1) {
        let of_source = fields(of_source)?;
        let own = texts(&fields(last(&of_source, 1)?.bytes())?, 1)?;
        for scope in each(&of_source, 2) {
            for span in each(&fields(scope)?, 2) {
                all.push(read(&fields(span)?, &own)?);
            }
        }
    }
    Some(all)
}

fn read(span: &[(u64, Found<'_>)], of_source: &[(String, String)]) -> Option<Read> {
    let bytes = |field| last(span, field).map_or([].as_slice(), Found::bytes);
    let number = |field| last(span, field).map_or(0, Found::number);
    let parent = match bytes(4) {
        [] => None,
        bytes => Some(SpanId::of(bytes.try_into().ok()?)?),
    };
    let status = fields(bytes(15))?;
    let has_failed = last(&status, 3).map_or(0, Found::number) == ERROR;
    let name = |event: &[u8]| Some(last(&fields(event)?, 2)?.text());
    Some(Read {
        trace: TraceId::of(bytes(1).try_into().ok()?)?,
        span: SpanId::of(bytes(2).try_into().ok()?)?,
        parent,
        state: String::from_utf8(bytes(3).to_vec()).ok()?,
        name: String::from_utf8(bytes(5).to_vec()).ok()?,
        kind: i32::try_from(number(6)).ok()?,
        times: (number(7), number(8)),
        attributes: texts(span, 9)?.into_iter().chain(of_source.iter().cloned()).collect(),
        events: each(span, 11).map(name).collect::<Option<_>>()?,
        error: has_failed.then(|| last(&status, 2).map(Found::text).unwrap_or_default()),
    })
}

/// Attributes as texts.
fn texts(all: &[(u64, Found<'_>)], field: u64) -> Option<Vec<(String, String)>> {
    let text = |attribute: &[u8]| {
        let attribute = fields(attribute)?;
        let value = fields(last(&attribute, 2)?.bytes())?;
        let text = match value.first()? {
            (1, found) => found.text(),
            (4, found) => f64::from_bits(found.number()).to_string(),
            (_, found) => (found.number() as i64).to_string(),
        };
        Some((last(&attribute, 1)?.text(), text))
    };
    each(all, field).map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::{Event, Kind};
    use crate::{TraceContext, TraceState};

    fn span() -> Span {
        let state = TraceState::read([b"foo=1".as_slice()]);
        let context = TraceContext {
            trace: TraceId::of([7; 16]).expect("a trace"),
            span: SpanId::of([8; 8]).expect("a span"),
            sampled: true,
            state,
        };
        Span {
            context,
            parent: SpanId::of([9; 8]),
            name: String::from("PAYS"),
            kind: Kind::Server,
            begin_ns: 1,
            end_ns: 3,
            attributes: vec![("cics.task".into(), Value::Count(17)), ("x".into(), Value::Number(0.5))],
            events: vec![Event { at_ns: 2, name: "abend", attributes: Vec::new() }],
            error: Some(String::from("ASRA")),
        }
    }

    #[test]
    fn a_request_has_the_bytes_that_the_protocol_says() {
        let source = Source { attributes: Vec::new(), scope: ("s".into(), "1".into()) };
        let mut plain = span();
        (plain.attributes, plain.events, plain.error, plain.context.state) =
            (Vec::new(), Vec::new(), None, None);
        let bytes = encode(&source, &[plain]);
        // Written by hand: tag and length of each message around, then the fields of the span.
        let mut fields = vec![0x0a, 16];
        fields.extend([7; 16]);
        fields.extend([0x12, 8]);
        fields.extend([8; 8]);
        fields.extend([0x22, 8]);
        fields.extend([9; 8]);
        fields.extend(*b"\x2a\x04PAYS\x30\x02");
        fields.extend([0x39, 1, 0, 0, 0, 0, 0, 0, 0, 0x41, 3, 0, 0, 0, 0, 0, 0, 0]);
        fields.extend([0x85, 0x01, 1, 0, 0, 0]);
        let scope = b"\x0a\x06\x0a\x01s\x12\x011";
        let around = |tag: u8, inner: &[u8]| [&[tag, inner.len() as u8], inner].concat();
        let spans = [scope.as_slice(), &around(0x12, &fields)].concat();
        let of_region = [around(0x0a, &[]), around(0x12, &spans)].concat();
        assert_eq!(bytes, around(0x0a, &of_region));
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let source = Source {
            attributes: vec![("service.name".into(), Value::text("bank"))],
            scope: Default::default(),
        };
        let all = decode(&encode(&source, &[span()])).expect("a request");
        let [read] = all.as_slice() else { panic!("{all:?}") };
        let own = |key: &str| read.attributes.iter().find(|(it, _)| it == key).map(|(_, text)| text.as_str());
        assert_eq!(
            (own("cics.task"), own("x"), own("service.name")),
            (Some("17"), Some("0.5"), Some("bank"))
        );
        assert_eq!((read.parent, read.state.as_str()), (SpanId::of([9; 8]), "foo=1"));
        assert_eq!(
            (read.events.as_slice(), read.error.as_deref()),
            (["abend".to_owned()].as_slice(), Some("ASRA"))
        );
    }

    #[test]
    fn a_collector_may_reject_spans_or_say_nothing_that_is_understood() {
        assert_eq!(rejected(b""), (0, String::new()));
        assert_eq!(rejected(b"\x0a\x06\x08\x03\x12\x02no"), (3, String::from("no")));
        assert_eq!(rejected(b"<html>"), (0, String::new()));
        assert_eq!(decode(b"<html>"), None);
    }
}
