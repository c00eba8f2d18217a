//! EXEC CICS CREATE and DISCARD: one function each for all types.

use csd::{AttributeFault, Definition};
use spec::{CommandId, cond, opt};

use super::{check, create, discard, name_text};
use kernel::catalog;
use kernel::exec::{Call, Handler, Waiting};
use kernel::name::Name;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Defined, Kind, Manager};
use kernel::task::Task;

/// CREATE and DISCARD of a type that is defined.
pub(super) fn of_type(defined: &Defined) -> [(CommandId, Handler); 2] {
    [(defined.create, Handler::Waits(create_resource)), (defined.discard, Handler::Waits(discard_resource))]
}

/// The queue that gets the attributes of created resources.
const LOG: &str = "CSDL";

/// RESP2 of CREATE.
mod resp2 {
    /// LENGERR: ATTRLEN is negative.
    pub const LENGTH: i32 = 1;
    /// INVREQ: LOGMESSAGE is neither LOG nor NOLOG.
    pub const LOGMESSAGE: i32 = 7;
    /// INVREQ: a parenthesis where none can be, at an offset.
    pub const DELIMITER: i32 = 400;
    /// INVREQ: a word is not an attribute, at an offset.
    pub const KEYWORD: i32 = 401;
    /// INVREQ: a word is an abbreviation of several attributes, at an offset.
    pub const AMBIGUOUS: i32 = 402;
    /// INVREQ: an attribute is given twice.
    pub const TWICE: i32 = 406;
    /// INVREQ: a value is not legal.
    pub const VALUE: i32 = 410;
    /// INVREQ: an attribute has no value.
    pub const NO_VALUE: i32 = 412;
}

/// CREATE: a syncpoint comes with it once the definition is read, and a rollback where the resource is refused then.
fn create_resource<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let kind = of_command(call)?;
        let logs = logs(call)?;
        let definition = definition(kind, call)?;
        match create(&Manager::of(task), &definition).await {
            Ok(()) => task.syncpoint().await?,
            Err(refused) => {
                task.rollback().await;
                return Err(refused);
            }
        }
        if logs {
            log(task, &definition);
        }
        Ok(())
    })
}

/// DISCARD.
fn discard_resource<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let kind = of_command(call)?;
        let name = call.bytes(kind.table.name())?.unwrap_or_default();
        discard(&Manager::of(task), kind, &name).await
    })
}

/// The type of a command's resource.
fn of_command(call: &Call<'_>) -> Outcome<&'static Kind> {
    let command = call.command();
    let is_its = |kind: &&Kind| kind.defined.is_some_and(|d| d.create == command || d.discard == command);
    catalog::kinds().into_iter().find(is_its).ok_or_else(|| cond::INVREQ.raise(0))
}

/// Returns true if the attributes go to the log: unless NOLOG, by keyword or by LOGMESSAGE.
fn logs(call: &Call<'_>) -> Outcome<bool> {
    let Some(value) = call.number(opt::LOGMESSAGE)? else { return Ok(!call.keyword(opt::NOLOG)) };
    match i32::try_from(value).ok().and_then(spec::cvda_name) {
        Some("LOG") => Ok(true),
        Some("NOLOG") => Ok(false),
        _ => Err(cond::INVREQ.raise(resp2::LOGMESSAGE)),
    }
}

/// The definition that a command gives.
fn definition(kind: &Kind, call: &Call<'_>) -> Outcome<Definition> {
    let defined = kind.defined.ok_or_else(|| cond::INVREQ.raise(0))?;
    let length = match call.number(opt::ATTRLEN)? {
        None => call.size(opt::ATTRIBUTES),
        Some(length) => usize::try_from(length).map_err(|_| cond::LENGERR.raise(resp2::LENGTH))?,
    };
    let text = call.bytes_of(opt::ATTRIBUTES, length)?.unwrap_or_default();
    let name = name_text(&call.bytes(kind.table.name())?.unwrap_or_default());
    if name.is_empty() || name.contains(' ') {
        tracing::warn!(target: "RD", "{} '{name}' is not created: a name has no blanks", defined.resource);
        return Err(cond::INVREQ.raise(resp2::VALUE));
    }
    let definition = csd::read_attributes(defined.resource, &name, &name_text(&text)).map_err(|wrong| {
        tracing::warn!(target: "RD", "{} {name} is not created: {}", defined.resource, wrong.message);
        refused(wrong.fault, wrong.offset)
    })?;
    check(defined, &definition)?;
    Ok(definition)
}

/// The condition for a fault of ATTRIBUTES. RESP2 has two halves: the fault, and its place if the string itself is at fault.
pub(super) fn refused(fault: AttributeFault, offset: usize) -> Raise {
    let (number, at) = match fault {
        AttributeFault::Delimiter => (resp2::DELIMITER, offset),
        AttributeFault::Keyword => (resp2::KEYWORD, offset),
        AttributeFault::Ambiguous => (resp2::AMBIGUOUS, offset),
        AttributeFault::Twice => (resp2::TWICE, 0),
        AttributeFault::Value => (resp2::VALUE, 0),
        AttributeFault::NoValue => (resp2::NO_VALUE, 0),
    };
    let half = i32::try_from(at).unwrap_or(0).min(i16::MAX.into());
    cond::INVREQ.raise(half << 16 | number)
}

/// Writes the created definition to its queue. A failure to write changes nothing.
fn log(task: &Task, definition: &Definition) {
    let Definition { resource, name, .. } = definition;
    let text = format!("CREATE {resource}({name}) {}", definition.attributes_text());
    let bytes = task.characters().bytes(&text);
    if let Err(raise) = domains::transient_data::put(&task.region, Name::from(LOG), &bytes, &task.user) {
        tracing::debug!(target: "RD", "{LOG} does not take what was created: {raise}");
    }
}
