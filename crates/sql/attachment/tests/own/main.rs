//! A program's statements over the region's own tables.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod dynamic;
mod program;
mod rowsets;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use db2::package::{Action, Change, Form, Using};

use program::{INT, Region, ready};

/// A script with a table and three rows.
pub const TABLES: &str = "
CREATE TABLESPACE TS IN DB;
CREATE TABLE BANK.ACCT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(6) NOT NULL, AMOUNT DECIMAL(9,2));
CREATE INDEX XNAME ON ACCT (NAME);
INSERT INTO ACCT VALUES (1, 'ADA', 10.50);
INSERT INTO ACCT VALUES (2, 'BEA', NULL);
INSERT INTO ACCT VALUES (3, 'CEM', 0.25);
COMMIT;
";

const CARD: &str =
    "CREATE TABLE CARD (ID INTEGER NOT NULL, OWNER INTEGER, FOREIGN KEY (OWNER) REFERENCES ACCT)";

const NAME: Form = Form::Char { length: 6 };
const AMOUNT: Form = Form::Packed { digits: 9, scale: 2, signed: true };

#[test]
fn one_row_goes_into_host_variables() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let (id, name, amount) =
        (task.variable(INT, false), task.variable(NAME, false), task.variable(AMOUNT, true));
    let text = "SELECT NAME, AMOUNT INTO :V1, :V2:V3 FROM BANK.ACCT WHERE ID = :V0";
    let select = task.statement(Action::Row, text, &[id], &[name, amount]);
    for (id, code, name, amount, indicator) in [
        (1, 0, "ADA", [0, 0, 1, 5, 0x0C], 0),
        (2, 0, "BEA", [0, 0, 1, 5, 0x0C], -1_i16),
        (9, 100, "BEA", [0, 0, 1, 5, 0x0C], -1),
    ] {
        task.set(0, id);
        assert_eq!((task.run(select), task.text(1).as_str()), (code, name));
        assert_eq!(task.storage.0[2][1..], amount[1..], "{id}");
        assert_eq!(task.storage.0[3], indicator.to_be_bytes());
    }
    let all = "SELECT NAME, AMOUNT INTO :V1, :V2:V3 FROM ACCT";
    let targets = task.variable(NAME, false);
    let several = task.statement(Action::Row, all, &[], &[targets]);
    assert_eq!(task.run(several), -312);
}

#[test]
fn changes_say_how_many_rows_and_what_is_wrong() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, done) in [
        ("INSERT INTO ACCT VALUES (4, 'DAN', 1)", (0, 1)),
        ("INSERT INTO ACCT VALUES (4, 'EVE', 1)", (-803, 0)),
        ("INSERT INTO ACCT (ID) VALUES (5)", (-407, 0)),
        ("UPDATE ACCT SET AMOUNT = 99999999 WHERE ID = 1", (-406, 0)),
        ("UPDATE ACCT SET AMOUNT = AMOUNT + 1 WHERE ID < 3", (0, 2)),
        ("UPDATE ACCT SET ID = 4", (-803, 0)),
        ("DELETE FROM ACCT WHERE NAME = 'NOBODY'", (100, 0)),
        ("DELETE FROM ACCT WHERE ID > 2", (0, 2)),
        ("DELETE FROM NOWHERE", (-204, 0)),
        ("DELETE FROM ACCT WHERE AGE = 1", (-206, 0)),
        ("UPDATE ACCT SET NAME = (SELECT NAME FROM ACCT) WHERE ID = 1", (-811, 0)),
        ("INSERT INTO ACCT (ID, NAME) SELECT ID, NAME FROM ACCT GROUP BY CUBE(ID, NAME)", (-199, 0)),
    ] {
        let (code, rows) = task.change(text);
        assert_eq!((code, if code < 0 { 0 } else { rows }), done, "{text}");
    }
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 2);
}

#[test]
fn a_unit_of_work_is_there_after_a_restart_or_not_at_all() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    assert_eq!(task.change("INSERT INTO ACCT VALUES (4, 'DAN', 1)").0, 0);
    assert_eq!(region.task().count("SELECT COUNT(*) INTO :N FROM ACCT WITH UR"), 3);
    task.commit();
    assert_eq!(task.change("DELETE FROM ACCT").0, 0);
    drop(task);
    let region = region.restarted();
    assert_eq!(region.task().count("SELECT COUNT(*) INTO :N FROM ACCT"), 4);
    let again = region.writing(region.tables.run_script("tables", TABLES, program::now()));
    assert!(!again.unwrap(), "a script runs once");
}

