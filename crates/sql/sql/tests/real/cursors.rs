//! Cursors: blocks, changes where they stand, errors that do not close them, commits that do, and WITH HOLD.

use std::rc::Rc;

use sql::codes::{Doing, Scope, Sqlca};
use sql::{Current, Cursor, CursorKind, Failure, Isolation, Leaves, Opening, Statement, To, Unit, Values};

use crate::place::{block_on, session};

/// A unit of work with a table of so many rows, and a query of their numbers.
async fn unit(schema: &str, rows: u32) -> (Unit, Rc<Statement>) {
    let mut session = session(schema).await;
    let table = format!("CREATE TABLE t AS SELECT id, 0 AS n FROM generate_series(1, {rows}) AS id");
    session.script(table).await.unwrap();
    (Unit::new(session), Statement::new("SELECT id FROM t ORDER BY id", &[]))
}

fn number(mut values: Values<'_>) -> i32 {
    i32::from_be_bytes(values.next().unwrap().unwrap().try_into().unwrap())
}

async fn rest(cursor: &mut Cursor, unit: &mut Unit) -> Vec<i32> {
    let mut numbers = Vec::new();
    while cursor.fetch(unit).await.unwrap() {
        numbers.push(number(cursor.row()));
    }
    numbers
}

fn code(failure: &Failure) -> i32 {
    Sqlca::of(failure, Doing::Select, Scope::Unit).code
}

async fn run(unit: &mut Unit, text: &str) -> Result<u64, i32> {
    let statement = Statement::new(text, &[]);
    let done = unit.run(&statement, &[], 0, Isolation::Committed, Leaves::Something).await;
    done.map(|answer| answer.part(0).count).map_err(|failure| code(&failure))
}

#[test]
fn all_rows_come_however_many() {
    block_on(async {
        for rows in [0, 1, 2, 3, 17, 18, 19, 118, 500] {
            let (mut unit, query) = unit("however_many", rows).await;
            let mut cursor = Cursor::open(&mut unit, "c", &query, &[], Opening::default()).await.unwrap();
            assert_eq!(rest(&mut cursor, &mut unit).await, (1..=rows as i32).collect::<Vec<_>>());
            assert!(!cursor.fetch(&mut unit).await.unwrap());
            cursor.close(&mut unit);
            // Its name is free again.
            let cursor = Cursor::open(&mut unit, "c", &query, &[], Opening::default()).await.unwrap();
            cursor.close(&mut unit);
            unit.commit().await.unwrap();
        }
    });
}

#[test]
fn an_error_of_another_statement_does_not_close_a_cursor() {
    block_on(async {
        let (mut unit, query) = unit("not_closed", 200).await;
        let mut cursor = Cursor::open(&mut unit, "c", &query, &[], Opening::default()).await.unwrap();
        for expected in 1..=200 {
            assert_eq!(run(&mut unit, "SELECT 1 / 0").await, Err(-802));
            assert!(cursor.fetch(&mut unit).await.unwrap());
            assert_eq!(number(cursor.row()), expected);
        }
        assert!(!cursor.fetch(&mut unit).await.unwrap());
    });
}

/// The words behind a change where a portal stands.
fn words(cursor: &Cursor) -> String {
    match cursor.current().unwrap() {
        Current::Portal(words) => words,
        Current::Places(places) => panic!("{places:?}"),
    }
}

#[test]
fn changes_where_a_cursor_stands() {
    block_on(async {
        let (mut unit, _) = unit("where_it_stands", 5).await;
        let query = Statement::new("SELECT id FROM t ORDER BY id FOR UPDATE", &[]);
        let opening = Opening { kind: CursorKind::Update, ..Opening::default() };
        let mut cursor = Cursor::open(&mut unit, "level 1 C", &query, &[], opening).await.unwrap();
        assert_eq!(code(&cursor.current().unwrap_err()), -508);
        while cursor.fetch(&mut unit).await.unwrap() {
            let current = words(&cursor);
            assert_eq!(run(&mut unit, "SELECT 1 / 0").await, Err(-802));
            assert_eq!(run(&mut unit, &format!("UPDATE t SET n = id{current}")).await, Ok(1));
            if number(cursor.row()) == 3 {
                let current = words(&cursor);
                assert_eq!(run(&mut unit, &format!("DELETE FROM t{current}")).await, Ok(1));
                cursor.move_row(0, None);
                assert_eq!(code(&cursor.current().unwrap_err()), -508);
            }
        }
        unit.commit().await.unwrap();
        let answer =
            unit.session().script("SELECT string_agg(n::text, ' ' ORDER BY id) FROM t").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"1 2 4 5".as_slice())));
        let (mut unit, query) = self::unit("for_reading", 1).await;
        let cursor = Cursor::open(&mut unit, "c", &query, &[], Opening::default()).await.unwrap();
        assert_eq!(code(&cursor.current().unwrap_err()), -510);
    });
}

