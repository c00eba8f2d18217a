//! Two-phase commit: what is indoubt stays so until it is resolved, whatever happens to the engine meanwhile.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use records::sim::Machine;
use records::{
    Decider, Decision, Engine, Error, Limits, Local, Recovery, Resolved, ResolvedChange, Resource, Standing,
    StoreId, UnitOfWork, Wait,
};

fn open(folder: &Path) -> Arc<Local> {
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    Local::open(folder, limits).expect("the engine opens")
}

fn begin(engine: &Local) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

async fn accounts(engine: &Local) -> StoreId {
    let mut unit = begin(engine);
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a new store");
    unit.commit().await.expect("commits");
    let mut unit = begin(engine);
    unit.put(store, b"a", b"1").await.expect("a put");
    unit.commit().await.expect("commits");
    store
}

async fn read(engine: &Local, store: StoreId, key: &str) -> String {
    let mut record = Vec::new();
    begin(engine).get(store, key.as_bytes(), &mut record).await.expect("a read");
    String::from_utf8(record).expect("text")
}

/// A unit of work that has changed account a and is indoubt.
async fn prepared(engine: &Local, store: StoreId, name: &str) -> Box<dyn UnitOfWork> {
    let mut unit = begin(engine);
    unit.lock(store, b"a", Wait::No).await.expect("the lock");
    unit.put(store, b"a", b"2").await.expect("a put");
    unit.prepare(name.as_bytes()).await.expect("prepared");
    unit
}

async fn lock(engine: &Local, store: StoreId) -> Result<(), Error> {
    begin(engine).lock(store, b"a", Wait::No).await
}

fn listed(engine: &Local) -> Vec<(String, Standing, usize, usize)> {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let indoubt = engine.indoubt().expect("a list");
    indoubt.iter().map(|unit| (text(&unit.name), unit.standing, unit.stores, unit.keys)).collect()
}

#[tokio::test]
async fn a_prepared_unit_of_work_is_invisible_and_keeps_its_locks_until_its_task_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    for (decision, expected) in [(Decision::Backout, "1"), (Decision::Commit, "2")] {
        let unit = prepared(&engine, store, "transfer").await;
        assert_eq!(listed(&engine), [("transfer".into(), Standing::Attended, 1, 1)]);
        assert_eq!(read(&engine, store, "a").await, "1");
        assert_eq!(lock(&engine, store).await, Err(Error::Locked));
        match decision {
            Decision::Commit => unit.commit().await.unwrap(),
            Decision::Backout => unit.backout().await.unwrap(),
        }
        assert_eq!(read(&engine, store, "a").await, expected);
        assert_eq!(lock(&engine, store).await, Ok(()));
        assert_eq!(listed(&engine), []);
    }
}

#[tokio::test]
async fn nothing_can_be_done_with_a_prepared_unit_of_work_but_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let mut unit = prepared(&engine, store, "transfer").await;
    let mut record = Vec::new();
    assert_eq!(unit.get(store, b"a", &mut record).await, Err(Error::Prepared));
    assert_eq!(unit.put(store, b"a", b"3").await, Err(Error::Prepared));
    assert_eq!(unit.delete(store, b"a").await, Err(Error::Prepared));
    assert_eq!(unit.lock(store, b"b", Wait::No).await, Err(Error::Prepared));
    assert_eq!(unit.create_store("more", Recovery::Recoverable), Err(Error::Prepared));
    assert_eq!(unit.prepare(b"again").await, Err(Error::Prepared));
    assert!(!unit.is_clean());
}

#[tokio::test]
async fn a_name_is_used_once_at_a_time_and_has_a_length() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let first = prepared(&engine, store, "transfer").await;
    let mut second = begin(&engine);
    second.put(store, b"b", b"2").await.unwrap();
    assert_eq!(second.prepare(b"transfer").await, Err(Error::NameInUse));
    for length in [0, 1025] {
        let refused = second.prepare(&vec![b'n'; length]).await;
        assert_eq!(refused, Err(Error::Limit("length of a unit of work's name")));
    }
    first.commit().await.unwrap();
    second.prepare(b"transfer").await.unwrap();
    second.commit().await.unwrap();
    assert_eq!(read(&engine, store, "b").await, "2");
}

