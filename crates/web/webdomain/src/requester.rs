//! Messages of requester pipelines, which INVOKE SERVICE sends to servers: what `pipelines` asks of a transport.

use std::sync::Arc;

use http::url::Url;
use http::{Fields, write};
use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{Task, WaitKind};
use otlp::TraceContext;
use pipelines::Transports;
use pipelines::keys::{Identity, Keyring, Keys};
use pipelines::transport::{Incoming, NoMap, Outgoing, Sending, Transport, Unanswered};
use ports::fingerprint;
use tokio::time::timeout;

use crate::bodies;
use crate::chain;
use crate::exchange::for_somebody;
use crate::region::Web;
use crate::server::Server;
use crate::session::{AGENT, Sent, Session};
use crate::traced;

/// Says that messages go by HTTP.
pub(crate) fn install(region: &Region) {
    Transports::of(region).bring(Http);
    Keyring::of(region).bring(Files);
}

/// The keyring: certificates of users, and files of certificates with their keys.
struct Files;

impl Keys for Files {
    fn user(&self, region: &Region, certificate: &[u8]) -> Option<Arc<User>> {
        Web::of(region).certificates()?.user(&fingerprint(certificate)).map(Arc::new)
    }

    fn identity(&self, region: &Region, label: &str) -> Result<Identity, String> {
        Web::of(region).identity(label)
    }
}

struct Http;

impl Transport for Http {
    fn url_of(&self, region: &Region, map: Name8) -> Result<String, NoMap> {
        let map = Web::of(region).map(map).ok_or(NoMap::Unknown)?;
        if !map.is_for_clients() {
            return Err(NoMap::Unusable);
        }
        let server = Server::of_map(&map);
        Ok(format!("{}://{}{}", server.scheme.text(), server.authority(), map.matches.path))
    }

    fn send<'a>(&'a self, task: &'a mut Task, request: &'a Outgoing) -> Sending<'a> {
        Box::pin(send(task, request))
    }
}

/// Sends a request over a connection of its own, or one that was kept, and receives the answer.
async fn send(task: &mut Task, request: &Outgoing) -> Result<Incoming, Unanswered> {
    let url = Url::parse(&request.url).ok_or(Unanswered::Address)?;
    let server = Server { scheme: url.scheme, host: url.host.to_owned(), port: url.connects_to() };
    let mut span = traced::asks(task, &request.method, &server, url.path);
    let place = task.passes_on(span.as_deref());
    let way = (chain::of(task), place.as_ref());
    let bytes = head_and_body(&url, &server, request, &way).ok_or(Unanswered::Address)?;
    let web = Web::of(&task.region);
    let map = match request.map {
        Some(name) => web.map(name),
        None => web.client_map(&server, url.path),
    };
    let mut session = Session::new(&task.region, server, map);
    bodies::sent(task, bodies::SERVER, &request.body);
    let sent = Sent {
        method: request.method.clone().into(),
        in_chunks: false,
        closes: false,
        announced: Fields::default(),
    };
    let exchange = timeout(request.patience, session.ask(&bytes, &sent));
    let answered = task.wait(WaitKind::SOCKET, for_somebody(task, exchange)).await.and_then(|heard| heard);
    traced::answered(&mut span, answered.as_ref().ok().and_then(|told| told.as_ref().ok()?.as_ref().ok()));
    let answer = match answered.map_err(Unanswered::Ended)? {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => {
            tell(task, request, &why.to_string());
            return Err(Unanswered::Broken);
        }
        Err(_) => {
            tell(task, request, "the answer takes longer than RESPWAIT");
            return Err(Unanswered::TooSlow);
        }
    };
    bodies::received(task, bodies::SERVER, &answer.body);
    let media = answer.head.fields().get("Content-Type");
    let media = media.map(|value| String::from_utf8_lossy(value).into_owned());
    Ok(Incoming { status: answer.head.status, media, body: answer.body })
}

fn tell(task: &Task, request: &Outgoing, why: &str) {
    if task.may_write_line() {
        let (number, url) = (task.number, &request.url);
        tracing::warn!(target: "PI", "task {number}: {url} does not answer a message: {why}");
    }
}

/// A request as bytes; `None` if its parts cannot be written.
fn head_and_body(
    url: &Url<'_>,
    server: &Server,
    request: &Outgoing,
    (way, place): &(String, Option<&TraceContext>),
) -> Option<Vec<u8>> {
    let target = url.query.map_or_else(|| url.path.to_owned(), |query| format!("{}?{query}", url.path));
    let mut bytes = Vec::new();
    write::request_line(&request.method, &target, &mut bytes).ok()?;
    let length = request.body.len().to_string();
    let mut fields = Fields::default();
    let mut push = |name: &str, value: &str| fields.push(name, value).ok();
    push("Host", &server.authority())?;
    push("User-Agent", AGENT)?;
    push(chain::HEADER, way)?;
    for (name, value) in place.iter().flat_map(|place| traced::headers(place)) {
        push(name, &value)?;
    }
    if let Some(action) = &request.action {
        push("SOAPAction", action)?;
    }
    if !request.body.is_empty() {
        push("Content-Type", &request.media)?;
    }
    if !request.body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        push("Content-Length", &length)?;
    }
    write::fields(&fields, &mut bytes);
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&request.body);
    Some(bytes)
}