#[test]
fn rowsets_of_any_size() {
    block_on(async {
        for size in [1, 2, 3, 7, 50] {
            let (mut unit, query) = unit("rowsets", 20).await;
            let mut cursor = Cursor::open(&mut unit, "c", &query, &[], Opening::default()).await.unwrap();
            let mut numbers = Vec::new();
            loop {
                let fetched = cursor.fetch_to(&mut unit, To::Next, size).await.unwrap();
                numbers.extend((0..fetched).map(|row| number(cursor.rowset(row))));
                if fetched < size as usize {
                    break;
                }
            }
            assert_eq!(numbers, (1..=20).collect::<Vec<_>>(), "{size}");
        }
    });
}

#[test]
fn a_held_cursor_goes_on_behind_a_commit() {
    block_on(async {
        for (rows, before) in [(10, 0), (10, 4), (10, 10), (3000, 7)] {
            let (mut unit, query) = unit("held", rows).await;
            let opening = Opening { is_held: true, ..Opening::default() };
            let mut cursor = Cursor::open(&mut unit, "c", &query, &[], opening).await.unwrap();
            for expected in 1..=before {
                assert!(cursor.fetch(&mut unit).await.unwrap());
                assert_eq!(number(cursor.row()), expected);
            }
            cursor.keep(&mut unit).await.unwrap();
            unit.commit().await.unwrap();
            run(&mut unit, "UPDATE t SET n = 1").await.unwrap();
            assert_eq!(run(&mut unit, "SELECT 1 / 0").await, Err(-802));
            assert_eq!(rest(&mut cursor, &mut unit).await, (before + 1..=rows as i32).collect::<Vec<_>>());
            unit.commit().await.unwrap();
            cursor.close(&mut unit);
        }
    });
}

#[test]
fn a_held_cursor_that_locks_rows_changes_them_before_the_commit_and_reads_on_behind_it() {
    block_on(async {
        let (mut unit, _) = unit("held_update", 10).await;
        let query = Statement::new("SELECT id FROM t ORDER BY id FOR UPDATE", &[]);
        let opening = Opening { is_held: true, kind: CursorKind::Update, ..Opening::default() };
        let mut cursor = Cursor::open(&mut unit, "c", &query, &[], opening).await.unwrap();
        for expected in 1..=3 {
            assert!(cursor.fetch(&mut unit).await.unwrap());
            assert_eq!(number(cursor.row()), expected);
        }
        let change = format!("UPDATE t SET n = n + 100{}", words(&cursor));
        run(&mut unit, &change).await.unwrap();
        cursor.keep(&mut unit).await.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(code(&cursor.current().unwrap_err()), -510);
        assert_eq!(rest(&mut cursor, &mut unit).await, (4..=10).collect::<Vec<_>>());
        cursor.close(&mut unit);
        assert_eq!(run(&mut unit, "SELECT 1 FROM t WHERE id = 3 AND n = 100").await, Ok(1));
        unit.commit().await.unwrap();
    });
}

