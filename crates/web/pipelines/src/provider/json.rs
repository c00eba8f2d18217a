//! Messages in JSON at the end of a pipeline.

use binding::openapi::has_body;
use binding::{Asked, Operation};
use http::media::MediaType;
use mapping::{FaultKind, Filled, MappingFault, json};
use soap::fault::{Direction, conversion_in_json, in_json};

use super::target::{Answer, call};
use super::{ABENDED, Reply, Request, abended};
use crate::passage::Containers;
use crate::programs::Programs;
use crate::switch::ServingPlace;
use crate::webservice::WebService;

/// The status of an operation that is done and has no answer.
const NO_CONTENT: u16 = 204;

/// Serves a request; `wrapped`: messages are objects with one member, of the operation's name.
pub(super) async fn serve(
    programs: &mut impl Programs,
    service: Option<&WebService>,
    request: &Request,
    body: &[u8],
    wrapped: bool,
    containers: Option<&Containers>,
) -> Reply {
    let Some(service) = service else {
        turned_away(request, "there is no such service");
        return Reply::json(404, in_json("There is no such service", &request.uri));
    };
    let media = request.media.as_deref().map(MediaType::parse);
    if media.is_some_and(|media| media.is_none_or(|media| !is_json(&media))) {
        turned_away(request, "the request is no JSON by its Content-Type");
        return Reply::json(415, in_json("The request is no JSON", "send Content-Type: application/json"));
    }
    let operation = match operation(service, request, body, wrapped) {
        Ok(operation) => operation,
        Err(reply) => return reply,
    };
    // One that goes by methods has some without a message; another wants its record, whatever the method.
    let without_body = request.method.as_deref().is_some_and(|method| !has_body(method));
    let says_nothing = body.is_empty() && without_body && service.service.is_restful();
    let record = match &operation.request {
        Some(mapping) if !says_nothing => json::read_apart(mapping, body, wrapped),
        _ => Ok(Filled::default()),
    };
    let record = match record {
        Ok(record) => record,
        Err(fault) => return refused(service, &fault),
    };
    let mut place = match ServingPlace::of(programs, containers.and_then(|it| it.switch(request))) {
        Ok(place) => place,
        Err(why) => {
            turned_away(request, &why);
            return Reply::json(500, in_json("The service cannot be run", &why)).backed_out();
        }
    };
    let mut reply = called(&mut place, service, operation, record, wrapped, containers).await;
    if reply == Reply::nothing() && !wrapped && service.service.is_restful() {
        reply.status = NO_CONTENT;
    }
    match place.end(!reply.backs_out).await {
        Err(abend) if !reply.backs_out => {
            let why = abended(&service.service.program, &abend);
            Reply::json(500, in_json("The program has failed", &why)).telling(ABENDED, &why).backed_out()
        }
        _ => reply,
    }
}

/// The operation that is meant: by method and path, or, where messages tell them apart, by the name round the message.
fn operation<'s>(
    service: &'s WebService,
    request: &Request,
    body: &[u8],
    wrapped: bool,
) -> Result<&'s Operation, Reply> {
    let described = &service.service;
    let method = request.method.as_deref().filter(|_| !wrapped && described.is_restful());
    let Some(method) = method else {
        // Of several operations a request names its own; of one, it need not.
        let named = match described.operations.as_slice() {
            [one] => Some(one),
            _ => json::first_member(body).and_then(|root| described.operation(&root)),
        };
        return named.ok_or_else(|| {
            let why = "the request names no operation of the service";
            refused(service, &MappingFault::new(FaultKind::UndefinedElement, why))
        });
    };
    match described.asked(method, request.path()) {
        Asked::Operation(operation) => Ok(operation),
        Asked::OtherMethods(methods) => {
            turned_away(request, "the service has no such method");
            let why = format!("it is asked for by {}", methods.join(", "));
            Err(Reply::json(405, in_json("There is no such method", &why)))
        }
        Asked::Nothing => {
            turned_away(request, "the service has nothing at this path");
            Err(Reply::json(404, in_json("There is nothing at this path", &request.uri)))
        }
    }
}

/// Calls the program of a service with its record: its record as a message.
async fn called(
    programs: &mut impl Programs,
    service: &WebService,
    operation: &Operation,
    record: Filled,
    wrapped: bool,
    containers: Option<&Containers>,
) -> Reply {
    let answer =
        match call(programs, service, operation, record, containers.map(Containers::channel), None).await {
            Ok(answer) => answer,
            Err(abend) => {
                let why = abended(&service.service.program, &abend);
                return Reply::json(500, in_json("The program has failed", &why))
                    .telling(ABENDED, &why)
                    .backed_out();
            }
        };
    let record = match (answer, &operation.response) {
        (Answer::Record(Some(record)), Some(mapping)) => (record, mapping),
        (Answer::Record(_), _) => return Reply::nothing(),
        (Answer::Fault(fault), _) => {
            return Reply::json(500, in_json(&fault.reason, fault.detail.as_deref().unwrap_or("")));
        }
        (Answer::NoContainer(container), _) => {
            let why = no_container(&container);
            tracing::warn!(target: "PI", "WEBSERVICE {}: {why}", service.name);
            return Reply::json(500, in_json("Conversion to JSON failed", &why));
        }
    };
    let mut body = Vec::new();
    let (left, mapping) = record;
    match json::write_apart(mapping, &left.record, &|name| left.apart(name), wrapped, &mut body) {
        Ok(()) => Reply::json(200, body),
        Err(fault) => {
            told(service, &fault);
            let reply = Reply::json(500, conversion_in_json(Direction::To, &fault));
            reply.telling(fault.kind.message(), &fault).backed_out()
        }
    }
}

fn is_json(media: &MediaType) -> bool {
    let essence = media.essence();
    essence == "application/json" || essence.ends_with("+json")
}

fn refused(service: &WebService, fault: &MappingFault) -> Reply {
    told(service, fault);
    Reply::json(400, conversion_in_json(Direction::From, fault)).telling(fault.kind.message(), fault)
}

/// A conversion that failed, in the log.
pub(super) fn told(service: &WebService, fault: &MappingFault) {
    tracing::warn!(target: "PI", "DFHPI{} WEBSERVICE {}: {fault}", fault.kind.message(), service.name);
}

/// A request that is answered by a fault before anything of it was converted, in the log.
pub(super) fn turned_away(request: &Request, why: &str) {
    tracing::warn!(target: "PI", "a request for {} is refused: {}", request.uri.escape_debug(), why.escape_debug());
}

/// That a program has not put its container, by the published name.
pub(super) fn no_container(container: &str) -> String {
    format!("DFHPI1008 CONTAINER_NOT_FOUND: the program has not put container {container}")
}
