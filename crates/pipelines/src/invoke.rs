//! INVOKE SERVICE: a service of this region is called without a message.
//!
//! A binding that names its program is served here: LINK with the caller's channel, or with a COMMAREA made of its
//! container by a native program between the two.

use std::sync::Arc;

use binding::Interface;
use kernel::channels::DataType;
use kernel::dispatcher::{Context, NativeWaiting};
use kernel::exec::{Answers, Call, Flow, Handler, Link};
use kernel::name::{Name, Name8, Name16};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::{Task, TaskPart};
use spec::{OptionId, cmd, cond, opt};

use crate::pipeline::Pipelines;
use crate::webservice::{WebService, WebServices};

/// RESP2 of what goes wrong. Recalled, not read.
mod resp2 {
    pub const NO_SERVICE: i32 = 1;
    pub const NOT_IN_USE: i32 = 2;
    pub const NO_OPERATION: i32 = 3;
    pub const NO_CHANNEL: i32 = 5;
    /// A service of others: no transport takes the message there.
    pub const NO_TRANSPORT: i32 = 7;
    pub const NO_DATA: i32 = 8;
}

/// The program between a channel and a COMMAREA, by the published name of the requester's.
const PROGRAM: &str = "DFHPIRT";
/// The container of a caller's record.
const DATA: &str = "DFHWS-DATA";

/// The commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INVOKE_SERVICE, Handler::Control(|task, call| invoke(task, call, opt::SERVICE))),
    (cmd::INVOKE_WEBSERVICE, Handler::Control(|task, call| invoke(task, call, opt::WEBSERVICE))),
];

/// Installs the program between.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::native(Name8::from(PROGRAM), between));
}

/// The service that a task has invoked, until the program between takes it over.
#[derive(Default)]
struct Invoked(Option<Arc<WebService>>);

impl TaskPart for Invoked {}

fn invoke(task: &mut Task, call: &Call<'_>, named: OptionId) -> Outcome<Flow> {
    let name: Name<32> = call.need_name(named)?;
    let service =
        WebServices::of(&task.region).get(name).ok_or_else(|| cond::NOTFND.raise(resp2::NO_SERVICE))?;
    if !is_in_use(&task.region, &service) {
        return Err(cond::INVREQ.raise(resp2::NOT_IN_USE));
    }
    if let Some(operation) = call.bytes(opt::OPERATION)? {
        let wanted = operation.trim_ascii();
        if !service.service.operations.iter().any(|own| own.name.as_bytes() == wanted) {
            return Err(cond::INVREQ.raise(resp2::NO_OPERATION));
        }
    }
    let channel = match call.name::<16>(opt::CHANNEL)? {
        Some(name) => task.channel(name),
        None => task.level().channel.clone(),
    };
    let channel = channel.ok_or_else(|| cond::INVREQ.raise(resp2::NO_CHANNEL))?;
    if service.service.program.is_empty() {
        return Err(cond::INVREQ.raise(resp2::NO_TRANSPORT));
    }
    let program = match &service.service.interface {
        Interface::Channel(_) => Name8::from(service.service.program.as_str()),
        Interface::Commarea if channel.get(Name16::from(DATA)).is_none() => {
            return Err(cond::INVREQ.raise(resp2::NO_DATA));
        }
        Interface::Commarea => {
            task.kept.part::<Invoked>().0 = Some(service);
            Name8::from(PROGRAM)
        }
    };
    let program = Programs::of(&task.region).usable(program).map_err(Raise::from)?;
    Ok(Flow::Link(Link { program, commarea: None, channel: Some(channel), input_message: None }))
}

/// Whether a service and its PIPELINE take messages.
fn is_in_use(region: &Region, service: &WebService) -> bool {
    let found = || Pipelines::of(region).get(service.pipeline);
    service.pipeline.is_blank() || found().is_some_and(|pipeline| pipeline.is_enabled())
}

/// DFHPIRT: the caller's container is the program's COMMAREA, and back.
fn between<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    Box::pin(async move {
        let Some(service) = context.task().kept.part::<Invoked>().0.take() else { return Ok(Flow::Return) };
        let Some(channel) = context.level().channel.clone() else { return Ok(Flow::Return) };
        let data = Name16::from(DATA);
        let Some(container) = channel.get(data) else { return Ok(Flow::Return) };
        let mappings = service.service.operations.iter().flat_map(|it| [&it.request, &it.response]).flatten();
        let length = mappings.map(mapping::Mapping::length).max().unwrap_or_default();
        let mut commarea = container.data.to_vec();
        commarea.resize(commarea.len().max(length), 0);
        let area = cobol::Area::with(&commarea);
        let program = Name8::from(service.service.program.as_str());
        if let Err(abend) = context.link(program, Some(&area), None).await {
            return Ok(Flow::Abend(abend));
        }
        context.task().put_container(&channel, data, area.to_vec(), DataType::Bit).await?;
        Ok(Flow::Return)
    })
}
