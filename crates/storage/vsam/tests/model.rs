//! A KSDS with two alternate indexes against a model that is an ordinary map, with two units of work interleaved.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{Fixture, KEYED, cluster};
use proptest::prelude::*;
use records::{UnitOfWork, Wait};
use vsam::{Browse, Dataset, Definition, Error, Search};

/// Records are a key of two letters, a key of the unique index, one of the other, and whatever follows.
type Records = BTreeMap<[u8; 2], Record>;

/// A record, and when it came to its place in the index with duplicates.
#[derive(Clone, Debug)]
struct Record {
    bytes: Vec<u8>,
    came: usize,
}

#[derive(Clone, Debug)]
enum Operation {
    Write { key: [u8; 2], unique: u8, other: u8 },
    Rewrite { key: [u8; 2], unique: u8, other: u8 },
    Delete { key: [u8; 2] },
    DeleteGeneric { beginning: u8 },
    Read { through: usize, key: Vec<u8>, generic: bool, at_least: bool },
    Browse { through: usize, key: Vec<u8>, turns: Vec<bool> },
    Commit,
    Backout,
    Checkpoint,
}

fn letter() -> impl Strategy<Value = u8> {
    b'a'..=b'e'
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::*;
    let key = || (letter(), letter()).prop_map(|(a, b)| [a, b]);
    let search = || {
        (0..3usize, prop::collection::vec(letter(), 1..=2)).prop_map(|(through, mut key)| {
            key.truncate(if through == 0 { 2 } else { 1 });
            (through, key)
        })
    };
    prop_oneof![
        6 => (key(), b'a'..=b'z', letter()).prop_map(|(key, unique, other)| Write { key, unique, other }),
        3 => (key(), b'a'..=b'z', letter()).prop_map(|(key, unique, other)| Rewrite { key, unique, other }),
        2 => key().prop_map(|key| Delete { key }),
        1 => letter().prop_map(|beginning| DeleteGeneric { beginning }),
        4 => (search(), any::<bool>(), any::<bool>()).prop_map(|((through, key), generic, at_least)| {
            Read { through, generic: generic || (through == 0 && key.len() < 2), at_least, key }
        }),
        3 => (search(), prop::collection::vec(any::<bool>(), 1..20)).prop_map(|((through, mut key), turns)| {
            key.resize(if through == 0 { 2 } else { 1 }, b'a');
            Browse { through, key, turns }
        }),
        2 => Just(Commit),
        1 => Just(Backout),
        1 => Just(Checkpoint),
    ]
}

/// One of the two who work.
struct Worker {
    unit: Box<dyn UnitOfWork>,
    own: BTreeMap<[u8; 2], Option<Record>>,
    /// Unique keys that it has taken or given up.
    unique: BTreeSet<u8>,
}

struct World {
    fixture: Fixture,
    /// The cluster, through the unique index, through the other.
    views: [Arc<Dataset>; 3],
    committed: Records,
    workers: Vec<Worker>,
    /// Number of times that a record came to a place in the index with duplicates.
    arrivals: usize,
}

impl World {
    async fn new() -> Self {
        let fixture = Fixture::new().await;
        fixture.define(Definition::Cluster(cluster("KSDS", KEYED))).await;
        fixture.index_at("UNIQUE", true, 2).await;
        fixture.index_at("OTHER", false, 3).await;
        let views = [
            fixture.dataset("KSDS").await,
            fixture.dataset("UNIQUE.PATH").await,
            fixture.dataset("OTHER.PATH").await,
        ];
        let (committed, workers, arrivals) = (Records::new(), Vec::new(), 0);
        let mut world = Self { fixture, views, committed, workers, arrivals };
        world.workers = (0..2).map(|_| world.worker()).collect();
        world
    }

    fn worker(&self) -> Worker {
        Worker { unit: self.fixture.begin(), own: BTreeMap::new(), unique: BTreeSet::new() }
    }

    /// Records that a worker must see.
    fn view(&self, worker: usize) -> Records {
        let mut view = self.committed.clone();
        for (key, record) in &self.workers[worker].own {
            match record {
                Some(record) => drop(view.insert(*key, record.clone())),
                None => drop(view.remove(key)),
            }
        }
        view
    }

    /// Returns true if the other has changed this record.
    fn is_held(&self, worker: usize, key: [u8; 2]) -> bool {
        self.workers[1 - worker].own.contains_key(&key)
    }

