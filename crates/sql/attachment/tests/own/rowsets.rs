//! Several rows with one statement, and the rows of changes.

use std::future::Future;

use db2::package::{Action, Change, Count, Diagnostic, DiagnosticItem, Form, Orientation, Using, Variable};

use crate::TABLES;
use crate::program::{INT, Region, Task, ready};

fn rows_of(task: &mut Task, is_atomic: bool, count: i32, inputs: &[Variable]) -> u16 {
    let rows = Count::Literal(count);
    let action = Action::ChangeRows { change: Change::InsertValues, rows, atomic: is_atomic };
    task.statement(action, "INSERT INTO ACCT (ID, NAME) VALUES (:V0, 'NEW') FOR 3 ROWS", inputs, &[])
}

/// GET DIAGNOSTICS of the number of conditions, and of the first one's row.
fn conditions(task: &mut Task) -> (i32, i32) {
    let targets = [task.variable(INT, false), task.variable(INT, false)];
    let item = |condition, item| DiagnosticItem { condition, item };
    let items = vec![item(None, Diagnostic::Number), item(Some(Count::Literal(1)), Diagnostic::RowNumber)];
    let number = task.statement(Action::Diagnostics(items), "GET DIAGNOSTICS", &[], &targets);
    assert_eq!(task.run(number), 0);
    (task.number(targets[0].argument), task.number(targets[1].argument))
}

#[test]
fn several_rows_are_added_as_a_whole_or_one_by_one() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let ids = task.variables(INT, 3);
    let atomic = rows_of(&mut task, true, 3, std::slice::from_ref(&ids));
    let each = rows_of(&mut task, false, 3, std::slice::from_ref(&ids));
    let too_many = rows_of(&mut task, true, 4, &[ids]);
    task.set_all(0, &[4, 2, 5]);
    assert_eq!((task.run(atomic), conditions(&mut task)), (-803, (1, 2)));
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 3);
    assert_eq!((task.run(each), conditions(&mut task)), (-253, (1, 2)));
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE NAME = 'NEW'"), 2);
    assert_eq!([task.run(each), task.run(too_many)], [-254, -246]);
    task.set_all(0, &[6, 7, 8]);
    assert_eq!(ready(task.execute(atomic)).sqlca.details[2], 3);
}

#[test]
fn a_positioned_change_is_about_the_rowset_or_one_of_its_rows() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let ids = task.variables(INT, 2);
    let cursor = task.declare("SELECT ID FROM ACCT FOR UPDATE OF NAME", false, true);
    task.cursor(cursor).rowset = true;
    let open = task.statement(Action::Open { cursor, using: Using::Nothing }, "OPEN C0", &[], &[]);
    let fetch = |rows| Action::Fetch {
        cursor,
        orientation: Orientation::Next,
        is_rowset: true,
        rows,
        into: Using::Variables,
    };
    let fetch = task.statement(fetch(Some(Count::Literal(2))), "FETCH", &[], &[ids]);
    let change = |change, row| Action::Positioned { change, cursor, row };
    let all = change(Change::Update, None);
    let all = task.statement(all, "UPDATE ACCT SET NAME = 'ALL' WHERE CURRENT OF C0", &[], &[]);
    let second = change(Change::Delete, Some(Count::Literal(2)));
    let text = "DELETE FROM ACCT WHERE CURRENT OF C0 FOR ROW 2 OF ROWSET";
    let second = task.statement(second, text, &[], &[]);
    assert_eq!([task.run(open), task.run(all)], [0, -508]);
    assert_eq!((task.run(fetch), task.numbers(0)), (0, vec![1, 2]));
    assert_eq!(ready(task.execute(all)).sqlca.details[2], 2);
    assert_eq!([task.run(second), task.run(second)], [0, -508]);
    assert_eq!(ready(task.execute(all)).sqlca.details[2], 1);
    let last = ready(task.execute(fetch)).sqlca;
    assert_eq!((last.code, last.details[2], task.numbers(0)[0]), (100, 1, 3));
    assert_eq!(task.run(second), -248);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE NAME = 'ALL'"), 1);
}

#[test]
fn rows_of_a_rowset_stay_as_they_are_until_the_unit_of_work_ends() {
    let region = Region::new(TABLES);
    let (mut task, mut other) = (region.task(), region.task());
    let ids = task.variables(INT, 2);
    let cursor = task.declare("SELECT ID FROM ACCT FOR UPDATE OF NAME", false, true);
    task.cursor(cursor).rowset = true;
    let open = task.statement(Action::Open { cursor, using: Using::Nothing }, "OPEN C0", &[], &[]);
    let (orientation, rows) = (Orientation::Next, Some(Count::Literal(2)));
    let fetch = Action::Fetch { cursor, orientation, is_rowset: true, rows, into: Using::Variables };
    let fetch = task.statement(fetch, "FETCH", &[], &[ids]);
    assert_eq!([task.run(open), task.run(fetch)], [0, 0]);
    let update = other.dynamic("UPDATE ACCT SET NAME = 'X' WHERE ID = 1");
    {
        let mut waits = std::pin::pin!(other.execute(update));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        task.commit();
        assert!(waits.as_mut().poll(&mut context).is_ready());
    }
}

