//! The way of a message: the pipeline and the WEBSERVICE that it is for.

use std::sync::Arc;

use binding::Asked;
use http::RequestHead;
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use pipelines::configuration::Form;
use pipelines::{Pipelines, WebService, WebServices, gateway};
use soap::Level;
use web::Answer;

use crate::uri_map::UriMap;

/// Way of a message.
#[derive(Clone)]
pub(crate) struct Way {
    /// The pipeline; blank: that of the gateway.
    pub pipeline: Name8,
    /// The WEBSERVICE. Without one only handlers and an application handler can answer.
    pub service: Option<Arc<WebService>>,
    /// Form of its messages.
    form: Form,
    /// True if programs of the application see the message; they know methods of their own.
    has_handlers: bool,
}

impl Way {
    /// That of a URI map with USAGE(PIPELINE).
    ///
    /// # Errors
    /// The pipeline takes no messages.
    pub fn of_map(region: &Region, map: &UriMap, path: &str) -> Result<Self, Answer> {
        let pipeline = map.pipeline.unwrap_or_default();
        let services = WebServices::of(region);
        let service = match map.webservice {
            Some(name) => services.get(name),
            None => services.at(path, pipeline),
        };
        Self::by(region, pipeline, service)
    }

    /// That of a service which needs no URI map, if there is one at a path.
    ///
    /// # Errors
    /// Its pipeline takes no messages.
    pub fn without_map(region: &Region, path: &str) -> Option<Result<Self, Answer>> {
        let service = WebServices::of(region).alone_at(path)?;
        Some(Self::by(region, service.pipeline, Some(service)))
    }

    fn by(region: &Region, pipeline: Name8, service: Option<Arc<WebService>>) -> Result<Self, Answer> {
        if pipeline.is_blank() {
            return Ok(Self { pipeline, service, form: Form::Bare, has_handlers: false });
        }
        let found = Pipelines::of(region).get(pipeline);
        match found.filter(|it| it.is_enabled()) {
            Some(it) if it.configuration.provides => {
                let form = it.configuration.form;
                let has_handlers = !it.configuration.handlers.is_empty() || matches!(form, Form::Program(_));
                Ok(Self { pipeline, service, form, has_handlers })
            }
            Some(_) => {
                tracing::warn!(target: "PI", "PIPELINE {pipeline} sends messages and takes none");
                Err(Answer::text(500, "the service is not complete"))
            }
            None => Err(Answer::text(503, "the service is not in use")),
        }
    }

    /// Request to the service itself.
    ///
    /// # Errors
    /// The method is not one of a message.
    pub fn asks(self, head: &RequestHead, tls: bool) -> Result<Asks, Answer> {
        let description = self.service.as_ref().filter(|_| matches!(head.method(), "GET" | "HEAD"));
        if let Some(text) = description.and_then(|service| described(service, self.form, head, tls)) {
            return Ok(Asks::Description(text));
        }
        let restful = self.service.as_ref().filter(|it| self.form == Form::Bare && it.service.is_restful());
        let methods = match restful.map(|it| it.service.asked(head.method(), head.path())) {
            // Missing parts are reported where a message is served.
            Some(Asked::Operation(_) | Asked::Nothing) => return Ok(Asks::Message(self)),
            Some(Asked::OtherMethods(methods)) => methods.join(", "),
            None if head.method() == "POST" => return Ok(Asks::Message(self)),
            None => String::from("POST"),
        };
        if self.has_handlers {
            return Ok(Asks::Message(self));
        }
        let mut refused = Answer::text(405, format!("a message is sent by {methods}"));
        // Methods of a binding are words.
        let _ = refused.fields.push("Allow", &methods);
        Err(refused)
    }

    /// The name of the pipeline; blank: that of the gateway.
    pub fn pipeline(&self) -> Name8 {
        self.pipeline
    }

    /// The name of the web service.
    pub fn name(&self) -> Option<String> {
        self.service.as_ref().map(|service| service.name.to_string())
    }

    /// The transaction that serves.
    pub fn transaction(&self) -> TransactionName {
        let own = self.service.as_ref().and_then(|service| service.service.transaction.as_deref());
        TransactionName::from(own.unwrap_or(gateway::TRANSACTION))
    }

    /// The user that a binding names.
    pub fn user(&self) -> Option<Name8> {
        self.service.as_ref().and_then(|service| service.service.user.as_deref()).map(Name8::from)
    }
}

/// Requests to a service.
pub(crate) enum Asks {
    /// That it takes a message.
    Message(Way),
    /// A description of the service.
    Description(Answer),
}

/// `?wsdl` of a service that speaks SOAP, `?openapi` of one that speaks JSON.
fn described(service: &WebService, form: Form, head: &RequestHead, tls: bool) -> Option<Answer> {
    let query = head.query()?;
    let scheme = if tls { "https" } else { "http" };
    // The paths of operations stand behind that of their service, whichever of them was asked.
    let path = if service.service.is_restful() { service.service.path() } else { head.path() };
    let location = format!("{scheme}://{}{path}", head.authority().unwrap_or_default());
    let (media, text) = match form {
        Form::Soap(most) if query.eq_ignore_ascii_case("wsdl") => {
            let mut spoken = service.service.clone();
            spoken.soap.1 &= most == Level::Soap12;
            ("text/xml; charset=UTF-8", binding::wsdl::write(&spoken, &location))
        }
        Form::Json | Form::Bare if query.eq_ignore_ascii_case("openapi") => {
            let wrapped = form == Form::Json;
            ("application/json", binding::openapi::write(&service.service, &location, wrapped))
        }
        _ => return None,
    };
    Some(with_media(200, media, text.into_bytes()))
}

/// An answer with a media type, if there is one.
pub(crate) fn with_media(status: u16, media: &str, body: Vec<u8>) -> Answer {
    let mut answer = Answer { status, body, ..Answer::default() };
    if !media.is_empty() {
        // It comes from tables, or from a program whose text is left out if it is no header.
        let _ = answer.fields.push("Content-Type", media);
    }
    answer
}
