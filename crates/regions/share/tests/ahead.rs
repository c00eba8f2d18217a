//! Browses that read ahead: no region reads anything older than what any region has seen.

mod common;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use common::{Region, Site, begin, here, open, put, store};
use fastrand::Rng;
use records::{Engine, Recovery, StoreId, UnitOfWork, Wait};
use tokio::task::JoinSet;
use vsam::{Browse, Cluster, Dataset, Error, KeyField, Organization, Search};

fn dataset(store: StoreId) -> Arc<Dataset> {
    let cluster = Cluster {
        name: "TEST".parse().expect("a name"),
        organization: Organization::Keyed(KeyField { offset: 0, length: 3 }),
        average: 20,
        maximum: 20,
        recovery: Recovery::Recoverable,
        reuse: false,
    };
    Dataset::shared_table(cluster, store).expect("a table")
}

async fn exchanges(region: &Region) -> u64 {
    let engine = region.engine.clone();
    let counts = tokio::task::spawn_blocking(move || engine.shared_counts()).await.expect("it ends");
    counts.map(|(counts, _)| counts.exchanges).expect("counts")
}

async fn from_the_start(unit: &mut dyn UnitOfWork, dataset: &Arc<Dataset>) -> Browse {
    dataset.browse(unit, Search { key: b"", generic: true, at_least: true }).await.expect("a record")
}

