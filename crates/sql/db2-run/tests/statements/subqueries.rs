//! Subqueries, queries in FROM, common table expressions, UNION, and changes that stand on queries.

use db2_run::{Limits, Step};
use db2_values::Value;

use crate::joins::bank;

#[test]
fn conditions_with_subqueries() {
    let mut tables = bank();
    for (condition, ids) in [
        ("ID IN (SELECT OWNER FROM ACCOUNT)", "1 3"),
        // An account without an owner makes the answer unknown.
        ("ID NOT IN (SELECT OWNER FROM ACCOUNT)", ""),
        ("ID NOT IN (SELECT OWNER FROM ACCOUNT WHERE OWNER IS NOT NULL)", "2"),
        ("ID IN (SELECT OWNER FROM ACCOUNT WHERE BALANCE > 1000)", ""),
        ("ID NOT IN (SELECT OWNER FROM ACCOUNT WHERE BALANCE > 1000)", "1 2 3"),
        ("EXISTS (SELECT 1 FROM ACCOUNT WHERE OWNER = ID)", "1 3"),
        ("NOT EXISTS (SELECT * FROM ACCOUNT A WHERE A.OWNER = CUSTOMER.ID AND BALANCE < 0)", "2 3"),
        ("ID = (SELECT MAX(OWNER) FROM ACCOUNT)", "3"),
        ("ID > (SELECT OWNER FROM ACCOUNT WHERE NUMBER = 99)", ""),
        ("ID > ALL (SELECT OWNER FROM ACCOUNT WHERE OWNER < 3)", "2 3"),
        ("ID >= ANY (SELECT OWNER FROM ACCOUNT WHERE NUMBER < 12)", "1 2 3"),
        ("ID < ALL (SELECT OWNER FROM ACCOUNT WHERE NUMBER > 99)", "1 2 3"),
        ("NAME IN (SELECT NAME FROM CUSTOMER C WHERE C.ID > CUSTOMER.ID - 1)", "1 2 3"),
        ("CITY = 'PARIS' OR ID IN (SELECT OWNER FROM ACCOUNT WHERE NUMBER = 10)", "1 3"),
        ("(SELECT COUNT(*) FROM ACCOUNT WHERE OWNER = ID) = 2", "1"),
        (
            "ID IN (SELECT OWNER FROM ACCOUNT A WHERE EXISTS (SELECT 1 FROM BOOKING WHERE ACCOUNT = A.NUMBER AND AMOUNT > CUSTOMER.ID))",
            "1",
        ),
    ] {
        let found = tables.query(&format!("SELECT ID FROM CUSTOMER WHERE {condition} ORDER BY ID"));
        assert_eq!(found.join(" "), ids, "WHERE {condition}");
    }
}

#[test]
fn a_subquery_for_a_value_has_one_row() {
    let mut tables = bank();
    let text =
        "SELECT NAME, (SELECT SUM(BALANCE) FROM ACCOUNT WHERE OWNER = C.ID) FROM CUSTOMER C ORDER BY ID";
    assert_eq!(tables.query(text), ["ADA 79.50", "BEA -", "CLEO 0.00"]);
    let text = "SELECT (SELECT NUMBER FROM ACCOUNT WHERE OWNER = C.ID) FROM CUSTOMER C WHERE ID = 1";
    assert_eq!(tables.code(text, Vec::new()), -811);
}

#[test]
fn a_subquery_that_is_the_same_for_all_rows_runs_once() {
    let mut tables = bank();
    for (condition, looked) in [
        ("ID = (SELECT MAX(OWNER) FROM ACCOUNT)", 4 + 1),
        ("ID IN (SELECT OWNER FROM ACCOUNT)", 3 + 4),
        ("NOT EXISTS (SELECT 1 FROM ACCOUNT WHERE OWNER = ID)", 3 + 2),
    ] {
        tables.rows.looked = 0;
        tables.query(&format!("SELECT ID FROM CUSTOMER WHERE {condition}"));
        assert_eq!(tables.rows.looked, looked, "WHERE {condition}");
    }
}

