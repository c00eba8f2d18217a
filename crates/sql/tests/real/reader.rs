//! The shared reading session: many statements in one flush, errors and cancelling among them.

use std::rc::Rc;

use sql::value::{Argument, Field};
use sql::{Failure, Reader, Statement};
use tokio::task::spawn_local;

use crate::place::{address, another, block_on, session, settings};

async fn reader(schema: &str) -> Reader {
    let (reader, driver) = Reader::connect(&address(), &settings(schema)).await.unwrap();
    drop(spawn_local(driver));
    reader
}

async fn quotient(reader: &Reader, statement: &Statement, divisor: i32) -> Result<i32, Failure> {
    let divisor = Argument { field: Field::binary(4), bytes: &divisor.to_be_bytes(), indicator: None };
    let answer = reader.run(statement, &[divisor], 2).await?;
    Ok(i32::from_be_bytes(answer.rows.row(0).next().unwrap().unwrap().try_into().unwrap()))
}

#[test]
fn answers_go_to_who_asked_and_errors_to_nobody_else() {
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
                (number, Err(Failure::Refused(fault))) => {
                    assert_eq!((number % 10, fault.state()), (0, "22012"))
                }
                (number, Err(failure)) => panic!("{number}: {failure}"),
            }
        }
        assert_eq!(reader.waiting(), 0);
    });
}

#[test]
fn a_statement_that_nobody_waits_for_is_cancelled_and_others_run() {
    block_on(async {
        let reader = reader("public").await;
        let mut watcher = another("public").await;
        let (slow, quick) =
            (Statement::new("SELECT pg_sleep(600)", &[]), Statement::new("SELECT 10 / $1", &[]));
        reader.describe(&slow).await.unwrap();
        let sleeper = {
            let (reader, slow) = (reader.clone(), Rc::clone(&slow));
            spawn_local(async move { reader.run(&slow, &[], 0).await.map(drop) })
        };
        crate::session::sleeps(&mut watcher, reader.canceller().backend()).await;
        let waiting: Vec<_> = (1..=10)
            .map(|number| {
                let (reader, quick) = (reader.clone(), Rc::clone(&quick));
                spawn_local(async move { quotient(&reader, &quick, number).await.unwrap() })
            })
            .collect();
        sleeper.abort();
        let mut quotients = Vec::new();
        for task in waiting {
            quotients.push(task.await.unwrap());
        }
        assert_eq!(quotients, [10, 5, 3, 2, 2, 1, 1, 1, 1, 1]);
    });
}

#[test]
fn effects_are_refused() {
    block_on(async {
        session("no_effects").await.script("CREATE TABLE t (a int)").await.unwrap();
        let reader = reader("no_effects").await;
        let insert = Statement::new("INSERT INTO t VALUES (1)", &[]);
        let failure = reader.run(&insert, &[], 0).await.unwrap_err();
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
            assert!(matches!(task.await.unwrap(), Err(Failure::Lost(_))));
        }
        assert!(matches!(reader.run(&slow, &[], 0).await, Err(Failure::Lost(_))));
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
