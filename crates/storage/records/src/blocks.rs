//! Memory aligned to blocks, as O_DIRECT demands.

/// Unit of writes to the log, in place and length.
pub const BLOCK: usize = 4096;

/// A growing buffer whose first byte lies on a block boundary.
pub(crate) struct Blocks {
    memory: Vec<u8>,
    /// Start at the boundary.
    start: usize,
    length: usize,
    /// So much may be no zeros: what is in it, or was.
    touched: usize,
}

impl Blocks {
    /// A buffer of `length` zeros.
    pub(crate) fn zeroed(length: usize) -> Self {
        let memory = vec![0; length + BLOCK];
        let start = memory.as_ptr().align_offset(BLOCK);
        Self { memory, start, length, touched: length }
    }

    /// The bytes in it.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes in it, to be changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }

    /// Number of bytes in it.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Adds bytes.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        let end = self.start + self.length;
        self.memory[end..end + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// The bytes in it, and zeros up to the next block boundary.
    pub(crate) fn padded(&mut self) -> &[u8] {
        let padded = self.length.next_multiple_of(BLOCK);
        self.reserve(padded - self.length);
        let bytes = &mut self.memory[self.start..self.start + padded];
        bytes[self.length..self.touched.clamp(self.length, padded)].fill(0);
        if self.touched <= padded {
            self.touched = self.length;
        }
        bytes
    }

    /// Empties it down to `length` bytes, keeping the memory.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.touched = self.touched.max(self.length);
        self.length = self.length.min(length);
    }

    /// Makes room for `more` bytes; moving to larger memory if there is none.
    fn reserve(&mut self, more: usize) {
        let needed = self.length + more;
        if self.start + needed > self.memory.len() {
            let mut larger = Self::zeroed(needed.next_power_of_two());
            (larger.length, larger.touched) = (self.length, self.length);
            larger.as_mut_slice().copy_from_slice(self.as_slice());
            *self = larger;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_zeros_whatever_was_there_before() {
        let mut blocks = Blocks::zeroed(0);
        for length in [100, BLOCK + 1, 7, 300, 2 * BLOCK, 0, 5, BLOCK + 5] {
            blocks.truncate(0);
            blocks.extend(&vec![0xff; length]);
            let (filled, padding) = blocks.padded().split_at(length);
            assert!(filled.iter().all(|byte| *byte == 0xff));
            assert!(padding.len() < BLOCK && padding.iter().all(|byte| *byte == 0), "{length}");
        }
    }
}
