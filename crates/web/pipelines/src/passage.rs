//! A message on its way through handlers, and its answer on the way back, by the published protocol of containers.
//!
//! A provider sends a request from the transport to the program, a requester from the program to the transport: the handlers
//! stand in the order in which the request passes them, and only the names of the functions are others.

use std::sync::Arc;

use kernel::channels::{Channel, DataType, Encoding};
use kernel::name::{Name8, Name16, TransactionName};
use kernel::raise::{Abend, AbendCode};

use crate::configuration::Handler;
use crate::messages::Request;
use crate::programs::{Programs, Switch};

/// The channel of a program in a pipeline.
pub(crate) const CHANNEL: &str = "DFHAHC-V1";
/// The containers that the protocol is about.
pub(crate) const REQUEST: &str = "DFHREQUEST";
pub(crate) const RESPONSE: &str = "DFHRESPONSE";
pub(crate) const URI: &str = "DFHWS-URI";
pub(crate) const BODY: &str = "DFHWS-BODY";
const FUNCTION: &str = "DFHFUNCTION";
const ERROR: &str = "DFHERROR";
const STATUS: &str = "DFHHTTPSTATUS";
const MEDIA: &str = "DFHMEDIATYPE";
const HEADER: &str = "DFHHEADER";
/// As whom a service runs: programs may change it.
pub(crate) const TRANSACTION: &str = "DFHWS-TRANID";
pub(crate) const USER: &str = "DFHWS-USERID";
/// Characters of DFHFUNCTION.
const FUNCTION_LENGTH: usize = 16;

/// Type of a message's text: UTF-8, which programs get in their own characters.
pub(crate) const TEXT: DataType = DataType::Char(Encoding::Utf8);
/// Names and short texts.
const WORDS: DataType = DataType::Char(Encoding::Program);

/// The containers of a pipeline.
#[derive(Clone)]
pub(crate) struct Containers(Arc<Channel>);

impl Containers {
    pub fn new() -> Self {
        Self(Channel::new(Name16::from(CHANNEL)))
    }

    /// Those of a program that was given them.
    pub fn over(channel: &Arc<Channel>) -> Self {
        Self(Arc::clone(channel))
    }

    /// A message, which is text.
    pub fn message(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.text(name).unwrap_or_default()).into_owned()
    }

    /// A short text.
    pub fn word(&self, name: &str) -> String {
        self.message(name).trim().to_owned()
    }

    /// Puts a message.
    pub async fn put_message(
        &self,
        programs: &mut impl Programs,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), Abend> {
        self.put(programs, name, bytes, TEXT).await
    }

    pub fn channel(&self) -> &Arc<Channel> {
        &self.0
    }

    /// The body that a program has left.
    pub fn body(&self) -> Option<Vec<u8>> {
        self.text(BODY)
    }

    /// Returns a container's bytes, as UTF-8; `None` if it is not there.
    fn text(&self, name: &str) -> Option<Vec<u8>> {
        let container = self.0.get(Name16::from(name))?;
        Some(match container.data_type {
            DataType::Char(encoding) => encoding.convert(&container.data, Encoding::Utf8).0,
            DataType::Bit => container.data.to_vec(),
        })
    }

    /// The same, where an empty one is none.
    pub fn filled(&self, name: &str) -> Option<Vec<u8>> {
        self.text(name).filter(|bytes| !bytes.is_empty())
    }

    pub fn remove(&self, name: &str) {
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

    /// Properties that programs have given the answer.
    pub fn said(&self) -> Said {
        let text = |name: &str| {
            let bytes = self.filled(name)?;
            Some(String::from_utf8_lossy(&bytes).trim().to_owned()).filter(|text| !text.is_empty())
        };
        Said { status: text(STATUS).and_then(|text| status(&text)), media: text(MEDIA) }
    }

    /// As whom the program of a service is to run: programs have named another transaction or user than those of a request.
    pub fn switch(&self, request: &Request) -> Option<Switch> {
        let named = |name: &str, own: &str, most: usize| {
            let bytes = self.filled(name)?;
            let text = String::from_utf8_lossy(&bytes).trim().to_owned();
            // A name that is too long matches no user: cut, it could match another one.
            let fitting = if text.len() > most { String::new() } else { text.clone() };
            (!text.is_empty() && text != own.trim()).then_some(fitting)
        };
        let transaction = named(TRANSACTION, &request.transaction, TransactionName::BLANK.as_bytes().len());
        let user = named(USER, &request.user, Name8::BLANK.as_bytes().len());
        if transaction.is_none() && user.is_none() {
            return None;
        }
        Some(Switch {
            transaction: TransactionName::from(transaction.as_ref().unwrap_or(&request.transaction).as_str()),
            user: Name8::from(user.as_ref().unwrap_or(&request.user).as_str()),
        })
    }

    /// Puts names and short texts.
    pub async fn show(&self, programs: &mut impl Programs, shown: &[(&str, &str)]) -> Result<(), Abend> {
        for (name, text) in shown {
            self.put(programs, name, text.as_bytes(), WORDS).await?;
        }
        Ok(())
    }

    pub async fn function(&self, programs: &mut impl Programs, function: &str) -> Result<(), Abend> {
        self.put(programs, FUNCTION, format!("{function:<FUNCTION_LENGTH$}").as_bytes(), WORDS).await
    }

    /// Shows a program the message itself.
    pub async fn show_message(
        &self,
        programs: &mut impl Programs,
        operation: &str,
        body: &str,
        level: &[u8],
    ) -> Result<(), Abend> {
        self.put(programs, "DFHWS-OPERATION", operation.as_bytes(), TEXT).await?;
        self.put(programs, "DFHWS-SOAPLEVEL", level, DataType::Bit).await?;
        self.put(programs, BODY, body.as_bytes(), TEXT).await
    }

    /// Runs a program of headers; the header that it has made.
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

/// Properties of an answer that programs give beside its body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// DFHHTTPSTATUS: a number, and a phrase perhaps.
    pub status: Option<(u16, Option<String>)>,
    /// DFHMEDIATYPE.
    pub media: Option<String>,
}

