//! Faults: a service's answers when it fails, in both versions and in JSON.

use std::convert::Infallible;

use mapping::xml::{Reader, Token, escape_attribute, escape_text};
use mapping::{MappingFault, json};

use crate::envelope::{self, Envelope, Header};
use crate::level::Level;
use mapping::xml as fragment;

/// The namespace of `xml:lang`.
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// The namespace of the published detail element.
const DETAIL_NAMESPACE: &str = "http://www.ibm.com/software/htp/cics/WSFault";

/// The language of a reason that names none.
pub const LANGUAGE: &str = "en";

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The envelope is of another version.
    VersionMismatch,
    /// A header that must be understood is not.
    MustUnderstand,
    /// The sender's: Client in 1.1, Sender in 1.2.
    Sender,
    /// Ours: Server in 1.1, Receiver in 1.2.
    Receiver,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoapFault {
    /// Whose.
    pub code: Code,
    /// A code of 1.1 that replaces it: a qualified name.
    pub own_code: Option<String>,
    /// The subcodes of 1.2: qualified names, each within the one before.
    pub subcodes: Vec<String>,
    /// A sentence for a person.
    pub reason: String,
    /// Its language.
    pub language: String,
    /// The same in other languages, which 1.2 has room for.
    pub translations: Vec<(String, String)>,
    /// The finder of the fault: actor in 1.1, role in 1.2.
    pub role: Option<String>,
    /// The node that has found it, which 1.2 has room for.
    pub node: Option<String>,
    /// A prefix that its codes have, and the namespace.
    pub binding: Option<(&'static str, &'static str)>,
    /// The content of its detail: XML that binds its own prefixes.
    pub detail: Option<String>,
}

/// In which direction a message could not be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the message to the record.
    From,
    /// From the record to the message.
    To,
}

impl Code {
    /// Its local name.
    pub const fn name(self, level: Level) -> &'static str {
        match (self, level) {
            (Self::VersionMismatch, _) => "VersionMismatch",
            (Self::MustUnderstand, _) => "MustUnderstand",
            (Self::Sender, Level::Soap11) => "Client",
            (Self::Sender, Level::Soap12) => "Sender",
            (Self::Receiver, Level::Soap11) => "Server",
            (Self::Receiver, Level::Soap12) => "Receiver",
        }
    }

    fn named(name: &str, level: Level) -> Option<Self> {
        // 1.1 allows more specific names after a dot.
        let first = name.split('.').next().unwrap_or(name);
        let all = [Self::VersionMismatch, Self::MustUnderstand, Self::Sender, Self::Receiver];
        all.into_iter().find(|code| code.name(level) == first)
    }
}

