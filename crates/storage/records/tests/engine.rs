//! Promises of the engine, on a real folder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use records::{Batch, Direction, Engine, Error, Limits, Local, Origin, Recovery, StoreId, UnitOfWork, Wait};

fn small() -> Limits {
    Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() }
}

fn open(folder: &Path) -> Arc<Local> {
    Local::open(folder, small()).expect("the engine opens")
}

fn begin(engine: &Local) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

async fn store(engine: &Local, name: &str, recovery: Recovery) -> StoreId {
    let mut unit = begin(engine);
    let store = unit.create_store(name, recovery).expect("a new store");
    unit.commit().await.expect("commits");
    store
}

async fn put(engine: &Local, store: StoreId, records: &[(&str, &str)]) {
    let mut unit = begin(engine);
    for (key, record) in records {
        unit.put(store, key.as_bytes(), record.as_bytes()).await.expect("put");
    }
    unit.commit().await.expect("commits");
}

/// All records in the direction, as text.
async fn list(unit: &mut dyn UnitOfWork, store: StoreId, origin: Origin<'_>, direction: Direction) -> String {
    let mut batch = Batch::default();
    unit.range(store, origin, direction, usize::MAX, &mut batch).await.expect("range");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let entries = batch.iter().map(|(key, record)| format!("{}={}", text(key), text(record)));
    entries.collect::<Vec<_>>().join(" ")
}

async fn all(engine: &Local, store: StoreId) -> String {
    list(&mut *begin(engine), store, Origin::Start, Direction::Forward).await
}

#[tokio::test]
async fn a_unit_of_work_sees_its_own_changes_and_others_see_them_after_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, &[("a", "1"), ("c", "3"), ("e", "5")]).await;
    engine.checkpoint().unwrap();
    put(&engine, store, &[("b", "2"), ("c", "33")]).await;

    let mut unit = begin(&engine);
    unit.put(store, b"d", b"4").await.unwrap();
    unit.delete(store, b"a").await.unwrap();
    assert_eq!(list(&mut *unit, store, Origin::Start, Direction::Forward).await, "b=2 c=33 d=4 e=5");
    assert_eq!(list(&mut *unit, store, Origin::Beyond(b"d"), Direction::Backward).await, "c=33 b=2");
    assert_eq!(list(&mut *unit, store, Origin::At(b"d"), Direction::Backward).await, "d=4 c=33 b=2");
    assert_eq!(list(&mut *unit, store, Origin::At(b"bb"), Direction::Forward).await, "c=33 d=4 e=5");
    assert_eq!(all(&engine, store).await, "a=1 b=2 c=33 e=5");
    unit.commit().await.unwrap();
    assert_eq!(all(&engine, store).await, "b=2 c=33 d=4 e=5");
}

#[tokio::test]
async fn backout_and_drop_forget_the_changes_and_release_the_locks() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    for by_drop in [false, true] {
        let mut unit = begin(&engine);
        unit.lock(store, b"a", Wait::No).await.unwrap();
        unit.put(store, b"a", b"1").await.unwrap();
        assert_eq!(begin(&engine).lock(store, b"a", Wait::No).await, Err(Error::Locked));
        if by_drop {
            drop(unit)
        } else {
            unit.backout().await.unwrap()
        }
        begin(&engine).lock(store, b"a", Wait::No).await.unwrap();
        assert_eq!(all(&engine, store).await, "");
    }
}

#[tokio::test]
async fn what_was_committed_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, &[("a", "1"), ("b", "2")]).await;
    engine.checkpoint().unwrap();
    put(&engine, store, &[("b", "22"), ("c", "3")]).await;
    let mut unforced = begin(&engine);
    unforced.put(store, b"d", b"4").await.unwrap();
    unforced.commit_unforced().await.unwrap();
    let mut lost = begin(&engine);
    lost.put(store, b"x", b"9").await.unwrap();
    drop(lost);
    assert!(matches!(Local::open(folder.path(), small()), Err(Error::Io(_))), "two engines in one folder");
    drop(engine);

    let engine = open(folder.path());
    assert_eq!(engine.find("accounts"), Some(store));
    assert_eq!(all(&engine, store).await, "a=1 b=22 c=3 d=4");
}

