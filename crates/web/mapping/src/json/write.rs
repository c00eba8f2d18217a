//! A record as a message in JSON.

use super::read::name_of;
use crate::fault::MappingFault;
use crate::model::{Kind, Mapping, Node};
use crate::value::{Emptying, nothing_apart};

/// Writes a record. `wrapped`: as an object with one member, which has the root's name; else the root itself.
///
/// # Errors
/// Bytes that are not a number, counters that count too much.
pub fn write(
    mapping: &Mapping,
    record: &[u8],
    wrapped: bool,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    write_apart(mapping, record, &nothing_apart, wrapped, into)
}

/// The same; `apart` returns the content of the containers that the record names. Elements of any name are left out:
/// they are not JSON.
///
/// # Errors
/// As above, and containers that are not there.
pub fn write_apart(
    mapping: &Mapping,
    record: &[u8],
    apart: &dyn Fn(&str) -> Option<Vec<u8>>,
    wrapped: bool,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    let emptying = Emptying::new(mapping, record, apart)?;
    let root = mapping.root();
    if wrapped {
        into.push(b'{');
        name(root, into);
    }
    group(&emptying, 0, 0, into).map_err(|fault| fault.within(root))?;
    if wrapped {
        into.push(b'}');
    }
    Ok(())
}

/// Writes a name. Names come from COBOL words and names of schemas: no name needs an escape.
fn name(name: &str, into: &mut Vec<u8>) {
    into.push(b'"');
    into.extend_from_slice(name.as_bytes());
    into.extend_from_slice(b"\":");
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
    into.push(b'{');
    let begin = into.len();
    while child < end {
        let node = &nodes[child];
        if is_left_out(emptying, node, shift) {
            child = node.end;
            continue;
        }
        let count = emptying.occurrences(node, shift).map_err(|fault| fault.within(&node.name))?;
        let is_chosen =
            node.choice().is_none_or(|choice| emptying.marked(choice.mark, shift) == choice.value);
        if !is_chosen {
            child = node.end;
            continue;
        }
        let is_array = node.repeat.as_ref().is_some_and(|repeat| repeat.is_array);
        if is_array || count > 0 {
            if into.len() > begin {
                into.push(b',');
            }
            match &node.extra {
                None => name(&node.name, into),
                Some(_) => name(&name_of(node), into),
            }
        }
        if let Kind::Apart(apart) = &node.kind {
            let records = emptying
                .occurrences_apart(node, apart, count, shift)
                .map_err(|fault| fault.within(&node.name))?;
            into.push(b'[');
            for (at, record) in records.chunks(apart.item.length().max(1)).take(count).enumerate() {
                if at > 0 {
                    into.push(b',');
                }
                let written = Emptying::new(&apart.item, record, emptying.apart).and_then(|item| match apart
                    .is_scalar
                {
                    true => value(&item, 1, &apart.item.nodes[1], 0, into),
                    false => group(&item, 0, 0, into),
                });
                written.map_err(|fault| fault.within_occurrence(&node.name, at + 1))?;
            }
            into.push(b']');
            child = node.end;
            continue;
        }
        if is_array {
            into.push(b'[');
        }
        for occurrence in 0..count {
            if occurrence > 0 {
                into.push(b',');
            }
            let shift = shift + occurrence * node.length;
            value(emptying, child, node, shift, into).map_err(|fault| match is_array {
                true => fault.within_occurrence(&node.name, occurrence + 1),
                false => fault.within(&node.name),
            })?;
        }
        if is_array {
            into.push(b']');
        }
        child = node.end;
    }
    into.push(b'}');
    Ok(())
}

/// Returns true if a node has no member: an attribute that is not there, elements of any name.
fn is_left_out(emptying: &Emptying<'_, '_>, node: &Node, shift: usize) -> bool {
    let Some(extra) = &node.extra else { return matches!(node.kind, Kind::Raw) };
    let is_missing = extra.exists.is_some_and(|mark| emptying.marked(mark, shift) == 0);
    is_missing || matches!(node.kind, Kind::Raw)
}

fn value(
    emptying: &Emptying<'_, '_>,
    at: usize,
    node: &Node,
    shift: usize,
    into: &mut Vec<u8>,
) -> Result<(), MappingFault> {
    if emptying.is_nil(node, shift) {
        into.extend_from_slice(b"null");
        return Ok(());
    }
    let content = matches!(node.kind, Kind::Group).then(|| emptying.mapping.only_content(at)).flatten();
    if let Some(content) = content {
        return value(emptying, content, &emptying.mapping.nodes[content], shift, into);
    }
    match node.kind {
        Kind::Group => group(emptying, at, shift, into),
        Kind::Number(_) | Kind::Float | Kind::Flag => emptying.scalar(node, shift, into),
        Kind::Text(varying) => {
            let text = emptying.text(node, varying, shift)?;
            into.push(b'"');
            characters(emptying, text, into);
            into.push(b'"');
            Ok(())
        }
        _ => {
            into.push(b'"');
            emptying.scalar(node, shift, into)?;
            into.push(b'"');
            Ok(())
        }
    }
}

/// Program characters within quotes.
fn characters(emptying: &Emptying<'_, '_>, mut bytes: &[u8], into: &mut Vec<u8>) {
    let is_special = |byte: &u8| !matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
    while let Some(at) = bytes.iter().position(is_special) {
        into.extend_from_slice(&bytes[..at]);
        escaped(emptying.mapping.charset.character(bytes[at]), into);
        bytes = &bytes[at + 1..];
    }
    into.extend_from_slice(bytes);
}

/// Writes a text as it is between quotes.
pub fn escape(text: &str, into: &mut Vec<u8>) {
    text.chars().for_each(|character| escaped(character, into));
}

fn escaped(character: char, into: &mut Vec<u8>) {
    match character {
        '"' => into.extend_from_slice(b"\\\""),
        '\\' => into.extend_from_slice(b"\\\\"),
        '\n' => into.extend_from_slice(b"\\n"),
        '\r' => into.extend_from_slice(b"\\r"),
        '\t' => into.extend_from_slice(b"\\t"),
        '\0'..' ' => into.extend_from_slice(format!("\\u{:04X}", u32::from(character)).as_bytes()),
        _ => into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}
