//! TDQUEUE definitions.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use spec::{cmd, cond};

use super::{
    Extrapartition, FileAccess, Intrapartition, Queue, QueueName, RecordShape, Recovery, RemoteQueue, Trigger,
};
use crate::transient_data::TransientData;
use kernel::name::Name;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, remote_system};

/// The installation of a TDQUEUE definition.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Tdqueue,
    create: cmd::CREATE_TDQUEUE,
    discard: cmd::DISCARD_TDQUEUE,
    reads: &[
        "TYPE",
        "INDIRECTNAME",
        "DSNAME",
        "TYPEFILE",
        "RECORDSIZE",
        "RECORDFORMAT",
        "TRANSID",
        "TRIGGERLEVEL",
        "ATIFACILITY",
        "FACILITYID",
        "USERID",
        "RECOVSTATUS",
        "WAIT",
        "WAITACTION",
        "REMOTESYSTEM",
        "REMOTENAME",
    ],
    without_effect: &[("SYSOUTCLASS", "records go to a file of the queue's name")],
    elsewhere: Some("requests raise SYSIDERR"),
    needs: &[&["TYPE", "REMOTESYSTEM"]],
    refuses: |definition| {
        let is_nowhere = definition.is("TYPE", "INDIRECT") && definition.get("INDIRECTNAME").is_none();
        if is_nowhere { Err(missing(definition, "INDIRECTNAME")) } else { Ok(()) }
    },
    install: |region, definition| {
        let name = QueueName::from(definition.name.as_str());
        TransientData::of(region).install(name, queue(region, definition)?);
        Ok(())
    },
    may_replace: |region, name| match TransientData::of(region).definition(QueueName::new(name)) {
        None => Ok(()),
        Some(_) => may_discard(region, name),
    },
    may_discard,
    remove: |region, name| TransientData::of(region).remove(QueueName::new(name)),
    status: None,
};

/// RESP2 of DISCARD TDQUEUE.
mod resp2 {
    /// QIDERR: there is none of that name.
    pub const NOT_FOUND: i32 = 1;
    /// INVREQ: the queue is the product's.
    pub const SUPPLIED: i32 = 11;
    /// INVREQ: the queue is not closed.
    pub const NOT_CLOSED: i32 = 18;
    /// INVREQ: the queue is not disabled.
    pub const NOT_DISABLED: i32 = 31;
    /// INVREQ: the queue keeps records that a restart would find again; the number is our own.
    pub const NOT_EMPTY: i32 = 0;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let queue = TransientData::of(region).definition(QueueName::new(name));
    let queue = queue.ok_or_else(|| cond::QIDERR.raise(resp2::NOT_FOUND))?;
    let refused = match &*queue {
        _ if name.starts_with(b"C") => resp2::SUPPLIED,
        Queue::Extrapartition(file) if file.is_open() => resp2::NOT_CLOSED,
        Queue::Extrapartition(_) | Queue::Intrapartition(_) if queue.is_enabled() => resp2::NOT_DISABLED,
        Queue::Intrapartition(queue) if queue.recovery != Recovery::None && !queue.is_empty() => {
            resp2::NOT_EMPTY
        }
        _ => return Ok(()),
    };
    Err(cond::INVREQ.raise(refused))
}

fn missing(definition: &Definition, what: &str) -> String {
    format!("{} {} needs {what}", definition.resource, definition.name)
}

fn queue(region: &Arc<Region>, definition: &Definition) -> Result<Queue, String> {
    if let Some(system) = remote_system(region, definition) {
        let name = definition.get("REMOTENAME").unwrap_or(&definition.name);
        return Ok(Queue::Remote(RemoteQueue { system, name: QueueName::from(name) }));
    }
    match definition.get("TYPE") {
        None => Err(missing(definition, "TYPE: its REMOTESYSTEM is this region")),
        Some("INDIRECT") => {
            let to = definition.get("INDIRECTNAME").ok_or_else(|| missing(definition, "INDIRECTNAME"))?;
            Ok(Queue::Indirect(Name::from(to)))
        }
        Some("EXTRA") => {
            let file = definition.get("DSNAME").unwrap_or(&definition.name).to_owned();
            let path = region.options.application_folder.join(file);
            let file = Extrapartition::new(path, record_shape(definition)).for_access(access(definition));
            Ok(Queue::Extrapartition(file))
        }
        Some(_) => Ok(Queue::Intrapartition(intrapartition(definition))),
    }
}

fn intrapartition(definition: &Definition) -> Intrapartition {
    let name = Name::from(definition.name.as_str());
    let trigger = definition.get("TRANSID").map(|transaction| Trigger {
        queue: name,
        transaction: Name::from(transaction),
        level: definition.number("TRIGGERLEVEL").unwrap_or(1) as usize,
        terminal: definition
            .is("ATIFACILITY", "TERMINAL")
            .then(|| Name::from(definition.get("FACILITYID").unwrap_or(&definition.name))),
        user: definition.get("USERID").map(Name::from),
    });
    let recovery = match definition.get("RECOVSTATUS") {
        Some("LOGICAL") => Recovery::Logical,
        Some("PHYSICAL") => Recovery::Physical,
        _ => Recovery::None,
    };
    let mut queue = Intrapartition::new(name, recovery, trigger);
    queue.waits_for_indoubt = definition.is("WAITACTION", "QUEUE");
    queue.may_be_in_doubt = !definition.is("WAIT", "NO");
    queue
}

/// TYPEFILE of a file; INPUT if the definition has none.
fn access(definition: &Definition) -> FileAccess {
    if definition.is("TYPEFILE", "OUTPUT") { FileAccess::Output } else { FileAccess::Input }
}

/// RECORDFORMAT and RECORDSIZE of a file; without a size, any record will do.
fn record_shape(definition: &Definition) -> RecordShape {
    match definition.number("RECORDSIZE").unwrap_or(0) as usize {
        0 => RecordShape::Any,
        size if definition.is("RECORDFORMAT", "FIXED") => RecordShape::Fixed(size),
        size => RecordShape::Variable(size),
    }
}