#[test]
fn a_scrollable_cursor_goes_both_ways() {
    block_on(async {
        let (mut unit, query) = unit("both_ways", 10).await;
        let opening = Opening { is_scrollable: true, ..Opening::default() };
        let mut cursor = Cursor::open(&mut unit, "c", &query, &[], opening).await.unwrap();
        for (direction, expected) in [
            (To::Last, Some(10)),
            (To::Prior, Some(9)),
            (To::First, Some(1)),
            (To::Absolute(5), Some(5)),
            (To::Relative(-2), Some(3)),
            (To::Next, Some(4)),
            (To::Absolute(11), None),
            (To::Prior, Some(10)),
        ] {
            let fetched = cursor.fetch_to(&mut unit, direction, 1).await.unwrap();
            assert_eq!((fetched == 1).then(|| number(cursor.row())), expected, "{direction:?}");
        }
        assert!(!cursor.fetch(&mut unit).await.unwrap());
        assert_eq!(cursor.fetch_to(&mut unit, To::First, 1).await.unwrap(), 1);
        assert!(cursor.fetch(&mut unit).await.unwrap());
        assert!(cursor.fetch(&mut unit).await.unwrap());
        assert_eq!(number(cursor.row()), 3);
        assert_eq!(cursor.fetch_to(&mut unit, To::Prior, 1).await.unwrap(), 1);
        assert_eq!(number(cursor.row()), 2);
    });
}

#[test]
fn rowsets_of_a_scrollable_cursor() {
    block_on(async {
        let (mut unit, query) = unit("scrolled_rowsets", 15).await;
        let opening = Opening { is_scrollable: true, ..Opening::default() };
        let mut cursor = Cursor::open(&mut unit, "c", &query, &[], opening).await.unwrap();
        assert_eq!(code(&cursor.fetch_to(&mut unit, To::Current, 1).await.unwrap_err()), -231);
        // Which rows a FETCH of so many gives: the first and the last.
        for (to, count, expected) in [
            (To::First, 5, Some((1, 5))),
            (To::Current, 5, Some((1, 5))),
            (To::Current, 1, Some((1, 1))),
            (To::Next, 1, Some((2, 2))),
            (To::Next, 1, Some((3, 3))),
            (To::Next, 3, Some((4, 6))),
            (To::Next, 3, Some((7, 9))),
            (To::Last, 1, Some((15, 15))),
            (To::Last, 2, Some((14, 15))),
            (To::Prior, 2, Some((12, 13))),
            (To::Absolute(2), 3, Some((2, 4))),
            (To::Relative(2), 1, Some((4, 4))),
            (To::Absolute(2), 4, Some((2, 5))),
            (To::Relative(-1), 1, Some((1, 1))),
            (To::Absolute(-3), 5, Some((13, 15))),
            (To::Next, 2, None),
            (To::Prior, 2, Some((14, 15))),
            (To::Absolute(4), 2, Some((4, 5))),
            (To::Prior, 5, Some((1, 3))),
            (To::Prior, 1, None),
            (To::Next, 20, Some((1, 15))),
            (To::After, 1, None),
            (To::Prior, 1, Some((15, 15))),
            (To::Before, 1, None),
            (To::Next, 1, Some((1, 1))),
            (To::Absolute(0), 1, None),
            (To::Absolute(99), 1, None),
            (To::Relative(-1), 1, Some((15, 15))),
        ] {
            let fetched = cursor.fetch_to(&mut unit, to, count).await.unwrap();
            let rows =
                fetched.checked_sub(1).map(|last| (number(cursor.rowset(0)), number(cursor.rowset(last))));
            assert_eq!(rows, expected, "{to:?} {count}");
        }
    });
}

#[test]
fn a_query_that_fails_has_its_code_at_open_or_at_fetch() {
    block_on(async {
        let (mut unit, _) = unit("query_fails", 100).await;
        run(&mut unit, "UPDATE t SET n = 1").await.unwrap();
        let wrong = Statement::new("SELECT nothing FROM t", &[]);
        let open = Cursor::open(&mut unit, "c", &wrong, &[], Opening::default()).await;
        assert_eq!(code(&open.err().unwrap()), -206);
        let late = Statement::new("SELECT 10 / (50 - id) FROM generate_series(1, 100) AS id", &[]);
        let mut cursor = Cursor::open(&mut unit, "c", &late, &[], Opening::default()).await.unwrap();
        let failed = loop {
            match cursor.fetch(&mut unit).await {
                Ok(true) => (),
                Ok(false) => panic!("it has to fail"),
                Err(failure) => break failure,
            }
        };
        assert_eq!(code(&failed), -802);
        cursor.close(&mut unit);
        unit.commit().await.unwrap();
        let answer = unit.session().script("SELECT sum(n) FROM t").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"100".as_slice())));
    });
}
