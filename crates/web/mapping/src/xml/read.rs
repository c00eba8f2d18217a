//! A message in XML as a record: completely, or quickly where it is as plain as most are.

use super::fast;
use super::fragment::bound;
use super::reader::{INSTANCE, Reader, Start, Token};
use crate::encoding;
use crate::fault::{FaultKind, MappingFault};
use crate::model::{Apart, Form, Kind, Mapping, Node};
use crate::value::{Filled, Filling, Syntax, is_blank};

/// SOAP allows these attributes anywhere; their values do not matter to document/literal messages.
const ENVELOPES: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"];

/// The way to read a message. Both ways give the same record, or the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Quickly as long as it is plain, and once more completely if it is not.
    Quick,
    /// Completely.
    Complete,
}

/// Reads a message whose outermost element is the root. `charset` is the transport's character set.
///
/// # Errors
/// See [`MappingFault`].
pub fn read(
    mapping: &Mapping,
    message: &[u8],
    charset: Option<&str>,
    way: Way,
) -> Result<Vec<u8>, MappingFault> {
    read_apart(mapping, message, charset, way).map(|filled| filled.record)
}

/// The same, with the parts that are in containers of their own.
///
/// # Errors
/// See [`MappingFault`].
pub fn read_apart(
    mapping: &Mapping,
    message: &[u8],
    charset: Option<&str>,
    way: Way,
) -> Result<Filled, MappingFault> {
    let text = encoding::text(message, charset)?;
    read_whole(mapping, &mut Reader::new(&text)?, way)
}

/// The same, by a reader at the beginning of the message.
///
/// # Errors
/// See [`MappingFault`].
pub fn read_whole(mapping: &Mapping, reader: &mut Reader<'_>, way: Way) -> Result<Filled, MappingFault> {
    let Token::Start(start) = reader.token()? else {
        return Err(MappingFault::new(FaultKind::Format, "the message has no element"));
    };
    let filled = read_content(mapping, reader, &start, way)?;
    match reader.token()? {
        Token::Eof => Ok(filled),
        _ => Err(MappingFault::new(FaultKind::Format, "something stands behind the message's element")),
    }
}

/// Reads the element that was begun last, which must be the root, with its end tag: a message within an envelope.
///
/// # Errors
/// See [`MappingFault`].
pub fn read_content(
    mapping: &Mapping,
    reader: &mut Reader<'_>,
    start: &Start<'_>,
    way: Way,
) -> Result<Filled, MappingFault> {
    let root = mapping.root();
    if start.local != root {
        let problem = format!("{} is expected, not {}", root, start.local);
        return Err(MappingFault::new(FaultKind::UndefinedElement, problem));
    }
    if start.namespace.as_deref().unwrap_or("") != mapping.namespace {
        return Err(other_namespace(start).within(root));
    }
    if let (Some(said), Some(known)) = (start.type_name(reader), mapping.root_type())
        && said.local == known.local
        && said.namespace != known.namespace
    {
        let problem = format!("the type {} is of another namespace: {}", said.local, said.namespace);
        return Err(MappingFault::new(FaultKind::UndefinedNamespace, problem).within(root));
    }
    let is_plain = start.attributes.is_empty() && !reader.closes();
    if way == Way::Quick
        && is_plain
        && mapping.is_plain
        && let Some(prefix) = fast::prefix(mapping, reader, start)
        && let Some((record, end)) = fast::content(mapping, reader.text(), reader.at(), prefix)
    {
        reader.skip_to(end);
        // An end tag is next: this checks that it is that of the root.
        reader.token().map_err(|fault| fault.within(root))?;
        return Ok(Filled { record, containers: Vec::new() });
    }
    let mut filling = Filling::new(mapping);
    attributes(&mut filling, 0, 0, start).map_err(|fault| fault.within(root))?;
    group(&mut filling, reader, 0, 0).map_err(|fault| fault.within(root))?;
    Ok(filling.filled())
}

