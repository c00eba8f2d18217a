//! Views: what they show, what is changed through them, and the catalogue as SYSIBM shows it.

use crate::joins::bank;
use crate::tables::Tables;

/// The bank with views.
fn with_views() -> Tables {
    let mut tables = bank();
    for text in [
        "CREATE VIEW RICH (NO, WHO, CENTS) AS SELECT NUMBER, OWNER, BALANCE * 100 FROM ACCOUNT WHERE BALANCE > 0",
        "CREATE VIEW OWNED AS SELECT NO, WHO FROM RICH R WHERE R.WHO IS NOT NULL",
        "CREATE VIEW TOTALS (OWNER, TOTAL) AS SELECT OWNER, SUM(BALANCE) FROM ACCOUNT GROUP BY OWNER",
        "CREATE VIEW CHECKED AS SELECT NUMBER, BALANCE FROM ACCOUNT WHERE BALANCE > 0 WITH CHECK OPTION",
        "CREATE VIEW BELOW AS SELECT * FROM CHECKED WHERE NUMBER < 100",
        "CREATE VIEW LOCALLY AS SELECT NUMBER, BALANCE FROM RICH_TOO WHERE NUMBER < 100 WITH LOCAL CHECK OPTION",
    ] {
        if text.contains("RICH_TOO") {
            define(
                &mut tables,
                "CREATE VIEW RICH_TOO AS SELECT NUMBER, BALANCE FROM ACCOUNT WHERE BALANCE > 0",
            );
        }
        define(&mut tables, text);
    }
    tables
}

fn define(tables: &mut Tables, text: &str) {
    let db2_syntax::tree::Statement::CreateView(view) = tables.read(text) else { panic!("{text}") };
    assert!(tables.catalogue.create_view(view), "{text}");
    tables.rows.catalogue = tables.catalogue.clone();
}

