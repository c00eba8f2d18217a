//! MERGE.

use crate::tables::Tables;

/// Parts that there are, and a delivery.
fn stock() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE STOCK (PART CHAR(2) NOT NULL PRIMARY KEY, COUNT INTEGER NOT NULL WITH DEFAULT, CHECK (COUNT < 1000))",
        "CREATE TABLE NEW (PART CHAR(2), COUNT INTEGER)",
    ]);
    for text in [
        "INSERT INTO STOCK VALUES ('A', 1)",
        "INSERT INTO STOCK VALUES ('B', 2)",
        "INSERT INTO NEW VALUES ('B', 20)",
        "INSERT INTO NEW VALUES ('C', 30)",
    ] {
        assert_eq!(tables.change(text), 1, "{text}");
    }
    tables
}

#[test]
fn rows_that_are_there_change_and_others_are_added() {
    for (text, count, rows) in [
        (
            "MERGE INTO STOCK S USING NEW N ON S.PART = N.PART WHEN MATCHED THEN UPDATE SET COUNT = S.COUNT + N.COUNT
             WHEN NOT MATCHED THEN INSERT (PART, COUNT) VALUES (N.PART, N.COUNT)",
            2,
            "A 1, B 22, C 30",
        ),
        (
            "MERGE INTO STOCK S USING (VALUES ('B', 5), ('D', 6)) AS N (P, M) ON S.PART = N.P WHEN MATCHED THEN UPDATE SET COUNT = N.M
             WHEN NOT MATCHED THEN INSERT VALUES (N.P, DEFAULT)",
            2,
            "A 1, B 5, D 0",
        ),
        (
            "MERGE INTO STOCK USING (SELECT PART AS P FROM NEW) AS N ON PART = P WHEN MATCHED AND COUNT = 2 THEN DELETE ELSE IGNORE",
            1,
            "A 1",
        ),
        (
            "MERGE INTO STOCK S USING NEW N ON S.PART = N.PART WHEN MATCHED THEN DELETE
             WHEN NOT MATCHED AND CASE WHEN N.COUNT > 5 THEN 1 ELSE 0 END = 1 THEN INSERT (PART) VALUES (N.PART)",
            2,
            "A 1, C 0",
        ),
        ("MERGE INTO STOCK S USING NEW N ON S.PART = 'X' WHEN MATCHED THEN UPDATE SET COUNT = 7", 0, "A 1, B 2"),
        ("MERGE INTO STOCK S USING NEW N ON S.PART = 'A' WHEN MATCHED THEN UPDATE SET COUNT = N.COUNT", -788, "A 1, B 2"),
        ("MERGE INTO STOCK S USING NEW N ON S.PART = N.PART WHEN MATCHED THEN UPDATE SET COUNT = 1000", -545, "A 1, B 2"),
        (
            "MERGE INTO STOCK S USING NEW N ON S.PART = 'X' WHEN NOT MATCHED THEN INSERT VALUES (N.PART, 0)",
            -803,
            "A 1, B 2",
        ),
    ] {
        let mut tables = stock();
        match u64::try_from(count) {
            Ok(count) => assert_eq!(tables.change(text), count, "{text}"),
            Err(_) => assert_eq!(i64::from(tables.code(text, Vec::new())), count, "{text}"),
        }
        assert_eq!(tables.query("SELECT PART, COUNT FROM STOCK ORDER BY PART").join(", "), rows, "{text}");
    }
}