fn group(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    node: usize,
    shift: usize,
) -> Result<(), MappingFault> {
    let mapping = filling.mapping;
    let mut place = Place::new(mapping, node);
    if let [content] = place.children.as_slice()
        && mapping.nodes[*content].form() == Form::Content
    {
        let text = reader.element_text()?;
        return filling.put(&mapping.nodes[*content], &text, shift, Syntax::Xml);
    }
    loop {
        let from = reader.at();
        match reader.token()? {
            Token::Text(text) if text.bytes().all(is_blank) => {}
            Token::Text(_) => {
                return Err(MappingFault::new(
                    FaultKind::UnexpectedContent,
                    "text stands where only elements may",
                ));
            }
            Token::Start(start) => begun(filling, reader, &mut place, &start, (shift, from))?,
            Token::End => return place.end(filling, shift),
            Token::Eof => return Err(MappingFault::new(FaultKind::Format, "the message has no end")),
        }
    }
}

/// An element has begun: it is of the unwrapped group that is open, or of one that begins with it, or a child like others.
fn begun(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    place: &mut Place,
    start: &Start<'_>,
    (shift, from): (usize, usize),
) -> Result<(), MappingFault> {
    let mapping = filling.mapping;
    if let Some(mut open) = place.open.take() {
        if open.place.takes(filling, start, open.shift) {
            begun(filling, reader, &mut open.place, start, (open.shift, from))?;
            place.open = Some(open);
            return Ok(());
        }
        open.place.end(filling, open.shift)?;
    }
    let Some(child) = place.find(filling, start, shift)? else { return reader.skip_element() };
    let (node, occurrence) = (&mapping.nodes[child], place.count);
    filling.choose(node, shift)?;
    place.count += usize::from(!node.is_free());
    if node.form() == Form::Unwrapped {
        let shift = shift + occurrence * node.step();
        let mut open = Box::new(Open { shift, place: Place::new(mapping, child) });
        begun(filling, reader, &mut open.place, start, (shift, from))?;
        place.open = Some(open);
        return Ok(());
    }
    match &node.kind {
        Kind::Raw => raw(filling, reader, child, shift, from),
        _ => element(filling, reader, child, shift, occurrence, start),
    }
}

/// The progress through a group: the current child, and its count.
struct Place {
    children: Vec<usize>,
    at: usize,
    count: usize,
    /// The children already seen, of those that may be anywhere.
    seen: Vec<usize>,
    /// The occurrence of an unwrapped group that goes on as long as elements are its own.
    open: Option<Box<Open>>,
}

/// An occurrence of an unwrapped group.
struct Open {
    shift: usize,
    place: Place,
}

/// Returns true if an element that begins is a child, or belongs to an unwrapped child.
fn is_of(mapping: &Mapping, child: usize, start: &Start<'_>) -> bool {
    let node = &mapping.nodes[child];
    match (node.form(), &node.kind) {
        (Form::Unwrapped, _) => mapping.children(child).any(|within| is_of(mapping, within, start)),
        (Form::Attribute | Form::Content, _) | (_, Kind::Raw) => false,
        _ => {
            node.name == start.local && mapping.namespace_of(node) == start.namespace.as_deref().unwrap_or("")
        }
    }
}

impl Place {
    fn new(mapping: &Mapping, node: usize) -> Self {
        let is_element = |child: &usize| mapping.nodes[*child].form() != Form::Attribute;
        let children = mapping.children(node).filter(is_element).collect();
        Self { children, at: 0, count: 0, seen: Vec::new(), open: None }
    }

    /// Returns true if this occurrence can take an element: its place is after the elements already read, and it is of
    /// the same alternative.
    fn takes(&self, filling: &Filling<'_>, start: &Start<'_>, shift: usize) -> bool {
        let mapping = filling.mapping;
        if self.open.as_ref().is_some_and(|open| open.place.takes(filling, start, open.shift)) {
            return true;
        }
        (self.at..self.children.len()).any(|at| {
            let node = &mapping.nodes[self.children[at]];
            let is_chosen = node.choice().is_none_or(|choice| {
                let value = filling.marked(choice.mark, shift);
                value == 0 || value == choice.value
            });
            let most = node.repeat.as_ref().map_or(1, |repeat| repeat.max);
            is_chosen && (at > self.at || self.count < most) && is_of(mapping, self.children[at], start)
        })
    }