#[test]
fn a_scroll_cursor_sees_the_rows_of_its_open() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let id = task.variable(INT, false);
    let cursor = task.declare("SELECT ID FROM ACCT ORDER BY ID", true, false);
    task.cursor(cursor).scroll = true;
    let open = task.statement(Action::Open { cursor, using: Using::Nothing }, "OPEN C0", &[], &[]);
    let fetch = |orientation| Action::Fetch {
        cursor,
        orientation,
        is_rowset: false,
        rows: None,
        into: Using::Variables,
    };
    let ways = [Orientation::Last, Orientation::Prior, Orientation::Next, Orientation::Next];
    let [last, prior, next, behind] =
        ways.map(|way| task.statement(fetch(way), "FETCH", &[], std::slice::from_ref(&id)));
    assert_eq!((task.run(open), task.change("DELETE FROM ACCT WHERE ID > 1").0), (0, 0));
    assert_eq!((task.run(last), task.number(0)), (0, 3));
    task.commit();
    assert_eq!((task.run(prior), task.number(0)), (0, 2));
    assert_eq!([task.run(next), task.run(behind)], [0, 100]);
}

#[test]
fn rows_of_a_change_come_as_they_were_and_as_they_are() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, value) in [
        ("SELECT ID INTO :N FROM FINAL TABLE (INSERT INTO ACCT (ID, NAME) VALUES (4, 'DAN'))", 4),
        ("SELECT COUNT(*) INTO :N FROM OLD TABLE (UPDATE ACCT SET NAME = 'NEW') WHERE NAME = 'DAN'", 1),
        (
            "SELECT COUNT(*) INTO :N FROM FINAL TABLE (UPDATE ACCT A SET NAME = 'X' WHERE ID < 3) B WHERE B.NAME = 'X'",
            2,
        ),
        ("SELECT SUM(ID) INTO :N FROM OLD TABLE (DELETE FROM ACCT WHERE ID > 2)", 7),
        ("SELECT COUNT(*) INTO :N FROM ACCT", 2),
    ] {
        assert_eq!(task.count(text), value, "{text}");
    }
}

#[test]
fn a_change_whose_rows_do_not_suit_is_put_back() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let id = Variable { name: "N".to_owned(), ..task.variable(INT, false) };
    let short = Form::Packed { digits: 1, scale: 0, signed: true };
    let short = Variable { name: "S".to_owned(), ..task.variable(short, false) };
    for (text, target, code) in [
        ("SELECT ID INTO :N FROM OLD TABLE (DELETE FROM ACCT)", &id, -811),
        ("SELECT ID INTO :N FROM FINAL TABLE (UPDATE ACCT SET ID = 9)", &id, -811),
        ("SELECT ID INTO :S FROM FINAL TABLE (UPDATE ACCT SET ID = 90 WHERE ID = 1)", &short, -304),
        ("SELECT ID INTO :N FROM FINAL TABLE (UPDATE ACCT SET ID = 2 WHERE ID = 1)", &id, -803),
        ("SELECT AMOUNT / 0 INTO :N FROM OLD TABLE (DELETE FROM ACCT WHERE ID = 1)", &id, -802),
    ] {
        let number = task.statement(Action::Row, text, &[], std::slice::from_ref(target));
        assert_eq!(task.run(number), code, "{text}");
        assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE ID < 4"), 3, "{text}");
    }
}

#[test]
fn a_cursor_over_a_change_changes_at_its_open() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let id = task.variable(INT, false);
    let cursor = task.declare("SELECT ID FROM OLD TABLE (DELETE FROM ACCT WHERE ID > 1)", false, false);
    let open = task.statement(Action::Open { cursor, using: Using::Nothing }, "OPEN C0", &[], &[]);
    let fetch = task.next_row(cursor, &[id]);
    assert_eq!(task.run(open), 0);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 1);
    assert_eq!([task.run(fetch), task.run(fetch), task.run(fetch)], [0, 0, 100]);
}

#[test]
fn a_purge_in_the_middle_of_several_rows_leaves_none_of_them() {
    let region = Region::new(TABLES);
    let (mut task, mut other) = (region.task(), region.task());
    assert_eq!(other.change("INSERT INTO ACCT VALUES (5, 'EVE', 1)").0, 0);
    let ids = task.variables(INT, 3);
    let insert = rows_of(&mut task, false, 3, &[ids]);
    task.set_all(0, &[4, 5, 6]);
    {
        let mut waits = std::pin::pin!(task.execute(insert));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending(), "it waits for the row of another");
    }
    task.thread.gives_up(&mut *task.unit);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE ID = 4"), 0);
    other.commit();
    assert_eq!(task.run(insert), -253);
}
