//! Stores of regions that share records: own ones, watched ones, numbers given out, ends of units of work in doubt.

mod common;

use std::sync::{Arc, Mutex};

use common::{Region, Site, begin, here, open, put, read, store};
use records::{
    Decider, Decision, Engine, Error, Numbers, Recovery, Seen, StoreId, UnitOfWork, Wait, store_named,
};

async fn two(site: &Site) -> (Region, Region) {
    (Region::start(site, "REGA", 1).await, Region::start(site, "REGB", 1).await)
}

/// Waits until what was sent before has come.
async fn settled(region: &Region) {
    region.engine.claim(b"nothing", false).await.expect("an answer");
}

#[tokio::test]
async fn a_store_of_a_regions_own_is_no_store_to_others() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let engine = open(folder.path());
        site.serves(engine.clone()).await;
        let (one, other) = two(&site).await;
        let own = store(&*one.engine, "region starts", Recovery::Recoverable).await;
        put(&*one.engine, own, &[("a", "secret")]).await;
        assert!(engine.find("region REGA starts").is_some(), "the engine knows it by the APPLID");
        let theirs = store(&*other.engine, "region starts", Recovery::Recoverable).await;
        assert_ne!(own, theirs);
        assert_eq!(read(&*other.engine, theirs, "a").await, None);
        // By its number it is no store.
        let none = Err(Error::NoStore(own));
        let (mut unit, mut record) = (other.begin(), Vec::new());
        assert_eq!(unit.get(own, b"a", &mut record).await, none.clone());
        assert_eq!(unit.lock(own, b"a", Wait::No).await, none.clone().map(drop));
        assert_eq!(unit.put(own, b"a", b"taken").await, none.clone().map(drop));
        let mut unit = other.begin();
        unit.delete_store(own).unwrap();
        assert_eq!(unit.commit().await, none.clone().map(drop));
        let mut unit = other.begin();
        // The engine's directory, too.
        assert_eq!(unit.get(StoreId(0), b"a", &mut record).await, Err(Error::NoStore(StoreId(0))));
        assert!(other.engine.stores().iter().all(|known| known.id != own));
        assert_eq!(read(&*one.engine, own, "a").await.as_deref(), Some("secret"));
        // The next run of the region finds it.
        one.kill();
        let again = Region::start(&site, "REGA", 2).await;
        assert_eq!(again.engine.find("region starts"), Some(own));
    })
    .await;
}

#[tokio::test]
async fn a_store_that_another_unit_of_work_makes_at_the_same_moment_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let engine = open(folder.path());
        site.serves(engine.clone()).await;
        let (one, other) = two(&site).await;
        let mut unit = engine.begin(engine.locks().new_owner());
        let made = unit.create_store("catalogue", Recovery::Recoverable).expect("it is not there");
        let commits = async {
            for _ in 0..10 {
                settled(&other).await;
            }
            unit.commit().await.expect("committed");
        };
        let (found, ()) =
            tokio::join!(store_named(&*one.engine, "catalogue", Recovery::Recoverable), commits);
        assert_eq!(found, Ok(made), "it is that store");
    })
    .await;
}

#[tokio::test]
async fn a_watcher_hears_all_and_then_each_change_also_behind_the_death_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let server = site.serves(open(folder.path())).await;
        let (one, other) = two(&site).await;
        let shared = store(&*one.engine, "catalogue", Recovery::Recoverable).await;
        put(&*one.engine, shared, &[("a", "1")]).await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        let watcher = move |seen: Seen<'_>| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            hears.lock().unwrap().push(match seen {
                Seen::All(all) => all.iter().map(|(key, record)| text(key) + &text(record)).collect(),
                Seen::One(key, record) => format!("{}={}", text(key), record.map_or("gone".into(), text)),
            });
        };
        other.engine.watch_store(shared, Box::new(watcher)).await.unwrap();
        put(&*one.engine, shared, &[("b", "2")]).await;
        let mut unit = one.begin();
        unit.delete(shared, b"a").await.unwrap();
        unit.commit().await.unwrap();
        // Its own changes are no news.
        put(&*other.engine, shared, &[("c", "3")]).await;
        settled(&other).await;
        assert_eq!(heard.lock().unwrap().drain(..).collect::<Vec<_>>(), ["a1", "b=2", "a=gone"]);
        server.close();
        put(&*one.engine, shared, &[("d", "4")]).await;
        settled(&other).await;
        let all = heard.lock().unwrap().drain(..).collect::<Vec<_>>();
        assert!(all[0].starts_with("b2c3"), "{all:?}");
        assert!(all.concat().contains("d4") || all.concat().contains("d=4"), "{all:?}");
    })
    .await;
}

