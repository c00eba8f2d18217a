//! A value that remembers where the user wrote it.

use diagnostics::{Diagnostic, TextPlace};

/// A value and its place in the configuration; a default has none.
///
/// A later user of the value (that opens the file, binds the address) can so show the user's own line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// The place where it was written; `None` for a default.
    pub place: Option<TextPlace>,
}

impl<T> Located<T> {
    /// Makes a value that no user wrote.
    pub fn default_value(value: T) -> Self {
        Self { value, place: None }
    }

    /// Returns true if the user wrote it: then the file or object that it names must exist.
    pub fn is_written(&self) -> bool {
        self.place.is_some()
    }

    /// The same place with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Located<U> {
        Located { value: f(self.value), place: self.place }
    }
}

/// A message at the place of a value, if it has one.
#[must_use]
pub fn at<T>(message: Diagnostic, value: &Located<T>) -> Diagnostic {
    match &value.place {
        Some(place) => message.at(place.clone()),
        None => message,
    }
}
