//! Locks of units of work of two regions, and what one region sees of the other.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use records::{
    Batch, Direction, Engine, Error, Holder, Holding, Lifetime, Numbers, Origin, Recovery, Resource, Seen,
    StoreId, Wait,
};
use tempfile::tempdir;

use crate::{begin, open, place, put, read, store};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn one_region_waits_for_the_other_and_sees_what_it_has_committed() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("waits").await;
    let a = open(one.path(), "waits", "REGA").await;
    let b = open(other.path(), "waits", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    // B has not heard of the store before it asks for anything.
    put(&*a, accounts, &[("k", "1")]).await;
    assert_eq!(read(&*b, accounts, "k").await.as_deref(), Some("1"));
    assert_eq!(b.find("accounts"), Some(accounts));

    let mut first = begin(&*a);
    let mut record = Vec::new();
    assert_eq!(first.lock_and_get(accounts, b"k", Wait::No, &mut record).await, Ok(true));
    first.put(accounts, b"k", b"2").await.unwrap();
    let mut second = begin(&*b);
    assert_eq!(second.lock(accounts, b"k", Wait::No).await, Err(Error::Locked));
    let patience = Duration::from_millis(100);
    assert_eq!(second.lock(accounts, b"k", Wait::AtMost(patience)).await, Err(Error::TimedOut));
    assert_eq!(read(&*b, accounts, "k").await.as_deref(), Some("1"), "the change is private");
    let owner = second.owner();
    let waits = tokio::spawn(async move {
        let mut record = Vec::new();
        let there = second.lock_and_get(accounts, b"k", Wait::Forever, &mut record).await;
        (there, record, second)
    });
    while b.awaited(owner).is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(b.awaited(owner).unwrap().name(), b"k");
    // Operators see who has it, in this region and, if the database tells its user, in the other one.
    place::does(format!(
        "GRANT SELECT ON pg_stat_activity TO {user}; GRANT EXECUTE ON FUNCTION pg_blocking_pids(integer) TO {user}; \
         GRANT EXECUTE ON FUNCTION pg_stat_get_activity(integer) TO {user}",
        user = place::USER
    ))
    .await;
    let holder = async {
        loop {
            let looks = Arc::clone(&b);
            if let Some(holder) = tokio::task::spawn_blocking(move || looks.holder_for(owner)).await.unwrap()
            {
                return holder;
            }
        }
    };
    let holder = tokio::time::timeout(SOON, holder).await.unwrap();
    assert_eq!(holder, Holder::Elsewhere("REGA".to_owned()));
    let held = a.held_elsewhere();
    let [(by, lock)] = &held[..] else { panic!("{held:?}") };
    assert_eq!((by, &lock.resource), (&Holding::Owner(first.owner()), &Resource::record(accounts, b"k")));
    assert!(!lock.waits && !lock.retained && lock.seconds < 60);
    first.commit().await.unwrap();
    assert_eq!(a.held_elsewhere(), []);
    let (there, record, second) = tokio::time::timeout(SOON, waits).await.unwrap().unwrap();
    assert_eq!((there, &record[..]), (Ok(true), &b"2"[..]), "the record is that of the moment of the lock");
    assert_eq!(b.awaited(owner), None);
    second.backout().await.unwrap();
    assert_eq!(read(&*a, accounts, "k").await.as_deref(), Some("2"));
}