    /// Nothing more of the group comes.
    fn end(&mut self, filling: &mut Filling<'_>, shift: usize) -> Result<(), MappingFault> {
        if let Some(mut open) = self.open.take() {
            open.place.end(filling, open.shift)?;
        }
        self.leave_free(filling, shift)?;
        while self.at < self.children.len() {
            self.leave(filling, shift)?;
        }
        Ok(())
    }

    /// The child that begins; `None` if the element is passed over.
    fn find(
        &mut self,
        filling: &mut Filling<'_>,
        start: &Start<'_>,
        shift: usize,
    ) -> Result<Option<usize>, MappingFault> {
        let mapping = filling.mapping;
        let wanted = match self.wanted(mapping, start)? {
            Some(wanted) => wanted,
            None if mapping.skips_unknown => return Ok(None),
            None => {
                let problem = format!("no element {} is known here", start.local);
                return Err(MappingFault::new(FaultKind::UndefinedElement, problem));
            }
        };
        let child = self.children[wanted];
        if mapping.nodes[child].is_free() {
            if self.seen.contains(&child) {
                let problem = format!("{} is there twice", start.local);
                return Err(MappingFault::new(FaultKind::UndefinedElement, problem));
            }
            self.seen.push(child);
            return Ok(Some(child));
        }
        if wanted < self.at {
            let problem = format!("{} stands behind its place", start.local);
            return Err(MappingFault::new(FaultKind::UndefinedElement, problem));
        }
        if let Some(choice) = mapping.nodes[self.children[wanted]].choice()
            && filling.marked(choice.mark, shift) == 0
        {
            // The first of elements that come together: those before it are missing.
            let before = self.children[..wanted].iter().map(|child| &mapping.nodes[*child]);
            let mut same = before.filter(|node| {
                node.choice().is_some_and(|other| {
                    (other.mark, other.value) == (choice.mark, choice.value) && least(node) > 0
                })
            });
            if let Some(missing) = same.next() {
                return Err(MappingFault::new(
                    FaultKind::MissingElement,
                    format!("{} is missing", missing.name),
                ));
            }
        }
        while self.at < wanted {
            self.leave(filling, shift)?;
        }
        let node = &mapping.nodes[child];
        match &node.repeat {
            Some(repeat) if self.count == repeat.max => {
                let problem = format!("{} occurs at most {} times", node.name, repeat.max);
                Err(MappingFault::new(FaultKind::ArrayOverflow, problem))
            }
            None if self.count == 1 => {
                Err(MappingFault::new(FaultKind::UndefinedElement, format!("{} is there twice", node.name)))
            }
            _ => Ok(Some(child)),
        }
    }

    /// Which child begins: by its name from here on, by its name before, or as an element of any name.
    fn wanted(&self, mapping: &Mapping, start: &Start<'_>) -> Result<Option<usize>, MappingFault> {
        let node = |at: usize| &mapping.nodes[self.children[at]];
        let is_named = |at: &usize| is_of(mapping, self.children[*at], start);
        let any = || {
            let any = (self.at..self.children.len()).find(|at| matches!(node(*at).kind, Kind::Raw));
            any.or_else(|| (0..self.at).find(|at| matches!(node(*at).kind, Kind::Raw)))
        };
        let named = (self.at..self.children.len()).find(is_named);
        let Some(found) = named.or_else(|| (0..self.at).find(is_named)).or_else(any) else {
            return match (0..self.children.len()).find(|at| node(*at).name == start.local) {
                Some(_) => Err(other_namespace(start).within(start.local)),
                None => Ok(None),
            };
        };
        Ok(Some(found))
    }

