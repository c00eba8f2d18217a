//! Statements of programs: rows, changes, cursors, dynamic ones, the end of the unit of work.

use db2::package::{Action, Change, Count, Diagnostic, DiagnosticItem, Form, Orientation, Using};

use crate::place::{another, block_on};
use crate::program::{INT, Task, next_row, text, variable};

/// Five digits, two of them decimals.
const ZONED: Form = Form::Zoned { digits: 5, scale: 2, sign: db2::package::Sign::None };

const TABLE: &str = "CREATE TABLE t (id int PRIMARY KEY, name char(5), sum decimal(7,2)); \
                     INSERT INTO t VALUES (1, 'ONE', 1.50), (2, 'TWO', NULL), (3, 'THREE', -3.25)";

async fn count(schema: &str) -> String {
    let answer = another(schema).await.script("SELECT count(*) FROM t").await.unwrap();
    String::from_utf8(answer.rows.row(0).next().unwrap().unwrap().to_vec()).unwrap()
}

#[test]
fn select_into() {
    block_on(async {
        let mut task = Task::new("select_into", TABLE).await;
        let packed = Form::Packed { digits: 7, scale: 2, signed: true };
        let targets = [variable(1, text(5), None), variable(2, packed, Some(3))];
        let select = "SELECT name, sum FROM t WHERE id = $1";
        let select = task.statement(Action::Row, select, &[variable(0, INT, None)], &targets);
        let bare = [variable(2, packed, None)];
        let bare =
            task.statement(Action::Row, "SELECT sum FROM t WHERE id = $1", &[variable(0, INT, None)], &bare);
        let all = task.statement(Action::Row, "SELECT name FROM t", &[], &[variable(1, text(5), None)]);
        task.storage.0 = vec![vec![0; 4], vec![b'?'; 5], vec![0; 4], vec![9; 2]];
        task.set(0, 3);
        assert_eq!(task.run(select).await, 0);
        assert_eq!(task.storage.0[1..], [b"THREE".to_vec(), vec![0, 0x00, 0x32, 0x5D], vec![0, 0]]);
        task.set(0, 2);
        assert_eq!(task.run(select).await, 0);
        assert_eq!(task.storage.0[3], [0xFF, 0xFF]);
        assert_eq!(task.run(bare).await, -305);
        task.set(0, 9);
        assert_eq!(task.run(select).await, 100);
        assert_eq!(task.storage.0[1], b"TWO  ");
        assert_eq!(task.run(all).await, -811);
        // Nothing of this needed a unit of work.
        assert_eq!(task.thread.xid(), None);
        assert_eq!(task.thread.commit().await.unwrap(), sql::Ended::ReadOnly);
    });
}

#[test]
fn a_unit_of_work_sees_its_own_changes_and_ends_as_a_whole() {
    block_on(async {
        let mut task = Task::new("own_changes", TABLE).await;
        let id = [variable(0, INT, None)];
        let insert = task.statement(
            Action::Change(Change::InsertValues),
            "INSERT INTO t VALUES ($1, 'NEW')",
            &id,
            &[],
        );
        let update =
            task.statement(Action::Change(Change::Update), "UPDATE t SET sum = 1 WHERE id > $1", &id, &[]);
        let many = task.statement(Action::Row, "SELECT count(*) FROM t", &[], &[variable(1, INT, None)]);
        let (commit, rollback) =
            (task.statement(Action::Commit, "", &[], &[]), task.statement(Action::Rollback, "", &[], &[]));
        task.storage.0 = vec![vec![0; 4], vec![0; 4]];
        task.set(0, 4);
        assert_eq!(task.run(insert).await, 0);
        assert_eq!(task.run(insert).await, -803);
        assert_eq!(task.run(many).await, 0);
        assert_eq!((task.number(1), count("own_changes").await.as_str()), (4, "3"));
        assert_eq!(task.run(commit).await, -925);
        assert_eq!(task.run(rollback).await, -926);
        assert!(task.thread.xid().is_some());
        task.thread.backout().await.unwrap();
        assert_eq!(count("own_changes").await, "3");
        assert_eq!(task.run(insert).await, 0);
        task.set(0, 2);
        let done = task.done(update).await;
        assert_eq!((done.sqlca.code, done.sqlca.details[2]), (0, 2));
        task.set(0, 99);
        assert_eq!(task.run(update).await, 100);
        assert_eq!(task.thread.commit().await.unwrap(), sql::Ended::Committed);
        assert_eq!(count("own_changes").await, "4");
    });
}

