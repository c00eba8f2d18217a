//! Rules of tables: checks, parents and children.

use db2_run::Failed;

use crate::tables::Tables;

fn shop() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE BUYER (ID INTEGER NOT NULL PRIMARY KEY, AGE SMALLINT CONSTRAINT ADULT CHECK (AGE >= 18),
         CHECK (ID <> 13 OR AGE > 99))",
        "CREATE TABLE ORDERS (NUMBER INTEGER NOT NULL PRIMARY KEY, BUYER INTEGER REFERENCES BUYER ON DELETE CASCADE, PART_OF INTEGER,
         FOREIGN KEY WHOLE (PART_OF) REFERENCES ORDERS (NUMBER) ON DELETE CASCADE)",
        "CREATE TABLE NOTE (TEXT CHAR(6) NOT NULL, ORDER INTEGER, CONSTRAINT FNOTE FOREIGN KEY (ORDER) REFERENCES ORDERS ON DELETE SET NULL)",
        "CREATE TABLE BILL (ORDER INTEGER NOT NULL CONSTRAINT FBILL REFERENCES ORDERS (NUMBER) ON DELETE RESTRICT ENFORCED)",
    ]);
    for text in [
        "INSERT INTO BUYER VALUES (1, 30)",
        "INSERT INTO BUYER VALUES (2, NULL)",
        "INSERT INTO ORDERS VALUES (10, 1, NULL)",
        "INSERT INTO ORDERS VALUES (11, 1, 10)",
        "INSERT INTO ORDERS VALUES (12, NULL, 11)",
        "INSERT INTO ORDERS VALUES (20, 2, NULL)",
        "INSERT INTO NOTE VALUES ('ten', 10)",
        "INSERT INTO NOTE VALUES ('twelve', 12)",
        "INSERT INTO BILL VALUES (20)",
    ] {
        assert_eq!(tables.change(text), 1, "{text}");
    }
    tables
}

#[test]
fn rules_that_are_broken() {
    let mut tables = shop();
    for (text, code, name) in [
        ("INSERT INTO BUYER VALUES (3, 17)", -545, "ADULT"),
        ("UPDATE BUYER SET AGE = AGE - 20", -545, "ADULT"),
        ("INSERT INTO BUYER VALUES (13, 20)", -545, "CHECK2"),
        ("INSERT INTO BUYER SELECT ID + 12, 20 FROM BUYER", -545, "CHECK2"),
        ("INSERT INTO ORDERS VALUES (30, 9, NULL)", -530, "BUYER"),
        ("INSERT INTO ORDERS VALUES (30, 1, 99)", -530, "WHOLE"),
        ("UPDATE ORDERS SET BUYER = BUYER + 1", -530, "BUYER"),
        ("UPDATE BUYER SET ID = 5 WHERE ID = 2", -531, "BUYER"),
        ("UPDATE ORDERS SET NUMBER = NUMBER + 100 WHERE NUMBER = 20", -531, "FBILL"),
        ("DELETE FROM ORDERS WHERE NUMBER = 20", -532, "FBILL"),
        // The order of the buyer would go, too.
        ("DELETE FROM BUYER", -532, "FBILL"),
    ] {
        let before = ["BUYER", "ORDERS", "NOTE"].map(|table| tables.query(&format!("SELECT * FROM {table}")));
        match tables.run(text, Vec::new()) {
            Err(Failed::Refused(refused)) => {
                assert_eq!((refused.code, refused.token.as_str()), (code, name), "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
        let after = ["BUYER", "ORDERS", "NOTE"].map(|table| tables.query(&format!("SELECT * FROM {table}")));
        assert_eq!(before, after, "{text} left something");
    }
}

#[test]
fn rules_that_are_kept() {
    let mut tables = shop();
    for (text, count) in [
        ("INSERT INTO BUYER VALUES (13, NULL)", 1),
        ("UPDATE BUYER SET ID = 14 WHERE ID = 13", 1),
        // Its own parent.
        ("INSERT INTO ORDERS VALUES (40, NULL, 40)", 1),
        // The parent comes behind its child.
        (
            "INSERT INTO ORDERS SELECT NUMBER + 100, BUYER, PART_OF + 100 FROM ORDERS WHERE NUMBER IN (12, 11, 10)",
            3,
        ),
        ("UPDATE ORDERS SET BUYER = 2 WHERE NUMBER = 11", 1),
        ("UPDATE BUYER SET ID = ID, AGE = 99", 3),
    ] {
        assert_eq!(tables.change(text), count, "{text}");
    }
}

#[test]
fn a_parent_takes_its_children_along() {
    for seed in [None, Some(1), Some(2), Some(3)] {
        let mut tables = shop();
        tables.limits.turn_rows = 3;
        tables.rows.later = seed.map(fastrand::Rng::with_seed);
        assert_eq!(tables.change("DELETE FROM BUYER WHERE ID = 1"), 1);
        tables.rows.later = None;
        // 10 and 11 are the buyer's; 11 is a part of 10, and 12 of 11.
        assert_eq!(tables.query("SELECT NUMBER FROM ORDERS"), ["20"]);
        assert_eq!(tables.query("SELECT * FROM NOTE ORDER BY 1"), ["ten -", "twelve -"]);
    }
}
