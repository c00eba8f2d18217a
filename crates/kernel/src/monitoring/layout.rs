//! From what is measured to a record: which column takes what, and which published fields a column feeds.
//!
//! The columns are the measures of [`Measure`], the causes of waits and the counters of requests; the fields that they
//! feed are those of the records in `spec`. Nothing here knows a field's name.

use std::iter;
use std::net::SocketAddr;

use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
use spec::measures::{REQUEST_SLOTS, Source, monitoring_fields};

use super::Tasks;
use crate::clock::Moment;
use crate::control::{Facility, Request, TaskControl};
use crate::limits::WAIT_KINDS_MAX;
use crate::meters::{Account, End, Performance, Timed};
use crate::name::Name8;
use crate::waits::WaitKind;

/// What is measured of a task beside its waits and requests; its place is its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Measure {
    Transaction,
    Start,
    Stop,
    TaskNumber,
    User,
    Terminal,
    Luname,
    Program,
    StartType,
    Class,
    Priority,
    AbendOriginal,
    AbendCurrent,
    RecordType,
    RecordsWritten,
    TasksMax,
    Tasks,
    Dispatch,
    Cpu,
    QrDispatch,
    QrCpu,
    OpenDispatch,
    OpenCpu,
    Suspend,
    Redispatch,
    FirstDispatch,
    MxtDelay,
    ClassDelay,
    NamedWaits,
    Points,
    OriginApplid,
    OriginStart,
    OriginTask,
    OriginTransaction,
    OriginUser,
    OriginFacility,
    OriginClient,
    OriginClientPort,
    OriginServerPort,
    PreviousStart,
    PreviousTask,
    PreviousTransaction,
    Depth,
    RequestDoor,
    RequestPort,
    RequestClient,
    RequestClientPort,
    RequestTls,
    RequestMap,
    RequestPipeline,
    RequestService,
    RequestProgram,
    RequestReceives,
    RequestReceived,
    RequestSends,
    RequestSent,
    RequestReads,
    RequestWrites,
    RequestBrowses,
}

