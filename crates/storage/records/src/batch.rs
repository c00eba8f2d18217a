//! Records that were read together: keys and records one behind the other in one piece of memory.

use crate::Stamp;

/// Records that were read from a range, in the order of reading. Meant to be used again and again.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Stamp that [`crate::UnitOfWork::is_current`] compares.
    pub stamp: Stamp,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Place of an entry: its key from one to the other, its record up to the third.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: usize,
    record: usize,
    end: usize,
}

/// A key and its record.
type Entry<'a> = (&'a [u8], &'a [u8]);

impl Batch {
    /// Number of records.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The key and the record at a place, from 0.
    pub fn get(&self, at: usize) -> Option<Entry<'_>> {
        self.places.get(at).map(|place| self.entry(place))
    }

    /// The first key and record.
    pub fn first(&self) -> Option<Entry<'_>> {
        self.places.first().map(|place| self.entry(place))
    }

    /// The last key and record.
    pub fn last(&self) -> Option<Entry<'_>> {
        self.places.last().map(|place| self.entry(place))
    }

    /// Keys and records.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator {
        self.places.iter().map(|place| self.entry(place))
    }

    /// Keys and records, each on its own.
    pub fn to_vec(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.iter().map(|(key, record)| (key.to_vec(), record.to_vec())).collect()
    }

    /// Forgets all records but the first so many.
    pub fn truncate(&mut self, count: usize) {
        self.places.truncate(count);
        self.bytes.truncate(self.places.last().map_or(0, |last| last.end));
    }

    fn entry(&self, place: &Place) -> Entry<'_> {
        (&self.bytes[place.key..place.record], &self.bytes[place.record..place.end])
    }

    /// Forgets all records, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Adds a record behind the others. `more`: how many are likely to come with it.
    pub fn push(&mut self, key: &[u8], record: &[u8], more: usize) {
        if self.places.is_empty() {
            let more = more.min(RESERVED);
            self.places.reserve(more);
            self.bytes.reserve(more * (key.len() + record.len()));
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(record);
        self.places.push(Place { key: start, record: start + key.len(), end: self.bytes.len() });
    }
}

/// The most records for which memory is asked for before they are there.
const RESERVED: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out_in_order() {
        let mut batch = Batch::default();
        batch.push(b"a", b"first", 2);
        batch.push(b"bb", b"", 2);
        assert_eq!(batch.first(), Some((&b"a"[..], &b"first"[..])));
        assert_eq!((batch.last(), batch.get(2)), (Some((&b"bb"[..], &b""[..])), None));
        batch.clear();
        assert!(batch.is_empty());
    }
}
