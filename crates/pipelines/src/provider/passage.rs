//! A request on its way through handlers, and its reply on the way back, by the published protocol of containers.

use std::sync::Arc;

use kernel::channels::{Channel, DataType, Encoding};
use kernel::name::{Name8, Name16};
use kernel::raise::{Abend, AbendCode};

use super::target::CHANNEL;
use super::{Reply, Request, failed, finish};
use crate::configuration::{Configuration, Form};
use crate::programs::Programs;
use crate::webservice::WebService;

const REQUEST: &str = "DFHREQUEST";
const RESPONSE: &str = "DFHRESPONSE";
const FUNCTION: &str = "DFHFUNCTION";
const ERROR: &str = "DFHERROR";
const BODY: &str = "DFHWS-BODY";
const HEADER: &str = "DFHHEADER";
/// Characters of DFHFUNCTION.
const FUNCTION_LENGTH: usize = 16;

/// What a message is in: UTF-8, which programs get in their own characters.
const TEXT: DataType = DataType::Char(Encoding::Utf8);
/// Names and short texts.
const WORDS: DataType = DataType::Char(Encoding::Program);

/// The containers of a pipeline.
#[derive(Clone)]
pub(super) struct Containers(Arc<Channel>);

impl Containers {
    pub fn new() -> Self {
        Self(Channel::new(Name16::from(CHANNEL)))
    }

    pub fn channel(&self) -> &Arc<Channel> {
        &self.0
    }

    /// The body that a program has left.
    pub fn body(&self) -> Option<Vec<u8>> {
        self.text(BODY)
    }

    /// A container's bytes, as UTF-8; none if it is not there.
    fn text(&self, name: &str) -> Option<Vec<u8>> {
        let container = self.0.get(Name16::from(name))?;
        Some(match container.data_type {
            DataType::Char(encoding) => encoding.convert(&container.data, Encoding::Utf8).0,
            DataType::Bit => container.data.to_vec(),
        })
    }

    /// The same, where an empty one is none.
    fn filled(&self, name: &str) -> Option<Vec<u8>> {
        self.text(name).filter(|bytes| !bytes.is_empty())
    }

    fn remove(&self, name: &str) {
        self.0.remove(Name16::from(name));
    }

    async fn put(
        &self,
        programs: &mut impl Programs,
        name: &str,
        bytes: &[u8],
        data_type: DataType,
    ) -> Result<(), Abend> {
        programs.put(&self.0, Name16::from(name), bytes.to_vec(), data_type).await
    }

    async fn function(&self, programs: &mut impl Programs, function: &str) -> Result<(), Abend> {
        self.put(programs, FUNCTION, format!("{function:<FUNCTION_LENGTH$}").as_bytes(), WORDS).await
    }

    /// What a program sees of the message itself.
    pub async fn show_message(
        &self,
        programs: &mut impl Programs,
        operation: &str,
        body: &str,
        level: &[u8],
    ) -> Result<(), Abend> {
        self.put(programs, "DFHWS-OPERATION", operation.as_bytes(), TEXT).await?;
        self.put(programs, "DFHWS-SOAPLEVEL", level, DataType::Bit).await?;
        self.put(programs, BODY, body.as_bytes(), TEXT).await?;
        self.function(programs, "PROCESS-REQUEST").await
    }

    /// Runs a program of headers; the header that it has made for the reply.
    pub async fn header(
        &self,
        programs: &mut impl Programs,
        program: Name8,
        header: &str,
    ) -> Result<Vec<u8>, Abend> {
        self.put(programs, HEADER, header.as_bytes(), TEXT).await?;
        programs.with_channel(program, &self.0).await?;
        let made = self.filled(HEADER).filter(|made| made != header.as_bytes());
        self.remove(HEADER);
        Ok(made.unwrap_or_default())
    }
}

/// Why a passage ends early: the number of DFHERROR.
#[derive(Clone, Copy)]
enum Wrong {
    Abended(AbendCode),
    Empty,
    Missing,
    Both,
}

