//! Statements over one table: what they give, change and refuse.

use db2_run::{Failed, Limits, Run, Step};
use db2_values::{Decimal, Value};

use crate::tables::Tables;

/// Contacts, with indexes of several kinds.
fn contacts() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(6) NOT NULL, NOTE VARCHAR(20),
         AMOUNT DECIMAL(7,2) NOT NULL WITH DEFAULT -1.5, BORN DATE, STAMP TIMESTAMP NOT NULL WITH DEFAULT)",
        "CREATE INDEX XNAME ON CONTACT (NAME, AMOUNT DESC)",
        "CREATE INDEX XNOTE ON CONTACT (NOTE)",
    ]);
    for values in [
        "1, 'ADA', 'first', 10.50, '1815-12-10'",
        "2, 'BEA', NULL, -3, '2000-02-29'",
        "3, 'ADA', 'second', 20, NULL",
        "4, 'CLEO', 'fir', 0, '31.12.1999'",
    ] {
        let text = format!("INSERT INTO CONTACT (ID, NAME, NOTE, AMOUNT, BORN) VALUES ({values})");
        assert_eq!(tables.change(&text), 1);
    }
    tables
}

#[test]
fn rows_that_are_meant() {
    let mut tables = contacts();
    for (condition, ids) in [
        ("ID = 3", "3"),
        ("ID = 9", ""),
        ("ID = 2.5", ""),
        ("ID > 1.5 AND ID <= 3", "2 3"),
        ("ID BETWEEN 2 AND 3", "2 3"),
        ("3 > ID", "1 2"),
        ("ID IN (1, 4, 7)", "1 4"),
        ("ID = '2'", "2"),
        ("ID = ' 2.0 '", "2"),
        ("ID = '2.5'", ""),
        ("ID > '2.5'", "3 4"),
        ("ID < '99999999999999999999'", "1 2 3 4"),
        ("'1E0' = ID", "1"),
        ("NAME = 'ADA'", "1 3"),
        ("NAME = 'ADA       '", "1 3"),
        ("NAME = 'ADABELLA'", ""),
        ("NAME >= 'ADABELLA'", "2 4"),
        ("NAME = 'ADA' AND AMOUNT > 10.5", "3"),
        ("NAME LIKE 'A%'", "1 3"),
        ("NAME LIKE 'ADA'", ""),
        ("NOTE LIKE 'fir%'", "1 4"),
        ("NOTE LIKE '_ir'", "4"),
        ("NOTE LIKE '_ir+%' ESCAPE '+'", ""),
        ("NOT NOTE LIKE '_ir%' ESCAPE '+'", "3"),
        ("NOTE > 'fir'", "1 3"),
        ("NOTE = 'fir  '", "4"),
        ("NOTE IS NULL", "2"),
        ("NOT NOTE = 'fir'", "1 3"),
        ("NOTE <> 'fir' OR NOTE IS NULL", "1 2 3"),
        ("NOTE IN ('fir') OR NAME = 'BEA'", "2 4"),
        ("BORN > '1999-12-30'", "2 4"),
        ("BORN < CURRENT DATE", "1 2 4"),
        ("AMOUNT * 2 = 21", "1"),
        ("UPPER(NOTE) = 'FIRST'", "1"),
    ] {
        let found = tables.query(&format!("SELECT ID FROM CONTACT WHERE {condition} ORDER BY ID"));
        assert_eq!(found.join(" "), ids, "WHERE {condition}");
    }
}

#[test]
fn values_of_rows() {
    let mut tables = contacts();
    let found = tables
        .query("SELECT NAME || NOTE, AMOUNT / 3, -ID, COALESCE(NOTE, 'none') FROM CONTACT WHERE ID < 3");
    assert_eq!(found, ["ADA   first 3.5000000000 -1 first", "- -1.0000000000 -2 none"]);
    assert_eq!(tables.query("SELECT DISTINCT NAME FROM CONTACT ORDER BY 1 DESC"), ["CLEO", "BEA", "ADA"]);
    assert_eq!(
        tables.query(
            "SELECT COUNT(*), COUNT(NOTE), SUM(AMOUNT), AVG(AMOUNT), MIN(NAME), MAX(BORN) FROM CONTACT"
        ),
        ["4 3 27.50 6.8750000000 ADA 2000-02-29"]
    );
    assert_eq!(tables.query("SELECT COUNT(*), SUM(ID), MAX(NOTE) FROM CONTACT WHERE ID > 9"), ["0 - -"]);
    assert_eq!(tables.query("SELECT COUNT(DISTINCT NAME) + 1 FROM CONTACT"), ["4"]);
}

#[test]
fn orders() {
    let mut tables = contacts();
    for (order, ids) in [
        ("ID DESC", "4 3 2 1"),
        ("NAME, AMOUNT DESC", "3 1 2 4"),
        ("NAME, AMOUNT", "1 3 2 4"),
        ("NAME DESC, AMOUNT", "4 2 1 3"),
        ("NOTE", "4 1 3 2"),
        ("NOTE DESC", "2 3 1 4"),
        ("AMOUNT", "2 4 1 3"),
        ("BORN DESC FETCH FIRST 2 ROWS ONLY", "3 2"),
        ("AMOUNT DESC FETCH FIRST 1 ROW ONLY", "3"),
    ] {
        let found = tables.query(&format!("SELECT ID FROM CONTACT ORDER BY {order}"));
        assert_eq!(found.join(" "), ids, "ORDER BY {order}");
    }
}

