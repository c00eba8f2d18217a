//! Stores that take a limited number of records, and tables that are deleted.

mod common;

use common::{PATIENCE, Region, Site, begin, here, open, put, read, store};
use records::{Decider, Decision, Engine, Error, Recovery, Result, SHARED_TABLES, StoreId, UnitOfWork, Wait};
use records::{shared_table, store_named};
use share::{Door, Server, drop_table};

const FULL: Error = Error::Limit("records of a table");

/// Adds a record to a unit of work, as a data set does.
async fn add(unit: &mut dyn UnitOfWork, store: StoreId, key: &str) -> Result<()> {
    unit.lock(store, key.as_bytes(), Wait::AtMost(PATIENCE)).await?;
    let put = unit.put(store, key.as_bytes(), b"record").await;
    if put.is_err() {
        unit.unlock(store, key.as_bytes());
    }
    put
}

async fn delete(unit: &mut dyn UnitOfWork, store: StoreId, key: &str) {
    unit.lock(store, key.as_bytes(), Wait::AtMost(PATIENCE)).await.expect("a lock");
    unit.delete(store, key.as_bytes()).await.expect("deleted");
}

#[tokio::test]
async fn a_place_is_taken_with_the_record_and_free_with_the_end_of_the_unit_of_work() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let table = store(&*one.engine, "table", Recovery::Recoverable).await;
        put(&*one.engine, table, &[("a", "1")]).await;
        assert_eq!(one.engine.bound(table, 3).await, Ok(1));
        assert_eq!(other.engine.bound(table, 3).await, Ok(1));
        let (mut a, mut b) = (one.begin(), other.begin());
        add(&mut *a, table, "b").await.unwrap();
        add(&mut *b, table, "c").await.unwrap();
        assert_eq!(add(&mut *a, table, "d").await, Err(FULL));
        // A record that is there, or that the unit of work has added, needs no place.
        add(&mut *a, table, "a").await.unwrap();
        add(&mut *a, table, "b").await.unwrap();
        assert_eq!(other.engine.bound(table, 3).await, Ok(3));
        b.backout().await.unwrap();
        add(&mut *a, table, "d").await.unwrap();
        a.commit().await.unwrap();
        let mut b = other.begin();
        assert_eq!(add(&mut *b, table, "e").await, Err(FULL));
        // What a unit of work deletes is there until its end.
        delete(&mut *b, table, "a").await;
        assert_eq!(add(&mut *b, table, "e").await, Err(FULL));
        b.commit().await.unwrap();
        let mut b = other.begin();
        add(&mut *b, table, "e").await.unwrap();
        // A region that dies gives its places back.
        other.kill();
        let mut a = one.begin();
        for turn in 0.. {
            match add(&mut *a, table, "f").await {
                Ok(()) => break,
                Err(error) => assert!(error == FULL && turn < 1_000, "{error}"),
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        a.commit().await.unwrap();
        assert_eq!(read(&*one.engine, table, "f").await.as_deref(), Some("record"));
        assert_eq!(one.engine.bound(table, 3).await, Ok(3));
    })
    .await;
}

#[tokio::test]
async fn a_store_that_is_not_recoverable_is_full_at_once_and_has_room_at_once() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let table = store(&*one.engine, "table", Recovery::NonRecoverable).await;
        for region in [&one, &other] {
            region.engine.bound(table, 2).await.unwrap();
        }
        let (mut a, mut b) = (one.begin(), other.begin());
        assert_eq!(add(&mut *a, table, "a").await, Ok(()));
        assert_eq!(add(&mut *b, table, "b").await, Ok(()));
        assert_eq!(add(&mut *a, table, "c").await, Err(FULL));
        assert_eq!(add(&mut *a, table, "a").await, Ok(()), "it is there");
        a.backout().await.unwrap();
        assert_eq!(add(&mut *b, table, "c").await, Err(FULL), "what was done stays");
        delete(&mut *b, table, "b").await;
        delete(&mut *b, table, "none").await;
        assert_eq!(add(&mut *b, table, "c").await, Ok(()));
        assert_eq!(add(&mut *b, table, "d").await, Err(FULL));
    })
    .await;
}

