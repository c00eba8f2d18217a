//! A strict pull reader of XML with namespaces. It knows no document types: SOAP forbids them, so nothing can expand.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::{memchr, memchr2, memmem};

use super::characters::{begins_name, is_allowed, is_of_name};
use crate::fault::{FaultKind, MappingFault};
use crate::limits::{ATTRIBUTES_MAX, BINDINGS_MAX, DEPTH_MAX, NAME_MAX};
use crate::model::TypeName;
use crate::value::is_blank;

/// The namespace of xsi:type and xsi:nil.
pub(super) const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

/// A namespace; `None` for names without one.
pub type Namespace = Option<Arc<str>>;

/// The next part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// An element begins.
    Start(Start<'a>),
    /// Text, unescaped; several may follow each other.
    Text(Cow<'a, str>),
    /// The element that was begun last ends.
    End,
    /// The message ends.
    Eof,
}

/// The beginning of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start<'a> {
    /// Its prefix; empty without one.
    pub prefix: &'a str,
    /// Its name without prefix.
    pub local: &'a str,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its attributes, without namespace declarations.
    pub attributes: Vec<Attribute<'a>>,
}

impl Start<'_> {
    /// Returns true if it has this expanded name.
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.local == local && self.namespace.as_deref().unwrap_or("") == namespace
    }

    /// The type that `xsi:type` names. A prefix that is not bound counts as no namespace.
    pub fn type_name(&self, reader: &Reader<'_>) -> Option<TypeName> {
        let name = self.attribute(INSTANCE, "type")?.trim();
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let namespace = reader.namespace_of(prefix).flatten().unwrap_or_default();
        Some(TypeName { namespace: namespace.as_ref().into(), local: local.to_owned() })
    }

    /// The value of an attribute; the namespace is empty for attributes without a prefix.
    pub fn attribute(&self, namespace: &str, local: &str) -> Option<&str> {
        let is = |has: &&Attribute| has.local == local && has.namespace.as_deref().unwrap_or("") == namespace;
        self.attributes.iter().find(is).map(|attribute| &*attribute.value)
    }
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its prefix; empty without one.
    pub prefix: &'a str,
    /// Its name without prefix.
    pub local: &'a str,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its value, unescaped and with its white space made blanks.
    pub value: Cow<'a, str>,
}

