//! The form of rows and keys: bytes here, given by a crate that knows values.

use crate::catalogue::{Column, KeyColumn};

/// The bytes are not a row of these columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The way in which rows and keys are written.
pub trait Form: Send + Sync {
    /// Bytes that differ where rows or keys are written otherwise: the catalogue keeps them, and tables of another form are not opened.
    fn identity(&self) -> Vec<u8>;

    /// Appends the key that these columns of a row have: bytes that sort as the values do. No key begins with another one of the
    /// same columns. Returns true if a column of it is NULL.
    ///
    /// # Errors
    /// The bytes are not a row of these columns.
    fn key(
        &self,
        columns: &[Column],
        of: &[KeyColumn],
        row: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<bool, Malformed>;

    /// The first column that is NULL and must not be; `None` if the row is in order.
    ///
    /// # Errors
    /// The bytes are not a row of these columns.
    fn refused_null(&self, columns: &[Column], row: &[u8]) -> Result<Option<usize>, Malformed>;

    /// The most bytes that a key of these columns can have.
    fn longest_key(&self, columns: &[Column], of: &[KeyColumn]) -> usize;
}
