//! JSON PARSE: which items take which values.

use serde::{Deserialize, Serialize};

use super::{BytePlace, Number, Receiver, Slot, Text, Utf8Place};

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonParse {
    /// The text.
    pub text: BytePlace,
    /// Its characters.
    pub form: super::DocumentForm,
    /// Item that takes it.
    pub root: JsonItem,
    /// True if the outermost object is the root's own: NAME IS OMITTED.
    pub anonymous: bool,
    /// WITH DETAIL: conditions are shown, with this line.
    pub detail: Option<u32>,
    /// Becomes the exception code, 0 if there is none.
    pub code: Slot,
    /// Becomes the conditions that are no exceptions.
    pub status: Slot,
    /// Becomes 1 where a number has more digits than its receiver.
    pub size: Slot,
}

/// An item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonItem {
    /// It among those of the statement.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// True if large and small letters differ in it: NAME has given it.
    pub exact: bool,
    /// A table: the number of the frame that counts its occurrences, from 1, and how many there are.
    pub table: Option<(Slot, Number)>,
    /// Values that it takes.
    pub takes: JsonTakes,
}

/// Values that an item takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "a statement has few of them")]
pub enum JsonTakes {
    /// An object: a group.
    Parts(Vec<JsonItem>),
    /// Whatever comes, and forgets it: SUPPRESS.
    Nothing,
    /// Characters.
    Characters {
        /// Destination.
        place: BytePlace,
        /// JUSTIFIED RIGHT.
        right: bool,
        /// No number.
        alphabetic: bool,
    },
    /// Characters that are edited by a picture in [`super::Program::pictures`].
    Edited {
        /// Destination.
        place: BytePlace,
        /// The picture.
        picture: u32,
    },
    /// National characters.
    National(BytePlace),
    /// UTF-8.
    Utf8(Utf8Place),
    /// A number.
    Number(Receiver),
    /// True and false: CONVERTING.
    Truth {
        /// Destination.
        place: BytePlace,
        /// Text for true.
        truth: Text,
        /// Text for false.
        falsehood: Text,
    },
}

impl JsonItem {
    /// Returns true if a name is its own.
    pub fn is_named(&self, name: &str) -> bool {
        if self.exact { self.name == name } else { self.name.eq_ignore_ascii_case(name) }
    }
}