#[tokio::test]
async fn a_lock_is_free_when_it_is_given_back_or_its_unit_of_work_is_gone() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("unlocks").await;
    let a = open(one.path(), "unlocks", "REGA").await;
    let b = open(other.path(), "unlocks", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let mut unit = begin(&*a);
    for key in [&b"1"[..], b"2", b"3"] {
        unit.lock(accounts, key, Wait::No).await.unwrap();
    }
    unit.lock(accounts, b"3", Wait::No).await.unwrap();
    unit.put(accounts, b"1", b"changed").await.unwrap();
    let soon = Wait::AtMost(SOON);
    let mut of_b = begin(&*b);
    unit.unlock(accounts, b"1");
    assert!(unit.has_lock(accounts, b"1"), "a key that is changed stays locked");
    unit.unlock(accounts, b"3");
    assert!(unit.has_lock(accounts, b"3"), "it was taken twice");
    assert_eq!(of_b.lock(accounts, b"3", Wait::No).await, Err(Error::Locked));
    unit.unlock(accounts, b"3");
    of_b.lock(accounts, b"3", soon).await.unwrap();
    assert_eq!(unit.lock(accounts, b"3", Wait::No).await, Err(Error::Locked));
    unit.unlock(accounts, b"2");
    of_b.lock(accounts, b"2", soon).await.unwrap();
    drop(unit);
    of_b.lock(accounts, b"1", soon).await.unwrap();
    drop(of_b);
    // A region's own release is done before its next unit of work is refused.
    for _ in 0..20 {
        let mut unit = begin(&*a);
        unit.lock(accounts, b"1", soon).await.unwrap();
        drop(unit);
        let mut unit = begin(&*a);
        assert_eq!(unit.lock(accounts, b"1", Wait::No).await, Ok(()));
        unit.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_circle_of_two_regions_is_found_and_the_one_who_gives_way_goes_on() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("circle").await;
    let a = open(one.path(), "circle", "REGA").await;
    let b = open(other.path(), "circle", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let (mut of_a, mut of_b) = (begin(&*a), begin(&*b));
    of_a.lock(accounts, b"1", Wait::No).await.unwrap();
    of_b.lock(accounts, b"2", Wait::No).await.unwrap();
    let one_waits = async { of_a.lock(accounts, b"2", Wait::Forever).await };
    let other_waits = async { of_b.lock(accounts, b"1", Wait::Forever).await };
    let first = {
        let (mut one_waits, mut other_waits) = (pin!(one_waits), pin!(other_waits));
        let both = async {
            tokio::select! {
                is = &mut one_waits => (true, is),
                is = &mut other_waits => (false, is),
            }
        };
        // The wait of the one that goes on is given up, and begun again below.
        tokio::time::timeout(SOON, both).await.unwrap()
    };
    assert_eq!(first.1, Err(Error::Deadlock));
    let (victim, mut goes_on, key, own) = match first.0 {
        true => (of_a, of_b, b"1", b"2"),
        false => (of_b, of_a, b"2", b"1"),
    };
    // It has its first lock still.
    assert_eq!(begin(&*a).lock(accounts, key, Wait::No).await, Err(Error::Locked));
    drop(victim);
    goes_on.lock(accounts, key, Wait::AtMost(SOON)).await.unwrap();
    assert!(goes_on.has_lock(accounts, own));
    goes_on.commit().await.unwrap();
}

#[tokio::test]
async fn a_wait_that_is_given_up_leaves_nothing_behind() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("given_up").await;
    let a = open(one.path(), "given_up", "REGA").await;
    let b = open(other.path(), "given_up", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let mut holder = begin(&*a);
    holder.lock(accounts, b"k", Wait::No).await.unwrap();
    let mut waiter = begin(&*b);
    waiter.lock(accounts, b"own", Wait::No).await.unwrap();
    let begun = Instant::now();
    let waits = waiter.lock(accounts, b"k", Wait::Forever);
    assert!(tokio::time::timeout(Duration::from_millis(200), waits).await.is_err());
    // Its session goes on, with the lock that it had.
    waiter.lock(accounts, b"another", Wait::AtMost(SOON)).await.unwrap();
    assert!(begun.elapsed() < SOON, "the database was told");
    drop(holder);
    let mut third = begin(&*a);
    third.lock(accounts, b"k", Wait::AtMost(SOON)).await.unwrap();
    assert_eq!(third.lock(accounts, b"own", Wait::No).await, Err(Error::Locked));
    waiter.put(accounts, b"own", b"1").await.unwrap();
    waiter.commit().await.unwrap();
    assert_eq!(read(&*a, accounts, "own").await.as_deref(), Some("1"));
}

#[tokio::test]
async fn own_changes_are_seen_over_what_is_committed_in_both_directions() {
    let one = tempdir().unwrap();
    place::schema("ranges").await;
    let a = open(one.path(), "ranges", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let keys: Vec<String> = (0..1_200).map(|number| format!("{number:04}")).collect();
    let records: Vec<_> = keys.iter().map(|key| (&**key, "committed")).collect();
    put(&*a, accounts, &records).await;
    let mut unit = begin(&*a);
    for key in keys.iter().step_by(3) {
        unit.delete(accounts, key.as_bytes()).await.unwrap();
    }
    unit.put(accounts, b"0001", b"own").await.unwrap();
    unit.put(accounts, b"9999", b"own").await.unwrap();
    unit.put(accounts, &[0xff, 0, 0x7f], b"bytes").await.unwrap();
    let mut batch = Batch::default();
    unit.range(accounts, Origin::Start, Direction::Forward, 5_000, &mut batch).await.unwrap();
    let forward = batch.to_vec();
    assert_eq!(forward.len(), 802);
    assert_eq!(forward[0], (b"0001".to_vec(), b"own".to_vec()));
    assert_eq!(forward[801], (vec![0xff, 0, 0x7f], b"bytes".to_vec()), "in the order of bytes");
    assert!(forward.is_sorted());
    unit.range(accounts, Origin::Start, Direction::Backward, 5_000, &mut batch).await.unwrap();
    assert!(batch.to_vec().iter().rev().eq(forward.iter()));
    unit.range(accounts, Origin::Beyond(b"0004"), Direction::Forward, 2, &mut batch).await.unwrap();
    let found: Vec<_> = batch.iter().map(|(key, _)| key.to_vec()).collect();
    assert_eq!(found, [b"0005".to_vec(), b"0007".to_vec()]);
    unit.backout().await.unwrap();
    assert_eq!(read(&*a, accounts, "0000").await.as_deref(), Some("committed"));
}

#[tokio::test]
async fn claims_numbers_names_and_watched_stores_are_of_all_regions() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("shared").await;
    let a = open(one.path(), "shared", "REGA").await;
    let b = open(other.path(), "shared", "REGB").await;
    let claim = |engine: Arc<depot::Direct>, alone| async move { engine.claim(b"A", alone).await.unwrap() };
    let (of_a, of_b) = (claim(a.clone(), false).await, claim(b.clone(), false).await);
    assert!(of_a.is_some() && of_b.is_some());
    assert!(claim(a.clone(), true).await.is_none());
    drop(of_b);
    // Another region's claim is given back a little later.
    let soon = |engine: Arc<depot::Direct>| async move {
        loop {
            if let Some(claim) = engine.claim(b"A", true).await.unwrap() {
                return claim;
            }
        }
    };
    let alone = tokio::time::timeout(SOON, soon(a.clone())).await;
    let alone = alone.expect("its own claims hinder nobody");
    assert!(claim(b.clone(), false).await.is_none());
    drop((alone, of_a));
    drop(tokio::time::timeout(SOON, soon(b.clone())).await.unwrap());

    let sequence = store(&*a, "sequence", Recovery::Recoverable).await;
    let mut seen = Vec::new();
    for engine in [&a, &b, &a] {
        let mut unit = begin(&**engine);
        seen.push(unit.take_numbers(sequence, Numbers::Addresses, 10).await.unwrap());
    }
    assert_eq!(seen, [0, 10, 20], "whatever becomes of the unit of work");
    let mut unit = begin(&*b);
    assert_eq!(unit.take_numbers(sequence, Numbers::From(100), 1).await, Ok(100));

    unit.lock_name(b"NAME", Lifetime::Unit, Wait::No).await.unwrap();
    let mut of_a = begin(&*a);
    assert_eq!(of_a.lock_name(b"NAME", Lifetime::Unit, Wait::No).await, Err(Error::Locked));
    let refused = unit.lock_name(b"NAME", Lifetime::Task, Wait::No).await;
    assert!(
        matches!(refused, Err(Error::Unsupported(why)) if why.contains("MAXLIFETIME(TASK)")),
        "{refused:?}"
    );
    unit.unlock_name(b"NAME", Lifetime::Unit);
    of_a.lock_name(b"NAME", Lifetime::Unit, Wait::AtMost(SOON)).await.unwrap();

    let catalogue = store(&*a, "catalogue", Recovery::Recoverable).await;
    put(&*a, catalogue, &[("one", "1")]).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    let watcher = move |seen: Seen<'_>| {
        if let Seen::All(all) = seen {
            *hears.lock().unwrap() =
                all.iter().map(|(key, _)| String::from_utf8(key.clone()).unwrap()).collect();
        }
    };
    assert_eq!(read(&*b, catalogue, "one").await.as_deref(), Some("1"));
    b.watch_store(catalogue, Box::new(watcher)).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), ["one"]);
    // A hears that another region watches with the next thing that it asks for.
    assert_eq!(read(&*a, catalogue, "one").await.as_deref(), Some("1"));
    put(&*a, catalogue, &[("two", "2")]).await;
    assert_eq!(read(&*b, sequence, "x").await, None);
    assert_eq!(*heard.lock().unwrap(), ["one", "two"], "before any answer that comes later");

    assert_eq!(read_store(&*b, StoreId(4_000_000)).await, Err(Error::NoStore(StoreId(4_000_000))));
    let own = store(&*a, "region starts", Recovery::Recoverable).await;
    assert_eq!(store(&*b, "region starts", Recovery::Recoverable).await, b.find("region starts").unwrap());
    assert_ne!(Some(own), b.find("region starts"));
    assert_eq!(begin(&*b).put(own, b"x", b"").await, Err(Error::NoStore(own)), "another region's own");
}