/// Reads a message token by token.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Elements that are open: their names as written, and how many bindings held before them.
    open: Vec<(&'a str, usize)>,
    bindings: Vec<(&'a str, Namespace)>,
    /// An empty-element tag was read: its end comes next.
    closes: bool,
    has_root: bool,
}

impl<'a> Reader<'a> {
    /// Begins with the declaration, if there is one. The text comes from [`crate::encoding::text`].
    ///
    /// # Errors
    /// A malformed declaration.
    pub fn new(text: &'a str) -> Result<Self, MappingFault> {
        let mut reader =
            Self { text, at: 0, open: Vec::new(), bindings: Vec::new(), closes: false, has_root: false };
        let is_declaration = text.starts_with("<?xml") && text[5..].starts_with([' ', '\t', '\r', '\n']);
        if is_declaration {
            let end = text.find("?>").ok_or_else(|| cut("the declaration"))?;
            if !is_fine_declaration(&text[5..end]) {
                return Err(MappingFault::new(FaultKind::Format, "the declaration is none of XML 1.0"));
            }
            reader.at = end + 2;
        }
        Ok(reader)
    }

    /// The same, where the declarations of an element of others hold round the message.
    #[must_use]
    pub fn within(self, bindings: Vec<(&'a str, Namespace)>) -> Self {
        Self { bindings, ..self }
    }

    /// The number of bytes of the text that have been read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The text of the message.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The number of open elements.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The namespace that a prefix stands for here; the empty prefix is the default.
    pub fn namespace_of(&self, prefix: &str) -> Option<Namespace> {
        if prefix == "xml" {
            return Some(Some(XML_NAMESPACE.into()));
        }
        let bound = self.bindings.iter().rev().find(|(has, _)| *has == prefix);
        bound.map(|(_, namespace)| namespace.clone()).or_else(|| prefix.is_empty().then_some(None))
    }

    /// All prefixes that hold here, each once.
    pub fn bindings(&self) -> Vec<(&'a str, Namespace)> {
        held(&self.bindings)
    }

    /// All prefixes that hold outside of the element that was begun last, each once.
    pub(crate) fn outer_bindings(&self) -> Vec<(&'a str, Namespace)> {
        let outside = self.open.last().map_or(0, |(_, bindings)| *bindings);
        held(&self.bindings[..outside])
    }

    /// Moves to the end of bytes that another reader has read; they leave no element open and declare no prefix.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns true if the element that begins now was written as an empty one.
    pub(crate) fn closes(&self) -> bool {
        self.closes
    }

    /// The next token. Comments are passed over, and so is white space outside of the root.
    ///
    /// # Errors
    /// A message that is not well formed, or beyond the limits.
    pub fn token(&mut self) -> Result<Token<'a>, MappingFault> {
        if self.closes {
            self.closes = false;
            self.pop();
            return Ok(Token::End);
        }
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return self.end();
            }
            if !rest.starts_with('<') {
                match self.characters(rest)? {
                    Some(token) => return Ok(token),
                    None => continue,
                }
            }
            match rest.as_bytes().get(1) {
                Some(b'/') => return self.end_tag(rest),
                Some(b'!') => {
                    if let Some(token) = self.declared(rest)? {
                        return Ok(token);
                    }
                }
                Some(b'?') => {
                    return Err(MappingFault::new(
                        FaultKind::UnexpectedContent,
                        "a message has no processing instructions",
                    ));
                }
                _ => return self.start_tag(rest),
            }
        }
    }

    fn end(&self) -> Result<Token<'a>, MappingFault> {
        match self.open.last() {
            Some((name, _)) => {
                Err(MappingFault::new(FaultKind::Format, format!("the message ends within {name}")))
            }
            None if !self.has_root => Err(MappingFault::new(FaultKind::Format, "the message has no element")),
            None => Ok(Token::Eof),
        }
    }

    /// Text up to the next tag; `None` for white space outside of the root.
    fn characters(&mut self, rest: &'a str) -> Result<Option<Token<'a>>, MappingFault> {
        let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let raw = &rest[..end];
        self.at += end;
        if self.open.is_empty() {
            if raw.bytes().all(is_blank) {
                return Ok(None);
            }
            return Err(MappingFault::new(FaultKind::Format, "text stands outside of the message's element"));
        }
        if memmem::find(raw.as_bytes(), b"]]>").is_some() {
            return Err(MappingFault::new(FaultKind::Format, "]]> stands in a text"));
        }
        Ok(Some(Token::Text(unescape(raw)?)))
    }

    /// Reads a comment (`None`) or CDATA (text), or refuses.
    fn declared(&mut self, rest: &'a str) -> Result<Option<Token<'a>>, MappingFault> {
        if let Some(comment) = rest.strip_prefix("<!--") {
            let end = comment.find("--").ok_or_else(|| cut("a comment"))?;
            if !comment[end..].starts_with("-->") {
                return Err(MappingFault::new(FaultKind::Format, "-- stands within a comment"));
            }
            self.at += 4 + end + 3;
            return Ok(None);
        }
        if let Some(data) = rest.strip_prefix("<![CDATA[").filter(|_| !self.open.is_empty()) {
            let end = data.find("]]>").ok_or_else(|| cut("a CDATA section"))?;
            self.at += 9 + end + 3;
            return Ok(Some(Token::Text(lines(&data[..end]))));
        }
        if rest.starts_with("<!DOCTYPE") {
            return Err(MappingFault::new(FaultKind::Doctype, "a message has no document type declaration"));
        }
        Err(MappingFault::new(FaultKind::Format, "<! begins neither a comment nor a CDATA section"))
    }

    fn end_tag(&mut self, rest: &'a str) -> Result<Token<'a>, MappingFault> {
        let end = memchr(b'>', rest.as_bytes()).ok_or_else(|| cut("a tag"))?;
        let name = rest[2..end].trim_end_matches([' ', '\t', '\n', '\r']);
        let open = self.open.last().map(|(name, _)| *name);
        if open != Some(name) {
            let problem = format!("</{name}> ends {}", open.unwrap_or("nothing"));
            return Err(MappingFault::new(FaultKind::MismatchedTags, problem));
        }
        self.at += end + 1;
        self.pop();
        Ok(Token::End)
    }

    fn pop(&mut self) {
        if let Some((_, bindings)) = self.open.pop() {
            self.bindings.truncate(bindings);
        }
    }

    fn start_tag(&mut self, rest: &'a str) -> Result<Token<'a>, MappingFault> {
        if self.open.is_empty() && self.has_root {
            return Err(MappingFault::new(
                FaultKind::Format,
                "a second element stands behind the message's own",
            ));
        }
        if self.open.len() == DEPTH_MAX {
            return Err(MappingFault::new(
                FaultKind::TooComplex,
                format!("more than {DEPTH_MAX} elements within each other"),
            ));
        }
        let name = name_at(rest, 1)?;
        let before = self.bindings.len();
        let (raw, end, is_empty) = self.attributes(rest, 1 + name.len())?;
        let (prefix, local) = split_name(name)?;
        let namespace = self.resolved(prefix)?;
        let mut attributes: Vec<Attribute<'a>> = Vec::with_capacity(raw.len());
        for (name, value) in raw {
            let (prefix, local) = split_name(name)?;
            let namespace = if prefix.is_empty() { None } else { self.resolved(prefix)? };
            if attributes.iter().any(|has| has.local == local && has.namespace == namespace) {
                return Err(MappingFault::new(
                    FaultKind::DuplicateAttribute,
                    format!("{name} is there twice"),
                ));
            }
            attributes.push(Attribute { prefix, local, namespace, value });
        }
        self.open.push((name, before));
        self.at += end;
        self.closes = is_empty;
        self.has_root = true;
        Ok(Token::Start(Start { prefix, local, namespace, attributes }))
    }

    fn resolved(&self, prefix: &str) -> Result<Namespace, MappingFault> {
        self.namespace_of(prefix).ok_or_else(|| {
            MappingFault::new(FaultKind::UndefinedPrefix, format!("the prefix {prefix} stands for nothing"))
        })
    }

    /// Attributes as written, where the tag ends, and whether it is one of an empty element. Namespace declarations are
    /// bound.
    fn attributes(
        &mut self,
        rest: &'a str,
        from: usize,
    ) -> Result<(RawAttributes<'a>, usize, bool), MappingFault> {
        let bytes = rest.as_bytes();
        let mut raw = Vec::new();
        let (mut at, mut count, before) = (from, 0, self.bindings.len());
        loop {
            let blanks = bytes[at..].iter().take_while(|byte| is_blank(**byte)).count();
            at += blanks;
            match bytes.get(at) {
                None => return Err(cut("a tag")),
                Some(b'>') => return Ok((raw, at + 1, false)),
                Some(b'/') if bytes.get(at + 1) == Some(&b'>') => return Ok((raw, at + 2, true)),
                Some(_) if blanks == 0 => {
                    return Err(MappingFault::new(FaultKind::Format, "a blank stands before an attribute"));
                }
                Some(_) => {}
            }
            count += 1;
            if count > ATTRIBUTES_MAX {
                return Err(MappingFault::new(
                    FaultKind::TooComplex,
                    format!("an element has at most {ATTRIBUTES_MAX} attributes"),
                ));
            }
            let name = name_at(rest, at)?;
            let (value, end) = quoted(rest, at + name.len())?;
            at = end;
            match (name, name.strip_prefix("xmlns:")) {
                ("xmlns", _) => self.bind("", &value, before)?,
                (_, Some(prefix)) => self.bind(prefix, &value, before)?,
                _ => raw.push((name, value)),
            }
        }
    }

    fn bind(&mut self, prefix: &'a str, namespace: &str, before: usize) -> Result<(), MappingFault> {
        if self.bindings[before..].iter().any(|(has, _)| *has == prefix) {
            let problem = format!("the prefix {prefix:?} is bound twice on one element");
            return Err(MappingFault::new(FaultKind::DuplicateAttribute, problem));
        }
        let reserved =
            matches!(prefix, "xml" | "xmlns") || matches!(namespace, XML_NAMESPACE | XMLNS_NAMESPACE);
        let undone = !prefix.is_empty() && namespace.is_empty();
        let is_own = prefix == "xml" && namespace == XML_NAMESPACE;
        if (reserved && !is_own) || undone || prefix.contains(':') {
            let problem = format!("the prefix {prefix:?} cannot be bound to {namespace:?}");
            return Err(MappingFault::new(FaultKind::UndefinedPrefix, problem));
        }
        if self.bindings.len() == BINDINGS_MAX {
            return Err(MappingFault::new(
                FaultKind::TooComplex,
                format!("more than {BINDINGS_MAX} namespace declarations hold"),
            ));
        }
        self.bindings.push((prefix, (!namespace.is_empty()).then(|| namespace.into())));
        Ok(())
    }

    /// Passes over the rest of the element that was begun last.
    ///
    /// # Errors
    /// See [`Reader::token`].
    pub fn skip_element(&mut self) -> Result<(), MappingFault> {
        let depth = self.open.len();
        while self.token()? != Token::End || self.open.len() >= depth {}
        Ok(())
    }

    /// The text of the element that was begun last, which has no elements, up to and with its end tag.
    ///
    /// # Errors
    /// See [`Reader::token`]; an element within.
    pub fn element_text(&mut self) -> Result<Cow<'a, str>, MappingFault> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.token()? {
                Token::Text(piece) if text.is_empty() => text = piece,
                Token::Text(piece) => text.to_mut().push_str(&piece),
                Token::End => return Ok(text),
                Token::Start(start) => {
                    let problem = format!("the element {} stands where only text may", start.local);
                    return Err(MappingFault::new(FaultKind::UnexpectedContent, problem));
                }
                Token::Eof => return Err(cut("the message")),
            }
        }
    }
}

