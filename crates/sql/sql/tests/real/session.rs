//! Sessions: statements, errors, cancelling, what is dropped halfway.

use std::time::Duration;

use sql::value::{Argument, Field};
use sql::{Failure, Session, Settings, Statement, Verb};

use crate::place::{address, another, block_on, session, settings};

fn int(value: &[u8; 4]) -> Argument<'_> {
    Argument { field: Field::binary(4), bytes: value, indicator: None }
}

fn text(value: &[u8]) -> Argument<'_> {
    Argument { field: Field::char(value.len() as u32), bytes: value, indicator: None }
}

#[test]
fn a_statement_is_prepared_once_and_runs_often() {
    block_on(async {
        let mut session = session("a_statement").await;
        session.script("CREATE TABLE t (id int PRIMARY KEY, name char(5))").await.unwrap();
        let insert = Statement::new("INSERT INTO t VALUES ($1, $2)", &[]);
        for id in 0..3i32 {
            let answer = session.run(&insert, &[int(&id.to_be_bytes()), text(b"ABC  ")], 0).await.unwrap();
            assert_eq!((answer.part(0).verb, answer.part(0).count), (Verb::Insert, 1));
        }
        let select = Statement::new("SELECT name, id FROM t WHERE id > $1 ORDER BY id", &[]);
        let answer = session.run(&select, &[int(&0i32.to_be_bytes())], 0).await.unwrap();
        assert_eq!(answer.rows.len(), 2);
        assert_eq!(
            answer.rows.row(1).flatten().collect::<Vec<_>>(),
            [b"ABC  ".as_slice(), &2i32.to_be_bytes()]
        );
        let prepared = session.script("SELECT count(*) FROM pg_prepared_statements").await.unwrap();
        assert_eq!(prepared.rows.row(0).next(), Some(Some(b"2".as_slice())));
    });
}

#[test]
fn an_objection_of_the_server_does_not_end_the_session() {
    block_on(async {
        let mut session = session("an_objection").await;
        let wrong = Statement::new("SELECT nothing FROM nowhere", &[]);
        let failure = session.run(&wrong, &[], 0).await.unwrap_err();
        assert!(matches!(&failure, Failure::Refused(fault) if fault.state() == "42P01"), "{failure}");
        let divides = Statement::new("SELECT 1 / $1", &[]);
        let zero = 0i32.to_be_bytes();
        let failure = session.run(&divides, &[int(&zero)], 0).await.unwrap_err();
        assert!(matches!(&failure, Failure::Refused(fault) if fault.state() == "22012"), "{failure}");
        session.script("CREATE TABLE nowhere (nothing int)").await.unwrap();
        assert_eq!(session.run(&wrong, &[], 0).await.unwrap().rows.len(), 0);
    });
}

#[test]
fn a_plan_that_is_out_of_date_is_made_again_without_a_word() {
    block_on(async {
        let mut session = session("out_of_date").await;
        session.script("CREATE TABLE t AS SELECT 1 AS a").await.unwrap();
        let select = Statement::new("SELECT * FROM t", &[]);
        assert_eq!(session.run(&select, &[], 0).await.unwrap().rows.row(0).count(), 1);
        session.script("ALTER TABLE t ADD b int DEFAULT 2").await.unwrap();
        assert_eq!(session.run(&select, &[], 0).await.unwrap().rows.row(0).count(), 2);
        session.script("DEALLOCATE ALL").await.unwrap();
        assert_eq!(session.run(&select, &[], 0).await.unwrap().rows.row(0).count(), 2);
    });
}

#[test]
fn a_type_that_the_server_cannot_find_out_is_the_fields_own() {
    block_on(async {
        let mut session = session("own_type").await;
        let select = Statement::new("SELECT pg_typeof($1)::text, $1 IS NULL", &[]);
        let answer = session.run(&select, &[text(b"AB  ")], 0).await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"character".as_slice())));
    });
}

