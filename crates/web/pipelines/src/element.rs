//! Elements of a configuration file.

use kernel::name::Name8;
use mapping::xml::{Reader, Start, Token};

/// An element of a file. Namespaces say nothing in these files.
pub(crate) struct Element {
    pub name: String,
    pub text: String,
    attributes: Vec<(String, String)>,
    /// Text of the element, as it was written.
    pub raw: String,
    pub parts: Vec<Element>,
}

impl Element {
    pub fn read(text: &str) -> Result<Self, mapping::MappingFault> {
        let mut reader = Reader::new(text)?;
        match reader.token()? {
            Token::Start(start) => Self::within(&start, &mut reader),
            _ => Err(mapping::MappingFault::new(mapping::FaultKind::Format, "it has no element")),
        }
    }

    /// Reads the element that is open. Its depth is the reader's to bound.
    fn within(start: &Start<'_>, reader: &mut Reader<'_>) -> Result<Self, mapping::MappingFault> {
        let begin = reader.at();
        let attributes = start.attributes.iter().map(|it| (it.local.to_owned(), it.value.trim().to_owned()));
        let mut element = Self {
            name: start.local.to_owned(),
            text: String::new(),
            attributes: attributes.collect(),
            raw: String::new(),
            parts: Vec::new(),
        };
        loop {
            match reader.token()? {
                Token::Start(start) => element.parts.push(Self::within(&start, reader)?),
                Token::Text(text) => element.text.push_str(&text),
                Token::End | Token::Eof => break,
            }
        }
        let raw = &reader.text()[begin..reader.at()];
        raw.rfind("</").map_or("", |end| &raw[..end]).trim().clone_into(&mut element.raw);
        Ok(element)
    }

    /// The value of an attribute; empty: it is not there.
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    pub fn part(&self, name: &str) -> Option<&Self> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// The program of a handler: in an element of its own, or as its text.
    pub fn program(&self) -> Result<Name8, String> {
        name(self.part("program").map_or(self.text.as_str(), |program| &program.text).trim())
    }
}

/// Reads the name of a program.
pub(crate) fn name(text: &str) -> Result<Name8, String> {
    match text.len() {
        1..=8 => Ok(Name8::from(text).upper()),
        _ => Err(format!("'{text}' is no name of a program")),
    }
}
