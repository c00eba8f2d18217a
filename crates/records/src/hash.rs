//! Hashing of keys: quick, since locks and tables do it for every record, and seeded, so that nobody can choose keys
//! that all meet.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// A map by keys that are short: names, numbers. A look into it costs a few multiplications.
pub type Map<K, V> = HashMap<K, V, Seeded>;

/// Bytes that are taken in one step.
const STEP: usize = 8;

/// Keys are short: eight bytes at a time, each multiplied into what there is.
#[inline]
pub(crate) fn hash(seed: u64, key: &[u8]) -> u64 {
    let (chunks, rest) = key.as_chunks::<STEP>();
    let hash = chunks.iter().fold(seed, |hash, chunk| fold(hash ^ u64::from_le_bytes(*chunk)));
    let last = rest.iter().rfold(0, |last, byte| last << u8::BITS | u64::from(*byte));
    fold(hash ^ last ^ (key.len() as u64).rotate_right(STEP as u32))
}

/// As [`hash`], of a key in one of several spaces.
pub(crate) fn hash_in(seed: u64, space: u32, key: &[u8]) -> u64 {
    hash(fold(seed ^ u64::from(space)), key)
}

/// Both halves of the product with a number whose bits look like chance.
#[inline]
fn fold(number: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(number) * u128::from(GOLDEN);
    (product as u64) ^ (product >> 64) as u64
}

/// A seed that nobody knows.
pub(crate) fn seed() -> u64 {
    RandomState::new().hash_one(STEP)
}

/// The same hash for the standard library's maps, each with a seed of its own.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(seed())
    }
}

impl BuildHasher for Seeded {
    type Hasher = Hashing;

    #[inline]
    fn build_hasher(&self) -> Hashing {
        Hashing(self.0)
    }
}

/// A hash in the making.
#[derive(Debug)]
pub struct Hashing(u64);

impl Hasher for Hashing {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(self.0, bytes);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_in_a_bit_or_in_their_length_have_different_hashes() {
        let keys: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"12345678", b"12345679", b"12345678\0"];
        let hashes: std::collections::HashSet<_> = keys.iter().map(|key| hash(1, key)).collect();
        assert_eq!(hashes.len(), keys.len());
    }

    #[test]
    fn another_seed_gives_another_hash() {
        assert_ne!(hash(1, b"key"), hash(2, b"key"));
    }
}