#[test]
fn a_statement_that_is_dropped_is_cancelled_and_the_session_goes_on() {
    block_on(async {
        let mut session = session("dropped").await;
        let watcher = &mut another("dropped").await;
        let slow = Statement::new("SELECT pg_sleep(600)", &[]);
        let backend = session.canceller().backend();
        {
            let runs = session.run(&slow, &[], 0);
            tokio::pin!(runs);
            tokio::select! {
                _ = &mut runs => panic!("it does not end by itself"),
                () = sleeps(watcher, backend) => (),
            }
        }
        assert!(session.is_busy());
        session.interrupt().await.unwrap();
        assert!(!session.is_busy());
        session.script("SELECT 1").await.unwrap();
    });
}

/// Waits until a session sleeps.
pub async fn sleeps(watcher: &mut Session, backend: u32) {
    let asks = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {backend} AND wait_event = 'PgSleep'");
    while watcher.script(&asks).await.unwrap().rows.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_session_that_the_server_ends_is_lost_with_the_servers_word() {
    block_on(async {
        let mut session = session("ended").await;
        let backend = session.canceller().backend();
        another("ended").await.script(format!("SELECT pg_terminate_backend({backend}, 5000)")).await.unwrap();
        let failure = session.script("SELECT 1").await.unwrap_err();
        let Failure::Lost(lost) = failure else { panic!("{failure}") };
        assert_eq!(lost.fault.unwrap().state(), "57P01");
        assert!(matches!(session.script("SELECT 1").await, Err(Failure::Lost(_))));
    });
}

#[test]
fn many_statements_do_not_stay_prepared_for_ever() {
    block_on(async {
        let mut session = session("many").await;
        let select = |number: usize| Statement::new(format!("SELECT {number}::int"), &[]);
        let first = select(0);
        for number in 0..sql::limits::PREPARED_MAX + 5 {
            let statement = if number == 0 { first.clone() } else { select(number) };
            session.run(&statement, &[], 0).await.unwrap();
        }
        let answer = session.script("SELECT count(*) FROM pg_prepared_statements").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(sql::limits::PREPARED_MAX.to_string().as_bytes())));
        assert_eq!(session.run(&first, &[], 0).await.unwrap().rows.len(), 1);
    });
}

#[test]
fn long_values_go_both_ways() {
    block_on(async {
        let mut session = session("long_values").await;
        let echo = Statement::new("SELECT $1::text || $1, $1", &[]);
        let long = vec![b'x'; 3 << 20];
        let answer = session.run(&echo, &[text(&long)], 0).await.unwrap();
        let lengths: Vec<usize> = answer.rows.row(0).flatten().map(<[u8]>::len).collect();
        assert_eq!(lengths, [6 << 20, 3 << 20]);
    });
}

#[test]
fn no_task_waits_for_a_server_that_is_not_there() {
    block_on(async {
        let mut nowhere = address();
        nowhere.place = sql::ListenPlace::Socket { folder: "/nowhere".into(), port: 1 };
        let error = Session::connect(&nowhere, &Settings::default()).await.err().unwrap().to_string();
        assert!(error.contains("/nowhere/.s.PGSQL.1"), "{error}");
        let mut stranger = address();
        stranger.database = "stranger".to_owned();
        let error = Session::connect(&stranger, &settings("x")).await.err().unwrap().to_string();
        assert!(error.contains("database \"stranger\" does not exist"), "{error}");
    });
}

#[test]
fn a_lock_time_out_is_the_sessions() {
    block_on(async {
        let mut first = session("lock_time_out").await;
        first.script("CREATE TABLE t (a int)").await.unwrap();
        first.script("BEGIN; LOCK TABLE t").await.unwrap();
        let settings = Settings { lock_timeout: 20, ..settings("lock_time_out") };
        let mut second = Session::connect(&address(), &settings).await.unwrap();
        let select = Statement::new("SELECT * FROM t", &[]);
        let waits = tokio::time::timeout(Duration::from_secs(60), second.run(&select, &[], 0));
        let failure = waits.await.unwrap().unwrap_err();
        assert!(matches!(&failure, Failure::Refused(fault) if fault.state() == "55P03"), "{failure}");
    });
}
