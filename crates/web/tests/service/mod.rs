//! A service over SOAP and JSON behind the door: a record comes back as it came. What pipelines will be, in a few lines.

use std::rc::Rc;

use binding::{Parameters, Service, from_copybook, openapi, wsdl};
use diagnostics::Source;
use http::media::MediaType;
use http::{Fields, RequestHead};
use mapping::encoding::text;
use mapping::xml::{Way, read_content, write};
use mapping::{Fault, json};
use soap::fault::{Direction, conversion_in_json};
use soap::{Code, Envelope, Level, Problem, SoapFault, envelope};
use web::{Answer, Door, Found, Host, Limits, Peer, Reply, Request, Welcome};

pub const ORDER: &str = "
       01  ORDER-RECORD.
           05  ORDER-NO         PIC 9(6).
           05  CUSTOMER         PIC X(20).
           05  TOTAL            PIC S9(7)V99 COMP-3.
           05  LINE-COUNT       PIC S9(4) COMP.
           05  LINES OCCURS 0 TO 3 DEPENDING ON LINE-COUNT.
               10  ITEM         PIC X(12).
               10  RATE         PIC S9(4) COMP-5.
";

pub struct Orders {
    pub service: Service,
}

/// A door with the service behind it; the answer is the port.
pub fn open(options: &str) -> (ports::Served, u16) {
    let (parameters, _) = Parameters::read(&Source::new("SYSIN", format!("PGMNAME=ORDERS\n{options}")));
    let copybook = Source::new("ORDER.cpy", ORDER);
    let (service, _) = from_copybook(&parameters, &copybook, &copybook).expect("a service");
    let (listener, address) = ports::listen(([127, 0, 0, 1], 0).into()).expect("a free port");
    let door = Door::new(Rc::new(Orders { service }), Limits::default());
    let mut served = ports::Served::default();
    served.serve(listener, move |stream, peer| Rc::clone(&door).welcome(Welcome::default(), stream, peer));
    (served, address.port())
}

fn answer(status: u16, media: &str, body: Vec<u8>) -> Answer {
    let mut fields = Fields::default();
    fields.push("Content-Type", media).expect("a header");
    Answer { status, fields, body, ..Answer::default() }
}

impl Host for Orders {
    type Target = bool;

    fn find(&self, head: &RequestHead, _: &Peer) -> Found<bool> {
        let at = |path: &str| format!("http://{}{path}", head.authority().unwrap_or_default());
        match (head.method(), head.path(), head.query()) {
            ("GET", "/soap", Some("wsdl")) => {
                let text = wsdl::write(&self.service, &at("/soap"));
                Found::Answer(answer(200, "text/xml; charset=UTF-8", text.into_bytes()))
            }
            ("GET", "/openapi.json", _) => {
                let text = openapi::write(&self.service, &at("/"), false);
                Found::Answer(answer(200, "application/json", text.into_bytes()))
            }
            ("POST", "/soap", _) => Found::Attach(true),
            ("POST", "/", _) => Found::Attach(false),
            (_, "/soap" | "/", _) => {
                let mut refused = answer(405, "text/plain", Vec::new());
                refused.fields.push("Allow", "POST").expect("a header");
                Found::Answer(refused)
            }
            _ => Found::Answer(Answer::text(404, "no such service")),
        }
    }

    async fn attach(&self, is_soap: bool, request: Request, mut reply: Reply) {
        let media = request.head.fields().get("Content-Type").and_then(|it| std::str::from_utf8(it).ok());
        let media = media.and_then(MediaType::parse);
        let answer = match is_soap {
            true => self.soap(media.as_ref(), &request.body),
            false if media.is_none_or(|media| media.essence() != "application/json") => {
                Answer::text(415, "the media type is application/json")
            }
            false => self.json(&request.body),
        };
        let _ = reply.keep(answer);
    }
}

impl Orders {
    fn json(&self, body: &[u8]) -> Answer {
        let operation = &self.service.operations[0];
        let (Some(request), Some(response)) = (&operation.request, &operation.response) else {
            return Answer::text(500, "no mapping");
        };
        let record = match json::read(request, body, false) {
            Ok(record) => record,
            Err(fault) => {
                return answer(400, "application/json", conversion_in_json(Direction::From, &fault));
            }
        };
        let mut written = Vec::new();
        match json::write(response, &record, false, &mut written) {
            Ok(()) => answer(200, "application/json", written),
            Err(fault) => answer(500, "application/json", conversion_in_json(Direction::To, &fault)),
        }
    }

    fn soap(&self, media: Option<&MediaType>, body: &[u8]) -> Answer {
        let level = std::cell::Cell::new(Level::Soap11);
        let done = self.conversation(media, body, &level);
        let level = level.get();
        match done {
            Ok(written) => answer(200, level.content_type(), written),
            Err(fault) => {
                let mut written = Vec::new();
                fault.write(level, &mut written);
                answer(fault.status(level), level.content_type(), written)
            }
        }
    }

    fn conversation(
        &self,
        media: Option<&MediaType>,
        body: &[u8],
        level: &std::cell::Cell<Level>,
    ) -> Result<Vec<u8>, SoapFault> {
        let from = |fault: Fault| SoapFault::of_conversion(Direction::From, &fault);
        let text = text(body, media.and_then(MediaType::charset)).map_err(from)?;
        let read = Envelope::read(&text).map_err(|problem| match problem {
            Problem::VersionMismatch(namespace) => SoapFault::version_mismatch(&namespace),
            Problem::Malformed(fault) => from(fault),
        })?;
        level.set(read.level);
        let unknown = read.not_understood(|_| false);
        if !unknown.is_empty() {
            return Err(SoapFault::must_understand(&unknown));
        }
        let none = || SoapFault::new(Code::Sender, "no such operation");
        let mut payload = read.payload.ok_or_else(none)?;
        let operation = self.service.operation(payload.start.local).ok_or_else(none)?;
        let (Some(request), Some(response)) = (&operation.request, &operation.response) else {
            return Err(none());
        };
        let start = payload.start.clone();
        let record = read_content(request, &mut payload.reader, &start, Way::Quick).map_err(from)?;
        payload.finish().map_err(from)?;
        let mut written = Vec::new();
        envelope::write(level.get(), b"", |into| write(response, &record, into), &mut written)
            .map_err(|fault| SoapFault::of_conversion(Direction::To, &fault))?;
        Ok(written)
    }
}
