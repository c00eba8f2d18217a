//! A record as a message in XML.

use crate::fault::{Fault, FaultKind};
use crate::model::{Kind, Mapping, Node};
use crate::value::{Emptying, Syntax};

/// Writes a record as the root element, without a declaration.
///
/// # Errors
/// Bytes that are no number, characters that XML cannot hold, counters that count too much.
pub fn write(mapping: &Mapping, record: &[u8], into: &mut Vec<u8>) -> Result<(), Fault> {
    let emptying = Emptying::new(mapping, record)?;
    let root = mapping.root();
    let prefix = if mapping.qualified || mapping.namespace.is_empty() { "" } else { "p:" };
    into.push(b'<');
    into.extend_from_slice(prefix.as_bytes());
    into.extend_from_slice(root.as_bytes());
    if !mapping.namespace.is_empty() {
        let declared: &[u8] = if mapping.qualified { b" xmlns=\"" } else { b" xmlns:p=\"" };
        into.extend_from_slice(declared);
        escape_attribute(&mapping.namespace, into);
        into.push(b'"');
    }
    into.push(b'>');
    group(&emptying, 0, 0, into).map_err(|fault| fault.within(root))?;
    for part in ["</", prefix, root, ">"] {
        into.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

fn group(emptying: &Emptying<'_, '_>, node: usize, shift: usize, into: &mut Vec<u8>) -> Result<(), Fault> {
    let nodes = &emptying.mapping.nodes;
    let end = nodes[node].end;
    let mut child = node + 1;
    while child < end {
        let node = &nodes[child];
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

fn element(
    emptying: &Emptying<'_, '_>,
    at: usize,
    node: &Node,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), Fault> {
    into.push(b'<');
    into.extend_from_slice(node.name.as_bytes());
    into.push(b'>');
    match node.kind {
        Kind::Group => group(emptying, at, shift, into)?,
        Kind::Text(varying) => text(emptying, emptying.text(node, varying, shift)?, into)?,
        _ => emptying.scalar(node, shift, Syntax::Xml, into)?,
    }
    into.extend_from_slice(b"</");
    into.extend_from_slice(node.name.as_bytes());
    into.push(b'>');
    Ok(())
}

/// Program characters as text.
fn text(emptying: &Emptying<'_, '_>, mut bytes: &[u8], into: &mut Vec<u8>) -> Result<(), Fault> {
    let is_special = |byte: &u8| !matches!(byte, b' '..=b'%' | b'\''..=b';' | b'=' | b'?'..=b'~');
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
                return Err(Fault::new(FaultKind::InvalidCharacter, problem));
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

/// Writes a text as it stands between tags.
pub fn escape_text(text: &str, into: &mut Vec<u8>) {
    escape(text, into, false);
}

/// Writes a text as it stands between double quotes.
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
