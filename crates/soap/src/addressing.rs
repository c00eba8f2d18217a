//! WS-Addressing: who sent what to whom, and where answers go.

use std::borrow::Cow;

use mapping::xml::{Reader, Token, escape_attribute, escape_text};
use mapping::{Fault, FaultKind};

use crate::envelope::{Envelope, Header};

/// A version of WS-Addressing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// The recommendation of August 2005.
    #[default]
    Recommendation,
    /// The submission of August 2004.
    Submission,
}

impl Edition {
    /// Its namespace.
    pub const fn namespace(self) -> &'static str {
        match self {
            Self::Recommendation => "http://www.w3.org/2005/08/addressing",
            Self::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing",
        }
    }

    /// The address of whoever sent the request, over the same connection.
    pub const fn anonymous(self) -> &'static str {
        match self {
            Self::Recommendation => "http://www.w3.org/2005/08/addressing/anonymous",
            Self::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous",
        }
    }

    /// The address where an answer is thrown away.
    pub const fn none(self) -> Option<&'static str> {
        match self {
            Self::Recommendation => Some("http://www.w3.org/2005/08/addressing/none"),
            Self::Submission => None,
        }
    }
}

/// Where somebody is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The address.
    pub address: String,
    /// Headers that go with every message to it: elements as they were written, with the prefixes they need.
    pub parameters: String,
}

/// What a message says of its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addressing {
    /// The version it is said in.
    pub edition: Edition,
    /// Where to.
    pub to: Option<String>,
    /// What for.
    pub action: Option<String>,
    /// Its own name.
    pub message_id: Option<String>,
    /// The message that it answers.
    pub relates_to: Option<String>,
    /// Who sent it.
    pub from: Option<Endpoint>,
    /// Who wants the answer.
    pub reply_to: Option<Endpoint>,
    /// Who wants a fault.
    pub fault_to: Option<Endpoint>,
}

impl Addressing {
    /// What the headers of an envelope say; none, if they say nothing.
    ///
    /// # Errors
    /// A header that is there twice, or is not well formed.
    pub fn read(envelope: &Envelope<'_>) -> Result<Option<Self>, Fault> {
        let mut found = None;
        for header in &envelope.headers {
            if let Some(edition) = edition(header) {
                let said = found.get_or_insert_with(|| Self { edition, ..Self::default() });
                if said.edition == edition {
                    said.take(header)?;
                }
            }
        }
        Ok(found)
    }

    /// Whether a header is one of these, and so is understood.
    pub fn has(header: &Header<'_>) -> bool {
        edition(header).is_some()
    }

    fn take(&mut self, header: &Header<'_>) -> Result<(), Fault> {
        let namespace = self.edition.namespace();
        let text = || -> Result<Option<String>, Fault> {
            Ok(Some(header.content().element_text()?.trim().to_owned()))
        };
        let is_set = match header.start.local {
            "To" => self.to.replace(text()?.unwrap_or_default()).is_some(),
            "Action" => self.action.replace(text()?.unwrap_or_default()).is_some(),
            "MessageID" => self.message_id.replace(text()?.unwrap_or_default()).is_some(),
            // A message may have other relations than that of an answer, and several.
            "RelatesTo" => {
                self.relates_to = self.relates_to.take().or(text()?);
                false
            }
            "From" => self.from.replace(endpoint(header.content(), namespace)?).is_some(),
            "ReplyTo" => self.reply_to.replace(endpoint(header.content(), namespace)?).is_some(),
            "FaultTo" => self.fault_to.replace(endpoint(header.content(), namespace)?).is_some(),
            _ => false,
        };
        if is_set {
            let problem = format!("the header {} is there twice", header.start.local);
            return Err(Fault::new(FaultKind::UnexpectedContent, problem));
        }
        Ok(())
    }

    /// What the answer to this message says of its way.
    #[must_use]
    pub fn answer(&self, action: &str, message_id: &str, is_fault: bool) -> Self {
        let to =
            if is_fault { self.fault_to.as_ref().or(self.reply_to.as_ref()) } else { self.reply_to.as_ref() };
        let anonymous = Endpoint { address: self.edition.anonymous().to_owned(), parameters: String::new() };
        let to = to.cloned().unwrap_or(anonymous);
        Self {
            edition: self.edition,
            to: Some(to.address.clone()),
            action: Some(action.to_owned()),
            message_id: Some(message_id.to_owned()),
            relates_to: self.message_id.clone(),
            reply_to: (!to.parameters.is_empty()).then_some(to),
            ..Self::default()
        }
    }

    /// Whether the answer goes back over the connection of the request.
    pub fn answers_here(&self, is_fault: bool) -> bool {
        let to =
            if is_fault { self.fault_to.as_ref().or(self.reply_to.as_ref()) } else { self.reply_to.as_ref() };
        to.is_none_or(|to| to.address == self.edition.anonymous())
    }

    /// Whether nobody wants the answer.
    pub fn wants_no_answer(&self) -> bool {
        self.reply_to.as_ref().is_some_and(|to| Some(to.address.as_str()) == self.edition.none())
    }

    /// Writes headers.
    pub fn write(&self, into: &mut Vec<u8>) {
        let texts = [
            ("To", &self.to),
            ("Action", &self.action),
            ("MessageID", &self.message_id),
            ("RelatesTo", &self.relates_to),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                self.open(name, into);
                escape_text(text, into);
                into.extend_from_slice(format!("</wsa:{name}>").as_bytes());
            }
        }
        for (name, endpoint) in
            [("From", &self.from), ("ReplyTo", &self.reply_to), ("FaultTo", &self.fault_to)]
        {
            if let Some(endpoint) = endpoint {
                self.open(name, into);
                into.extend_from_slice(b"<wsa:Address>");
                escape_text(&endpoint.address, into);
                into.extend_from_slice(b"</wsa:Address>");
                into.extend_from_slice(format!("</wsa:{name}>").as_bytes());
            }
        }
    }

    fn open(&self, name: &str, into: &mut Vec<u8>) {
        into.extend_from_slice(format!("<wsa:{name} xmlns:wsa=\"").as_bytes());
        escape_attribute(self.edition.namespace(), into);
        into.extend_from_slice(b"\">");
    }
}

fn edition(header: &Header<'_>) -> Option<Edition> {
    let namespace = header.start.namespace.as_deref()?;
    [Edition::Recommendation, Edition::Submission]
        .into_iter()
        .find(|edition| edition.namespace() == namespace)
}

fn endpoint(mut reader: Reader<'_>, namespace: &str) -> Result<Endpoint, Fault> {
    let mut endpoint = Endpoint::default();
    loop {
        match reader.token()? {
            Token::Start(start) if start.is(namespace, "Address") => {
                endpoint.address = reader.element_text()?.trim().to_owned();
            }
            Token::Start(start)
                if start.is(namespace, "ReferenceParameters")
                    || start.is(namespace, "ReferenceProperties") =>
            {
                endpoint.parameters.push_str(&content(&mut reader)?);
            }
            Token::Start(_) => reader.skip_element()?,
            Token::Text(_) => {}
            Token::End | Token::Eof => return Ok(endpoint),
        }
    }
}

/// What stands in an element, as it was written.
fn content<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, Fault> {
    let from = reader.at();
    reader.skip_element()?;
    let whole = &reader.text()[from..reader.at()];
    Ok(Cow::Borrowed(whole.rfind("</").map_or("", |end| &whole[..end])))
}