/// Of bindings within each other those that hold.
fn held<'a>(bindings: &[(&'a str, Namespace)]) -> Vec<(&'a str, Namespace)> {
    let mut held: Vec<(&str, Namespace)> = Vec::new();
    for (prefix, namespace) in bindings.iter().rev() {
        if !held.iter().any(|(has, _)| has == prefix) {
            held.push((prefix, namespace.clone()));
        }
    }
    held
}

/// Names and values of attributes as written.
type RawAttributes<'a> = Vec<(&'a str, Cow<'a, str>)>;

fn cut(what: &str) -> MappingFault {
    MappingFault::new(FaultKind::Format, format!("{what} has no end"))
}

/// The name at a place, with its prefix.
fn name_at(text: &str, at: usize) -> Result<&str, MappingFault> {
    let rest = &text[at..];
    let end = rest.find(|character| !is_of_name(character) && character != ':').unwrap_or(rest.len());
    let name = &rest[..end];
    if name.is_empty() {
        return Err(MappingFault::new(FaultKind::Format, "a name is expected"));
    }
    if name.len() > NAME_MAX {
        return Err(MappingFault::new(FaultKind::TooComplex, format!("a name has at most {NAME_MAX} bytes")));
    }
    Ok(name)
}

/// Prefix and local name.
fn split_name(name: &str) -> Result<(&str, &str), MappingFault> {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let has_prefix = name.contains(':');
    let fine = |part: &str| part.chars().next().is_some_and(begins_name) && !part.contains(':');
    if !fine(local) || (has_prefix && !fine(prefix)) || prefix == "xmlns" {
        return Err(MappingFault::new(FaultKind::Format, format!("{name:?} is no name")));
    }
    Ok((prefix, local))
}