#[test]
fn a_cursor_gives_its_rows_in_order_and_changes_the_one_it_is_on() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let (least, id, name) =
        (task.variable(INT, false), task.variable(INT, false), task.variable(NAME, false));
    let query = "SELECT ID, NAME FROM ACCT WHERE ID >= :V0 FOR UPDATE OF NAME";
    let cursor = task.declare(query, false, true);
    let open = Action::Open { cursor, using: Using::Nothing };
    let open = task.statement(open, "OPEN C0", &[least], &[]);
    let fetch = task.next_row(cursor, &[id, name]);
    let close = task.statement(Action::Close { cursor }, "CLOSE C0", &[], &[]);
    let positioned = |change| Action::Positioned { change, cursor, row: None };
    let update = "UPDATE ACCT SET NAME = 'NEW' WHERE CURRENT OF C0";
    let update = task.statement(positioned(Change::Update), update, &[], &[]);
    let delete = task.statement(positioned(Change::Delete), "DELETE FROM ACCT WHERE CURRENT OF C0", &[], &[]);
    assert_eq!([task.run(fetch), task.run(close), task.run(update)], [-501, -501, -507]);
    task.set(0, 2);
    assert_eq!([task.run(open), task.run(open), task.run(update)], [0, -502, -508]);
    assert_eq!((task.run(fetch), task.number(1), task.text(2)), (0, 2, "BEA".to_owned()));
    assert_eq!((task.run(update), task.run(fetch), task.number(1)), (0, 0, 3));
    assert_eq!([task.run(delete), task.run(delete), task.run(fetch), task.run(fetch)], [0, -508, 100, 100]);
    assert_eq!([task.run(close), task.run(close)], [0, -501]);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE NAME = 'NEW'"), 1);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 2);
}

#[test]
fn a_cursor_with_hold_goes_on_behind_a_commit() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let id = task.variable(INT, false);
    let mut numbers = Vec::new();
    for hold in [true, false] {
        let cursor = task.declare("SELECT ID FROM ACCT ORDER BY ID", hold, false);
        let open = Action::Open { cursor, using: Using::Nothing };
        let open = task.statement(open, "OPEN C", &[], &[]);
        let fetch = task.next_row(cursor, std::slice::from_ref(&id));
        assert_eq!((task.run(open), task.run(fetch)), (0, 0));
        numbers.push(fetch);
    }
    task.commit();
    assert_eq!((task.run(numbers[0]), task.number(0)), (0, 2));
    assert_eq!(task.run(numbers[1]), -501);
}

#[test]
fn a_savepoint_takes_back_what_came_behind_it() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let set = Action::Savepoint { name: "A".to_owned(), unique: true };
    let set = task.statement(set, "SAVEPOINT A UNIQUE ON ROLLBACK RETAIN CURSORS", &[], &[]);
    let back = Action::RollbackTo { name: Some("A".to_owned()) };
    let back = task.statement(back, "ROLLBACK TO SAVEPOINT A", &[], &[]);
    let release = Action::ReleaseSavepoint { name: "A".to_owned() };
    let release = task.statement(release, "RELEASE SAVEPOINT A", &[], &[]);
    assert_eq!([task.run(back), task.run(set), task.run(set)], [-880, 0, -881]);
    assert_eq!(task.change("DELETE FROM ACCT"), (0, 3));
    assert_eq!(task.run(back), 0);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 3);
    assert_eq!([task.run(release), task.run(back)], [0, -880]);
}

