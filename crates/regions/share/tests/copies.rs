//! Copies of records in regions: no region reads anything older than what any region has seen.

mod common;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use common::{Region, Site, here, open, put, read, store};
use fastrand::Rng;
use records::{Decider, Decision, Engine, Error, Recovery, StoreId, Wait};
use tokio::task::JoinSet;

/// The counts of a region whose link is on this thread.
async fn counted(region: &Region) -> (u64, u64) {
    let engine = region.engine.clone();
    let counts = tokio::task::spawn_blocking(move || engine.shared_counts()).await.expect("it ends");
    counts.map(|(counts, _)| (counts.copies_used, counts.copies_refused)).expect("counts")
}

/// The copies that a region keeps: of a data table, or of what was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    Table,
    Recent,
}

impl Copies {
    fn are_kept(self, region: &Region, store: StoreId) {
        match self {
            Self::Table => region.engine.keep(store, None),
            Self::Recent => region.engine.copies_take(1 << 20),
        }
    }

    /// A record that is no data table's is copied when it is read for the second time.
    async fn are_known(self, region: &Region, store: StoreId, keys: &[&str]) {
        if self == Self::Recent {
            for key in keys {
                read(&*region.engine, store, key).await;
            }
        }
    }
}

#[tokio::test]
async fn a_copy_is_read_without_an_exchange_until_the_record_changes() {
    for copies in [Copies::Table, Copies::Recent] {
        copies_and_changes(copies).await;
    }
}

async fn copies_and_changes(copies: Copies) {
    let folder = tempfile::tempdir().expect("a folder");
    here(async {
        let (site, engine) = (Site::with_stamps(folder.path()), open(folder.path()));
        let server = site.serves(engine.clone()).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        put(&*one.engine, accounts, &[("a", "1"), ("b", "1")]).await;
        copies.are_kept(&one, accounts);
        copies.are_known(&one, accounts, &["a", "none", "b"]).await;
        for (key, value) in [("a", Some("1")), ("none", None), ("a", Some("1")), ("none", None)] {
            assert_eq!(read(&*one.engine, accounts, key).await.as_deref(), value, "{key}");
        }
        assert_eq!(counted(&one).await, (2, 0), "also a record that is not there");
        put(&*other.engine, accounts, &[("a", "2"), ("none", "some")]).await;
        for (key, value) in [("a", "2"), ("none", "some"), ("a", "2")] {
            assert_eq!(read(&*one.engine, accounts, key).await.as_deref(), Some(value), "{key}");
        }
        assert_eq!(counted(&one).await, (3, 2));
        // Its own changes are its own, and others' copies of them out of date.
        let mut unit = one.begin();
        unit.lock(accounts, b"a", Wait::Forever).await.expect("done");
        unit.put(accounts, b"a", b"3").await.expect("done");
        let mut record = Vec::new();
        assert_eq!(unit.get(accounts, b"a", &mut record).await, Ok(true));
        assert_eq!(record, b"3");
        assert_eq!(read(&*one.engine, accounts, "a").await.as_deref(), Some("2"), "nobody sees it before");
        unit.commit().await.expect("done");
        assert_eq!(read(&*one.engine, accounts, "a").await.as_deref(), Some("3"));
        // Units of work in doubt, stores that are emptied, loads, another server: nothing is read that is gone.
        let mut unit = other.begin();
        unit.lock(accounts, b"b", Wait::Forever).await.expect("done");
        unit.put(accounts, b"b", b"2").await.expect("done");
        unit.prepare(b"doubt").await.expect("done");
        drop(unit);
        assert_eq!(read(&*one.engine, accounts, "b").await.as_deref(), Some("1"));
        // The word of the end of its task goes another way.
        tokio::time::sleep(Duration::from_millis(20)).await;
        other.engine.resolve(b"doubt", Decision::Commit, Decider::Coordinator).await.expect("done");
        assert_eq!(read(&*one.engine, accounts, "b").await.as_deref(), Some("2"));
        site.is_empty();
        server.close();
        site.serves(engine).await;
        put(&*other.engine, accounts, &[("b", "4")]).await;
        assert_eq!(read(&*one.engine, accounts, "b").await.as_deref(), Some("4"));
        assert_eq!(read(&*one.engine, accounts, "b").await.as_deref(), Some("4"));
        let mut unit = other.begin();
        unit.empty_store(accounts).expect("done");
        unit.commit().await.expect("done");
        assert_eq!(read(&*one.engine, accounts, "b").await, None);
        let used = counted(&one).await.0;
        match copies {
            Copies::Table => {
                one.engine.release_kept(accounts);
                read(&*one.engine, accounts, "b").await;
                one.engine.keep(accounts, Some(1));
                read(&*one.engine, accounts, "b").await;
            }
            Copies::Recent => {
                one.engine.copies_take(0);
                read(&*one.engine, accounts, "b").await;
            }
        }
        assert_eq!(counted(&one).await.0, used, "copies are dropped with the wish for them");
    })
    .await;
}