/// `= "value"`, and where it ends.
fn quoted(text: &str, from: usize) -> Result<(Cow<'_, str>, usize), MappingFault> {
    let rest = &text[from..];
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let expected = || MappingFault::new(FaultKind::Format, "an attribute has a value in quotes");
    let equals = blanks(rest);
    let behind = rest[equals..].strip_prefix('=').ok_or_else(expected)?;
    let open = equals + 1 + blanks(behind);
    let quote =
        rest[open..].chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or_else(expected)?;
    let value = &rest[open + 1..];
    let end = value.find(quote).ok_or_else(|| cut("an attribute"))?;
    let raw = &value[..end];
    if raw.contains('<') {
        return Err(MappingFault::new(FaultKind::Format, "< stands in an attribute"));
    }
    let value = if raw.contains(['\t', '\n', '\r']) {
        let plain = raw.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
        Cow::Owned(references(&plain)?.into_owned())
    } else {
        references(raw)?
    };
    Ok((value, from + open + 1 + end + 1))
}

/// Text with its references replaced and its line ends made LF.
fn unescape(raw: &str) -> Result<Cow<'_, str>, MappingFault> {
    match memchr2(b'&', b'\r', raw.as_bytes()) {
        None => Ok(Cow::Borrowed(raw)),
        Some(_) => match lines(raw) {
            Cow::Borrowed(raw) => references(raw),
            Cow::Owned(raw) => Ok(Cow::Owned(references(&raw)?.into_owned())),
        },
    }
}

