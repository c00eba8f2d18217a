//! One field's value, as the text of an element or the scalar of a member.

use ebcdic::Characters;
use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cobol_runtime::Unreadable;
use cobol_runtime::floating::{Hex, Width};

use crate::fault::{FaultKind, MappingFault};
use crate::model::{Apart, Counter, Kind, Mapping, Mark, Node, Varying};
use crate::{date, number, store};

/// A container that a record names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contained {
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Elements as they are written, in UTF-8; else records.
    pub is_text: bool,
}

/// A message as a record, and its parts that are in containers of their own, by the names in the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The record.
    pub record: Vec<u8>,
    /// The containers.
    pub containers: Vec<Contained>,
}

/// The container lookup of a record that names no containers.
pub fn nothing_apart(_: &str) -> Option<Vec<u8>> {
    None
}

/// A record being filled.
pub(crate) struct Filling<'m> {
    pub mapping: &'m Mapping,
    pub record: Vec<u8>,
    pub containers: Vec<Contained>,
}

/// A record being written out.
pub(crate) struct Emptying<'m, 'r> {
    pub mapping: &'m Mapping,
    pub record: Cow<'r, [u8]>,
    /// Returns the content of a container.
    pub apart: &'r dyn Fn(&str) -> Option<Vec<u8>>,
}

/// Which of the two syntaxes a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Xml,
    Json,
}

/// Returns true if a byte is white space in XML.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<'m> Filling<'m> {
    pub fn new(mapping: &'m Mapping) -> Self {
        Self { mapping, record: mapping.initial.clone(), containers: Vec::new() }
    }

    pub fn filled(self) -> Filled {
        Filled { record: self.record, containers: self.containers }
    }

    /// Sets a mark.
    pub fn mark(&mut self, mark: Mark, value: u8, shift: usize) {
        self.record[mark.offset + if mark.moves { shift } else { 0 }] = value;
    }

    /// The value of a mark.
    pub fn marked(&self, mark: Mark, shift: usize) -> u8 {
        self.record[mark.offset + if mark.moves { shift } else { 0 }]
    }

    /// Notes that one of elements that exclude each other is there.
    pub fn choose(&mut self, node: &Node, shift: usize) -> Result<(), MappingFault> {
        let Some(choice) = node.choice() else { return Ok(()) };
        match self.marked(choice.mark, shift) {
            0 => self.mark(choice.mark, choice.value, shift),
            value if value == choice.value => {}
            _ => {
                let problem = format!("{} stands beside an element that excludes it", node.name);
                return Err(MappingFault::new(FaultKind::UndefinedElement, problem));
            }
        }
        Ok(())
    }

    /// The container that the field of a node names; a new one if it names none.
    pub fn container(&mut self, node: &Node, shift: usize) -> usize {
        let from = node.offset + shift;
        let field = &mut self.record[from..from + node.length];
        let named = |known: &Contained| field.trim_ascii_end() == known.name.as_bytes();
        if let Some(at) = self.containers.iter().position(named) {
            return at;
        }
        let name = format!("DFHPICC-{:08}", self.containers.len() + 1);
        let length = name.len().min(field.len());
        field.fill(b' ');
        field[..length].copy_from_slice(&name.as_bytes()[..length]);
        let is_text = matches!(node.kind, Kind::Raw);
        self.containers.push(Contained { name, bytes: Vec::new(), is_text });
        self.containers.len() - 1
    }

    /// Fills the record of an occurrence that is in a container.
    pub fn occurrence(
        &mut self,
        node: &Node,
        apart: &'m Apart,
        shift: usize,
        fill: impl FnOnce(&mut Filling<'m>) -> Result<(), MappingFault>,
    ) -> Result<(), MappingFault> {
        let at = self.container(node, shift);
        let mut item = Filling::new(&apart.item);
        item.containers = std::mem::take(&mut self.containers);
        let done = fill(&mut item);
        self.containers = item.containers;
        self.containers[at].bytes.extend_from_slice(&item.record);
        done
    }

    /// Puts a text, unescaped, into the field of a node that is `shift` bytes after its offset.
    pub fn put(&mut self, node: &Node, text: &str, shift: usize, syntax: Syntax) -> Result<(), MappingFault> {
        let from = node.offset + shift;
        let field = &mut self.record[from..from + node.length];
        match &node.kind {
            Kind::Group | Kind::Raw | Kind::Apart(_) => {
                Err(MappingFault::new(FaultKind::UnexpectedContent, "the element has no text of its own"))
            }
            Kind::Text(varying) => {
                let length = self.mapping.charset.write(text, field)?;
                match varying {
                    Varying::Terminated => field[length..].fill(0),
                    Varying::Counted(counter) => self.count(counter, length, shift)?,
                    Varying::Fixed | Varying::Collapsed => {}
                }
                Ok(())
            }
            Kind::Bytes => bytes(text, field),
            Kind::Number(as_) => {
                let text = if syntax == Syntax::Xml { trim(text) } else { text };
                store::write(number::read(text.as_bytes(), as_.scale, syntax == Syntax::Json)?, as_, field)
            }
            Kind::Flag => {
                field[0] = match trim(text) {
                    "true" | "1" => 1,
                    "false" | "0" => 0,
                    _ => {
                        return Err(MappingFault::new(
                            FaultKind::InvalidCharacter,
                            format!("{text:?} is neither true nor false"),
                        ));
                    }
                };
                Ok(())
            }
            Kind::Float => float(trim(text), field, syntax),
            Kind::Date(as_) => store::write(date::read_date(trim(text))?, as_, field),
            Kind::Moment(as_) => store::write(date::read_moment(trim(text))?, as_, field),
        }
    }

    /// Says how many occurrences or characters there are.
    pub fn count(&mut self, counter: &Counter, count: usize, shift: usize) -> Result<(), MappingFault> {
        let from = counter.offset + if counter.moves { shift } else { 0 };
        let count = i128::try_from(count).unwrap_or(i128::MAX);
        store::write(count, &counter.number, &mut self.record[from..from + counter.length])
    }
}

