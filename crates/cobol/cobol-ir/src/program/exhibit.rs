//! EXHIBIT CHANGED.

use serde::{Deserialize, Serialize};

use super::{BytePlace, Shown};

/// EXHIBIT CHANGED: items that are other than the last time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// The items and literals.
    pub items: Vec<Exhibited>,
    /// Without NAMED: what is not shown leaves its room blank.
    pub columns: bool,
    /// A byte that says whether there was a last time.
    pub again: BytePlace,
}

/// An item of EXHIBIT CHANGED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibited {
    /// Its name, with what stands behind it.
    pub name: Option<BytePlace>,
    /// Form in which it is shown.
    pub shown: Shown,
    /// Its place, and that of its last value; a literal has none.
    pub watched: Option<(BytePlace, BytePlace)>,
}
