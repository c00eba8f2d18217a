//! Names that units of work and tasks of several regions take.

mod common;

use std::time::Duration;

use common::{PATIENCE, Region, Site, here, open, store};
use records::{Decider, Decision, Engine, Error, Holder, Holding, Lifetime, Recovery, Resource, Wait};

/// The time after which a word has come to the server.
const SOON: Duration = Duration::from_millis(20);

#[tokio::test]
async fn a_name_is_one_for_all_regions_to_the_end_of_the_unit_of_work_or_of_the_task() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let owner = one.engine.locks().new_owner();
        let mut a = one.engine.begin(owner);
        assert!(!a.has_locks_elsewhere());
        assert_eq!(a.lock_name(b"unit", Lifetime::Unit, Wait::Forever).await, Ok(()));
        assert_eq!(a.lock_name(b"task", Lifetime::Task, Wait::Forever).await, Ok(()));
        assert!(a.has_locks_elsewhere());
        let mut b = other.begin();
        for name in [b"unit", b"task"] {
            assert_eq!(b.lock_name(name, Lifetime::Unit, Wait::No).await, Err(Error::Locked));
        }
        let late = b.lock_name(b"unit", Lifetime::Unit, Wait::AtMost(SOON)).await;
        assert_eq!(late, Err(Error::TimedOut));
        // A name that is taken twice is given back twice.
        assert_eq!(a.lock_name(b"unit", Lifetime::Unit, Wait::No).await, Ok(()));
        a.unlock_name(b"unit", Lifetime::Unit);
        assert_eq!(b.lock_name(b"unit", Lifetime::Unit, Wait::No).await, Err(Error::Locked));
        // The unit of work ends: one who waits gets its name, and that of the task stays, also over a commit with changes.
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        a.put(accounts, b"a", b"1").await.unwrap();
        let (committed, waited) =
            tokio::join!(a.commit(), b.lock_name(b"unit", Lifetime::Unit, Wait::Forever));
        assert_eq!((committed, waited), (Ok(()), Ok(())));
        let mut again = one.engine.begin(owner);
        assert_eq!(again.lock_name(b"task", Lifetime::Task, Wait::No).await, Ok(()), "its own");
        again.unlock_name(b"task", Lifetime::Task);
        assert_eq!(b.lock_name(b"task", Lifetime::Unit, Wait::No).await, Err(Error::Locked));
        drop(again);
        one.engine.release_names(owner);
        assert_eq!(b.lock_name(b"task", Lifetime::Unit, Wait::AtMost(PATIENCE)).await, Ok(()));
        let long = vec![b'x'; 600];
        let refused = b.lock_name(&long, Lifetime::Unit, Wait::No).await;
        assert_eq!(refused, Err(Error::Limit("length of a name")));
    })
    .await;
}

#[tokio::test]
async fn a_circle_of_names_and_records_is_found_and_the_holder_is_known() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        let owner = one.engine.locks().new_owner();
        let (mut a, mut b) = (one.engine.begin(owner), other.begin());
        a.lock_name(b"N", Lifetime::Task, Wait::Forever).await.unwrap();
        b.lock(accounts, b"b", Wait::Forever).await.unwrap();
        assert_eq!(one.engine.awaited(owner), None);
        let circle = {
            let mut waits = std::pin::pin!(a.lock(accounts, b"b", Wait::Forever));
            assert!(tokio::time::timeout(SOON, &mut waits).await.is_err(), "it waits for the other region");
            assert_eq!(one.engine.awaited(owner), Some(Resource::record(accounts, b"b")));
            // The holder is asked for by a thread that waits; the link of this region is on this one.
            let engine = one.engine.clone();
            let holder = tokio::task::spawn_blocking(move || engine.holder_for(owner)).await.unwrap();
            assert_eq!(holder, Some(Holder::Elsewhere("REGB".into())));
            let refused = b.lock_name(b"N", Lifetime::Unit, Wait::Forever).await;
            drop(b);
            (refused, waits.await)
        };
        assert_eq!(circle, (Err(Error::Deadlock), Ok(())));
        assert_eq!(one.engine.awaited(owner), None);
    })
    .await;
}

