//! A message in JSON as a record.

use super::reader::Reader;
use crate::fault::{Fault, FaultKind};
use crate::model::{Kind, Mapping, Node};
use crate::value::{Filling, Syntax};
use crate::xml::leave;

/// Reads a message. `wrapped`: it is an object with one member, which has the root's name; else the root itself.
///
/// # Errors
/// See [`Fault`].
pub fn read(mapping: &Mapping, message: &[u8], wrapped: bool) -> Result<Vec<u8>, Fault> {
    let mut reader = Reader::new(message)?;
    let mut filling = Filling::new(mapping);
    let root = mapping.root();
    if wrapped {
        reader.expect(b'{')?;
        let name = reader.member()?;
        if name != root {
            return Err(Fault::new(
                FaultKind::UndefinedElement,
                format!("the member {root} is expected, not {name}"),
            ));
        }
    }
    group(&mut filling, &mut reader, 0, 0).map_err(|fault| fault.within(root))?;
    if wrapped {
        reader.expect(b'}')?;
    }
    reader.end()?;
    Ok(filling.record)
}

fn group(filling: &mut Filling<'_>, reader: &mut Reader<'_>, node: usize, shift: usize) -> Result<(), Fault> {
    let mapping = filling.mapping;
    if !reader.takes(b'{') {
        return Err(wrong_type(reader, "an object"));
    }
    let children: Vec<usize> = mapping.children(node).collect();
    // How often each was there; the next one is mostly the one that comes.
    let mut counts: Vec<Option<usize>> = vec![None; children.len()];
    let mut next = 0;
    reader.items(b'}', |reader| {
        let expected =
            children.get(next).is_some_and(|child| reader.takes_member(&mapping.nodes[*child].name));
        let at = if expected { Some(next) } else { find(mapping, &children, reader)? };
        let Some(at) = at else { return reader.skip(0) };
        let child = children[at];
        let name = &mapping.nodes[child].name;
        if counts[at].is_some() {
            return Err(Fault::new(FaultKind::DuplicateMember, format!("{name} is there twice")));
        }
        counts[at] = Some(member(filling, reader, child, shift)?);
        next = at + 1;
        Ok(())
    })?;
    for (child, count) in children.into_iter().zip(counts) {
        leave(filling, child, count.unwrap_or(0), shift)?;
    }
    Ok(())
}

/// Which child a member is; none: it is passed over.
fn find(mapping: &Mapping, children: &[usize], reader: &mut Reader<'_>) -> Result<Option<usize>, Fault> {
    let name = reader.member()?;
    let at = children.iter().position(|child| mapping.nodes[*child].name == name);
    if at.is_none() && !mapping.skips_unknown {
        return Err(Fault::new(FaultKind::UndefinedElement, format!("no member {name} is known here")));
    }
    Ok(at)
}

/// The value of a member; the answer is how many occurrences it had.
fn member(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    child: usize,
    shift: usize,
) -> Result<usize, Fault> {
    let node = &filling.mapping.nodes[child];
    let Some(repeat) = &node.repeat else {
        value(filling, reader, child, node, shift).map_err(|fault| fault.within(&node.name))?;
        return Ok(1);
    };
    if repeat.min == 0 && !repeat.is_array && reader.takes_word("null") {
        return Ok(0);
    }
    if !repeat.is_array {
        value(filling, reader, child, node, shift).map_err(|fault| fault.within(&node.name))?;
        return Ok(1);
    }
    if !reader.takes(b'[') {
        return Err(wrong_type(reader, "an array").within(&node.name));
    }
    let mut count = 0;
    reader.items(b']', |reader| {
        if count == repeat.max {
            let problem = format!("{} occurs at most {} times", node.name, repeat.max);
            return Err(Fault::new(FaultKind::ArrayOverflow, problem));
        }
        value(filling, reader, child, node, shift + count * node.length)
            .map_err(|fault| fault.within_occurrence(&node.name, count + 1))?;
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

fn value(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    at: usize,
    node: &Node,
    shift: usize,
) -> Result<(), Fault> {
    let first = reader.peek();
    match (&node.kind, first) {
        (Kind::Group, _) => group(filling, reader, at, shift),
        (Kind::Number(_) | Kind::Float, Some(b'-' | b'0'..=b'9')) => {
            let number = reader.number()?;
            filling.put(node, number, shift, Syntax::Json)
        }
        (Kind::Flag, _) => match ["true", "false"].into_iter().find(|word| reader.takes_word(word)) {
            Some(word) => filling.put(node, word, shift, Syntax::Json),
            None => Err(wrong_type(reader, "true or false")),
        },
        (Kind::Number(_) | Kind::Float, _) => Err(wrong_type(reader, "a number")),
        (_, Some(b'"')) => {
            let text = reader.string()?;
            filling.put(node, &text, shift, Syntax::Json)
        }
        _ => Err(wrong_type(reader, "a string")),
    }
}

fn wrong_type(reader: &mut Reader<'_>, expected: &str) -> Fault {
    match reader.peek() {
        None => reader.format("the message ends"),
        Some(_) => Fault::new(FaultKind::WrongType, format!("{expected} is expected")),
    }
}
