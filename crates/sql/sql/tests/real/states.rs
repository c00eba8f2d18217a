//! SQLCODEs of failing statements: the server provokes each line, with the code that Db2 has for it.

use sql::codes::{Doing, Scope, Sqlca};
use sql::{Isolation, Leaves, Session, Statement, Unit};

use crate::place::{another, block_on, session};

const TABLES: &str = "
    CREATE TABLE parent (id int PRIMARY KEY, name char(5) NOT NULL, amount decimal(5,2), CHECK (amount < 900));
    CREATE TABLE child (id int REFERENCES parent, place int UNIQUE, word varchar(3));
    CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY, small smallint);
    CREATE SEQUENCE short MAXVALUE 2;
    SELECT nextval('short'), nextval('short');
    CREATE SEQUENCE untouched;
    CREATE FUNCTION without_end(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN without_end($1); END';
    INSERT INTO parent VALUES (1, 'ONE', 1), (2, 'TWO', 2);
    INSERT INTO child VALUES (1, 1, 'a')";

/// SQLCODE, Db2's SQLSTATE, SQLERRMC (`-`: empty, `*`: PostgreSQL's words): the statement.
const CASES: &str = "
    -104  42601 FORM           SELECT * FORM parent
    -117  42802 -              INSERT INTO parent (id) VALUES (1, 2)
    -121  42701 ID             INSERT INTO parent (id, id) VALUES (1, 2)
    -122  42803 PARENT.NAME    SELECT name, count(*) FROM parent
    -130  22019 -              SELECT 1 FROM parent WHERE name LIKE 'a' ESCAPE 'ab'
    -138  22011 -              SELECT substring('abc' FROM 1 FOR -1)
    -180  22007 X              SELECT 'x'::date
    -181  22007 2026-02-30     SELECT '2026-02-30'::date
    -203  42702 ID             SELECT id FROM parent, child
    -204  42704 NOWHERE        SELECT * FROM nowhere
    -204  42704 NO.WHERE       SELECT * FROM no.where
    -205  42703 *              SELECT p.nothing FROM parent p
    -206  42703 NOTHING        SELECT nothing FROM parent
    -206  42703 NOTHING,PARENT UPDATE parent SET nothing = 1
    -208  42707 *              SELECT DISTINCT name FROM parent ORDER BY amount
    -212  42712 P              SELECT 1 FROM parent p, child p
    -359  23522 SHORT          SELECT nextval('short')
    -401  42818 *              SELECT 1 FROM parent WHERE name + 1 = 2
    -404  22001 *              INSERT INTO parent VALUES (3, 'TOO LONG', 0)
    -406  22003 *              INSERT INTO parent VALUES (3, 'BIG', 1000)
    -407  23502 NAME           INSERT INTO parent (id) VALUES (3)
    -408  42821 *              UPDATE parent SET id = 'a'::text
    -420  22018 *              SELECT 'a'::int
    -440  42884 *              SELECT no_function(1)
    -461  42846 *              SELECT current_date::int
    -478  42893 *              DROP TABLE parent
    -530  23503 CHILD_ID_FKEY  INSERT INTO child VALUES (9, 9)
    -531  23504 CHILD_ID_FKEY  UPDATE parent SET id = 5 WHERE id = 1
    -532  23504 CHILD_ID_FKEY  DELETE FROM parent WHERE id = 1
    -545  23513 PARENT_AMOUNT_CHECK INSERT INTO parent VALUES (3, 'BIG', 950)
    -601  42710 PARENT         CREATE TABLE parent (a int)
    -788  21506 -              MERGE INTO parent p USING (VALUES (1), (1)) v (id) ON p.id = v.id WHEN MATCHED THEN UPDATE SET name = 'X'
    -798  428C9 ID             INSERT INTO numbered VALUES (1)
    -802  22012 -              SELECT 1 / 0
    -802  22003 -              SELECT 2147483647 + 1
    -803  23505 PARENT_PKEY    INSERT INTO parent VALUES (1, 'AGAIN')
    -803  23505 PARENT_PKEY    UPDATE parent SET id = 1 WHERE id = 2
    -811  21000 -              SELECT (SELECT id FROM parent)
    -845  51035 UNTOUCHED      SELECT currval('untouched')
    -171  42815 -              SELECT * FROM generate_series(1, 2, 0)
    -438  75000 *              DO 'BEGIN RAISE EXCEPTION ''no''; END'
    -438  70001 *              SELECT db2.raise_error('70001', 'no')
    -101  54001 -              SELECT without_end(1)
    -105  42604 *              SELECT 'parent child'::regclass
    -199  42601 *              SELECT count(DISTINCT id) OVER () FROM parent
    -331  22021 -              SELECT convert_from('\\xff', 'UTF8')
    -418  42610 -              SELECT $1 IS NULL
    -433  22001 -              DO 'DECLARE a varchar(1); BEGIN a := ''ab''; END'
    -443  38001 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''38001''; END'
    -454  42723 *              CREATE FUNCTION without_end(int) RETURNS int LANGUAGE sql AS 'SELECT 1'
    -457  42939 *              CREATE SCHEMA pg_mine
    -487  42725 *              SELECT generate_series('1', '2')
    -817  25000 -              DO 'BEGIN SET LOCAL transaction_read_only = on; DELETE FROM child; END'
    -840  54004 -              DO 'BEGIN EXECUTE ''SELECT '' || repeat(''1, '', 1700) || ''1''; END'
    -901  58004 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''XX000''; END'
    -305  22004 -              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''22004''; END'
    -130  22025 -              SELECT 'ab' LIKE E'a\\\\'
    -20447 22007 *             DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''22030''; END'
    -420  22018 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''2203A''; END'
    -532  23504 FK_A           DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''23001'', CONSTRAINT = ''fk_a''; END'
    -803  23505 X_A            DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''23P01'', CONSTRAINT = ''x_a''; END'
    -407  23502 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''23000''; END'
    -904  57011 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''25P03''; END'
    -204  42704 NO             CREATE TABLE no.where (a int)
    -204  42704 PARENT         DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''3F000'', MESSAGE = ''no schema \"parent\"''; END'
    -313  07001 -              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''42P02''; END'
    -502  24502 C              DO 'DECLARE c CURSOR FOR SELECT 1; BEGIN OPEN c; OPEN c; END'
    -904  57011 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''55006''; END'
    -923  57015 -              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''57P02''; END'
    -923  57015 -              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''57P03''; END'
    -904  57011 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''53200''; END'
    -101  54001 -              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''54000''; END'
    100   02000 -              DO 'DECLARE a int; BEGIN SELECT id INTO STRICT a FROM parent WHERE id = 77; END'
    -811  21000 -              DO 'DECLARE a int; BEGIN SELECT id INTO STRICT a FROM parent; END'
    -443  39004 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''39004''; END'
    -904  57011 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''58030''; END'
    -904  57011 *              DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''XX001''; END'
    -905  57014 -              SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)";

