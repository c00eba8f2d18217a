//! Encryption at rest, on a real folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use records::{
    Batch, Decider, Decision, Direction, EncryptionKey, Engine, Error, Keys, Limits, Local, Origin, Recovery,
    Result,
};

/// Something that must not be found on the disk.
const SECRET: &[u8] = b"a balance that nobody shall read";

fn key(byte: &str) -> Option<EncryptionKey> {
    Some(EncryptionKey::from_hex(&byte.repeat(32)).expect("a key"))
}

fn open(folder: &Path, key: Option<EncryptionKey>) -> Result<Arc<Local>> {
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    Local::open_with(folder, limits, key)
}

/// Writes something of every kind: in the log only, in the base, loaded, indoubt.
async fn work(engine: &Local) {
    let mut unit = engine.begin(engine.locks().new_owner());
    let accounts = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    let loaded = unit.create_store("loaded", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("commits");
    let records = [b"a", b"b"].map(|key| Ok((key.to_vec(), SECRET.to_vec())));
    engine.load(loaded, &mut records.into_iter()).expect("loads");
    for key in [b"the key of one", b"the key of two"] {
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.put(accounts, key, SECRET).await.expect("a put");
        unit.commit().await.expect("commits");
        // The second stays in the log.
        if key == b"the key of one" {
            engine.checkpoint().expect("a checkpoint");
        }
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.put(accounts, b"three", SECRET).await.expect("a put");
    unit.prepare(b"transfer").await.expect("prepared");
}

async fn count(engine: &Local) -> usize {
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut batch = Batch::default();
    let mut count = 0;
    for name in ["accounts", "loaded"] {
        let store = engine.find(name).expect("the store");
        unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a range");
        count += batch.iter().filter(|(_, record)| *record == SECRET).count();
        let mut record = Vec::new();
        for (key, _) in batch.iter() {
            assert_eq!(unit.get(store, key, &mut record).await, Ok(true));
            assert_eq!(record, SECRET);
        }
    }
    count
}

/// All files that hold data, with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [folder.join("log"), folder.join("base")] {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            // Nothing of the data, and LMDB writes who reads into it.
            if entry.file_name() != "lock.mdb" {
                files.insert(entry.path(), std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    files
}

fn holds(folder: &Path, part: &str, text: &[u8]) -> bool {
    let mut files = files(folder).into_iter().filter(|(path, _)| path.starts_with(folder.join(part)));
    files.any(|(_, bytes)| bytes.windows(text.len()).any(|window| window == text))
}

#[tokio::test]
async fn what_was_written_with_a_key_is_there_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), key("a1")).unwrap();
    work(&engine).await;
    assert_eq!(count(&engine).await, 4);
    drop(engine);
    let engine = open(folder.path(), key("a1")).unwrap();
    assert_eq!(count(&engine).await, 4);
    engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator).await.unwrap();
    engine.checkpoint().unwrap();
    drop(engine);
    assert_eq!(count(&open(folder.path(), key("a1")).unwrap()).await, 5);
}

#[tokio::test]
async fn records_cannot_be_read_from_the_disk_but_their_keys_can_from_the_base() {
    for (key, readable) in [(None, true), (key("a1"), false)] {
        let folder = tempfile::tempdir().unwrap();
        let engine = open(folder.path(), key).unwrap();
        work(&engine).await;
        drop(engine);
        let holds = |part, text| holds(folder.path(), part, text);
        assert_eq!((holds("log", SECRET), holds("base", SECRET)), (readable, readable));
        // The log as a whole is encrypted; in the base keys must keep their order.
        assert_eq!((holds("log", b"key of"), holds("base", b"key of")), (readable, true));
        assert_eq!(holds("base", b"accounts"), readable, "names of stores");
    }
}

#[tokio::test]
async fn a_key_that_does_not_fit_is_refused_and_nothing_is_touched() {
    let needs = "the data are encrypted: name the key that they were written with";
    let wrong = "the key is not the one that the data were written with";
    let clear = "the data were written without a key: start without one, \
                 or unload them and load them into a new folder";
    for (written, given, message) in
        [(key("a1"), None, needs), (key("a1"), key("a2"), wrong), (None, key("a1"), clear)]
    {
        for checkpointed in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let engine = open(folder.path(), written.clone()).unwrap();
            if checkpointed {
                work(&engine).await;
            } else {
                let mut unit = engine.begin(engine.locks().new_owner());
                unit.create_store("accounts", Recovery::Recoverable).unwrap();
                unit.commit().await.unwrap();
            }
            drop(engine);
            let before = files(folder.path());
            assert_eq!(open(folder.path(), given.clone()).map(drop), Err(Error::Key(message)));
            assert!(before == files(folder.path()), "something was written");
            open(folder.path(), written.clone()).unwrap();
        }
    }
}

fn with_former(folder: &Path, now: &str, former: &str) -> Result<Arc<Local>> {
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    Local::open_with(folder, limits, Keys { now: key(now), former: key(former) })
}

/// Waits until nothing is left that a former key has sealed.
async fn sealed_anew(engine: &Local) {
    let begun = Instant::now();
    while engine.resealing().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", engine.resealing());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn another_key_takes_the_place_of_one_while_the_engine_works() {
    let wrong = Error::Key("the key is not the one that the data were written with");
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), key("a1")).unwrap();
    work(&engine).await;
    let (first, second) = (key("a2").unwrap(), key("a3").unwrap());
    engine.rotate(&first).unwrap();
    assert_eq!(count(&engine).await, 4);
    // Before all is sealed with the new key, or after it.
    engine.rotate(&second).unwrap();
    let mut unit = engine.begin(engine.locks().new_owner());
    let accounts = engine.find("accounts").unwrap();
    unit.put(accounts, b"under the new key", SECRET).await.unwrap();
    unit.commit().await.unwrap();
    sealed_anew(&engine).await;
    assert_eq!(count(&engine).await, 5);
    drop(engine);
    for former in ["a1", "a2"] {
        assert_eq!(open(folder.path(), key(former)).map(drop), Err(wrong.clone()));
    }
    let engine = open(folder.path(), key("a3")).unwrap();
    assert_eq!((count(&engine).await, engine.resealing()), (5, None));
    engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator).await.unwrap();
    // With the key that is in force already there is nothing to do.
    engine.rotate(&second).unwrap();
    assert_eq!((count(&engine).await, engine.resealing()), (6, None));
}

#[tokio::test]
async fn a_start_that_knows_the_former_key_takes_the_new_one_into_force() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), key("a1")).unwrap();
    work(&engine).await;
    drop(engine);
    assert!(with_former(folder.path(), "a2", "a7").is_err(), "neither fits");
    let engine = with_former(folder.path(), "a2", "a1").unwrap();
    sealed_anew(&engine).await;
    assert_eq!(count(&engine).await, 4);
    drop(engine);
    // The former key may be named for longer, and whether it was right does not matter then.
    for former in ["a1", "a7"] {
        assert_eq!(count(&with_former(folder.path(), "a2", former).unwrap()).await, 4);
    }
    assert!(open(folder.path(), key("a1")).is_err());
}

#[tokio::test]
async fn data_in_clear_have_no_key_to_change() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), None).unwrap();
    work(&engine).await;
    assert!(engine.rotate(&key("a1").unwrap()).is_err());
    assert_eq!((count(&engine).await, engine.resealing()), (4, None));
}
