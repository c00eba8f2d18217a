//! A record as a message in XML.

use super::reader::{INSTANCE, Reader, Token};
use crate::encoding;
use crate::fault::{FaultKind, MappingFault};
use crate::model::{Form, Kind, Mapping, Node, TypeName};
use crate::value::{Emptying, nothing_apart};

/// Writes a record as the root element, without a declaration.
///
/// # Errors
/// Bytes that are not a number, characters that XML cannot hold, counters that count too much.
pub fn write(mapping: &Mapping, record: &[u8], into: &mut Vec<u8>) -> Result<(), MappingFault> {
    write_apart(mapping, record, &nothing_apart, into)
}

/// The same; `apart` returns the content of the containers that the record names.
///
/// # Errors
/// As above, and containers that are not there or hold no XML.
pub fn write_apart(
    mapping: &Mapping,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    written(mapping, record, apart, None, into)
}

/// The same; if the root's type has a name, the root gives it by `xsi:type`.
///
/// # Errors
/// As above.
pub fn write_typed(
    mapping: &Mapping,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    written(mapping, record, apart, mapping.root_type(), into)
}

fn written(
    mapping: &Mapping,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
    root_type: Option<&TypeName>,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    let emptying = Emptying::new(mapping, record, apart)?;
    let root = mapping.root();
    let is_mixed = !mapping.is_plain;
    let prefix = if mapping.namespace.is_empty() || (mapping.qualified && !is_mixed) { "" } else { "p:" };
    into.push(b'<');
    into.extend_from_slice(prefix.as_bytes());
    into.extend_from_slice(root.as_bytes());
    if !mapping.namespace.is_empty() {
        let declared: &[u8] = if prefix.is_empty() { b" xmlns=\"" } else { b" xmlns:p=\"" };
        into.extend_from_slice(declared);
        escape_attribute(&mapping.namespace, into);
        into.push(b'"');
    }
    for (at, namespace) in mapping.others.iter().enumerate() {
        into.extend_from_slice(format!(" xmlns:n{}=\"", at + 1).as_bytes());
        escape_attribute(namespace, into);
        into.push(b'"');
    }
    if let Some(name) = root_type {
        say_type(name, into);
    }
    attributes(&emptying, 0, 0, into).map_err(|fault| fault.within(root))?;
    into.push(b'>');
    group(&emptying, 0, 0, into).map_err(|fault| fault.within(root))?;
    for part in ["</", prefix, root, ">"] {
        into.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

/// Writes `xsi:type`, with the prefixes that it needs. No element has the prefix `t`.
fn say_type(name: &TypeName, into: &mut Vec<u8>) {
    into.extend_from_slice(format!(" xmlns:xsi=\"{INSTANCE}\"").as_bytes());
    let prefix = if name.namespace.is_empty() { "" } else { "t:" };
    if !name.namespace.is_empty() {
        into.extend_from_slice(b" xmlns:t=\"");
        escape_attribute(&name.namespace, into);
        into.push(b'"');
    }
    into.extend_from_slice(format!(" xsi:type=\"{prefix}{}\"", name.local).as_bytes());
}

fn group(
    emptying: &Emptying<'_, '_>,
    node: usize,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    let nodes = &emptying.mapping.nodes;
    let end = nodes[node].end;
    let mut child = node + 1;
    while child < end {
        let node = &nodes[child];
        if node.extra.is_some() || matches!(node.kind, Kind::Raw | Kind::Apart(_)) {
            uncommon(emptying, child, node, shift, into).map_err(|fault| fault.within(&node.name))?;
            child = node.end;
            continue;
        }
        if node.repeat.is_none() {
            element(emptying, child, node, shift, into).map_err(|fault| fault.within(&node.name))?;
            child = node.end;
            continue;
        }
        let count = emptying.occurrences(node, shift).map_err(|fault| fault.within(&node.name))?;
        for occurrence in 0..count {
            element(emptying, child, node, shift + occurrence * node.length, into).map_err(|fault| {
                match &node.repeat {
                    Some(repeat) if repeat.is_array => fault.within_occurrence(&node.name, occurrence + 1),
                    _ => fault.within(&node.name),
                }
            })?;
        }
        child = node.end;
    }
    Ok(())
}

/// Writes a node that has more than a name, a value and occurrences.
fn uncommon(
    emptying: &Emptying<'_, '_>,
    at: usize,
    node: &Node,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    match (node.form(), &node.kind) {
        (Form::Attribute, _) => Ok(()),
        (Form::Content, _) => value(emptying, at, node, shift, into),
        (Form::Unwrapped, _) => {
            let count = emptying.occurrences(node, shift)?;
            (0..count).try_for_each(|occurrence| group(emptying, at, shift + occurrence * node.length, into))
        }
        (_, Kind::Raw) => {
            if emptying.occurrences(node, shift)? == 0 {
                return Ok(());
            }
            let content = emptying.container(node, shift)?.unwrap_or_default();
            is_content(&content)?;
            into.extend_from_slice(&content);
            Ok(())
        }
        (_, Kind::Apart(apart)) => {
            let count = emptying.occurrences(node, shift)?;
            let records = emptying.occurrences_apart(node, apart, count, shift)?;
            for record in records.chunks(apart.item.length().max(1)).take(count) {
                let item = Emptying::new(&apart.item, record, emptying.apart)?;
                match apart.is_scalar {
                    true => tagged(emptying, node, b"", into, |into| {
                        value(&item, 1, &apart.item.nodes[1], 0, into)
                    })?,
                    false => {
                        let mut own = Vec::new();
                        attributes(&item, 0, 0, &mut own)?;
                        tagged(emptying, node, &own, into, |into| group(&item, 0, 0, into))?;
                    }
                }
            }
            Ok(())
        }
        _ => {
            let count = emptying.occurrences(node, shift)?;
            (0..count).try_for_each(|occurrence| {
                element(emptying, at, node, shift + occurrence * node.length, into)
            })
        }
    }
}

/// Returns an error unless the content that a program has put into a container may be between elements.
fn is_content(content: &[u8]) -> Result<(), MappingFault> {
    let text = encoding::text(content, Some("UTF-8"))?;
    let wrapped = format!("<any>{text}</any>");
    let mut reader = Reader::new(&wrapped)?;
    while reader.token()? != Token::Eof {}
    Ok(())
}

/// Attributes of an element, from its fields.
fn attributes(
    emptying: &Emptying<'_, '_>,
    at: usize,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    let mapping = emptying.mapping;
    if mapping.is_plain {
        return Ok(());
    }
    for child in mapping.children(at) {
        let node = &mapping.nodes[child];
        let Some(extra) = node.extra.as_ref().filter(|extra| extra.form == Form::Attribute) else {
            continue;
        };
        if extra.exists.is_some_and(|mark| emptying.marked(mark, shift) == 0) {
            continue;
        }
        let mut text = Vec::new();
        value(emptying, child, node, shift, &mut text).map_err(|fault| fault.within(&node.name))?;
        into.push(b' ');
        into.extend_from_slice(prefix_of(mapping, node).as_bytes());
        into.extend_from_slice(node.name.as_bytes());
        into.extend_from_slice(b"=\"");
        // The text is one of an element: an attribute minds quotes and line ends, too.
        for byte in text {
            match byte {
                b'"' => into.extend_from_slice(b"&quot;"),
                b'\t' => into.extend_from_slice(b"&#9;"),
                b'\n' => into.extend_from_slice(b"&#10;"),
                byte => into.push(byte),
            }
        }
        into.push(b'"');
    }
    Ok(())
}

/// The prefix of a name, where names of several kinds are mixed.
fn prefix_of(mapping: &Mapping, node: &Node) -> String {
    if mapping.is_plain {
        return String::new();
    }
    match node.extra.as_ref().and_then(|extra| extra.namespace) {
        Some(0) => String::new(),
        Some(number) => format!("n{number}:"),
        None if mapping.qualified && node.form() == Form::Element && !mapping.namespace.is_empty() => {
            "p:".to_owned()
        }
        None => String::new(),
    }
}

/// An element with its tags.
fn tagged(
    emptying: &Emptying<'_, '_>,
    node: &Node,
    attributes: &[u8],
    into: &mut Vec<u8>,
    content: impl FnOnce(&mut Vec<u8>) -> Result<(), MappingFault>,
) -> Result<(), MappingFault> {
    let name = prefix_of(emptying.mapping, node) + &node.name;
    into.push(b'<');
    into.extend_from_slice(name.as_bytes());
    into.extend_from_slice(attributes);
    into.push(b'>');
    content(into)?;
    into.extend_from_slice(b"</");
    into.extend_from_slice(name.as_bytes());
    into.push(b'>');
    Ok(())
}

const NIL: &[u8] = b" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"";

fn element(
    emptying: &Emptying<'_, '_>,
    at: usize,
    node: &Node,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    if !emptying.mapping.is_plain {
        let is_nil = emptying.is_nil(node, shift);
        let mut own = if is_nil { NIL.to_vec() } else { Vec::new() };
        if !is_nil {
            attributes(emptying, at, shift, &mut own)?;
        }
        return tagged(emptying, node, &own, into, |into| match is_nil {
            true => Ok(()),
            false => value(emptying, at, node, shift, into),
        });
    }
    into.extend_from_slice(&node.open);
    value(emptying, at, node, shift, into)?;
    into.extend_from_slice(&node.close);
    Ok(())
}

/// Bytes of program characters that are not written as they are.
const SPECIAL: [bool; 256] = {
    let mut special = [true; 256];
    let mut at = 0x20;
    while at < 0x7F {
        special[at] = matches!(at as u8, b'<' | b'>' | b'&');
        at += 1;
    }
    special
};

/// Writes the content between the tags of an element.
fn value(
    emptying: &Emptying<'_, '_>,
    at: usize,
    node: &Node,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    match node.kind {
        Kind::Group => group(emptying, at, shift, into),
        Kind::Text(varying) => text(emptying, emptying.text(node, varying, shift)?, into),
        _ => emptying.scalar(node, shift, into),
    }
}

/// Program characters as text.
fn text(emptying: &Emptying<'_, '_>, mut bytes: &[u8], into: &mut Vec<u8>) -> Result<(), MappingFault> {
    let is_special = |byte: &u8| SPECIAL[usize::from(*byte)];
    while let Some(at) = bytes.iter().position(is_special) {
        into.extend_from_slice(&bytes[..at]);
        match bytes[at] {
            b'<' => into.extend_from_slice(b"&lt;"),
            b'>' => into.extend_from_slice(b"&gt;"),
            b'&' => into.extend_from_slice(b"&amp;"),
            b'\r' => into.extend_from_slice(b"&#13;"),
            byte @ (b'\t' | b'\n') => into.push(byte),
            byte @ 0..b' ' => {
                let problem =
                    format!("X'{byte:02X}' is no character of XML: is the field text, and was it filled?");
                return Err(MappingFault::new(FaultKind::InvalidCharacter, problem));
            }
            byte => {
                let character = emptying.mapping.charset.character(byte);
                into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        bytes = &bytes[at + 1..];
    }
    into.extend_from_slice(bytes);
    Ok(())
}

/// Writes a text as it is between tags.
pub fn escape_text(text: &str, into: &mut Vec<u8>) {
    escape(text, into, false);
}

/// Writes a text as it is between double quotes.
pub fn escape_attribute(text: &str, into: &mut Vec<u8>) {
    escape(text, into, true);
}

/// Characters that XML cannot hold become a question mark: these texts are ours, and a message about one is no use.
fn escape(text: &str, into: &mut Vec<u8>, quotes: bool) {
    for character in text.chars() {
        match character {
            '<' => into.extend_from_slice(b"&lt;"),
            '>' => into.extend_from_slice(b"&gt;"),
            '&' => into.extend_from_slice(b"&amp;"),
            '"' if quotes => into.extend_from_slice(b"&quot;"),
            '\r' => into.extend_from_slice(b"&#13;"),
            '\t' | '\n' if quotes => {
                into.extend_from_slice(format!("&#{};", u32::from(character)).as_bytes())
            }
            _ if super::characters::is_allowed(character) => {
                into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => into.push(b'?'),
        }
    }
}
