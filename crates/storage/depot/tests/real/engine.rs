//! The engine over a database: what it promises on a folder, it promises there.

use std::path::Path;

use depot::Database;
use records::{
    Archive, Batch, Decider, Decision, Direction, EncryptionKey, Engine, Error, Local, Origin, Recovery,
    Standing, StoreId, Wait,
};

use crate::place::{LONG, Opened, does, limits, open, options, schema};

async fn create(engine: &Local, name: &str, recovery: Recovery) -> StoreId {
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store(name, recovery).unwrap();
    unit.commit().await.unwrap();
    store
}

async fn put(engine: &Local, store: StoreId, key: &[u8], record: &[u8]) {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.lock(store, key, Wait::No).await.unwrap();
    unit.put(store, key, record).await.unwrap();
    unit.commit().await.unwrap();
}

async fn get(engine: &Local, store: StoreId, key: &[u8]) -> Option<Vec<u8>> {
    let (mut unit, mut record) = (engine.begin(engine.locks().new_owner()), Vec::new());
    unit.get(store, key, &mut record).await.unwrap().then_some(record)
}

/// Ends without a word, as a process that is killed; then starts again.
async fn again(opened: Opened, folder: &Path, schema: &str) -> Opened {
    drop(opened);
    open(folder, schema, LONG).await
}

#[tokio::test]
async fn what_was_committed_is_there_after_each_start() {
    let folder = tempfile::tempdir().unwrap();
    schema("starts").await;
    let mut opened = open(folder.path(), "starts", LONG).await;
    let store = create(&opened.engine, "accounts", Recovery::Recoverable).await;
    let loose = create(&opened.engine, "notes", Recovery::NonRecoverable).await;
    let long = vec![b'l'; 40_000];
    for number in 0..1_000_u32 {
        put(&opened.engine, store, &number.to_be_bytes(), format!("record {number}").as_bytes()).await;
        if number % 100 == 0 {
            put(&opened.engine, loose, &number.to_be_bytes(), &long).await;
        }
        if number % 300 == 299 {
            opened = again(opened, folder.path(), "starts").await;
        }
    }
    // Half of it goes again, over checkpoints.
    let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
    for number in (0..1_000_u32).step_by(2) {
        unit.delete(store, &number.to_be_bytes()).await.unwrap();
    }
    unit.commit().await.unwrap();
    assert!(opened.engine.log_counts().groups > 0);
    opened.engine.checkpoint().unwrap();
    opened = again(opened, folder.path(), "starts").await;
    assert_eq!(get(&opened.engine, store, &2_u32.to_be_bytes()).await, None);
    assert_eq!(get(&opened.engine, store, &7_u32.to_be_bytes()).await, Some(b"record 7".to_vec()));
    assert_eq!(get(&opened.engine, loose, &300_u32.to_be_bytes()).await, Some(long));
    let (mut unit, mut batch) = (opened.engine.begin(opened.engine.locks().new_owner()), Batch::default());
    for direction in [Direction::Forward, Direction::Backward] {
        unit.range(store, Origin::Start, direction, usize::MAX, &mut batch).await.unwrap();
        let mut keys: Vec<u32> =
            batch.iter().map(|(key, _)| u32::from_be_bytes(key.try_into().unwrap())).collect();
        if direction == Direction::Backward {
            keys.reverse();
        }
        assert_eq!(keys, (1..1_000).step_by(2).collect::<Vec<_>>());
    }
    drop(unit);
    let verified = opened.engine.verify(store).unwrap();
    assert!(verified.records <= 500 && verified.problems.is_empty(), "{verified:?}");
    // What the log does not need any more goes.
    let pieces = does("SELECT count(*) FROM starts.files").await;
    let count = pieces.rows.row(0).flatten().next().map(|count| String::from_utf8_lossy(count).into_owned());
    assert!(count.unwrap().parse::<u32>().unwrap() <= 4);
}

#[tokio::test]
async fn units_of_work_in_doubt_keep_their_locks_over_starts() {
    let folder = tempfile::tempdir().unwrap();
    schema("doubts").await;
    let opened = open(folder.path(), "doubts", LONG).await;
    let store = create(&opened.engine, "accounts", Recovery::Recoverable).await;
    for name in [&b"first"[..], b"second"] {
        let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
        unit.lock(store, name, Wait::No).await.unwrap();
        unit.put(store, name, b"in doubt").await.unwrap();
        unit.prepare(name).await.unwrap();
    }
    let opened = again(opened, folder.path(), "doubts").await;
    let listed = opened.engine.indoubt().unwrap();
    assert_eq!(listed.iter().map(|unit| unit.standing).collect::<Vec<_>>(), [Standing::Shunted; 2]);
    assert_eq!(opened.engine.doubtful(store).unwrap().len(), 2);
    let mut unit = opened.engine.begin(opened.engine.locks().new_owner());
    assert_eq!(unit.lock(store, b"first", Wait::Forever).await, Err(Error::Retained));
    opened.engine.resolve(b"first", Decision::Commit, Decider::Coordinator).await.unwrap();
    opened.engine.resolve(b"second", Decision::Backout, Decider::Coordinator).await.unwrap();
    drop(unit);
    let opened = again(opened, folder.path(), "doubts").await;
    assert!(opened.engine.indoubt().unwrap().is_empty());
    assert_eq!(get(&opened.engine, store, b"first").await, Some(b"in doubt".to_vec()));
    assert_eq!(get(&opened.engine, store, b"second").await, None);
}

