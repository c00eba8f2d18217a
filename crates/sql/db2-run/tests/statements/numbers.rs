//! Sequences, identity columns, and queries over the rows of changes.

use db2_syntax::Type;

use crate::tables::Tables;

/// Orders, and a sequence.
fn orders() -> Tables {
    let mut tables = Tables::new(&["CREATE TABLE ORDERS (ID INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY,
         PART CHAR(4) NOT NULL, AMOUNT INTEGER, PRIMARY KEY (ID))"]);
    tables.catalogue.add_sequence("TICKET", Type::Integer);
    tables.rows.catalogue = tables.catalogue.clone();
    for values in ["'P001', 10", "'P001', 7", "'P003', 1"] {
        assert_eq!(tables.change(&format!("INSERT INTO ORDERS (PART, AMOUNT) VALUES ({values})")), 1);
    }
    tables
}

#[test]
fn each_row_has_a_number_of_its_own() {
    let mut tables = orders();
    assert_eq!(tables.query("SELECT ID, AMOUNT FROM ORDERS"), ["1 10", "2 7", "3 1"]);
    assert_eq!(tables.change("INSERT INTO ORDERS (PART, AMOUNT) SELECT PART, 0 FROM ORDERS WHERE ID < 3"), 2);
    assert_eq!(tables.query("SELECT ID FROM ORDERS WHERE AMOUNT = 0"), ["4", "5"]);
    let text = "SELECT NEXT VALUE FOR TICKET, ID, PREVIOUS VALUE FOR TICKET, NEXT VALUE FOR TICKET FROM ORDERS WHERE ID < 3";
    assert_eq!(tables.query(text), ["1 1 1 1", "2 2 2 2"]);
    assert_eq!(tables.change("UPDATE ORDERS SET AMOUNT = NEXT VALUE FOR TICKET WHERE ID > 3"), 2);
    assert_eq!(tables.query("SELECT AMOUNT FROM ORDERS WHERE ID > 3"), ["3", "4"]);
    assert_eq!(tables.query("SELECT ID FROM ORDERS WHERE AMOUNT = PREVIOUS VALUE FOR TICKET"), ["5"]);
}

#[test]
fn a_sequence_that_has_given_none_has_no_previous_value() {
    let mut tables = orders();
    assert_eq!(tables.code("SELECT PREVIOUS VALUE FOR TICKET FROM ORDERS", Vec::new()), -845);
    assert_eq!(tables.query("SELECT IDENTITY_VAL_LOCAL() FROM SYSIBM.SYSDUMMY1"), ["-"]);
}

#[test]
fn rows_of_a_change_are_those_before_it_or_behind_it() {
    for seed in 0..20 {
        let mut tables = orders();
        tables.rows.later = (seed > 0).then(|| fastrand::Rng::with_seed(seed));
        for (text, rows) in [
            (
                "SELECT ID, AMOUNT FROM OLD TABLE (UPDATE ORDERS SET AMOUNT = AMOUNT + 1 WHERE ID < 3)",
                &["1 10", "2 7"][..],
            ),
            (
                "SELECT AMOUNT FROM FINAL TABLE (UPDATE ORDERS SET AMOUNT = AMOUNT + 1) ORDER BY 1 DESC",
                &["12", "9", "2"],
            ),
            (
                "SELECT SUM(X.AMOUNT) FROM FINAL TABLE (UPDATE ORDERS AS O SET O.AMOUNT = 5 WHERE O.ID = 2) AS X",
                &["5"],
            ),
            ("SELECT PART FROM OLD TABLE (DELETE FROM ORDERS WHERE AMOUNT = 5)", &["P001"]),
            ("SELECT COUNT(*) FROM OLD TABLE (DELETE FROM ORDERS WHERE AMOUNT = 5)", &["0"]),
            ("SELECT ID FROM ORDERS", &["1", "3"]),
        ] {
            assert_eq!(tables.query(text), rows, "{text}, {seed}");
        }
    }
    let mut tables = orders();
    let text = "SELECT ID, PART FROM FINAL TABLE (INSERT INTO ORDERS (PART, AMOUNT) SELECT PART, 0 FROM ORDERS) WHERE ID <> 5 ORDER BY INPUT SEQUENCE";
    assert_eq!(tables.query(text), ["4 P001", "6 P003"]);
}

#[test]
fn a_change_is_put_back_with_its_query() {
    for seed in 0..20 {
        let mut tables = orders();
        tables.rows.later = (seed > 0).then(|| fastrand::Rng::with_seed(seed));
        for (text, code) in [
            ("SELECT 1 / (AMOUNT - 8) FROM FINAL TABLE (UPDATE ORDERS SET AMOUNT = AMOUNT + 1)", -802),
            ("SELECT AMOUNT FROM FINAL TABLE (UPDATE ORDERS SET AMOUNT = AMOUNT / 0)", -802),
            ("SELECT (SELECT ID FROM ORDERS) FROM OLD TABLE (DELETE FROM ORDERS WHERE ID = 1)", -811),
        ] {
            assert_eq!(tables.code(text, Vec::new()), code, "{text}, {seed}");
            assert_eq!(tables.query("SELECT AMOUNT FROM ORDERS"), ["10", "7", "1"], "{text}, {seed}");
        }
    }
}