#[tokio::test]
async fn without_a_server_or_beside_one_that_has_a_successor_no_copy_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    here(async {
        let (site, engine) = (Site::with_stamps(folder.path()), open(folder.path()));
        site.serves(engine.clone()).await;
        let one = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        put(&*one.engine, accounts, &[("a", "1")]).await;
        one.engine.copies_take(1 << 20);
        for _ in 0..4 {
            read(&*one.engine, accounts, "a").await;
        }
        assert_eq!(counted(&one).await, (2, 0));
        site.is_killed().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        let (mut unit, mut record) = (one.begin(), Vec::new());
        assert!(unit.get(accounts, b"a", &mut record).now().is_err(), "it waits for a server");
        // This one can be succeeded by another one, which would raise no stamp here: only data tables have copies.
        let server = site.serves(engine).await;
        server.may_be_succeeded();
        for _ in 0..3 {
            assert_eq!(read(&*one.engine, accounts, "a").await.as_deref(), Some("1"));
        }
        assert_eq!(counted(&one).await, (2, 0));
        one.engine.keep(accounts, None);
        for _ in 0..3 {
            read(&*one.engine, accounts, "a").await;
        }
        assert_eq!(counted(&one).await, (4, 0));
    })
    .await;
}

const SEEDS: u64 = 6;
const KEYS: u64 = 6;
const TASKS: u64 = 6;
const STEPS: u64 = 400;
/// Versions that are deletions.
const DELETED: u64 = 7;

/// The knowledge of all regions together: the version of each record that one of them has seen, and the last that was begun.
#[derive(Default)]
struct Seen {
    seen: [Cell<u64>; KEYS as usize],
    begun: [Cell<u64>; KEYS as usize],
}

impl Seen {
    /// A read that began when `floor` was seen has found this.
    fn sees(&self, key: u64, floor: u64, found: Option<u64>, seed: u64) {
        let key = key as usize;
        let version = match found {
            Some(version) => version,
            // One of the deletions since.
            None => floor.next_multiple_of(DELETED),
        };
        assert!(version >= floor, "seed {seed}: version {version} of {key} after {floor} was seen");
        assert!(version <= self.begun[key].get(), "seed {seed}: {found:?} of {key} after {floor} was seen");
        self.seen[key].set(self.seen[key].get().max(version));
    }
}

fn version(record: &[u8]) -> u64 {
    String::from_utf8_lossy(record).parse().expect("a version")
}