#[tokio::test]
async fn a_unit_of_work_without_changes_has_nothing_to_decide() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let mut unit = begin(&engine);
    unit.lock(store, b"a", Wait::No).await.unwrap();
    unit.prepare(b"reader").await.unwrap();
    assert_eq!(listed(&engine), []);
    drop(unit);
    assert_eq!(lock(&engine, store).await, Ok(()));
}

#[tokio::test]
async fn who_waits_for_a_lock_is_told_when_it_is_retained() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let unit = prepared(&engine, store, "transfer").await;
    let mut other = begin(&engine);
    let mut waiting = pin!(other.lock(store, b"a", Wait::Forever));
    assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(unit);
    assert_eq!(waiting.await, Err(Error::Retained));
    assert_eq!(lock(&engine, store).await, Err(Error::Retained));
    assert_eq!(listed(&engine), [("transfer".into(), Standing::Shunted, 1, 1)]);
    let held = engine.locks().info(&Resource::record(store, b"a")).expect("it is held");
    assert!(held.retained && Some(held.owner) == engine.indoubt().unwrap()[0].owner);

    engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator).await.unwrap();
    assert_eq!((read(&engine, store, "a").await.as_str(), lock(&engine, store).await), ("2", Ok(())));
}

#[tokio::test]
async fn what_is_indoubt_survives_restarts_checkpoints_and_the_trimming_of_the_log() {
    for decision in [Decision::Commit, Decision::Backout] {
        let folder = tempfile::tempdir().unwrap();
        let engine = open(folder.path());
        let store = accounts(&engine).await;
        let since = {
            let _unit = prepared(&engine, store, "transfer").await;
            engine.indoubt().unwrap()[0].since
        };
        drop(engine);
        for round in 0..10 {
            let engine = open(folder.path());
            assert_eq!(listed(&engine), [("transfer".into(), Standing::Shunted, 1, 1)], "{round}");
            assert_eq!(engine.indoubt().unwrap()[0].since, since);
            assert_eq!(lock(&engine, store).await, Err(Error::Retained));
            assert_eq!(read(&engine, store, "a").await, "1");
            for number in 0..10 {
                let mut unit = begin(&engine);
                unit.put(store, b"others", format!("{number:08000}").as_bytes()).await.unwrap();
                unit.commit().await.unwrap();
            }
            engine.checkpoint().unwrap();
        }
        assert!(!folder.path().join("log").join("log.0000000000").exists(), "the log is trimmed");
        let engine = open(folder.path());
        engine.resolve(b"transfer", decision, Decider::Coordinator).await.unwrap();
        let expected = if decision == Decision::Commit { "2" } else { "1" };
        drop(engine);
        let engine = open(folder.path());
        assert_eq!(read(&engine, store, "a").await, expected);
        assert_eq!((lock(&engine, store).await, listed(&engine)), (Ok(()), vec![]));
    }
}

#[tokio::test]
async fn what_an_operator_decides_is_remembered_until_the_coordinator_has_heard_of_it() {
    use Decision::{Backout, Commit};
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let forced = |decision| vec![("transfer".to_owned(), Standing::Forced(decision), 0, 0)];
    for (operator, coordinator, outcome) in
        [(Backout, Backout, Ok(())), (Commit, Backout, Err(Error::Heuristic(Commit)))]
    {
        drop(prepared(&engine, store, "transfer").await);
        engine.resolve(b"transfer", operator, Decider::Operator).await.unwrap();
        assert_eq!(lock(&engine, store).await, Ok(()));
        assert_eq!(listed(&engine), forced(operator));
        let again = engine.resolve(b"transfer", operator, Decider::Operator).await;
        assert_eq!(again, Err(Error::NotIndoubt));
        let heard = engine.resolve(b"transfer", coordinator, Decider::Coordinator).await;
        assert_eq!(heard, outcome);
    }
    drop(engine);
    let engine = open(folder.path());
    assert_eq!((listed(&engine), read(&engine, store, "a").await), (forced(Commit), "2".into()));
    engine.forget(b"transfer").await.unwrap();
    assert_eq!((listed(&engine), engine.forget(b"transfer").await), (vec![], Err(Error::NotIndoubt)));
}