async fn read_store(engine: &dyn Engine, store: StoreId) -> records::Result<bool> {
    begin(engine).get(store, b"x", &mut Vec::new()).await
}

#[tokio::test]
async fn a_name_of_a_store_is_one_regions_and_a_load_is_seen_as_a_whole() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("loads").await;
    let a = open(one.path(), "loads", "REGA").await;
    let b = open(other.path(), "loads", "REGB").await;
    let (mut of_a, mut of_b) = (begin(&*a), begin(&*b));
    let made = of_a.create_store("same", Recovery::Recoverable).unwrap();
    of_b.create_store("same", Recovery::Recoverable).unwrap();
    of_a.commit().await.unwrap();
    assert_eq!(of_b.commit().await, Err(Error::StoreExists("same".to_owned())));
    assert_eq!(b.find("same"), Some(made), "it finds the other one's");
    put(&*a, made, &[("former", "1")]).await;
    let loads = {
        let a = a.clone();
        tokio::task::spawn_blocking(move || {
            let mut records = (0..3_000_u32).map(|n| Ok((n.to_be_bytes().to_vec(), vec![b'r'; 500])));
            let mut load = a.begin_load().unwrap();
            assert_eq!(load.fill(made, &mut records), Ok(3_000));
            let before = a.verify(made).unwrap();
            load.commit().unwrap();
            (before.records, a.verify(made).unwrap())
        })
    };
    let (before, after) = loads.await.unwrap();
    assert_eq!((before, after.records, after.problems.len()), (1, 3_000, 0));
    let c = a.clone();
    let wrong = tokio::task::spawn_blocking(move || {
        let mut records = [b"2", b"1"].into_iter().map(|key| Ok((key.to_vec(), vec![])));
        c.load(made, &mut records)
    });
    assert_eq!(wrong.await.unwrap(), Err(Error::OutOfOrder(2)));
    let c = a.clone();
    let verified = tokio::task::spawn_blocking(move || c.verify(made)).await.unwrap().unwrap();
    assert_eq!(verified.records, 3_000);
    let mut unit = begin(&*b);
    unit.delete_store(made).unwrap();
    unit.commit().await.unwrap();
    assert_eq!(read_store(&*a, made).await, Err(Error::NoStore(made)));
    assert_eq!(a.find("same"), None);
}

