//! JSON GENERATE and XML GENERATE: what becomes of which item.

use super::{Number, Numeric, Place, Slot, Text};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Generate {
    /// What is written.
    pub language: Language,
    /// Of what.
    pub root: Element,
    /// Where it goes; what is not reached stays.
    pub into: Place,
    /// COUNT IN.
    pub count: Option<(Place, Numeric)>,
    /// Becomes the exception code, 0 if there is none.
    pub code: Slot,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// JSON, in UTF-8.
    Json,
    /// XML, in the characters of the program.
    Xml,
}

/// An item.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name there, in the characters of the program.
    pub name: Vec<u8>,
    /// A table: the number of the frame that counts its occurrences, from 1, and how many there are. Places within it name
    /// that number.
    pub table: Option<(Slot, Number)>,
    /// What it holds.
    pub content: Content,
}

/// What an item holds.
#[derive(Clone, Debug, PartialEq)]
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
}