    /// Checks the fate of a record that takes one unique key and gives up another.
    fn check_unique(&self, worker: usize, before: Option<u8>, after: Option<u8>) -> Result<(), Error> {
        if before == after {
            return Ok(());
        }
        let other = &self.workers[1 - worker].unique;
        if before.iter().chain(&after).any(|key| other.contains(key)) {
            return Err(Error::Engine(records::Error::Locked));
        }
        match after.is_some_and(|after| self.view(worker).values().any(|record| record.bytes[2] == after)) {
            true => Err(Error::DuplicateAlternate(common::name("UNIQUE"))),
            false => Ok(()),
        }
    }

    fn note(&mut self, worker: usize, key: [u8; 2], record: Option<Vec<u8>>) {
        let former = self.view(worker).remove(&key);
        let before = former.as_ref().map(|former| former.bytes[2]);
        let after = record.as_ref().map(|record| record[2]);
        if before != after {
            self.workers[worker].unique.extend(before.iter().chain(&after));
        }
        let record = record.map(|bytes| {
            let stays = former.filter(|former| former.bytes[3] == bytes[3]);
            self.arrivals += usize::from(stays.is_none());
            Record { came: stays.map_or(self.arrivals, |former| former.came), bytes }
        });
        self.workers[worker].own.insert(key, record);
    }

    async fn apply(&mut self, worker: usize, operation: Operation) {
        match operation {
            Operation::Write { key, unique, other } => {
                let record = vec![key[0], key[1], unique, other];
                let expected = match self.view(worker).contains_key(&key) {
                    _ if self.is_held(worker, key) => Err(Error::Engine(records::Error::Locked)),
                    true => Err(Error::Duplicate),
                    false => self.check_unique(worker, None, Some(unique)),
                };
                let written =
                    self.views[0].write(&mut *self.workers[worker].unit, None, &record, Wait::No).await;
                assert_eq!(written.map(drop), expected, "write {key:?} {unique}");
                if expected.is_ok() {
                    self.note(worker, key, Some(record));
                }
            }
            Operation::Rewrite { key, unique, other } => {
                let record = vec![key[0], key[1], unique, other, b'!'];
                let view = self.view(worker);
                let expected = match view.get(&key) {
                    _ if self.is_held(worker, key) => Err(Error::Engine(records::Error::Locked)),
                    None => Err(Error::NotFound),
                    Some(former) => self.check_unique(worker, Some(former.bytes[2]), Some(unique)),
                };
                let outcome = self.rewrite(worker, key, &record).await;
                assert_eq!(outcome, expected, "rewrite {key:?} {unique}");
                if expected.is_ok() {
                    self.note(worker, key, Some(record));
                }
            }
            Operation::Delete { key } => {
                let view = self.view(worker);
                let expected = match view.get(&key) {
                    _ if self.is_held(worker, key) => Err(Error::Engine(records::Error::Locked)),
                    None => Err(Error::NotFound),
                    Some(former) => self.check_unique(worker, Some(former.bytes[2]), None),
                };
                let outcome =
                    self.views[0].delete_by_key(&mut *self.workers[worker].unit, &key, Wait::No).await;
                assert_eq!(outcome.map(drop), expected, "delete {key:?}");
                if expected.is_ok() {
                    self.note(worker, key, None);
                }
            }
            Operation::DeleteGeneric { beginning } => self.delete_generic(worker, beginning).await,
            Operation::Read { through, key, generic, at_least } => {
                self.check_read(worker, through, Search { key: &key, generic, at_least }).await;
            }
            Operation::Browse { through, key, turns } => {
                self.check_browse(worker, through, &key, &turns).await
            }
            Operation::Commit => {
                let fresh = self.worker();
                let Worker { unit, own, .. } = std::mem::replace(&mut self.workers[worker], fresh);
                unit.commit().await.expect("commits");
                for (key, record) in own {
                    match record {
                        Some(record) => drop(self.committed.insert(key, record)),
                        None => drop(self.committed.remove(&key)),
                    }
                }
            }
            Operation::Backout => {
                let fresh = self.worker();
                let Worker { unit, .. } = std::mem::replace(&mut self.workers[worker], fresh);
                unit.backout().await.expect("backs out");
            }
            Operation::Checkpoint => {
                records::Engine::checkpoint(&*self.fixture.engine).expect("a checkpoint")
            }
        }
    }

    /// A refused rewrite lets the record go again, so that the model need not know of it.
    async fn rewrite(&mut self, worker: usize, key: [u8; 2], record: &[u8]) -> Result<(), Error> {
        let unit = &mut *self.workers[worker].unit;
        self.views[0].read_for_update(unit, Search::equal(&key), Wait::No, &mut Vec::new()).await?;
        let outcome = self.views[0].rewrite(unit, &key, record, Wait::No).await;
        if outcome.is_err() {
            self.views[0].unlock(unit, &key);
        }
        outcome
    }