fn bytes(text: &str, field: &mut [u8]) -> Result<(), MappingFault> {
    let plain: Vec<u8> = text.bytes().filter(|byte| !is_blank(*byte)).collect();
    let bytes = STANDARD.decode(plain).map_err(|error| {
        MappingFault::new(FaultKind::InvalidBase64, format!("this is no base64: {error}"))
    })?;
    let Some(begin) = field.get_mut(..bytes.len()) else {
        let problem = format!("{} bytes do not fit into {}", bytes.len(), field.len());
        return Err(MappingFault::new(FaultKind::OutputOverflow, problem));
    };
    begin.copy_from_slice(&bytes);
    field[bytes.len()..].fill(0);
    Ok(())
}

/// Puts a number into a COMP-1 or COMP-2, which is hexadecimal floating point: it has no infinity and no NaN.
fn float(text: &str, field: &mut [u8], syntax: Syntax) -> Result<(), MappingFault> {
    let overflow =
        || MappingFault::new(FaultKind::OutputOverflow, "the number is beyond what the field can hold");
    if syntax == Syntax::Xml && matches!(text, "INF" | "+INF" | "-INF" | "NaN") {
        return Err(overflow());
    }
    let number = Hex::read(text).map_err(|unreadable| match unreadable {
        Unreadable::NoNumber => {
            MappingFault::new(FaultKind::InvalidCharacter, format!("{text:?} is no number"))
        }
        Unreadable::TooGreat => overflow(),
    })?;
    let bytes = width(field).and_then(|width| number.to_bytes(width)).ok_or_else(overflow)?;
    field.copy_from_slice(&bytes);
    Ok(())
}

fn width(field: &[u8]) -> Option<Width> {
    [Width::Short, Width::Long].into_iter().find(|width| width.length() == field.len())
}

impl<'m, 'r> Emptying<'m, 'r> {
    /// A record as a program has left it.
    pub fn new(
        mapping: &'m Mapping,
        record: &'r [u8],
        apart: &'r dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Self, MappingFault> {
        let (has, wants) = (record.len(), mapping.length());
        let record = match record.get(..wants) {
            Some(record) => Cow::Borrowed(record),
            None if mapping.may_end_early => {
                let mut whole = mapping.initial.clone();
                whole[..has].copy_from_slice(record);
                Cow::Owned(whole)
            }
            None => {
                let problem = format!("the record has {has} bytes, its description {wants}");
                return Err(MappingFault::new(FaultKind::DataTooSmall, problem));
            }
        };
        Ok(Self { mapping, record, apart })
    }

    /// The value of a mark.
    pub fn marked(&self, mark: Mark, shift: usize) -> u8 {
        self.record[mark.offset + if mark.moves { shift } else { 0 }]
    }

    /// Returns true if an element is nil.
    pub fn is_nil(&self, node: &Node, shift: usize) -> bool {
        node.nil().is_some_and(|mark| self.marked(mark, shift) != 0)
    }

    /// The content of the container that a field names; `None` if the field is empty.
    pub fn container(&self, node: &Node, shift: usize) -> Result<Option<Vec<u8>>, MappingFault> {
        let name = self.field(node, shift);
        let name = Characters::default().text(name);
        let name = name.trim_end_matches([' ', '\0']);
        if name.is_empty() {
            return Ok(None);
        }
        let found = (self.apart)(name);
        found.map(Some).ok_or_else(|| {
            MappingFault::new(FaultKind::NoContainer, format!("container {name} is not there"))
        })
    }

    /// The records of this many occurrences that are in a container.
    pub fn occurrences_apart(
        &self,
        node: &Node,
        apart: &Apart,
        count: usize,
        shift: usize,
    ) -> Result<Vec<u8>, MappingFault> {
        let wanted = count * apart.item.length();
        let records = self.container(node, shift)?.unwrap_or_default();
        if records.len() < wanted {
            let problem = format!("the container has {} bytes, {count} occurrences {wanted}", records.len());
            return Err(MappingFault::new(FaultKind::DataTooSmall, problem));
        }
        Ok(records)
    }

