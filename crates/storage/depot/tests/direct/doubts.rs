//! Units of work in doubt: over restarts, as another region sees them, and as an operator and a coordinator end them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use records::{Decider, Decision, Engine, Error, Numbers, Recovery, Standing, Wait};
use tempfile::tempdir;

use crate::{begin, open, place, put, read, store};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_unit_of_work_in_doubt_outlives_its_region() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("doubts").await;
    let a = open(one.path(), "doubts", "REGA").await;
    let b = open(other.path(), "doubts", "REGB").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    put(&*a, accounts, &[("k", "1"), ("gone", "1")]).await;
    let mut unit = begin(&*a);
    unit.lock(accounts, b"k", Wait::No).await.unwrap();
    unit.lock(accounts, b"gone", Wait::No).await.unwrap();
    unit.put(accounts, b"k", b"2").await.unwrap();
    unit.delete(accounts, b"gone").await.unwrap();
    unit.prepare(b"name").await.unwrap();
    assert_eq!(unit.put(accounts, b"k", b"3").await, Err(Error::Prepared));
    let mut same = begin(&*a);
    same.put(accounts, b"x", b"1").await.unwrap();
    assert_eq!(same.prepare(b"name").await, Err(Error::NameInUse));
    same.commit().await.unwrap();
    assert_eq!(read(&*a, accounts, "x").await.as_deref(), Some("1"), "it was as it was");

    // Its task is there: others wait.
    let mut of_b = begin(&*b);
    assert_eq!(of_b.lock(accounts, b"k", Wait::No).await, Err(Error::Locked));
    let little = Wait::AtMost(Duration::from_millis(120));
    assert_eq!(of_b.lock(accounts, b"k", little).await, Err(Error::TimedOut));
    let listed = list(&a).await;
    assert_eq!((listed[0].standing, listed[0].stores, listed[0].keys), (Standing::Attended, 1, 2));
    assert!(list(&b).await.is_empty(), "names are a region's own");

    // The region is gone.
    drop((unit, a));
    assert_eq!(of_b.lock(accounts, b"k", Wait::Forever).await, Err(Error::Retained));
    assert_eq!(read(&*b, accounts, "k").await.as_deref(), Some("1"));
    let a = open(one.path(), "doubts", "REGA").await;
    assert_eq!(list(&a).await[0].standing, Standing::Shunted);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    a.watch_resolved(Box::new(move |resolved| hears.lock().unwrap().push(resolved.clone())));
    a.resolve(b"name", Decision::Commit, Decider::Coordinator).await.unwrap();
    assert_eq!(read(&*b, accounts, "k").await.as_deref(), Some("2"));
    assert_eq!(read(&*b, accounts, "gone").await, None);
    of_b.lock(accounts, b"k", Wait::AtMost(SOON)).await.unwrap();
    let heard = std::mem::take(&mut *heard.lock().unwrap());
    assert_eq!((heard.len(), heard[0].changes.len(), heard[0].decision), (1, 2, Decision::Commit));
    assert!(heard[0].changes.iter().all(|change| change.had_record));
    assert!(list(&a).await.is_empty());
    let again = a.resolve(b"name", Decision::Commit, Decider::Coordinator).await;
    assert_eq!(again, Err(Error::NotIndoubt));
}

async fn list(engine: &Arc<depot::Direct>) -> Vec<records::Indoubt> {
    let engine = engine.clone();
    tokio::task::spawn_blocking(move || engine.indoubt()).await.unwrap().unwrap()
}

#[tokio::test]
async fn an_operator_may_be_wrong_and_the_coordinator_learns_of_it() {
    let one = tempdir().unwrap();
    place::schema("heuristic").await;
    let a = open(one.path(), "heuristic", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    for (name, decision) in [(&b"first"[..], Decision::Commit), (b"second", Decision::Backout)] {
        let mut unit = begin(&*a);
        unit.lock(accounts, name, Wait::No).await.unwrap();
        unit.put(accounts, name, b"1").await.unwrap();
        unit.prepare(name).await.unwrap();
        drop(unit);
        a.resolve(name, decision, Decider::Operator).await.unwrap();
        assert_eq!(a.resolve(name, decision, Decider::Operator).await, Err(Error::NotIndoubt));
        begin(&*a).lock(accounts, name, Wait::AtMost(SOON)).await.unwrap();
    }
    let standings: Vec<_> = list(&a).await.iter().map(|unit| unit.standing).collect();
    assert_eq!(standings, [Standing::Forced(Decision::Commit), Standing::Forced(Decision::Backout)]);
    assert_eq!(read(&*a, accounts, "first").await.as_deref(), Some("1"));
    assert_eq!(read(&*a, accounts, "second").await, None);
    let wrong = a.resolve(b"first", Decision::Backout, Decider::Coordinator).await;
    assert_eq!(wrong, Err(Error::Heuristic(Decision::Commit)));
    a.forget(b"first").await.unwrap();
    assert_eq!(a.forget(b"first").await, Err(Error::NotIndoubt));
    a.resolve(b"second", Decision::Backout, Decider::Coordinator).await.unwrap();
    assert!(list(&a).await.is_empty());
}

#[tokio::test]
async fn numbers_that_are_in_doubt_are_not_given_out_again() {
    let one = tempdir().unwrap();
    place::schema("doubtful_numbers").await;
    let a = open(one.path(), "doubtful_numbers", "REGA").await;
    let sequence = store(&*a, "sequence", Recovery::Recoverable).await;
    let mut unit = begin(&*a);
    let first = unit.take_numbers(sequence, Numbers::Addresses, 10).await.unwrap();
    unit.put(sequence, &first.to_be_bytes(), b"0123456789").await.unwrap();
    unit.prepare(b"name").await.unwrap();
    drop(unit);
    place::does("DELETE FROM doubtful_numbers.numbers").await;
    assert_eq!(begin(&*a).take_numbers(sequence, Numbers::Addresses, 5).await, Ok(10));
    let a2 = a.clone();
    let doubtful = tokio::task::spawn_blocking(move || a2.doubtful(sequence)).await.unwrap().unwrap();
    assert_eq!(doubtful, [(0_u64.to_be_bytes().to_vec(), Some(b"0123456789".to_vec()))]);
}
