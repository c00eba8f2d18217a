//! A document as a tree: descriptions are read out of order, and seldom.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};
use mapping::xml::{Reader, Token};
use mapping::{FaultKind, MappingFault, encoding};

use crate::items::refused;

/// An element.
#[derive(Debug)]
pub(super) struct Node {
    namespace: String,
    local: String,
    attributes: Vec<(String, String)>,
    /// The meanings of prefixes here: values are names, too.
    bindings: Vec<(String, Option<Arc<str>>)>,
    children: Vec<Node>,
    source: Arc<Source>,
    /// The line on which its tag ends.
    line: usize,
}

impl Node {
    /// The root of a document.
    pub fn read(source: &Arc<Source>) -> Result<Self, MappingFault> {
        let text = encoding::text(source.text.as_bytes(), Some("UTF-8"))?;
        let mut reader = Reader::new(&text)?;
        let mut open: Vec<Self> = Vec::new();
        let (mut line, mut counted) = (1, 0);
        loop {
            let token = reader.token()?;
            line += text[counted..reader.at()].bytes().filter(|byte| *byte == b'\n').count();
            counted = reader.at();
            match token {
                Token::Start(start) => open.push(Self {
                    namespace: start.namespace.as_deref().unwrap_or_default().to_owned(),
                    local: start.local.to_owned(),
                    attributes: start
                        .attributes
                        .iter()
                        .map(|it| (it.local.to_owned(), it.value.to_string()))
                        .collect(),
                    bindings: reader
                        .bindings()
                        .into_iter()
                        .map(|(prefix, it)| (prefix.to_owned(), it))
                        .collect(),
                    children: Vec::new(),
                    source: Arc::clone(source),
                    line,
                }),
                Token::End => {
                    let Some(node) = open.pop() else { break };
                    match open.last_mut() {
                        Some(parent) => parent.children.push(node),
                        None => return Ok(node),
                    }
                }
                Token::Text(_) => {}
                Token::Eof => break,
            }
        }
        Err(MappingFault::new(FaultKind::Format, "the document has no element"))
    }

    /// A part of a description that has no place in a record, at its line.
    pub fn refused(&self, name: &str, why: &str, help: &str) -> Diagnostic {
        let width = self.source.text.lines().nth(self.line - 1).map_or(1, str::len);
        refused(name, why, help).at(TextPlace::new(&self.source, self.line, 1, width))
    }

    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local == local
    }

    pub fn local(&self) -> &str {
        &self.local
    }

    /// All children.
    pub fn all(&self) -> &[Self] {
        &self.children
    }

    /// Children of a name.
    pub fn children<'a>(&'a self, namespace: &'a str, local: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.is(namespace, local))
    }

    /// The value of an attribute; empty without it.
    pub fn attribute(&self, local: &str) -> &str {
        self.attributes.iter().find(|(name, _)| name == local).map_or("", |(_, value)| value)
    }

    /// Namespace and local name of a value that is a name.
    pub fn resolve(&self, name: &str) -> (String, String) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let bound = self.bindings.iter().find(|(has, _)| has == prefix);
        let namespace = bound.and_then(|(_, namespace)| namespace.as_deref()).unwrap_or_default();
        (namespace.to_owned(), local.to_owned())
    }
}
