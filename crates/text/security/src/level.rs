//! The levels of access to a resource.

use std::fmt;

/// An access level; each holds those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    #[default]
    None,
    /// Look at it, run it.
    Read,
    /// Change its content or its status.
    Update,
    /// More than that, where a class knows a difference.
    Control,
    /// Make it and take it away.
    Alter,
}

impl Level {
    /// Every level by its published word, the lowest first.
    pub const ALL: [(&str, Self); 5] = [
        ("NONE", Self::None),
        ("READ", Self::Read),
        ("UPDATE", Self::Update),
        ("CONTROL", Self::Control),
        ("ALTER", Self::Alter),
    ];

    /// The level of a word, in any case.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, level)| *level)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find(|(_, level)| level == self).map_or("", |(name, _)| name);
        f.write_str(word)
    }
}
