//! Messages as descriptions of others have them: items, before COBOL is made of them.

use diagnostics::Diagnostic;
use mapping::Form;

/// An item of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The element's or member's name.
    pub name: String,
    /// The kind of its contents.
    pub kind: ItemKind,
    /// The least number of times it is there.
    pub min: usize,
    /// The greatest; none for no bound.
    pub max: Option<usize>,
    /// In JSON, an array.
    pub is_array: bool,
    /// The place of its value.
    pub form: Form,
    /// Its namespace, where it has one of its own: 0 none, n the one at n - 1 of the message's others.
    pub namespace: Option<usize>,
    /// It may be nil, or null.
    pub is_nillable: bool,
    /// It stands anywhere among those beside it, which all do.
    pub is_free: bool,
}

/// The contents of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Items.
    Group(Vec<Item>),
    /// Items that exclude each other; those of one alternative come together.
    Choice(Vec<Vec<Item>>),
    /// Elements of any name.
    Any,
    /// Text of so many characters at most, if anybody says so.
    Text(Option<usize>),
    /// Bytes, base64 in the message.
    Bytes(Option<usize>),
    /// True or false.
    Flag,
    /// An integer of 2, 4 or 8 bytes.
    Integer {
        /// Its bytes.
        bytes: usize,
        /// True if it may be negative.
        signed: bool,
    },
    /// A decimal number.
    Decimal {
        /// Its digits.
        digits: usize,
        /// Those behind the point.
        scale: usize,
        /// True if it may be negative.
        signed: bool,
    },
    /// A floating-point number of 4 or 8 bytes.
    Float(usize),
    /// A moment.
    Moment,
}

impl Item {
    /// An item that is there once.
    pub fn new(name: impl Into<String>, kind: ItemKind) -> Self {
        Self {
            name: name.into(),
            kind,
            min: 1,
            max: Some(1),
            is_array: false,
            form: Form::Element,
            namespace: None,
            is_nillable: false,
            is_free: false,
        }
    }
}

/// A part of a description that has no place in a record.
pub(crate) fn refused(path: &str, why: &str, help: &str) -> Diagnostic {
    Diagnostic::error("SPWB020", format!("{path}: {why}")).help(help)
}