#[tokio::test]
async fn places_are_counted_again_by_the_next_server_with_those_of_units_of_work_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let (site, engine) = (Site::default(), open(folder.path()));
        let server = site.serves(engine.clone()).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let table = store(&*one.engine, "table", Recovery::Recoverable).await;
        for region in [&one, &other] {
            region.engine.bound(table, 3).await.unwrap();
        }
        let mut a = one.begin();
        add(&mut *a, table, "a").await.unwrap();
        a.commit().await.unwrap();
        let mut doubtful = one.begin();
        add(&mut *doubtful, table, "b").await.unwrap();
        doubtful.prepare(b"NAME").await.unwrap();
        drop(doubtful);
        let mut b = other.begin();
        add(&mut *b, table, "c").await.unwrap();
        assert_eq!(add(&mut *b, table, "d").await, Err(FULL), "what is in doubt has its place");
        // Another server, which has heard from these regions only: the unit of work of REGB is gone.
        site.is_empty();
        server.close();
        site.serves(engine).await;
        let mut b = loop {
            let mut unit = other.begin();
            match add(&mut *unit, table, "d").await {
                Ok(()) => break unit,
                // The region has not seen yet that the server is another one.
                Err(error) => assert!(matches!(error, Error::Lost(_)), "{error}"),
            }
        };
        assert_eq!(add(&mut *b, table, "e").await, Err(FULL));
        let resolved = one.engine.resolve(b"NAME", Decision::Backout, Decider::Coordinator).await;
        assert_eq!(resolved, Ok(()));
        add(&mut *b, table, "e").await.unwrap();
        b.commit().await.unwrap();
        assert_eq!(one.engine.bound(table, 3).await, Ok(3));
    })
    .await;
}

#[tokio::test]
async fn many_units_of_work_of_two_regions_never_fill_a_store_beyond_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        site.serves(open(folder.path())).await;
        let (one, other) = (Region::start(&site, "REGA", 1).await, Region::start(&site, "REGB", 1).await);
        let table = store(&*one.engine, "table", Recovery::Recoverable).await;
        for region in [&one, &other] {
            region.engine.bound(table, 10).await.unwrap();
        }
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..40_u64 {
            let engine = if task % 2 == 0 { one.engine.clone() } else { other.engine.clone() };
            tasks.spawn_local(async move {
                let mut random = fastrand::Rng::with_seed(task);
                for _ in 0..20 {
                    let (mut unit, key) = (begin(&*engine), format!("{:02}", random.u8(0..30)));
                    if random.bool() {
                        delete(&mut *unit, table, &key).await;
                    } else if add(&mut *unit, table, &key).await.is_err() {
                        continue;
                    }
                    match random.u8(0..4) {
                        0 => unit.backout().await.unwrap(),
                        _ => unit.commit().await.unwrap(),
                    }
                }
            });
        }
        let mut most = 0;
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
            let mut batch = records::Batch::default();
            let (start, forward) = (records::Origin::Start, records::Direction::Forward);
            one.begin().range(table, start, forward, 100, &mut batch).await.unwrap();
            most = most.max(batch.len());
            assert!(batch.len() <= 10, "{} records", batch.len());
        }
        assert!(most > 5, "the test fills it: {most}");
        // Nothing is taken any more but by what is there.
        let mut batch = records::Batch::default();
        let (start, forward) = (records::Origin::Start, records::Direction::Forward);
        one.begin().range(table, start, forward, 100, &mut batch).await.unwrap();
        assert_eq!(one.engine.bound(table, 10).await, Ok(batch.len() as u64));
    })
    .await;
}

#[tokio::test]
async fn a_table_is_deleted_when_no_region_has_it_open() {
    let folder = tempfile::tempdir().unwrap();
    here(async {
        let site = Site::default();
        let server = site.serves(open(folder.path())).await;
        let door = Door::open(folder.path(), Server::clone(&server)).unwrap();
        let one = Region::start(&site, "REGA", 1).await;
        let tables = store_named(&*one.engine, SHARED_TABLES, Recovery::Recoverable).await.unwrap();
        let changes = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counts = std::sync::Arc::clone(&changes);
        let watcher = move |seen: records::Seen<'_>| {
            if let records::Seen::One(b"P.T", None) = seen {
                counts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        };
        one.engine.watch_store(tables, Box::new(watcher)).await.unwrap();
        put(&*one.engine, tables, &[("P.T", "described")]).await;
        let table = store(&*one.engine, &shared_table("P.T"), Recovery::Recoverable).await;
        put(&*one.engine, table, &[("a", "1")]).await;
        let claim = one.engine.claim(shared_table("P.T").as_bytes(), false).await.unwrap();
        assert_eq!(drop_table(folder.path(), "P.T").await.unwrap(), Err(Error::Locked));
        drop(claim);
        let mut doubtful = one.begin();
        add(&mut *doubtful, table, "b").await.unwrap();
        doubtful.prepare(b"NAME").await.unwrap();
        drop(doubtful);
        assert_eq!(drop_table(folder.path(), "P.T").await.unwrap(), Err(Error::Retained));
        one.engine.resolve(b"NAME", Decision::Commit, Decider::Operator).await.unwrap();
        assert_eq!(drop_table(folder.path(), "P.T").await.unwrap(), Ok(true));
        assert_eq!(drop_table(folder.path(), "P.T").await.unwrap(), Ok(false));
        assert_eq!(one.engine.find(&shared_table("P.T")), None, "the region knows it");
        assert_eq!(read(&*one.engine, tables, "P.T").await, None);
        assert_eq!(changes.load(std::sync::atomic::Ordering::Relaxed), 1);
        door.close().await;
    })
    .await;
}