#[tokio::test]
async fn a_store_that_is_not_recoverable_changes_at_once_and_keeps_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "scratch", Recovery::NonRecoverable).await;
    let mut unit = begin(&engine);
    unit.put(store, b"a", b"1").await.unwrap();
    assert_eq!(all(&engine, store).await, "a=1");
    unit.backout().await.unwrap();
    assert_eq!(all(&engine, store).await, "a=1");
    drop(engine);
    assert_eq!(all(&open(folder.path()), store).await, "a=1");
}

#[tokio::test]
async fn stores_come_and_go_with_their_unit_of_work() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let mut unit = begin(&engine);
    unit.create_store("gone", Recovery::Recoverable).unwrap();
    unit.backout().await.unwrap();
    assert_eq!(engine.find("gone"), None);

    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    let twice = begin(&engine).create_store("accounts", Recovery::Recoverable);
    assert_eq!(twice, Err(Error::StoreExists("accounts".into())));
    put(&engine, store, &[("a", "1")]).await;
    let mut unit = begin(&engine);
    unit.empty_store(store).unwrap();
    assert_eq!(all(&engine, store).await, "a=1");
    unit.commit().await.unwrap();
    assert_eq!(all(&engine, store).await, "");

    let mut unit = begin(&engine);
    unit.delete_store(store).unwrap();
    unit.commit().await.unwrap();
    assert_eq!(engine.find("accounts"), None);
    let mut record = Vec::new();
    assert_eq!(begin(&engine).get(store, b"a", &mut record).await, Err(Error::NoStore(store)));
}

#[tokio::test]
async fn a_load_replaces_what_a_store_holds_or_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, &[("zz", "before")]).await;
    let records = |keys: &'static [&'static str]| {
        keys.iter().map(|key| Ok((key.as_bytes().to_vec(), b"loaded".to_vec())))
    };
    assert_eq!(engine.load(store, &mut records(&["b", "a"])), Err(Error::OutOfOrder(2)));
    assert_eq!(all(&engine, store).await, "zz=before");
    assert_eq!(engine.load(store, &mut records(&["a", "b"])), Ok(2));
    assert_eq!(all(&engine, store).await, "a=loaded b=loaded");
    put(&engine, store, &[("a", "1")]).await;
    drop(engine);
    let engine = open(folder.path());
    assert_eq!(all(&engine, store).await, "a=1 b=loaded");
    engine.checkpoint().unwrap();
    assert_eq!(all(&engine, store).await, "a=1 b=loaded");
}

#[tokio::test]
async fn stores_that_are_loaded_together_change_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let accounts = store(&engine, "accounts", Recovery::Recoverable).await;
    let names = store(&engine, "names", Recovery::NonRecoverable).await;
    let records =
        |keys: &'static [&'static str]| keys.iter().map(|key| Ok((key.as_bytes().to_vec(), b"1".to_vec())));
    let mut load = engine.begin_load().unwrap();
    assert_eq!(load.fill(accounts, &mut records(&["a", "b"])), Ok(2));
    assert_eq!(load.fill(names, &mut records(&["n", "m"])), Err(Error::OutOfOrder(2)));
    drop(load);
    assert_eq!((all(&engine, accounts).await, all(&engine, names).await), (String::new(), String::new()));
    engine.checkpoint().unwrap();

    let mut load = engine.begin_load().unwrap();
    load.fill(accounts, &mut records(&["a", "b"])).unwrap();
    load.fill(names, &mut records(&["n"])).unwrap();
    assert_eq!(all(&engine, accounts).await, "", "not before the commit");
    load.commit().unwrap();
    drop(engine);
    let engine = open(folder.path());
    let both = (all(&engine, accounts).await, all(&engine, names).await);
    assert_eq!(both, ("a=1 b=1".into(), "n=1".into()));
}