impl Wrong {
    fn number(self) -> u8 {
        match self {
            Self::Abended(_) => 1,
            Self::Empty => 2,
            Self::Missing => 3,
            Self::Both => 4,
        }
    }

    fn text(self, program: Name8) -> String {
        match self {
            Self::Abended(code) => format!("handler {program} has ended with abend {code}"),
            Self::Empty => format!("handler {program} has left an empty {RESPONSE}"),
            Self::Missing => format!("handler {program} has left no {RESPONSE}"),
            Self::Both => format!("handler {program} has left {REQUEST} and {RESPONSE}"),
        }
    }

    /// DFHERROR: versions, number, mode (provider), abend code, containers, node.
    fn bytes(self) -> Vec<u8> {
        let mut bytes = vec![1, 1, self.number(), b'P'];
        let code = if let Self::Abended(code) = self { code } else { AbendCode::BLANK };
        bytes.extend_from_slice(code.as_bytes());
        bytes.extend_from_slice(Name16::from(REQUEST).as_bytes());
        bytes.extend_from_slice(Name16::from(RESPONSE).as_bytes());
        bytes.extend_from_slice(Name8::BLANK.as_bytes());
        bytes
    }
}

/// How a handler has left a request.
enum Left {
    Request(Vec<u8>),
    Response,
    Nothing,
}

struct Passage<'a, P> {
    programs: &'a mut P,
    pipeline: &'a Configuration,
    containers: Containers,
}

