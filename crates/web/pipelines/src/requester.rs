//! A requester pipeline: the record of a program becomes a message to a server of others, and the answer a record.
//!
//! ```text
//! record ─► body, headers, envelope ─► handlers (SEND-REQUEST)     ─► transport
//! record ◄─ body, headers, envelope ◄─ handlers (RECEIVE-RESPONSE) ◄─ transport
//! ```

mod message;

use std::sync::Arc;
use std::time::Duration;

use kernel::channels::Channel;
use kernel::dispatcher::Context;
use kernel::name::{Name8, Name16};
use kernel::raise::{Abend, Outcome, Raise, RaiseCondition};
use soap::addressing::Addressing;
use spec::cond;

use crate::addressing::{self, Of};
use crate::apart::{content, put_filled};
use crate::invocation::Invocation;
use crate::local::{self, Local};
use crate::mtom;
use crate::passage::{
    BODY, Containers, Failed, Forth, Mode, Passage, REQUEST, RESPONSE, TEXT, TRANSACTION, URI, USER, Wrong,
};
use crate::resp2;
use crate::statistics::count;
use crate::transport::{Incoming, Outgoing, Transports, Unanswered};
use message::{Answer, Form};

/// Time that an answer may take by default, without RESPWAIT: as published for HTTP.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends a request; the answer's record is in the container then.
///
/// # Errors
/// The condition of INVOKE, or the abend of a task that was purged meanwhile.
pub(crate) async fn send(context: &mut Context<'_>, mut invocation: Invocation) -> Outcome {
    let Some(channel) = context.level().channel.clone() else { return Ok(()) };
    let record = channel.get(invocation.data).ok_or_else(|| cond::INVREQ.raise(resp2::NO_DATA))?;
    count(&invocation.pipeline.uses);
    count(&invocation.service.uses);
    let form = Form::of(&invocation);
    let containers = Containers::new();
    let said = addressed(&channel, &mut invocation, form);
    begin(context, &invocation, form, &containers).await?;
    let mut headers = form.headers(context, &invocation, &containers).await?;
    if let Some(said) = &said {
        said.write(&mut headers);
    }
    let apart = |name: &str| content(&channel, name);
    let written = form.write(invocation.operation(), &record.data, &apart, &headers);
    let body = written.map_err(|fault| conversion(&invocation, &fault))?;
    let Some(incoming) = pass(context, &invocation, form, &containers, body).await? else { return Ok(()) };
    match form.read(context, &invocation, &containers, &incoming).await? {
        Answer::Nothing => Ok(()),
        Answer::Record(filled) => put_filled(context.task(), &channel, invocation.data, filled).await,
        Answer::Fault(body) => {
            put_fault(context, &channel, body).await?;
            Err(cond::INVREQ.raise(resp2::FAULT))
        }
    }
}

/// Properties of a message for WS-Addressing: it goes to their address.
fn addressed(channel: &Channel, invocation: &mut Invocation, form: Form) -> Option<Addressing> {
    let is_addressed = addressing::is_addressed(&invocation.pipeline.configuration);
    if !is_addressed || !matches!(form, Form::Soap(_)) {
        return None;
    }
    let said = addressing::asks(channel, &invocation.url, &invocation.operation().action);
    addressing::save(channel, Of::Request, &said);
    let to = said.to.as_ref().filter(|to| *to != said.edition.anonymous());
    if let Some(to) = to {
        invocation.url.clone_from(to);
    }
    Some(said)
}

/// The fault of a service, where the caller looks for it.
async fn put_fault(context: &mut Context<'_>, channel: &Arc<Channel>, body: Vec<u8>) -> Outcome {
    context.task().put_container(channel, Name16::from(BODY), body, TEXT).await
}

/// A conversion that has failed, and the log.
fn conversion(invocation: &Invocation, fault: &mapping::MappingFault) -> Raise {
    let name = invocation.service.name;
    tracing::warn!(target: "PI", "DFHPI{} WEBSERVICE {name}: {fault}", fault.kind.message());
    cond::INVREQ.raise(resp2::CONVERSION)
}

/// Containers that programs of headers and handlers see.
async fn begin(
    context: &mut Context<'_>,
    invocation: &Invocation,
    form: Form,
    containers: &Containers,
) -> Outcome {
    let Invocation { service, pipeline, url, .. } = invocation;
    let is_seen = matches!(Local::parse(url), Some(Local::Program(_)));
    if !is_seen && pipeline.configuration.handlers.is_empty() && pipeline.configuration.headers.is_empty() {
        return Ok(());
    }
    let operation = invocation.operation();
    let (user, transaction) = (context.user.id.to_string(), context.transaction.name.to_string());
    let shown = [
        (URI, url.as_str()),
        ("DFHWS-WEBSERVICE", &service.name.to_string()),
        ("DFHWS-PIPELINE", &pipeline.name.to_string()),
        (USER, &user),
        (TRANSACTION, &transaction),
        ("DFHWS-SOAPACTION", &operation.action),
        ("DFH-SERVICEPLIST", &pipeline.configuration.parameters),
    ];
    let shows = async {
        containers.show(context, &shown).await?;
        containers.show_message(context, &operation.name, "", &form.number().to_be_bytes()).await
    };
    shows.await.map_err(|abend: Abend| Raise::Abend(abend.code))
}

