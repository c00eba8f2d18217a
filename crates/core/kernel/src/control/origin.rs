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
//! A task for which a task of another region has asked has its origin from there, and that task as its *previous hop*. As published, what
//! it starts here inherits the number of hops alone: its previous task, which is of this region, leads to the hop.
//!
//! ```text
//! REGA: PAY, 17 ══ LINK ══► REGB: CSMI, 5 ── START ──► POST, 6
//! its own                   first REGA 17              first REGA 17, previous 5, 1
//!                           hop REGA 17, hops 1        hops 1
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
    /// The task before, in this region; `None`: a task of another region has asked for it.
    previous: Option<Hop>,
    depth: u32,
    /// The task of another region that has asked for it; `None`: a task of this region has started it.
    beyond: Option<HopBeyond>,
    hops: u32,
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

/// One task on the way, of another region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopBeyond {
    /// The region's APPLID.
    pub applid: Name8,
    /// The task.
    pub hop: Hop,
}

/// The point of origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// The APPLID of its region; `None`: this one.
    pub applid: Option<Name8>,
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
        let (first, depth) = (task.first(), task.origin.depth().saturating_add(1));
        let (previous, hops) = (Some(Hop::of(task)), task.origin.hops());
        let trace = task.trace_context().cloned();
        Self(Some(Arc::new(Lineage { first, previous, depth, beyond: None, hops, trace })))
    }

    /// The origin of what this task asks another region for. `applid`: that of this region.
    pub fn beyond(task: &TaskControl, applid: Name8) -> Self {
        let first = task.first();
        let first = First { applid: first.applid.or(Some(applid)), ..first };
        let (beyond, hops) =
            (Some(HopBeyond { applid, hop: Hop::of(task) }), task.origin.hops().saturating_add(1));
        Self(Some(Arc::new(Lineage { first, previous: None, depth: 0, beyond, hops, trace: None })))
    }

    /// The task before, in this region; `None` of a point of origin, and of a task for which another region has asked.
    pub fn previous(&self) -> Option<&Hop> {
        self.0.as_ref()?.previous.as_ref()
    }

    /// The task of another region that has asked for it; `None`: it was started here.
    pub fn previous_hop(&self) -> Option<&HopBeyond> {
        self.0.as_ref()?.beyond.as_ref()
    }

    /// The number of requests from one region to another on the way to it.
    pub fn hops(&self) -> u32 {
        self.0.as_ref().map_or(0, |lineage| lineage.hops)
    }

    /// Number of tasks of this region between it and the first one here, that counted; 0: it is that.
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
        let Lineage { first, previous, depth, beyond, hops, trace } = &**self.0.as_ref()?;
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
        let fields = previous.unwrap_or(Hop::NONE).write(first.hop.write(fields));
        if first.applid.is_none() && *hops == 0 {
            // As an earlier version has it.
            return Some(if trace.is_some() { write_trace(trace.as_ref(), fields) } else { fields }.end());
        }
        let fields = write_trace(trace.as_ref(), fields)
            .bytes(first.applid.unwrap_or_default().as_ref())
            .number((*hops).into());
        Some(match beyond {
            Some(HopBeyond { applid, hop }) => hop.write(fields.bytes(applid.as_ref())).end(),
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
        let previous = Some(previous).filter(|hop| *hop != Hop::NONE);
        // A record without a place in a trace, and without other regions, ends here, or behind the place.
        let trace = if fields.is_at_end() { None } else { read_trace(fields)? };
        let (applid, hops, beyond) = if fields.is_at_end() { (None, 0, None) } else { read_beyond(fields)? };
        let first = First { applid, hop, user, started_by, facility, netname, client, server };
        Some(Self(Some(Arc::new(Lineage { first, previous, depth, beyond, hops, trace }))))
    }
}

/// An address that may be there.
fn address(fields: &mut FieldReader<'_>) -> Option<Option<SocketAddr>> {
    let text = fields.optional()?;
    Some(text.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok()))
}

