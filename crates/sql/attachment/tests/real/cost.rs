//! Costs that SQL must not have: sessions, transactions, preparations and savepoints without a use.

use std::path::Path;
use std::rc::Rc;

use attachment::{Tcb, Thread};
use db2::package::{Action, Change, Package, Using};
use sql::codes::Scope;
use sql::{Address, Ended};
use tokio::task::spawn_local;

use crate::place::{address, another, block_on, settings};
use crate::program::{INT, Storage, Task, next_row, variable};

/// Tasks that read at once.
const TASKS: usize = 20;

/// One more task of a thread.
fn task(tcb: &Rc<Tcb>, storage: Vec<Vec<u8>>) -> Task {
    let package = Package { program: "PROG".to_owned(), ..Package::default() };
    Task { thread: Thread::new(tcb, Scope::Unit), package, storage: Storage(storage) }
}

#[test]
fn tasks_that_only_read_share_one_session_and_have_no_unit_of_work() {
    block_on(async {
        let tcb = Tcb::new(address(), settings("public"));
        let tasks = (0..TASKS).map(|_| {
            let mut task = task(&tcb, vec![vec![0; 4], vec![0; 4]]);
            let who = "SELECT pg_backend_pid(), count(*)::int FROM pg_prepared_statements";
            let who =
                task.statement(Action::Row, who, &[], &[variable(0, INT, None), variable(1, INT, None)]);
            spawn_local(async move {
                assert_eq!(task.run(who).await, 0);
                assert!(task.thread.is_idle());
                assert_eq!(task.thread.commit().await.unwrap(), Ended::ReadOnly);
                (task.number(0), task.number(1))
            })
        });
        let mut seen = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            seen.push(task.await.unwrap());
        }
        seen.dedup();
        assert_eq!(seen.len(), 1, "session, and statements that it has prepared: {seen:?}");
        assert_eq!(seen[0].1, 1, "prepared once for all tasks");
    });
}

#[test]
fn tasks_that_wait_for_a_session_hear_together_that_there_is_none() {
    block_on(async {
        let tcb = Tcb::new(Address::socket(Path::new("/nowhere"), 1, "nobody", "none"), settings("public"));
        let tasks = (0..TASKS).map(|_| {
            let mut task = task(&tcb, vec![vec![0; 4]]);
            let one = task.statement(Action::Row, "SELECT 1", &[], &[variable(0, INT, None)]);
            spawn_local(async move { task.run(one).await })
        });
        for task in tasks.collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap(), -923);
        }
    });
}

#[test]
fn a_savepoint_stands_only_between_two_effects() {
    block_on(async {
        let mut task = Task::new("savepoints_between", "CREATE TABLE t (id int PRIMARY KEY)").await;
        task.storage.0 = vec![vec![0; 4]];
        let insert = Action::Change(Change::InsertValues);
        let insert = task.statement(insert, "INSERT INTO t VALUES ($1)", &[variable(0, INT, None)], &[]);
        task.set(0, 1);
        assert_eq!(task.run(insert).await, 0);
        let number = task.thread.xid().unwrap();
        task.set(0, 2);
        assert_eq!(task.run(insert).await, 0);
        assert_eq!(task.thread.commit().await.unwrap(), Ended::Committed);
        // Rows written after a savepoint have a number of their own.
        let ask = format!("SELECT string_agg((xmin = '{number}'::xid8::xid)::text, ' ' ORDER BY id) FROM t");
        let answer = another("savepoints_between").await.script(ask).await.unwrap();
        assert_eq!(answer.rows.row(0).next().flatten(), Some(&b"true false"[..]));
    });
}

/// A cursor over the whole numbers up to one: OPEN, FETCH, CLOSE.
fn numbers(task: &mut Task, query: &str) -> (u16, u16, u16) {
    let cursor = task.declare(false, false);
    let open = task.statement(Action::Open { cursor, using: Using::Variables }, query, &[], &[]);
    let fetch = task.statement(next_row(cursor), "", &[], &[variable(0, INT, None)]);
    let close = task.statement(Action::Close { cursor }, "", &[], &[]);
    (open, fetch, close)
}

#[test]
fn a_cursor_of_a_few_rows_has_no_unit_of_work() {
    block_on(async {
        let tcb = Tcb::new(address(), settings("public"));
        let mut task = task(&tcb, vec![vec![0; 4]]);
        let (open, fetch, close) = numbers(&mut task, "SELECT generate_series(1, 15)");
        assert_eq!(task.run(open).await, 0);
        assert_eq!(task.run(open).await, -502);
        assert!(!task.thread.is_in_unit());
        assert!(!task.thread.is_idle(), "its rows are the task's");
        for row in 1..=15 {
            assert_eq!((task.run(fetch).await, task.number(0)), (0, row));
        }
        assert_eq!(task.run(fetch).await, 100);
        assert_eq!(task.run(close).await, 0);
        assert_eq!(task.run(fetch).await, -501);
        assert!(task.thread.is_idle());
    });
}

#[test]
fn a_cursor_of_a_few_rows_is_closed_by_a_syncpoint() {
    block_on(async {
        let tcb = Tcb::new(address(), settings("public"));
        let mut task = task(&tcb, vec![vec![0; 4]]);
        let (open, fetch, _) = numbers(&mut task, "SELECT generate_series(1, 3)");
        for ends_by_backout in [false, true] {
            assert_eq!(task.run(open).await, 0);
            assert_eq!(task.run(fetch).await, 0);
            match ends_by_backout {
                false => assert_eq!(task.thread.commit().await.unwrap(), Ended::ReadOnly),
                true => task.thread.backout().await.unwrap(),
            }
            assert_eq!(task.run(fetch).await, -501);
        }
    });
}

#[test]
fn a_cursor_of_many_rows_has_a_unit_of_work_and_all_rows() {
    block_on(async {
        let tcb = Tcb::new(address(), settings("public"));
        let mut task = task(&tcb, vec![vec![0; 4]]);
        let (open, fetch, close) = numbers(&mut task, "SELECT generate_series(1, 16)");
        for _ in 0..2 {
            assert_eq!(task.run(open).await, 0);
            assert!(task.thread.is_in_unit());
            for row in 1..=16 {
                assert_eq!((task.run(fetch).await, task.number(0)), (0, row));
            }
            assert_eq!(task.run(fetch).await, 100);
            assert_eq!(task.run(close).await, 0);
            assert_eq!(task.thread.commit().await.unwrap(), Ended::ReadOnly);
        }
    });
}

#[test]
fn a_query_with_effects_is_opened_in_a_unit_of_work() {
    block_on(async {
        let mut task = Task::new("cursor_effects", "CREATE SEQUENCE s").await;
        task.storage.0 = vec![vec![0; 4]];
        let (open, fetch, _) = numbers(&mut task, "SELECT nextval('s')::int");
        assert_eq!(task.run(open).await, 0);
        assert!(task.thread.is_in_unit());
        assert_eq!((task.run(fetch).await, task.number(0)), (0, 1));
        assert_eq!(task.thread.commit().await.unwrap(), Ended::Committed);
    });
}