/// Passes the request by the handlers to the server, and the answer back by them; `None` if a handler ends it.
async fn pass(
    context: &mut Context<'_>,
    invocation: &Invocation,
    form: Form,
    containers: &Containers,
    body: Vec<u8>,
) -> Outcome<Option<Incoming>> {
    let handlers = invocation.pipeline.configuration.handlers.as_slice();
    let mut passage =
        Passage { programs: context, handlers, containers: containers.clone(), mode: Mode::Requester };
    let failed = match there_and_back(&mut passage, invocation, form, body).await {
        Ok(incoming) => return Ok(incoming),
        Err(failed) => failed,
    };
    if let Unpassed::Raised(raise @ Raise::Abend(_)) = failed {
        return Err(raise);
    }
    let (place, raise) = match failed {
        Unpassed::Failed(failed) => (failed, cond::INVREQ.raise(resp2::PIPELINE)),
        Unpassed::Raised(raise) => ((handlers.len(), Wrong::Transport), raise),
    };
    passage.fails(place, Name8::BLANK).await;
    Err(raise)
}

/// Reasons why a message has not come back.
enum Unpassed {
    /// By a handler.
    Failed(Failed),
    /// By the server, or on the way to it.
    Raised(Raise),
}

impl From<Failed> for Unpassed {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

async fn there_and_back(
    passage: &mut Passage<'_, Context<'_>>,
    invocation: &Invocation,
    form: Form,
    body: Vec<u8>,
) -> Result<Option<Incoming>, Unpassed> {
    let answered = |body| Incoming { status: 200, media: Some(form.media().to_owned()), body };
    let body = match passage.forth(body).await? {
        Forth::Through(body) => body,
        Forth::Over => return Ok(None),
        Forth::Turned(at) => return Ok(Some(answered(passage.back(at).await?))),
    };
    let mut request = outgoing(invocation, form, &passage.containers, body);
    let mtom = invocation.pipeline.configuration.mtom.as_ref();
    let packed = mtom.and_then(|it| it.request(&request.media, &request.body, invocation.operation()));
    if let Some(packed) = packed {
        (request.media, request.body) = packed;
    }
    let incoming = match Local::parse(&request.url) {
        Some(to) => local::send(passage, &to, invocation, &request).await,
        None => exchange(passage.programs, &request).await,
    };
    let mut incoming = incoming.map_err(Unpassed::Raised)?;
    if mtom.is_some() {
        let unpacked = mtom::unpacked(&mut incoming.media, &mut incoming.body);
        unpacked.map_err(|fault| Unpassed::Raised(conversion(invocation, &fault)))?;
    }
    let end = passage.handlers.len();
    if end == 0 || incoming.body.is_empty() {
        return Ok(Some(incoming));
    }
    passage.containers.remove(REQUEST);
    passage.put(RESPONSE, &incoming.body).await.map_err(|wrong| (end, wrong))?;
    let body = passage.back(end).await?;
    Ok(Some(Incoming { body, ..incoming }))
}

/// A request in the words of the transport. Handlers may have changed where it goes, and its action.
fn outgoing(invocation: &Invocation, form: Form, containers: &Containers, body: Vec<u8>) -> Outgoing {
    let operation = invocation.operation();
    let text = |name: &str| {
        let bytes = containers.filled(name)?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    let action = text("DFHWS-SOAPACTION").unwrap_or_else(|| operation.action.clone());
    let (media, action) = form.envelope_of(&action);
    let url = text(URI).unwrap_or_else(|| invocation.url.clone());
    let is_json = matches!(form, Form::Json) && Local::parse(&url).is_none();
    Outgoing {
        // An operation of a service in JSON may have a path of its own behind that of the service.
        url: if is_json { format!("{}{}", url.trim_end_matches('/'), operation.path) } else { url },
        map: invocation.map,
        method: if is_json { operation.method.clone() } else { String::from("POST") },
        media,
        action,
        body,
        patience: invocation.pipeline.wait().map_or(PATIENCE, |seconds| Duration::from_secs(seconds.into())),
    }
}

/// Sends a request and receives its answer.
async fn exchange(context: &mut Context<'_>, request: &Outgoing) -> Outcome<Incoming> {
    let region = Arc::clone(&context.region);
    let transport = Transports::of(&region).get();
    let transport = transport.ok_or_else(|| cond::INVREQ.raise(resp2::TRANSPORT))?;
    transport.send(context.task(), request).await.map_err(|why| match why {
        Unanswered::Address => cond::INVREQ.raise(resp2::ADDRESS),
        Unanswered::Broken => cond::INVREQ.raise(resp2::TRANSPORT),
        Unanswered::TooSlow => cond::TIMEDOUT.raise(resp2::TOO_SLOW),
        Unanswered::Ended(raise) => raise,
    })
}
