//! The faults that keep a message from becoming a record, or a record a message.

use std::fmt;

/// The kind of a fault, by the published names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The message is not well formed.
    Format,
    /// An element, an attribute or text where none may be.
    UnexpectedContent,
    /// An element or member that the mapping does not know, or at another place than the schema says.
    UndefinedElement,
    /// An element of another namespace.
    UndefinedNamespace,
    /// A prefix that is bound to nothing.
    UndefinedPrefix,
    /// An element or member that must be there is not.
    MissingElement,
    /// A member that is there twice.
    DuplicateMember,
    /// An attribute that is there twice.
    DuplicateAttribute,
    /// More occurrences than the table has.
    ArrayOverflow,
    /// An end tag of another element.
    MismatchedTags,
    /// An entity other than the five.
    UnsupportedEntity,
    /// A document type declaration, which SOAP forbids.
    Doctype,
    /// Characters that no message has, or bytes that are not characters.
    InvalidUnicode,
    /// A character set that is not supported.
    UnsupportedCharset,
    /// Deeper, or with more attributes or longer names, than the limits.
    TooComplex,
    /// A number with more digits than any field has.
    InputTooLong,
    /// A value that its field cannot hold.
    OutputOverflow,
    /// A negative number for an unsigned field.
    NegativeUnsigned,
    /// More digits after the point than the field has.
    FractionTooLong,
    /// A character that is not one of a number, a date or the code page.
    InvalidCharacter,
    /// Text that is not base64.
    InvalidBase64,
    /// A text or number that is not a moment.
    InvalidDate,
    /// JSON of another type than the field has.
    WrongType,
    /// A record shorter than its mapping.
    DataTooSmall,
    /// A counter that says more or fewer occurrences than the table can have.
    ArrayTooLarge,
    /// Bytes of the record that are not a number.
    InvalidNumber,
    /// Several elements of those that exclude each other, or no element, or a mark of the record that names no element.
    BadChoice,
    /// A container that the record names is not there.
    NoContainer,
}

impl FaultKind {
    /// The published name, in whose words clients and operators search.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Format => "XML_FORMAT_ERROR",
            Self::UnexpectedContent => "UNEXPECTED_CONTENT",
            Self::UndefinedElement => "UNDEFINED_ELEMENT",
            Self::UndefinedNamespace => "UNDEFINED_NAME_SPACE",
            Self::UndefinedPrefix => "UNDEFINED_PREFIX",
            Self::MissingElement => "MISSING_ELEMENT",
            Self::DuplicateMember => "DUPLICATE_MEMBER",
            Self::DuplicateAttribute => "DUPLICATE_ATTRIBUTE",
            Self::ArrayOverflow => "ARRAY_OVERFLOW",
            Self::MismatchedTags => "MISMATCHED_TAGS",
            Self::UnsupportedEntity => "UNSUPPORTED_ENTITY",
            Self::Doctype => "DOCTYPE_NOT_ALLOWED",
            Self::InvalidUnicode => "INVALID_UNICODE_DATA",
            Self::UnsupportedCharset => "UNSUPPORTED_CHARSET",
            Self::TooComplex => "TOO_COMPLEX",
            Self::InputTooLong => "INPUT_TOO_LONG",
            Self::OutputOverflow => "OUTPUT_OVERFLOW",
            Self::NegativeUnsigned => "NEGATIVE_UNSIGNED",
            Self::FractionTooLong => "FRACTION_TOO_LONG",
            Self::InvalidCharacter => "INVALID_CHARACTER",
            Self::InvalidBase64 => "INVALID_BASE64",
            Self::InvalidDate => "ABSTIME_INVALID",
            Self::WrongType => "WRONG_TYPE",
            Self::DataTooSmall => "DATA_STRUCTURE_TOO_SMALL",
            Self::ArrayTooLarge => "ARRAY_TOO_LARGE",
            Self::InvalidNumber => "INVALID_PACKED_DEC",
            Self::BadChoice => "BAD_CHOICE_ENUM",
            Self::NoContainer => "CONTAINER_NOT_FOUND",
        }
    }

    /// The number of the published message that names it: content, data or value.
    pub const fn message(self) -> u16 {
        match self {
            Self::InputTooLong
            | Self::OutputOverflow
            | Self::NegativeUnsigned
            | Self::FractionTooLong
            | Self::InvalidCharacter
            | Self::InvalidBase64
            | Self::InvalidDate
            | Self::WrongType
            | Self::InvalidNumber => 1009,
            Self::DataTooSmall | Self::ArrayTooLarge | Self::BadChoice | Self::NoContainer => 1008,
            _ => 1007,
        }
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingFault {
    /// Its kind.
    pub kind: FaultKind,
    /// The elements from the outermost to the one at fault, as in `order.lines(3).price`; empty: the message itself.
    pub path: String,
    /// A sentence about it.
    pub detail: String,
}

impl MappingFault {
    /// A fault whose place is added on the way out: [`MappingFault::within`].
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, path: String::new(), detail: detail.into() }
    }

    /// The same fault, within an element.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        if !self.path.is_empty() {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, name);
        self
    }

    /// The same fault, within an occurrence (from 1) of an element.
    #[must_use]
    pub fn within_occurrence(self, name: &str, occurrence: usize) -> Self {
        self.within(&format!("{name}({occurrence})"))
    }
}

impl fmt::Display for MappingFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.kind.name())?;
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        formatter.write_str(&self.detail)
    }
}

impl std::error::Error for MappingFault {}