impl SoapFault {
    /// A fault with a reason.
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Self {
            code,
            own_code: None,
            subcodes: Vec::new(),
            reason: reason.into(),
            language: LANGUAGE.to_owned(),
            translations: Vec::new(),
            role: None,
            node: None,
            binding: None,
            detail: None,
        }
    }

    /// The fault of an envelope of another version.
    pub fn version_mismatch(namespace: &str) -> Self {
        Self::new(
            Code::VersionMismatch,
            format!("the envelope is neither of SOAP 1.1 nor of SOAP 1.2: {namespace}"),
        )
    }

    /// The fault of headers that were not handled.
    pub fn must_understand(headers: &[&Header<'_>]) -> Self {
        let names: Vec<_> = headers.iter().map(|header| header.start.local).collect();
        Self::new(
            Code::MustUnderstand,
            format!("headers that must be understood are not: {}", names.join(", ")),
        )
    }

    /// The fault of a conversion, with the published names in its detail.
    pub fn of_conversion(direction: Direction, fault: &MappingFault) -> Self {
        let (code, reason) = match direction {
            Direction::From => (Code::Sender, "Conversion from SOAP failed"),
            Direction::To => (Code::Receiver, "Conversion to SOAP failed"),
        };
        let mut detail = format!("<CICSFault xmlns=\"{DETAIL_NAMESPACE}\">").into_bytes();
        escape_text(&conversion_message(fault), &mut detail);
        detail.extend_from_slice(b"</CICSFault>");
        let detail = Some(String::from_utf8_lossy(&detail).into_owned());
        Self { detail, ..Self::new(code, reason) }
    }

    /// The HTTP status of an answer with it.
    pub const fn status(&self, level: Level) -> u16 {
        match (self.code, level) {
            (Code::Sender, Level::Soap12) => 400,
            _ => 500,
        }
    }

    /// Writes an envelope with it.
    pub fn write(&self, level: Level, into: &mut Vec<u8>) {
        let headers = match self.code {
            Code::VersionMismatch => upgrade(level),
            _ => Vec::new(),
        };
        let body = |into: &mut Vec<u8>| {
            match level {
                Level::Soap11 => self.write_11(into),
                Level::Soap12 => self.write_12(into),
            }
            Ok::<(), Infallible>(())
        };
        let Ok(()) = envelope::write(level, &headers, body, into);
    }

    fn begin(&self, into: &mut Vec<u8>) {
        let bound = self.binding.map(|(prefix, namespace)| format!(" xmlns:{prefix}=\"{namespace}\""));
        into.extend_from_slice(format!("<soap:Fault{}>", bound.unwrap_or_default()).as_bytes());
    }

    fn write_11(&self, into: &mut Vec<u8>) {
        let code = format!("soap:{}", self.code.name(Level::Soap11));
        self.begin(into);
        element("faultcode", self.own_code.as_ref().unwrap_or(&code), into);
        element("faultstring", &self.reason, into);
        if let Some(role) = &self.role {
            element("faultactor", role, into);
        }
        if let Some(detail) = &self.detail {
            into.extend_from_slice(format!("<detail>{detail}</detail>").as_bytes());
        }
        into.extend_from_slice(b"</soap:Fault>");
    }

    fn write_12(&self, into: &mut Vec<u8>) {
        self.begin(into);
        into.extend_from_slice(b"<soap:Code><soap:Value>soap:");
        into.extend_from_slice(self.code.name(Level::Soap12).as_bytes());
        into.extend_from_slice(b"</soap:Value>");
        for subcode in &self.subcodes {
            into.extend_from_slice(b"<soap:Subcode>");
            element("soap:Value", subcode, into);
        }
        into.extend_from_slice("</soap:Subcode>".repeat(self.subcodes.len()).as_bytes());
        into.extend_from_slice(b"</soap:Code><soap:Reason>");
        text_in(&self.language, &self.reason, into);
        for (language, reason) in &self.translations {
            text_in(language, reason, into);
        }
        into.extend_from_slice(b"</soap:Reason>");
        if let Some(node) = &self.node {
            element("soap:Node", node, into);
        }
        if let Some(role) = &self.role {
            element("soap:Role", role, into);
        }
        if let Some(detail) = &self.detail {
            into.extend_from_slice(format!("<soap:Detail>{detail}</soap:Detail>").as_bytes());
        }
        into.extend_from_slice(b"</soap:Fault>");
    }

    /// The fault in an envelope, if its body holds one.
    ///
    /// # Errors
    /// A fault that is not well formed.
    pub fn read(envelope: &Envelope<'_>) -> Result<Option<Self>, MappingFault> {
        let level = envelope.level;
        let Some(payload) = envelope.payload.as_ref().filter(|it| it.start.is(level.namespace(), "Fault"))
        else {
            return Ok(None);
        };
        let mut fault = Self::new(Code::Receiver, "");
        let mut reader = payload.reader.clone();
        loop {
            match reader.token()? {
                Token::Start(start) => match start.local {
                    "faultcode" => fault.take_code(&reader.element_text()?, level),
                    "faultstring" => fault.reason = reader.element_text()?.into_owned(),
                    "faultactor" | "Role" => fault.role = Some(reader.element_text()?.into_owned()),
                    "Node" => fault.node = Some(reader.element_text()?.into_owned()),
                    "Code" => {
                        let code = read_code(&mut reader, &mut fault.subcodes)?;
                        fault.take_code(&code, level);
                    }
                    "Reason" => fault.read_reason(&mut reader)?,
                    "detail" | "Detail" => fault.detail = Some(fragment::inner(&mut reader)?),
                    _ => reader.skip_element()?,
                },
                Token::Text(_) => {}
                Token::End | Token::Eof => return Ok(Some(fault)),
            }
        }
    }

    /// Takes the texts of Reason: the first is the reason, others say it in other languages.
    fn read_reason(&mut self, reader: &mut Reader<'_>) -> Result<(), MappingFault> {
        let mut texts = Vec::new();
        loop {
            match reader.token()? {
                Token::Start(start) if start.local == "Text" => {
                    let language = start.attribute(XML_NAMESPACE, "lang").unwrap_or(LANGUAGE).to_owned();
                    texts.push((language, reader.element_text()?.into_owned()));
                }
                Token::Start(_) => reader.skip_element()?,
                Token::Text(_) => {}
                Token::End | Token::Eof => break,
            }
        }
        let mut texts = texts.into_iter();
        if let Some((language, reason)) = texts.next() {
            (self.language, self.reason) = (language, reason);
        }
        self.translations = texts.collect();
        Ok(())
    }

    /// Gives the reason in a language, in place of an earlier one in that language.
    pub fn say_in(&mut self, language: String, reason: String) {
        if language == self.language {
            self.reason = reason;
            return;
        }
        match self.translations.iter_mut().find(|(own, _)| *own == language) {
            Some((_, said)) => *said = reason,
            None => self.translations.push((language, reason)),
        }
    }

    fn take_code(&mut self, text: &str, level: Level) {
        let local = text.trim().rsplit(':').next().unwrap_or_default();
        self.code = Code::named(local, level).unwrap_or(Code::Receiver);
    }
}

