//! USAGE(PIPELINE): requests whose body is a message for a WEBSERVICE.
//!
//! A URI map names the pipeline, and the WEBSERVICE or its path. Services of the gateway, and those picked up from WSDIR, are
//! reached at their own paths without one.

use http::media::MediaType;
use kernel::dispatcher::{Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use pipelines::gateway::{self, PROGRAM};
use pipelines::provider::{Reply, Request};
use soap::Level;
use web::Answer;

use crate::alias::for_nobody;
use crate::bodies;
use crate::exchange::Exchange;
use crate::way::with_media;

/// Installs DFHPIDSH, the program of the transaction that serves messages.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(PROGRAM), serves as SuppliedFunction));
}

/// DFHPIDSH: serves the message that its task has come with.
fn serves<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        // A user has typed its name.
        let Some(exchange) = Exchange::of(context) else { return Ok(Flow::Return) };
        let Some(way) = exchange.way.clone() else { return Ok(Flow::Return) };
        // It has waited to begin, for longer than its client.
        if exchange.is_for_nobody() {
            return Ok(for_nobody(context, &exchange));
        }
        let service = exchange.service.name;
        bodies::received(context.task(), service.trimmed(), &exchange.body);
        let request = request(context, &exchange);
        let Reply { status, phrase, media, body, .. } =
            gateway::serve(context, way.pipeline, way.service.as_deref(), request).await?;
        if exchange.is_for_nobody() {
            return Ok(for_nobody(context, &exchange));
        }
        bodies::sent(context.task(), service.trimmed(), &body);
        let answer = with_media(status, &media, body);
        exchange.answer().kept = Some(Answer { phrase: phrase.map(String::into_bytes), ..answer });
        Ok(Flow::Return)
    })
}

/// A request in the words of pipelines.
fn request(context: &Context<'_>, exchange: &Exchange) -> Request {
    let head = &exchange.head;
    let uri = match head.query() {
        Some(query) => format!("{}?{query}", head.path()),
        None => head.path().to_owned(),
    };
    let media = exchange.media();
    let header = head.fields().get("SOAPAction").and_then(|value| std::str::from_utf8(value).ok());
    let action = match header {
        Some(_) => Level::Soap11.action(None, header),
        None => Level::Soap12.action(media.as_deref().and_then(MediaType::parse).as_ref(), None),
    };
    Request {
        method: Some(head.method().to_owned()),
        uri,
        media,
        action,
        user: context.user.id.to_string(),
        transaction: context.transaction.name.to_string(),
        body: exchange.body.clone(),
    }
}
