//! Regions that share records: locks, commits, deaths.

mod common;

use std::time::Duration;

use common::{PATIENCE, Region, Site, begin, here, open, put, read, store};
use records::{Batch, Decider, Decision, Direction, Engine, Error, Origin, Recovery, Standing, Wait};

#[tokio::test]
async fn what_one_region_commits_the_others_see_and_nothing_before() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        assert_eq!(one.engine.find("accounts"), Some(accounts), "a region knows its store behind the commit");
        put(&*one.engine, accounts, &[("a", "1"), ("b", "2"), ("c", "3")]).await;
        assert_eq!(other.engine.find("accounts"), Some(accounts), "and so do the others");
        assert_eq!(read(&*other.engine, accounts, "b").await.as_deref(), Some("2"));
        let mut unit = one.begin();
        let mut record = Vec::new();
        assert_eq!(unit.lock_and_get(accounts, b"a", Wait::No, &mut record).await, Ok(true));
        unit.put(accounts, b"a", b"11").await.unwrap();
        unit.delete(accounts, b"b").await.unwrap();
        unit.put(accounts, b"bb", b"22").await.unwrap();
        assert_eq!(read(&*other.engine, accounts, "a").await.as_deref(), Some("1"));
        let mut theirs = other.begin();
        assert_eq!(theirs.lock(accounts, b"a", Wait::No).await, Err(Error::Locked));
        let mut batch = Batch::default();
        unit.range(accounts, Origin::Start, Direction::Backward, 10, &mut batch).await.unwrap();
        let own: Vec<_> = batch.iter().map(|(key, record)| [key, b"=", record].concat()).collect();
        assert_eq!(own, [&b"c=3"[..], b"bb=22", b"a=11"], "own changes are merged in");
        let waits = theirs.lock_and_get(accounts, b"a", Wait::Forever, &mut record);
        let (committed, waited) = tokio::join!(unit.commit(), waits);
        assert_eq!((committed, waited), (Ok(()), Ok(true)));
        assert_eq!(record, b"11", "who waits for a lock gets the record with it");
        assert_eq!(read(&*other.engine, accounts, "b").await, None);
    })
    .await;
}

#[tokio::test]
async fn locks_time_out_are_cancelled_and_close_no_circle_over_regions() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        let (mut a, mut b) = (one.begin(), other.begin());
        a.lock(accounts, b"a", Wait::Forever).await.unwrap();
        b.lock(accounts, b"b", Wait::Forever).await.unwrap();
        let late = b.lock(accounts, b"a", Wait::AtMost(Duration::from_millis(5))).await;
        assert_eq!(late, Err(Error::TimedOut));
        // A wait that is dropped leaves nothing behind.
        let waits = tokio::time::timeout(Duration::from_millis(5), b.lock(accounts, b"a", Wait::Forever));
        assert!(waits.await.is_err());
        // The word of it goes another way than that of the other region.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let circle = {
            let mut waits = std::pin::pin!(a.lock(accounts, b"b", Wait::Forever));
            let polled = tokio::time::timeout(Duration::from_millis(20), &mut waits).await;
            assert!(polled.is_err(), "it waits for the other region");
            let refused = b.lock(accounts, b"a", Wait::Forever).await;
            drop(b);
            (refused, waits.await)
        };
        assert_eq!(circle, (Err(Error::Deadlock), Ok(())));
        a.unlock(accounts, b"a");
        let mut c = other.begin();
        assert_eq!(c.lock(accounts, b"a", Wait::Forever).await, Ok(()), "it was given back");
    })
    .await;
}

