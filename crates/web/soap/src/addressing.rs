//! WS-Addressing: the sender, the receiver and the subject of a message, and the place for answers.

use mapping::xml::{Reader, Token, escape_attribute, escape_text};
use mapping::{FaultKind, MappingFault};

use crate::envelope::{Envelope, Header};
use mapping::xml as fragment;

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

    /// The address of the sender of the request, over the same connection.
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

/// An endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The address.
    pub address: String,
    /// Headers that go with every message to it: elements as they were written, with the prefixes they need.
    pub parameters: String,
    /// Facts about it: elements as they were written.
    pub metadata: String,
}

/// A message that another has to do with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// Its name.
    pub message: String,
    /// In which way; empty: the other answers it.
    pub kind: String,
}

/// Relations of a message. Further ones are left out.
pub const RELATIONS_MAX: usize = 64;

/// The addressing headers of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addressing {
    /// The version of the headers.
    pub edition: Edition,
    /// The address that the message goes to.
    pub to: Option<String>,
    /// The parameters of that address: headers of their own.
    pub to_parameters: String,
    /// The action that it asks for.
    pub action: Option<String>,
    /// Its own name.
    pub message_id: Option<String>,
    /// Messages that it has to do with.
    pub relates_to: Vec<Relation>,
    /// The sender.
    pub from: Option<Endpoint>,
    /// The receiver of the answer.
    pub reply_to: Option<Endpoint>,
    /// The receiver of a fault.
    pub fault_to: Option<Endpoint>,
}

impl Addressing {
    /// Reads the headers of an envelope; `None` if it has no addressing headers.
    ///
    /// # Errors
    /// A header that is there twice, or is not well formed.
    pub fn read(envelope: &Envelope<'_>) -> Result<Option<Self>, MappingFault> {
        let mut found = None;
        for header in &envelope.headers {
            if let Some(edition) = edition(header) {
                let said = found.get_or_insert_with(|| Self { edition, ..Self::default() });
                if said.edition == edition {
                    said.take(header)?;
                }
            }
        }
        if let Some(said) = &mut found {
            said.take_parameters(envelope);
        }
        Ok(found)
    }

    /// Returns true if a header is one of these, and so is understood.
    pub fn has(header: &Header<'_>) -> bool {
        edition(header).is_some()
    }

    /// Reads the headers that [`Addressing::write`] has written.
    ///
    /// # Errors
    /// Other text.
    pub fn read_headers(headers: &str) -> Result<Option<Self>, MappingFault> {
        let namespace = crate::Level::Soap11.namespace();
        let whole = format!(
            "<e:Envelope xmlns:e=\"{namespace}\"><e:Header>{headers}</e:Header><e:Body/></e:Envelope>"
        );
        match Envelope::read(&whole) {
            Ok(envelope) => Self::read(&envelope),
            Err(crate::Problem::Malformed(fault)) => Err(fault),
            Err(crate::Problem::VersionMismatch(_)) => Ok(None),
        }
    }

    /// Takes the headers that are marked as parameters of the message's address.
    fn take_parameters(&mut self, envelope: &Envelope<'_>) {
        let namespace = self.edition.namespace();
        for header in &envelope.headers {
            let said = header.start.attribute(namespace, PARAMETER);
            if matches!(said, Some("true" | "1")) {
                self.to_parameters.push_str(&header.alone());
            }
        }
    }