#[tokio::test]
async fn a_load_is_there_as_a_whole_and_large_units_of_work_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    schema("loads").await;
    let database = Database::open(options(folder.path(), "loads", LONG)).await.unwrap();
    let engine = database
        .engine(records::Limits { kept_bytes: 32 << 20, ..records::Limits::default() }, None)
        .unwrap();
    let store = create(&engine, "loaded", Recovery::Recoverable).await;
    put(&engine, store, b"before", b"the load").await;
    let record = |number: u32| (number.to_be_bytes().to_vec(), vec![b'r'; 30_000]);
    assert_eq!(engine.load(store, &mut (0..400).map(|number| Ok(record(number)))), Ok(400));
    let mut cut = (0..500).map(|number| if number < 450 { Ok(record(number)) } else { Err(Error::Stopped) });
    assert_eq!(engine.load(store, &mut cut), Err(Error::Stopped));
    assert_eq!(get(&engine, store, b"before").await, None);
    assert_eq!(get(&engine, store, &399_u32.to_be_bytes()).await, Some(vec![b'r'; 30_000]));
    assert_eq!(get(&engine, store, &400_u32.to_be_bytes()).await, None);
    // More than is read together.
    let (mut unit, mut batch) = (engine.begin(engine.locks().new_owner()), Batch::default());
    unit.range(store, Origin::Start, Direction::Backward, usize::MAX, &mut batch).await.unwrap();
    assert_eq!(batch.len(), 400);
    // A record of several pieces of the log.
    let long: Vec<u8> = (0..5_000_000_u32).map(|number| number as u8).collect();
    put(&engine, store, b"long", &long).await;
    drop((unit, engine, database));
    let opened = open(folder.path(), "loads", LONG).await;
    assert_eq!(get(&opened.engine, store, b"long").await, Some(long));
    opened.engine.checkpoint().unwrap();
    assert_eq!(opened.engine.verify(store).unwrap().records, 401);
}

#[tokio::test]
async fn a_database_sees_nothing_in_clear_but_keys() {
    let folder = tempfile::tempdir().unwrap();
    schema("sealed").await;
    let key = EncryptionKey::from_hex(&"5a".repeat(32)).unwrap();
    let database = Database::open(options(folder.path(), "sealed", LONG)).await.unwrap();
    let engine = database.engine(limits(), Some(key.clone())).unwrap();
    let store = create(&engine, "accounts", Recovery::Recoverable).await;
    put(&engine, store, b"key", b"a secret that nobody reads").await;
    let seen = "SELECT (SELECT count(*) FROM sealed.records WHERE position('secret'::bytea IN record) > 0) \
                + (SELECT count(*) FROM sealed.pieces WHERE position('secret'::bytea IN bytes) > 0), \
                (SELECT count(*) FROM sealed.pieces), (SELECT count(*) FROM sealed.records)";
    for _ in 0..2 {
        let answer = does(seen).await;
        let values: Vec<_> = answer.rows.row(0).flatten().collect();
        assert_eq!(values[0], b"0");
        assert!(values[1] != b"0" && values[2] != b"0");
        engine.checkpoint().unwrap();
    }
    drop((engine, database));
    let database = Database::open(options(folder.path(), "sealed", LONG)).await.unwrap();
    assert!(matches!(database.engine(limits(), None), Err(Error::Key(_))));
    let wrong = EncryptionKey::from_hex(&"a5".repeat(32)).unwrap();
    assert!(matches!(database.engine(limits(), Some(wrong)), Err(Error::Key(_))));
    let engine = database.engine(limits(), Some(key)).unwrap();
    assert_eq!(get(&engine, store, b"key").await, Some(b"a secret that nobody reads".to_vec()));
}

#[tokio::test]
async fn what_something_changes_in_the_tables_is_no_data() {
    let folder = tempfile::tempdir().unwrap();
    schema("damaged").await;
    let opened = open(folder.path(), "damaged", LONG).await;
    let store = create(&opened.engine, "accounts", Recovery::Recoverable).await;
    put(&opened.engine, store, b"key", b"a record").await;
    opened.engine.checkpoint().unwrap();
    drop(opened);
    does("UPDATE damaged.records SET record = set_byte(record, 0, 1) WHERE key = 'key'::bytea").await;
    let opened = open(folder.path(), "damaged", LONG).await;
    let (mut unit, mut record) = (opened.engine.begin(opened.engine.locks().new_owner()), Vec::new());
    let read = unit.get(store, b"key", &mut record).await;
    assert!(matches!(read, Err(Error::Corrupt(_))), "{read:?}");
    assert_eq!(opened.engine.verify(store).unwrap().problems.len(), 1);
    put(&opened.engine, store, b"other", b"a record").await;
    drop((unit, opened));
    // The end of the log is gone, and was acknowledged.
    does("DELETE FROM damaged.pieces").await;
    let database = Database::open(options(folder.path(), "damaged", LONG)).await.unwrap();
    let refused = database.engine(limits(), None).err();
    assert!(matches!(refused, Some(Error::Log(_))), "{refused:?}");
}

#[tokio::test]
async fn a_backup_is_the_databases_own() {
    let folder = tempfile::tempdir().unwrap();
    schema("copied").await;
    let opened = open(folder.path(), "copied", LONG).await;
    let mut archive = Vec::new();
    let mut archive = Archive::begin(&mut archive).unwrap();
    let refused = opened.engine.backup(&mut archive, &mut || (), &mut |_| ());
    assert!(matches!(refused, Err(Error::Unsupported(why)) if why.contains("database")), "{refused:?}");
}
