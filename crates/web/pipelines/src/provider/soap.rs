//! Messages in SOAP at the end of a pipeline.

use std::sync::Arc;

use http::media::MediaType;
use kernel::channels::Channel;
use kernel::name::Name8;
use mapping::xml::Way;
use mapping::{FaultKind, Filled, Mapping, MappingFault, encoding, xml};
use soap::addressing::Addressing;
use soap::envelope::{self, Problem};
use soap::fault::Direction;
use soap::{Code, Envelope, Level, Payload, SoapFault};

use super::json::{no_container, told, turned_away};
use super::target::{Answer, Left, call};
use super::{ABENDED, Reply, Request, abended};
use crate::addressing::{self, Of};
use crate::configuration::Configuration;
use crate::passage::{Containers, PROCESS};
use crate::programs::{Listening, Programs};
use crate::switch::ServingPlace;
use crate::webservice::WebService;

/// Reason why a request is refused that wants its answer at another address: WS-Addressing names it
/// OnlyAnonymousAddressSupported.
const ELSEWHERE: &str = "an answer goes back only over the connection of its request";

/// A pipeline that speaks SOAP.
pub(super) struct Soap<'a> {
    pub pipeline: &'a Configuration,
    pub service: Option<&'a WebService>,
    pub request: &'a Request,
    /// The version of its handler: that of 1.2 takes 1.1, too.
    pub most: Level,
    /// Containers, where a program can look at them.
    pub containers: Option<&'a Containers>,
}

/// A fault as a reply.
pub(super) fn fault(level: Level, fault: &SoapFault) -> Reply {
    let mut body = Vec::new();
    fault.write(level, &mut body);
    Reply::soap(level, fault.status(level), body)
}

