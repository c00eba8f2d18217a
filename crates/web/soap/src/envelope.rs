//! An envelope taken apart, and put together.

use std::borrow::Cow;
use std::sync::Arc;

use mapping::xml::{Reader, Start, Token};
use mapping::{FaultKind, MappingFault};

use crate::level::Level;
use mapping::xml as fragment;

const NEXT_11: &str = "http://schemas.xmlsoap.org/soap/actor/next";
const NEXT_12: &str = "http://www.w3.org/2003/05/soap-envelope/role/next";
const ULTIMATE_12: &str = "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";

/// Headers of an envelope. Beyond, it is refused.
pub const HEADERS_MAX: usize = 256;

/// An envelope.
#[derive(Clone, Debug)]
pub struct Envelope<'a> {
    /// Its version.
    pub level: Level,
    /// Its headers in order.
    pub headers: Vec<Header<'a>>,
    /// The element in its body; `None` if the body is empty.
    pub payload: Option<Payload<'a>>,
}

/// A header.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// Its first tag.
    pub start: Start<'a>,
    /// The header as it was written. Prefixes that it uses may be bound outside of it: `bindings` has them.
    pub raw: &'a str,
    /// Its offset in the message.
    pub at: usize,
    /// Prefixes and namespaces that hold at its place.
    pub bindings: Vec<(&'a str, Option<Arc<str>>)>,
    must_understand: bool,
    is_for_us: bool,
    content: Reader<'a>,
    /// The length of its first tag.
    tag: usize,
}

/// The element in a body.
#[derive(Clone, Debug)]
pub struct Payload<'a> {
    /// Its first tag.
    pub start: Start<'a>,
    /// A reader after that tag, for [`mapping::xml::read_content`].
    pub reader: Reader<'a>,
    /// Its offset in the message.
    pub at: usize,
}

/// The reason why a message is not an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An envelope of another version of SOAP.
    VersionMismatch(String),
    /// It is not well formed, or no envelope.
    Malformed(MappingFault),
}

impl From<MappingFault> for Problem {
    fn from(fault: MappingFault) -> Self {
        Self::Malformed(fault)
    }
}

impl<'a> Envelope<'a> {
    /// Takes a message apart, whose text comes from [`mapping::encoding::text`].
    ///
    /// # Errors
    /// See [`Problem`].
    pub fn read(text: &'a str) -> Result<Self, Problem> {
        let mut reader = Reader::new(text)?;
        let Token::Start(root) = reader.token()? else { return Err(unexpected("no element").into()) };
        let namespace = root.namespace.as_deref().unwrap_or("");
        if root.local != "Envelope" {
            return Err(unexpected(&format!("{} instead of an envelope", root.local)).into());
        }
        let level =
            Level::of_namespace(namespace).ok_or_else(|| Problem::VersionMismatch(namespace.to_owned()))?;
        let mut headers = Vec::new();
        let mut start = child(&mut reader)?;
        if start.as_ref().is_some_and(|start| start.is(level.namespace(), "Header")) {
            headers = read_headers(&mut reader, level)?;
            start = child(&mut reader)?;
        }
        if !start.is_some_and(|start| start.is(level.namespace(), "Body")) {
            return Err(unexpected("an envelope without a body").into());
        }
        let payload = payload(&mut reader)?;
        if payload.is_none() {
            close(&mut reader)?;
        }
        Ok(Self { level, headers, payload })
    }

    /// Headers that the last reader of the message must understand, and that are not handled.
    pub fn not_understood(&self, is_handled: impl Fn(&Header<'_>) -> bool) -> Vec<&Header<'a>> {
        self.headers.iter().filter(|header| header.must_be_understood() && !is_handled(header)).collect()
    }
}

impl<'a> Header<'a> {
    /// Returns true if it is for the last reader of the message.
    pub fn is_for_us(&self) -> bool {
        self.is_for_us
    }

    /// Returns true if it is for us and must be understood.
    pub fn must_be_understood(&self) -> bool {
        self.must_understand && self.is_for_us
    }

    /// The header by itself, with the prefixes bound that are bound outside of it.
    pub fn alone(&self) -> String {
        fragment::bound(self.raw, self.tag, &self.bindings)
    }

    /// A reader after its first tag.
    pub fn content(&self) -> Reader<'a> {
        self.content.clone()
    }

    /// Its text, if it has only text.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.content().element_text().ok()
    }
}

impl Payload<'_> {
    /// The element by itself: as it was written, with the prefixes bound that it uses and that are bound outside of it.
    ///
    /// # Errors
    /// It is not well formed.
    pub fn alone(&self) -> Result<String, MappingFault> {
        let mut reader = self.reader.clone();
        let begun = reader.at();
        let outside = reader.bindings();
        reader.skip_element()?;
        let whole = &reader.text()[self.at..reader.at()];
        Ok(fragment::bound(whole, begun - self.at, &outside))
    }

    /// Reads on from the element's end tag, which was read, to the end of the message: nothing else may follow.
    ///
    /// # Errors
    /// Something else follows.
    pub fn finish(mut self) -> Result<(), MappingFault> {
        close_element(&mut self.reader)?;
        close(&mut self.reader)
    }
}

fn unexpected(what: &str) -> MappingFault {
    MappingFault::new(FaultKind::UnexpectedContent, format!("the message is {what}"))
}

