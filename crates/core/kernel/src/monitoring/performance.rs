//! A record of the performance class: what was measured of a task, as columns.

use std::net::SocketAddr;

use instruments::format::Encoder;

use crate::clock::Moment;
use crate::control::{Connection, Facility, HopBeyond, RequestMeasures, TaskControl};
use crate::limits::WAIT_KINDS_MAX;
use crate::meters::{Account, End, Figure, Performance, Timed, columns};
use crate::name::Name8;
use crate::recovery::UnitId;
use crate::spans::TaskSpan;

columns! {
    /// The measures of a task beside its figures, waits and requests.
    pub(super) enum Measure {
        Transaction "transaction" Text,
        Start "start" Stamp,
        Stop "stop" Stamp,
        TaskNumber "task-number" Value,
        User "user" Text,
        Terminal "terminal" Text,
        Luname "luname" Text,
        Program "program" Text,
        StartType "start-type" Text,
        Class "class" Text,
        ServiceClass "service-class" Text,
        ReportClass "report-class" Text,
        Priority "priority" Value,
        AbendOriginal "abend-original" Text,
        AbendCurrent "abend-current" Text,
        RecordType "record-type" Text,
        RecordsWritten "records-written" Count,
        ErrorFlags "error-flags" Value,
        Machine "machine" Text,
        TasksMax "tasks-max" Value,
        Tasks "tasks" Value,
        ClassTasks "class-tasks" Count,
        Unit "unit" Text,
        RoutedTo "routed-to" Text,
        Over "came-over" Text,
        TraceId "trace-id" Text,
        ParentSpanId "parent-span-id" Text,
        SpanId "span-id" Text,
        Dispatch "dispatch" Clock,
        Cpu "cpu" Clock,
        QrDispatch "qr-dispatch" Clock,
        QrCpu "qr-cpu" Clock,
        OpenDispatch "open-dispatch" Clock,
        OpenCpu "open-cpu" Clock,
        Suspend "suspend" Clock,
        Redispatch "redispatch" Clock,
        QrRedispatch "qr-redispatch" Clock,
        FirstDispatch "first-dispatch" Clock,
        MxtDelay "mxt-delay" Clock,
        ClassDelay "class-delay" Clock,
        Exceptions "exception-waits" Clock,
        NamedWaits "named-waits" Named,
        Points "points" Named,
        UserClocks "user-clocks" Named,
        UserCounters "user-counters" Named,
        UserCharacters "user-characters" Text,
        OriginApplid "origin-applid" Text,
        OriginGroup "origin-group" Text,
        OriginStart "origin-start" Stamp,
        OriginTask "origin-task" Value,
        OriginTransaction "origin-transaction" Text,
        OriginUser "origin-user" Text,
        OriginFacility "origin-facility" Text,
        OriginDoor "origin-door" Text,
        OriginClient "origin-client" Text,
        OriginClientPort "origin-client-port" Value,
        OriginServerPort "origin-server-port" Value,
        PreviousStart "previous-start" Stamp,
        PreviousTask "previous-task" Value,
        PreviousTransaction "previous-transaction" Text,
        Depth "depth" Count,
        HopApplid "previous-hop-applid" Text,
        HopStart "previous-hop-start" Stamp,
        HopTask "previous-hop-task" Value,
        HopTransaction "previous-hop-transaction" Text,
        Hops "hops" Count,
        RequestDoor "request-door" Text,
        RequestPort "request-port" Value,
        RequestClient "request-client" Text,
        RequestClientPort "request-client-port" Value,
        RequestTls "request-tls" Text,
        RequestCipher "request-cipher" Text,
        RequestFirst "request-first" Text,
        RequestMap "request-map" Text,
        RequestPipeline "request-pipeline" Text,
        RequestService "request-service" Text,
        RequestOperation "request-operation" Text,
        RequestProgram "request-program" Text,
        RequestReceives "request-receives" Count,
        RequestReceived "request-received-bytes" Count,
        RequestSends "request-sends" Count,
        RequestSent "request-sent-bytes" Count,
        RequestReads "request-reads" Count,
        RequestWrites "request-writes" Count,
        RequestBrowses "request-browses" Count,
    }
}

/// The column of the first figure, of the first cause of waits, and of the first counter of requests.
const FIGURES: usize = Measure::ALL.len();
const WAITS: usize = FIGURES + Figure::ALL.len();
const REQUESTS: usize = WAITS + WAIT_KINDS_MAX;

/// The kind of a performance record in its file.
pub(super) const PERFORMANCE: usize = 0;

/// TASKFLAG: a clock of a program was started while it ran, or stopped while it did not.
const CLOCK_ERROR: u64 = 0x4000_0000;