    fn take(&mut self, header: &Header<'_>) -> Result<(), MappingFault> {
        let namespace = self.edition.namespace();
        let text = || -> Result<Option<String>, MappingFault> {
            Ok(Some(header.content().element_text()?.trim().to_owned()))
        };
        let is_set = match header.start.local {
            "To" => self.to.replace(text()?.unwrap_or_default()).is_some(),
            "Action" => self.action.replace(text()?.unwrap_or_default()).is_some(),
            "MessageID" => self.message_id.replace(text()?.unwrap_or_default()).is_some(),
            // A message may have other relations than that of an answer, and several.
            "RelatesTo" => {
                let kind = header.start.attribute("", "RelationshipType").unwrap_or_default().to_owned();
                if self.relates_to.len() < RELATIONS_MAX {
                    self.relates_to.push(Relation { message: text()?.unwrap_or_default(), kind });
                }
                false
            }
            "From" => self.from.replace(endpoint(&mut header.content(), namespace)?).is_some(),
            "ReplyTo" => self.reply_to.replace(endpoint(&mut header.content(), namespace)?).is_some(),
            "FaultTo" => self.fault_to.replace(endpoint(&mut header.content(), namespace)?).is_some(),
            _ => false,
        };
        let wrong = |what: &str| {
            let problem = format!("the header {} {what}", header.start.local);
            Err(MappingFault::new(FaultKind::UnexpectedContent, problem))
        };
        if is_set {
            return wrong("is there twice");
        }
        // Without it nothing can be answered, and no answer can be related to the message.
        let is_empty = match header.start.local {
            "Action" => self.action.as_deref() == Some(""),
            "MessageID" => self.message_id.as_deref() == Some(""),
            "RelatesTo" => self.relates_to.last().is_some_and(|relation| relation.message.is_empty()),
            "From" => self.from.as_ref().is_some_and(|it| it.address.is_empty()),
            "ReplyTo" => self.reply_to.as_ref().is_some_and(|it| it.address.is_empty()),
            "FaultTo" => self.fault_to.as_ref().is_some_and(|it| it.address.is_empty()),
            _ => false,
        };
        if is_empty { wrong("says nothing, or has no address") } else { Ok(()) }
    }

    /// The addressing headers of the answer to this message.
    #[must_use]
    pub fn answer(&self, action: &str, message_id: &str, is_fault: bool) -> Self {
        let to =
            if is_fault { self.fault_to.as_ref().or(self.reply_to.as_ref()) } else { self.reply_to.as_ref() };
        let anonymous = Endpoint { address: self.edition.anonymous().to_owned(), ..Endpoint::default() };
        let to = to.cloned().unwrap_or(anonymous);
        Self {
            edition: self.edition,
            to: Some(to.address),
            to_parameters: to.parameters,
            action: Some(action.to_owned()).filter(|it| !it.is_empty()),
            message_id: Some(message_id.to_owned()).filter(|it| !it.is_empty()),
            relates_to: self
                .message_id
                .iter()
                .map(|id| Relation { message: id.clone(), kind: String::new() })
                .collect(),
            ..Self::default()
        }
    }

    /// Returns true if the answer goes back over the connection of the request.
    pub fn answers_here(&self, is_fault: bool) -> bool {
        let to =
            if is_fault { self.fault_to.as_ref().or(self.reply_to.as_ref()) } else { self.reply_to.as_ref() };
        to.is_none_or(|to| to.address == self.edition.anonymous())
    }

    /// Returns true if the answer is unwanted: its address is the one where answers are thrown away.
    pub fn wants_no_answer(&self) -> bool {
        self.reply_to.as_ref().is_some_and(|to| Some(to.address.as_str()) == self.edition.none())
    }

    /// Writes headers.
    pub fn write(&self, into: &mut Vec<u8>) {
        let texts = [("To", &self.to), ("Action", &self.action), ("MessageID", &self.message_id)];
        for (name, text) in texts {
            if let Some(text) = text {
                self.open(name, "", into);
                escape_text(text, into);
                into.extend_from_slice(format!("</wsa:{name}>").as_bytes());
            }
        }
        for relation in &self.relates_to {
            self.open("RelatesTo", &relation.kind, into);
            escape_text(&relation.message, into);
            into.extend_from_slice(b"</wsa:RelatesTo>");
        }
        into.extend_from_slice(as_parameters(&self.to_parameters, self.edition).as_bytes());
        for (name, endpoint) in
            [("From", &self.from), ("ReplyTo", &self.reply_to), ("FaultTo", &self.fault_to)]
        {
            if let Some(endpoint) = endpoint {
                endpoint.write(name, self.edition, into);
            }
        }
    }

    fn open(&self, name: &str, kind: &str, into: &mut Vec<u8>) {
        into.extend_from_slice(format!("<wsa:{name} xmlns:wsa=\"").as_bytes());
        escape_attribute(self.edition.namespace(), into);
        if !kind.is_empty() {
            into.extend_from_slice(b"\" RelationshipType=\"");
            escape_attribute(kind, into);
        }
        into.extend_from_slice(b"\">");
    }
}

