//! The base compared with a map, whatever it knows and forgets.

use std::collections::BTreeMap;

use super::*;
use crate::change::Map;
use crate::depot::{StoredEntries, VisitEntry};
use crate::key::Key;

/// Records by space and key.
type Model = BTreeMap<(u32, Vec<u8>), Vec<u8>>;

/// A depot in main storage.
#[derive(Default)]
struct Shelf(Mutex<Model>);

impl Depot for Shelf {
    fn read(
        &self,
        space: u32,
        low: &[u8],
        high: Option<&[u8]>,
        direction: Direction,
        limit: usize,
    ) -> io::Result<Vec<StoredEntry>> {
        let entries = self.0.lock();
        let end = high.map_or((space + 1, Vec::new()), |high| (space, high.to_vec()));
        let between = entries.range((space, low.to_vec())..end.max((space, low.to_vec())));
        let entry = |((_, key), bytes): (&(u32, Vec<u8>), &Vec<u8>)| (key.clone(), bytes.clone());
        Ok(match direction {
            Direction::Forward => between.map(entry).take(limit).collect(),
            Direction::Backward => between.rev().map(entry).take(limit).collect(),
        })
    }

    fn write(&self, cleared: &[u32], each: &dyn Fn(VisitEntry<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut entries = self.0.lock();
        entries.retain(|(space, _), _| !cleared.contains(space));
        each(&mut |space, key, bytes| {
            match bytes {
                Some(bytes) => drop(entries.insert((space, key.to_vec()), bytes.to_vec())),
                None => drop(entries.remove(&(space, key.to_vec()))),
            }
            Ok(())
        })
    }

    fn fill(&self, space: u32, entries: StoredEntries<'_>) -> io::Result<()> {
        self.0.lock().extend(entries.map(|(key, bytes)| ((space, key), bytes)));
        Ok(())
    }

    fn spaces(&self) -> io::Result<Vec<u32>> {
        let mut spaces: Vec<u32> = self.0.lock().keys().map(|(space, _)| *space).collect();
        spaces.dedup();
        Ok(spaces)
    }
}

/// A sequence of chances.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn key(&mut self) -> Vec<u8> {
        let length = self.below(3);
        (0..length).map(|_| self.below(6) as u8 * 51).collect()
    }
}

/// The records between, as the base should show them.
fn expected(model: &Model, space: u32, origin: Origin<'_>, direction: Direction) -> Vec<StoredEntry> {
    let fits = |key: &[u8]| match (origin, direction) {
        (Origin::Start, _) => true,
        (Origin::At(from), Direction::Forward) => key >= from,
        (Origin::At(from), Direction::Backward) => key <= from,
        (Origin::Beyond(from), Direction::Forward) => key > from,
        (Origin::Beyond(from), Direction::Backward) => key < from,
    };
    let of_space = model.iter().filter(|((at, key), _)| *at == space && fits(key));
    let mut found: Vec<StoredEntry> =
        of_space.map(|((_, key), record)| (key.clone(), record.clone())).collect();
    if direction == Direction::Backward {
        found.reverse();
    }
    found
}

fn step(base: &KeptBase, model: &mut Model, chance: &mut Chance) {
    let space = 1 + chance.below(3) as u32;
    match chance.below(8) {
        0 | 1 => {
            let mut map = Map::new();
            for _ in 0..chance.below(5) {
                let (key, length) = (chance.key(), chance.below(9) as usize);
                let record = (chance.below(3) > 0).then(|| vec![b'r'; length]);
                map.insert(Key::from_slice(&key), record.as_ref().map(|record| Record::new(&key, record)));
                match record {
                    Some(record) => drop(model.insert((space, key), record)),
                    None => drop(model.remove(&(space, key))),
                }
            }
            let changes = vec![(Space(space), Arc::new(map))];
            base.write(&Batch { cleared: vec![], changes, position: Position::default() }).expect("written");
        }
        2 if chance.below(20) == 0 => {
            model.retain(|(at, _), _| *at != space);
            let cleared = vec![Space(space)];
            base.write(&Batch { cleared, changes: vec![], position: Position::default() }).expect("cleared");
        }
        2..=4 => {
            let (key, mut record) = (chance.key(), Vec::new());
            let there = base.get(Space(space), &key, &mut record, Patience::Waits).expect("read");
            let known = model.get(&(space, key.clone()));
            assert_eq!(there.then_some(&record), known);
            // Unless it had no room for it, it knows it now.
            let again = base.get(Space(space), &key, &mut record, Patience::AtOnce);
            assert!(again == Ok(there) || again == Err(Error::NotAtOnce), "{again:?}");
        }
        _ => {
            let from = chance.key();
            let origin = [Origin::Start, Origin::At(&from), Origin::Beyond(&from)][chance.below(3) as usize];
            let direction = [Direction::Forward, Direction::Backward][chance.below(2) as usize];
            let limit = 1 + chance.below(30) as usize;
            for patience in [Patience::AtOnce, Patience::Waits] {
                let mut seen = Vec::new();
                let read = base.scan(Space(space), origin, direction, patience, &mut |key, record| {
                    seen.push((key.to_vec(), record.to_vec()));
                    seen.len() < limit
                });
                if read == Err(Error::NotAtOnce) {
                    assert_eq!(patience, Patience::AtOnce);
                    continue;
                }
                read.expect("read");
                let mut expected = expected(model, space, origin, direction);
                expected.truncate(limit);
                assert_eq!(seen, expected);
            }
        }
    }
}

#[test]
fn it_shows_what_was_written_whatever_it_knows() {
    for seed in 1..=40 {
        let (mut chance, mut model) = (Chance(seed * 7_919), Model::new());
        // From nothing to everything.
        let limit = [0, 500, 2_000, usize::MAX][seed as usize % 4];
        let base = KeptBase::new(Arc::new(Shelf::default()), limit);
        for _ in 0..1_500 {
            step(&base, &mut model, &mut chance);
        }
    }
}

#[test]
fn a_record_that_is_another_than_was_written_is_damage() {
    let shelf = Arc::new(Shelf::default());
    let base = KeptBase::new(shelf.clone(), usize::MAX);
    let mut records = [(b"a".to_vec(), b"first".to_vec()), (b"b".to_vec(), b"second".to_vec())].into_iter();
    assert_eq!(base.fill(Space(7), &mut records), Ok(2));
    shelf.0.lock().get_mut(&(7, b"b".to_vec())).expect("it is there")[0] ^= 1;
    let mut record = Vec::new();
    assert_eq!(base.get(Space(7), b"a", &mut record, Patience::Waits), Ok(true));
    let damaged = base.get(Space(7), b"b", &mut record, Patience::Waits);
    assert!(matches!(damaged, Err(Error::Corrupt(_))), "{damaged:?}");
    let scanned = base.scan(Space(7), Origin::Start, Direction::Forward, Patience::Waits, &mut |_, _| true);
    assert!(matches!(scanned, Err(Error::Corrupt(_))), "{scanned:?}");
    let found = base.verify(Space(7)).expect("read");
    assert_eq!((found.records, found.expected, found.problems.len()), (1, 2, 1));
}