/// Returns the number and the phrase of a status; `None` if it has no number of an answer, or what cannot stand in a line.
fn status(text: &str) -> Option<(u16, Option<String>)> {
    let (number, phrase) = text.split_once(' ').unwrap_or((text, ""));
    let number = number.parse().ok().filter(|number| (200..600).contains(number))?;
    let phrase = phrase.trim();
    if phrase.contains(|it: char| it.is_control()) {
        return None;
    }
    Some((number, (!phrase.is_empty()).then(|| phrase.to_owned())))
}

/// Reasons why a passage ends early: the number of DFHERROR.
#[derive(Clone, Copy)]
pub(crate) enum Wrong {
    Abended(AbendCode),
    Empty,
    Missing,
    Both,
    Transport,
}

impl From<Abend> for Wrong {
    fn from(abend: Abend) -> Self {
        Self::Abended(abend.code)
    }
}

impl Wrong {
    fn number(self) -> u8 {
        match self {
            Self::Abended(_) => 1,
            Self::Empty => 2,
            Self::Missing => 3,
            Self::Both => 4,
            Self::Transport => 6,
        }
    }

    pub fn text(self, program: Name8) -> String {
        match self {
            Self::Abended(code) => format!("handler {program} has ended with abend {code}"),
            Self::Empty => format!("handler {program} has left an empty {RESPONSE}"),
            Self::Missing => format!("handler {program} has left no {RESPONSE}"),
            Self::Both => format!("handler {program} has left {REQUEST} and {RESPONSE}"),
            Self::Transport => String::from("the server has not answered"),
        }
    }

    /// DFHERROR: versions, number, mode, abend code, containers, node.
    fn bytes(self, mode: Mode) -> Vec<u8> {
        let mut bytes = vec![1, 1, self.number(), mode as u8];
        let code = if let Self::Abended(code) = self { code } else { AbendCode::BLANK };
        bytes.extend_from_slice(code.as_bytes());
        bytes.extend_from_slice(Name16::from(REQUEST).as_bytes());
        bytes.extend_from_slice(Name16::from(RESPONSE).as_bytes());
        bytes.extend_from_slice(Name8::BLANK.as_bytes());
        bytes
    }
}

/// Which side of a conversation a pipeline is: its letter in DFHERROR.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Provider = b'P' as isize,
    Requester = b'R' as isize,
}

impl Mode {
    /// Functions that handlers are called for: a request, and its answer.
    const fn functions(self) -> [&'static str; 2] {
        match self {
            Self::Provider => ["RECEIVE-REQUEST", "SEND-RESPONSE"],
            Self::Requester => ["SEND-REQUEST", "RECEIVE-RESPONSE"],
        }
    }
}

