//! Parts of a base that is elsewhere, as they are known here: intervals of keys of which every record is known.
//!
//! Keys are full keys, with their spaces in front. An interval reaches from a key to another one, which is not in it; intervals
//! neither meet nor overlap. What is known is forgotten piece by piece, in the order of the keys, when it takes more than it may.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use super::FullKey;
use crate::Direction;

/// Bytes that a record is taken to need besides its key and itself.
const RECORD_COST: usize = 96;

/// A key as maps have it.
type Bytes = Box<[u8]>;

/// The end of a walk through what is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Walked {
    /// The visitor has had enough, or everything was seen.
    Done,
    /// The next keys are not known: from here on, or before here, as the walk's direction is.
    Unknown(FullKey),
}

/// The parts of the base that are known.
#[derive(Default)]
pub(super) struct Cache {
    /// The intervals: where each begins, and where it ends.
    known: BTreeMap<Bytes, Bytes>,
    records: BTreeMap<Bytes, Bytes>,
    bytes: usize,
    /// Another number whenever the base has been written.
    generation: u64,
    /// Up to here it has forgotten.
    hand: Bytes,
}

impl Cache {
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The base has been written: what was read of it before is not to be learned any more.
    pub fn is_written(&mut self) {
        self.generation += 1;
    }

    /// The interval that holds a key.
    fn interval(&self, key: &[u8]) -> Option<(&Bytes, &Bytes)> {
        let found = self.known.range::<[u8], _>((Unbounded, Included(key))).next_back();
        found.filter(|(_, high)| key < &***high)
    }

    /// The interval that holds the keys just before `key`.
    fn interval_before(&self, key: &[u8]) -> Option<(&Bytes, &Bytes)> {
        let found = self.known.range::<[u8], _>((Unbounded, Excluded(key))).next_back();
        found.filter(|(_, high)| key <= &***high)
    }

