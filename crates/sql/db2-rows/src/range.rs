//! Ranges of keys, with bounds that are the beginnings of keys.

use std::ops::Bound;

use records::{Direction, Origin};
use smallvec::SmallVec;

/// A key of an index or of a row.
pub(crate) type Key = SmallVec<[u8; 32]>;

/// A range of keys. A bound is the beginning of keys: an included one has all keys that begin so, an excluded one none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lower bound.
    pub from: Bound<Vec<u8>>,
    /// The upper bound.
    pub to: Bound<Vec<u8>>,
    /// The way in which it is read.
    pub direction: Direction,
}

/// The place at which reading begins.
pub(crate) enum Beginning {
    /// At the end of the store.
    Start,
    /// At this key, or the next one beyond it.
    At(Key),
    /// Beyond this key.
    Beyond(Key),
    /// Nowhere: no key can lie in the range.
    Nowhere,
}

impl Beginning {
    /// As the engine takes it; `None` if there is nothing to read.
    pub(crate) fn origin(&self) -> Option<Origin<'_>> {
        match self {
            Self::Start => Some(Origin::Start),
            Self::At(key) => Some(Origin::At(key)),
            Self::Beyond(key) => Some(Origin::Beyond(key)),
            Self::Nowhere => None,
        }
    }
}

impl Range {
    /// All keys, upwards.
    pub fn all() -> Self {
        Self { from: Bound::Unbounded, to: Bound::Unbounded, direction: Direction::Forward }
    }

    /// The keys that begin so, upwards.
    pub fn of(prefix: &[u8]) -> Self {
        let bound = Bound::Included(prefix.to_vec());
        Self { from: bound.clone(), to: bound, direction: Direction::Forward }
    }

    /// The same range, read downwards.
    pub fn backward(self) -> Self {
        Self { direction: Direction::Backward, ..self }
    }

    /// The key that is both bounds, if the same one is; keys that begin so lie in it, too.
    pub(crate) fn only(&self) -> Option<&[u8]> {
        match (&self.from, &self.to) {
            (Bound::Included(from), Bound::Included(to)) if from == to => Some(from),
            _ => None,
        }
    }

    /// Returns true if a key lies in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.begins_by(key) && self.reaches(key)
    }

    fn begins_by(&self, key: &[u8]) -> bool {
        match &self.from {
            Bound::Unbounded => true,
            Bound::Included(bound) => key >= bound.as_slice(),
            Bound::Excluded(bound) => key > bound.as_slice() && !key.starts_with(bound),
        }
    }

    fn reaches(&self, key: &[u8]) -> bool {
        match &self.to {
            Bound::Unbounded => true,
            Bound::Included(bound) => key <= bound.as_slice() || key.starts_with(bound),
            Bound::Excluded(bound) => key < bound.as_slice(),
        }
    }

    /// Returns true if a key that lies where reading goes is beyond the end.
    pub(crate) fn ends_before(&self, key: &[u8]) -> bool {
        match self.direction {
            Direction::Forward => !self.reaches(key),
            Direction::Backward => !self.begins_by(key),
        }
    }

    /// Returns true if every key of another range lies in it, as far as that is easily seen.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        (self.from == Bound::Unbounded || self.from == other.from)
            && (self.to == Bound::Unbounded || self.to == other.to)
    }

    /// The place at which reading begins.
    pub(crate) fn beginning(&self) -> Beginning {
        match (self.direction, &self.from, &self.to) {
            (Direction::Forward, Bound::Unbounded, _) | (Direction::Backward, _, Bound::Unbounded) => {
                Beginning::Start
            }
            (Direction::Forward, Bound::Included(bound), _) => Beginning::At(Key::from_slice(bound)),
            (Direction::Forward, Bound::Excluded(bound), _) => {
                after_prefix(bound).map_or(Beginning::Nowhere, Beginning::At)
            }
            (Direction::Backward, _, Bound::Included(bound)) => {
                after_prefix(bound).map_or(Beginning::Start, Beginning::Beyond)
            }
            (Direction::Backward, _, Bound::Excluded(bound)) => Beginning::Beyond(Key::from_slice(bound)),
        }
    }
}

/// The first key behind all that begin so; `None` if there is none.
fn after_prefix(prefix: &[u8]) -> Option<Key> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut key = Key::from_slice(&prefix[..=last]);
    key[last] += 1;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that reading a range gives, of these.
    fn read(range: &Range, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut sorted: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
        sorted.sort();
        if range.direction == Direction::Backward {
            sorted.reverse();
        }
        let ahead = |one: &[u8], other: &[u8]| match range.direction {
            Direction::Forward => one < other,
            Direction::Backward => one > other,
        };
        let beginning = range.beginning();
        let Some(origin) = beginning.origin() else { return Vec::new() };
        let begun = sorted.into_iter().filter(|key| match origin {
            Origin::Start => true,
            Origin::At(from) => !ahead(key, from),
            Origin::Beyond(from) => ahead(from, key),
        });
        begun.take_while(|key| !range.ends_before(key)).collect()
    }

    #[test]
    fn reading_gives_what_lies_in_the_range_whichever_way() {
        let keys: [&[u8]; 8] = [b"", b"a", b"aa", b"ab", b"b", b"\xff", b"\xff\xff", b"\xff\xffz"];
        let bounds = |bound: &[u8]| {
            [Bound::Unbounded, Bound::Included(bound.to_vec()), Bound::Excluded(bound.to_vec())]
        };
        for low in keys {
            for high in keys.iter().filter(|high| **high >= low) {
                for (from, to) in
                    bounds(low).into_iter().flat_map(|from| bounds(high).map(|to| (from.clone(), to)))
                {
                    let range = Range { from, to, direction: Direction::Forward };
                    let mut inside: Vec<_> =
                        keys.iter().filter(|key| range.contains(key)).map(|key| key.to_vec()).collect();
                    inside.sort();
                    assert_eq!(read(&range, &keys), inside, "{range:?}");
                    inside.reverse();
                    assert_eq!(read(&range.clone().backward(), &keys), inside, "{range:?}");
                }
            }
        }
    }
}
