//! Items of UTF-8.

use serde::{Deserialize, Serialize};

use super::{BytePlace, Linear};

/// An item of UTF-8, or some of its characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Utf8Place {
    /// The whole item.
    pub place: BytePlace,
    /// Number of characters; `None` if the number of bytes is fixed, and the item has as many characters as they
    /// hold.
    pub characters: Option<u32>,
    /// Reference modification: the first character, from 1, and how many; none for all that follow. What lies outside is out of
    /// range.
    pub part: Option<(Linear, Option<Linear>)>,
}

impl Utf8Place {
    /// A whole item.
    pub fn whole(place: BytePlace, characters: Option<u32>) -> Self {
        Self { place, characters, part: None }
    }
}