#[tokio::test]
async fn the_log_is_trimmed_and_its_segments_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    let files = || std::fs::read_dir(folder.path().join("log")).unwrap().count();
    for round in 0..40 {
        for unit in 0..10 {
            put(&engine, store, &[(&format!("{unit}"), &format!("{round}"))]).await;
        }
        engine.checkpoint().unwrap();
        assert!(files() <= 8, "{} files in the log", files());
    }
    drop(engine);
    let expected: Vec<_> = (0..10).map(|unit| format!("{unit}=39")).collect();
    assert_eq!(all(&open(folder.path()), store).await, expected.join(" "));
}

#[tokio::test]
async fn a_unit_of_work_larger_than_a_segment_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    let mut unit = begin(&engine);
    // At the change, not only at the commit; and what it has is there to be committed.
    unit.put(store, b"a", b"1").await.unwrap();
    let large = vec![b'x'; 40 * 1024];
    for _ in 0..3 {
        unit.put(store, b"b", &large).await.unwrap();
    }
    let refused = Err(Error::Limit("segment_bytes"));
    assert_eq!(unit.put(store, b"c", &large).await, refused);
    assert_eq!(unit.make_room(2, 30 * 1024), refused);
    unit.delete(store, b"b").await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(all(&engine, store).await, "a=1");
}

#[tokio::test]
async fn commits_wait_for_a_checkpoint_when_the_overlay_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { overlay_bytes: 20_000, checkpoint_bytes: 1_000_000, ..small() };
    let engine = Local::open(folder.path(), limits).unwrap();
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    let record = "x".repeat(1000);
    let fill = async {
        for key in 0..100 {
            put(&engine, store, &[(&format!("{key:03}"), &record)]).await;
        }
    };
    let checkpoints = async {
        loop {
            tokio::task::yield_now().await;
            engine.checkpoint().unwrap();
        }
    };
    tokio::select! { () = fill => {}, () = checkpoints => {} }
    assert_eq!(all(&engine, store).await.len(), 100 * 1005 - 1);
}

/// The log of a store with three units of work in it, each in a group of its own.
async fn logged(folder: &Path) -> (StoreId, std::path::PathBuf) {
    let engine = open(folder);
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    for (key, record) in [("a", "1"), ("b", "2"), ("c", "3")] {
        put(&engine, store, &[(key, record)]).await;
    }
    (store, folder.join("log").join("log.0000000000"))
}

/// Spoils a byte in a group of a log; group 0 made the store.
fn spoil(log: &Path, group: usize) {
    let mut bytes = std::fs::read(log).expect("the log");
    bytes[group * records::disk::BLOCK + 40] ^= 1;
    std::fs::write(log, bytes).expect("the log");
}

/// That a log is refused, and why; not what to do about it.
fn assert_refused(folder: &Path, why: &str) {
    let refused = Local::open(folder, small()).map(drop);
    let Err(Error::Log(text)) = &refused else { panic!("{refused:?}") };
    assert_eq!(text, why);
}

#[tokio::test]
async fn a_torn_end_of_the_log_is_as_if_it_had_never_been() {
    let folder = tempfile::tempdir().unwrap();
    let (store, log) = logged(folder.path()).await;
    let mark = log.with_file_name("forced");
    let forced = std::fs::read(&mark).expect("the mark");
    put(&open(folder.path()), store, &[("torn", "4")]).await;
    spoil(&log, 4);
    assert_refused(
        folder.path(),
        "the log was forced up to byte 20480, but what there is of it ends at byte 16384",
    );
    // The mark as it is without such a notice.
    std::fs::write(mark, forced).expect("the mark");
    let engine = open(folder.path());
    assert_eq!(all(&engine, store).await, "a=1 b=2 c=3");
    put(&engine, store, &[("d", "4")]).await;
    drop(engine);
    assert_eq!(all(&open(folder.path()), store).await, "a=1 b=2 c=3 d=4");
}

#[tokio::test]
async fn a_log_that_is_damaged_in_the_middle_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, log) = logged(folder.path()).await;
    spoil(&log, 2);
    assert_refused(folder.path(), "the log breaks off at byte 8192 but goes on at byte 12288");
}

#[tokio::test]
async fn a_log_keeps_its_segment_size() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = logged(folder.path()).await;
    let other = Limits { segment_bytes: 128 * 1024, ..small() };
    assert_eq!(all(&Local::open(folder.path(), other).unwrap(), store).await, "a=1 b=2 c=3");
}