#[test]
fn a_cursor_and_a_change_where_it_stands() {
    block_on(async {
        let mut task = Task::new("cursor_stands", TABLE).await;
        let cursor = task.declare(false, true);
        let open = Action::Open { cursor, using: Using::Variables };
        let open = task.statement(open, "SELECT id, name FROM t ORDER BY id FOR UPDATE", &[], &[]);
        let fetch =
            task.statement(next_row(cursor), "", &[], &[variable(0, INT, None), variable(1, text(5), None)]);
        let change = Action::Positioned { change: Change::Update, cursor, row: None };
        let change = task.statement(change, "UPDATE t SET sum = $1", &[variable(0, INT, None)], &[]);
        let close = task.statement(Action::Close { cursor }, "", &[], &[]);
        task.storage.0 = vec![vec![0; 4], vec![0; 5]];
        assert_eq!(task.run(fetch).await, -501);
        assert_eq!(task.run(open).await, 0);
        assert_eq!(task.run(open).await, -502);
        assert_eq!(task.run(change).await, -508);
        for expected in 1..=3 {
            assert_eq!(task.run(fetch).await, 0);
            assert_eq!(task.number(0), expected);
            assert_eq!(task.run(change).await, 0);
        }
        assert_eq!(task.run(fetch).await, 100);
        assert_eq!(task.run(close).await, 0);
        assert_eq!(task.run(close).await, -501);
        assert_eq!(task.run(open).await, 0);
        task.thread.commit().await.unwrap();
        // A syncpoint closes it.
        assert_eq!(task.run(fetch).await, -501);
        let answer = another("cursor_stands").await.script("SELECT sum(sum) FROM t").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"6.00".as_slice())));
    });
}

#[test]
fn a_held_cursor_stays_open_over_a_syncpoint() {
    block_on(async {
        let mut task = Task::new("held_open", TABLE).await;
        let cursor = task.declare(true, false);
        let open = Action::Open { cursor, using: Using::Variables };
        let open = task.statement(open, "SELECT id FROM t ORDER BY id", &[], &[]);
        let fetch = task.statement(next_row(cursor), "", &[], &[variable(0, INT, None)]);
        task.storage.0 = vec![vec![0; 4]];
        assert_eq!((task.run(open).await, task.run(fetch).await, task.number(0)), (0, 0, 1));
        task.thread.commit().await.unwrap();
        assert_eq!((task.run(fetch).await, task.number(0)), (0, 2));
        task.thread.backout().await.unwrap();
        assert_eq!(task.run(fetch).await, -501);
    });
}

#[test]
fn rows_of_arrays() {
    block_on(async {
        let mut task = Task::new("rows_of_arrays", TABLE).await;
        let array = Some(db2::package::Array { count: 3, stride: 4 });
        let ids = [db2::package::Variable { array, ..variable(0, INT, None) }];
        let insert =
            |atomic| Action::ChangeRows { change: Change::InsertValues, rows: Count::Literal(3), atomic };
        let atomic = task.statement(insert(true), "INSERT INTO t VALUES ($1)", &ids, &[]);
        let each = task.statement(insert(false), "INSERT INTO t VALUES ($1)", &ids, &[]);
        let cursor = task.declare(false, false);
        task.package.cursors[0].rowset = true;
        let open = Action::Open { cursor, using: Using::Variables };
        let open = task.statement(open, "SELECT id FROM t ORDER BY id", &[], &[]);
        let rows = Some(Count::Literal(3));
        let fetch = Action::Fetch {
            cursor,
            orientation: Orientation::Next,
            is_rowset: true,
            rows,
            into: Using::Variables,
        };
        let fetch = task.statement(fetch, "", &[], &ids);
        task.storage.0 = vec![[10, 1, 11].map(i32::to_be_bytes).concat()];
        assert_eq!(task.run(atomic).await, -803);
        let done = task.done(each).await;
        assert_eq!((done.sqlca.code, done.sqlca.details[2]), (-253, 2));
        assert_eq!(task.run(open).await, 0);
        let done = task.done(fetch).await;
        assert_eq!((done.sqlca.code, done.sqlca.details[2]), (0, 3));
        assert_eq!(task.storage.0[0], [1, 2, 3].map(i32::to_be_bytes).concat());
        let done = task.done(fetch).await;
        assert_eq!((done.sqlca.code, done.sqlca.details[2]), (100, 2));
        assert_eq!(task.storage.0[0], [10, 11, 3].map(i32::to_be_bytes).concat());
    });
}

