//! Names of data sets.

use std::fmt;
use std::sync::Arc;

/// The longest name.
const LONGEST_NAME: usize = 44;
/// The longest part between two dots.
const LONGEST_QUALIFIER: usize = 8;

/// A data set name: qualifiers of up to 8 letters, digits, `@ # $ -`, joined by dots, 44 characters in all, upper case.
/// Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// Reads a name; `None` if a data set cannot have it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let name = text.to_ascii_uppercase();
        let fits = name.len() <= LONGEST_NAME && name.split('.').all(is_qualifier);
        fits.then(|| Self(name.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_qualifier(text: &str) -> bool {
    let national = |c: char| matches!(c, '@' | '#' | '$');
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || national(c));
    begins
        && text.len() <= LONGEST_QUALIFIER
        && text.chars().all(|c| c.is_ascii_alphanumeric() || national(c) || c == '-')
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