#[tokio::test]
async fn a_missing_log_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, log) = logged(folder.path()).await;
    open(folder.path()).checkpoint().unwrap();
    std::fs::remove_file(log).unwrap();
    assert_refused(folder.path(), "log segment 0 is missing");
}

#[tokio::test]
async fn the_log_is_written_on_after_others_have_flushed_it() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { unforced_delay: Duration::from_micros(200), ..small() };
    let engine = Local::open(folder.path(), limits).unwrap();
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    for round in 0..300 {
        let mut unit = begin(&engine);
        unit.put(store, b"a", format!("{round}").as_bytes()).await.unwrap();
        unit.commit_unforced().await.unwrap();
        // While the log's thread waits a little for more, this takes its work away.
        engine.checkpoint().unwrap();
    }
    put(&engine, store, &[("b", "forced")]).await;
    assert_eq!(all(&engine, store).await, "a=299 b=forced");
}

/// The disk wrote a group to a wrong place: into the middle of an older one, which the base has already.
#[tokio::test]
async fn a_group_in_a_wrong_place_is_noticed() {
    const BLOCK: usize = records::disk::BLOCK;
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, &[("large", &"x".repeat(2 * BLOCK))]).await;
    engine.checkpoint().unwrap();
    put(&engine, store, &[("a", "1")]).await;
    drop(engine);

    let log = folder.path().join("log").join("log.0000000000");
    let mut bytes = std::fs::read(&log).expect("the log");
    // Block 0 made the store, 1 to 3 are the large record, 4 is the last commit.
    bytes.copy_within(4 * BLOCK..5 * BLOCK, 2 * BLOCK);
    bytes[4 * BLOCK..5 * BLOCK].fill(0);
    std::fs::write(&log, bytes).expect("the log");
    let message = "what belongs to byte 16384 of the log lies in log.0000000000 at byte 8192";
    assert_refused(folder.path(), message);
}

#[tokio::test]
async fn a_store_can_be_created_with_a_number_that_was_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let aside = engine.set_numbers_aside(3).unwrap();
    let next = store(&engine, "after", Recovery::Recoverable).await;
    assert_eq!(next.0, aside.0 + 3, "nobody else gets a number that was set aside");
    let mut unit = begin(&engine);
    unit.create_store_as(aside, "accounts", Recovery::Recoverable).unwrap();
    let twice = unit.create_store_as(StoreId(aside.0 + 1), "after", Recovery::Recoverable);
    assert_eq!(twice, Err(Error::StoreExists("after".into())));
    unit.commit().await.unwrap();
    put(&engine, aside, &[("a", "1")]).await;
    assert_eq!((engine.find("accounts"), all(&engine, aside).await), (Some(aside), "a=1".into()));
    let taken = begin(&engine).create_store_as(aside, "other", Recovery::Recoverable);
    assert_eq!(taken, Err(Error::StoreExists("other".into())));
}

#[tokio::test]
async fn a_lock_and_a_read_in_one_step_are_a_lock_and_a_read() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = store(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, &[("a", "1")]).await;
    let (mut unit, mut record) = (begin(&engine), Vec::new());
    assert_eq!(unit.lock_and_get(store, b"a", Wait::No, &mut record).await, Ok(true));
    assert_eq!(record, b"1");
    assert_eq!(unit.lock_and_get(store, b"b", Wait::No, &mut record).await, Ok(false));
    let mut other = begin(&engine);
    for key in [b"a", b"b"] {
        let held = other.lock_and_get(store, key, Wait::No, &mut record).await;
        assert_eq!(held, Err(Error::Locked), "of what is there and of what is not");
    }
    unit.put(store, b"a", b"2").await.unwrap();
    let (committed, waited) =
        tokio::join!(unit.commit(), other.lock_and_get(store, b"a", Wait::Forever, &mut record));
    assert_eq!((committed, waited), (Ok(()), Ok(true)));
    assert_eq!(record, b"2", "what was waited for is read behind the wait");
}