#[test]
fn who_wants_a_row_of_another_unit_of_work_waits_and_may_give_up() {
    let region = Region::new(TABLES);
    let (mut first, mut second) = (region.task(), region.task());
    assert_eq!(first.change("UPDATE ACCT SET NAME = 'EVE' WHERE ID = 2"), (0, 1));
    let update = Action::Change(Change::Update);
    let wants = second.statement(update, "UPDATE ACCT SET AMOUNT = 7 WHERE ID < 3", &[], &[]);
    {
        let mut waits = pin!(second.execute(wants));
        assert!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    // Purged while it waits: nothing of the statement is left.
    second.thread.gives_up(&mut *second.unit);
    second.commit();
    first.commit();
    let left = "SELECT COUNT(*) INTO :N FROM ACCT WHERE AMOUNT = 7";
    assert_eq!(region.task().count(left), 0);
    assert_eq!(ready(second.execute(wants)).sqlca.code, 0);
    assert_eq!(second.count(left), 2);
}

#[test]
fn two_that_wait_for_each_other_are_found_at_once() {
    let region = Region::new(TABLES);
    let (mut first, mut second) = (region.task(), region.task());
    assert_eq!(first.change("UPDATE ACCT SET AMOUNT = 1 WHERE ID = 1").0, 0);
    assert_eq!(second.change("UPDATE ACCT SET AMOUNT = 2 WHERE ID = 2").0, 0);
    let update = Action::Change(Change::Update);
    let wants = first.statement(update.clone(), "UPDATE ACCT SET AMOUNT = 1 WHERE ID = 2", &[], &[]);
    let closes = second.statement(update, "UPDATE ACCT SET AMOUNT = 2 WHERE ID = 1", &[], &[]);
    let mut waits = pin!(first.execute(wants));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waits.as_mut().poll(&mut context).is_pending());
    let done = ready(second.execute(closes));
    assert_eq!(
        (done.sqlca.code, done.sqlca.tokens, done.backs_out),
        (-911, vec!["00C90088".to_owned()], true)
    );
    assert_eq!(second.run(closes), -906, "until it has backed out");
    drop(second);
    assert!(matches!(waits.as_mut().poll(&mut context), Poll::Ready(done) if done.sqlca.code == 0));
}

#[test]
fn definitions_are_made_and_taken_back_with_their_unit_of_work() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let define = |text: &str| (Action::ExecuteImmediate, text.to_owned());
    let words = task.variable(Form::Char { length: 60 }, false);
    let (action, text) = define("EXECUTE IMMEDIATE :V0");
    let immediate = task.statement(action, &text, &[words], &[]);
    let mut says = |text: &str| {
        task.storage.0[0] = format!("{text:60}").into_bytes();
        task.run(immediate)
    };
    assert_eq!(says("CREATE TABLE BANK.ACCT (ID INTEGER)"), -601);
    assert_eq!(says("CREATE TABLE T (ID INTEGER NOT NULL, PRIMARY KEY (ID))"), 0);
    assert_eq!(says("INSERT INTO T VALUES (1)"), 0);
    assert_eq!(says("DROP TABLE NOWHERE"), -204);
    assert_eq!(says("DROP INDEX XNAME"), 0);
    assert_eq!(says("SELECT ID FROM T"), -84);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM T"), 1);
    drop(task);
    assert_eq!(region.task().change("DELETE FROM T").0, -204);
}

#[test]
fn tables_of_one_name_in_two_schemas_are_two_tables() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, code) in [
        ("CREATE SCHEMA OTHER", 0),
        ("CREATE TABLE OTHER.ACCT (ID INTEGER NOT NULL PRIMARY KEY, UP INTEGER REFERENCES OTHER.ACCT)", 0),
        ("INSERT INTO OTHER.ACCT VALUES (70, NULL)", 0),
        ("INSERT INTO OTHER.ACCT VALUES (71, 1)", -530),
        ("CREATE INDEX OTHER.XUP ON OTHER.ACCT (UP)", 0),
        ("DROP INDEX XUP", -204),
        ("DROP TABLE NOWHERE.ACCT", -204),
        ("CREATE ALIAS OACCT FOR OTHER.ACCT", 0),
        ("INSERT INTO OACCT (ID) VALUES (80)", 0),
        ("DROP TABLE OACCT", -204),
    ] {
        assert_eq!(task.immediate(text), code, "{text}");
    }
    assert_eq!(
        task.count("SELECT COUNT(*) INTO :N FROM ACCT A JOIN OTHER.ACCT B ON A.ID < B.ID WHERE B.ID = 80"),
        3
    );
    task.commit();
    drop(task);
    let region = region.restarted();
    let mut task = region.task();
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM OACCT"), 2);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM BANK.ACCT"), 3);
}