    /// Leaves the children that may be anywhere: no more of them will come.
    fn leave_free(&mut self, filling: &mut Filling<'_>, shift: usize) -> Result<(), MappingFault> {
        let nodes = &filling.mapping.nodes;
        if !self.children.first().is_some_and(|first| nodes[*first].is_free()) {
            return Ok(());
        }
        for child in std::mem::take(&mut self.children) {
            leave(filling, child, usize::from(self.seen.contains(&child)), shift)?;
        }
        Ok(())
    }

    /// No more of this child will come.
    fn leave(&mut self, filling: &mut Filling<'_>, shift: usize) -> Result<(), MappingFault> {
        leave(filling, self.children[self.at], self.count, shift)?;
        (self.at, self.count) = (self.at + 1, 0);
        Ok(())
    }
}

/// Notes how many occurrences there were, which must be enough.
pub(crate) fn leave(
    filling: &mut Filling<'_>,
    node: usize,
    count: usize,
    shift: usize,
) -> Result<(), MappingFault> {
    let node = &filling.mapping.nodes[node];
    let min = least(node);
    if let Some(choice) = node.choice() {
        let value = filling.marked(choice.mark, shift);
        if value == 0 && choice.is_last && choice.is_required {
            let problem = format!("{} is missing, or one of those in its place", node.name);
            return Err(MappingFault::new(FaultKind::MissingElement, problem));
        }
        if value != choice.value {
            return Ok(());
        }
    }
    if count < min {
        let problem = match min {
            1 => format!("{} is missing", node.name),
            _ => format!("{} occurs at least {min} times, not {count}", node.name),
        };
        return Err(MappingFault::new(FaultKind::MissingElement, problem));
    }
    match node.repeat.as_ref().and_then(|repeat| repeat.counter) {
        Some(counter) => filling.count(&counter, count, shift),
        None => Ok(()),
    }
}

/// The least number of occurrences of an element.
fn least(node: &Node) -> usize {
    node.repeat.as_ref().map_or(1, |repeat| repeat.min)
}

/// An element of any name, as it is written: into the container that its field names.
fn raw(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    child: usize,
    shift: usize,
    from: usize,
) -> Result<(), MappingFault> {
    let tag = reader.at();
    let outside = reader.outer_bindings();
    reader.skip_element()?;
    let whole = &reader.text()[from..reader.at()];
    // Comments before it are not passed over by offset: the tag is found from its end.
    let begin = whole.len() - (reader.at() - tag);
    let opening = whole[..begin].rfind('<').unwrap_or(0);
    let element = bound(&whole[opening..], begin - opening, &outside);
    let at = filling.container(&filling.mapping.nodes[child], shift);
    filling.containers[at].bytes.extend_from_slice(element.as_bytes());
    Ok(())
}

