//! Keys as maps keep them.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Deref;

use smallvec::SmallVec;

/// The longest key.
pub(crate) const LONGEST_KEY: usize = 1024;
/// Keys up to this length lie in the nodes of a map themselves, where comparing them needs no other memory.
const INLINE_KEY: usize = 24;

/// A key, owned. Its order is that of its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key(SmallVec<[u8; INLINE_KEY]>);

impl Key {
    /// A key of these bytes.
    #[inline]
    pub(crate) fn from_slice(bytes: &[u8]) -> Self {
        Self(SmallVec::from_slice(bytes))
    }
}

impl Clone for Key {
    /// All bytes at once, where the derived one would take one after the other.
    #[inline]
    fn clone(&self) -> Self {
        Self::from_slice(self)
    }
}

impl Deref for Key {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Borrow<[u8]> for Key {
    #[inline]
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl Ord for Key {
    /// A search in a map compares a key with a dozen others, most of which differ in their first bytes: as a number, these
    /// are compared at once.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.first_chunk(), other.first_chunk()) {
            (Some(first), Some(others)) if first != others => {
                u128::from_be_bytes(*first).cmp(&u128::from_be_bytes(*others))
            }
            _ => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_their_bytes() {
        let long = [7; 30];
        let mut keys: Vec<Vec<u8>> = (0..=long.len()).map(|length| long[..length].to_vec()).collect();
        for at in [0, 7, 8, 15, 16, 29] {
            for byte in [0, 6, 8, 0x80, 0xff] {
                let mut key = long;
                key[at] = byte;
                keys.extend([key[..=at].to_vec(), key.to_vec()]);
            }
        }
        for one in &keys {
            for other in &keys {
                assert_eq!(
                    Key::from_slice(one).cmp(&Key::from_slice(other)),
                    one.cmp(other),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