#[tokio::test]
async fn a_circle_of_a_record_and_a_name_of_a_region_is_found_by_the_one_who_closes_it() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let one = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        let a_while = Duration::from_millis(20);
        let (mut a, mut b) = (one.begin(), one.begin());
        a.lock(accounts, b"a", Wait::Forever).await.unwrap();
        let noted = one.engine.note_wait(a.owner(), b.owner());
        let mut noted = std::pin::pin!(noted);
        assert!(tokio::time::timeout(a_while, &mut noted).await.is_err(), "it is no circle yet");
        assert_eq!(b.lock(accounts, b"a", Wait::Forever).await, Err(Error::Deadlock));
        // The other way round, the wait for the name closes the circle.
        b.lock(accounts, b"b", Wait::Forever).await.unwrap();
        assert!(tokio::time::timeout(a_while, &mut noted).await.is_err());
        let (owner_a, owner_b) = (a.owner(), b.owner());
        let engine = one.engine.clone();
        {
            let mut waits = std::pin::pin!(a.lock(accounts, b"b", Wait::Forever));
            assert!(tokio::time::timeout(a_while, &mut waits).await.is_err());
            assert_eq!(engine.note_wait(owner_b, owner_a).await, Err(Error::Deadlock));
            drop(b);
            assert_eq!(waits.await, Ok(()));
        }
        // A unit of work that waits for one that ends hears so.
        let c = one.begin();
        let noted = one.engine.note_wait(c.owner(), owner_a);
        let mut noted = std::pin::pin!(noted);
        assert!(tokio::time::timeout(a_while, &mut noted).await.is_err());
        a.backout().await.unwrap();
        assert_eq!(noted.await, Ok(()));
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_region_frees_its_locks_and_leaves_nothing_half() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let server = site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        put(&*one.engine, accounts, &[("a", "1")]).await;
        let mut unit = one.begin();
        unit.lock(accounts, b"a", Wait::Forever).await.unwrap();
        unit.put(accounts, b"a", b"2").await.unwrap();
        let mut theirs = other.begin();
        let mut record = Vec::new();
        let waits = theirs.lock_and_get(accounts, b"a", Wait::Forever, &mut record);
        let ((), waited) = tokio::join!(async { one.kill() }, waits);
        assert_eq!((waited, record.as_slice()), (Ok(true), &b"1"[..]));
        drop(unit);
        assert_eq!(server.regions(), ["REGB"]);
        let again = Region::start(&site, "REGA", 2).await;
        assert_eq!(read(&*again.engine, accounts, "a").await.as_deref(), Some("1"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_region_of_the_same_name_is_refused_while_the_first_is_there() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let _one = Region::start(&site, "REGA", 1).await;
        let (second, runs) = share::Remote::without_thread("REGA", 2, site.clone(), PATIENCE);
        let link = tokio::task::spawn_local(runs);
        let refused = second.is_there().await.expect_err("refused");
        assert!(refused.contains("REGA shares the records already"), "{refused}");
        link.abort();
    })
    .await;
}

#[tokio::test]
async fn a_unit_of_work_in_doubt_outlives_its_region_and_its_locks_are_retained() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let engine = open(folder.path());
        site.serves(engine.clone()).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        for (key, name) in [(b"a", b"first"), (b"b", b"later")] {
            let mut unit = one.begin();
            unit.lock(accounts, key, Wait::Forever).await.unwrap();
            unit.put(accounts, key, b"1").await.unwrap();
            unit.prepare(name).await.unwrap();
            assert_eq!(unit.put(accounts, key, b"2").await, Err(Error::Prepared));
            if name == b"first" {
                unit.commit().await.unwrap();
            } else {
                std::mem::forget(unit);
            }
        }
        assert_eq!(read(&*other.engine, accounts, "a").await.as_deref(), Some("1"));
        one.kill();
        let mut theirs = other.begin();
        let refused = loop {
            match theirs.lock(accounts, b"b", Wait::AtMost(Duration::from_millis(5))).await {
                Err(Error::TimedOut) => {}
                other => break other,
            }
        };
        assert_eq!(refused, Err(Error::Retained));
        let listed = engine.indoubt().unwrap();
        assert_eq!((listed.len(), listed[0].standing), (1, Standing::Shunted));
        let again = Region::start(&site, "REGA", 2).await;
        let other_region = other.engine.resolve(b"later", Decision::Commit, Decider::Coordinator).await;
        assert_eq!(other_region, Err(Error::NotIndoubt), "names are a region's own");
        again.engine.resolve(b"later", Decision::Commit, Decider::Coordinator).await.unwrap();
        assert_eq!(read(&*other.engine, accounts, "b").await.as_deref(), Some("1"));
        assert_eq!(theirs.lock(accounts, b"b", Wait::No).await, Ok(()));
    })
    .await;
}

#[tokio::test]
async fn stores_that_are_not_recoverable_change_at_once() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let notes = store(&*one.engine, "notes", Recovery::NonRecoverable).await;
        let mut unit = one.begin();
        unit.put(notes, b"a", b"1").await.unwrap();
        assert_eq!(read(&*other.engine, notes, "a").await.as_deref(), Some("1"));
        drop(unit);
        assert_eq!(read(&*other.engine, notes, "a").await.as_deref(), Some("1"));
        let missing = one.begin().put(records::StoreId(9_999), b"a", b"1").await;
        assert_eq!(missing, Err(Error::NoStore(records::StoreId(9_999))));
    })
    .await;
}

#[tokio::test]
async fn limits_of_a_unit_of_work_are_those_of_the_engine_below() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let local = open(folder.path());
        site.serves(local.clone()).await;
        let region = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*region.engine, "accounts", Recovery::Recoverable).await;
        let record = vec![b'x'; 20_000];
        for engine in [&*region.engine as &dyn Engine, &*local] {
            let mut unit = begin(engine);
            let mut taken = 0_u32;
            let refused = loop {
                match unit.put(accounts, &taken.to_be_bytes(), &record).await {
                    Ok(()) => taken += 1,
                    Err(error) => break error,
                }
            };
            assert_eq!((refused, taken), (Error::Limit("segment_bytes"), 12));
            unit.commit().await.unwrap();
        }
        let mut batch = Batch::default();
        let mut unit = region.begin();
        unit.range(accounts, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.unwrap();
        assert_eq!(batch.len(), 12);
    })
    .await;
}