#[test]
fn changes() {
    let mut tables = contacts();
    assert_eq!(tables.change("INSERT INTO CONTACT (ID, NAME) VALUES (5, 'EVE')"), 1);
    assert_eq!(
        tables.query("SELECT NOTE, AMOUNT, STAMP FROM CONTACT WHERE ID = 5"),
        ["- -1.50 2026-11-29-10.30.00.000000"]
    );
    assert_eq!(tables.change("UPDATE CONTACT SET AMOUNT = AMOUNT + 1, NOTE = NAME WHERE NAME = 'ADA'"), 2);
    assert_eq!(
        tables.query("SELECT AMOUNT, NOTE FROM CONTACT WHERE NAME = 'ADA'"),
        ["21.00 ADA", "11.50 ADA"]
    );
    // Both values are of the old row, and a change does not meet its own rows.
    assert_eq!(tables.change("UPDATE CONTACT SET ID = ID + 1, AMOUNT = ID"), 5);
    assert_eq!(
        tables.query("SELECT ID, AMOUNT FROM CONTACT ORDER BY ID FETCH FIRST 2 ROWS ONLY"),
        ["2 1.00", "3 2.00"]
    );
    assert_eq!(tables.change("DELETE FROM CONTACT WHERE ID > 4"), 2);
    assert_eq!(tables.change("DELETE FROM CONTACT WHERE ID > 4"), 0);
    assert_eq!(tables.change("DELETE FROM CONTACT"), 3);
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let mut tables = contacts();
    let before = tables.query("SELECT * FROM CONTACT");
    for (text, code) in [
        ("INSERT INTO CONTACT (ID, NAME) VALUES (1, 'X')", -803),
        ("INSERT INTO CONTACT (ID, NAME) VALUES (9, 'TOOLONG')", -404),
        ("INSERT INTO CONTACT (ID, NAME, BORN) VALUES (9, 'X', '2023-02-29')", -181),
        ("UPDATE CONTACT SET AMOUNT = 100000 WHERE ID = 4", -406),
        ("UPDATE CONTACT SET AMOUNT = 10 / AMOUNT", -802),
        ("UPDATE CONTACT SET NOTE = NAME, ID = 7", -803),
        ("DELETE FROM CONTACT WHERE 1 / AMOUNT > 5", -802),
        ("DELETE FROM CONTACT WHERE NOTE LIKE 'x+x' ESCAPE '+'", -130),
    ] {
        assert_eq!(tables.code(text, Vec::new()), code, "{text}");
        assert_eq!(tables.query("SELECT * FROM CONTACT"), before, "{text} left something");
    }
    let text = "INSERT INTO CONTACT (ID, NAME) VALUES (9, :T:I)";
    match tables.run(text, vec![Value::Null]) {
        Err(Failed::Refused(refused)) => assert_eq!((refused.code, refused.token.as_str()), (-407, "NAME")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn variables_have_their_values_at_each_run() {
    let mut tables = contacts();
    let text = "SELECT ID FROM CONTACT WHERE ID >= :N AND AMOUNT < :D AND NAME <> :T ORDER BY ID";
    let plan = tables.plan(text);
    let numbers: Vec<u32> = plan.variables().iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [b'N', b'D', b'T'].map(u32::from));
    let values =
        vec![Value::Whole(2), Value::Decimal(Decimal { unscaled: 200_000, scale: 4 }), Value::text("BEA")];
    assert_eq!(tables.run(text, values).map(|outcome| outcome.rows), Ok(vec!["4".to_owned()]));
    let null = vec![Value::Null, Value::Null, Value::Null];
    assert_eq!(tables.run(text, null).map(|outcome| outcome.rows), Ok(Vec::new()));
    // A text beside a number is one, or the statement fails.
    assert_eq!(tables.code("SELECT ID FROM CONTACT WHERE ID = :T", vec![Value::text("x")]), -420);
}

#[test]
fn a_cursor_is_on_a_row_that_a_positioned_change_means() {
    let mut tables = contacts();
    let text = "DECLARE C1 CURSOR FOR SELECT ID FROM CONTACT WHERE AMOUNT > 0 FOR UPDATE OF NOTE";
    let mut cursor = tables.start(text, Vec::new());
    let change = tables.plan("UPDATE CONTACT SET NOTE = 'seen' WHERE CURRENT OF C1");
    assert_eq!(change.cursor(), Some("C1"));
    let positioned = |tables: &Tables, current| {
        Run::positioned(change.clone(), Vec::new(), tables.setting(), Limits::default(), current)
    };
    let mut none = positioned(&tables, cursor.current());
    assert!(matches!(none.next(&mut tables.rows), Err(Failed::Refused(refused)) if refused.code == -508));
    while cursor.next(&mut tables.rows) == Ok(Step::Row) {
        let mut change = positioned(&tables, cursor.current());
        assert_eq!(change.next(&mut tables.rows), Ok(Step::End));
        assert_eq!(change.count(), 1);
    }
    assert_eq!(tables.query("SELECT ID FROM CONTACT WHERE NOTE = 'seen' ORDER BY ID"), ["1", "3"]);
}

#[test]
fn a_row_that_cannot_be_had_is_waited_for_at_any_call() {
    let all = |seed: Option<u64>| {
        let mut tables = contacts();
        tables.rows.later = seed.map(fastrand::Rng::with_seed);
        let (mut found, mut waits) = (Vec::new(), 0);
        for text in [
            "SELECT ID, NOTE FROM CONTACT WHERE NAME > 'A' ORDER BY AMOUNT",
            "SELECT COUNT(*), SUM(AMOUNT) FROM CONTACT",
            "INSERT INTO CONTACT (ID, NAME) VALUES (5, 'EVE')",
            "UPDATE CONTACT SET ID = ID + 1",
            "DELETE FROM CONTACT WHERE ID = 3",
            "UPDATE CONTACT SET AMOUNT = 10 / AMOUNT",
            "SELECT * FROM CONTACT ORDER BY ID",
        ] {
            let Ok(outcome) = tables.run(text, Vec::new()) else {
                found.push((vec![text.to_owned()], 0));
                continue;
            };
            waits += outcome.waits;
            found.push((outcome.rows, outcome.count));
        }
        assert_eq!(waits > 0, seed.is_some());
        found
    };
    let without = all(None);
    for seed in 0..20 {
        assert_eq!(all(Some(seed)), without, "seed {seed}");
    }
}

/// A thousand rows whose order by value is not that of their numbers.
fn thousand() -> Tables {
    let mut tables = Tables::new(&["CREATE TABLE MANY (ID INTEGER NOT NULL, PLACE INTEGER NOT NULL)"]);
    for id in 0..1000 {
        tables.change(&format!("INSERT INTO MANY VALUES ({id}, {})", id * 7 % 1000));
    }
    tables
}

#[test]
fn a_statement_gives_way_after_so_many_rows() {
    let mut tables = thousand();
    for (text, turns) in [
        ("SELECT COUNT(*) FROM MANY", 10),
        ("SELECT ID FROM MANY WHERE ID < 0", 10),
        ("SELECT ID FROM MANY ORDER BY PLACE", 10),
        ("SELECT DISTINCT PLACE FROM MANY WHERE ID > 900 ORDER BY PLACE", 10),
        ("UPDATE MANY SET PLACE = PLACE + 1", 20),
        ("SELECT ID FROM MANY WHERE ID = 5 FETCH FIRST 1 ROW ONLY", 0),
    ] {
        let outcome = tables.run(text, Vec::new()).expect(text);
        let range = turns.max(1) - 1..=turns;
        assert!(range.contains(&outcome.turns), "{text} gives way {} times", outcome.turns);
    }
    let sorted = tables.query("SELECT PLACE FROM MANY ORDER BY PLACE DESC");
    assert!(sorted.iter().map(|place| place.parse::<i32>().unwrap()).eq((1..=1000).rev()));
}

#[test]
fn memory_has_a_limit_with_a_name() {
    let mut tables = thousand();
    tables.limits.sort_bytes = 10_000;
    for text in [
        "SELECT ID FROM MANY ORDER BY PLACE",
        "SELECT DISTINCT ID FROM MANY",
        "SELECT COUNT(DISTINCT ID) FROM MANY",
    ] {
        match tables.run(text, Vec::new()) {
            Err(Failed::Refused(refused)) => {
                assert_eq!((refused.code, refused.token.as_str()), (-904, "sort_bytes"))
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    tables.limits.sort_bytes = 5000;
    assert_eq!(tables.code("DELETE FROM MANY", Vec::new()), -904);
    // The first ten need no more than ten.
    let first = tables.query("SELECT ID FROM MANY ORDER BY PLACE FETCH FIRST 10 ROWS ONLY");
    assert_eq!(first[..3], ["0", "143", "286"]);
}

#[test]
fn a_run_that_is_closed_leaves_nothing() {
    let mut tables = thousand();
    let mut change = tables.start("UPDATE MANY SET PLACE = -1", Vec::new());
    for _ in 0..15 {
        assert_eq!(change.next(&mut tables.rows), Ok(Step::GiveWay));
    }
    assert!(change.count() > 0);
    change.close(&mut tables.rows).unwrap();
    assert_eq!(change.next(&mut tables.rows), Ok(Step::End));
    assert_eq!(tables.query("SELECT COUNT(*) FROM MANY WHERE PLACE = -1"), ["0"]);
    let mut query = tables.start("SELECT ID FROM MANY", Vec::new());
    assert_eq!(query.next(&mut tables.rows), Ok(Step::Row));
    query.close(&mut tables.rows).unwrap();
    assert_eq!(tables.rows.open_cursors, 0);
}