/// A region's own locks at the server as it sees them: who, the object, if it is waited for, and if it is retained.
async fn listed(region: &Region) -> Vec<(Holding, Resource, bool, bool)> {
    let engine = region.engine.clone();
    // The thread that asks waits; the link of this region is on this one.
    let all = tokio::task::spawn_blocking(move || engine.held_elsewhere()).await.expect("a thread");
    all.into_iter().map(|(by, lock)| (by, lock.resource, lock.waits, lock.retained)).collect()
}

#[tokio::test]
async fn a_region_sees_its_own_locks_and_waits_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let accounts = store(&*one.engine, "accounts", Recovery::Recoverable).await;
        assert_eq!(listed(&one).await, []);
        let (mut a, mut b, mut c) = (one.begin(), other.begin(), one.begin());
        a.lock(accounts, b"a", Wait::Forever).await.unwrap();
        a.lock_name(b"N", Lifetime::Task, Wait::Forever).await.unwrap();
        b.lock(accounts, b"b", Wait::Forever).await.unwrap();
        c.lock(accounts, b"c", Wait::Forever).await.unwrap();
        c.put(accounts, b"c", b"1").await.unwrap();
        c.prepare(b"in doubt").await.unwrap();
        drop(c);
        let (owner, key) = (a.owner(), |key: &[u8]| Resource::record(accounts, key));
        {
            let mut waits = std::pin::pin!(a.lock(accounts, b"b", Wait::Forever));
            assert!(tokio::time::timeout(SOON, &mut waits).await.is_err());
            let by = Holding::Owner(owner);
            let expected = [
                (by.clone(), key(b"a"), false, false),
                (by.clone(), Resource::named(b"N"), false, false),
                (by, key(b"b"), true, false),
                (Holding::Doubtful(b"in doubt".to_vec()), key(b"c"), false, true),
            ];
            assert_eq!(listed(&one).await, expected);
            assert_eq!(listed(&other).await, [(Holding::Owner(b.owner()), key(b"b"), false, false)]);
        }
        one.engine.resolve(b"in doubt", Decision::Backout, Decider::Operator).await.unwrap();
        a.backout().await.unwrap();
        one.engine.release_names(owner);
        tokio::time::sleep(SOON).await;
        assert_eq!(listed(&one).await, []);
    })
    .await;
}

#[tokio::test]
async fn names_are_free_when_their_region_dies_and_lost_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let (site, engine) = (Site::default(), open(folder.path()));
        let server = site.serves(engine.clone()).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let owner = one.engine.locks().new_owner();
        let mut a = one.engine.begin(owner);
        a.lock_name(b"unit", Lifetime::Unit, Wait::Forever).await.unwrap();
        a.lock_name(b"task", Lifetime::Task, Wait::Forever).await.unwrap();
        one.kill();
        let theirs = other.engine.locks().new_owner();
        let mut b = other.engine.begin(theirs);
        for name in [b"unit", b"task"] {
            assert_eq!(b.lock_name(name, Lifetime::Task, Wait::AtMost(PATIENCE)).await, Ok(()), "it is free");
        }
        assert_eq!(b.commit().await, Ok(()));
        // Another server: others may have the names by now, and what their task does later is refused.
        site.is_empty();
        server.close();
        site.serves(engine).await;
        let mut again = other.begin();
        assert_eq!(again.lock_name(b"other", Lifetime::Unit, Wait::No).await, Ok(()), "the server is there");
        let third = Region::start(&site, "REGC", 1).await;
        let mut c = third.begin();
        assert_eq!(c.lock_name(b"task", Lifetime::Unit, Wait::AtMost(PATIENCE)).await, Ok(()));
        let mut b = other.engine.begin(theirs);
        let refused = b.lock_name(b"more", Lifetime::Unit, Wait::No).await;
        assert!(matches!(refused, Err(Error::Lost(_))), "{refused:?}");
        // Another task of that region is well.
        let mut well = other.begin();
        assert_eq!(well.lock_name(b"more", Lifetime::Unit, Wait::No).await, Ok(()));
    })
    .await;
}