#[tokio::test]
async fn a_task_that_still_waits_learns_what_an_operator_decided() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let unit = prepared(&engine, store, "transfer").await;
    engine.resolve(b"transfer", Decision::Backout, Decider::Operator).await.unwrap();
    assert_eq!(unit.commit().await, Err(Error::Heuristic(Decision::Backout)));
    assert_eq!(read(&engine, store, "a").await, "1");
}

/// A coordinator that hears of nothing in doubt under a name may forget the decision: it must have been carried out, durably.
#[test]
fn a_decision_waits_for_the_force_that_makes_a_unit_of_work_indoubt_or_ends_it() {
    let mut context = Context::from_waker(Waker::noop());
    let running = Machine::new(1, Limits::default()).start().expect("an engine");
    let engine = &running.engine;
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a new store");
    let mut preparing = unit.prepare(b"transfer");
    assert!(pin!(&mut preparing).poll(&mut context).is_pending());
    let mut decided = pin!(engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator));
    let mut again = pin!(engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator));
    assert!(decided.as_mut().poll(&mut context).is_pending());
    running.write_group().expect("prepared");
    assert_eq!(pin!(&mut preparing).poll(&mut context), Poll::Ready(Ok(())));
    // The first is being carried out; the second has to wait for its force.
    assert!(decided.as_mut().poll(&mut context).is_pending());
    assert!(again.as_mut().poll(&mut context).is_pending());
    running.write_group().expect("committed");
    assert_eq!(decided.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    assert_eq!(again.as_mut().poll(&mut context), Poll::Ready(Err(Error::NotIndoubt)));
    assert_eq!(engine.find("accounts"), Some(store));
}

#[tokio::test]
async fn a_store_that_is_made_by_a_unit_of_work_in_doubt_keeps_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let mut unit = begin(&engine);
    let store = unit.create_store("indoubt", Recovery::Recoverable).unwrap();
    unit.prepare(b"creation").await.unwrap();
    drop(unit);
    drop(engine);
    let engine = open(folder.path());
    let refused = begin(&engine).create_store("indoubt", Recovery::Recoverable);
    assert_eq!(refused, Err(Error::Retained));
    let other = accounts(&engine).await;
    engine.resolve(b"creation", Decision::Commit, Decider::Coordinator).await.unwrap();
    assert_eq!((engine.find("indoubt"), engine.find("accounts")), (Some(store), Some(other)));
    assert_eq!(
        (read(&engine, store, "a").await.as_str(), read(&engine, other, "a").await.as_str()),
        ("", "1")
    );
    assert_eq!(engine.stores().len(), 2, "the engine's own store is not shown");
}

#[tokio::test]
async fn a_commit_after_the_answer_of_prepare_was_dropped_is_still_possible() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let mut unit = begin(&engine);
    unit.put(store, b"a", b"2").await.unwrap();
    let polled = pin!(unit.prepare(b"transfer")).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending | Poll::Ready(Ok(()))));
    drop(unit);
    // Whatever comes behind it in the log, it is indoubt by then.
    let mut behind = begin(&engine);
    behind.put(store, b"b", b"3").await.unwrap();
    behind.commit().await.unwrap();
    engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator).await.unwrap();
    assert_eq!(read(&engine, store, "a").await, "2");
}

/// The last resource of a unit of work has the evidence that it committed: what was prepared here may be in doubt again.
#[tokio::test]
async fn a_prepared_unit_of_work_is_committed_without_a_force_and_is_whole_or_indoubt_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let before = engine.log_counts().forced_units;
    let unit = prepared(&engine, store, "transfer").await;
    unit.commit_unforced().await.unwrap();
    assert_eq!(engine.log_counts().forced_units - before, 1, "the preparation alone is forced");
    assert_eq!(read(&engine, store, "a").await, "2");
    assert_eq!(lock(&engine, store).await, Ok(()));
    assert_eq!(listed(&engine), []);
    let left = tempfile::tempdir().unwrap();
    copy(folder.path(), left.path());
    let engine = open(left.path());
    match read(&engine, store, "a").await.as_str() {
        "2" => assert_eq!(listed(&engine), []),
        record => {
            assert_eq!(record, "1");
            assert_eq!(listed(&engine), [("transfer".into(), Standing::Shunted, 1, 1)]);
        }
    }
}

