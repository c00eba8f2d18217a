//! Records of the exception, identity and resource classes.

use instruments::format::Encoder;

use super::performance::{group, micros, port};
use crate::control::TaskControl;
use crate::meters::{Account, Exception, Performance, Used, UsedFigure, UsedKind, columns};

/// The kinds of these records in their file.
pub(super) const EXCEPTION: usize = 1;
pub(super) const IDENTITY: usize = 2;
pub(super) const RESOURCE: usize = 3;

columns! {
    /// The columns of an exception record.
    pub(super) enum Excepted {
        Transaction "transaction" Text,
        Terminal "terminal" Text,
        User "user" Text,
        StartType "start-type" Text,
        Start "exception-start" Stamp,
        Stop "exception-stop" Stamp,
        TaskNumber "task-number" Value,
        Priority "priority" Value,
        Luname "luname" Text,
        Number "exception-number" Count,
        ResourceType "exception-resource-type" Text,
        Resource "exception-resource" Text,
        ResourceLength "exception-resource-length" Value,
        Type "exception-type" Value,
        Class "class" Text,
        ServiceClass "service-class" Text,
        ReportClass "report-class" Text,
        Program "exception-program" Text,
    }
}

columns! {
    /// The columns of an identity record.
    pub(super) enum Identified {
        Transaction "transaction" Text,
        Start "start" Stamp,
        Stop "stop" Stamp,
        TaskNumber "task-number" Value,
        Applid "applid" Text,
        User "user" Text,
        OriginApplid "origin-applid" Text,
        OriginStart "origin-start" Stamp,
        OriginTask "origin-task" Value,
        OriginTransaction "origin-transaction" Text,
        OriginUser "origin-user" Text,
        OriginFacility "origin-facility" Text,
        OriginClient "origin-client" Text,
        OriginClientPort "origin-client-port" Value,
        PreviousStart "previous-start" Stamp,
        PreviousTask "previous-task" Value,
        PreviousTransaction "previous-transaction" Text,
        Depth "depth" Count,
    }
}

columns! {
    /// The columns of a resource record before its figures.
    pub(super) enum Resourced {
        Transaction "transaction" Text,
        Start "start" Stamp,
        Stop "stop" Stamp,
        TaskNumber "task-number" Value,
        User "user" Text,
        OriginGroup "origin-group" Text,
        File "file" Text,
        Queue "queue" Text,
        Program "shipped-program" Text,
        System "shipped-to" Text,
        Map "map" Text,
        Cipher "map-cipher" Text,
        Service "service" Text,
        Pipeline "service-pipeline" Text,
    }
}

/// EXCMNTYP: a wait.
const WAITED: u64 = 1;

/// Records a wait that is over for something that should have been there.
pub(super) fn record_exception(control: &TaskControl, performance: &Performance, exception: &Exception) {
    performance.around.recorder.append(control.tcb(), |bytes| {
        let (transaction, user) = (control.transaction.name, control.user.id);
        let (service, report) = performance.around.classes(transaction.trimmed(), user.trimmed());
        let program = control.stands().map(|(program, _)| program).unwrap_or_default();
        let mut record = Encoder::begin(bytes, EXCEPTION);
        for (column, text) in [
            (Excepted::Transaction, transaction.as_bytes().as_slice()),
            (Excepted::Terminal, control.facility.terminal_name().unwrap_or_default().as_bytes()),
            (Excepted::User, user.as_bytes()),
            (Excepted::StartType, control.start_code.as_bytes()),
            (Excepted::Luname, control.facility.netname().as_bytes()),
            (Excepted::ResourceType, exception.kind.row().resource_type.as_bytes()),
            (Excepted::Resource, exception.name.as_bytes()),
            (Excepted::Class, control.transaction.class.as_bytes()),
            (Excepted::ServiceClass, service.as_bytes()),
            (Excepted::ReportClass, report.as_bytes()),
            (Excepted::Program, program.as_bytes()),
        ] {
            record.text(column as usize, text);
        }
        for (column, number) in [
            (Excepted::Start, exception.begun),
            (Excepted::Stop, exception.ended),
            (Excepted::TaskNumber, control.number.into()),
            (Excepted::Priority, control.transaction.priority.into()),
            (Excepted::Number, exception.number),
            (Excepted::ResourceLength, exception.name.trimmed().len() as u64),
            (Excepted::Type, WAITED),
        ] {
            record.number(column as usize, number);
        }
        record.end()
    });
}