#[test]
fn statements_made_at_run_time_and_diagnostics() {
    block_on(async {
        let mut task = Task::new("run_time", TABLE).await;
        let name = || "S1".to_owned();
        let words = [variable(0, text(60), None)];
        let prepare =
            task.statement(Action::Prepare { name: name(), into: None, attributes: None }, "", &words, &[]);
        let execute = Action::Execute { name: name(), using: Using::Variables, rows: None };
        let execute = task.statement(execute, "", &[variable(1, INT, None)], &[]);
        let immediate = task.statement(Action::ExecuteImmediate, "", &words, &[]);
        let items = [Diagnostic::RowCount, Diagnostic::ReturnedSqlcode]
            .map(|item| DiagnosticItem { condition: None, item });
        let targets = [variable(1, INT, None), variable(2, INT, None)];
        let diagnostics = task.statement(Action::Diagnostics(items.to_vec()), "", &[], &targets);
        let say = |text: &str| format!("{text:60}").into_bytes();
        task.storage.0 = vec![say("UPDATE T SET SUM = 0 WHERE ID < ?"), vec![0; 4], vec![0; 4]];
        task.set(1, 3);
        assert_eq!(task.run(execute).await, -518);
        assert_eq!(task.run(prepare).await, 0);
        assert_eq!(task.done(execute).await.sqlca.details[2], 2);
        assert_eq!(task.run(diagnostics).await, 0);
        assert_eq!((task.number(1), task.number(2)), (2, 0));
        task.storage.0[0] = say("DELETE FROM T");
        assert_eq!(task.done(immediate).await.sqlca.details[2], 3);
        task.storage.0[0] = say("SELECT ID FROM T");
        assert_eq!(task.run(immediate).await, -84);
        task.storage.0[0] = say("FETCH C1 INTO :X");
        assert_eq!(task.run(immediate).await, -104);
    });
}

#[test]
fn a_lost_session_takes_the_unit_of_work_along() {
    block_on(async {
        let mut task = Task::new("lost_session", TABLE).await;
        let insert = Action::Change(Change::InsertValues);
        let insert = task.statement(insert, "INSERT INTO t VALUES ($1)", &[variable(0, INT, None)], &[]);
        task.storage.0 = vec![vec![0; 4]];
        task.set(0, 8);
        assert_eq!(task.run(insert).await, 0);
        let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                   WHERE state = 'idle in transaction' AND query LIKE 'SELECT pg_current_xact%' AND pid IN \
                   (SELECT pid FROM pg_locks WHERE relation = 'lost_session.t'::regclass)";
        another("lost_session").await.script(end).await.unwrap();
        let done = task.done(insert).await;
        assert_eq!((done.sqlca.code, done.backs_out), (-923, true));
        assert_eq!(task.run(insert).await, -906);
        assert_eq!(task.thread.commit().await.unwrap(), sql::Ended::BackedOut);
        task.thread.backout().await.unwrap();
        assert_eq!(task.run(insert).await, 0);
        task.thread.commit().await.unwrap();
        assert_eq!(count("lost_session").await, "4");
    });
}