/// Each measure by the name that records give it, and how it is written.
const MEASURES: [(Measure, &str, ColumnForm); 59] = [
    (Measure::Transaction, "transaction", ColumnForm::Text),
    (Measure::Start, "start", ColumnForm::Stamp),
    (Measure::Stop, "stop", ColumnForm::Stamp),
    (Measure::TaskNumber, "task-number", ColumnForm::Value),
    (Measure::User, "user", ColumnForm::Text),
    (Measure::Terminal, "terminal", ColumnForm::Text),
    (Measure::Luname, "luname", ColumnForm::Text),
    (Measure::Program, "program", ColumnForm::Text),
    (Measure::StartType, "start-type", ColumnForm::Text),
    (Measure::Class, "class", ColumnForm::Text),
    (Measure::Priority, "priority", ColumnForm::Value),
    (Measure::AbendOriginal, "abend-original", ColumnForm::Text),
    (Measure::AbendCurrent, "abend-current", ColumnForm::Text),
    (Measure::RecordType, "record-type", ColumnForm::Text),
    (Measure::RecordsWritten, "records-written", ColumnForm::Count),
    (Measure::TasksMax, "tasks-max", ColumnForm::Value),
    (Measure::Tasks, "tasks", ColumnForm::Value),
    (Measure::Dispatch, "dispatch", ColumnForm::Clock),
    (Measure::Cpu, "cpu", ColumnForm::Clock),
    (Measure::QrDispatch, "qr-dispatch", ColumnForm::Clock),
    (Measure::QrCpu, "qr-cpu", ColumnForm::Clock),
    (Measure::OpenDispatch, "open-dispatch", ColumnForm::Clock),
    (Measure::OpenCpu, "open-cpu", ColumnForm::Clock),
    (Measure::Suspend, "suspend", ColumnForm::Clock),
    (Measure::Redispatch, "redispatch", ColumnForm::Clock),
    (Measure::FirstDispatch, "first-dispatch", ColumnForm::Clock),
    (Measure::MxtDelay, "mxt-delay", ColumnForm::Clock),
    (Measure::ClassDelay, "class-delay", ColumnForm::Clock),
    (Measure::NamedWaits, "named-waits", ColumnForm::Named),
    (Measure::Points, "points", ColumnForm::Named),
    (Measure::OriginApplid, "origin-applid", ColumnForm::Text),
    (Measure::OriginStart, "origin-start", ColumnForm::Stamp),
    (Measure::OriginTask, "origin-task", ColumnForm::Value),
    (Measure::OriginTransaction, "origin-transaction", ColumnForm::Text),
    (Measure::OriginUser, "origin-user", ColumnForm::Text),
    (Measure::OriginFacility, "origin-facility", ColumnForm::Text),
    (Measure::OriginClient, "origin-client", ColumnForm::Text),
    (Measure::OriginClientPort, "origin-client-port", ColumnForm::Value),
    (Measure::OriginServerPort, "origin-server-port", ColumnForm::Value),
    (Measure::PreviousStart, "previous-start", ColumnForm::Stamp),
    (Measure::PreviousTask, "previous-task", ColumnForm::Value),
    (Measure::PreviousTransaction, "previous-transaction", ColumnForm::Text),
    (Measure::Depth, "depth", ColumnForm::Count),
    (Measure::RequestDoor, "request-door", ColumnForm::Text),
    (Measure::RequestPort, "request-port", ColumnForm::Value),
    (Measure::RequestClient, "request-client", ColumnForm::Text),
    (Measure::RequestClientPort, "request-client-port", ColumnForm::Value),
    (Measure::RequestTls, "request-tls", ColumnForm::Text),
    (Measure::RequestMap, "request-map", ColumnForm::Text),
    (Measure::RequestPipeline, "request-pipeline", ColumnForm::Text),
    (Measure::RequestService, "request-service", ColumnForm::Text),
    (Measure::RequestProgram, "request-program", ColumnForm::Text),
    (Measure::RequestReceives, "request-receives", ColumnForm::Count),
    (Measure::RequestReceived, "request-received-bytes", ColumnForm::Count),
    (Measure::RequestSends, "request-sends", ColumnForm::Count),
    (Measure::RequestSent, "request-sent-bytes", ColumnForm::Count),
    (Measure::RequestReads, "request-reads", ColumnForm::Count),
    (Measure::RequestWrites, "request-writes", ColumnForm::Count),
    (Measure::RequestBrowses, "request-browses", ColumnForm::Count),
];

/// What is around a task that ends.
pub(super) struct Around {
    /// The region's APPLID.
    pub applid: Name8,
    /// How many tasks there are.
    pub tasks: Tasks,
}

/// The column of the first cause of waits, and of the first counter of requests.
const WAITS: usize = MEASURES.len();
const REQUESTS: usize = WAITS + WAIT_KINDS_MAX;

/// The kind of a performance record in its file.
const PERFORMANCE: usize = 0;

/// RTYPE: the task has ended.
const TASK_ENDED: &[u8] = b"T";

/// The fields of the performance record that take what `takes` says.
fn fields(takes: impl Fn(&Source) -> bool) -> String {
    let fields = monitoring_fields().iter().filter(|f| f.record == "performance" && takes(&f.source));
    fields.map(|field| field.name).collect::<Vec<_>>().join(" ")
}

/// The layout of files of monitoring records.
pub(super) fn layout() -> Layout {
    let measures = MEASURES.iter().map(|(_, name, form)| LayoutColumn {
        form: *form,
        names: fields(|source| *source == Source::Measured(name)),
    });
    let waits =
        WaitKind::all().map(Some).chain(iter::repeat(None)).take(WAIT_KINDS_MAX).map(|kind| LayoutColumn {
            form: ColumnForm::Clock,
            names: kind.map_or_else(String::new, |kind| {
                fields(|source| matches!(source, Source::Waits(causes) if causes.contains(&kind.row().name)))
            }),
        });
    let requests = (0..REQUEST_SLOTS).map(|slot| LayoutColumn {
        form: ColumnForm::Count,
        names: fields(
            |source| matches!(source, Source::Requests(slots) if slots.iter().any(|s| usize::from(*s) == slot)),
        ),
    });
    let columns = measures.chain(waits).chain(requests).collect();
    Layout { kinds: vec![KindLayout { name: "performance".to_owned(), columns }] }
}