fn write_trace(trace: Option<&TraceContext>, fields: FieldWriter) -> FieldWriter {
    let state = trace.and_then(|trace| trace.state.as_ref()).map(TraceState::text);
    let parent = trace.map(TraceContext::traceparent).unwrap_or_default();
    fields.bytes(parent.as_bytes()).optional(state.map(str::as_bytes))
}

fn read_trace(fields: &mut FieldReader<'_>) -> Option<Option<TraceContext>> {
    let (parent, state) = (fields.bytes()?, fields.optional()?);
    if parent.is_empty() {
        return Some(None);
    }
    TraceContext::read([parent], state).map(Some)
}

/// The region of the point of origin, the number of hops, and the last one.
fn read_beyond(fields: &mut FieldReader<'_>) -> Option<(Option<Name8>, u32, Option<HopBeyond>)> {
    let (applid, hops) = (fields.name::<8>()?, fields.number()?.try_into().ok()?);
    let applid = Some(applid).filter(|applid| !applid.is_blank());
    if fields.is_at_end() {
        return Some((applid, hops, None));
    }
    let beyond = HopBeyond { applid: fields.name()?, hop: Hop::read(fields)? };
    Some((applid, hops, Some(beyond)))
}

impl Hop {
    /// In a record: there is none. No task has the number 0.
    const NONE: Self =
        Self { number: 0, transaction: TransactionName::BLANK, attached: Moment { unix_ms: 0, offset_s: 0 } };

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
        let (number, transaction) = (fields.number()?.try_into().ok()?, fields.name()?);
        let attached = Moment { unix_ms: fields.number()?, offset_s: fields.number()?.try_into().ok()? };
        // It may have come from outside.
        let is_of_calendar = jiff::Timestamp::from_millisecond(attached.unix_ms).is_ok();
        is_of_calendar.then_some(Self { number, transaction, attached })
    }
}

impl First {
    /// A task that is a point of origin.
    pub(super) fn of(task: &TaskControl) -> Self {
        Self {
            applid: None,
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
    fn what_a_task_asks_another_region_for_knows_it_as_its_previous_hop() {
        let pay = task(17, "PAY", Origin::default());
        let mirror = task(5, "CSMI", Origin::beyond(&pay, Name8::from("REGA")));
        let hop = |task: &TaskControl| {
            task.origin.previous_hop().map(|hop| (hop.applid.to_string(), hop.hop.number))
        };
        let first = |task: &TaskControl| (task.first().applid, task.first().hop.number);
        assert_eq!((hop(&mirror), mirror.origin.hops()), (Some((String::from("REGA"), 17)), 1));
        assert_eq!((mirror.origin.previous(), mirror.origin.depth()), (None, 0));
        // What it starts in its region has the count alone, and it as the task before.
        let post = task(6, "POST", Origin::from_task(&mirror));
        assert_eq!((hop(&post), post.origin.hops(), post.origin.depth()), (None, 1, 1));
        assert_eq!(post.origin.previous().map(|hop| hop.number), Some(5));
        let further = task(8, "CSMI", Origin::beyond(&post, Name8::from("REGB")));
        assert_eq!((hop(&further), further.origin.hops()), (Some((String::from("REGB"), 6)), 2));
        for task in [&mirror, &post, &further] {
            assert_eq!(first(task), (Some(Name8::from("REGA")), 17));
        }
    }

    #[test]
    fn an_origin_of_another_region_is_read_as_it_was_written_and_a_torn_one_is_none() {
        let pay = task(17, "PAY", Origin::default());
        let beyond = Origin::beyond(&pay, Name8::from("REGA"));
        let started = Origin::from_task(&task(5, "CSMI", beyond.clone()));
        for origin in [beyond, started] {
            let bytes = origin.to_bytes().expect("it is inherited");
            assert_eq!(Origin::from_bytes(&bytes), Some(origin));
            assert_eq!(Origin::from_bytes(&bytes[..bytes.len() - 1]), None);
        }
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