/// The reason why a record is written: RTYPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordType {
    /// The task has ended.
    Ended,
    /// It waits for its terminal: MNCONV.
    Conversation,
    /// A program has asked for it: DELIVER of a monitoring point.
    Delivered,
    /// It is at work for long: FREQUENCY.
    Frequency,
    /// Its unit of work has ended: MNSYNC.
    Syncpoint,
}

impl RecordType {
    fn letter(self) -> &'static [u8] {
        match self {
            Self::Ended => b"T",
            Self::Conversation => b"C",
            Self::Delivered => b"D",
            Self::Frequency => b"F",
            Self::Syncpoint => b"S",
        }
    }
}

/// The rest that a record tells beside its measures.
pub(super) struct Around<'a> {
    pub why: RecordType,
    /// The unit of work of the task.
    pub unit: UnitId,
    /// The names of clocks and counters of programs: entry, true of a clock, number.
    pub name_of: &'a dyn Fn(Name8, bool, usize) -> String,
}

/// Appends a task's record. Returns false if it is longer than a record can be.
pub(super) fn encode(
    bytes: &mut Vec<u8>,
    control: &TaskControl,
    (performance, account): (&Performance, &Account),
    around: &Around<'_>,
) -> bool {
    let (applid, machine) = (performance.around.applid, performance.around.machine);
    let (transaction, user) = (control.transaction.name, control.user.id);
    let (service, report) = performance.around.classes(transaction.trimmed(), user.trimmed());
    let mut record = Encoder::begin(bytes, PERFORMANCE);
    for (column, text) in [
        (Measure::Transaction, transaction.as_bytes().as_slice()),
        (Measure::User, user.as_bytes()),
        (Measure::Terminal, control.facility.terminal_name().unwrap_or_default().as_bytes()),
        (Measure::Luname, control.facility.netname().as_bytes()),
        (Measure::Program, control.transaction.program.as_bytes()),
        (Measure::StartType, control.start_code.as_bytes()),
        (Measure::Class, control.transaction.class.as_bytes()),
        (Measure::ServiceClass, service.as_bytes()),
        (Measure::ReportClass, report.as_bytes()),
        (Measure::RecordType, around.why.letter()),
        (Measure::Machine, machine.as_bytes()),
        (Measure::RoutedTo, account.routed_to.as_bytes()),
        (Measure::Over, account.over.as_bytes()),
        (Measure::Unit, around.unit.to_string().as_bytes()),
    ] {
        record.text(column as usize, text);
    }
    for (column, number) in [
        (Measure::Start, account.started),
        (Measure::Stop, account.started + account.response() / 1_000),
        (Measure::TaskNumber, control.number.into()),
        (Measure::RecordsWritten, account.records),
        (Measure::ErrorFlags, if account.clock_error { CLOCK_ERROR } else { 0 }),
        (Measure::TasksMax, performance.tasks.most as u64),
        (Measure::Tasks, performance.tasks.running as u64),
        (Measure::ClassTasks, performance.tasks.of_class as u64),
    ] {
        record.number(column as usize, number);
    }
    if let Some(end) = &account.end {
        encode_end(&mut record, end);
    }
    encode_times(&mut record, account);
    let request = match &control.facility {
        Facility::Request(request) => Some((request.connection(), request.measured())),
        _ => None,
    };
    encode_figures(&mut record, account, request.as_ref().map(|(_, told)| told));
    encode_user(&mut record, account, around.name_of);
    encode_origin(&mut record, control, applid);
    if let Some(span) = control.span() {
        encode_span(&mut record, span);
    }
    if let Some((connection, told)) = &request {
        encode_request(&mut record, *connection, told);
    }
    record.end()
}

/// Microseconds from 1970 to a moment.
pub(super) fn micros(moment: Moment) -> u64 {
    u64::try_from(moment.unix_ms).unwrap_or_default() * 1_000
}

pub(super) fn port(address: Option<SocketAddr>) -> u64 {
    address.map_or(0, |address| address.port()).into()
}

/// The name that all tasks of one chain share: its region, the attach of its first task, and the number of that.
pub(super) fn group(control: &TaskControl, applid: Name8) -> String {
    let first = control.first();
    let applid = first.applid.unwrap_or(applid);
    format!("{applid}.{}.{}", micros(first.hop.attached) / 1_000, first.hop.number)
}

