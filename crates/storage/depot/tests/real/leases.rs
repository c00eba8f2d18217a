//! One server at a time: who waits, who takes over, who is kept out.

use std::time::{Duration, Instant};

use depot::Database;
use records::{Engine, Error, Recovery, StoreId, UnitOfWork, Wait};

use crate::place::{LONG, Opened, block_on, does, limits, open, options, schema};

/// The time in which something that is to happen has happened.
const SOON: Duration = Duration::from_secs(30);

async fn store(opened: &Opened) -> StoreId {
    let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).unwrap();
    unit.commit().await.unwrap();
    store
}

async fn begin(opened: &Opened, store: StoreId, key: &[u8]) -> Box<dyn UnitOfWork> {
    let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
    unit.lock(store, key, Wait::No).await.unwrap();
    unit.put(store, key, b"a record").await.unwrap();
    unit
}

async fn has(opened: &Opened, store: StoreId, key: &[u8]) -> bool {
    let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
    unit.get(store, key, &mut Vec::new()).await.unwrap()
}

#[tokio::test]
async fn a_second_server_waits_until_the_first_gives_the_lease_back() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    schema("given").await;
    let first = open(one.path(), "given", LONG).await;
    let store = store(&first).await;
    begin(&first, store, b"first").await.commit().await.unwrap();
    let waits = tokio::spawn(Database::open(options(other.path(), "given", LONG)));
    // It looks several times meanwhile.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!waits.is_finished());
    begin(&first, store, b"second").await.commit().await.unwrap();
    drop(first.engine);
    first.database.close().await;
    let database = tokio::time::timeout(SOON, waits).await.unwrap().unwrap().unwrap();
    let second = Opened { engine: database.engine(limits(), None).unwrap(), database };
    assert!(has(&second, store, b"first").await && has(&second, store, b"second").await);
}

#[tokio::test]
async fn a_server_that_has_lost_its_lease_commits_nothing_any_more() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    schema("lost").await;
    let first = open(one.path(), "lost", LONG).await;
    let store = store(&first).await;
    begin(&first, store, b"acknowledged").await.commit().await.unwrap();
    // As if it had run out.
    does("UPDATE lost.lease SET until = '-infinity'").await;
    let second = open(other.path(), "lost", LONG).await;
    let refused = begin(&first, store, b"refused").await.commit().await;
    assert!(matches!(&refused, Err(Error::Io(why)) if why.contains("lease")), "{refused:?}");
    let why = tokio::time::timeout(SOON, first.database.lost()).await.unwrap();
    assert!(why.contains("served by") && why.contains(&*other.path().to_string_lossy()), "{why}");
    assert!(first.engine.checkpoint().is_err());
    assert!(has(&second, store, b"acknowledged").await && !has(&second, store, b"refused").await);
    begin(&second, store, b"second").await.commit().await.unwrap();
    // Its end takes nothing with it, nor the other one's lease.
    drop(first.engine);
    first.database.close().await;
    begin(&second, store, b"third").await.commit().await.unwrap();
    drop(second);
    let second = open(other.path(), "lost", LONG).await;
    assert!(has(&second, store, b"second").await && has(&second, store, b"third").await);
}

#[tokio::test]
async fn a_lease_that_is_not_renewed_is_taken_and_one_that_is_is_not() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lease = Duration::from_secs(2);
    schema("ended").await;
    let first = open(one.path(), "ended", lease).await;
    let store = store(&first).await;
    let waits = tokio::spawn(Database::open(options(other.path(), "ended", lease)));
    // The lease runs out twice, were it not renewed.
    tokio::time::sleep(2 * lease).await;
    assert!(!waits.is_finished());
    begin(&first, store, b"first").await.commit().await.unwrap();
    let begun = Instant::now();
    // As a process that is killed.
    drop(first);
    let database = tokio::time::timeout(SOON, waits).await.unwrap().unwrap().unwrap();
    assert!(begun.elapsed() > lease / 4, "it was taken too early");
    let second = Opened { engine: database.engine(limits(), None).unwrap(), database };
    assert!(has(&second, store, b"first").await);
}

#[tokio::test]
async fn a_copy_of_a_folder_keeps_the_first_one_out_and_both_are_never_right() {
    let (one, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    schema("copies").await;
    let first = open(one.path(), "copies", LONG).await;
    let store = store(&first).await;
    std::fs::copy(one.path().join("holder"), copy.path().join("holder")).unwrap();
    let second = open(copy.path(), "copies", LONG).await;
    begin(&second, store, b"second").await.commit().await.unwrap();
    assert!(begin(&first, store, b"first").await.commit().await.is_err());
    assert!(has(&second, store, b"second").await && !has(&second, store, b"first").await);
}

#[tokio::test]
async fn sessions_that_the_database_ends_cost_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    schema("ending").await;
    let mut opened = open(folder.path(), "ending", LONG).await;
    let store = store(&opened).await;
    let mut count = 0_u32;
    for round in 0..30 {
        let engine = opened.engine.clone();
        let ends = std::thread::spawn(|| {
            block_on(async {
                for _ in 0..5 {
                    does(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                         WHERE application_name = 'syncpoint records ending' AND random() < 0.5",
                    )
                    .await;
                }
            });
        });
        for _ in 0..20 {
            let mut unit = engine.begin(engine.locks().new_owner());
            unit.put(store, &count.to_be_bytes(), b"a record").await.unwrap();
            unit.commit().await.unwrap();
            count += 1;
        }
        drop(engine);
        ends.join().unwrap();
        if round % 10 == 9 {
            opened.engine.checkpoint().unwrap();
            drop(opened);
            opened = open(folder.path(), "ending", LONG).await;
            for number in 0..count {
                assert!(has(&opened, store, &number.to_be_bytes()).await, "{number} of {count}");
            }
        }
    }
}

#[tokio::test]
async fn a_database_that_does_not_answer_ends_the_server_before_its_lease() {
    let folder = tempfile::tempdir().unwrap();
    let lease = Duration::from_secs(3);
    schema("silent").await;
    let opened = open(folder.path(), "silent", lease).await;
    let store = store(&opened).await;
    // Everything that looks at the lease waits.
    let mut blocker = sql::Session::connect(&crate::place::owner(), &sql::Settings::default()).await.unwrap();
    blocker.script("BEGIN; LOCK TABLE silent.lease").await.unwrap();
    let begun = Instant::now();
    let why = tokio::time::timeout(SOON, opened.database.lost()).await.unwrap();
    assert!(why.contains("could not be renewed") && begun.elapsed() < lease, "{why} {:?}", begun.elapsed());
    assert!(begin(&opened, store, b"late").await.commit().await.is_err());
    blocker.script("COMMIT").await.unwrap();
    blocker.close().await;
    drop(opened);
    let opened = open(folder.path(), "silent", lease).await;
    assert!(!has(&opened, store, b"late").await);
}
