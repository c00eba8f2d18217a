//! Changes without a force, in an engine whose process is killed: what was acknowledged is there when it is back. A copy of the folder is
//! what a kill leaves.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use records::{EncryptionKey, Engine, Limits, Local, Recovery, StoreId, UnitOfWork};

/// A log whose thread writes nothing by itself.
fn open(folder: &Path, key: Option<&str>, keeps_unforced: bool) -> Arc<Local> {
    let limits = Limits {
        segment_bytes: 64 * 1024,
        base_bytes: 64 << 20,
        unforced_delay: Duration::from_secs(3600),
        keeps_unforced,
        ..Limits::default()
    };
    let key = key.map(|digits| EncryptionKey::from_hex(&digits.repeat(32)).expect("a key"));
    Local::open_with(folder, limits, key).expect("an engine")
}

fn begin(engine: &Arc<Local>) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

async fn put(engine: &Arc<Local>, store: StoreId, key: &str, record: &str) {
    begin(engine).put(store, key.as_bytes(), record.as_bytes()).await.expect("a put");
}

async fn get(engine: &Arc<Local>, store: StoreId, key: &str) -> String {
    let mut record = Vec::new();
    begin(engine).get(store, key.as_bytes(), &mut record).await.expect("a get");
    String::from_utf8(record).expect("text")
}

/// The folder as a kill leaves it now.
fn killed(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    copy_all(folder, copy.path());
    copy
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

/// An engine with a table that is not recoverable, and a store that is.
async fn filled(folder: &Path, key: Option<&str>, keeps: bool) -> (Arc<Local>, StoreId, StoreId) {
    let engine = open(folder, key, keeps);
    let mut unit = begin(&engine);
    let table = unit.create_store("table", Recovery::NonRecoverable).expect("a store");
    let ledger = unit.create_store("ledger", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("a commit");
    (engine, table, ledger)
}

async fn force(engine: &Arc<Local>, ledger: StoreId, key: &str) {
    let mut unit = begin(engine);
    unit.put(ledger, key.as_bytes(), b"committed").await.expect("a put");
    unit.commit().await.expect("a commit");
}

#[tokio::test]
async fn what_is_not_forced_is_there_after_a_kill_at_any_moment() {
    for key in [None, Some("7e")] {
        let folder = tempfile::tempdir().expect("a folder");
        let (engine, table, ledger) = filled(folder.path(), key, true).await;
        for round in 0..30 {
            let (value, other) = (format!("value {round}"), format!("other {round}"));
            put(&engine, table, "cell", &value).await;
            // Some rounds are in the log, some beside it, some in part.
            if round % 3 == 0 {
                force(&engine, ledger, &value).await;
            }
            put(&engine, table, "second", &other).await;
            let mut left = killed(folder.path());
            // A kill of the engine that has started behind it, too.
            for _ in 0..2 {
                let again = open(left.path(), key, true);
                assert_eq!(get(&again, table, "cell").await, value, "round {round}");
                assert_eq!(get(&again, table, "second").await, other, "round {round}");
                if round % 3 == 0 {
                    assert_eq!(get(&again, ledger, &value).await, "committed");
                }
                let next = killed(left.path());
                drop(again);
                left = next;
            }
        }
    }
}

#[tokio::test]
async fn what_was_changed_behind_it_is_not_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, table, ledger) = filled(folder.path(), None, true).await;
    put(&engine, table, "cell", "former").await;
    let early = killed(folder.path());
    force(&engine, ledger, "a").await;
    put(&engine, table, "cell", "latter").await;
    force(&engine, ledger, "b").await;
    let late = killed(folder.path());
    // Files of another time do not count, whatever stands in them.
    for name in ["unforced.0", "unforced.1"] {
        let (from, to) = (early.path().join("log").join(name), late.path().join("log").join(name));
        fs::copy(from, to).expect("a copy");
    }
    let again = open(late.path(), None, true);
    assert_eq!(get(&again, table, "cell").await, "latter");
    drop(again);
    // One that was cut off by the kill was not acknowledged.
    let file = early.path().join("log/unforced.0");
    let bytes = fs::read(&file).expect("bytes");
    assert!(!bytes.is_empty());
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("a write");
    assert_eq!(get(&open(early.path(), None, true), table, "cell").await, "");
}

#[tokio::test]
async fn an_orderly_end_leaves_nothing_beside_the_log_and_who_does_not_ask_has_no_such_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, table, _) = filled(folder.path(), None, true).await;
    put(&engine, table, "cell", "value").await;
    drop(engine);
    for name in ["unforced.0", "unforced.1"] {
        let length = fs::metadata(folder.path().join("log").join(name)).expect("a file").len();
        assert_eq!(length, 0, "{name}");
    }
    assert_eq!(get(&open(folder.path(), None, false), table, "cell").await, "value");
    let other = tempfile::tempdir().expect("a folder");
    drop(filled(other.path(), None, false).await);
    assert!(!other.path().join("log/unforced.0").exists());
}
