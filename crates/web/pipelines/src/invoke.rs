//! INVOKE SERVICE: a service is called by its WEBSERVICE.
//!
//! A binding that names its program is served here, without a message: LINK with the caller's channel, or with a COMMAREA made
//! of its container. Any other is a service elsewhere, to which a requester pipeline sends a message. What stands
//! between is DFHPIRT, which says to the command what it comes to.

use std::sync::Arc;

use binding::Interface;
use http::url::Url;
use kernel::channels::DataType;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Answers, Call, Flow, Handler, Link, may_run_program};
use kernel::meters::{Figure, UsedFigure, UsedKind};
use kernel::name::{Name, Name8, Name16};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::{Task, TaskPart};
use spec::{OptionId, cmd, cond, opt};

use crate::invocation::Invocation;
use crate::local::Local;
use crate::pipeline::{Pipeline, Pipelines};
use crate::transport::{NoMap, Transports};
use crate::webservice::{WebService, WebServices};
use crate::{requester, resp2};

/// The program between, by its published name.
const PROGRAM: &str = "DFHPIRT";
/// The container of a caller's record, where a binding names no other.
const DATA: &str = "DFHWS-DATA";
/// Bytes of URI.
const URI_MAX: usize = 255;

/// The commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INVOKE_SERVICE, Handler::Control(|task, call| invoke(task, call, opt::SERVICE))),
    (cmd::INVOKE_WEBSERVICE, Handler::Control(|task, call| invoke(task, call, opt::WEBSERVICE))),
];

/// Installs the program between.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(PROGRAM), between));
}

/// Service that a task has invoked, until the program between takes it over.
#[derive(Default)]
struct Invoked(Option<To>);

impl TaskPart for Invoked {}

/// Whose service it is.
enum To {
    /// Ours, with a COMMAREA.
    Here(Arc<WebService>),
    /// A service elsewhere.
    There(Invocation),
}

fn invoke(task: &mut Task, call: &Call<'_>, named: OptionId) -> Outcome<Flow> {
    let name: Name<32> = call.need_name(named)?;
    // A scope is that of a service in a bundle: there are none.
    if call.has(opt::SCOPE) && call.outgoing(opt::SCOPE, opt::SCOPELEN, URI_MAX)?.is_some() {
        return Err(cond::NOTFND.raise(resp2::NO_SERVICE));
    }
    let service =
        WebServices::of(&task.region).get(name).ok_or_else(|| cond::NOTFND.raise(resp2::NO_SERVICE))?;
    let pipeline = pipeline(&task.region, &service)?;
    let operation = operation(call, &service)?;
    let channel = match call.name::<16>(opt::CHANNEL)? {
        Some(name) => task.channel(name),
        None => task.level().channel.clone(),
    };
    let channel = channel.ok_or_else(|| cond::INVREQ.raise(resp2::NO_CHANNEL))?;
    let container = match &service.service.interface {
        Interface::Channel(container) => container.as_str(),
        Interface::Commarea => DATA,
    };
    let data = Name16::from(container);
    let requester = pipeline.filter(|it| !it.configuration.provides || service.service.program.is_empty());
    let is_channel = matches!(service.service.interface, Interface::Channel(_));
    if requester.is_none() {
        may_run_program(task, Name8::from(service.service.program.as_str()))?;
    }
    let program = match requester {
        None if is_channel => Name8::from(service.service.program.as_str()),
        _ if channel.get(data).is_none() => return Err(cond::INVREQ.raise(resp2::NO_DATA)),
        None => {
            task.kept.part::<Invoked>().0 = Some(To::Here(service));
            Name8::from(PROGRAM)
        }
        Some(pipeline) => {
            let (url, map) = address(task, call, &service)?;
            let invocation = Invocation { service, operation, pipeline, url, map, data };
            task.kept.part::<Invoked>().0 = Some(To::There(invocation));
            Name8::from(PROGRAM)
        }
    };
    let program = Programs::of(&task.region).usable(program).map_err(Raise::from)?;
    Ok(Flow::Link(Link { program, commarea: None, channel: Some(channel), input_message: None }))
}

