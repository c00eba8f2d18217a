//! The shared reading session: many statements in one flush, errors and cancelling among them.

use std::rc::Rc;
use std::time::Duration;

use sql::limits::{LONG, LONG_MAX, SPARE_MAX};
use sql::value::{Argument, Field};
use sql::{Failure, NotRead, Reader, Readers, Session, Statement};
use tokio::task::spawn_local;
use tokio::time::timeout;

use crate::place::{address, another, block_on, session, settings};

async fn reader(schema: &str) -> Reader {
    let (reader, driver) = Reader::connect(&address(), &settings(schema)).await.unwrap();
    drop(spawn_local(driver));
    reader
}

async fn quotient(reader: &Reader, statement: &Statement, divisor: i32) -> Result<i32, NotRead> {
    let divisor = Argument { field: Field::binary(4), bytes: &divisor.to_be_bytes(), indicator: None };
    let answer = reader.run(statement, &[divisor], 2).await?;
    Ok(i32::from_be_bytes(answer.rows.row(0).next().unwrap().unwrap().try_into().unwrap()))
}

#[test]
fn answers_and_errors_go_only_to_the_task_that_asked() {
    block_on(async {
        let reader = reader("public").await;
        let statement = Statement::new("SELECT 1000 / $1", &[]);
        let tasks: Vec<_> = (0..1000)
            .map(|number| {
                let (reader, statement) = (reader.clone(), Rc::clone(&statement));
                spawn_local(async move { (number, quotient(&reader, &statement, number % 10).await) })
            })
            .collect();
        for task in tasks {
            match task.await.unwrap() {
                (number, Ok(quotient)) => assert_eq!(quotient, 1000 / (number % 10)),
                (number, Err(NotRead::Failure(Failure::Refused(fault)))) => {
                    assert_eq!((number % 10, fault.state()), (0, "22012"))
                }
                (number, Err(failure)) => panic!("{number}: {failure:?}"),
            }
        }
        assert_eq!(reader.waiting(), 0);
    });
}

/// A query that takes minutes, without a function that sleeps.
const LONG_QUERY: &str = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b";

/// Sessions that run a query which has this in it.
async fn running(watcher: &mut Session, part: &str) -> usize {
    let asks = format!(
        "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%{part}%' AND pid <> pg_backend_pid()"
    );
    watcher.script(&asks).await.unwrap().rows.len()
}

/// Waits until so many sessions run such a query.
async fn runs(watcher: &mut Session, part: &str, count: usize) {
    let all = async {
        while running(watcher, part).await != count {
            tokio::time::sleep(LONG / 5).await;
        }
    };
    timeout(LIMIT, all).await.unwrap_or_else(|_| panic!("not {count} sessions run {part}"));
}

/// Time for what takes no time.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn long_statements_keep_no_task_waiting_and_abandoned_ones_are_cancelled() {
    block_on(async {
        let readers = Rc::new(Readers::new(address(), settings("public")));
        let mut watcher = another("public").await;
        // More than may run at once, of one text and of several.
        let shared = Statement::new(format!("/* many */ {LONG_QUERY}"), &[]);
        let long: Vec<_> = (0..2 * LONG_MAX)
            .map(|number| {
                let own = Statement::new(format!("/* many {number} */ {LONG_QUERY}"), &[]);
                let statement = if number % 2 == 0 { Rc::clone(&shared) } else { own };
                let readers = Rc::clone(&readers);
                spawn_local(async move { readers.run(&statement, &[], 0).await.map(drop) })
            })
            .collect();
        let quick = Statement::new("SELECT 10 / $1", &[]);
        let quick = |number: i32| {
            let (readers, quick) = (Rc::clone(&readers), Rc::clone(&quick));
            spawn_local(async move {
                let number = number.to_be_bytes();
                let divisor = Argument { field: Field::binary(4), bytes: &number, indicator: None };
                let answer =
                    timeout(LIMIT, readers.run(&quick, &[divisor], 2)).await.expect("in time").unwrap();
                i32::from_be_bytes(answer.rows.row(0).next().unwrap().unwrap().try_into().unwrap())
            })
        };
        for _ in 0..3 {
            let waiting: Vec<_> = (1..=10).map(quick).collect();
            let mut quotients = Vec::new();
            for task in waiting {
                quotients.push(task.await.unwrap());
            }
            assert_eq!(quotients, [10, 5, 3, 2, 2, 1, 1, 1, 1, 1]);
            runs(&mut watcher, "many", LONG_MAX).await;
        }
        assert!(readers.sessions() <= 1 + LONG_MAX + SPARE_MAX, "{}", readers.sessions());
        assert!(long.iter().all(|task| !task.is_finished()));
        // All are purged at once; innocents run the while.
        let waiting: Vec<_> = (1..=10).map(quick).collect();
        long.iter().for_each(|task| task.abort());
        for task in waiting {
            task.await.unwrap();
        }
        runs(&mut watcher, "many", 0).await;
        for number in 1..=10 {
            assert_eq!(quick(number).await.unwrap(), 10 / number);
        }
        // The text of those that were cancelled runs again.
        let again = {
            let (readers, shared) = (Rc::clone(&readers), Rc::clone(&shared));
            spawn_local(async move { readers.run(&shared, &[], 0).await.map(drop) })
        };
        runs(&mut watcher, "many", 1).await;
        again.abort();
        runs(&mut watcher, "many", 0).await;
    });
}

