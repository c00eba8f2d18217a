//! A mapping: the elements of a message beside the fields of a record. It is data, built once, and drives all readers and
//! writers.

use ebcdic::decimal::ZonedSign;

use crate::charset::Charset;

/// The elements of a message and their places in a record.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Each node before its children; the first is the root, a group.
    pub(crate) nodes: Vec<Node>,
    /// A record in which nothing was said: blanks, zeros.
    pub(crate) initial: Vec<u8>,
    /// The meaning of program characters.
    pub(crate) charset: Charset,
    /// The namespace of the root, and of its descendants where they are qualified.
    pub(crate) namespace: String,
    /// True if local elements belong to the namespace.
    pub(crate) qualified: bool,
    /// Further namespaces of its elements.
    pub(crate) others: Vec<String>,
    /// No element has more to it than its name, its value and its occurrences.
    pub(crate) is_plain: bool,
    /// Characters of which an occurrence that holds nothing may consist.
    pub(crate) null_values: Vec<u8>,
    /// True if unknown elements and members are passed over.
    pub(crate) skips_unknown: bool,
    /// True if bytes that are not a number are a fault; else they are written as zero.
    pub(crate) screens: bool,
    /// True if a record may end early, as far as its varying table goes.
    pub(crate) may_end_early: bool,
    /// The type of the root, where a schema gives it a name.
    pub(crate) root_type: Option<TypeName>,
}

/// The expanded name of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Its namespace; empty if it has none.
    pub namespace: String,
    /// Its name there.
    pub local: String,
}

/// An element, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The element's name.
    pub name: String,
    /// Its tags without a prefix.
    pub open: Box<[u8]>,
    /// As above.
    pub close: Box<[u8]>,
    /// The offset of the field; in a table, of the first occurrence.
    pub offset: usize,
    /// Bytes of one occurrence.
    pub length: usize,
    pub kind: Kind,
    pub repeat: Option<Repeat>,
    /// Behind its last descendant.
    pub end: usize,
    /// The properties that few elements have.
    pub extra: Option<Box<Extra>>,
}

/// The rare properties of an element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub form: Form,
    /// Its namespace: 0 none, else one of the mapping's others; without it, by the mapping's rule.
    pub namespace: Option<usize>,
    /// Says that it is nil.
    pub nil: Option<Mark>,
    /// Says that it is there, of an attribute that may be missing.
    pub exists: Option<Mark>,
    pub choice: Option<Choice>,
    /// It may be anywhere among its neighbours, which may all be anywhere.
    pub is_free: bool,
}

/// The place in a message of a node's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// In an element of its own.
    #[default]
    Element,
    /// In an attribute of the element round it.
    Attribute,
    /// As the text of the element round it.
    Content,
    /// A group without an element of its own: its elements are among the group's neighbours, once for each occurrence.
    /// In JSON it is a member like any other.
    Unwrapped,
}

/// One byte of a record that says something of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub offset: usize,
    /// It is in the same occurrence of a table as the element that it marks; else in no table.
    pub moves: bool,
}

/// Elements that exclude each other: this one is there if the mark says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub mark: Mark,
    pub value: u8,
    /// One of them must be there; said of the last one.
    pub is_required: bool,
    /// No other one of them follows.
    pub is_last: bool,
}

/// Occurrences that are in a container of their own.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    /// The record of one occurrence.
    pub item: Mapping,
    /// The occurrence is the one value in its record.
    pub is_scalar: bool,
}

/// The occurrences of an element.
#[derive(Clone, Debug)]
pub(crate) struct Repeat {
    pub min: usize,
    pub max: usize,
    pub counter: Option<Counter>,
    /// An array in JSON; else an element that may be missing.
    pub is_array: bool,
    /// Occurrences at the end that hold nothing are not written.
    pub trims: bool,
}

