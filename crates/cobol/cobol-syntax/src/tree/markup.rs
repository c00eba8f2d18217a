//! JSON and XML, GENERATE and PARSE.

use super::{Figurative, Handlers, Literal, Name, Operand, Reference};

/// JSON and XML GENERATE and PARSE.
#[derive(Clone, Debug)]
pub struct Markup {
    /// XML, else JSON.
    pub xml: bool,
    /// PARSE, else GENERATE.
    pub parse: bool,
    /// The item that is written (GENERATE) or read (PARSE).
    pub text: Reference,
    /// The item that is read (GENERATE), or written (JSON PARSE).
    pub data: Option<Reference>,
    /// COUNT IN.
    pub count: Option<Reference>,
    /// PROCESSING PROCEDURE, and THRU.
    pub procedure: Option<(Reference, Option<Reference>)>,
    /// NAME: items with their names; none for OMITTED.
    pub names: Vec<(Reference, Option<Literal>)>,
    /// TYPE: items, and as what they are written.
    pub types: Vec<(Reference, MarkupType)>,
    /// SUPPRESS.
    pub suppressed: Vec<Suppressed>,
    /// CONVERTING.
    pub converted: Vec<Converted>,
    /// ENCODING.
    pub encoding: Option<Operand>,
    /// NAMESPACE.
    pub namespace: Option<Operand>,
    /// NAMESPACE-PREFIX.
    pub prefix: Option<Operand>,
    /// WITH XML-DECLARATION.
    pub declaration: bool,
    /// WITH ATTRIBUTES.
    pub attributes: bool,
    /// WITH DETAIL.
    pub detail: bool,
    /// RETURNING NATIONAL.
    pub national: bool,
    /// The first word of the first phrase that is taken and no more: VALIDATING.
    pub phrase: Option<Name>,
    /// ON EXCEPTION.
    pub handlers: Handlers,
}

/// As what an item is written in XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkupType {
    /// ATTRIBUTE: of the element of its group.
    Attribute,
    /// ELEMENT.
    Element,
    /// CONTENT: characters in the element of its group.
    Content,
}

/// Items that SUPPRESS leaves out.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// Kind of the items.
    pub what: SuppressedWhat,
    /// WHEN it has one of these values; always, where there is none.
    pub when: Vec<Figurative>,
}

/// Names of items in SUPPRESS.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "statements have few of them")]
pub enum SuppressedWhat {
    /// An item.
    Item(Reference),
    /// EVERY item of a kind.
    Every {
        /// NUMERIC, or NONNUMERIC.
        numeric: Option<bool>,
        /// ATTRIBUTE, ELEMENT or CONTENT.
        written: Option<MarkupType>,
    },
}

/// CONVERTING of an item to true and false of JSON, or from them.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The item.
    pub item: Reference,
    /// Value for true: a condition-name or a literal.
    pub truth: Operand,
    /// Value for false.
    pub falsehood: Option<Operand>,
}

impl Markup {
    /// A statement without phrases.
    pub(crate) fn of(xml: bool, parse: bool, text: Reference) -> Self {
        Self {
            xml,
            parse,
            text,
            data: None,
            count: None,
            procedure: None,
            names: Vec::new(),
            types: Vec::new(),
            suppressed: Vec::new(),
            converted: Vec::new(),
            encoding: None,
            namespace: None,
            prefix: None,
            declaration: false,
            attributes: false,
            detail: false,
            national: false,
            phrase: None,
            handlers: Handlers::default(),
        }
    }
}