fn doing(text: &str) -> Doing {
    match text.split(' ').next() {
        Some("INSERT") => Doing::Insert,
        Some("UPDATE") => Doing::Update,
        Some("DELETE") => Doing::Delete,
        Some("MERGE") => Doing::Merge,
        Some("CREATE" | "DROP") => Doing::Definition,
        _ => Doing::Select,
    }
}

/// Expected words of a line, one blank apart, and the statement.
fn case(line: &str) -> (String, &str) {
    let mut rest = line;
    let mut word = || {
        let (word, behind) = rest.split_once(' ').unwrap();
        rest = behind.trim_start();
        word
    };
    let expected = [word(), word(), word()].join(" ");
    (expected, rest)
}

fn shown(sqlca: &Sqlca, any_tokens: bool) -> String {
    let state = String::from_utf8_lossy(&sqlca.state).into_owned();
    let tokens = match sqlca.tokens.join(",") {
        _ if any_tokens => "*".to_owned(),
        tokens if tokens.is_empty() => "-".to_owned(),
        tokens => tokens,
    };
    format!("{} {state} {tokens}", sqlca.code)
}

#[test]
fn every_state_has_its_code_and_the_unit_of_work_goes_on() {
    block_on(async {
        let mut session: Session = session("states").await;
        session.script(TABLES).await.unwrap();
        let mut unit = Unit::new(session);
        let mark = Statement::new("INSERT INTO numbered (small) VALUES (1)", &[]);
        let mut wrong = Vec::new();
        for line in CASES.lines().map(str::trim).filter(|line| !line.is_empty()) {
            unit.run(&mark, &[], 0, Isolation::Committed, Leaves::Something).await.unwrap();
            let (expected, text) = case(line);
            let statement = Statement::new(text, &[]);
            let done = unit.run(&statement, &[], 0, Isolation::Committed, Leaves::Something).await;
            let found = done.map(|_| "it ran".to_owned()).unwrap_or_else(|failure| {
                let sqlca = Sqlca::of(&failure, doing(text), Scope::Unit);
                shown(&sqlca, expected.ends_with('*'))
            });
            if found != expected {
                wrong.push(format!("{text}: {found}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        unit.commit().await.unwrap();
        let answer = unit.session().script("SELECT count(*) FROM numbered").await.unwrap();
        let cases = CASES.lines().filter(|line| !line.trim().is_empty()).count();
        assert_eq!(answer.rows.row(0).next(), Some(Some(cases.to_string().as_bytes())));
    });
}

#[test]
fn a_text_that_is_too_long_for_a_varchar_of_db2_has_its_code() {
    block_on(async {
        let mut session = session("too_long").await;
        session.script("SELECT db2.make_varchar(5)").await.unwrap();
        session.script("CREATE TABLE t (name db2.varchar_5)").await.unwrap();
        let failure = session.script("INSERT INTO t VALUES ('ABCDEF')").await.unwrap_err();
        let sqlca = Sqlca::of(&failure, Doing::Insert, Scope::Unit);
        assert_eq!((sqlca.code, &sqlca.state), (-404, b"22001"));
    });
}

#[test]
fn a_row_that_was_changed_since_a_repeatable_unit_of_work_began_backs_it_out() {
    block_on(async {
        let mut session = session("repeatable").await;
        session
            .script("CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)")
            .await
            .unwrap();
        let mut unit = Unit::new(session);
        let read = Statement::new("SELECT n FROM t", &[]);
        unit.run(&read, &[], 0, Isolation::Repeatable, Leaves::Something).await.unwrap();
        another("repeatable").await.script("UPDATE t SET n = 1").await.unwrap();
        let update = Statement::new("UPDATE t SET n = n + 10", &[]);
        let done = unit.run(&update, &[], 0, Isolation::Committed, Leaves::Something).await;
        let sqlca = Sqlca::of(&done.unwrap_err(), Doing::Update, Scope::Unit);
        assert_eq!((sqlca.code, &sqlca.state, sqlca.details[2]), (-911, b"40001", 13_172_872));
        unit.backout().await.unwrap();
        unit.run(&update, &[], 0, Isolation::Repeatable, Leaves::Something).await.unwrap();
        unit.commit().await.unwrap();
        let answer = unit.session().script("SELECT n FROM t").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"11".as_slice())));
    });
}
