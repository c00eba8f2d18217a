//! What a mapping says of its messages, for those who describe them: schemas, WSDL, OpenAPI.

use crate::model::{Kind, Mapping, Node, Store, Varying};

/// An element of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// The least number of times it is there.
    pub min: usize,
    /// The greatest.
    pub max: usize,
    /// In JSON, an array; else one value that may be missing.
    pub is_array: bool,
}

/// What an element holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Elements.
    Group(Vec<Element>),
    /// So many characters at most.
    Text {
        /// The most.
        length: usize,
        /// No fewer, either.
        fixed: bool,
    },
    /// So many bytes at most, as base64.
    Bytes(usize),
    /// A decimal number.
    Number {
        /// Its digits.
        digits: usize,
        /// Those of them behind the point; negative where the point is that far to the right.
        scale: i32,
        /// Whether it may be negative.
        signed: bool,
        /// COMP-3.
        packed: bool,
        /// COMP-5: any value of so many bytes, instead.
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
            kind => scalar(kind, node),
        };
        Element { name: node.name.clone(), shape, min, max, is_array }
    }
}

fn scalar(kind: &Kind, node: &Node) -> Shape {
    match kind {
        Kind::Group => Shape::Group(Vec::new()),
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