async fn next(browse: &mut Browse, unit: &mut dyn UnitOfWork) -> Option<String> {
    let mut record = Vec::new();
    match browse.next(unit, &mut record).await {
        Ok(_) => Some(String::from_utf8(record).expect("text")),
        Err(Error::EndOfFile) => None,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_browse_of_a_hundred_records_takes_few_exchanges() {
    let folder = tempfile::tempdir().unwrap();
    for (site, least, most) in [(Site::default(), 100, 110), (Site::with_stamps(folder.path()), 1, 12)] {
        let records = tempfile::tempdir().unwrap();
        here(async {
            site.serves(open(records.path())).await;
            let one = Region::start(&site, "REGA", 1).await;
            let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
            let all: Vec<_> = (0..100).map(|number| format!("{number:03}")).collect();
            let pairs: Vec<_> = all.iter().map(|key| (key.as_str(), key.as_str())).collect();
            put(&*one.engine, accounts, &pairs).await;
            let dataset = dataset(accounts);
            // The first browse tells the server that this region reads ahead.
            for turn in 0..2 {
                let before = exchanges(&one).await;
                let mut unit = one.begin();
                let mut browse = from_the_start(&mut *unit, &dataset).await;
                for key in &all {
                    assert_eq!(next(&mut browse, &mut *unit).await.as_ref(), Some(key));
                }
                assert_eq!(next(&mut browse, &mut *unit).await, None);
                let took = exchanges(&one).await - before;
                println!("{took} exchanges for 100 records, turn {turn}");
                assert!((least..=most).contains(&took), "{took} exchanges, turn {turn}");
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_browse_sees_what_was_committed_before_each_step_and_its_own_changes() {
    let folder = tempfile::tempdir().unwrap();
    let seeds: u64 = std::env::var("AHEAD_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(40);
    for seed in 0..seeds {
        let records = tempfile::tempdir().unwrap();
        here(async {
            let site = Site::with_stamps(folder.path());
            site.serves(open(records.path())).await;
            let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
            let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
            let (dataset, mut random) = (dataset(accounts), Rng::with_seed(seed));
            let mut committed: BTreeMap<String, String> = BTreeMap::new();
            for number in (0..60).step_by(2) {
                committed.insert(format!("{number:03}"), format!("{number:03}"));
            }
            let pairs: Vec<_> =
                committed.iter().map(|(key, record)| (key.as_str(), record.as_str())).collect();
            put(&*one.engine, accounts, &pairs).await;
            for _ in 0..3 {
                let (mut unit, mut own) = (one.begin(), BTreeMap::<String, Option<String>>::new());
                let mut browse = from_the_start(&mut *unit, &dataset).await;
                let mut last = String::new();
                loop {
                    if random.u8(0..4) == 0 {
                        // Changes a record: this unit of work, another one of this region, or the other region.
                        let (key, version) = (format!("{:03}", random.u8(0..60)), random.u32(..));
                        let record = random.bool().then(|| format!("{key} {version}"));
                        if random.u8(0..3) == 0 {
                            unit.lock(accounts, key.as_bytes(), Wait::Forever).await.unwrap();
                            change(&mut *unit, accounts, &key, record.as_deref()).await;
                            own.insert(key, record);
                        } else if !own.contains_key(&key) {
                            let engine = if random.bool() { &one.engine } else { &other.engine };
                            let mut theirs = begin(&**engine);
                            theirs.lock(accounts, key.as_bytes(), Wait::Forever).await.unwrap();
                            change(&mut *theirs, accounts, &key, record.as_deref()).await;
                            theirs.commit().await.unwrap();
                            match record {
                                Some(record) => committed.insert(key, record),
                                None => committed.remove(&key),
                            };
                        }
                    }
                    let mut seen = committed.clone();
                    for (key, record) in &own {
                        match record {
                            Some(record) => seen.insert(key.clone(), record.clone()),
                            None => seen.remove(key),
                        };
                    }
                    let expected = seen.into_iter().find(|(key, _)| *key > last);
                    let found = next(&mut browse, &mut *unit).await;
                    assert_eq!(found, expected.as_ref().map(|(_, record)| record.clone()), "seed {seed}");
                    match expected {
                        Some((key, _)) => last = key,
                        None => break,
                    }
                }
                if random.bool() {
                    unit.commit().await.unwrap();
                    for (key, record) in own {
                        match record {
                            Some(record) => committed.insert(key, record),
                            None => committed.remove(&key),
                        };
                    }
                } else {
                    unit.backout().await.unwrap();
                }
            }
        })
        .await;
    }
}

async fn change(unit: &mut dyn UnitOfWork, store: StoreId, key: &str, record: Option<&str>) {
    match record {
        Some(record) => unit.put(store, key.as_bytes(), record.as_bytes()).await.expect("put"),
        None => unit.delete(store, key.as_bytes()).await.expect("deleted"),
    }
}

#[tokio::test]
async fn no_region_reads_ahead_anything_older_than_what_one_has_seen() {
    let folder = tempfile::tempdir().unwrap();
    let records = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::with_stamps(folder.path());
        site.serves(open(records.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        let all: Vec<_> = (0..20).map(|number| (format!("{number:03}"), format!("{number:03} 0"))).collect();
        let pairs: Vec<_> = all.iter().map(|(key, record)| (key.as_str(), record.as_str())).collect();
        put(&*one.engine, accounts, &pairs).await;
        // The greatest version of each record that anybody has seen, or knows to be committed.
        let seen = Rc::new(RefCell::new(vec![0_u64; all.len()]));
        let (ends, read) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(0)));
        let mut tasks = JoinSet::new();
        for writer in 0..2 {
            let engine = if writer == 0 { one.engine.clone() } else { other.engine.clone() };
            let (seen, ends) = (Rc::clone(&seen), Rc::clone(&ends));
            tasks.spawn_local(async move {
                let mut random = Rng::with_seed(writer);
                while !ends.get() {
                    let at = random.usize(0..20);
                    let (key, mut unit) = (format!("{at:03}"), begin(&*engine));
                    let mut record = Vec::new();
                    let key = key.as_bytes();
                    assert!(unit.lock_and_get(accounts, key, Wait::Forever, &mut record).await.unwrap());
                    let version = version(&record) + 1;
                    unit.put(accounts, key, format!("{at:03} {version}").as_bytes()).await.unwrap();
                    unit.commit().await.unwrap();
                    saw(&seen, at, version);
                    tokio::time::sleep(Duration::from_micros(random.u64(0..3_000))).await;
                }
            });
        }
        for reader in 0..4 {
            let engine = if reader % 2 == 0 { one.engine.clone() } else { other.engine.clone() };
            let (seen, ends, read) = (Rc::clone(&seen), Rc::clone(&ends), Rc::clone(&read));
            let dataset = dataset(accounts);
            tasks.spawn_local(async move {
                while !ends.get() {
                    let mut unit = begin(&*engine);
                    let mut browse = from_the_start(&mut *unit, &dataset).await;
                    for at in 0..20 {
                        let least = seen.borrow()[at];
                        let record = next(&mut browse, &mut *unit).await.expect("a record");
                        let version = version(record.as_bytes());
                        assert!(version >= least, "{record}, and somebody has seen {least}");
                        saw(&seen, at, version);
                        read.set(read.get() + 1);
                        tokio::task::yield_now().await;
                    }
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        ends.set(true);
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
        let versions: u64 = seen.borrow().iter().sum();
        println!("{} records read while {versions} changes were committed", read.get());
        assert!(versions > 20 && read.get() > 100, "{versions} changes, {} reads", read.get());
    })
    .await;
}

fn version(record: &[u8]) -> u64 {
    std::str::from_utf8(&record[4..]).expect("text").parse().expect("a number")
}

/// Notes that a region has seen this version of a record.
fn saw(seen: &RefCell<Vec<u64>>, at: usize, version: u64) {
    let mut seen = seen.borrow_mut();
    seen[at] = seen[at].max(version);
}
