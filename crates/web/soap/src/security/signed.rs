//! Elements of a message by their identifiers, as a signature covers them.

use mapping::xml::{Reader, Start, Token, canonical};
use mapping::{FaultKind, MappingFault};

use super::{EXCLUSIVE, Reference, SECURITY, UTILITY};
use crate::level::Level;

/// The place of a signed element. An element with the same identifier at another place has another value, so that a
/// signed body which was moved aside does not count as the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementPlace {
    /// It is the body of the envelope.
    Body,
    /// It is in the header of security itself.
    Token,
    /// Elsewhere.
    Other,
}

/// Returns the canonical form of the element that a reference names, and its place.
///
/// # Errors
/// No element has that identifier, or more than one; or the reference wants another form.
pub fn element(
    text: &str,
    level: Level,
    reference: &Reference,
) -> Result<(Vec<u8>, ElementPlace), MappingFault> {
    let unknown = |what: String| MappingFault::new(FaultKind::UnexpectedContent, what);
    if reference.id.is_empty() {
        return Err(unknown(String::from("a signature covers something that has no identifier")));
    }
    if reference.transforms.iter().any(|form| form != EXCLUSIVE) || reference.transforms.len() != 1 {
        return Err(unknown(format!(
            "a signature is made over another form: {}",
            reference.transforms.join(" ")
        )));
    }
    let kept: Vec<&str> = reference.kept.iter().map(String::as_str).collect();
    let mut reader = Reader::new(text)?;
    let mut path = Path { level, parents: Vec::new() };
    let mut bodies = 0;
    let mut found = None;
    loop {
        match reader.token()? {
            Token::Start(start) => {
                bodies += usize::from(path.place(&start) == ElementPlace::Body);
                if bodies > 1 {
                    return Err(unknown(String::from("the message has two bodies")));
                }
                if has_id(&start, &reference.id) {
                    if found.is_some() {
                        return Err(unknown(format!("two elements are {}", reference.id)));
                    }
                    let mut form = Vec::new();
                    canonical(&mut reader.clone(), &start, &kept, &mut form)?;
                    found = Some((form, path.place(&start)));
                }
                path.parents.push(path.kind(&start));
            }
            Token::Text(_) => {}
            Token::End => drop(path.parents.pop()),
            Token::Eof => break,
        }
    }
    found.ok_or_else(|| unknown(format!("a signature covers {}, which is not there", reference.id)))
}

/// Returns true if an element has an identifier: that of WS-Security, or one of its own.
fn has_id(start: &Start<'_>, id: &str) -> bool {
    [(UTILITY, "Id"), ("", "Id"), ("", "ID"), ("", "id")]
        .iter()
        .any(|(namespace, name)| start.attribute(namespace, name) == Some(id))
}

/// The reader's place.
struct Path {
    level: Level,
    parents: Vec<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Envelope,
    Header,
    Security,
    Other,
}

impl Path {
    fn kind(&self, start: &Start<'_>) -> Kind {
        match self.parents.as_slice() {
            [] => Kind::Envelope,
            [Kind::Envelope] if start.is(self.level.namespace(), "Header") => Kind::Header,
            [Kind::Envelope, Kind::Header] if start.is(SECURITY, "Security") => Kind::Security,
            _ => Kind::Other,
        }
    }

    fn place(&self, start: &Start<'_>) -> ElementPlace {
        match self.parents.as_slice() {
            [Kind::Envelope] if start.is(self.level.namespace(), "Body") => ElementPlace::Body,
            [Kind::Envelope, Kind::Header, Kind::Security] => ElementPlace::Token,
            _ => ElementPlace::Other,
        }
    }
}