/// The PIPELINE of a service, which must take messages; none is that of the gateway.
fn pipeline(region: &Region, service: &WebService) -> Outcome<Option<Arc<Pipeline>>> {
    if service.pipeline.is_blank() {
        return Ok(None);
    }
    let found = Pipelines::of(region).get(service.pipeline).filter(|pipeline| pipeline.is_enabled());
    found.map(Some).ok_or_else(|| cond::INVREQ.raise(resp2::PIPELINE))
}

/// Returns the place of the operation that a command names. It need not name one if there is only one.
fn operation(call: &Call<'_>, service: &WebService) -> Outcome<usize> {
    let operations = &service.service.operations;
    let found = match call.bytes(opt::OPERATION)? {
        Some(name) => operations.iter().position(|own| own.name.as_bytes() == name.trim_ascii()),
        None => (operations.len() == 1).then_some(0),
    };
    found.ok_or_else(|| cond::INVREQ.raise(resp2::NO_OPERATION))
}

/// Address of the service: from URI, URIMAP, or its binding; and the URIMAP that the program has named.
fn address(task: &Task, call: &Call<'_>, service: &WebService) -> Outcome<(String, Option<Name8>)> {
    let none = || cond::INVREQ.raise(resp2::ADDRESS);
    let map: Option<Name8> = call.name(opt::URIMAP)?;
    let url = match (call.bytes(opt::URI)?, map) {
        (Some(uri), _) => {
            let uri = uri.trim_ascii();
            if uri.len() > URI_MAX {
                return Err(none());
            }
            String::from_utf8_lossy(uri).into_owned()
        }
        (None, Some(map)) => {
            let transport = Transports::of(&task.region).get().ok_or_else(none)?;
            transport.url_of(&task.region, map).map_err(|why| match why {
                NoMap::Unknown => cond::NOTFND.raise(resp2::NO_MAP),
                NoMap::Unusable => none(),
            })?
        }
        (None, None) => service.service.uri.clone(),
    };
    if Url::parse(&url).is_some() || Local::parse(&url).is_some() { Ok((url, map)) } else { Err(none()) }
}

/// DFHPIRT: what stands between a caller's channel and the service.
fn between<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let outcome = match context.task().kept.part::<Invoked>().0.take() {
            // A program has LINKed to it.
            None => Ok(()),
            Some(To::Here(service)) => here(context, &service).await,
            Some(To::There(invocation)) => {
                let (name, pipeline) = (invocation.service.name, invocation.service.pipeline);
                let watch = context.task().stopwatch();
                let sent = requester::send(context, invocation).await;
                let task = context.task();
                task.stops(watch, Figure::InvokeTime);
                let service = (UsedKind::WebService, name.trimmed(), pipeline.trimmed());
                task.used(service, watch, (&[UsedFigure::ServiceInvoke], &[]));
                sent
            }
        };
        match outcome {
            Ok(()) => {}
            Err(raise @ Raise::Condition(..)) => context.task().came_to = Some(raise),
            Err(abend) => return Err(abend),
        }
        Ok(Flow::Return)
    })
}

/// The caller's container is the program's COMMAREA, and back.
async fn here(context: &mut Context<'_>, service: &WebService) -> Outcome {
    let Some(channel) = context.level().channel.clone() else { return Ok(()) };
    let data = Name16::from(DATA);
    let Some(container) = channel.get(data) else { return Ok(()) };
    let mappings = service.service.operations.iter().flat_map(|it| [&it.request, &it.response]).flatten();
    let length = mappings.map(mapping::Mapping::length).max().unwrap_or_default();
    let mut commarea = container.data.to_vec();
    commarea.resize(commarea.len().max(length), 0);
    let area = areas::Area::with(&commarea);
    let program = Name8::from(service.service.program.as_str());
    context.link(program, Some(&area), None).await.map_err(|abend| Raise::Abend(abend.code))?;
    context.task().put_container(&channel, data, area.to_vec(), DataType::Bit).await
}
