//! Copies in main storage of another engine's records.

use std::sync::Arc;

use records::{Copies, Engine, Limits, Local, Recovery, StoreId, UnitOfWork, Wait};

/// An engine with a store of one record, `a`.
async fn engine(recovery: Recovery) -> (tempfile::TempDir, Arc<Copies>, StoreId) {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    let engine = Copies::over(Local::open(folder.path(), limits).expect("the engine opens"));
    let mut unit = begin(&engine);
    let store = unit.create_store("S", recovery).expect("a new store");
    unit.commit().await.expect("commits");
    write(&engine, store, b"1").await;
    (folder, engine, store)
}

fn begin(engine: &Copies) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

async fn write(engine: &Copies, store: StoreId, record: &[u8]) {
    let mut unit = begin(engine);
    unit.lock(store, b"a", Wait::Forever).await.expect("the lock");
    unit.put(store, b"a", record).await.expect("put");
    unit.commit().await.expect("commits");
}

async fn read(unit: &mut dyn UnitOfWork, store: StoreId) -> String {
    let mut record = Vec::new();
    let found = unit.get(store, b"a", &mut record).await.expect("get");
    if found { String::from_utf8_lossy(&record).into_owned() } else { "none".to_owned() }
}

#[tokio::test]
async fn what_is_kept_reads_as_what_is_committed() {
    for recovery in [Recovery::Recoverable, Recovery::NonRecoverable] {
        let (_folder, engine, store) = engine(recovery).await;
        let mut reader = begin(&engine);
        assert_eq!(read(&mut *reader, store).await, "1");
        engine.keep(store, None);
        assert_eq!((read(&mut *reader, store).await, read(&mut *reader, store).await).1, "1");
        write(&engine, store, b"2").await;
        assert_eq!((read(&mut *reader, store).await, read(&mut *reader, store).await).1, "2");
        engine.release_kept(store);
        write(&engine, store, b"3").await;
        assert_eq!(read(&mut *reader, store).await, "3");
    }
}

#[tokio::test]
async fn a_reader_between_change_and_commit_leaves_no_copy_of_the_former_record() {
    let (_folder, engine, store) = engine(Recovery::Recoverable).await;
    engine.keep(store, None);
    let (mut reader, mut writer) = (begin(&engine), begin(&engine));
    writer.lock(store, b"a", Wait::No).await.unwrap();
    assert_eq!(read(&mut *reader, store).await, "1");
    writer.put(store, b"a", b"2").await.unwrap();
    assert_eq!(read(&mut *reader, store).await, "1");
    assert_eq!(read(&mut *writer, store).await, "2");
    writer.commit().await.unwrap();
    assert_eq!(read(&mut *reader, store).await, "2");
}

#[tokio::test]
async fn a_change_that_began_before_the_store_was_kept_is_seen_after_its_commit() {
    let (_folder, engine, store) = engine(Recovery::Recoverable).await;
    let (mut reader, mut writer) = (begin(&engine), begin(&engine));
    writer.lock(store, b"a", Wait::No).await.unwrap();
    writer.delete(store, b"a").await.unwrap();
    engine.keep(store, None);
    assert_eq!(read(&mut *reader, store).await, "1");
    writer.commit().await.unwrap();
    assert_eq!(read(&mut *reader, store).await, "none");
}

#[tokio::test]
async fn a_backout_leaves_what_was_there() {
    let (_folder, engine, store) = engine(Recovery::Recoverable).await;
    engine.keep(store, Some(1));
    let (mut reader, mut writer) = (begin(&engine), begin(&engine));
    assert_eq!(read(&mut *reader, store).await, "1");
    writer.lock(store, b"a", Wait::No).await.unwrap();
    writer.put(store, b"a", b"2").await.unwrap();
    writer.backout().await.unwrap();
    assert_eq!(read(&mut *reader, store).await, "1");
}

#[tokio::test]
async fn a_reader_never_sees_less_than_it_has_seen() {
    const WRITES: u32 = 300;
    let (_folder, engine, store) = engine(Recovery::NonRecoverable).await;
    engine.keep(store, None);
    let writer = std::thread::spawn({
        let engine = Arc::clone(&engine);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            for number in 2..WRITES {
                runtime.block_on(write(&engine, store, number.to_string().as_bytes()));
            }
        }
    });
    let (mut reader, mut seen) = (begin(&engine), 0);
    while seen + 1 < WRITES {
        let now = read(&mut *reader, store).await.parse().expect("a number");
        assert!(now >= seen, "{now} after {seen}");
        seen = now;
    }
    writer.join().expect("the writer ends");
}