/// Appends a task's record: whether it could be.
pub(super) fn encode(
    bytes: &mut Vec<u8>,
    control: &TaskControl,
    performance: &Performance,
    (account, response): (&Account, u64),
    around: &Around,
) -> bool {
    let mut record = Encoder::begin(bytes, PERFORMANCE);
    record.text(Measure::Transaction as usize, control.transaction.name.as_bytes());
    record.number(Measure::Start as usize, performance.started);
    record.number(Measure::Stop as usize, performance.started + response / 1_000);
    record.number(Measure::TaskNumber as usize, control.number.into());
    record.text(Measure::User as usize, control.user.id.as_bytes());
    record.text(Measure::Terminal as usize, control.facility.terminal_name().unwrap_or_default().as_bytes());
    record.text(Measure::Luname as usize, control.facility.netname().as_bytes());
    record.text(Measure::Program as usize, control.transaction.program.as_bytes());
    record.text(Measure::StartType as usize, control.start_code.as_bytes());
    record.text(Measure::Class as usize, control.transaction.class.as_bytes());
    record.text(Measure::RecordType as usize, TASK_ENDED);
    record.number(Measure::RecordsWritten as usize, 1);
    record.number(Measure::TasksMax as usize, around.tasks.most as u64);
    record.number(Measure::Tasks as usize, around.tasks.running as u64);
    if let Some(end) = &account.end {
        encode_end(&mut record, end);
    }
    encode_times(&mut record, account);
    encode_origin(&mut record, control, around.applid);
    if let Facility::Request(request) = &control.facility {
        encode_request(&mut record, &**request);
    }
    record.end()
}

/// Who started what: as INQUIRE ASSOCIATION tells it.
fn encode_origin(record: &mut Encoder<'_>, control: &TaskControl, applid: Name8) {
    let micros = |moment: Moment| u64::try_from(moment.unix_ms).unwrap_or_default() * 1_000;
    let port = |address: Option<SocketAddr>| address.map_or(0, |address| address.port()).into();
    let first = control.first();
    record.text(Measure::OriginApplid as usize, applid.as_bytes());
    record.number(Measure::OriginStart as usize, micros(first.hop.attached));
    record.number(Measure::OriginTask as usize, first.hop.number.into());
    record.text(Measure::OriginTransaction as usize, first.hop.transaction.as_bytes());
    record.text(Measure::OriginUser as usize, first.user.as_bytes());
    record.text(Measure::OriginFacility as usize, first.facility.as_bytes());
    if let Some(client) = first.client {
        record.text(Measure::OriginClient as usize, client.ip().to_canonical().to_string().as_bytes());
    }
    record.number(Measure::OriginClientPort as usize, port(first.client));
    record.number(Measure::OriginServerPort as usize, port(first.server));
    if let Some(previous) = control.origin.previous() {
        record.number(Measure::PreviousStart as usize, micros(previous.attached));
        record.number(Measure::PreviousTask as usize, previous.number.into());
        record.text(Measure::PreviousTransaction as usize, previous.transaction.as_bytes());
        record.number(Measure::Depth as usize, control.origin.depth().into());
    }
}