    /// A record: nothing if it is not known, `None` if there is none.
    pub fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        self.interval(key).map(|_| self.records.get(key).map(|record| &**record))
    }

    /// Shows the records between two keys, as far as they are known.
    pub fn walk(
        &self,
        low: &[u8],
        high: &[u8],
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Walked {
        if low >= high {
            return Walked::Done;
        }
        let (from, to) = match direction {
            Direction::Forward => {
                let Some((_, end)) = self.interval(low) else {
                    return Walked::Unknown(FullKey::from_slice(low));
                };
                (low, (&**end).min(high))
            }
            Direction::Backward => {
                let Some((begin, _)) = self.interval_before(high) else {
                    return Walked::Unknown(FullKey::from_slice(high));
                };
                ((&**begin).max(low), high)
            }
        };
        let mut records = self.records.range::<[u8], _>((Included(from), Excluded(to)));
        let mut next = || match direction {
            Direction::Forward => records.next(),
            Direction::Backward => records.next_back(),
        };
        while let Some((key, record)) = next() {
            if !visit(key, record) {
                return Walked::Done;
            }
        }
        match direction {
            Direction::Forward if to < high => Walked::Unknown(FullKey::from_slice(to)),
            Direction::Backward if from > low => Walked::Unknown(FullKey::from_slice(from)),
            _ => Walked::Done,
        }
    }

    /// Learns all records from `low` on and before `high`, unless the base was written since `generation`.
    pub fn learn<'a>(
        &mut self,
        generation: u64,
        (low, high): (&[u8], &[u8]),
        records: impl Iterator<Item = (FullKey, &'a [u8])>,
        limit: usize,
    ) {
        if generation != self.generation || low >= high {
            return;
        }
        self.forget(low, high);
        for (key, record) in records {
            self.insert(&key, record);
        }
        let (mut from, mut to) = (Bytes::from(low), Bytes::from(high));
        if let Some((begin, _)) = self.interval_before(low) {
            from = begin.clone();
            self.known.remove(&from);
        }
        if let Some(end) = self.known.remove(high) {
            to = end;
        }
        self.known.insert(from, to);
        self.make_room((low, high), limit);
    }

    /// A record of the base is another one now; `None`: it was deleted.
    pub fn change(&mut self, key: &[u8], record: Option<&[u8]>) {
        if self.interval(key).is_none() {
            return;
        }
        self.remove(key);
        if let Some(record) = record {
            self.insert(key, record);
        }
    }

    fn insert(&mut self, key: &[u8], record: &[u8]) {
        self.bytes += RECORD_COST + key.len() + record.len();
        self.records.insert(key.into(), record.into());
    }

    fn remove(&mut self, key: &[u8]) {
        if let Some(record) = self.records.remove(key) {
            self.bytes -= RECORD_COST + key.len() + record.len();
        }
    }

    /// Forgets everything from `low` on and before `high`.
    pub fn forget(&mut self, low: &[u8], high: &[u8]) {
        if let Some((begin, end)) = self.interval(low).map(|(begin, end)| (begin.clone(), end.clone())) {
            self.known.remove(&begin);
            if *begin < *low {
                self.known.insert(begin, low.into());
            }
            if *end > *high {
                self.known.insert(high.into(), end);
            }
        }
        let inside = self.known.range::<[u8], _>((Included(low), Excluded(high)));
        let inside: Vec<(Bytes, Bytes)> = inside.map(|(low, high)| (low.clone(), high.clone())).collect();
        for (begin, end) in inside {
            self.known.remove(&begin);
            if *end > *high {
                self.known.insert(high.into(), end);
            }
        }
        let keys = self.records.range::<[u8], _>((Included(low), Excluded(high)));
        let keys: Vec<Bytes> = keys.map(|(key, _)| key.clone()).collect();
        keys.iter().for_each(|key| self.remove(key));
    }

    /// Forgets so much that the rest takes no more than it may; last of all what was learned just now.
    fn make_room(&mut self, learned: (&[u8], &[u8]), limit: usize) {
        /// Records that are forgotten at a time.
        const AT_A_TIME: usize = 256;
        while self.bytes > limit {
            let hand = std::mem::take(&mut self.hand);
            let mut next = self.records.range::<[u8], _>((Included(&*hand), Unbounded));
            let keys: Vec<Bytes> = next.by_ref().take(AT_A_TIME).map(|(key, _)| key.clone()).collect();
            let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
                if hand.is_empty() {
                    return;
                }
                continue;
            };
            let mut behind = last.to_vec();
            behind.push(0);
            if keys.len() == self.records.len() && (&**first >= learned.0 && &**last < learned.1) {
                // Nothing else is left, and its reader wants it.
                return;
            }
            self.forget(&hand, &behind);
            self.hand = behind.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows for every key of one letter if it is known, and its record.
    fn shown(cache: &Cache) -> String {
        let letter = |letter: u8| match cache.get(&[letter]) {
            None => '?',
            Some(None) => '-',
            Some(Some(record)) => char::from(record[0]),
        };
        (b'a'..=b'h').map(letter).collect()
    }

    fn learn(cache: &mut Cache, low: &[u8], high: &[u8], keys: &[u8]) {
        let records = keys.iter().map(|key| (FullKey::from_slice(&[*key]), std::slice::from_ref(key)));
        cache.learn(cache.generation(), (low, high), records, usize::MAX);
    }

    #[test]
    fn what_is_known_grows_together_and_is_forgotten_in_pieces() {
        let mut cache = Cache::default();
        learn(&mut cache, b"b", b"d", b"c");
        assert_eq!(shown(&cache), "?-c?????");
        learn(&mut cache, b"e", b"g", b"ef");
        learn(&mut cache, b"d", b"e", b"");
        assert_eq!((shown(&cache).as_str(), cache.known.len()), ("?-c-ef??", 1));
        cache.forget(b"c", b"e");
        assert_eq!((shown(&cache).as_str(), cache.known.len()), ("?-??ef??", 2));
        learn(&mut cache, b"a", b"h", b"b");
        assert_eq!((shown(&cache).as_str(), cache.known.len()), ("-b-----?", 1));
        cache.change(b"a", Some(b"A"));
        cache.change(b"b", None);
        cache.change(b"h", Some(b"H"));
        assert_eq!(shown(&cache), "A------?");
        let generation = cache.generation();
        cache.is_written();
        cache.learn(generation, (b"h", b"i"), std::iter::empty(), usize::MAX);
        assert_eq!(shown(&cache), "A------?", "read before the base was written");
        cache.forget(b"", b"z");
        assert_eq!((cache.bytes, cache.known.len()), (0, 0));
    }

    #[test]
    fn a_walk_says_where_it_knows_no_more() {
        let mut cache = Cache::default();
        learn(&mut cache, b"b", b"e", b"bcd");
        let walk = |low: &[u8], high: &[u8], direction| {
            let mut seen = Vec::new();
            let walked = cache.walk(low, high, direction, &mut |key, _| {
                seen.extend_from_slice(key);
                true
            });
            (seen, walked)
        };
        let unknown = |at: &[u8]| Walked::Unknown(FullKey::from_slice(at));
        assert_eq!(walk(b"c", b"e", Direction::Forward), (b"cd".to_vec(), Walked::Done));
        assert_eq!(walk(b"c", b"g", Direction::Forward), (b"cd".to_vec(), unknown(b"e")));
        assert_eq!(walk(b"a", b"g", Direction::Forward), (Vec::new(), unknown(b"a")));
        assert_eq!(walk(b"b", b"d", Direction::Backward), (b"cb".to_vec(), Walked::Done));
        assert_eq!(walk(b"a", b"d", Direction::Backward), (b"cb".to_vec(), unknown(b"b")));
        assert_eq!(walk(b"a", b"g", Direction::Backward), (Vec::new(), unknown(b"g")));
        assert_eq!(walk(b"c", b"c", Direction::Forward), (Vec::new(), Walked::Done));
    }

    #[test]
    fn it_takes_no_more_than_it_may() {
        let mut cache = Cache::default();
        let limit = 1_000 * (RECORD_COST + 5);
        for number in 0..10_000_u32 {
            let key = FullKey::from_slice(&number.to_be_bytes());
            let mut behind = key.to_vec();
            behind.push(0);
            cache.learn(0, (&key, &behind), [(key.clone(), &b"r"[..])].into_iter(), limit);
            assert!(cache.get(&key).is_some(), "what was learned just now is known");
        }
        assert!(cache.bytes <= limit && cache.records.len() > 500, "{}", cache.records.len());
        assert_eq!(cache.known.len(), cache.records.len());
    }
}