/// A copy of a folder as a crash would leave it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// The messages that watchers have had: the end of each unit of work, and its changes.
type Heard = Arc<std::sync::Mutex<Vec<Resolved>>>;

fn watched(engine: &Local) -> Heard {
    let heard = Heard::default();
    let hears = Arc::clone(&heard);
    engine.watch_resolved(Box::new(move |resolved| {
        hears.lock().expect("one at a time").push(resolved.clone())
    }));
    heard
}

fn resolved(name: &str, decision: Decision, changes: Vec<ResolvedChange>) -> Resolved {
    Resolved { name: name.as_bytes().to_vec(), decision, changes }
}

fn change(store: StoreId, key: &str, record: Option<&str>, had_record: bool) -> ResolvedChange {
    let (key, record) = (key.as_bytes().to_vec(), record.map(|record| record.as_bytes().to_vec()));
    ResolvedChange { store, key, record, had_record }
}

/// No watcher hears of a unit of work that its own task ends; watchers hear of one that is resolved, while its locks are still held.
#[tokio::test]
async fn watchers_hear_of_what_ends_without_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let heard = watched(&engine);
    prepared(&engine, store, "own").await.commit().await.unwrap();
    prepared(&engine, store, "own").await.backout().await.unwrap();
    assert_eq!(*heard.lock().unwrap(), []);
    for decision in [Decision::Commit, Decision::Backout] {
        for by in [Decider::Coordinator, Decider::Operator] {
            let mut unit = prepared(&engine, store, "shunted").await;
            drop(std::mem::replace(&mut unit, begin(&engine)));
            engine.resolve(b"shunted", decision, by).await.unwrap();
            let changes = vec![change(store, "a", Some("2"), true)];
            assert_eq!(
                heard.lock().unwrap().drain(..).collect::<Vec<_>>(),
                [resolved("shunted", decision, changes)]
            );
            // The coordinator comes later: that is no news.
            if by == Decider::Operator {
                engine.resolve(b"shunted", decision, Decider::Coordinator).await.unwrap();
            }
            assert_eq!(*heard.lock().unwrap(), []);
        }
    }
}

/// An operator is faster than the coordinator of a task that waits: the task hears of it, or is gone without having heard.
#[tokio::test]
async fn watchers_hear_in_place_of_a_task_that_goes_away() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let heard = watched(&engine);
    let unit = prepared(&engine, store, "first").await;
    engine.resolve(b"first", Decision::Commit, Decider::Operator).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [], "its task has heard");
    let unit = prepared(&engine, store, "second").await;
    engine.resolve(b"second", Decision::Commit, Decider::Operator).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [], "its task may hear yet");
    drop(unit);
    assert_eq!(heard.lock().unwrap().len(), 1);
    let unit = prepared(&engine, store, "third").await;
    engine.resolve(b"third", Decision::Commit, Decider::Operator).await.unwrap();
    assert_eq!(unit.backout().await, Err(Error::Heuristic(Decision::Commit)));
    assert_eq!(heard.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_in_doubt_is_known_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let store = accounts(&engine).await;
    let mut unit = begin(&engine);
    unit.delete(store, b"a").await.unwrap();
    unit.put(store, b"b", b"3").await.unwrap();
    unit.prepare(b"transfer").await.unwrap();
    drop((unit, engine));
    let engine = open(folder.path());
    let heard = watched(&engine);
    let doubtful = engine.doubtful(store).expect("a list");
    assert_eq!(doubtful, [(b"a".to_vec(), None), (b"b".to_vec(), Some(b"3".to_vec()))]);
    engine.resolve(b"transfer", Decision::Commit, Decider::Coordinator).await.unwrap();
    let changes = vec![change(store, "a", None, true), change(store, "b", Some("3"), false)];
    assert_eq!(*heard.lock().unwrap(), [resolved("transfer", Decision::Commit, changes)]);
    assert_eq!(engine.doubtful(store).expect("a list"), []);
}