#[tokio::test]
async fn numbers_are_given_out_once_and_begin_behind_what_is_committed_or_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = two(&site).await;
        let entries = store(&*one.engine, "entries", Recovery::Recoverable).await;
        let (mut a, mut b) = (one.begin(), other.begin());
        let put_at = async |unit: &mut dyn UnitOfWork, length: u64| {
            let at = unit.take_numbers(entries, Numbers::Addresses, length).await.unwrap();
            unit.put(entries, &at.to_be_bytes(), &vec![b'x'; length as usize]).await.unwrap();
            at
        };
        assert_eq!(put_at(&mut *a, 10).await, 0);
        assert_eq!(put_at(&mut *b, 20).await, 10);
        b.commit().await.unwrap();
        a.backout().await.unwrap();
        let mut doubtful = one.begin();
        assert_eq!(put_at(&mut *doubtful, 5).await, 30, "what was given out stays so");
        doubtful.prepare(b"doubtful").await.unwrap();
        drop(doubtful);
        drop((one, other));
        site.is_empty();
        tokio::task::yield_now().await;
    })
    .await;
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, _other) = two(&site).await;
        let entries = one.engine.find("entries").unwrap();
        let mut unit = one.begin();
        assert_eq!(unit.take_numbers(entries, Numbers::Addresses, 1).await, Ok(35));
        let index = store(&*one.engine, "index", Recovery::Recoverable).await;
        assert_eq!(unit.take_numbers(index, Numbers::From(7), 1).await, Ok(7));
        assert_eq!(unit.take_numbers(index, Numbers::From(3), 1).await, Ok(8));
        assert!(unit.take_numbers(index, Numbers::From(3), u64::MAX).await.is_err());
        // A store that is emptied begins again.
        let mut empties = one.begin();
        empties.empty_store(entries).unwrap();
        empties.commit().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_region_hears_of_units_of_work_in_doubt_that_end_without_their_tasks() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = two(&site).await;
        let own = store(&*one.engine, "region starts", Recovery::Recoverable).await;
        let watch = |region: &Region| {
            let heard = Arc::new(Mutex::new(Vec::new()));
            let hears = Arc::clone(&heard);
            region.engine.watch_resolved(Box::new(move |resolved| {
                hears.lock().unwrap().push((
                    resolved.name.clone(),
                    resolved.decision,
                    resolved.changes.len(),
                ));
            }));
            heard
        };
        let (heard, others) = (watch(&one), watch(&other));
        let mut unit = one.begin();
        unit.lock(own, b"a", Wait::Forever).await.unwrap();
        unit.put(own, b"a", b"1").await.unwrap();
        unit.prepare(b"unit").await.unwrap();
        drop(unit);
        one.engine.resolve(b"unit", Decision::Commit, Decider::Operator).await.unwrap();
        assert_eq!(*heard.lock().unwrap(), [(b"unit".to_vec(), Decision::Commit, 1)]);
        assert_eq!(read(&*one.engine, own, "a").await.as_deref(), Some("1"));
        // A task that waits for its own end sees to it itself.
        let mut unit = one.begin();
        unit.put(own, b"b", b"1").await.unwrap();
        unit.prepare(b"other").await.unwrap();
        unit.commit().await.unwrap();
        // One that is resolved while its task waits is heard of when the task is gone.
        let mut unit = begin(&*one.engine);
        unit.put(own, b"c", b"1").await.unwrap();
        unit.prepare(b"third").await.unwrap();
        one.engine.resolve(b"third", Decision::Backout, Decider::Coordinator).await.unwrap();
        assert_eq!(heard.lock().unwrap().len(), 1);
        drop(unit);
        settled(&one).await;
        assert_eq!(heard.lock().unwrap()[1..], [(b"third".to_vec(), Decision::Backout, 1)]);
        assert_eq!(*others.lock().unwrap(), []);
    })
    .await;
}
