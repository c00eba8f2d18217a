//! Records that are not in main storage: a task that reads one waits for it as for a lock, and its thread does not.

use std::fs::File;
use std::path::Path;

use records::{Batch, Direction, Engine, Limits, Local, Origin, Recovery, StoreId, UnitOfWork};
use rustix::fs::{Advice, fadvise};

const RECORDS: u32 = 2_000;

fn limits(cold_readers: usize) -> Limits {
    Limits { cold_readers, base_bytes: 64 << 20, ..Limits::default() }
}

fn record(number: u32) -> Vec<u8> {
    number.to_string().repeat(50).into_bytes()
}

/// A folder with records at rest that the system was asked to let go of.
async fn cold_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let engine = Local::open(folder.path(), limits(0)).expect("an engine");
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("a commit");
    let mut unit = engine.begin(engine.locks().new_owner());
    for number in 0..RECORDS {
        unit.put(store, &number.to_be_bytes(), &record(number)).await.expect("put");
    }
    unit.commit().await.expect("a commit");
    engine.checkpoint().expect("a checkpoint");
    drop(engine);
    let base = File::open(folder.path().join("base/data.mdb")).expect("the base");
    // What it has at hand on another processor it keeps the first time.
    for _ in 0..3 {
        base.sync_all().expect("synced");
        fadvise(&base, 0, None, Advice::DontNeed).expect("advised");
    }
    folder
}

fn open(folder: &Path, cold_readers: usize) -> (std::sync::Arc<Local>, StoreId, Box<dyn UnitOfWork>) {
    let engine = Local::open(folder, limits(cold_readers)).expect("an engine");
    let store = engine.find("accounts").expect("the store");
    let unit = engine.begin(engine.locks().new_owner());
    (engine, store, unit)
}

/// Says that the system keeps everything in memory, as that of a file in memory does: then there is nothing to see.
fn skipped() {
    eprintln!("skipped: the system keeps the base in memory");
}

#[tokio::test]
async fn a_record_that_is_not_in_memory_comes_later_and_the_next_time_at_once() {
    let folder = cold_folder().await;
    let (_engine, store, mut unit) = open(folder.path(), 1);
    for number in (0..RECORDS).step_by(100) {
        let (key, mut read) = (number.to_be_bytes(), Vec::new());
        let Err(later) = unit.get(store, &key, &mut read).now() else { continue };
        assert_eq!(later.await, Ok(true));
        assert_eq!(read, record(number));
        assert_eq!(unit.get(store, &key, &mut read).now().ok(), Some(Ok(true)));
        return;
    }
    skipped();
}

#[tokio::test]
async fn a_range_that_is_not_in_memory_comes_later() {
    let folder = cold_folder().await;
    let (_engine, store, mut unit) = open(folder.path(), 1);
    let mut batch = Batch::default();
    for first in (0..RECORDS).step_by(200) {
        let (direction, last) = if first % 400 == 0 {
            (Direction::Forward, first + 99)
        } else {
            (Direction::Backward, first - 99)
        };
        let origin = first.to_be_bytes();
        let reading = unit.range(store, Origin::At(&origin), direction, 100, &mut batch);
        let Err(later) = reading.now() else { continue };
        assert_eq!(later.await, Ok(()));
        let (key, found) = batch.get(99).expect("a hundred records");
        assert_eq!((key, found), (last.to_be_bytes().as_slice(), record(last).as_slice()));
        return;
    }
    skipped();
}

#[tokio::test]
async fn a_read_that_no_task_waits_for_any_more_does_no_harm() {
    let folder = cold_folder().await;
    let (_engine, store, mut unit) = open(folder.path(), 1);
    let (key, mut read) = (7_u32.to_be_bytes(), Vec::new());
    for number in (0..RECORDS).step_by(100) {
        let key = number.to_be_bytes();
        let reading = unit.get(store, &key, &mut read);
        let _given_up = tokio::time::timeout(std::time::Duration::ZERO, reading).await;
    }
    assert_eq!(unit.get(store, &key, &mut read).await, Ok(true));
    assert_eq!(read, record(7));
}

#[tokio::test]
async fn without_threads_for_it_a_reader_waits_itself() {
    let folder = cold_folder().await;
    let (_engine, store, mut unit) = open(folder.path(), 0);
    let mut read = Vec::new();
    assert_eq!(unit.get(store, &5_u32.to_be_bytes(), &mut read).await, Ok(true));
    assert_eq!(read, record(5));
}