#[test]
fn a_statement_that_waits_for_a_lock_keeps_no_other_task_waiting() {
    block_on(async {
        let mut owner = session("waits_for_a_lock").await;
        owner.script("CREATE TABLE t AS SELECT 1 AS a").await.unwrap();
        owner.script("BEGIN; LOCK TABLE t").await.unwrap();
        let readers = Rc::new(Readers::new(address(), settings("waits_for_a_lock")));
        let (locked, free) = (Statement::new("SELECT a FROM t", &[]), Statement::new("SELECT 2", &[]));
        let waits = {
            let readers = Rc::clone(&readers);
            spawn_local(async move { readers.run(&locked, &[], 0).await.unwrap().rows.len() })
        };
        tokio::task::yield_now().await;
        let answer = timeout(LIMIT, readers.run(&free, &[], 0)).await.expect("it waits for nothing").unwrap();
        assert_eq!(answer.rows.len(), 1);
        assert!(!waits.is_finished());
        owner.script("COMMIT").await.unwrap();
        assert_eq!(waits.await.unwrap(), 1);
    });
}

#[test]
fn effects_are_refused() {
    block_on(async {
        session("no_effects").await.script("CREATE TABLE t (a int)").await.unwrap();
        let reader = reader("no_effects").await;
        let insert = Statement::new("INSERT INTO t VALUES (1)", &[]);
        let failure = reader.run(&insert, &[], 0).await.unwrap_err();
        let NotRead::Failure(failure) = failure else { panic!("{failure:?}") };
        assert!(matches!(&failure, Failure::Refused(fault) if fault.state() == "25006"), "{failure}");
    });
}

#[test]
fn all_who_wait_hear_that_the_session_has_ended() {
    block_on(async {
        let reader = reader("public").await;
        let backend = reader.canceller().backend();
        let slow = Statement::new("SELECT pg_sleep(600)", &[]);
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let (reader, slow) = (reader.clone(), Rc::clone(&slow));
                spawn_local(async move { reader.run(&slow, &[], 0).await.map(drop) })
            })
            .collect();
        let mut watcher = another("public").await;
        crate::session::sleeps(&mut watcher, backend).await;
        watcher.script(format!("SELECT pg_terminate_backend({backend}, 5000)")).await.unwrap();
        for task in tasks {
            assert!(matches!(task.await.unwrap(), Err(NotRead::Failure(Failure::Lost(_)))));
        }
        assert!(matches!(reader.run(&slow, &[], 0).await, Err(NotRead::Failure(Failure::Lost(_)))));
        assert_eq!(reader.lost().unwrap().fault.unwrap().state(), "57P01");
    });
}

#[test]
fn the_last_reader_ends_the_driver() {
    block_on(async {
        let (reader, driver) = Reader::connect(&address(), &settings("public")).await.unwrap();
        let driver = spawn_local(driver);
        let other = reader.clone();
        drop(reader);
        other.run(&Statement::new("SELECT 1", &[]), &[], 0).await.unwrap();
        drop(other);
        driver.await.unwrap();
    });
}

#[test]
fn more_statements_than_places_wait_for_their_turn() {
    block_on(async {
        let reader = reader("public").await;
        let statement = Statement::new("SELECT 10 / $1", &[]);
        let tasks: Vec<_> = (0..3 * sql::limits::PIPELINE_MAX)
            .map(|_| {
                let (reader, statement) = (reader.clone(), Rc::clone(&statement));
                spawn_local(async move { quotient(&reader, &statement, 2).await.unwrap() })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(reader.waiting() <= sql::limits::PIPELINE_MAX);
        for task in tasks {
            assert_eq!(task.await.unwrap(), 5);
        }
    });
}