fn element(
    filling: &mut Filling<'_>,
    reader: &mut Reader<'_>,
    child: usize,
    shift: usize,
    occurrence: usize,
    start: &Start<'_>,
) -> Result<(), MappingFault> {
    let mapping = filling.mapping;
    let node = &mapping.nodes[child];
    let shift = shift + occurrence * node.step();
    let done = attributes(filling, child, shift, start).and_then(|is_nil| match &node.kind {
        _ if is_nil => nothing(reader),
        Kind::Group => group(filling, reader, child, shift),
        Kind::Apart(apart) => apart_from(filling, reader, node, apart, shift, start),
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

fn other_namespace(start: &Start<'_>) -> MappingFault {
    let has = start.namespace.as_deref().unwrap_or("none");
    MappingFault::new(FaultKind::UndefinedNamespace, format!("the element is of another namespace: {has}"))
}

/// An occurrence whose record is in a container.
fn apart_from<'m>(
    filling: &mut Filling<'m>,
    reader: &mut Reader<'_>,
    node: &'m Node,
    apart: &'m Apart,
    shift: usize,
    start: &Start<'_>,
) -> Result<(), MappingFault> {
    filling.occurrence(node, apart, shift, |item| {
        if apart.is_scalar {
            let text = reader.element_text()?;
            return item.put(&apart.item.nodes[1], &text, 0, Syntax::Xml);
        }
        attributes(item, 0, 0, start)?;
        group(item, reader, 0, 0)
    })
}

/// The end of an element that is nil.
fn nothing(reader: &mut Reader<'_>) -> Result<(), MappingFault> {
    match reader.element_text()?.bytes().all(is_blank) {
        true => Ok(()),
        false => {
            Err(MappingFault::new(FaultKind::UnexpectedContent, "an element that is nil has no content"))
        }
    }
}

/// Attributes of an element: those that are described have fields, and of others only those of the schema instance say
/// anything. The answer is whether the element is nil.
fn attributes(
    filling: &mut Filling<'_>,
    node: usize,
    shift: usize,
    start: &Start<'_>,
) -> Result<bool, MappingFault> {
    let mapping = filling.mapping;
    let mut is_nil = false;
    // Those of an occurrence in a container are described by its own record.
    let described = || {
        let is_attribute = |child: &usize| mapping.nodes[*child].form() == Form::Attribute;
        mapping.children(node).filter(is_attribute).map(|child| &mapping.nodes[child])
    };
    let is_apart = matches!(&mapping.nodes[node].kind, Kind::Apart(apart) if !apart.is_scalar);
    for attribute in &start.attributes {
        let namespace = attribute.namespace.as_deref().unwrap_or("");
        let own =
            described().find(|own| own.name == attribute.local && mapping.namespace_of(own) == namespace);
        if let Some(own) = own {
            filling.put(own, &attribute.value, shift, Syntax::Xml).map_err(|it| it.within(&own.name))?;
            if let Some(mark) = own.extra.as_ref().and_then(|extra| extra.exists) {
                filling.mark(mark, 1, shift);
            }
            continue;
        }
        let fine = match (namespace, attribute.local) {
            (INSTANCE, "nil") => match (&*attribute.value, mapping.nodes[node].nil()) {
                ("true" | "1", Some(mark)) => {
                    filling.mark(mark, 1, shift);
                    is_nil = true;
                    true
                }
                (value, _) => matches!(value, "false" | "0"),
            },
            _ if is_apart => true,
            (INSTANCE, "type") if node == 0 => is_root_type(mapping, &attribute.value),
            (INSTANCE, "type") => is_type_of(&mapping.nodes[node].kind, &attribute.value),
            (INSTANCE, "schemaLocation" | "noNamespaceSchemaLocation") => true,
            (namespace, _) => ENVELOPES.contains(&namespace),
        };
        if !fine {
            let problem =
                format!("the attribute {}=\"{}\" cannot stand here", attribute.local, attribute.value);
            return Err(MappingFault::new(FaultKind::UnexpectedContent, problem));
        }
    }
    let has = |own: &Node| {
        let namespace = mapping.namespace_of(own);
        start.attribute(namespace, &own.name).is_some()
    };
    let needed = |own: &&Node| own.extra.as_ref().is_some_and(|extra| extra.exists.is_none());
    match described().filter(needed).find(|own| !is_nil && !has(own)) {
        Some(missing) => {
            let problem = format!("the attribute {} is missing", missing.name);
            Err(MappingFault::new(FaultKind::MissingElement, problem))
        }
        None => Ok(is_nil),
    }
}

/// Returns true if `xsi:type` names the type of the root. Its namespace was checked before.
fn is_root_type(mapping: &Mapping, name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name).trim();
    mapping.root_type().is_some_and(|known| known.local == local)
}

/// Returns true if `xsi:type` names a built-in type that the element has. Its prefix is not checked: no other types
/// have names.
fn is_type_of(kind: &Kind, name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    match kind {
        Kind::Group | Kind::Raw | Kind::Apart(_) => false,
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