/// The next element within the one that is open, or none at its end.
fn child<'a>(reader: &mut Reader<'a>) -> Result<Option<Start<'a>>, MappingFault> {
    loop {
        match reader.token()? {
            Token::Start(start) => return Ok(Some(start)),
            Token::Text(text) if text.trim_ascii().is_empty() => {}
            Token::Text(_) => return Err(unexpected("an envelope with text of its own")),
            Token::End | Token::Eof => return Ok(None),
        }
    }
}

fn read_headers<'a>(reader: &mut Reader<'a>, level: Level) -> Result<Vec<Header<'a>>, MappingFault> {
    let mut headers = Vec::new();
    loop {
        let before = reader.at();
        let Some(start) = child(reader)? else { return Ok(headers) };
        if headers.len() == HEADERS_MAX {
            return Err(MappingFault::new(
                FaultKind::TooComplex,
                format!("an envelope has at most {HEADERS_MAX} headers"),
            ));
        }
        let (content, bindings) = (reader.clone(), reader.bindings());
        reader.skip_element()?;
        let raw = &reader.text()[before..reader.at()];
        // Blanks and comments may precede it.
        let begun = begin(raw);
        let tag = content.at() - before - begun;
        headers.push(Header {
            at: before + begun,
            ..header(start, &raw[begun..], bindings, (content, tag), level)?
        });
    }
}

/// The start of the first tag that is not a comment.
fn begin(raw: &str) -> usize {
    let mut at = 0;
    loop {
        at += raw[at..].find('<').unwrap_or(0);
        match raw[at..].strip_prefix("<!--").and_then(|comment| comment.find("-->")) {
            Some(end) => at += 4 + end + 3,
            None => return at,
        }
    }
}

fn header<'a>(
    start: Start<'a>,
    raw: &'a str,
    bindings: Vec<(&'a str, Option<Arc<str>>)>,
    (content, tag): (Reader<'a>, usize),
    level: Level,
) -> Result<Header<'a>, MappingFault> {
    let namespace = level.namespace();
    let must_understand = match (level, start.attribute(namespace, "mustUnderstand").map(str::trim)) {
        (_, None | Some("0")) | (Level::Soap12, Some("false")) => false,
        (_, Some("1")) | (Level::Soap12, Some("true")) => true,
        (_, Some(other)) => return Err(unexpected(&format!("one with mustUnderstand=\"{other}\""))),
    };
    let role = match level {
        Level::Soap11 => start.attribute(namespace, "actor"),
        Level::Soap12 => start.attribute(namespace, "role"),
    };
    let is_for_us = match role.map(str::trim) {
        None | Some("") => true,
        Some(NEXT_11) => level == Level::Soap11,
        Some(NEXT_12 | ULTIMATE_12) => level == Level::Soap12,
        Some(_) => false,
    };
    Ok(Header { start, raw, at: 0, bindings, must_understand, is_for_us, content, tag })
}

fn payload<'a>(reader: &mut Reader<'a>) -> Result<Option<Payload<'a>>, MappingFault> {
    let before = reader.at();
    let Some(start) = child(reader)? else { return Ok(None) };
    let raw = &reader.text()[before..];
    Ok(Some(Payload { start, at: before + begin(raw), reader: reader.clone() }))
}

/// The end tag of the open element, with nothing before it.
fn close_element(reader: &mut Reader<'_>) -> Result<(), MappingFault> {
    match child(reader)? {
        None => Ok(()),
        Some(start) => Err(unexpected(&format!("an envelope with {} at a wrong place", start.local))),
    }
}

/// The end of the envelope, the body being closed.
fn close(reader: &mut Reader<'_>) -> Result<(), MappingFault> {
    close_element(reader)?;
    match reader.token()? {
        Token::Eof => Ok(()),
        _ => Err(unexpected("more than an envelope")),
    }
}

/// Writes an envelope. Headers and body are written as they are: elements that bind their own prefixes.
pub fn write<E>(
    level: Level,
    headers: &[u8],
    body: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    into: &mut Vec<u8>,
) -> Result<(), E> {
    into.extend_from_slice(b"<soap:Envelope xmlns:soap=\"");
    into.extend_from_slice(level.namespace().as_bytes());
    into.extend_from_slice(b"\">");
    if !headers.is_empty() {
        into.extend_from_slice(b"<soap:Header>");
        into.extend_from_slice(headers);
        into.extend_from_slice(b"</soap:Header>");
    }
    into.extend_from_slice(b"<soap:Body>");
    body(into)?;
    into.extend_from_slice(b"</soap:Body></soap:Envelope>");
    Ok(())
}

/// An envelope that [`write`] has written, with further headers before its own.
pub fn with_headers(mut message: Vec<u8>, headers: &[u8]) -> Vec<u8> {
    const HEADER: &[u8] = b"<soap:Header>";
    let Some(at) = message.iter().position(|byte| *byte == b'>').map(|at| at + 1) else { return message };
    if headers.is_empty() {
        return message;
    }
    if message[at..].starts_with(HEADER) {
        message.splice(at + HEADER.len()..at + HEADER.len(), headers.iter().copied());
    } else {
        let header = [HEADER, headers, b"</soap:Header>"].concat();
        message.splice(at..at, header);
    }
    message
}