#[test]
fn changes_of_a_rowset() {
    block_on(async {
        let mut task = Task::new("changes_of_a_rowset", TABLE).await;
        let cursor = task.declare(false, true);
        task.package.cursors[0].rowset = true;
        let array = Some(db2::package::Array { count: 2, stride: 4 });
        let ids = [db2::package::Variable { array, ..variable(0, INT, None) }];
        let open = Action::Open { cursor, using: Using::Variables };
        let open =
            task.statement(open, "SELECT id, ctid AS db2_place FROM t ORDER BY id FOR UPDATE", &[], &[]);
        let fetch = |rows| {
            let rows = Some(Count::Literal(rows));
            Action::Fetch {
                cursor,
                orientation: Orientation::Next,
                is_rowset: true,
                rows,
                into: Using::Variables,
            }
        };
        let fetch_many = task.statement(fetch(3), "", &[], &ids);
        let fetch = task.statement(fetch(2), "", &[], &ids);
        let update = |row| Action::Positioned { change: Change::Update, cursor, row };
        let all = task.statement(update(None), "UPDATE t SET sum = $1", &[variable(1, INT, None)], &[]);
        let one = update(Some(Count::Input(1)));
        let inputs = [variable(1, INT, None), variable(2, INT, None)];
        let one = task.statement(one, "UPDATE t SET sum = sum + $1", &inputs, &[]);
        let delete = Action::Positioned { change: Change::Delete, cursor, row: None };
        let delete = task.statement(delete, "DELETE FROM t", &[], &[]);
        task.storage.0 = vec![vec![0; 8], vec![0; 4], vec![0; 4]];
        assert_eq!(task.run(open).await, 0);
        assert_eq!(task.run(all).await, -508);
        // The arrays have two places.
        assert_eq!(task.run(fetch_many).await, -246);
        assert_eq!(task.done(fetch).await.sqlca.details[2], 2);
        task.set(1, 7);
        let done = task.done(all).await.sqlca;
        assert_eq!((done.code, done.details[2]), (0, 2));
        for (row, code) in [(2, 0), (2, 0), (0, -248), (3, -248)] {
            task.set(2, row);
            assert_eq!(task.run(one).await, code, "row {row}");
        }
        let done = task.done(fetch).await.sqlca;
        assert_eq!((done.code, done.details[2]), (100, 1));
        assert_eq!(task.done(delete).await.sqlca.details[2], 1);
        assert_eq!(task.run(delete).await, -508);
        task.thread.commit().await.unwrap();
        let left = "SELECT string_agg(id || '=' || sum, ' ' ORDER BY id) FROM t";
        let answer = another("changes_of_a_rowset").await.script(left).await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"1=7.00 2=21.00".as_slice())));
    });
}

#[test]
fn old_rows_of_an_update_that_another_unit_of_work_overtakes() {
    block_on(async {
        let text = "SELECT SUM FROM OLD TABLE (UPDATE T SET SUM = SUM + 10 WHERE ID = 1)";
        let text = db2::dynamic(&db2::Letters::plain(text), db2::Arithmetic::default()).unwrap().text.sql;
        let mut task = Task::new("overtaken", TABLE).await;
        let old = task.statement(Action::Row, &text, &[], &[variable(0, ZONED, None)]);
        task.package.statements[usize::from(old) - 1].has_effects = true;
        task.storage.0 = vec![vec![0; 5]];
        assert_eq!((task.run(old).await, &task.storage.0[0]), (0, &b"00150".to_vec()));
        task.thread.commit().await.unwrap();
        let mut other = another("overtaken").await;
        other.script("BEGIN; UPDATE t SET sum = 100 WHERE id = 1").await.unwrap();
        let overtake = async {
            let mut looks = another("overtaken").await;
            let waits =
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%db2_old%'";
            while looks.script(waits).await.unwrap().rows.is_empty() {
                tokio::task::yield_now().await;
            }
            other.script("COMMIT").await.unwrap();
        };
        let (done, ()) = tokio::join!(task.done(old), overtake);
        assert_eq!((done.sqlca.code, done.sqlca.state, done.backs_out), (-911, *b"40001", true));
        task.thread.backout().await.unwrap();
        assert_eq!((task.run(old).await, &task.storage.0[0]), (0, &b"10000".to_vec()));
    });
}