/// The origin of the task: as INQUIRE ASSOCIATION tells it.
fn encode_origin(record: &mut Encoder<'_>, control: &TaskControl, applid: Name8) {
    let first = control.first();
    record.text(Measure::OriginApplid as usize, first.applid.unwrap_or(applid).as_bytes());
    record.text(Measure::OriginGroup as usize, group(control, applid).as_bytes());
    record.number(Measure::OriginStart as usize, micros(first.hop.attached));
    record.number(Measure::OriginTask as usize, first.hop.number.into());
    record.text(Measure::OriginTransaction as usize, first.hop.transaction.as_bytes());
    record.text(Measure::OriginUser as usize, first.user.as_bytes());
    record.text(Measure::OriginFacility as usize, first.facility.as_bytes());
    if first.server.is_some() {
        record.text(Measure::OriginDoor as usize, first.facility.as_bytes());
    }
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
    if let Some(HopBeyond { applid, hop }) = control.origin.previous_hop() {
        record.text(Measure::HopApplid as usize, applid.as_bytes());
        record.number(Measure::HopStart as usize, micros(hop.attached));
        record.number(Measure::HopTask as usize, hop.number.into());
        record.text(Measure::HopTransaction as usize, hop.transaction.as_bytes());
    }
    record.number(Measure::Hops as usize, control.origin.hops().into());
}

/// The task's place in its trace.
fn encode_span(record: &mut Encoder<'_>, span: &TaskSpan) {
    let context = span.context();
    record.text(Measure::TraceId as usize, context.trace.to_string().as_bytes());
    record.text(Measure::SpanId as usize, context.span.to_string().as_bytes());
    if let Some(parent) = span.parent() {
        record.text(Measure::ParentSpanId as usize, parent.to_string().as_bytes());
    }
}

/// The request for which the task has worked.
fn encode_request(record: &mut Encoder<'_>, connection: Connection, told: &RequestMeasures) {
    record.text(Measure::RequestDoor as usize, connection.door.as_bytes());
    record.number(Measure::RequestPort as usize, connection.server.port().into());
    let client = connection.client.ip().to_canonical().to_string();
    record.text(Measure::RequestClient as usize, client.as_bytes());
    record.number(Measure::RequestClientPort as usize, connection.client.port().into());
    for (column, text) in [
        (Measure::RequestTls, told.tls.as_bytes()),
        (Measure::RequestCipher, told.cipher.as_bytes()),
        (Measure::RequestFirst, if told.first { b"YES".as_slice() } else { b"NO" }),
        (Measure::RequestMap, told.map.as_bytes()),
        (Measure::RequestPipeline, told.pipeline.as_bytes()),
        (Measure::RequestService, told.service.as_bytes()),
        (Measure::RequestOperation, told.operation.as_bytes()),
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
    clock(Measure::QrRedispatch, account.qr_redispatch);
    clock(Measure::FirstDispatch, account.first_dispatch);
    clock(Measure::MxtDelay, account.limit_delay);
    clock(Measure::ClassDelay, account.class_delay);
    clock(Measure::Exceptions, account.exceptions);
    for (kind, timed) in account.waits.iter().enumerate() {
        record.clock(WAITS + kind, timed.time, timed.count);
    }
    for (column, list) in [(Measure::NamedWaits, &account.named_waits), (Measure::Points, &account.points)] {
        for (name, timed) in list {
            record.named(column as usize, name.as_bytes(), timed.time, timed.count);
        }
    }
}

/// The figures that domains have added up, with those of the request.
fn encode_figures(record: &mut Encoder<'_>, account: &Account, request: Option<&RequestMeasures>) {
    use instruments::format::ColumnForm::Clock;
    let mut figures = account.figures;
    if let Some(told) = request {
        figures[Figure::BytesEncrypted as usize].count += told.encrypted;
        figures[Figure::BytesDecrypted as usize].count += told.decrypted;
        told.tls_ns.into_iter().for_each(|time| figures[Figure::Tls as usize].add(time));
    }
    for (place, (timed, (_, form))) in figures.iter().zip(Figure::ALL).enumerate() {
        match form {
            Clock => record.clock(FIGURES + place, timed.time, timed.count),
            _ => record.number(FIGURES + place, timed.count),
        }
    }
}

/// The clocks, counters and characters that programs keep by MONITOR.
fn encode_user(record: &mut Encoder<'_>, account: &Account, name_of: &dyn Fn(Name8, bool, usize) -> String) {
    let mut characters = Vec::new();
    for area in &account.user {
        for (number, timed) in area.clocks() {
            let name = name_of(area.entry, true, number);
            record.named(Measure::UserClocks as usize, name.as_bytes(), timed.time, timed.count);
        }
        for (number, counter) in area.counters() {
            let name = name_of(area.entry, false, number);
            record.named(Measure::UserCounters as usize, name.as_bytes(), 0, counter.into());
        }
        if !area.characters().is_empty() {
            let before: &[u8] = if characters.is_empty() { b"" } else { b" " };
            characters.extend([before, area.entry.trimmed(), b":", area.characters()].concat());
        }
    }
    record.text(Measure::UserCharacters as usize, &characters);
}
