//! A message in JSON as a record.

use super::reader::Reader;
use crate::fault::{FaultKind, MappingFault};
use crate::model::{Form, Kind, Mapping, Node};
use crate::value::{Filled, Filling, Syntax};
use crate::xml::leave;

/// Reads a message. `wrapped`: it is an object with one member, which has the root's name; else the root itself.
///
/// # Errors
/// See [`MappingFault`].
pub fn read(mapping: &Mapping, message: &[u8], wrapped: bool) -> Result<Vec<u8>, MappingFault> {
    read_apart(mapping, message, wrapped).map(|filled| filled.record)
}

/// The same, with the parts that are in containers of their own.
///
/// # Errors
/// See [`MappingFault`].
pub fn read_apart(mapping: &Mapping, message: &[u8], wrapped: bool) -> Result<Filled, MappingFault> {
    let mut reader = Reader::new(message)?;
    let mut filling = Filling::new(mapping);
    let root = mapping.root();
    if wrapped {
        reader.expect(b'{')?;
        let name = reader.member()?;
        if name != root {
            return Err(MappingFault::new(
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
    Ok(filling.filled())
}

fn group(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    node: usize,
    shift: usize,
) -> Result<(), MappingFault> {
    let mapping = filling.mapping;
    if !reader.takes(b'{') {
        return Err(wrong_type(reader, "an object"));
    }
    let children: Vec<usize> = mapping.children(node).collect();
    // How often each was there; the next one is mostly the one that comes.
    let mut counts: Vec<Option<usize>> = vec![None; children.len()];
    let mut next = 0;
    reader.items(b'}', |reader| {
        let expected = children.get(next).is_some_and(|child| takes(reader, &mapping.nodes[*child]));
        let at = if expected { Some(next) } else { find(mapping, &children, reader)? };
        let Some(at) = at else { return reader.skip(0) };
        let child = children[at];
        let name = &mapping.nodes[child].name;
        if counts[at].is_some() {
            return Err(MappingFault::new(FaultKind::DuplicateMember, format!("{name} is there twice")));
        }
        filling.choose(&mapping.nodes[child], shift)?;
        counts[at] = Some(member(filling, reader, child, shift)?);
        next = at + 1;
        Ok(())
    })?;
    for (child, count) in children.into_iter().zip(counts) {
        if matches!(mapping.nodes[child].kind, Kind::Raw) || is_absent(filling, child, count, shift)? {
            continue;
        }
        leave(filling, child, count.unwrap_or(0), shift)?;
    }
    Ok(())
}

/// Passes over the name of a member that a plain node has.
fn takes(reader: &mut Reader<'_>, node: &Node) -> bool {
    matches!(node.form(), Form::Element | Form::Unwrapped) && reader.takes_member(&node.name)
}

/// Returns true if a child is an attribute that may be missing, and sets the mark that says whether it is there.
fn is_absent(
    filling: &mut Filling<'_>,
    child: usize,
    count: Option<usize>,
    shift: usize,
) -> Result<bool, MappingFault> {
    let exists = filling.mapping.nodes[child].extra.as_ref().and_then(|extra| extra.exists);
    let Some(mark) = exists else { return Ok(false) };
    filling.mark(mark, u8::from(count.is_some()), shift);
    Ok(true)
}

/// The name of a node's member: attributes are distinguished from elements as is usual where XML becomes JSON.
pub(super) fn name_of(node: &Node) -> std::borrow::Cow<'_, str> {
    match node.form() {
        Form::Element | Form::Unwrapped => (&node.name).into(),
        Form::Attribute => format!("@{}", node.name).into(),
        Form::Content => "$".into(),
    }
}

/// The child that a member is; `None` if the member is passed over.
fn find(
    mapping: &Mapping,
    children: &[usize],
    reader: &mut Reader<'_>,
) -> Result<Option<usize>, MappingFault> {
    let name = reader.member()?;
    let is = |child: &usize| {
        let node = &mapping.nodes[*child];
        !matches!(node.kind, Kind::Raw) && name_of(node) == name
    };
    let at = children.iter().position(is);
    if at.is_none() && !mapping.skips_unknown {
        return Err(MappingFault::new(
            FaultKind::UndefinedElement,
            format!("no member {name} is known here"),
        ));
    }
    Ok(at)
}

/// The value of a member; the answer is how many occurrences it had.
fn member(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    child: usize,
    shift: usize,
) -> Result<usize, MappingFault> {
    let node = &filling.mapping.nodes[child];
    let Some(repeat) = &node.repeat else {
        if let Some(mark) = node.nil()
            && reader.takes_word("null")
        {
            filling.mark(mark, 1, shift);
            return Ok(1);
        }
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
            return Err(MappingFault::new(FaultKind::ArrayOverflow, problem));
        }
        let shift = shift + count * node.step();
        let read = match (&node.kind, node.nil()) {
            (_, Some(mark)) if reader.takes_word("null") => {
                filling.mark(mark, 1, shift);
                Ok(())
            }
            (Kind::Apart(apart), _) => filling.occurrence(node, apart, shift, |item| match apart.is_scalar {
                true => value(item, reader, 1, &apart.item.nodes[1], 0),
                false => group(item, reader, 0, 0),
            }),
            _ => value(filling, reader, child, node, shift),
        };
        read.map_err(|fault| fault.within_occurrence(&node.name, count + 1))?;
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
) -> Result<(), MappingFault> {
    if matches!(node.kind, Kind::Group)
        && let Some(content) = filling.mapping.only_content(at)
    {
        return value(filling, reader, content, &filling.mapping.nodes[content], shift);
    }
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

fn wrong_type(reader: &mut Reader<'_>, expected: &str) -> MappingFault {
    match reader.peek() {
        None => reader.format("the message ends"),
        Some(_) => MappingFault::new(FaultKind::WrongType, format!("{expected} is expected")),
    }
}