/// Records who has asked for a task that has ended.
pub(super) fn record_identity(control: &TaskControl, performance: &Performance, account: &Account) {
    performance.around.recorder.append(control.tcb(), |bytes| {
        let (first, applid) = (control.first(), performance.around.applid);
        let mut record = Encoder::begin(bytes, IDENTITY);
        let client = first.client.map(|client| client.ip().to_canonical().to_string()).unwrap_or_default();
        for (column, text) in [
            (Identified::Transaction, control.transaction.name.as_bytes().as_slice()),
            (Identified::Applid, applid.as_bytes()),
            (Identified::User, control.user.id.as_bytes()),
            (Identified::OriginApplid, first.applid.unwrap_or(applid).as_bytes()),
            (Identified::OriginTransaction, first.hop.transaction.as_bytes()),
            (Identified::OriginUser, first.user.as_bytes()),
            (Identified::OriginFacility, first.facility.as_bytes()),
            (Identified::OriginClient, client.as_bytes()),
        ] {
            record.text(column as usize, text);
        }
        for (column, number) in [
            (Identified::Start, account.started),
            (Identified::Stop, account.started + account.response() / 1_000),
            (Identified::TaskNumber, control.number.into()),
            (Identified::OriginStart, micros(first.hop.attached)),
            (Identified::OriginTask, first.hop.number.into()),
            (Identified::OriginClientPort, port(first.client)),
        ] {
            record.number(column as usize, number);
        }
        if let Some(previous) = control.origin.previous() {
            record.number(Identified::PreviousStart as usize, micros(previous.attached));
            record.number(Identified::PreviousTask as usize, previous.number.into());
            record.text(Identified::PreviousTransaction as usize, previous.transaction.as_bytes());
            record.number(Identified::Depth as usize, control.origin.depth().into());
        }
        record.end()
    });
}

/// Records each resource that a task has used.
pub(super) fn record_resources(control: &TaskControl, performance: &Performance, account: &Account) {
    for used in &account.used {
        performance.around.recorder.append(control.tcb(), |bytes| {
            let mut record = Encoder::begin(bytes, RESOURCE);
            record.text(Resourced::Transaction as usize, control.transaction.name.as_bytes());
            record.number(Resourced::Start as usize, account.started);
            record.number(Resourced::Stop as usize, account.started + account.response() / 1_000);
            record.number(Resourced::TaskNumber as usize, control.number.into());
            record.text(Resourced::User as usize, control.user.id.as_bytes());
            record
                .text(Resourced::OriginGroup as usize, group(control, performance.around.applid).as_bytes());
            encode_used(&mut record, used);
            record.end()
        });
    }
}

fn encode_used(record: &mut Encoder<'_>, used: &Used) {
    use instruments::format::ColumnForm::Clock;
    let (name, other) = match used.kind {
        UsedKind::File => (Resourced::File, None),
        UsedKind::Queue => (Resourced::Queue, None),
        UsedKind::Program => (Resourced::Program, Some(Resourced::System)),
        UsedKind::UriMap => (Resourced::Map, Some(Resourced::Cipher)),
        UsedKind::WebService => (Resourced::Service, Some(Resourced::Pipeline)),
    };
    record.text(name as usize, used.name.as_bytes());
    if let Some(column) = other {
        record.text(column as usize, used.other.as_bytes());
    }
    let first = Resourced::ALL.len();
    for (place, (timed, (_, form))) in used.figures.iter().zip(UsedFigure::ALL).enumerate() {
        match form {
            Clock => record.clock(first + place, timed.time, timed.count),
            _ => record.number(first + place, timed.count),
        }
    }
}