#[test]
fn views_go_with_what_is_below_them_and_come_back_with_a_backout() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, code) in [
        ("CREATE VIEW V (ID) AS SELECT ID FROM ACCT WHERE ID > 1", 0),
        ("CREATE VIEW W AS SELECT ID FROM V", 0),
        ("CREATE VIEW ACCT AS SELECT ID FROM V", -601),
        ("CREATE TABLE V (ID INTEGER)", -601),
        ("CREATE VIEW X AS SELECT ID FROM NOWHERE", -204),
        ("CREATE VIEW X AS SELECT ID + 1 FROM V", -153),
        ("CREATE VIEW X (A, B) AS SELECT ID FROM V", -158),
        ("CREATE VIEW X (A) AS SELECT COUNT(*) FROM V WITH CHECK OPTION", -160),
        ("CREATE VIEW S (A) AS SELECT COUNT(*) FROM V", 0),
        ("DELETE FROM S", -150),
        ("UPDATE W SET NOTHING = 1", -206),
        ("CREATE INDEX X ON V (ID)", -156),
        ("DROP VIEW ACCT", -204),
    ] {
        assert_eq!(task.immediate(text), code, "{text}");
    }
    task.commit();
    drop(task);
    let region = region.restarted();
    let mut task = region.task();
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM W"), 2);
    assert_eq!(task.immediate("DROP VIEW V"), 0);
    assert_eq!(
        [task.immediate("DELETE FROM V"), task.immediate("DELETE FROM W"), task.immediate("DELETE FROM S")],
        [-204; 3]
    );
    drop(task);
    assert_eq!(region.task().count("SELECT COUNT(*) INTO :N FROM W"), 2, "the unit of work was backed out");
}

#[test]
fn a_table_gets_columns_and_rules_that_its_rows_fulfil() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, code) in [
        ("ALTER TABLE ACCT ADD NOTE VARCHAR(9)", 0),
        (
            "ALTER TABLE ACCT ADD COLUMN KIND CHAR(1) NOT NULL WITH DEFAULT 'A' ADD RANK SMALLINT NOT NULL WITH DEFAULT",
            0,
        ),
        ("ALTER TABLE ACCT ADD NOTE INTEGER", -612),
        ("ALTER TABLE ACCT ADD MORE INTEGER NOT NULL", -193),
        ("ALTER TABLE NOWHERE ADD MORE INTEGER", -204),
        ("ALTER TABLE ACCT ADD CONSTRAINT FEW CHECK (ID < 3)", -544),
        ("ALTER TABLE ACCT ADD CONSTRAINT MANY CHECK (ID < 30)", 0),
        ("INSERT INTO ACCT (ID, NAME) VALUES (30, 'X')", -545),
        ("ALTER TABLE ACCT DROP CONSTRAINT FEW", -204),
        ("ALTER TABLE ACCT DROP CONSTRAINT MANY", 0),
        ("INSERT INTO ACCT (ID, NAME, RANK) VALUES (30, 'X', 1)", 0),
        ("ALTER TABLE ACCT ADD FOREIGN KEY UP (NOTE) REFERENCES ACCT", -538),
        ("ALTER TABLE ACCT ADD BOSS INTEGER", 0),
        ("UPDATE ACCT SET BOSS = 7 WHERE ID = 1", 0),
        ("ALTER TABLE ACCT ADD FOREIGN KEY UP (BOSS) REFERENCES ACCT", -667),
        ("UPDATE ACCT SET BOSS = 2 WHERE ID = 1", 0),
        ("ALTER TABLE ACCT ADD FOREIGN KEY UP (BOSS) REFERENCES ACCT", 0),
        ("DELETE FROM ACCT WHERE ID = 2", -532),
        ("CREATE TABLE K (A INTEGER NOT NULL, B INTEGER)", 0),
        ("INSERT INTO K VALUES (1, 1)", 0),
        ("INSERT INTO K VALUES (1, 2)", 0),
        ("ALTER TABLE K ADD PRIMARY KEY (A)", -603),
        ("DELETE FROM K WHERE B = 2", 0),
        ("ALTER TABLE K ADD PRIMARY KEY (A)", 0),
        ("INSERT INTO K VALUES (1, 2)", -803),
        ("ALTER TABLE K ALTER COLUMN B SET DATA TYPE BIGINT", -199),
        ("TRUNCATE TABLE K IMMEDIATE", 0),
        ("INSERT INTO K VALUES (1, 2)", 0),
        ("CREATE VIEW PAIRS AS SELECT * FROM K A, (SELECT B AS X FROM K) C", 0),
        ("CREATE VIEW ONE AS SELECT A.* FROM K A", 0),
        ("ALTER TABLE K ADD Z INTEGER NOT NULL WITH DEFAULT 9", 0),
        ("INSERT INTO ONE VALUES (2, 2)", 0),
        ("INSERT INTO ONE (A, Z) VALUES (3, 2)", -206),
    ] {
        assert_eq!(task.immediate(text), code, "{text}");
    }
    task.commit();
    drop(task);
    let mut task = region.restarted().task();
    assert_eq!(
        task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE KIND = 'A' AND NOTE IS NULL AND RANK = 0"),
        3
    );
    assert_eq!(task.count("SELECT SUM(RANK) INTO :N FROM ACCT"), 1);
    assert_eq!(
        task.count("SELECT SUM(X) INTO :N FROM PAIRS"),
        8,
        "a view has the columns that it was made with"
    );
}