    async fn delete_generic(&mut self, worker: usize, beginning: u8) {
        let doomed: Vec<_> = self.view(worker).into_keys().filter(|key| key[0] == beginning).collect();
        let possible = doomed.iter().all(|key| {
            let unique = self.view(worker)[key].bytes[2];
            !self.is_held(worker, *key) && self.check_unique(worker, Some(unique), None).is_ok()
        });
        if !possible {
            // It would stop half way: the program's unit of work would then be backed out.
            return;
        }
        let expected = if doomed.is_empty() { Err(Error::NotFound) } else { Ok(doomed.len() as u64) };
        let unit = &mut *self.workers[worker].unit;
        assert_eq!(self.views[0].delete_generic(unit, &[beginning], Wait::No).await, expected);
        doomed.into_iter().for_each(|key| self.note(worker, key, None));
    }

    /// The records in the order of a view, with their keys there.
    fn ordered(&self, worker: usize, through: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut ordered: Vec<_> = self.view(worker).into_iter().collect();
        if through > 0 {
            // Duplicates stay in the order in which they came.
            ordered.sort_by_key(|(_, record)| (record.bytes[through + 1], record.came));
        }
        let key = |key: [u8; 2], bytes: &[u8]| match through {
            0 => key.to_vec(),
            through => vec![bytes[through + 1]],
        };
        ordered.into_iter().map(|(base, record)| (key(base, &record.bytes), record.bytes)).collect()
    }

    async fn check_read(&mut self, worker: usize, through: usize, search: Search<'_>) {
        let ordered = self.ordered(worker, through);
        let position = ordered.iter().position(|(key, _)| key.as_slice() >= search.key);
        let accepted = position.filter(|at| {
            let key = &ordered[*at].0;
            search.at_least || if search.generic { key.starts_with(search.key) } else { *key == search.key }
        });
        let expected = accepted.map(|at| {
            let duplicate = ordered.get(at + 1).is_some_and(|next| next.0 == ordered[at].0);
            (ordered[at].1.clone(), duplicate)
        });
        let mut record = Vec::new();
        let found = self.views[through].read(&mut *self.workers[worker].unit, search, &mut record).await;
        let found = match found {
            Ok(found) => Some((record, found.duplicate)),
            Err(Error::NotFound) => None,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, expected, "{search:?} through {through}");
    }

    /// A walk back and forth. Through the index with duplicates only forward: turning round has its own tests.
    async fn check_browse(&mut self, worker: usize, through: usize, key: &[u8], turns: &[bool]) {
        let ordered = self.ordered(worker, through);
        let start = ordered.iter().position(|(at, _)| at.as_slice() >= key);
        let started =
            self.views[through].browse(&mut *self.workers[worker].unit, Search::at_least(key)).await;
        let (mut browse, mut at): (Browse, usize) = match (started, start) {
            (Ok(browse), Some(start)) => (browse, start),
            (Err(Error::NotFound), None) => return,
            (started, start) => panic!("{:?} where {start:?} was expected", started.map(drop)),
        };
        // `at` lies between records: the one before it was passed going forward.
        let mut forward_only = true;
        for backward in turns {
            let backward = *backward && through != 2 && !forward_only;
            forward_only = false;
            let unit = &mut *self.workers[worker].unit;
            let mut record = Vec::new();
            let (outcome, expected) = if backward {
                let expected = at.checked_sub(1).map(|before| ordered[before].1.clone());
                at = at.saturating_sub(1);
                (browse.prev(unit, &mut record).await, expected)
            } else {
                let expected = ordered.get(at).map(|(_, record)| record.clone());
                at = (at + 1).min(ordered.len());
                (browse.next(unit, &mut record).await, expected)
            };
            let outcome = match outcome {
                Ok(_) => Some(record),
                Err(Error::EndOfFile) => None,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(outcome, expected, "browse from {key:?} through {through}, {turns:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_data_set_is_a_map_with_indexes(
        operations in prop::collection::vec((0..2usize, operation()), 1..150),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new().await;
            for (worker, operation) in operations {
                world.apply(worker, operation).await;
            }
            let both = vsam::Tests { index: true, data: true };
            let verified = world.fixture.vsam.examine(&common::name("KSDS"), both, &mut |_| {}).await.unwrap();
            assert_eq!(verified.problems, Vec::<String>::new());
            assert_eq!(verified.records, world.committed.len() as u64);
        });
    }
}