/// Runs a request through the handlers to the end, and back.
pub(super) async fn run(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Reply {
    let mut passage = Passage { programs, pipeline, containers: Containers::new() };
    match passage.pass(service, request).await {
        Ok(reply) => reply,
        Err((at, wrong)) => passage.fails(at, wrong).await,
    }
}

impl<P: Programs> Passage<'_, P> {
    async fn pass(
        &mut self,
        service: Option<&WebService>,
        request: Request,
    ) -> Result<Reply, (usize, Wrong)> {
        let handlers = &self.pipeline.handlers;
        let mut body = request.body.clone();
        self.begin(service, &request).await.map_err(|abend| (0, Wrong::Abended(abend.code)))?;
        for (at, handler) in handlers.iter().enumerate() {
            let parameters = handler.parameters.as_bytes();
            let left = self.request(handler.program, "RECEIVE-REQUEST", parameters, &body).await;
            match left.map_err(|wrong| (at, wrong))? {
                Left::Request(changed) => body = changed,
                Left::Nothing => return Ok(Reply::nothing()),
                // It turns round: the same handler sees it first.
                Left::Response => return self.back(at + 1, reply(self.pipeline, 200)).await,
            }
        }
        let end = handlers.len();
        let reply = match self.pipeline.form {
            Form::Program(program) => {
                let left = self.request(program, "PROCESS-REQUEST", &[], &body).await;
                match left.map_err(|wrong| (end, wrong))? {
                    Left::Response => reply(self.pipeline, 200),
                    Left::Request(_) => return Err((end, Wrong::Missing)),
                    Left::Nothing => return Ok(Reply::nothing()),
                }
            }
            _ => {
                let containers = self.containers.clone();
                let reply =
                    finish(self.programs, self.pipeline, service, &request, &body, Some(&containers)).await;
                if reply.body.is_empty() {
                    return Ok(reply);
                }
                self.put(RESPONSE, &reply.body).await.map_err(|wrong| (end, wrong))?;
                self.containers.remove(REQUEST);
                reply
            }
        };
        self.back(end, reply).await
    }

    /// The reply goes back past the handlers before a place.
    async fn back(&mut self, from: usize, reply: Reply) -> Result<Reply, (usize, Wrong)> {
        for (at, handler) in self.pipeline.handlers[..from].iter().enumerate().rev() {
            let called = self.call(handler.program, "SEND-RESPONSE", handler.parameters.as_bytes()).await;
            called.map_err(|wrong| (at, wrong))?;
            if self.containers.filled(RESPONSE).is_none() {
                let is_there = self.containers.text(RESPONSE).is_some();
                return Err((at, if is_there { Wrong::Empty } else { Wrong::Missing }));
            }
        }
        let body = self.containers.filled(RESPONSE).unwrap_or_default();
        Ok(Reply { body, ..reply })
    }

    /// Containers that every handler sees.
    async fn begin(&mut self, service: Option<&WebService>, request: &Request) -> Result<(), Abend> {
        let name = service.map_or(String::new(), |service| service.name.to_string());
        let shown = [
            ("DFHWS-URI", request.uri.as_str()),
            ("DFHWS-WEBSERVICE", &name),
            ("DFHWS-USERID", &request.user),
            ("DFHWS-TRANID", &request.transaction),
            ("DFHWS-SOAPACTION", request.action.as_deref().unwrap_or_default()),
            ("DFH-SERVICEPLIST", &self.pipeline.parameters),
        ];
        for (name, text) in shown {
            self.containers.put(self.programs, name, text.as_bytes(), WORDS).await?;
        }
        Ok(())
    }

    /// Gives a handler the request, and sees what it leaves.
    async fn request(
        &mut self,
        program: Name8,
        function: &str,
        parameters: &[u8],
        body: &[u8],
    ) -> Result<Left, Wrong> {
        self.put(REQUEST, body).await?;
        self.put(RESPONSE, &[]).await?;
        self.call(program, function, parameters).await?;
        match (self.containers.filled(REQUEST), self.containers.filled(RESPONSE)) {
            (Some(request), None) => Ok(Left::Request(request)),
            (None, Some(_)) => Ok(Left::Response),
            (None, None) => Ok(Left::Nothing),
            // A terminal handler need not take away what it has answered.
            (Some(_), Some(_)) if function == "PROCESS-REQUEST" => Ok(Left::Response),
            (Some(_), Some(_)) => Err(Wrong::Both),
        }
    }

    async fn call(&mut self, program: Name8, function: &str, parameters: &[u8]) -> Result<(), Wrong> {
        let wrong = |abend: Abend| Wrong::Abended(abend.code);
        self.containers.function(self.programs, function).await.map_err(wrong)?;
        let own = self.containers.put(self.programs, "DFHHANDLERPLIST", parameters, TEXT).await;
        own.map_err(wrong)?;
        self.programs.with_channel(program, self.containers.channel()).await.map_err(wrong)
    }

    async fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Wrong> {
        let put = self.containers.put(self.programs, name, bytes, TEXT).await;
        put.map_err(|abend| Wrong::Abended(abend.code))
    }

    /// Handlers that the request has passed hear of an error, backwards.
    async fn fails(&mut self, at: usize, wrong: Wrong) -> Reply {
        let failing = self.pipeline.handlers.get(at).map(|handler| handler.program);
        let program = failing.unwrap_or(match self.pipeline.form {
            Form::Program(program) => program,
            _ => Name8::BLANK,
        });
        let why = wrong.text(program);
        tracing::warn!(target: "PI", "DFHPI0505 a pipeline has failed: {why}");
        for handler in self.pipeline.handlers[..at.min(self.pipeline.handlers.len())].iter().rev() {
            let told = self.containers.put(self.programs, ERROR, &wrong.bytes(), DataType::Bit).await;
            if told.is_err() || self.call(handler.program, "HANDLER-ERROR", &[]).await.is_err() {
                break;
            }
        }
        failed(self.pipeline, &why)
    }
}

/// A reply that a program has made, in the form of the pipeline's messages.
fn reply(pipeline: &Configuration, status: u16) -> Reply {
    match pipeline.form {
        Form::Soap(level) => Reply::soap(level, status, Vec::new()),
        Form::Json | Form::Bare => Reply::json(status, Vec::new()),
        Form::Program(_) => Reply {
            status,
            media: String::from("text/xml; charset=UTF-8"),
            body: Vec::new(),
            backs_out: false,
        },
    }
}
