//! A message in XML as a record: completely, or quickly where it is as plain as most are.

use super::fast;
use super::reader::{Reader, Start, Token};
use crate::encoding;
use crate::fault::{Fault, FaultKind};
use crate::model::{Kind, Mapping};
use crate::value::{Filling, Syntax, is_blank};

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// SOAP lets these stand anywhere; what they say does not matter to document/literal messages.
const ENVELOPES: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"];

/// How a message is read. Both ways give the same record, or the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Quickly as long as it is plain, and once more completely if it is not.
    Quick,
    /// Completely.
    Complete,
}

/// Reads a message whose outermost element is the root. `charset` is what the transport says.
///
/// # Errors
/// See [`Fault`].
pub fn read(mapping: &Mapping, message: &[u8], charset: Option<&str>, way: Way) -> Result<Vec<u8>, Fault> {
    let text = encoding::text(message, charset)?;
    let mut reader = Reader::new(&text)?;
    let Token::Start(start) = reader.token()? else {
        return Err(Fault::new(FaultKind::Format, "the message has no element"));
    };
    let record = read_content(mapping, &mut reader, &start, way)?;
    match reader.token()? {
        Token::Eof => Ok(record),
        _ => Err(Fault::new(FaultKind::Format, "something stands behind the message's element")),
    }
}

/// Reads the element that was begun last, which must be the root, with its end tag: a message within an envelope.
///
/// # Errors
/// See [`Fault`].
pub fn read_content(
    mapping: &Mapping,
    reader: &mut Reader<'_>,
    start: &Start<'_>,
    way: Way,
) -> Result<Vec<u8>, Fault> {
    let root = mapping.root();
    if start.local != root {
        let problem = format!("{} is expected, not {}", root, start.local);
        return Err(Fault::new(FaultKind::UndefinedElement, problem));
    }
    if start.namespace.as_deref().unwrap_or("") != mapping.namespace {
        return Err(other_namespace(start).within(root));
    }
    let is_plain = start.attributes.is_empty() && !reader.closes();
    if way == Way::Quick
        && is_plain
        && let Some(prefix) = fast::prefix(mapping, reader, start)
        && let Some((record, end)) = fast::content(mapping, reader.text(), reader.at(), prefix)
    {
        reader.skip_to(end);
        // An end tag stands there: whether it is that of the root, this decides.
        reader.token().map_err(|fault| fault.within(root))?;
        return Ok(record);
    }
    attributes(mapping, 0, start).map_err(|fault| fault.within(root))?;
    let mut filling = Filling::new(mapping);
    group(&mut filling, reader, 0, 0).map_err(|fault| fault.within(root))?;
    Ok(filling.record)
}

/// How far a group has been read: which child, and how many of it.
struct Place {
    children: Vec<usize>,
    at: usize,
    count: usize,
}

fn group(filling: &mut Filling<'_>, reader: &mut Reader<'_>, node: usize, shift: usize) -> Result<(), Fault> {
    let mapping = filling.mapping;
    let mut place = Place { children: mapping.children(node).collect(), at: 0, count: 0 };
    loop {
        match reader.token()? {
            Token::Text(text) if text.bytes().all(is_blank) => {}
            Token::Text(_) => {
                return Err(Fault::new(FaultKind::UnexpectedContent, "text stands where only elements may"));
            }
            Token::Start(start) => match place.find(filling, &start, shift)? {
                Some(child) => {
                    let occurrence = place.count;
                    element(filling, reader, child, shift, occurrence, &start)?;
                    place.count += 1;
                }
                None => reader.skip_element()?,
            },
            Token::End => {
                while place.at < place.children.len() {
                    place.leave(filling, shift)?;
                }
                return Ok(());
            }
            Token::Eof => return Err(Fault::new(FaultKind::Format, "the message has no end")),
        }
    }
}