fn lines(raw: &str) -> Cow<'_, str> {
    if raw.contains('\r') {
        Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(raw)
    }
}

fn references(raw: &str) -> Result<Cow<'_, str>, MappingFault> {
    let Some(first) = memchr(b'&', raw.as_bytes()) else { return Ok(Cow::Borrowed(raw)) };
    let mut text = raw[..first].to_owned();
    let mut rest = &raw[first..];
    while let Some(reference) = rest.strip_prefix('&') {
        let end = reference
            .find(';')
            .ok_or_else(|| MappingFault::new(FaultKind::Format, "& begins no reference"))?;
        text.push(character(&reference[..end])?);
        rest = &reference[end + 1..];
        let next = memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        text.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Ok(Cow::Owned(text))
}

fn character(reference: &str) -> Result<char, MappingFault> {
    let number = match reference {
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "amp" => return Ok('&'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => match reference.strip_prefix('#') {
            Some(number) => number,
            None => {
                let problem = format!(
                    "the entity {} is none of the five",
                    reference.chars().take(20).collect::<String>()
                );
                return Err(MappingFault::new(FaultKind::UnsupportedEntity, problem));
            }
        },
    };
    let code = match number.strip_prefix('x') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16).ok()
        }
        None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok(),
        _ => None,
    };
    code.and_then(char::from_u32)
        .filter(|character| is_allowed(*character))
        .ok_or_else(|| MappingFault::new(FaultKind::InvalidUnicode, "a reference stands for no character"))
}

/// version, then perhaps encoding, then perhaps standalone, each in quotes.
fn is_fine_declaration(text: &str) -> bool {
    let mut at = 0;
    let mut rank = 0;
    loop {
        let blanks = text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\n', '\r']).len();
        if at + blanks == text.len() {
            return rank > 0;
        }
        if blanks == 0 {
            return false;
        }
        at += blanks;
        let Ok(name) = name_at(text, at) else { return false };
        let Ok((value, end)) = quoted(text, at + name.len()) else { return false };
        let (own, fine) = match name {
            "version" => (1, value == "1.0"),
            "encoding" => (2, !value.is_empty()),
            "standalone" => (3, matches!(&*value, "yes" | "no")),
            _ => return false,
        };
        if !fine || own <= rank || (rank == 0 && own != 1) {
            return false;
        }
        (rank, at) = (own, end);
    }
}