#[test]
fn queries_in_from() {
    let mut tables = bank();
    for (text, rows) in [
        (
            "SELECT N, B * 2 FROM (SELECT NUMBER AS N, BALANCE AS B FROM ACCOUNT WHERE BALANCE > 0) AS X ORDER BY N",
            "10 200.00, 13 14.00",
        ),
        (
            "SELECT NAME, T FROM CUSTOMER, (SELECT OWNER, SUM(BALANCE) FROM ACCOUNT GROUP BY OWNER) X (O, T) WHERE O = ID ORDER BY 1",
            "ADA 79.50, CLEO 0.00",
        ),
        (
            "SELECT NAME, M FROM CUSTOMER C, TABLE (SELECT MAX(BALANCE) AS M FROM ACCOUNT WHERE OWNER = C.ID) X ORDER BY 1",
            "ADA 100.00, BEA -, CLEO 0.00",
        ),
        ("WITH T (A) AS (SELECT NUMBER FROM ACCOUNT WHERE NUMBER < 12) SELECT MAX(A) FROM T", "11"),
        (
            "WITH A AS (SELECT OWNER FROM ACCOUNT), B AS (SELECT OWNER AS O FROM A WHERE OWNER > 1) SELECT A.OWNER, O FROM A, B ORDER BY 1",
            "1 3, 1 3, 3 3, - 3",
        ),
        ("SELECT IBMREQD, CURRENT DATE FROM SYSIBM.SYSDUMMY1", "Y 2026-11-29"),
        ("VALUES (1 + 1, UPPER('a')) INTO :N, :T", "2 A"),
        ("SET :N = 3, :T = (SELECT NAME FROM CUSTOMER WHERE ID = 2)", "3 BEA"),
        ("SET (:T, :N) = (SELECT NAME, ID FROM CUSTOMER WHERE ID = 3)", "CLEO 3"),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
}

#[test]
fn unions() {
    let mut tables = bank();
    for (text, rows) in [
        ("SELECT ID FROM CUSTOMER UNION ALL SELECT OWNER FROM ACCOUNT ORDER BY 1", "1, 1, 1, 2, 3, 3, -"),
        ("SELECT ID FROM CUSTOMER UNION SELECT OWNER FROM ACCOUNT ORDER BY ID DESC", "-, 3, 2, 1"),
        ("SELECT 'A' FROM SYSIBM.SYSDUMMY1 UNION ALL SELECT NAME FROM CUSTOMER WHERE ID = 1", "A, ADA"),
        (
            "SELECT 1 FROM SYSIBM.SYSDUMMY1 UNION SELECT 1.5 FROM SYSIBM.SYSDUMMY1 UNION SELECT 1.0 FROM SYSIBM.SYSDUMMY1 ORDER BY 1",
            "1.0, 1.5",
        ),
        (
            "SELECT ID FROM CUSTOMER UNION ALL SELECT ID FROM CUSTOMER ORDER BY 1 FETCH FIRST 3 ROWS ONLY",
            "1, 1, 2",
        ),
        (
            "SELECT ID FROM CUSTOMER WHERE ID IN (SELECT 3 FROM SYSIBM.SYSDUMMY1 UNION SELECT 1 FROM SYSIBM.SYSDUMMY1) ORDER BY 1",
            "1, 3",
        ),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
}

#[test]
fn recursion() {
    let mut tables = bank();
    for (text, rows) in [
        ("WITH T (N) AS (SELECT 1 FROM SYSIBM.SYSDUMMY1 UNION ALL SELECT N + 1 FROM T WHERE N < 5) SELECT N FROM T", "1, 2, 3, 4, 5"),
        ("WITH T (ID, D) AS (SELECT ID, 0 FROM CUSTOMER WHERE ID = 1 UNION ALL SELECT C.ID, D + 1 FROM CUSTOMER C, T WHERE C.ID = T.ID + 1)
          SELECT D, ID FROM T ORDER BY D DESC FETCH FIRST 2 ROWS ONLY", "2 3, 1 2"),
        // Each row goes both ways.
        ("WITH T (N) AS (SELECT 1 FROM SYSIBM.SYSDUMMY1 UNION ALL SELECT N * 2 FROM T WHERE N < 4 UNION ALL SELECT N * 3 FROM T WHERE N < 4)
          SELECT N, COUNT(*) FROM T GROUP BY N ORDER BY N", "1 1, 2 1, 3 1, 4 1, 6 2, 9 1"),
        ("WITH T (N) AS (SELECT 1 FROM SYSIBM.SYSDUMMY1 UNION ALL SELECT N + 1 FROM T) SELECT N FROM T FETCH FIRST 3 ROWS ONLY", "1, 2, 3"),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
    let text =
        "WITH T (N) AS (SELECT 1 FROM SYSIBM.SYSDUMMY1 UNION ALL SELECT N + 1 FROM T) SELECT MAX(N) FROM T";
    let mut run = tables.start(text, Vec::new());
    // One without an end gives way like all others.
    for _ in 0..100 {
        assert_eq!(run.next(&mut tables.rows), Ok(Step::GiveWay));
    }
    run.close(&mut tables.rows).unwrap();
}

#[test]
fn changes_that_stand_on_queries() {
    let mut tables = bank();
    for (text, count) in [
        ("INSERT INTO ACCOUNT SELECT NUMBER + 100, OWNER, BALANCE / 2 FROM ACCOUNT", 4),
        ("INSERT INTO CUSTOMER (ID, NAME) VALUES ((SELECT MAX(ID) + 1 FROM CUSTOMER), 'DORA')", 1),
        ("UPDATE CUSTOMER C SET CITY = (SELECT NAME FROM CUSTOMER B WHERE B.ID = C.ID - 1) WHERE ID > 2", 2),
        (
            "UPDATE ACCOUNT SET BALANCE = 0 WHERE BALANCE < (SELECT AVG(BALANCE) FROM ACCOUNT) AND NUMBER < 100",
            3,
        ),
        (
            "UPDATE CUSTOMER C SET (NAME, CITY) = (SELECT CITY, NAME FROM CUSTOMER B WHERE B.ID = C.ID) WHERE ID = 3",
            1,
        ),
        ("DELETE FROM ACCOUNT A WHERE NOT EXISTS (SELECT 1 FROM BOOKING WHERE ACCOUNT = A.NUMBER)", 6),
        ("DELETE FROM CUSTOMER WHERE ID IN (SELECT OWNER FROM ACCOUNT)", 1),
    ] {
        assert_eq!(tables.change(text), count, "{text}");
    }
    assert_eq!(tables.query("SELECT * FROM CUSTOMER ORDER BY ID"), ["2 BEA -", "3 BEA CLEO", "4 DORA CLEO"]);
    assert_eq!(tables.query("SELECT NUMBER, BALANCE FROM ACCOUNT ORDER BY 1"), ["10 100.00", "11 0.00"]);
    let before = tables.query("SELECT * FROM ACCOUNT");
    assert_eq!(
        tables.code("INSERT INTO ACCOUNT SELECT NUMBER + 1, OWNER, BALANCE FROM ACCOUNT", Vec::new()),
        -803
    );
    assert_eq!(tables.query("SELECT * FROM ACCOUNT"), before);
}

#[test]
fn rows_that_cannot_be_had_are_waited_for_in_the_middle() {
    let statements = [
        "SELECT NAME, NUMBER FROM CUSTOMER LEFT JOIN ACCOUNT ON OWNER = ID ORDER BY 1, 2",
        "SELECT ID FROM CUSTOMER WHERE ID NOT IN (SELECT OWNER FROM ACCOUNT WHERE OWNER > 1)",
        "SELECT OWNER, COUNT(*), MAX(BALANCE) FROM ACCOUNT GROUP BY OWNER HAVING COUNT(*) < (SELECT COUNT(*) FROM CUSTOMER) ORDER BY 1",
        "SELECT NAME, (SELECT SUM(BALANCE) FROM ACCOUNT WHERE OWNER = C.ID) FROM CUSTOMER C ORDER BY ID",
        "SELECT NAME FROM CUSTOMER C, (SELECT DISTINCT OWNER AS O FROM ACCOUNT) X WHERE O = ID ORDER BY 1",
        "INSERT INTO CUSTOMER SELECT ID + 10, NAME, CITY FROM CUSTOMER",
        "UPDATE CUSTOMER C SET NAME = (SELECT CHAR(MAX(NUMBER), 6) FROM ACCOUNT WHERE OWNER = C.ID OR ID > 1)",
        "DELETE FROM ACCOUNT WHERE OWNER IN (SELECT ID FROM CUSTOMER WHERE ID < 3)",
        "SELECT * FROM CUSTOMER, ACCOUNT ORDER BY 1, 4",
    ];
    let all = |seed: Option<u64>| {
        let mut tables = bank();
        tables.rows.later = seed.map(fastrand::Rng::with_seed);
        statements.map(|text| {
            let outcome = tables.run(text, Vec::new()).unwrap_or_else(|failed| panic!("{text}: {failed:?}"));
            assert!(seed.is_none() || outcome.waits > 0, "{text}");
            (outcome.rows, outcome.count)
        })
    };
    let without = all(None);
    for seed in 0..20 {
        assert_eq!(all(Some(seed)), without, "seed {seed}");
    }
}

#[test]
fn memory_of_subqueries_is_given_back() {
    let mut tables = bank();
    // A sort of each of the many subqueries: together they would not have room.
    let text = "SELECT C.ID, (SELECT NUMBER FROM ACCOUNT WHERE OWNER = C.ID ORDER BY BALANCE FETCH FIRST 1 ROW ONLY)
                FROM CUSTOMER C, ACCOUNT, BOOKING, BOOKING B WHERE C.ID IN (SELECT DISTINCT OWNER FROM ACCOUNT A WHERE A.OWNER >= C.ID)";
    let rows = tables.query(text).len();
    assert_eq!(rows, 72);
    tables.limits = Limits { sort_bytes: 700, ..tables.limits };
    assert_eq!(tables.query(text).len(), rows);
    tables.limits.sort_bytes = 40;
    assert_eq!(tables.code(text, Vec::new()), -904);
}

#[test]
fn a_subquery_gives_way() {
    let mut tables = bank();
    tables.limits.turn_rows = 2;
    let text = "SELECT ID FROM CUSTOMER WHERE ID < (SELECT COUNT(*) FROM ACCOUNT, BOOKING)";
    let outcome = tables.run(text, Vec::new()).expect(text);
    assert_eq!((outcome.rows.len(), outcome.turns > 4), (3, true));
    // One that is closed in the middle leaves no cursor open.
    let mut run = tables.start(text, Vec::<Value>::new());
    assert_eq!(run.next(&mut tables.rows), Ok(Step::GiveWay));
    assert!(!run.cursors().is_empty() && tables.rows.open_cursors > 0);
    run.close(&mut tables.rows).unwrap();
    assert_eq!(tables.rows.open_cursors, 0);
}
