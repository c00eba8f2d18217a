//! The origin of a task: the chain of starters, down to the first request.
//!
//! A task that a front door or the region attaches is a *point of origin*: it is its own. What it starts inherits that, and
//! so does what that starts. As published, the task of a START with TERMID or of a START ATTACH is a point of origin.
//!
//! ```text
//! terminal ─► PAY, 17 ── START ──► POST, 18 ── RUN TRANSID ──► BOOK, 19
//!             its own              first 17, previous 17, 1     first 17, previous 18, 2
//! ```
//!
//! Nothing here holds a task or a terminal: a chain of STARTs may be longer than the region's life.

use std::net::SocketAddr;
use std::sync::Arc;

use otlp::{TraceContext, TraceState};

use super::{StartedBy, TaskControl};
use crate::clock::Moment;
use crate::fields::{FieldReader, FieldWriter};
use crate::name::{Name8, TransactionName};

/// The origin of a task; by default it is a point of origin itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin(Option<Arc<Lineage>>);

/// A task's part of the tasks before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lineage {
    first: First,
    previous: Hop,
    depth: u32,
    /// The place of the task before in a trace.
    trace: Option<TraceContext>,
}

/// One task on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Its number.
    pub number: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// When it was attached.
    pub attached: Moment,
}

/// The point of origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// The task.
    pub hop: Hop,
    /// Its user.
    pub user: Name8,
    /// Starter of the task.
    pub started_by: StartedBy,
    /// The name of that: of a terminal, a queue, a listener; blank: none.
    pub facility: Name8,
    /// The network name of its terminal; blank: none.
    pub netname: Name8,
    /// Address of its client.
    pub client: Option<SocketAddr>,
    /// Address that its client came to.
    pub server: Option<SocketAddr>,
}

impl Origin {
    /// The origin of what this task starts.
    pub fn from_task(task: &TaskControl) -> Self {
        let (first, depth) = (task.first(), task.origin.depth() + 1);
        let trace = task.trace_context().cloned();
        Self(Some(Arc::new(Lineage { first, previous: Hop::of(task), depth, trace })))
    }

    /// The task before, in this region; `None` of a point of origin.
    pub fn previous(&self) -> Option<&Hop> {
        self.0.as_ref().map(|lineage| &lineage.previous)
    }

    /// Number of tasks between it and the point of origin, that counted; 0: it is one.
    pub fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |lineage| lineage.depth)
    }

    /// The point of origin, if it is another task.
    pub(super) fn first(&self) -> Option<First> {
        self.0.as_ref().map(|lineage| lineage.first)
    }

    /// The place of the task before in a trace, if it has one.
    pub(crate) fn trace(&self) -> Option<&TraceContext> {
        self.0.as_ref()?.trace.as_ref()
    }

    /// As fields of a record that outlives the region.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let Lineage { first, previous, depth, trace } = &**self.0.as_ref()?;
        let address = |address: Option<SocketAddr>| address.map(|a| a.to_string());
        let (client, server) = (address(first.client), address(first.server));
        let fields = FieldWriter::default()
            .bytes(first.user.as_ref())
            .bytes(first.started_by.name().as_bytes())
            .bytes(first.facility.as_ref())
            .bytes(first.netname.as_ref())
            .optional(client.as_ref().map(String::as_bytes))
            .optional(server.as_ref().map(String::as_bytes))
            .number((*depth).into());
        let fields = previous.write(first.hop.write(fields));
        Some(match trace {
            Some(trace) => write_trace(trace, fields).end(),
            None => fields.end(),
        })
    }

    /// The origin that [`Self::to_bytes`] has written.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let fields = &mut FieldReader(bytes);
        let user = fields.name()?;
        let started_by = StartedBy::named(fields.bytes()?)?;
        let (facility, netname) = (fields.name()?, fields.name()?);
        let (client, server) = (address(fields)?, address(fields)?);
        let depth = fields.number()?.try_into().ok()?;
        let (hop, previous) = (Hop::read(fields)?, Hop::read(fields)?);
        // A record of an earlier version has none.
        let trace = if fields.is_at_end() { None } else { Some(read_trace(fields)?) };
        let first = First { hop, user, started_by, facility, netname, client, server };
        Some(Self(Some(Arc::new(Lineage { first, previous, depth, trace }))))
    }
}

/// An address that may be there.
fn address(fields: &mut FieldReader<'_>) -> Option<Option<SocketAddr>> {
    let text = fields.optional()?;
    Some(text.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok()))
}