/// Changes a record, or reads it.
async fn step(region: &Region, store: StoreId, known: &Seen, random: &mut Rng, seed: u64) {
    let number = random.u64(..KEYS);
    let (key, mut record) = ([number as u8], Vec::new());
    let mut unit = region.begin();
    if random.u8(..4) > 0 {
        let floor = known.seen[number as usize].get();
        match unit.get(store, &key, &mut record).await {
            Ok(there) => known.sees(number, floor, there.then(|| version(&record)), seed),
            Err(Error::Lost(_)) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
        return;
    }
    let floor = known.seen[number as usize].get();
    let Ok(there) = unit.lock_and_get(store, &key, Wait::Forever, &mut record).await else { return };
    known.sees(number, floor, there.then(|| version(&record)), seed);
    // Only the one who has the lock knows how far it is if the last version was a deletion.
    let last = if there { version(&record) } else { known.seen[number as usize].get() };
    let next = last + 1;
    known.begun[number as usize].set(known.begun[number as usize].get().max(next));
    let changed = match next % DELETED {
        0 => unit.delete(store, &key).await,
        _ => unit.put(store, &key, next.to_string().as_bytes()).await,
    };
    if changed.is_ok() && unit.commit().await.is_ok() {
        known.seen[number as usize].set(known.seen[number as usize].get().max(next));
    }
}

async fn run(seed: u64, copies: Copies) -> (u64, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let (site, engine) = (Site::with_stamps(folder.path()), open(folder.path()));
    site.serves(engine.clone()).await;
    // The last one reads without copies: it and the others must never see another order.
    let mut regions = Vec::new();
    for applid in ["REGA", "REGB", "REGC"] {
        regions.push(Region::start(&site, applid, 1).await);
    }
    let regions = Rc::new(regions);
    let accounts = store(&*regions[0].engine, "accounts", Recovery::Recoverable).await;
    regions[..2].iter().for_each(|region| copies.are_kept(region, accounts));
    let (known, mut tasks) = (Rc::new(Seen::default()), JoinSet::new());
    for number in 0..TASKS {
        let (regions, known) = (Rc::clone(&regions), Rc::clone(&known));
        let mut random = Rng::with_seed(seed * 100 + number);
        tasks.spawn_local(async move {
            for _ in 0..STEPS {
                step(&regions[number as usize % regions.len()], accounts, &known, &mut random, seed).await;
                if random.u8(..3) == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
    }
    // The server is another one now and then.
    let mut random = Rng::with_seed(seed);
    let changes = async {
        loop {
            // A region tries to reach the server every 100 milliseconds.
            tokio::time::sleep(Duration::from_millis(random.u64(150..600))).await;
            site.is_killed().await;
            site.serves(engine.clone()).await;
        }
    };
    let all = async {
        while let Some(ended) = tasks.join_next().await {
            ended.expect("no task has failed");
        }
    };
    tokio::select! {
        () = all => {}
        () = changes => {}
    }
    for region in &*regions {
        region.engine.is_there().await.expect("the server is there");
    }
    // In the end all see the same, with copies and without.
    for key in 0..KEYS as u8 {
        let mut found = Vec::new();
        for region in regions.iter().chain(&*regions) {
            let mut record = Vec::new();
            let there = region.begin().get(accounts, &[key], &mut record).await.expect("a read");
            found.push((there, record));
        }
        found.dedup();
        assert_eq!(found.len(), 1, "seed {seed}: {found:?} of {key}");
    }
    let (mut used, mut refused) = (0, 0);
    for region in &*regions {
        let (more, out_of_date) = counted(region).await;
        (used, refused) = (used + more, refused + out_of_date);
    }
    (used, refused)
}

#[tokio::test]
async fn no_region_reads_anything_older_than_what_one_has_seen() {
    here(async {
        let (mut used, mut refused) = (0, 0);
        for seed in 0..SEEDS {
            let copies = if seed % 2 == 0 { Copies::Table } else { Copies::Recent };
            let counts = run(seed, copies).await;
            (used, refused) = (used + counts.0, refused + counts.1);
        }
        assert!(used > 50 && refused > 50, "copies were used ({used}) and out of date ({refused})");
    })
    .await;
}