    /// The bytes of a field.
    pub fn field(&self, node: &Node, shift: usize) -> &[u8] {
        &self.record[node.offset + shift..node.offset + shift + node.length]
    }

    /// The bytes of a text field that belong to its value.
    pub fn text(&self, node: &Node, varying: Varying, shift: usize) -> Result<&[u8], MappingFault> {
        let field = self.field(node, shift);
        let end = match varying {
            Varying::Fixed => field.len(),
            Varying::Collapsed => {
                // Storage that no program has written holds X'00': it is as empty as blanks.
                field.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |at| at + 1)
            }
            Varying::Terminated => memchr::memchr(0, field).unwrap_or(field.len()),
            Varying::Counted(counter) => self.counted(&counter, 0, field.len(), shift)?,
        };
        Ok(&field[..end])
    }

    /// A scalar that is not text, as digits and the like; it needs no escapes.
    pub fn scalar(&self, node: &Node, shift: usize, into: &mut Vec<u8>) -> Result<(), MappingFault> {
        let field = self.field(node, shift);
        match &node.kind {
            Kind::Group | Kind::Text(_) | Kind::Raw | Kind::Apart(_) => Ok(()),
            Kind::Bytes => {
                into.extend_from_slice(STANDARD.encode(field).as_bytes());
                Ok(())
            }
            Kind::Number(as_) => {
                number::write(self.number(as_, field)?, as_.scale, into);
                Ok(())
            }
            Kind::Flag => {
                let text = if field.iter().all(|byte| *byte == 0) { "false" } else { "true" };
                into.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Kind::Float => write_float(field, into),
            Kind::Date(as_) => date::write_date(self.number(as_, field)?, into),
            Kind::Moment(as_) => date::write_moment(self.number(as_, field)?, into),
        }
    }

    fn number(&self, as_: &crate::model::Number, field: &[u8]) -> Result<i128, MappingFault> {
        match store::read(as_, field) {
            Err(_) if !self.mapping.screens => Ok(0),
            read => read,
        }
    }

    /// Reads a counter, which must hold one of the allowed numbers.
    pub fn counted(
        &self,
        counter: &Counter,
        min: usize,
        max: usize,
        shift: usize,
    ) -> Result<usize, MappingFault> {
        let from = counter.offset + if counter.moves { shift } else { 0 };
        let count = store::read(&counter.number, &self.record[from..from + counter.length])?;
        match usize::try_from(count) {
            Ok(count) if (min..=max).contains(&count) => Ok(count),
            _ => Err(MappingFault::new(
                FaultKind::ArrayTooLarge,
                format!("the counter says {count}, not {min} to {max}"),
            )),
        }
    }

    /// The number of occurrences to write.
    pub fn occurrences(&self, node: &Node, shift: usize) -> Result<usize, MappingFault> {
        if let Some(choice) = node.choice() {
            let value = self.marked(choice.mark, shift);
            if value != choice.value {
                // The last one has the greatest value.
                return match value > choice.value && choice.is_last || (value == 0 && choice.is_required) {
                    true => Err(MappingFault::new(FaultKind::BadChoice, format!("the mark says {value}"))),
                    false => Ok(0),
                };
            }
        }
        let Some(repeat) = &node.repeat else { return Ok(1) };
        if let Some(counter) = &repeat.counter {
            return self.counted(counter, repeat.min, repeat.max, shift);
        }
        if !repeat.trims {
            return Ok(repeat.max);
        }
        let holds = |at: &usize| {
            let from = node.offset + shift + at * node.length;
            let first = node.offset + at * node.length;
            let nulls = &self.mapping.null_values;
            if !nulls.is_empty()
                && self.record[from..from + node.length].iter().all(|byte| nulls.contains(byte))
            {
                return false;
            }
            // Within an outer table the initial values of this occurrence are at that table's first one.
            self.record[from..from + node.length] != self.mapping.initial[first..first + node.length]
        };
        let last = (0..repeat.max).rev().find(holds).map_or(0, |at| at + 1);
        Ok(last.max(repeat.min))
    }
}

fn write_float(field: &[u8], into: &mut Vec<u8>) -> Result<(), MappingFault> {
    let wrong = || MappingFault::new(FaultKind::InvalidNumber, "a floating-point number has 4 or 8 bytes");
    let width = width(field).ok_or_else(wrong)?;
    into.extend_from_slice(Hex::from_bytes(field).written(width).as_bytes());
    Ok(())
}

/// A text without the blanks of XML round it.
fn trim(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_tight = |byte: Option<&u8>| byte.is_none_or(|byte| !is_blank(*byte));
    if is_tight(bytes.first()) && is_tight(bytes.last()) {
        return text;
    }
    text.trim_matches([' ', '\t', '\n', '\r'])
}