/// The attribute of a header that is a parameter of where the message goes.
const PARAMETER: &str = "IsReferenceParameter";

impl Endpoint {
    /// Reads an endpoint reference, whatever its element is called.
    ///
    /// # Errors
    /// It is not such an element.
    pub fn read(text: &str) -> Result<Self, MappingFault> {
        let mut reader = Reader::new(text)?;
        let Token::Start(root) = reader.token()? else {
            return Err(MappingFault::new(FaultKind::Format, "an endpoint reference is an element"));
        };
        let namespace = root.namespace.as_deref().unwrap_or_default().to_owned();
        let endpoint = endpoint(&mut reader, &namespace)?;
        match reader.token()? {
            Token::Eof => Ok(endpoint),
            _ => Err(MappingFault::new(
                FaultKind::UnexpectedContent,
                "something stands behind an endpoint reference",
            )),
        }
    }

    /// Writes it as an element of a name.
    pub fn write(&self, name: &str, edition: Edition, into: &mut Vec<u8>) {
        into.extend_from_slice(format!("<wsa:{name} xmlns:wsa=\"").as_bytes());
        escape_attribute(edition.namespace(), into);
        into.extend_from_slice(b"\"><wsa:Address>");
        escape_text(&self.address, into);
        into.extend_from_slice(b"</wsa:Address>");
        for (part, content) in [("ReferenceParameters", &self.parameters), ("Metadata", &self.metadata)] {
            if !content.is_empty() {
                into.extend_from_slice(format!("<wsa:{part}>{content}</wsa:{part}>").as_bytes());
            }
        }
        into.extend_from_slice(format!("</wsa:{name}>").as_bytes());
    }
}

/// Elements as headers marked as parameters. Text that is not a sequence of elements is left out.
fn as_parameters(elements: &str, edition: Edition) -> String {
    let whole = format!("<all>{elements}</all>");
    let mark = || -> Result<String, MappingFault> {
        let mut reader = Reader::new(&whole)?;
        reader.token()?;
        let mut marked = String::new();
        loop {
            let from = reader.at();
            match reader.token()? {
                Token::Start(start) => {
                    let has = start.attribute(edition.namespace(), PARAMETER).is_some();
                    reader.skip_element()?;
                    let element = whole[from..reader.at()].trim_start();
                    let name = element.find(|it: char| it.is_whitespace() || matches!(it, '>' | '/'));
                    let name = name.unwrap_or(element.len());
                    marked.push_str(&element[..name]);
                    // The submission knows no such attribute.
                    if !has && edition == Edition::Recommendation {
                        let namespace = edition.namespace();
                        marked.push_str(&format!(" xmlns:wsap=\"{namespace}\" wsap:{PARAMETER}=\"true\""));
                    }
                    marked.push_str(&element[name..]);
                }
                Token::Text(_) => {}
                Token::End | Token::Eof => return Ok(marked),
            }
        }
    };
    mark().unwrap_or_default()
}

fn edition(header: &Header<'_>) -> Option<Edition> {
    let namespace = header.start.namespace.as_deref()?;
    [Edition::Recommendation, Edition::Submission]
        .into_iter()
        .find(|edition| edition.namespace() == namespace)
}

fn endpoint(reader: &mut Reader<'_>, namespace: &str) -> Result<Endpoint, MappingFault> {
    let mut endpoint = Endpoint::default();
    loop {
        match reader.token()? {
            Token::Start(start) if start.is(namespace, "Address") => {
                if !endpoint.address.is_empty() {
                    let problem = "an endpoint has several addresses";
                    return Err(MappingFault::new(FaultKind::UnexpectedContent, problem));
                }
                endpoint.address = reader.element_text()?.trim().to_owned();
            }
            Token::Start(start)
                if start.is(namespace, "ReferenceParameters")
                    || start.is(namespace, "ReferenceProperties") =>
            {
                endpoint.parameters.push_str(&fragment::inner(reader)?);
            }
            Token::Start(start) if start.is(namespace, "Metadata") => {
                endpoint.metadata.push_str(&fragment::inner(reader)?);
            }
            Token::Start(_) => reader.skip_element()?,
            Token::Text(_) => {}
            Token::End | Token::Eof => return Ok(endpoint),
        }
    }
}
