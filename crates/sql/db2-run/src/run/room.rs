//! Memory of a statement, with a limit.

use db2_values::Value;

use crate::failed::Refused;
use crate::limits;

/// Memory that a statement may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    left: usize,
}

impl Room {
    pub(super) fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Takes so many bytes.
    ///
    /// # Errors
    /// -904: there are not so many left.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| Refused::limit(limits::SORT_BYTES_NAME))?;
        Ok(())
    }

    /// Gives so many back.
    pub(super) fn give(&mut self, bytes: usize) {
        self.left += bytes;
    }
}

/// Bytes of memory that a row of values takes.
pub(super) fn size_of(values: &[Value]) -> usize {
    let of_texts = |value: &Value| match value {
        Value::Text(text) => text.capacity(),
        _ => 0,
    };
    size_of_val(values) + values.iter().map(of_texts).sum::<usize>()
}