#[test]
fn a_delete_that_waits_for_a_new_child_table_sees_it() {
    let region = Region::new(TABLES);
    let (mut first, mut second) = (region.task(), region.task());
    assert_eq!(first.immediate(CARD), 0);
    assert_eq!(first.change("INSERT INTO CARD VALUES (7, 1)").0, 0);
    let delete = Action::Change(Change::Delete);
    let delete = second.statement(delete, "DELETE FROM ACCT WHERE ID = 1", &[], &[]);
    let mut waits = pin!(second.execute(delete));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waits.as_mut().poll(&mut context).is_pending());
    first.commit();
    assert!(matches!(waits.as_mut().poll(&mut context), Poll::Ready(done) if done.sqlca.code == -532));
}

#[test]
fn a_definition_is_read_when_those_before_it_are_there() {
    let region = Region::new(TABLES);
    for (text, code) in [("CREATE UNIQUE INDEX X ON T (A)", 0), ("DROP TABLE ACCT", -199)] {
        let (mut first, mut second) = (region.task(), region.task());
        assert_eq!(first.immediate("CREATE TABLE T (A INTEGER, B INTEGER)"), 0);
        first.commit();
        assert_eq!(first.immediate("DROP TABLE T"), 0);
        assert_eq!(first.immediate("CREATE TABLE T (B INTEGER, A INTEGER)"), 0);
        assert_eq!(first.immediate(CARD), 0);
        let wants = second.dynamic(text);
        {
            let mut waits = pin!(second.execute(wants));
            let mut context = Context::from_waker(Waker::noop());
            assert!(waits.as_mut().poll(&mut context).is_pending());
            first.commit();
            assert!(
                matches!(waits.as_mut().poll(&mut context), Poll::Ready(done) if done.sqlca.code == code)
            );
        }
        second.commit();
        assert_eq!(second.change("INSERT INTO T VALUES (1, 1)").0, 0);
        assert_eq!(second.change("INSERT INTO T VALUES (1, 2)").0, 0);
        assert_eq!([second.immediate("DROP TABLE T"), second.immediate("DROP TABLE CARD")], [0, 0]);
        second.commit();
    }
}

#[test]
fn set_null_and_a_check_that_it_could_break_are_refused_together() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (check, code) in
        [("OWNER > 0 OR ID = 1", 0), ("OWNER IS NOT NULL OR ID = 1", -199), ("ID IS NOT NULL", 0)]
    {
        let text = format!(
            "CREATE TABLE CARD (ID INTEGER NOT NULL, OWNER INTEGER, CHECK ({check}), \
             FOREIGN KEY (OWNER) REFERENCES ACCT ON DELETE SET NULL)"
        );
        assert_eq!(task.immediate(&text), code, "{check}");
        if code == 0 {
            assert_eq!(task.immediate("DROP TABLE CARD"), 0);
        }
    }
}