/// The request for which the task has worked.
fn encode_request(record: &mut Encoder<'_>, request: &dyn Request) {
    let (connection, told) = (request.connection(), request.measured());
    record.text(Measure::RequestDoor as usize, connection.door.as_bytes());
    record.number(Measure::RequestPort as usize, connection.server.port().into());
    let client = connection.client.ip().to_canonical().to_string();
    record.text(Measure::RequestClient as usize, client.as_bytes());
    record.number(Measure::RequestClientPort as usize, connection.client.port().into());
    for (column, text) in [
        (Measure::RequestTls, told.tls.as_bytes()),
        (Measure::RequestMap, told.map.as_bytes()),
        (Measure::RequestPipeline, told.pipeline.as_bytes()),
        (Measure::RequestService, told.service.as_bytes()),
        (Measure::RequestProgram, told.program.as_bytes()),
    ] {
        record.text(column as usize, text);
    }
    for (column, count) in [
        (Measure::RequestReceives, told.receives),
        (Measure::RequestReceived, told.received_bytes),
        (Measure::RequestSends, told.sends),
        (Measure::RequestSent, told.sent_bytes),
        (Measure::RequestReads, told.reads),
        (Measure::RequestWrites, told.writes),
        (Measure::RequestBrowses, told.browses),
    ] {
        record.number(column as usize, count);
    }
}

fn encode_end(record: &mut Encoder<'_>, end: &End) {
    record.number(Measure::Priority as usize, end.priority.into());
    record.text(Measure::AbendOriginal as usize, end.abends[0].as_bytes());
    record.text(Measure::AbendCurrent as usize, end.abends[1].as_bytes());
    for (slot, count) in end.requests.counted() {
        record.number(REQUESTS + slot, count);
    }
}

fn encode_times(record: &mut Encoder<'_>, account: &Account) {
    let mut clock = |column: Measure, timed: Timed| record.clock(column as usize, timed.time, timed.count);
    let sum = |[a, b]: [Timed; 2]| Timed { time: a.time + b.time, count: a.count + b.count };
    clock(Measure::Dispatch, sum(account.dispatch));
    clock(Measure::Cpu, sum(account.processor));
    clock(Measure::QrDispatch, account.dispatch[0]);
    clock(Measure::QrCpu, account.processor[0]);
    clock(Measure::OpenDispatch, account.dispatch[1]);
    clock(Measure::OpenCpu, account.processor[1]);
    clock(Measure::Suspend, account.suspend);
    clock(Measure::Redispatch, account.redispatch);
    clock(Measure::FirstDispatch, account.first_dispatch);
    clock(Measure::MxtDelay, account.limit_delay);
    clock(Measure::ClassDelay, account.class_delay);
    for (kind, timed) in account.waits.iter().enumerate() {
        record.clock(WAITS + kind, timed.time, timed.count);
    }
    for (column, list) in [(Measure::NamedWaits, &account.named_waits), (Measure::Points, &account.points)] {
        for (name, timed) in list {
            record.named(column as usize, name.as_bytes(), timed.time, timed.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use spec::measures::Form;

    use super::*;

    #[test]
    fn every_measure_stands_in_its_own_column() {
        for (place, (measure, name, _)) in MEASURES.iter().enumerate() {
            assert_eq!(*measure as usize, place, "{name}");
        }
    }

    #[test]
    fn every_source_of_a_field_is_a_measure_or_a_cause_of_the_same_form_and_all_of_them_are_used() {
        for field in monitoring_fields() {
            match field.source {
                Source::NotYet | Source::Requests(_) => {}
                // That each cause is a kind of waits is checked where all domains are known.
                Source::Waits(_) => {
                    assert_eq!(field.form, Form::Clock, "{}", field.name);
                }
                Source::Measured(name) => {
                    let form = MEASURES.iter().find(|(_, known, _)| *known == name).map(|(_, _, form)| *form);
                    let as_written = match field.form {
                        Form::Clock => ColumnForm::Clock,
                        Form::Count => ColumnForm::Count,
                        Form::Value => ColumnForm::Value,
                        Form::Time => ColumnForm::Time,
                        Form::Stamp => ColumnForm::Stamp,
                        Form::Text(_) => ColumnForm::Text,
                        Form::Named => ColumnForm::Named,
                    };
                    assert_eq!(form, Some(as_written), "{}: {name}", field.name);
                }
            }
        }
        for (place, column) in layout().kinds[PERFORMANCE].columns.iter().enumerate() {
            let is_free = (WAITS + WaitKind::GAVE_UP.place() + 1..REQUESTS).contains(&place);
            assert!(is_free || !column.names.is_empty(), "{:?} feeds no field", column.form);
        }
    }
}
