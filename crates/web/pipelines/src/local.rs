//! Addresses within this region, by their published scheme: a requester's message goes to a program or through a provider's
//! pipeline, in the same task, without a connection.

use std::sync::Arc;

use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use spec::cond;

use crate::invocation::Invocation;
use crate::passage::{Passage, REQUEST, RESPONSE, Wrong};
use crate::pipeline::{Pipeline, Pipelines};
use crate::provider::{Request, provide};
use crate::resp2;
use crate::statistics::count;
use crate::transport::{Incoming, Outgoing};
use crate::webservice::{WebService, WebServices};

const SCHEME: &str = "cics://";
const TARGET: &[u8] = b"targetServiceUri";

/// An address of this scheme.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// A program, which gets the message in DFHREQUEST and leaves its answer in DFHRESPONSE.
    Program(Name8),
    /// A provider's pipeline, and the path of a service in it.
    Pipeline(Name8, String),
    /// The path of a service, whatever its pipeline.
    Service(String),
}

impl Local {
    /// Reads an address; `None` if it is of another scheme, or wrong.
    pub fn parse(url: &str) -> Option<Self> {
        let scheme = url.get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let (kind, rest) = url[SCHEME.len()..].split_once('/')?;
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_name = (1..=8).contains(&name.len());
        match kind.to_ascii_uppercase().as_str() {
            "PROGRAM" if is_name => Some(Self::Program(Name8::from(name))),
            "PIPELINE" if is_name => Some(Self::Pipeline(Name8::from(name), target(query)?)),
            "SERVICE" => target(query).map(Self::Service),
            _ => None,
        }
    }
}

/// The path that a query names. It may be a whole URL.
fn target(query: &str) -> Option<String> {
    let (_, value) = http::url::query_parts(query).find(|(name, _)| name == TARGET)?;
    let value = String::from_utf8(value).ok()?;
    let path = match value.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => value.as_str(),
    };
    let path = path.split('?').next()?;
    Some(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
}

/// Takes a message there.
///
/// # Errors
/// INVREQ: there is no such place, or its program has failed.
pub(crate) async fn send(
    passage: &mut Passage<'_, Context<'_>>,
    to: &Local,
    invocation: &Invocation,
    request: &Outgoing,
) -> Outcome<Incoming> {
    match to {
        Local::Program(program) => ask(passage, *program, request).await,
        Local::Pipeline(name, path) => {
            let service = WebServices::of(&passage.programs.region).at(path, *name);
            let pipeline = Pipelines::of(&passage.programs.region).get(*name);
            through(passage.programs, pipeline, service, path, invocation, request).await
        }
        Local::Service(path) => {
            let service = WebServices::of(&passage.programs.region).any_at(path);
            let pipeline = service.as_ref().map(|it| it.pipeline);
            let pipeline = pipeline.and_then(|name| Pipelines::of(&passage.programs.region).get(name));
            through(passage.programs, pipeline, service, path, invocation, request).await
        }
    }
}

/// A program answers the message.
async fn ask(
    passage: &mut Passage<'_, Context<'_>>,
    program: Name8,
    request: &Outgoing,
) -> Outcome<Incoming> {
    let left = async {
        passage.put(REQUEST, &request.body).await?;
        passage.containers.remove(RESPONSE);
        let channel = Arc::clone(passage.containers.channel());
        passage.programs.link(program, None, Some(channel)).await.map_err(Wrong::from)
    };
    left.await.map_err(|wrong| {
        tracing::warn!(target: "PI", "DFHPI0504 {}", wrong.text(program));
        cond::INVREQ.raise(resp2::TRANSPORT)
    })?;
    let body = passage.containers.filled(RESPONSE).unwrap_or_default();
    Ok(Incoming { status: 200, media: Some(request.media.clone()), body })
}

/// The message passes a provider's pipeline. Changes of its program belong to the caller's unit of work.
async fn through(
    context: &mut Context<'_>,
    pipeline: Option<Arc<Pipeline>>,
    service: Option<Arc<WebService>>,
    path: &str,
    invocation: &Invocation,
    request: &Outgoing,
) -> Outcome<Incoming> {
    let nowhere = || -> Raise { cond::INVREQ.raise(resp2::ADDRESS) };
    let pipeline = pipeline.filter(|it| it.configuration.provides).ok_or_else(nowhere)?;
    if !pipeline.is_enabled() || Arc::ptr_eq(&pipeline, &invocation.pipeline) {
        return Err(cond::INVREQ.raise(resp2::PIPELINE));
    }
    count(&pipeline.uses);
    if let Some(service) = &service {
        count(&service.uses);
    }
    let come = Request {
        method: None,
        uri: path.to_owned(),
        media: Some(request.media.clone()),
        action: request.action.as_ref().map(|action| action.trim_matches('"').to_owned()),
        user: context.user.id.to_string(),
        transaction: context.transaction.name.to_string(),
        body: request.body.clone(),
    };
    let reply = provide(context, &pipeline.configuration, service.as_deref(), come).await;
    Ok(Incoming { status: reply.status, media: Some(reply.media), body: reply.body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_program_a_pipeline_or_a_service() {
        let pipeline = |path: &str| Some(Local::Pipeline(Name8::from("SOAP"), path.to_owned()));
        for (url, wanted) in [
            ("cics://PROGRAM/SHOP", Some(Local::Program(Name8::from("SHOP")))),
            ("CICS://program/SHOP", Some(Local::Program(Name8::from("SHOP")))),
            ("cics://PROGRAM/MUCHTOOLONG", None),
            ("cics://PROGRAM/", None),
            ("cics://PIPELINE/SOAP?targetServiceUri=/a/b", pipeline("/a/b")),
            ("cics://PIPELINE/SOAP?targetServiceUri=http%3A%2F%2Fh%2Fa", pipeline("/a")),
            ("cics://PIPELINE/SOAP", None),
            ("cics://SERVICE/any?targetServiceUri=a", Some(Local::Service(String::from("/a")))),
            ("cics://ELSE/SHOP", None),
            ("http://PROGRAM/SHOP", None),
            ("", None),
        ] {
            assert_eq!(Local::parse(url), wanted, "{url}");
        }
    }
}
