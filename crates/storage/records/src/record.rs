//! Records as memory keeps them: with their checksum, from the moment in which they were copied from their maker.
//!
//! The checksum covers the key as well. It goes with the record into the log, the overlay and the base, and it is looked
//! at on every step of that way; so a record that something has changed on it can never be taken for data.

use std::ops::Deref;

use crc32fast::Hasher;

use crate::{Error, Result};

/// Bytes of a checksum.
pub(crate) const SUM: usize = 4;

/// A record, owned: its bytes, and behind them its checksum.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record(Box<[u8]>);

impl Record {
    /// A record that was just made.
    pub(crate) fn new(key: &[u8], record: &[u8]) -> Self {
        Self::with_sum(record, sum(key, record))
    }

    /// A record with the checksum that it had.
    pub(crate) fn with_sum(record: &[u8], sum: [u8; SUM]) -> Self {
        let mut bytes = Vec::with_capacity(record.len() + SUM);
        bytes.extend_from_slice(record);
        bytes.extend_from_slice(&sum);
        Self(bytes.into_boxed_slice())
    }

    /// The record, if it still is what it was when it was made with this key.
    pub(crate) fn verified(&self, key: &[u8]) -> Result<&[u8]> {
        verified(key, &self.0)
            .ok_or_else(|| Error::Overwritten(format!("the record with key {}", shown(key))))
    }

    /// Its bytes with the checksum behind them, as the base keeps them.
    pub(crate) fn with_its_sum(&self) -> &[u8] {
        &self.0
    }

    /// Its checksum.
    pub(crate) fn sum(&self) -> &[u8] {
        &self.0[self.len()..]
    }
}

impl Deref for Record {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0[..self.0.len() - SUM]
    }
}

/// The checksum of a record with its key; of a key alone, where the record was deleted.
pub(crate) fn sum(key: &[u8], record: &[u8]) -> [u8; SUM] {
    let mut hasher = Hasher::new();
    hasher.update(key);
    hasher.update(record);
    hasher.finalize().to_le_bytes()
}

/// The record in front of its checksum, if that is right.
pub(crate) fn verified<'a>(key: &[u8], bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (record, known) = bytes.split_last_chunk::<SUM>()?;
    (sum(key, record) == *known).then_some(record)
}

/// A key as messages show it: in hexadecimal, and not the whole of a long one.
pub(crate) fn shown(key: &[u8]) -> String {
    const SHOWN: usize = 32;
    let more = if key.len() > SHOWN { "…" } else { "" };
    key.iter().take(SHOWN).map(|byte| format!("{byte:02X}")).collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_of_a_record_or_its_key_is_noticed() {
        let record = Record::new(b"key", b"a record");
        assert_eq!(record.verified(b"key"), Ok(&b"a record"[..]));
        assert_eq!(record.verified(b"kez"), Err(Error::Overwritten("the record with key 6B657A".into())));
        for bit in 0..8 * record.with_its_sum().len() {
            let mut bytes = record.with_its_sum().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verified(b"key", &bytes), None, "bit {bit}");
        }
    }
}