fn write_trace(trace: &TraceContext, fields: FieldWriter) -> FieldWriter {
    let state = trace.state.as_ref().map(TraceState::text);
    fields.bytes(trace.traceparent().as_bytes()).optional(state.map(str::as_bytes))
}

fn read_trace(fields: &mut FieldReader<'_>) -> Option<TraceContext> {
    let (parent, state) = (fields.bytes()?, fields.optional()?);
    TraceContext::read([parent], state)
}

impl Hop {
    fn of(task: &TaskControl) -> Self {
        Self { number: task.number, transaction: task.transaction.name, attached: task.attached }
    }

    fn write(&self, fields: FieldWriter) -> FieldWriter {
        fields
            .number(self.number.into())
            .bytes(self.transaction.as_ref())
            .number(self.attached.unix_ms)
            .number(self.attached.offset_s.into())
    }

    fn read(fields: &mut FieldReader<'_>) -> Option<Self> {
        Some(Self {
            number: fields.number()?.try_into().ok()?,
            transaction: fields.name()?,
            attached: Moment { unix_ms: fields.number()?, offset_s: fields.number()?.try_into().ok()? },
        })
    }
}

impl First {
    /// A task that is a point of origin.
    pub(super) fn of(task: &TaskControl) -> Self {
        Self {
            hop: Hop::of(task),
            user: task.user.id,
            started_by: task.started_by(),
            facility: task.starter_name(),
            netname: task.facility.netname(),
            client: task.facility.client(),
            server: task.facility.server(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Connection, Facility, StartCode, TaskParts};

    /// A task of a transaction.
    fn task(number: u32, transaction: &str, origin: Origin) -> TaskControl {
        let door = Connection {
            door: Name8::from("CSKL"),
            client: "10.0.0.7:4000".parse().expect("an address"),
            server: "10.0.0.1:3010".parse().expect("an address"),
        };
        let facility = if origin == Origin::default() { Facility::Socket(door) } else { Facility::None };
        let parts = TaskParts::of_a_test(number, transaction);
        TaskControl::new(TaskParts { facility, origin, start_code: StartCode::StartWithData, ..parts })
    }

    #[test]
    fn what_a_task_starts_knows_the_first_and_the_one_before() {
        let pay = task(17, "PAY", Origin::default());
        assert_eq!((pay.origin.depth(), pay.origin.previous(), pay.first().hop.number), (0, None, 17));
        let post = task(18, "POST", Origin::from_task(&pay));
        let book = task(19, "BOOK", Origin::from_task(&post));
        let numbers = |task: &TaskControl| {
            let previous = task.origin.previous().map(|hop| hop.number);
            (task.first().hop.number, previous, task.origin.depth())
        };
        assert_eq!((numbers(&post), numbers(&book)), ((17, Some(17), 1), (17, Some(18), 2)));
        assert_eq!((book.started_by(), book.first().started_by), (StartedBy::Start, StartedBy::Socket));
        assert_eq!(book.first(), pay.first());
    }

    #[test]
    fn an_origin_is_read_as_it_was_written_and_a_torn_one_is_none() {
        let origin =
            Origin::from_task(&task(18, "POST", Origin::from_task(&task(17, "PAY", Origin::default()))));
        let bytes = origin.to_bytes().expect("it is inherited");
        assert_eq!(Origin::from_bytes(&bytes), Some(origin));
        assert_eq!(Origin::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Origin::default().to_bytes(), None);
    }

    #[test]
    fn an_origin_in_a_trace_is_read_with_its_place_there() {
        let parent: (&[u8], &[u8]) = (b"00-12345678901234567890123456789012-1234567890123456-01", b"a=1");
        for states in [&[][..], &[parent.1]] {
            let trace = TraceContext::read([parent.0], states.iter().copied());
            let Some(lineage) = Origin::from_task(&task(17, "PAY", Origin::default())).0 else {
                panic!("it is inherited")
            };
            let origin = Origin(Some(Arc::new(Lineage { trace, ..Lineage::clone(&lineage) })));
            assert!(origin.trace().is_some());
            let bytes = origin.to_bytes().expect("it is inherited");
            assert_eq!(Origin::from_bytes(&bytes), Some(origin));
            assert_eq!(Origin::from_bytes(&bytes[..bytes.len() - 1]), None);
        }
    }
}