#[tokio::test]
async fn a_name_that_a_task_has_to_its_own_end_outlives_its_units_of_work_and_not_its_region() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("task_names").await;
    let a = open(one.path(), "task_names", "REGA").await;
    let b = open(other.path(), "task_names", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let task = a.locks().new_owner();
    let mut unit = a.begin(task);
    unit.lock_name(b"N", Lifetime::Task, Wait::No).await.unwrap();
    unit.put(accounts, b"key", b"1").await.unwrap();
    unit.commit().await.unwrap();
    let mut theirs = begin(&*b);
    assert_eq!(
        theirs.lock_name(b"N", Lifetime::Unit, Wait::No).await,
        Err(Error::Locked),
        "it outlives a commit"
    );
    assert_eq!(theirs.lock_name(b"N", Lifetime::Task, Wait::No).await, Err(Error::Locked));
    // In its next unit of work the task has it still, for that one, too, and gives it back as often as it was taken.
    let mut unit = a.begin(task);
    unit.lock_name(b"N", Lifetime::Unit, Wait::No).await.unwrap();
    unit.lock_name(b"N", Lifetime::Task, Wait::No).await.unwrap();
    unit.unlock_name(b"N", Lifetime::Unit);
    unit.unlock_name(b"N", Lifetime::Task);
    unit.backout().await.unwrap();
    assert_eq!(
        theirs.lock_name(b"N", Lifetime::Unit, Wait::No).await,
        Err(Error::Locked),
        "it outlives a backout"
    );
    let mut unit = a.begin(task);
    unit.unlock_name(b"N", Lifetime::Task);
    theirs.lock_name(b"N", Lifetime::Task, Wait::AtMost(SOON)).await.unwrap();
    // One who waits for it has it when the task ends.
    let mut waits = Box::pin(unit.lock_name(b"N", Lifetime::Task, Wait::AtMost(SOON)));
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut waits).await.is_err());
    let owner = theirs.owner();
    drop(theirs);
    b.release_names(owner);
    waits.await.unwrap();
    // A wait that is given up leaves what the task has already.
    unit.lock_name(b"M", Lifetime::Task, Wait::No).await.unwrap();
    let mut others = begin(&*b);
    others.lock_name(b"O", Lifetime::Task, Wait::No).await.unwrap();
    let given_up = unit.lock_name(b"O", Lifetime::Task, Wait::AtMost(SOON));
    assert!(tokio::time::timeout(Duration::from_millis(50), given_up).await.is_err());
    assert_eq!(others.lock_name(b"M", Lifetime::Task, Wait::No).await, Err(Error::Locked));
    // Half of the sessions are for such tasks, and no more.
    let mut tasks: Vec<_> = (0..40).map(|_| begin(&*b)).collect();
    let mut refused = 0;
    for (number, unit) in tasks.iter_mut().enumerate() {
        match unit.lock_name(format!("T{number}").as_bytes(), Lifetime::Task, Wait::No).await {
            Ok(()) => {}
            Err(Error::Limit("tasks that have names to their own end")) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(refused, 40 - 15, "one other task has a name");
    put(&*b, accounts, &[("other", "2")]).await;
    // The end of the region is that of its tasks.
    drop((tasks, others, b));
    unit.lock_name(b"T3", Lifetime::Task, Wait::AtMost(SOON)).await.unwrap();
    drop(unit);
    a.release_names(task);
}
