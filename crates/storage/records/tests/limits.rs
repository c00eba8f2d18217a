//! The named limits: what is over one is refused in order or waits for room, and all that was said to be durable is.

use std::path::Path;
use std::sync::Arc;

use records::{Engine, Error, Limits, Local, Recovery, Result, StoreId, Wait};

const MIB: usize = 1 << 20;
/// Bytes of the records that fill things.
const RECORD: usize = 10_000;

fn small() -> Limits {
    Limits { segment_bytes: 64 * 1024, base_bytes: 64 * MIB, ..Limits::default() }
}

async fn open(folder: &Path, limits: Limits) -> (Arc<Local>, StoreId) {
    let engine = Local::open(folder, limits).expect("the engine opens");
    if let Some(store) = engine.find("accounts") {
        return (engine, store);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a new store");
    unit.commit().await.expect("commits");
    (engine, store)
}

async fn put(engine: &Local, store: StoreId, number: u32) -> Result<()> {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.put(store, &number.to_be_bytes(), &[b'x'; RECORD]).await?;
    unit.commit().await
}

async fn is_there(engine: &Local, store: StoreId, number: u32) -> bool {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.get(store, &number.to_be_bytes(), &mut Vec::new()).await.expect("a read")
}

#[tokio::test]
async fn an_owner_holds_as_many_locks_as_it_may_and_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, store) = open(folder.path(), Limits { locks_per_owner: 3, ..small() }).await;
    let mut unit = engine.begin(engine.locks().new_owner());
    for key in [b"a", b"b", b"c"] {
        unit.lock(store, key, Wait::No).await.unwrap();
    }
    assert_eq!(unit.lock(store, b"d", Wait::No).await, Err(Error::Limit("locks_per_owner")));
    assert_eq!(unit.lock(store, b"a", Wait::No).await, Ok(()), "one that it has");
    unit.unlock(store, b"b");
    assert_eq!(unit.lock(store, b"d", Wait::No).await, Ok(()), "in the place of another");
    unit.put(store, b"a", b"1").await.unwrap();
    unit.commit().await.unwrap();
}

#[tokio::test]
async fn a_key_has_a_longest_length() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, store) = open(folder.path(), small()).await;
    let mut unit = engine.begin(engine.locks().new_owner());
    assert_eq!(unit.put(store, &[b'k'; 1025], b"1").await, Err(Error::Limit("key length")));
    unit.put(store, &[b'k'; 1024], b"1").await.unwrap();
    unit.commit().await.unwrap();
    engine.checkpoint().unwrap();
}

#[tokio::test]
async fn log_and_memory_stay_within_their_limits_and_commits_wait_for_room() {
    let log = 4 * 64 * 1024;
    for limits in [
        Limits { log_bytes: log, ..small() },
        Limits { overlay_bytes: 40_000, checkpoint_bytes: usize::MAX, ..small() },
        Limits { queue_bytes: 1, ..small() },
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (engine, store) = open(folder.path(), limits.clone()).await;
        for number in 0..200 {
            put(&engine, store, number).await.unwrap();
            let files = std::fs::read_dir(folder.path().join("log")).unwrap().flatten();
            let segments =
                files.filter(|file| file.file_name().to_string_lossy().starts_with("log.")).count();
            if limits.log_bytes == log {
                assert!(segments <= 6, "{segments} segments, where the limit is 4 and one may be begun");
            }
        }
        for number in 0..200 {
            assert!(is_there(&engine, store, number).await);
        }
    }
}

#[tokio::test]
async fn a_base_that_is_full_refuses_in_order_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    // Changes are refused when what the base no longer takes has filled the overlay.
    let tight = Limits { base_bytes: MIB, overlay_bytes: 200_000, checkpoint_bytes: 100_000, ..small() };
    let (engine, store) = open(folder.path(), tight.clone()).await;
    let mut acknowledged = 0;
    let refused = loop {
        match put(&engine, store, acknowledged).await {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 1000, "a base of 1 MiB holds them all?");
    };
    let full = Error::NoSpace("the base, which is as large as base_bytes allows");
    assert_eq!(refused, full);
    for number in 0..acknowledged {
        assert!(is_there(&engine, store, number).await, "{number} can still be read");
    }
    assert!(!is_there(&engine, store, acknowledged).await);
    // A program sees it at its WRITE, not only at its SYNCPOINT.
    let mut unit = engine.begin(engine.locks().new_owner());
    assert_eq!(unit.put(store, b"k", b"1").await, Err(full));
    drop(unit);
    drop(engine);

    let (engine, _) = open(folder.path(), Limits { base_bytes: 64 * MIB, ..tight }).await;
    for number in 0..acknowledged {
        assert!(is_there(&engine, store, number).await, "{number} is there after a restart");
    }
    put(&engine, store, acknowledged).await.expect("there is room now");
}