impl Place {
    /// The child that begins, or none if it is passed over.
    fn find(
        &mut self,
        filling: &mut Filling<'_>,
        start: &Start<'_>,
        shift: usize,
    ) -> Result<Option<usize>, Fault> {
        let mapping = filling.mapping;
        let is_child = |child: &usize| mapping.nodes[*child].name == start.local;
        let Some(wanted) = self.children.iter().position(is_child) else {
            if mapping.skips_unknown {
                return Ok(None);
            }
            let problem = format!("no element {} is known here", start.local);
            return Err(Fault::new(FaultKind::UndefinedElement, problem));
        };
        let namespace = if mapping.qualified { mapping.namespace.as_str() } else { "" };
        if start.namespace.as_deref().unwrap_or("") != namespace {
            return Err(other_namespace(start).within(start.local));
        }
        if wanted < self.at {
            let problem = format!("{} stands behind its place", start.local);
            return Err(Fault::new(FaultKind::UndefinedElement, problem));
        }
        while self.at < wanted {
            self.leave(filling, shift)?;
        }
        let child = self.children[wanted];
        let node = &mapping.nodes[child];
        match &node.repeat {
            Some(repeat) if self.count == repeat.max => {
                let problem = format!("{} occurs at most {} times", node.name, repeat.max);
                Err(Fault::new(FaultKind::ArrayOverflow, problem))
            }
            None if self.count == 1 => {
                Err(Fault::new(FaultKind::UndefinedElement, format!("{} is there twice", node.name)))
            }
            _ => Ok(Some(child)),
        }
    }

    /// No more of this child will come.
    fn leave(&mut self, filling: &mut Filling<'_>, shift: usize) -> Result<(), Fault> {
        leave(filling, self.children[self.at], self.count, shift)?;
        (self.at, self.count) = (self.at + 1, 0);
        Ok(())
    }
}

/// Notes how many occurrences there were, which must be enough.
pub(crate) fn leave(filling: &mut Filling<'_>, node: usize, count: usize, shift: usize) -> Result<(), Fault> {
    let node = &filling.mapping.nodes[node];
    let min = node.repeat.as_ref().map_or(1, |repeat| repeat.min);
    if count < min {
        let problem = match min {
            1 => format!("{} is missing", node.name),
            _ => format!("{} occurs at least {min} times, not {count}", node.name),
        };
        return Err(Fault::new(FaultKind::MissingElement, problem));
    }
    match node.repeat.as_ref().and_then(|repeat| repeat.counter) {
        Some(counter) => filling.count(&counter, count, shift),
        None => Ok(()),
    }
}

fn element(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    child: usize,
    shift: usize,
    occurrence: usize,
    start: &Start<'_>,
) -> Result<(), Fault> {
    let mapping = filling.mapping;
    let node = &mapping.nodes[child];
    let shift = shift + occurrence * node.length;
    let done = attributes(mapping, child, start).and_then(|()| match node.kind {
        Kind::Group => group(filling, reader, child, shift),
        _ => {
            let text = reader.element_text()?;
            filling.put(node, &text, shift, Syntax::Xml)
        }
    });
    done.map_err(|fault| match &node.repeat {
        Some(repeat) if repeat.is_array => fault.within_occurrence(&node.name, occurrence + 1),
        _ => fault.within(&node.name),
    })
}

fn other_namespace(start: &Start<'_>) -> Fault {
    let has = start.namespace.as_deref().unwrap_or("none");
    Fault::new(FaultKind::UndefinedNamespace, format!("the element is of another namespace: {has}"))
}

/// No attribute says anything of a value but those of the schema instance.
fn attributes(mapping: &Mapping, node: usize, start: &Start<'_>) -> Result<(), Fault> {
    for attribute in &start.attributes {
        let namespace = attribute.namespace.as_deref().unwrap_or("");
        let fine = match (namespace, attribute.local) {
            (INSTANCE, "nil") => matches!(&*attribute.value, "false" | "0"),
            (INSTANCE, "type") => is_type_of(&mapping.nodes[node].kind, &attribute.value),
            (INSTANCE, "schemaLocation" | "noNamespaceSchemaLocation") => true,
            (namespace, _) => ENVELOPES.contains(&namespace),
        };
        if !fine {
            let problem =
                format!("the attribute {}=\"{}\" cannot stand here", attribute.local, attribute.value);
            return Err(Fault::new(FaultKind::UnexpectedContent, problem));
        }
    }
    Ok(())
}

/// Whether `xsi:type` names a built-in type that the element has. Its prefix is not looked at: no other types have names.
fn is_type_of(kind: &Kind, name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    match kind {
        Kind::Group => false,
        Kind::Text(_) => local == "string",
        Kind::Bytes => local == "base64Binary",
        Kind::Number(_) => matches!(
            local,
            "decimal"
                | "integer"
                | "long"
                | "int"
                | "short"
                | "unsignedLong"
                | "unsignedInt"
                | "unsignedShort"
        ),
        Kind::Flag => local == "boolean",
        Kind::Float => matches!(local, "float" | "double"),
        Kind::Date(_) => matches!(local, "date" | "string"),
        Kind::Moment(_) => local == "dateTime",
    }
}