#[tokio::test]
async fn long_ranges_come_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let region = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*region.engine, "accounts", Recovery::Recoverable).await;
        let mut unit = region.begin();
        for number in 0..2_500_u32 {
            unit.put(accounts, &number.to_be_bytes(), b"r").await.unwrap();
        }
        unit.commit().await.unwrap();
        let mut unit = region.begin();
        unit.delete(accounts, &1_024_u32.to_be_bytes()).await.unwrap();
        unit.put(accounts, &9_999_u32.to_be_bytes(), b"r").await.unwrap();
        for (limit, direction, expected) in [
            (usize::MAX, Direction::Forward, 2_500),
            (usize::MAX, Direction::Backward, 2_500),
            (1_024, Direction::Forward, 1_024),
            (1_025, Direction::Forward, 1_025),
            (2_049, Direction::Backward, 2_049),
        ] {
            let mut batch = Batch::default();
            unit.range(accounts, Origin::Start, direction, limit, &mut batch).await.unwrap();
            assert_eq!(batch.len(), expected, "{limit} {direction:?}");
            let keys: Vec<_> = batch.iter().map(|(key, _)| key).collect();
            let is_sorted = match direction {
                Direction::Forward => keys.is_sorted_by(|a, b| a < b),
                Direction::Backward => keys.is_sorted_by(|a, b| a > b),
            };
            assert!(is_sorted && !keys.contains(&&1_024_u32.to_be_bytes()[..]));
        }
    })
    .await;
}

#[tokio::test]
async fn a_name_is_claimed_by_many_regions_or_by_one() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let beside = one.engine.claim(b"KSDS", false).await.unwrap();
        assert!(beside.is_some() && other.engine.claim(b"KSDS", false).await.unwrap().is_some());
        assert!(other.engine.claim(b"KSDS", true).await.unwrap().is_none());
        drop(beside);
        let alone = other.engine.claim(b"KSDS", true).await.unwrap();
        assert!(alone.is_some() && one.engine.claim(b"KSDS", false).await.unwrap().is_none());
        other.kill();
        while one.engine.claim(b"KSDS", true).await.unwrap().is_none() {}
    })
    .await;
}

#[tokio::test]
async fn a_trial_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let region = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*region.engine, "accounts", Recovery::Recoverable).await;
        let mut unit = region.begin();
        {
            let mut tried = unit.lock(accounts, b"a", Wait::Forever);
            let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(std::pin::Pin::new(&mut tried).poll(&mut nobody).is_pending());
        }
        tokio::task::yield_now().await;
        let mut other = region.begin();
        assert_eq!(other.lock(accounts, b"a", Wait::No).await, Ok(()), "nobody has it");
    })
    .await;
}

/// A region that ends waits only a moment for a server that has gone; one that is being replaced is there again by then.
#[tokio::test]
async fn a_region_that_ends_does_not_wait_for_a_server_that_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let region = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*region.engine, "accounts", Recovery::Recoverable).await;
        region.engine.is_ending();
        put(&*region.engine, accounts, &[("last", "1")]).await;
        site.is_killed().await;
        let begun = std::time::Instant::now();
        let mut late = region.begin();
        let refused = late.lock(accounts, b"late", Wait::Forever).await;
        assert!(matches!(refused, Err(Error::Lost(_))), "{refused:?}");
        assert!(begun.elapsed() < PATIENCE / 3, "it was waited for");
    })
    .await;
}

/// The server is killed while regions work, and comes again.
#[tokio::test]
async fn a_server_that_comes_again_says_what_has_become_of_each_commit() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let engine = open(folder.path());
        let server = site.serves(engine.clone()).await;
        let region = Region::start(&site, "REGA", 1).await;
        let accounts = store(&*region.engine, "accounts", Recovery::Recoverable).await;
        let mut live = region.begin();
        live.lock(accounts, b"live", Wait::Forever).await.unwrap();
        live.put(accounts, b"live", b"1").await.unwrap();
        let untouched = region.begin();
        site.is_empty();
        server.close();
        // Another one of the same engine, as if it had been opened again.
        let waits = tokio::task::spawn_local({
            let engine = region.engine.clone();
            async move { read(&*engine, accounts, "live").await }
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!waits.is_finished(), "what is asked meanwhile waits for the server");
        site.serves(engine).await;
        assert_eq!(waits.await.unwrap(), None);
        let lost = live.commit().await;
        assert!(matches!(&lost, Err(Error::Lost(why)) if why.contains("backed out")), "{lost:?}");
        drop(untouched);
        put(&*region.engine, accounts, &[("next", "1")]).await;
        assert_eq!(read(&*region.engine, accounts, "next").await.as_deref(), Some("1"));
    })
    .await;
}
