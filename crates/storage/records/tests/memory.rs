//! Tables in main storage: the same units of work, locks and ranges as in any other store.

use std::sync::Arc;

use records::{
    Batch, Direction, Engine, Error, Locks, Memory, Origin, Recovery, Replaced, StoreId, Table, TokioClock,
    UnitOfWork, Wait,
};

fn memory() -> Arc<Memory> {
    Memory::new(Locks::new(Arc::new(TokioClock), 100))
}

/// A recoverable table with these records.
fn table(memory: &Memory, limit: Option<u64>, records: &[(&str, &str)]) -> (StoreId, Arc<Table>) {
    let (store, table) = memory.create("T", Recovery::Recoverable, limit);
    for (key, record) in records {
        assert!(table.add(key.as_bytes(), record.as_bytes()).expect("room"));
    }
    (store, table)
}

fn begin(memory: &Memory) -> Box<dyn UnitOfWork> {
    memory.begin(memory.locks().new_owner())
}

/// All records in the direction, as text.
async fn list(unit: &mut dyn UnitOfWork, store: StoreId, origin: Origin<'_>, direction: Direction) -> String {
    let mut batch = Batch::default();
    unit.range(store, origin, direction, usize::MAX, &mut batch).await.expect("range");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let entries = batch.iter().map(|(key, record)| format!("{}={}", text(key), text(record)));
    entries.collect::<Vec<_>>().join(" ")
}

async fn all(memory: &Memory, store: StoreId) -> String {
    list(&mut *begin(memory), store, Origin::Start, Direction::Forward).await
}

#[tokio::test]
async fn changes_are_the_units_own_until_it_commits() {
    let memory = memory();
    let (store, _) = table(&memory, None, &[("a", "1"), ("b", "2"), ("d", "4")]);
    let mut unit = begin(&memory);
    unit.put(store, b"c", b"3").await.unwrap();
    unit.put(store, b"b", b"22").await.unwrap();
    unit.delete(store, b"a").await.unwrap();
    let mut record = Vec::new();
    assert!(!unit.get(store, b"a", &mut record).await.unwrap());
    assert!(unit.get(store, b"b", &mut record).await.unwrap());
    assert_eq!(record, b"22");
    assert_eq!(list(&mut *unit, store, Origin::Start, Direction::Forward).await, "b=22 c=3 d=4");
    assert_eq!(list(&mut *unit, store, Origin::Start, Direction::Backward).await, "d=4 c=3 b=22");
    assert_eq!(list(&mut *unit, store, Origin::At(b"bb"), Direction::Forward).await, "c=3 d=4");
    assert_eq!(list(&mut *unit, store, Origin::Beyond(b"c"), Direction::Backward).await, "b=22");
    assert_eq!(all(&memory, store).await, "a=1 b=2 d=4");
    unit.commit().await.unwrap();
    assert_eq!(all(&memory, store).await, "b=22 c=3 d=4");
}

#[tokio::test]
async fn a_unit_that_is_dropped_has_changed_nothing_and_holds_nothing() {
    let memory = memory();
    let (store, _) = table(&memory, None, &[("a", "1")]);
    let (mut first, mut second) = (begin(&memory), begin(&memory));
    first.lock(store, b"a", Wait::No).await.unwrap();
    first.put(store, b"a", b"9").await.unwrap();
    assert_eq!(second.lock(store, b"a", Wait::No).await, Err(Error::Locked));
    first.unlock(store, b"a");
    assert_eq!(second.lock(store, b"a", Wait::No).await, Err(Error::Locked), "it was changed");
    drop(first);
    second.lock(store, b"a", Wait::No).await.unwrap();
    assert_eq!(all(&memory, store).await, "a=1");
}

#[tokio::test]
async fn without_recovery_changes_are_seen_at_once_and_stay() {
    let memory = memory();
    let (store, _) = memory.create("T", Recovery::NonRecoverable, None);
    let mut unit = begin(&memory);
    unit.put(store, b"a", b"1").await.unwrap();
    assert_eq!(all(&memory, store).await, "a=1");
    unit.backout().await.unwrap();
    assert_eq!(all(&memory, store).await, "a=1");
}

#[tokio::test]
async fn a_full_table_takes_no_more_and_counts_those_that_may_still_come() {
    let memory = memory();
    let (store, _) = table(&memory, Some(2), &[("a", "1")]);
    let (mut first, mut second) = (begin(&memory), begin(&memory));
    first.put(store, b"b", b"2").await.unwrap();
    assert_eq!(second.put(store, b"c", b"3").await, Err(Error::Limit("records of a table")));
    first.put(store, b"b", b"22").await.unwrap();
    first.delete(store, b"b").await.unwrap();
    second.put(store, b"c", b"3").await.unwrap();
    drop(second);
    first.put(store, b"d", b"4").await.unwrap();
    // A deleted record has its place until the commit: it may still come back.
    first.delete(store, b"a").await.unwrap();
    assert!(first.put(store, b"e", b"5").await.is_err());
    first.commit().await.unwrap();
    let mut third = begin(&memory);
    third.put(store, b"e", b"5").await.unwrap();
    third.commit().await.unwrap();
    assert_eq!(all(&memory, store).await, "d=4 e=5");
}

