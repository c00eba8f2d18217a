//! Names of the published interface: fixed length, padded with blanks.

use ebcdic::Characters;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::words::escaped;

/// A name of at most `N` program characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name<const N: usize>([u8; N]);

/// A transaction identifier.
pub type TransactionName = Name<4>;
/// A terminal identifier.
pub type TerminalName = Name<4>;
/// A program, map, mapset, file or user name.
pub type Name8 = Name<8>;
/// The name of a transient data queue.
pub type QueueName = Name<4>;
/// A name of temporary storage, a channel, a container, …
pub type Name16 = Name<16>;

impl<const N: usize> Name<N> {
    /// No name: all blanks.
    pub const BLANK: Self = Self([b' '; N]);

    /// The first `N` bytes, padded with blanks. Low-values count as blanks: programs leave names unset in both ways.
    #[inline]
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let length = bytes.len().min(N);
        let mut name = [b' '; N];
        name[..length].copy_from_slice(&bytes[..length]);
        // All bytes at once: the processor does it without a branch.
        name.iter_mut().for_each(|byte| *byte = if *byte == 0 { b' ' } else { *byte });
        Self(name)
    }

    /// The name with its blanks.
    pub fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }

    /// The name without trailing blanks.
    pub fn trimmed(&self) -> &[u8] {
        self.0.trim_ascii_end()
    }

    /// Returns true if there is no name.
    pub fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }

    /// The same letters in upper case.
    #[must_use]
    pub fn upper(&self) -> Self {
        Self(self.0.map(|b| b.to_ascii_uppercase()))
    }
}

/// As one number where it is one: names are looked up for every command.
impl<const N: usize> Hash for Name<N> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (words, rest) = self.0.as_chunks();
        words.iter().for_each(|word| state.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            state.write(rest);
        }
    }
}

/// Text for people: an invented name must not write lines of the log, nor move about on a screen.
impl<const N: usize> fmt::Display for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&escaped(&Characters::default().text(self.trimmed())))
    }
}

impl<const N: usize> fmt::Debug for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{self}'")
    }
}

impl<const N: usize> From<&str> for Name<N> {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl<const N: usize> AsRef<[u8]> for Name<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> Default for Name<N> {
    fn default() -> Self {
        Self::BLANK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_padded_cut_and_shown_without_blanks() {
        let name = Name8::new(b"ACCT\0\0");
        assert_eq!(name.as_bytes(), b"ACCT    ");
        assert_eq!(format!("[{name}]"), "[ACCT]");
        assert_eq!(TransactionName::from("LONGER").as_bytes(), b"LONG");
        assert!(Name8::new(b"").is_blank());
        assert_eq!(Name8::new(b"A\n\x1b[2J").to_string(), "A\\x0A\\x1B[2J");
    }
}