#[test]
fn a_view_shows_rows() {
    let mut tables = with_views();
    for (text, rows) in [
        ("SELECT * FROM RICH", "10 1 10000.00, 13 - 700.00"),
        ("SELECT NO FROM OWNED", "10"),
        ("SELECT CENTS / 100 FROM RICH WHERE NO = 13", "7.00000"),
        ("SELECT R.NO, NAME FROM CUSTOMER C JOIN RICH R ON R.WHO = C.ID", "10 ADA"),
        ("SELECT NAME, NO FROM CUSTOMER LEFT JOIN RICH ON WHO = ID ORDER BY NAME", "ADA 10, BEA -, CLEO -"),
        (
            "SELECT NAME, CENTS FROM RICH RIGHT JOIN CUSTOMER ON WHO = ID ORDER BY NAME",
            "ADA 10000.00, BEA -, CLEO -",
        ),
        ("SELECT OWNER, TOTAL FROM TOTALS WHERE TOTAL > 50", "1 79.50"),
        ("SELECT COUNT(*), MAX(CENTS) FROM RICH", "2 10000.00"),
        ("SELECT CENTS, COUNT(*) FROM RICH GROUP BY CENTS ORDER BY CENTS", "700.00 1, 10000.00 1"),
        ("SELECT A.NO FROM RICH A, RICH B WHERE A.NO < B.NO", "10"),
        ("WITH ACCOUNT AS (SELECT ID FROM CUSTOMER) SELECT COUNT(*) FROM ACCOUNT, RICH", "6"),
        ("SELECT NAME FROM CUSTOMER WHERE ID IN (SELECT WHO FROM RICH)", "ADA"),
        ("SELECT X, Y FROM OWNED AS O (X, Y)", "10 1"),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
    let by_itself = tables.query("SELECT BALANCE * 100 / 100 FROM ACCOUNT WHERE NUMBER = 13");
    assert_eq!(tables.query("SELECT CENTS / 100 FROM RICH WHERE NO = 13"), by_itself);
    let words = tables.plan("SELECT CENTS FROM RICH WHERE NO = 13").in_words();
    assert!(words.contains("one row of ACCOUNT by primary key"), "a view over a table has its ways: {words}");
}

#[test]
fn rows_are_changed_through_a_view() {
    let mut tables = with_views();
    assert_eq!(tables.change("UPDATE OWNED SET WHO = 3 WHERE NO < 100"), 1);
    assert_eq!(tables.change("UPDATE RICH R SET WHO = R.NO - 10"), 2);
    assert_eq!(
        tables.query("SELECT NUMBER, OWNER FROM ACCOUNT ORDER BY 1").join(", "),
        "10 0, 11 1, 12 3, 13 3"
    );
    assert_eq!(tables.change("DELETE FROM RICH WHERE NO = 11"), 0, "the view does not show it");
    assert_eq!(tables.change("DELETE FROM RICH WHERE NO = 13"), 1);
    assert_eq!(tables.change("INSERT INTO BELOW VALUES (20, 5)"), 1);
    assert_eq!(tables.change("INSERT INTO LOCALLY (BALANCE, NUMBER) SELECT ID, ID + 50 FROM CUSTOMER"), 3);
    assert_eq!(tables.query("SELECT COUNT(*) FROM ACCOUNT"), ["7"]);
}

#[test]
fn check_option_refuses_rows_that_the_view_does_not_show() {
    let mut tables = with_views();
    for (text, code) in [
        ("INSERT INTO CHECKED VALUES (30, -1)", -161),
        ("INSERT INTO BELOW VALUES (30, -1)", -161),
        ("UPDATE CHECKED SET BALANCE = 0", -161),
        ("INSERT INTO LOCALLY VALUES (130, 1)", -161),
    ] {
        assert_eq!(tables.code(text, Vec::new()), code, "{text}");
    }
    assert_eq!(tables.change("INSERT INTO BELOW VALUES (130, 1)"), 1, "BELOW has no option of its own");
    assert_eq!(tables.change("INSERT INTO LOCALLY VALUES (30, -1)"), 1, "LOCAL is of its own condition");
    assert_eq!(tables.change("UPDATE CHECKED SET BALANCE = 9 WHERE NUMBER = 10"), 1);
}

#[test]
fn the_catalogue_is_shown_as_tables() {
    let mut tables = with_views();
    define(&mut tables, "CREATE ALIAS CLIENT FOR CUSTOMER");
    for (text, rows) in [
        ("SELECT IBMREQD FROM SYSIBM.SYSDUMMY1", "Y"),
        ("SELECT NAME FROM SYSIBM.SYSTABLES WHERE TYPE = 'T'", "ACCOUNT, BOOKING, CUSTOMER"),
        (
            "SELECT TYPE, COLCOUNT, TBNAME FROM SYSIBM.SYSTABLES WHERE NAME IN ('RICH', 'CLIENT')",
            "A 0 CUSTOMER, V 3 ",
        ),
        (
            "SELECT COLNO, NAME, COLTYPE, LENGTH, SCALE, NULLS, KEYSEQ FROM SYSIBM.SYSCOLUMNS WHERE TBNAME = 'ACCOUNT' ORDER BY COLNO",
            "1 NUMBER INTEGER 4 0 N 1, 2 OWNER INTEGER 4 0 Y 0, 3 BALANCE DECIMAL 7 2 N 0",
        ),
        (
            "SELECT NAME, UNIQUERULE FROM SYSIBM.SYSINDEXES WHERE TBNAME = 'ACCOUNT'",
            "ACCOUNT_PKEY P, XOWNER D",
        ),
        (
            "SELECT COLNAME, COLSEQ, ORDERING FROM SYSIBM.SYSKEYS WHERE IXNAME = 'XBOOKED'",
            "ACCOUNT 1 A, DAY 2 D",
        ),
        ("SELECT NAME FROM SYSIBM.SYSVIEWS WHERE CHECK <> 'N'", "CHECKED, LOCALLY"),
        ("SELECT TBNAME FROM SYSIBM.SYSSYNONYMS", "CUSTOMER"),
        (
            "SELECT NAME, COLTYPE, LENGTH, NULLS FROM SYSIBM.SYSCOLUMNS WHERE TBNAME = 'RICH' ORDER BY COLNO",
            "NO INTEGER 4 N, WHO INTEGER 4 Y, CENTS DECIMAL 12 N",
        ),
        ("SELECT NAME FROM CLIENT WHERE ID = 2", "BEA"),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
}
