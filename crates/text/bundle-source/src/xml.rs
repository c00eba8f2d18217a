//! Elements of XML with the lines on which they begin.

use std::fmt;

use mapping::xml::{Reader, Token};

use crate::limits::FILE_BYTES_MAX;

/// A text that is wrong: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// A sentence.
    pub why: String,
}

impl Wrong {
    /// A text that is wrong at a line.
    pub fn new(line: usize, why: impl Into<String>) -> Self {
        Self { line, why: why.into() }
    }
}

/// An element.
#[derive(Debug, Default)]
pub struct Element {
    /// Its name without a prefix.
    pub name: String,
    /// Its namespace; empty if it has none.
    pub namespace: String,
    /// Its attributes that are of no namespace.
    attributes: Vec<(String, String)>,
    /// Its text.
    pub text: String,
    /// The elements within.
    pub parts: Vec<Self>,
    /// The line on which its first tag ends, from 1.
    pub line: usize,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.name)
    }
}

impl Element {
    /// Reads a text with one element outside of all others.
    ///
    /// # Errors
    /// It is no XML, or is longer than [`FILE_BYTES_MAX`].
    pub fn read(text: &str) -> Result<Self, Wrong> {
        if text.len() > FILE_BYTES_MAX {
            return Err(Wrong::new(1, format!("it is longer than {FILE_BYTES_MAX} bytes")));
        }
        let wrong = |line, fault: mapping::MappingFault| Wrong::new(line, fault.to_string());
        let mut reader = Reader::new(text).map_err(|fault| wrong(1, fault))?;
        let mut open: Vec<Self> = Vec::new();
        let (mut line, mut seen) = (1, 0);
        loop {
            let token = reader.token().map_err(|fault| wrong(line, fault))?;
            // The line on which the token ends: a tag over several lines is known by its last one.
            line += text[seen..reader.at()].matches('\n').count();
            seen = reader.at();
            match token {
                Token::Start(start) => open.push(Self {
                    name: start.local.to_owned(),
                    namespace: start.namespace.as_deref().unwrap_or_default().to_owned(),
                    attributes: start
                        .attributes
                        .iter()
                        .filter(|attribute| attribute.namespace.is_none())
                        .map(|attribute| (attribute.local.to_owned(), attribute.value.to_string()))
                        .collect(),
                    line,
                    ..Self::default()
                }),
                Token::Text(text) => {
                    if let Some(element) = open.last_mut() {
                        element.text.push_str(&text);
                    }
                }
                Token::End => {
                    let Some(element) = open.pop() else {
                        return Err(Wrong::new(line, "an end without a begin"));
                    };
                    match open.last_mut() {
                        Some(outer) => outer.parts.push(element),
                        None => return Ok(element),
                    }
                }
                Token::Eof => return Err(Wrong::new(line, "there is no element")),
            }
        }
    }

    /// Its attributes that are of no namespace, in their order.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// An attribute that must be there.
    ///
    /// # Errors
    /// It is not.
    pub fn need(&self, name: &str) -> Result<&str, Wrong> {
        self.attribute(name).ok_or_else(|| self.wrong(format!("{self} lacks its attribute {name}")))
    }

    /// Refuses attributes that are none of these.
    ///
    /// # Errors
    /// The first that is none.
    pub fn knows(&self, names: &[&str]) -> Result<(), Wrong> {
        match self.attributes.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            Some((name, _)) => Err(self.wrong(format!("the attribute {name} of {self} is not known"))),
            None => Ok(()),
        }
    }

    /// The elements within; each must have one of these names.
    ///
    /// # Errors
    /// The first that has none.
    pub fn parts_of(&self, names: &[&str]) -> Result<&[Self], Wrong> {
        match self.parts.iter().find(|part| !names.contains(&part.name.as_str())) {
            Some(part) => Err(part.wrong(format!("{part} is not known in {self}"))),
            None => Ok(&self.parts),
        }
    }

    /// The one element of a name within, if there is one.
    ///
    /// # Errors
    /// There is a second one.
    pub fn one(&self, name: &str) -> Result<Option<&Self>, Wrong> {
        let mut found = self.parts.iter().filter(|part| part.name == name);
        let first = found.next();
        match found.next() {
            Some(second) => Err(second.wrong(format!("{self} has a second {second}"))),
            None => Ok(first),
        }
    }

    /// A refusal at its line.
    pub fn wrong(&self, why: impl Into<String>) -> Wrong {
        Wrong::new(self.line, why)
    }
}
