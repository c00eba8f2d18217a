//! The place in a trace that goes in front of a request that begins a task, where the partner takes it.
//!
//! ```text
//! FE · trace, span, sampled, tracestate · the request as without it
//! ```

use otlp::{SpanId, TraceContext, TraceId, TraceState};
use serde::{Deserialize, Serialize};

/// The byte by which such requests differ from others, which never begin with it.
const OWN: u8 = 0xFE;

/// A place as bytes.
#[derive(Serialize, Deserialize)]
struct Written {
    trace: [u8; 16],
    span: [u8; 8],
    sampled: bool,
    state: Option<String>,
}

/// A request with the place in front of it. `takes`: the partner does; else the request is as it was.
pub(crate) fn written(place: Option<&TraceContext>, takes: bool, body: Vec<u8>) -> Vec<u8> {
    let Some(place) = place.filter(|_| takes) else { return body };
    let place = Written {
        trace: *place.trace.bytes(),
        span: *place.span.bytes(),
        sampled: place.sampled,
        state: place.state.as_ref().map(|state| state.text().to_owned()),
    };
    // Into memory of its own nothing can fail.
    let Ok(mut bytes) = postcard::to_extend(&place, vec![OWN]) else { return body };
    bytes.extend(body);
    bytes
}

/// The place in front of a request, if there is one, and the request. `None`: it is malformed.
pub(crate) fn read(body: &[u8]) -> Option<(Option<Box<TraceContext>>, &[u8])> {
    let Some(rest) = body.strip_prefix(&[OWN]) else { return Some((None, body)) };
    let (place, rest) = postcard::take_from_bytes::<Written>(rest).ok()?;
    let state = place.state.and_then(|state| TraceState::read([state.as_bytes()]));
    let (trace, span) = (TraceId::of(place.trace)?, SpanId::of(place.span)?);
    Some((Some(Box::new(TraceContext { trace, span, sampled: place.sampled, state })), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> TraceContext {
        let parent = b"00-12345678901234567890123456789012-1234567890123456-01".as_slice();
        TraceContext::read([parent], [b"a=1".as_slice()]).expect("a place")
    }

    #[test]
    fn a_request_is_read_with_its_place_and_one_without_as_it_is() {
        let place = place();
        let bytes = written(Some(&place), true, b"\x00request".to_vec());
        assert_eq!(read(&bytes), Some((Some(Box::new(place.clone())), b"\x00request".as_slice())));
        for plain in [written(Some(&place), false, b"\x00r".to_vec()), written(None, true, b"\x00r".to_vec())]
        {
            assert_eq!(
                (plain.as_slice(), read(&plain)),
                (b"\x00r".as_slice(), Some((None, b"\x00r".as_slice())))
            );
        }
    }

    #[test]
    fn what_is_malformed_is_no_request() {
        let bytes = written(Some(&place()), true, Vec::new());
        for length in 1..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length} bytes of it");
        }
        let mut nobody = bytes;
        nobody[1..17].fill(0);
        assert_eq!(read(&nobody), None);
    }
}