/// The function of what stands at a provider's end.
pub(crate) const PROCESS: &str = "PROCESS-REQUEST";

/// State in which a handler has left a request.
pub(crate) enum Left {
    /// It goes on, changed perhaps.
    Request(Vec<u8>),
    /// It has its answer.
    Response,
    /// It gets none.
    Nothing,
}

/// State of a request on its way.
pub(crate) enum Forth {
    /// Through.
    Through(Vec<u8>),
    /// It turns round behind so many handlers: the last of them sees its answer first.
    Turned(usize),
    /// It ends here, without an answer.
    Over,
}

/// Failure, and the place of its handler.
pub(crate) type Failed = (usize, Wrong);

/// A message in a pipeline.
pub(crate) struct Passage<'a, P> {
    pub programs: &'a mut P,
    pub handlers: &'a [Handler],
    pub containers: Containers,
    pub mode: Mode,
}

impl<P: Programs> Passage<'_, P> {
    /// A request passes the handlers.
    pub async fn forth(&mut self, mut body: Vec<u8>) -> Result<Forth, Failed> {
        let [function, _] = self.mode.functions();
        for (at, handler) in self.handlers.iter().enumerate() {
            let left = self.request(handler.program, function, handler.parameters.as_bytes(), &body).await;
            match left.map_err(|wrong| (at, wrong))? {
                Left::Request(changed) => body = changed,
                Left::Nothing => return Ok(Forth::Over),
                Left::Response => return Ok(Forth::Turned(at + 1)),
            }
        }
        Ok(Forth::Through(body))
    }

    /// An answer passes the handlers before a place, backwards: what it is behind them.
    pub async fn back(&mut self, from: usize) -> Result<Vec<u8>, Failed> {
        let [_, function] = self.mode.functions();
        for (at, handler) in self.handlers[..from].iter().enumerate().rev() {
            let called = self.call(handler.program, function, handler.parameters.as_bytes()).await;
            called.map_err(|wrong| (at, wrong))?;
            if self.containers.filled(RESPONSE).is_none() {
                let is_there = self.containers.text(RESPONSE).is_some();
                return Err((at, if is_there { Wrong::Empty } else { Wrong::Missing }));
            }
        }
        Ok(self.containers.filled(RESPONSE).unwrap_or_default())
    }

    /// Gives a program the request, and sees what it leaves.
    pub async fn request(
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
            (Some(_), Some(_)) if function == PROCESS => Ok(Left::Response),
            (Some(_), Some(_)) => Err(Wrong::Both),
        }
    }

    async fn call(&mut self, program: Name8, function: &str, parameters: &[u8]) -> Result<(), Wrong> {
        self.containers.function(self.programs, function).await?;
        self.containers.put(self.programs, "DFH-HANDLERPLIST", parameters, TEXT).await?;
        Ok(self.programs.with_channel(program, self.containers.channel()).await?)
    }

    /// Puts a message.
    pub async fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Wrong> {
        Ok(self.containers.put(self.programs, name, bytes, TEXT).await?)
    }

    /// Handlers that the request has passed hear of an error, backwards. `end`: the program behind the last of them. Why it
    /// has failed, in a sentence, which the log has.
    pub async fn fails(&mut self, (at, wrong): Failed, end: Name8) -> String {
        let why = wrong.text(self.handlers.get(at).map_or(end, |handler| handler.program));
        tracing::warn!(target: "PI", "DFHPI0505 a pipeline has failed: {why}");
        for handler in self.handlers[..at.min(self.handlers.len())].iter().rev() {
            let bytes = wrong.bytes(self.mode);
            let told = self.containers.put(self.programs, ERROR, &bytes, DataType::Bit).await;
            if told.is_err() || self.call(handler.program, "HANDLER-ERROR", &[]).await.is_err() {
                break;
            }
        }
        why
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_number_and_perhaps_a_phrase() {
        let phrase = |text: &str| Some(text.to_owned());
        for (text, wanted) in [
            ("201", Some((201, None))),
            ("409 Sold out", Some((409, phrase("Sold out")))),
            ("409  ", Some((409, None))),
            ("99 No", None),
            ("600", None),
            ("", None),
            ("200 a\r\nX: y", None),
        ] {
            assert_eq!(status(text), wanted, "{text}");
        }
    }
}