impl Soap<'_> {
    pub async fn serve(&self, programs: &mut impl Programs, body: &[u8]) -> Reply {
        let mut asked = None;
        let mut reply = self.answered(programs, body, &mut asked).await;
        if let (Some((asked, action)), Some(containers)) = (asked, self.containers) {
            let is_fault = reply.status != 200;
            if asked.wants_no_answer() && !is_fault {
                return Reply { backs_out: reply.backs_out, ..Reply::nothing() };
            }
            if !reply.body.is_empty() {
                let headers = addressing::answer(&asked, &action, containers.channel(), is_fault);
                reply.body = envelope::with_headers(reply.body, &headers);
            }
        }
        reply
    }

    /// The answer without its way; what the request says of its way, and what it is for.
    async fn answered(
        &self,
        programs: &mut impl Programs,
        body: &[u8],
        asked: &mut Option<(Addressing, String)>,
    ) -> Reply {
        let media = self.request.media.as_deref().and_then(MediaType::parse);
        let text = match encoding::text(body, media.as_ref().and_then(MediaType::charset)) {
            Ok(text) => text,
            Err(fault) => return self.refused(self.most, &fault),
        };
        let envelope = match Envelope::read(&text) {
            Ok(envelope) => envelope,
            Err(Problem::VersionMismatch(namespace)) => {
                return self.turned_away(self.most, &SoapFault::version_mismatch(&namespace));
            }
            Err(Problem::Malformed(fault)) => return self.refused(self.most, &fault),
        };
        let level = envelope.level;
        if (level, self.most) == (Level::Soap12, Level::Soap11) {
            return self.turned_away(self.most, &SoapFault::version_mismatch(level.namespace()));
        }
        let handled = |header: &envelope::Header<'_>| {
            let namespace = header.start.namespace.as_deref().unwrap_or_default();
            self.pipeline.headers.iter().any(|program| program.handles(namespace, header.start.local))
        };
        let missed = envelope.not_understood(handled);
        match self.addressed(&envelope) {
            Ok(said) => *asked = said,
            Err(problem) => return self.refused(level, &problem),
        }
        if asked.as_ref().is_some_and(|(said, _)| !said.answers_here(false) && !said.wants_no_answer()) {
            return self.turned_away(level, &SoapFault::new(Code::Sender, ELSEWHERE));
        }
        if !missed.is_empty() {
            return self.turned_away(level, &SoapFault::must_understand(&missed));
        }
        let containers = self.containers;
        if let Some(containers) = containers
            && let Err(reply) = self.show(programs, containers, &envelope, &text).await
        {
            return reply;
        }
        let headers = match containers {
            Some(containers) => match self.headers(programs, containers, &envelope).await {
                Ok(headers) => headers,
                Err(reply) => return reply,
            },
            None => Vec::new(),
        };
        let Envelope { payload, .. } = envelope;
        let mut place = match ServingPlace::of(programs, containers.and_then(|it| it.switch(self.request))) {
            Ok(place) => place,
            Err(why) => return self.turned_away(level, &SoapFault::new(Code::Receiver, why)).backed_out(),
        };
        let reply = match (self.pipeline.application, containers) {
            (Some(program), Some(containers)) => {
                self.applied(&mut place, level, program, &headers, containers).await
            }
            (_, containers) => {
                let channel = containers.map(Containers::channel);
                self.mapped(&mut place, level, payload, &headers, channel).await
            }
        };
        match place.end(!reply.backs_out).await {
            Err(abend) if !reply.backs_out => self.failed(level, "of the service", &abend),
            _ => reply,
        }
    }

    /// An application handler makes the body.
    async fn applied(
        &self,
        programs: &mut impl Programs,
        level: Level,
        program: Name8,
        headers: &[u8],
        containers: &Containers,
    ) -> Reply {
        programs.listen_for_faults(Some(Listening { level: Some(level), fault: None }));
        let outcome = programs.with_channel(program, containers.channel()).await;
        let raised = programs.listen_for_faults(None);
        match (outcome, raised) {
            (Err(abend), _) => self.failed(level, &program.to_string(), &abend),
            (Ok(()), Some(raised)) => fault(level, &raised),
            (Ok(()), None) => reply(level, headers, containers.body().as_deref().unwrap_or_default()),
        }
    }

    /// The mapping: the payload becomes a record, the program is called, its record becomes the body.
    async fn mapped(
        &self,
        programs: &mut impl Programs,
        level: Level,
        payload: Option<Payload<'_>>,
        headers: &[u8],
        channel: Option<&Arc<Channel>>,
    ) -> Reply {
        let Some(service) = self.service else {
            let problem =
                SoapFault::new(Code::Sender, format!("there is no service at {}", self.request.uri));
            return self.turned_away(level, &problem);
        };
        let Some(mut payload) = payload else {
            return self.refused(level, &MappingFault::new(FaultKind::MissingElement, "the body is empty"));
        };
        let Some(operation) = service.service.operation(payload.start.local) else {
            let problem = format!("the service has no operation {}", payload.start.local);
            return self.refused(level, &MappingFault::new(FaultKind::UndefinedElement, problem));
        };
        let record = operation.request.as_ref().map_or(Ok(Filled::default()), |mapping| {
            let start = payload.start.clone();
            let record = xml::read_content(mapping, &mut payload.reader, &start, Way::Quick)?;
            payload.finish().map(|()| record)
        });
        let record = match record {
            Ok(record) => record,
            Err(problem) => return self.refused(level, &problem),
        };
        let answer = match call(programs, service, operation, record, channel, Some(level)).await {
            Ok(answer) => answer,
            Err(abend) => return self.failed(level, &service.service.program, &abend),
        };
        let (record, mapping) = match (answer, &operation.response) {
            (Answer::Record(Some(record)), Some(mapping)) => (record, mapping),
            (Answer::Record(_), _) => return Reply::nothing(),
            (Answer::Fault(raised), _) => return fault(level, &raised),
            (Answer::NoContainer(container), _) => {
                return self.turned_away(level, &SoapFault::new(Code::Receiver, no_container(&container)));
            }
        };
        let mut body = Vec::new();
        match envelope::write(level, headers, |into| write(mapping, &record, into), &mut body) {
            Ok(()) => Reply::soap(level, 200, body),
            Err(problem) => {
                told(service, &problem);
                let reply = fault(level, &SoapFault::of_conversion(Direction::To, &problem));
                reply.telling(problem.kind.message(), &problem).backed_out()
            }
        }
    }

    /// Addressing properties of a request, which its program may look at, and its purpose.
    fn addressed(&self, envelope: &Envelope<'_>) -> Result<Option<(Addressing, String)>, MappingFault> {
        let Some(containers) = self.containers.filter(|_| addressing::is_addressed(self.pipeline)) else {
            return Ok(None);
        };
        let Some(said) = Addressing::read(envelope)? else { return Ok(None) };
        addressing::save(containers.channel(), Of::Request, &said);
        let action = said.action.clone().unwrap_or_default();
        Ok(Some((said, action)))
    }

    /// Puts what programs of headers and applications look at.
    async fn show(
        &self,
        programs: &mut impl Programs,
        containers: &Containers,
        envelope: &Envelope<'_>,
        text: &str,
    ) -> Result<(), Reply> {
        let operation = envelope.payload.as_ref().map_or("", |payload| payload.start.local);
        let body = envelope.payload.as_ref().map_or(Ok(""), |payload| raw(payload, text));
        let body = body.map_err(|problem| self.refused(envelope.level, &problem))?;
        let level = envelope.level.number().to_be_bytes();
        let failed = |abend| self.failed(envelope.level, "the pipeline", &abend);
        containers.show_message(programs, operation, body, &level).await.map_err(failed)?;
        containers.function(programs, PROCESS).await.map_err(failed)
    }

    /// Runs the programs of headers; the headers of the reply.
    async fn headers(
        &self,
        programs: &mut impl Programs,
        containers: &Containers,
        envelope: &Envelope<'_>,
    ) -> Result<Vec<u8>, Reply> {
        let mut reply = Vec::new();
        for program in self.pipeline.headers.iter().filter(|it| !addressing::is_ours(it.program)) {
            let own = envelope.headers.iter().filter(|header| {
                program.handles(header.start.namespace.as_deref().unwrap_or_default(), header.start.local)
            });
            let mut raw: Vec<&str> = own.map(|header| header.raw).collect();
            if raw.is_empty() && program.is_mandatory {
                raw.push("");
            }
            for header in raw {
                programs.listen_for_faults(Some(Listening { level: Some(envelope.level), fault: None }));
                let made = containers.header(programs, program.program, header).await;
                let raised = programs.listen_for_faults(None);
                let made =
                    made.map_err(|abend| self.failed(envelope.level, &program.program.to_string(), &abend))?;
                if let Some(raised) = raised {
                    return Err(fault(envelope.level, &raised));
                }
                reply.extend(made);
            }
        }
        Ok(reply)
    }

    /// A fault that is no conversion's, with a line in the log.
    fn turned_away(&self, level: Level, problem: &SoapFault) -> Reply {
        turned_away(self.request, &problem.reason);
        fault(level, problem)
    }

    fn refused(&self, level: Level, problem: &MappingFault) -> Reply {
        let reply = fault(level, &SoapFault::of_conversion(Direction::From, problem));
        match self.service {
            Some(service) => {
                told(service, problem);
                reply.telling(problem.kind.message(), problem)
            }
            None => {
                turned_away(self.request, &problem.to_string());
                reply
            }
        }
    }

    fn failed(&self, level: Level, program: &str, abend: &kernel::raise::Abend) -> Reply {
        let why = abended(program, abend);
        fault(level, &SoapFault::new(Code::Receiver, &*why)).telling(ABENDED, &why).backed_out()
    }
}

fn write(mapping: &Mapping, left: &Left, into: &mut Vec<u8>) -> Result<(), MappingFault> {
    xml::write_apart(mapping, &left.record, &|name| left.apart(name), into)
}

/// The element in a body as it was written.
fn raw<'a>(payload: &Payload<'_>, text: &'a str) -> Result<&'a str, MappingFault> {
    let mut reader = payload.reader.clone();
    reader.skip_element()?;
    Ok(&text[payload.at..reader.at()])
}

/// An envelope with a body that a program has written.
fn reply(level: Level, headers: &[u8], body: &[u8]) -> Reply {
    let mut whole = Vec::new();
    let write = |into: &mut Vec<u8>| {
        into.extend_from_slice(body);
        Ok::<(), std::convert::Infallible>(())
    };
    let Ok(()) = envelope::write(level, headers, write, &mut whole);
    Reply::soap(level, 200, whole)
}