#[test]
fn a_change_on_condition_is_made_by_the_fastest_only() {
    let memory = memory();
    let (_, table) = table(&memory, None, &[("a", "1"), ("b", "2")]);
    let mut record = Vec::new();
    let read = |key: &[u8], record: &mut Vec<u8>| table.read(key, record).expect("a record");
    let (one, other) = (read(b"a", &mut record), read(b"b", &mut record));
    assert_eq!(table.replace(b"a", one, Some(b"11")), Replaced::Done);
    assert_eq!(table.replace(b"a", one, Some(b"12")), Replaced::Changed);
    assert_eq!(table.replace(b"a", one, None), Replaced::Changed);
    assert_eq!(table.replace(b"b", other, None), Replaced::Done);
    assert_eq!(table.replace(b"b", other, Some(b"3")), Replaced::Gone);
    assert_eq!((read(b"a", &mut record), &record[..]).1, b"11");
    assert_eq!(table.len(), 1);
}

#[test]
fn a_record_that_was_deleted_and_added_again_is_another_one() {
    let memory = memory();
    let (_, table) = table(&memory, None, &[("a", "1")]);
    let mut record = Vec::new();
    let mut read = || table.read(b"a", &mut record).expect("a record");
    let first = read();
    assert_eq!(table.replace(b"a", first, None), Replaced::Done);
    assert!(table.add(b"a", b"1").unwrap());
    assert_eq!(table.replace(b"a", first, Some(b"2")), Replaced::Changed);
    let second = read();
    assert_eq!(table.replace(b"a", second, Some(b"2")), Replaced::Done);
}

#[tokio::test]
async fn a_record_may_become_as_long_and_as_short_as_it_likes() {
    let memory = memory();
    let (store, table) = table(&memory, None, &[("a", "1")]);
    let mut record = Vec::new();
    for length in [1, 72, 73, 32_000, 73, 72, 0] {
        let long = vec![b'x'; length];
        let mut unit = begin(&memory);
        unit.put(store, b"a", &long).await.unwrap();
        unit.commit().await.unwrap();
        let version = table.read(b"a", &mut record).expect("a record");
        assert_eq!(record, long);
        // The same, on condition that no other writer was faster.
        assert_eq!(table.replace(b"a", version, Some(b"short")), Replaced::Done);
        assert_eq!(table.replace(b"a", version, Some(&long)), Replaced::Changed);
        let version = table.read(b"a", &mut record).expect("a record");
        assert_eq!(table.replace(b"a", version, Some(&long)), Replaced::Done);
        assert_eq!((table.read(b"a", &mut record).is_some(), &record), (true, &long));
    }
    assert_eq!(table.len(), 1);
}

#[tokio::test]
async fn what_was_read_ahead_is_current_until_something_changes() {
    let memory = memory();
    let (store, table) = table(&memory, None, &[("a", "1")]);
    let mut unit = begin(&memory);
    let mut batch = Batch::default();
    unit.range(store, Origin::Start, Direction::Forward, 5, &mut batch).await.unwrap();
    assert!(unit.is_current(store, batch.stamp));
    table.add(b"b", b"2").unwrap();
    assert!(!unit.is_current(store, batch.stamp));
    unit.range(store, Origin::Start, Direction::Forward, 5, &mut batch).await.unwrap();
    unit.put(store, b"c", b"3").await.unwrap();
    assert!(!unit.is_current(store, batch.stamp));
}

#[test]
fn threads_that_add_delete_and_read_leave_a_whole_table() {
    const EACH: u32 = 2_000;
    let memory = memory();
    let (store, table) = memory.create("T", Recovery::Recoverable, Some(u64::from(EACH)));
    let work = |thread: u32| {
        let mut record = Vec::new();
        for number in 0..EACH {
            let key = (number * 2 + thread).to_be_bytes();
            assert!(table.add(&key, &key).expect("room"));
            let version = table.read(&key, &mut record).expect("what was just added");
            assert_eq!(record, key);
            assert_eq!(table.replace(&key, version, None), Replaced::Done);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    assert!(table.is_empty());
    // Every place was given back.
    (0..EACH).for_each(|number| assert!(table.add(&number.to_be_bytes(), b"").expect("room")));
    assert!(memory.begin(memory.locks().new_owner()).is_clean());
    assert_eq!(memory.stores().first().map(|info| info.id), Some(store));
}
