//! JSON GENERATE and XML GENERATE: what becomes of which item.

use serde::{Deserialize, Serialize};

use super::{BytePlace, Number, Numeric, Slot, Test, Text};

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Language of the text.
    pub language: Language,
    /// Of what.
    pub root: Element,
    /// NAME IS OMITTED of the root: its object has no name.
    pub anonymous: bool,
    /// True if some element may be left out.
    pub suppresses: bool,
    /// Options of XML.
    pub xml: XmlOptions,
    /// Destination of the text; bytes that are not reached stay.
    pub into: BytePlace,
    /// True if that is national: all is UTF-16 then, and counted so.
    pub national: bool,
    /// COUNT IN.
    pub count: Option<(BytePlace, Numeric)>,
    /// Becomes the exception code, 0 if there is none.
    pub code: Slot,
}

/// Options from phrases of XML GENERATE.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct XmlOptions {
    /// It begins with a declaration.
    pub declaration: bool,
    /// It is in UTF-8; else in the characters of the program.
    pub utf8: bool,
    /// NAMESPACE.
    pub namespace: Option<Text>,
    /// NAMESPACE-PREFIX.
    pub prefix: Option<Text>,
}

/// As what an element of XML is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Written {
    /// An attribute of the element of its group.
    Attribute,
    /// An element.
    Element,
    /// Characters in the element of its group.
    Content,
}

/// Languages that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// JSON, in UTF-8.
    Json,
    /// XML, in the characters of the program.
    Xml,
}

/// An item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Its name there, in the characters of the program.
    pub name: Vec<u8>,
    /// A table: the number of the frame that counts its occurrences, from 1, and how many there are. Places within it name
    /// that number.
    pub table: Option<(Slot, Number)>,
    /// As what XML has it.
    pub written: Written,
    /// It is left out where one of these holds.
    pub left_out: Vec<Test>,
    /// Content of the element.
    pub content: Content,
}

/// Contents of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// A group.
    Parts(Vec<Element>),
    /// Characters, without the spaces at one end: at the left where the item is JUSTIFIED.
    Characters {
        /// They.
        text: Text,
        /// JUSTIFIED.
        right: bool,
    },
    /// Characters that stay as they are: edited items.
    Edited(Text),
    /// A number.
    Number(Number),
    /// National characters.
    National(Text),
    /// True and false of JSON.
    Truth(Test),
}

/// XML PARSE takes a document, or the next segment of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct XmlRead {
    /// Which statement's parser.
    pub parser: u32,
    /// The text.
    pub document: BytePlace,
    /// Another segment.
    pub again: bool,
    /// XMLPARSE(COMPAT).
    pub compatible: bool,
    /// Its characters.
    pub form: DocumentForm,
    /// RETURNING NATIONAL: the texts of events are national.
    pub national: bool,
}

/// The characters of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentForm {
    /// Those of the program.
    Program,
    /// UTF-8.
    Utf8,
    /// National ones.
    National,
}

/// XML PARSE goes on to its next event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct XmlNext {
    /// Which statement's parser.
    pub parser: u32,
    /// Becomes what came: 0 the end, 1 an event, 2 an exception, 3 the end of a segment.
    pub outcome: Slot,
    /// XML-CODE, if the program names it.
    pub code: Option<(BytePlace, Numeric)>,
    /// XML-EVENT, if the program names it.
    pub event: Option<BytePlace>,
    /// The registers of characters that the program names.
    pub registers: Vec<XmlRegister>,
}

/// A register of characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct XmlRegister {
    /// Part of the event.
    pub part: XmlPart,
    /// All that it has room for.
    pub place: BytePlace,
    /// Number of its characters.
    pub length: Slot,
}

/// Parts of an event that a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum XmlPart {
    /// XML-TEXT.
    Text,
    /// XML-NAMESPACE.
    Namespace,
    /// XML-NAMESPACE-PREFIX.
    Prefix,
    /// XML-NTEXT.
    NationalText,
    /// XML-NNAMESPACE.
    NationalNamespace,
    /// XML-NNAMESPACE-PREFIX.
    NationalPrefix,
}