/// A number of occurrences, or of characters, kept in the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub offset: usize,
    pub length: usize,
    pub number: Number,
    /// It is in the same occurrence of a table as the element that it counts; else in no table.
    pub moves: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Group,
    Text(Varying),
    /// Bytes, as base64 in the message.
    Bytes,
    Number(Number),
    /// X'01' for true, X'00' for false.
    Flag,
    /// COMP-1, COMP-2.
    Float,
    /// Eight digits, as a date.
    Date(Number),
    /// Milliseconds since 1900, as a moment.
    Moment(Number),
    /// The name of a container with elements as they are written.
    Raw,
    /// The name of a container with occurrences.
    Apart(Box<Apart>),
}

/// The part of a text field that belongs to its value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Varying {
    /// All.
    Fixed,
    /// All but blanks at the end.
    Collapsed,
    /// The characters before the first X'00'.
    Terminated,
    /// As many characters as a counter says.
    Counted(Counter),
}

/// A decimal number in a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub store: Store,
    pub digits: usize,
    pub scale: i32,
    pub signed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Store {
    Zoned(ZonedSign),
    Packed,
    /// Big-endian.
    Binary,
    /// COMP-5: big-endian too, with all values that its bytes can hold.
    Native,
}

/// Tags of a name.
pub(crate) fn tags(name: &str) -> (Box<[u8]>, Box<[u8]>) {
    (format!("<{name}>").into_bytes().into(), format!("</{name}>").into_bytes().into())
}

impl Node {
    pub fn form(&self) -> Form {
        self.extra.as_ref().map_or(Form::Element, |extra| extra.form)
    }

    pub fn nil(&self) -> Option<Mark> {
        self.extra.as_ref().and_then(|extra| extra.nil)
    }

    pub fn is_free(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.is_free)
    }

    pub fn choice(&self) -> Option<Choice> {
        self.extra.as_ref().and_then(|extra| extra.choice)
    }

    /// The length of the step from one occurrence to the next in the record.
    pub fn step(&self) -> usize {
        if matches!(self.kind, Kind::Apart(_)) { 0 } else { self.length }
    }
}

impl Mapping {
    /// The root's name.
    pub fn root(&self) -> &str {
        &self.nodes[0].name
    }

    /// The names of elements that hold bytes.
    pub fn names_of_bytes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter(|node| matches!(node.kind, Kind::Bytes)).map(|node| node.name.as_str())
    }

    /// The type of the root, where a schema gives it a name.
    pub fn root_type(&self) -> Option<&TypeName> {
        self.root_type.as_ref()
    }

    /// The same mapping, whose root is of a type with a name.
    #[must_use]
    pub fn of_type(self, root_type: Option<TypeName>) -> Self {
        Self { root_type, ..self }
    }

    /// The namespace of the root.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns true if local elements belong to the namespace.
    pub fn is_qualified(&self) -> bool {
        self.qualified
    }

    /// Bytes of a record.
    pub fn length(&self) -> usize {
        self.initial.len()
    }

    /// A record in which nothing was said.
    pub fn initial(&self) -> &[u8] {
        &self.initial
    }

    /// The number of elements that a message may have, tables counted once.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The namespace of an element or attribute.
    pub(crate) fn namespace_of(&self, node: &Node) -> &str {
        match node.extra.as_ref().and_then(|extra| extra.namespace) {
            Some(number) => {
                number.checked_sub(1).and_then(|at| self.others.get(at)).map_or("", String::as_str)
            }
            None if self.qualified && node.form() == Form::Element => &self.namespace,
            None => "",
        }
    }

    /// The one child of a group that is the text of its element, where there is nothing beside it: in JSON it is the
    /// value itself.
    pub(crate) fn only_content(&self, node: usize) -> Option<usize> {
        let mut children = self.children(node);
        match (children.next(), children.next()) {
            (Some(only), None) if self.nodes[only].form() == Form::Content => Some(only),
            _ => None,
        }
    }

    /// Returns true if its messages have parts in containers of their own.
    pub fn has_containers(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.kind, Kind::Raw | Kind::Apart(_)))
    }

    /// The children of a node.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].end;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child].end;
            Some(child)
        })
    }
}
