//! The gateway: the task that serves requests for WEBSERVICEs, and requests that come without HTTP.

use std::sync::Arc;

use kernel::channels::{Bytes, Channel, DataType};
use kernel::dispatcher::{Attach, AttachError, Context, SuppliedWaiting};
use kernel::exec::{Flow, Parcel};
use kernel::name::{Name8, Name16, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use kernel::transactions::{Supplied, Transaction, Transactions};
use operation::outside::wait_for;
use spec::cmd;

use crate::configuration::{Configuration, Form};
use crate::pipeline::Pipelines;
use crate::provider::{Reply, Request, provide};
use crate::statistics::count;
use crate::webservice::{ServiceName, WebService, WebServices};

/// The transaction of inbound requests, by its published name, and its program, which a door for HTTP brings along.
pub const TRANSACTION: &str = "CPIH";
/// See [`TRANSACTION`].
pub const PROGRAM: &str = "DFHPIDSH";
/// The program of requests that come without HTTP.
const GATEWAY: &str = "DFHPIGW";
/// The channel of a request that comes without HTTP, and what is in it.
const CHANNEL: &str = "DFHGATEWAY";
const SERVICE: &str = "SERVICE";
const BODY: &str = "BODY";
const MEDIA: &str = "MEDIA";
const STATUS: &str = "STATUS";

/// Installs the program of requests without HTTP, and the transaction of all.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(GATEWAY), serves));
    let transaction = Transaction::new(TransactionName::from(TRANSACTION), Name8::from(PROGRAM));
    Transactions::of(region).install(Transaction { supplied: Supplied::Open, dump: false, ..transaction });
}

/// Reasons why there is no reply.
#[derive(Debug)]
pub enum Unserved {
    /// There is no such WEBSERVICE.
    Unknown,
    /// There is no task for it.
    NotAttached(AttachError),
    /// Its task has ended with an abend.
    Abended(String),
}

/// Calls a WEBSERVICE without HTTP, in a task of its own: its reply, after the task's end.
///
/// # Errors
/// See [`Unserved`].
pub async fn call(
    region: &Arc<Region>,
    user: Arc<User>,
    name: &str,
    media: Option<&str>,
    body: &[u8],
) -> Result<Reply, Unserved> {
    let service = WebServices::of(region).get(ServiceName::from(name)).ok_or(Unserved::Unknown)?;
    let own = service.service.transaction.as_deref().unwrap_or(TRANSACTION);
    let mut attach = Attach::new(TransactionName::from(own), StartCode::System, user);
    attach.program = Some(Name8::from(GATEWAY));
    attach.asks = true;
    let channel = Channel::new(Name16::from(CHANNEL));
    put(&channel, SERVICE, name.as_bytes());
    put(&channel, BODY, body);
    if let Some(media) = media {
        put(&channel, MEDIA, media.as_bytes());
    }
    attach.channel = Some(Arc::clone(&channel));
    let ran = wait_for(region, attach).await.map_err(Unserved::NotAttached)?;
    let reply = || {
        let status = take(&channel, STATUS)?.try_into().ok().map(u16::from_be_bytes)?;
        let media = String::from_utf8(take(&channel, MEDIA)?).ok()?;
        Some(Reply::of(status, &media, take(&channel, BODY)?))
    };
    match (ran.abend, reply()) {
        (None, Some(reply)) => Ok(reply),
        (Some((code, _)), _) => Err(Unserved::Abended(code.to_string())),
        (None, None) => Err(Unserved::Abended(String::from("without a reply"))),
    }
}

fn put(channel: &Channel, name: &str, bytes: &[u8]) {
    channel.put(Name16::from(name), Bytes::own(bytes), DataType::Bit);
}

fn take(channel: &Channel, name: &str) -> Option<Vec<u8>> {
    channel.get(Name16::from(name)).map(|container| container.data.to_vec())
}

/// DFHPIGW: serves the request that its task has come with.
fn serves<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let channel = context.level().channel.clone().filter(|it| it.name == Name16::from(CHANNEL));
        // A user has typed its name.
        let Some(channel) = channel else { return Ok(Flow::Return) };
        let text = |name| take(&channel, name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let name = ServiceName::from(text(SERVICE).unwrap_or_default().as_str());
        let Some(service) = WebServices::of(&context.region).get(name) else { return Ok(Flow::Return) };
        let request = Request {
            method: None,
            uri: service.service.uri.clone(),
            media: text(MEDIA),
            action: None,
            user: context.user.id.to_string(),
            transaction: context.transaction.name.to_string(),
            body: take(&channel, BODY).unwrap_or_default(),
        };
        let reply = serve(context, service.pipeline, Some(&service), request).await?;
        put(&channel, STATUS, &reply.status.to_be_bytes());
        put(&channel, MEDIA, reply.media.as_bytes());
        put(&channel, BODY, &reply.body);
        Ok(Flow::Return)
    })
}

/// Serves a request by a PIPELINE (blank: that of the gateway), in the task at hand. What is to be backed out is, when it
/// is back. Without a WEBSERVICE only handlers and an application handler can answer.
///
/// # Errors
/// An abend of the backout.
pub async fn serve(
    context: &mut Context<'_>,
    pipeline: Name8,
    service: Option<&WebService>,
    request: Request,
) -> Result<Reply, kernel::raise::Raise> {
    if let Some(service) = service {
        count(&service.uses);
    }
    let reply = if pipeline.is_blank() {
        provide(context, &Configuration::plain(Form::Bare), service, request).await
    } else {
        let found = Pipelines::of(&context.region).get(pipeline);
        match found.filter(|pipeline| pipeline.is_enabled()) {
            Some(pipeline) => {
                count(&pipeline.uses);
                provide(context, &pipeline.configuration, service, request).await
            }
            None => unavailable(),
        }
    };
    if reply.backs_out {
        let backout = Parcel::new(cmd::SYNCPOINT_ROLLBACK);
        let issued = context.issue(&backout).await;
        issued.map_err(|abend| kernel::raise::Raise::Abend(abend.code))?;
    }
    Ok(reply)
}

/// The reply of a PIPELINE that is disabled or not there.
fn unavailable() -> Reply {
    Reply::of(503, "text/plain", b"the service is not in use".to_vec())
}
