//! The task behind a request that begins a task: its place in a trace (`traced`), and the origin of what it asks for. Both go in front
//! of the request, each where the partner takes it.
//!
//! ```text
//! FE · place in a trace · FD · origin · the request as without them
//! ```

use kernel::name::Name8;
use kernel::task::{Origin, TaskControl};
use otlp::TraceContext;
use serde::{Deserialize, Serialize};

use crate::limits::ORIGIN_MAX;
use crate::traced;

/// The byte by which a request with an origin differs from others, which never begin with it.
const OWN: u8 = 0xFD;

/// An origin as bytes of the kernel.
#[derive(Serialize, Deserialize)]
struct Written<'a>(#[serde(borrow, with = "serde_bytes")] &'a [u8]);

/// The words of a partner's Hello on what goes in front of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Takes {
    /// The place in a trace.
    pub traces: bool,
    /// The origin.
    pub origins: bool,
}

impl Takes {
    /// Those of a partner.
    pub fn of(theirs: &link::Hello) -> Self {
        Self { traces: theirs.traces, origins: theirs.origins }
    }
}

/// Everything that a request has told of the task that asks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asker {
    /// Its place in a trace.
    pub parent: Option<Box<TraceContext>>,
    /// The origin of the task that begins.
    pub origin: Origin,
}

/// A request of a task of this region, with what the partner takes in front of it. `place`: the request's in a trace.
pub(crate) fn written(
    (task, applid): (&TaskControl, Name8),
    place: Option<&TraceContext>,
    takes: Takes,
    body: Vec<u8>,
) -> Vec<u8> {
    traced::written(
        place,
        takes.traces,
        with_origin(takes.origins.then(|| Origin::beyond(task, applid)), body),
    )
}

fn with_origin(origin: Option<Origin>, body: Vec<u8>) -> Vec<u8> {
    let Some(origin) = origin.and_then(|origin| origin.to_bytes()) else { return body };
    // Into memory of its own nothing can fail.
    let Ok(mut bytes) = postcard::to_extend(&Written(&origin), vec![OWN]) else { return body };
    bytes.extend(body);
    bytes
}

/// The task that asks, and the request. `None`: it is malformed.
pub(crate) fn read(body: &[u8]) -> Option<(Asker, &[u8])> {
    let (parent, body) = traced::read(body)?;
    let Some(rest) = body.strip_prefix(&[OWN]) else {
        return Some((Asker { parent, origin: Origin::default() }, body));
    };
    let (Written(origin), rest) = postcard::take_from_bytes(rest).ok()?;
    let origin = Origin::from_bytes(origin).filter(|_| origin.len() <= ORIGIN_MAX)?;
    Some((Asker { parent, origin }, rest))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernel::security::User;
    use kernel::task::{Facility, StartCode, TaskParts};
    use kernel::transactions::Transaction;

    use super::*;

    const TAKES: Takes = Takes { traces: true, origins: true };

    fn task() -> TaskControl {
        TaskControl::new(TaskParts {
            number: 17,
            transaction: Arc::new(Transaction::new("PAY".into(), Name8::BLANK)),
            user: User::region(),
            start_code: StartCode::Terminal,
            facility: Facility::None,
            origin: Origin::default(),
            performance: None,
            span: None,
        })
    }

    /// A request of the task, to a partner that takes these.
    fn asked(takes: Takes) -> Vec<u8> {
        let parent = b"00-12345678901234567890123456789012-1234567890123456-01".as_slice();
        let place = TraceContext::read([parent], []).expect("a place");
        written((&task(), Name8::from("REGA")), Some(&place), takes, b"\x00request".to_vec())
    }

    #[test]
    fn a_partner_gets_what_it_takes_and_reads_it() {
        for (traces, origins) in [(true, true), (true, false), (false, true), (false, false)] {
            let bytes = asked(Takes { traces, origins });
            let (asker, body) = read(&bytes).expect("a request");
            assert_eq!(body, b"\x00request");
            let hop = asker.origin.previous_hop().map(|hop| (hop.applid, hop.hop.number));
            assert_eq!(hop, origins.then(|| (Name8::from("REGA"), 17)));
            assert_eq!((asker.parent.is_some(), bytes.len() == body.len()), (traces, !traces && !origins));
        }
    }

    #[test]
    fn a_torn_origin_is_no_request() {
        let bytes = asked(Takes { traces: false, ..TAKES });
        let length = bytes.len() - b"\x00request".len();
        for length in 1..length {
            assert_eq!(read(&bytes[..length]), None, "{length} bytes of it");
        }
    }

    #[test]
    fn an_origin_beyond_its_limit_is_no_request() {
        let origin = Origin::beyond(&task(), Name8::from("REGA")).to_bytes().expect("an origin");
        assert!(origin.len() < ORIGIN_MAX / 2, "{} bytes", origin.len());
        let long = vec![0; ORIGIN_MAX + 1];
        let bytes = postcard::to_extend(&Written(&long), vec![OWN]).expect("bytes");
        assert_eq!(read(&bytes), None);
    }
}
