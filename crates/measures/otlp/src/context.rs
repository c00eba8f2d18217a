//! The header traceparent, by the W3C's recommendation "Trace Context": which trace a request belongs to, and whose child it is.
//!
//! ```text
//! 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//! version  trace                      parent           flags: sampled
//! ```

use crate::ids::{SpanId, TraceId, bytes_of};
use crate::state::TraceState;

/// The header with the trace and the parent.
pub const TRACEPARENT: &str = "traceparent";
/// The header with what systems on the way say to themselves.
pub const TRACESTATE: &str = "tracestate";

/// The flag of a trace whose spans are wanted.
const SAMPLED: u8 = 1;
/// Characters of a traceparent of version 00. A later version has at least as many.
const LENGTH: usize = 55;

/// A place in a trace: a span, whose children those are that know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
    /// Spans of the trace are wanted.
    pub sampled: bool,
    /// Words of other systems to themselves.
    pub state: Option<TraceState>,
}

impl TraceContext {
    /// Reads the headers of a request; `None` if they are not there, or traceparent is malformed or there twice: then a new trace
    /// begins. A malformed tracestate alone is dropped.
    pub fn read<'a>(
        parents: impl IntoIterator<Item = &'a [u8]>,
        states: impl IntoIterator<Item = &'a [u8]>,
    ) -> Option<Self> {
        let mut parents = parents.into_iter();
        let parent = parents.next()?;
        if parents.next().is_some() {
            return None;
        }
        let (trace, span, sampled) = parse(parent.trim_ascii())?;
        Some(Self { trace, span, sampled, state: TraceState::read(states) })
    }

    /// The header traceparent for those that this place asks for something.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-{:02x}", self.trace, self.span, u8::from(self.sampled))
    }
}

fn parse(text: &[u8]) -> Option<(TraceId, SpanId, bool)> {
    let known = text.get(..LENGTH)?;
    let [version] = bytes_of::<1>(&known[..2])?;
    // Of a later version more may follow, behind a hyphen.
    let fits = match version {
        0 => text.len() == LENGTH,
        0xff => false,
        _ => matches!(text.get(LENGTH), None | Some(b'-')),
    };
    let hyphens = [2, 35, 52].iter().all(|place| known[*place] == b'-');
    if !fits || !hyphens {
        return None;
    }
    let [flags] = bytes_of::<1>(&known[53..55])?;
    let (trace, span) = (TraceId::of(bytes_of(&known[3..35])?)?, SpanId::of(bytes_of(&known[36..52])?)?);
    Some((trace, span, flags & SAMPLED != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "12345678901234567890123456789012";
    const PARENT: &str = "1234567890123456";

    fn read(text: &str) -> Option<TraceContext> {
        TraceContext::read([text.as_bytes()], [])
    }

    #[test]
    fn a_traceparent_is_written_as_it_was_read() {
        for flags in ["00", "01"] {
            let text = format!("00-{TRACE}-{PARENT}-{flags}");
            let context = read(&text).expect("it is one");
            assert_eq!((context.traceparent(), context.sampled), (text, flags == "01"));
        }
    }

    #[test]
    fn flags_that_are_not_known_are_not_passed_on() {
        for (flags, written) in [("03", "01"), ("fe", "00"), ("ff", "01"), ("02", "00")] {
            let context = read(&format!("00-{TRACE}-{PARENT}-{flags}")).expect("it is one");
            assert_eq!(context.traceparent(), format!("00-{TRACE}-{PARENT}-{written}"), "{flags}");
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        let table = [
            ("cc", "01", true),
            ("cc", "01-what-the-future-will-be-like", true),
            ("cc", "01-", true),
            ("cc", "01.what-the-future-will-be-like", false),
            ("cc", "01what", false),
            ("01", "01", true),
            ("ff", "01", false),
            ("00", "01-", false),
            ("00", "01.", false),
            ("00", "01-extra", false),
        ];
        for (version, end, is_one) in table {
            let text = format!("{version}-{TRACE}-{PARENT}-{end}");
            assert_eq!(read(&text).is_some(), is_one, "{text}");
        }
    }

    #[test]
    fn what_is_malformed_begins_a_new_trace() {
        let zero = "0".repeat(32);
        let (upper, sign) = (TRACE.replace('9', "A"), TRACE.replace('9', "."));
        let table = [
            String::new(),
            String::from("00"),
            format!("00-{zero}-{PARENT}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{upper}-{PARENT}-01"),
            format!("00-{sign}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", PARENT.replace('9', "x")),
            format!("00-{TRACE}-{PARENT}-.0"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{}-{PARENT}-01", &TRACE[1..]),
            format!("00-{TRACE}1-{PARENT}-01"),
            format!("0-{TRACE}-{PARENT}-01"),
            format!(".0-{TRACE}-{PARENT}-01"),
            format!("00_{TRACE}_{PARENT}_01"),
            format!("00-{TRACE}-{PARENT}-0\u{661}"),
        ];
        for text in table {
            assert_eq!(read(&text), None, "{text}");
        }
    }

    #[test]
    fn a_traceparent_that_is_there_twice_begins_a_new_trace() {
        let text = format!("00-{TRACE}-{PARENT}-01");
        assert_eq!(TraceContext::read([text.as_bytes(); 2], []), None);
        let (none, state): ([&[u8]; 0], &[u8]) = ([], b"foo=1");
        assert_eq!(TraceContext::read(none, [state]), None, "a tracestate alone is nobody's");
    }

    #[test]
    fn a_malformed_tracestate_is_dropped_and_its_traceparent_is_not() {
        let (text, good, bad): (String, &[u8], &[u8]) = (format!("00-{TRACE}-{PARENT}-01"), b"foo=1", b"foo");
        let state = |states: &[&[u8]]| {
            let context = TraceContext::read([text.as_bytes()], states.iter().copied()).expect("it is one");
            context.state.map(|state| state.to_string())
        };
        assert_eq!(state(&[good]).as_deref(), Some("foo=1"));
        assert_eq!(state(&[good, bad]), None);
    }
}
