//! Threads that force the log: that of the task that waits, or the log's own.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use records::sim::{Machine, Running};
use records::{Answer, Engine, Limits, Local, Recovery, Result, StoreId};

/// More than a thread of a task forces by itself.
const MANY: usize = 5;

/// An engine whose log's thread is the test, and a store.
fn start(quick_force: Duration) -> (Running, StoreId) {
    start_with(Limits { quick_force, ..Limits::default() })
}

fn start_with(limits: Limits) -> (Running, StoreId) {
    let machine = Machine::new(1, limits);
    let running = machine.start().expect("an engine");
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    let mut commit = unit.commit();
    assert!(look(&mut commit).is_pending());
    running.write_group().expect("written");
    assert_eq!(look(&mut commit), Poll::Ready(Ok(())));
    (running, store)
}

type Commit = Answer<'static, Result<()>>;

/// Units of work with a record each, on their way to their commits.
fn commits(running: &Running, store: StoreId, count: usize) -> Vec<Commit> {
    let commit = |number: usize| {
        let mut unit = running.engine.begin(running.engine.locks().new_owner());
        let key = number.to_string();
        assert_eq!(look(&mut unit.put(store, key.as_bytes(), b"1")), Poll::Ready(Ok(())));
        unit.commit()
    };
    (0..count).map(commit).collect()
}

/// As a thread does whose tasks wait: each has its turn.
fn turn(commits: &mut [Commit]) -> Vec<Poll<Result<()>>> {
    commits.iter_mut().map(look).collect()
}

fn look<T: Unpin>(answer: &mut Answer<'_, T>) -> Poll<T> {
    Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn few_that_are_ready_together_force_the_log_themselves_and_once() {
    for count in 1..MANY {
        let (running, store) = start(Duration::MAX);
        let groups = running.engine.log_counts().groups;
        let mut commits = commits(&running, store, count);
        assert_eq!(turn(&mut commits), vec![Poll::Pending; count], "they give way to each other");
        assert_eq!(turn(&mut commits), vec![Poll::Ready(Ok(())); count]);
        assert_eq!(running.engine.log_counts().groups, groups + 1);
    }
}

#[test]
fn many_leave_it_to_the_log_s_thread() {
    let (running, store) = start(Duration::MAX);
    let mut commits = commits(&running, store, MANY);
    for _ in 0..3 {
        assert_eq!(turn(&mut commits), vec![Poll::Pending; MANY]);
    }
    assert_eq!(running.write_group(), Ok(true));
    assert_eq!(turn(&mut commits), vec![Poll::Ready(Ok(())); MANY]);
}

#[test]
fn a_disk_that_is_not_quick_is_left_to_the_log_s_thread() {
    let (running, store) = start(Duration::ZERO);
    let mut commits = commits(&running, store, 1);
    for _ in 0..3 {
        assert_eq!(turn(&mut commits), [Poll::Pending]);
    }
    assert_eq!(running.write_group(), Ok(true));
    assert_eq!(turn(&mut commits), [Poll::Ready(Ok(()))]);
}

#[test]
fn after_several_the_next_force_waits_for_others_and_a_lone_task_never_waits() {
    let limits = Limits { quick_force: Duration::MAX, defer: Duration::from_secs(3600), ..Limits::default() };
    let (running, store) = start_with(limits);
    for round in 0..3 {
        let mut alone = commits(&running, store, 1);
        turn(&mut alone);
        assert_eq!(turn(&mut alone), [Poll::Ready(Ok(()))], "alone, round {round}");
    }
    let mut several = commits(&running, store, 3);
    turn(&mut several);
    assert_eq!(turn(&mut several), vec![Poll::Ready(Ok(())); 3]);
    let mut next = commits(&running, store, 2);
    for _ in 0..3 {
        assert_eq!(turn(&mut next), vec![Poll::Pending; 2], "others may join");
    }
    assert_eq!(running.write_group(), Ok(true));
    assert_eq!(turn(&mut next), vec![Poll::Ready(Ok(())); 2]);
    // Few have come: it is no longer worth waiting for them.
    let mut alone = commits(&running, store, 1);
    turn(&mut alone);
    assert_eq!(turn(&mut alone), [Poll::Ready(Ok(()))]);
}

#[tokio::test]
async fn a_force_that_was_deferred_comes() {
    let folder = tempfile::tempdir().expect("a folder");
    // A unit of work that no task waits for does not keep the log's thread asleep.
    let (defer, unforced_delay) = (Duration::from_millis(20), Duration::from_secs(3600));
    let limits = Limits { defer, unforced_delay, ..Limits::default() };
    let engine = Local::open(folder.path(), limits).expect("an engine");
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("commits");
    // The same tasks each time: after a while the force waits for them, and no longer.
    for round in 0..50_u8 {
        let commit = async |number: u8| {
            let mut unit = engine.begin(engine.locks().new_owner());
            unit.put(store, &[round, number], b"1").await.expect("a put");
            unit.commit().await.expect("commits");
        };
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.put(store, &[round, 0], b"1").await.expect("a put");
        unit.commit_unforced().await.expect("commits");
        tokio::join!(commit(1), commit(2), commit(3), commit(4), commit(5), commit(6));
    }
}

#[tokio::test]
async fn a_commit_that_no_task_waits_for_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Local::open(folder.path(), Limits::default()).expect("an engine");
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    drop(unit.commit());
    while engine.find("accounts").is_none() {
        std::thread::yield_now();
    }
}
