//! The description of a mapping's messages, for schemas, WSDL and OpenAPI.

use crate::model::{Form, Kind, Mapping, Node, Store, Varying};

/// An element of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its content.
    pub shape: Shape,
    /// The least number of times it is there.
    pub min: usize,
    /// The greatest.
    pub max: usize,
    /// In JSON, an array; else one value that may be missing.
    pub is_array: bool,
    /// The place of its value.
    pub form: Form,
    /// Its namespace, where that is not the one that the rule of the message gives it.
    pub namespace: Option<String>,
    /// It may be nil.
    pub is_nillable: bool,
    /// Of elements that exclude each other, which it is, and whether it is the last.
    pub choice: Option<Alternative>,
}

/// One of elements that exclude each other; several of one number come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Which, from 1.
    pub number: u8,
    /// No other one follows.
    pub is_last: bool,
    /// One of them must be there; said of the last one.
    pub is_required: bool,
}

/// The content of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Elements.
    Group(Vec<Element>),
    /// Text of at most this many characters.
    Text {
        /// The most.
        length: usize,
        /// No fewer, either.
        fixed: bool,
    },
    /// At most this many bytes, as base64.
    Bytes(usize),
    /// A decimal number.
    Number {
        /// Its digits.
        digits: usize,
        /// The number of digits after the point; negative if the point is that far to the right.
        scale: i32,
        /// True if it may be negative.
        signed: bool,
        /// COMP-3.
        packed: bool,
        /// COMP-5: any value of this many bytes, instead.
        native: Option<usize>,
    },
    /// True or false.
    Flag,
    /// COMP-1 (4 bytes) or COMP-2 (8).
    Float(usize),
    /// A date.
    Date,
    /// A moment.
    Moment,
    /// Elements of any name.
    Any,
}

impl Element {
    /// Returns true if it has elements of other namespaces.
    pub fn refers(&self) -> bool {
        let Shape::Group(parts) = &self.shape else { return false };
        parts.iter().any(|part| part.namespace.as_ref().is_some_and(|it| !it.is_empty()) || part.refers())
    }
}

impl Mapping {
    /// The root of its messages.
    pub fn describe(&self) -> Element {
        self.described(0)
    }

    fn described(&self, at: usize) -> Element {
        let node = &self.nodes[at];
        let (min, max, is_array) =
            node.repeat.as_ref().map_or((1, 1, false), |repeat| (repeat.min, repeat.max, repeat.is_array));
        let shape = match &node.kind {
            Kind::Group => Shape::Group(self.children(at).map(|child| self.described(child)).collect()),
            Kind::Apart(apart) if apart.is_scalar => apart.item.described(1).shape,
            Kind::Apart(apart) => apart.item.described(0).shape,
            kind => scalar(kind, node),
        };
        let is_missing = node.extra.as_ref().is_some_and(|extra| extra.exists.is_some());
        let own = node.extra.as_ref().is_some_and(|extra| extra.namespace.is_some());
        Element {
            name: node.name.clone(),
            shape,
            min: if is_missing { 0 } else { min },
            max,
            is_array,
            form: node.form(),
            namespace: own.then(|| self.namespace_of(node).to_owned()),
            is_nillable: node.nil().is_some(),
            choice: node.choice().map(|choice| Alternative {
                number: choice.value,
                is_last: choice.is_last,
                is_required: choice.is_required,
            }),
        }
    }
}

fn scalar(kind: &Kind, node: &Node) -> Shape {
    match kind {
        Kind::Group => Shape::Group(Vec::new()),
        Kind::Raw | Kind::Apart(_) => Shape::Any,
        Kind::Text(varying) => Shape::Text { length: node.length, fixed: matches!(varying, Varying::Fixed) },
        Kind::Bytes => Shape::Bytes(node.length),
        Kind::Number(number) => Shape::Number {
            digits: number.digits,
            scale: number.scale,
            signed: number.signed,
            packed: matches!(number.store, Store::Packed),
            native: matches!(number.store, Store::Native).then_some(node.length),
        },
        Kind::Flag => Shape::Flag,
        Kind::Float => Shape::Float(node.length),
        Kind::Date(_) => Shape::Date,
        Kind::Moment(_) => Shape::Moment,
    }
}