/// Reads the text of Value, and those of subcodes, which are nested.
fn read_code(reader: &mut Reader<'_>, subcodes: &mut Vec<String>) -> Result<String, MappingFault> {
    let (mut codes, mut open) = (Vec::new(), 1);
    while open > 0 {
        match reader.token()? {
            Token::Start(start) if start.local == "Value" => {
                codes.push(reader.element_text()?.trim().to_owned());
            }
            Token::Start(start) if start.local == "Subcode" => open += 1,
            Token::Start(_) => reader.skip_element()?,
            Token::Text(_) => {}
            Token::End | Token::Eof => open -= 1,
        }
    }
    let mut codes = codes.into_iter();
    let code = codes.next().unwrap_or_default();
    subcodes.extend(codes);
    Ok(code)
}

/// A reason in a language.
fn text_in(language: &str, reason: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(b"<soap:Text xml:lang=\"");
    escape_attribute(language, into);
    into.extend_from_slice(b"\">");
    escape_text(reason, into);
    into.extend_from_slice(b"</soap:Text>");
}

fn element(name: &str, text: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("<{name}>").as_bytes());
    escape_text(text, into);
    into.extend_from_slice(format!("</{name}>").as_bytes());
}

/// The versions that would do: SOAP 1.2, 5.4.7.
fn upgrade(level: Level) -> Vec<u8> {
    if level == Level::Soap11 {
        return Vec::new();
    }
    let supported = Level::ALL.iter().rev().enumerate().map(|(at, level)| {
        format!("<soap:SupportedEnvelope qname=\"n{at}:Envelope\" xmlns:n{at}=\"{}\"/>", level.namespace())
    });
    format!("<soap:Upgrade>{}</soap:Upgrade>", supported.collect::<String>()).into_bytes()
}

/// A conversion's message: number, published name, place, sentence.
pub fn conversion_message(fault: &MappingFault) -> String {
    format!("DFHPI{} {fault}", fault.kind.message())
}

/// The fault of a conversion as an answer in JSON.
pub fn conversion_in_json(direction: Direction, fault: &MappingFault) -> Vec<u8> {
    let reason = match direction {
        Direction::From => "Conversion from JSON failed",
        Direction::To => "Conversion to JSON failed",
    };
    in_json(reason, &conversion_message(fault))
}

/// A fault as an answer in JSON.
pub fn in_json(reason: &str, detail: &str) -> Vec<u8> {
    let mut answer = b"{\"Fault\":{\"faultstring\":\"".to_vec();
    json::escape(reason, &mut answer);
    answer.extend_from_slice(b"\",\"detail\":{\"CICSFault\":\"");
    json::escape(detail, &mut answer);
    answer.extend_from_slice(b"\"}}}");
    answer
}
