//! EXCEPT, INTERSECT, FULL JOIN, OFFSET.

use crate::tables::Tables;

/// Numbers and numbers: A has 1, 2, 2, 3, NULL; B has 2, 3, 3, 4, NULL.
fn numbers() -> Tables {
    let mut tables = Tables::new(&["CREATE TABLE A (N INTEGER)", "CREATE TABLE B (N DECIMAL(5,1))"]);
    for (table, values) in [("A", ["1", "2", "2", "3", "NULL"]), ("B", ["2", "3", "3", "4", "NULL"])] {
        for value in values {
            assert_eq!(tables.change(&format!("INSERT INTO {table} VALUES ({value})")), 1);
        }
    }
    tables
}

#[test]
fn rows_of_one_query_that_are_or_are_not_of_another() {
    let mut tables = numbers();
    for (text, rows) in [
        ("SELECT N FROM A EXCEPT SELECT N FROM B", "1.0"),
        ("SELECT N FROM A EXCEPT ALL SELECT N FROM B", "1.0 2.0"),
        ("SELECT N FROM A INTERSECT SELECT N FROM B", "2.0 3.0 -"),
        ("SELECT N FROM B INTERSECT ALL SELECT N FROM B WHERE N <> 2", "3.0 3.0 4.0"),
        // INTERSECT binds more closely than the others.
        (
            "SELECT N FROM A UNION SELECT N FROM B INTERSECT SELECT N FROM B WHERE N = 4 ORDER BY N",
            "1.0 2.0 3.0 4.0 -",
        ),
        ("(SELECT N FROM A UNION SELECT N FROM B) INTERSECT SELECT N FROM B WHERE N = 4", "4.0"),
        ("SELECT N FROM A EXCEPT SELECT N FROM B UNION ALL SELECT N FROM A WHERE N = 2", "1.0 2.0 2.0"),
        ("SELECT N FROM A EXCEPT SELECT N FROM A", ""),
        ("SELECT N FROM A WHERE N > 5 EXCEPT SELECT N FROM B", ""),
        ("SELECT N FROM B EXCEPT (SELECT N FROM B ORDER BY N FETCH FIRST 2 ROWS ONLY)", "4.0 -"),
    ] {
        assert_eq!(tables.query(text).join(" "), rows, "{text}");
    }
    let sorted = "SELECT N FROM A INTERSECT SELECT N FROM B ORDER BY 1 DESC FETCH FIRST 2 ROWS ONLY";
    assert_eq!(tables.query(sorted).join(" "), "- 3.0");
    let among = "SELECT COUNT(*) FROM A WHERE N IN (SELECT N FROM A EXCEPT SELECT N FROM B)";
    assert_eq!(tables.query(among), ["1"]);
}

#[test]
fn combined_rows_give_way_and_have_a_limit() {
    let mut tables = numbers();
    for _ in 0..8 {
        tables.change("INSERT INTO A SELECT N FROM A");
    }
    let outcome = tables.run("SELECT N FROM A INTERSECT ALL SELECT N FROM A", Vec::new()).expect("rows");
    assert_eq!(outcome.rows.len(), 5 * 256);
    assert!(outcome.turns >= 2 * 5 * 256 / 100, "{}", outcome.turns);
    tables.limits.sort_bytes = 100;
    assert_eq!(tables.code("SELECT N FROM A EXCEPT SELECT N FROM B WHERE N = 0", Vec::new()), -904);
}

#[test]
fn a_full_join_has_the_rows_of_both_sides() {
    let mut tables = numbers();
    for (text, rows) in [
        (
            "SELECT A.N, B.N FROM A FULL JOIN B ON A.N = B.N ORDER BY 1, 2",
            "1 -, 2 2.0, 2 2.0, 3 3.0, 3 3.0, - 4.0, - -, - -",
        ),
        ("SELECT X.N, Y.N FROM A X FULL OUTER JOIN B Y ON X.N = Y.N WHERE X.N IS NULL AND Y.N > 0", "- 4.0"),
        ("SELECT COUNT(*) FROM B C, A FULL JOIN B ON A.N = B.N AND 1 = 2", "50"),
        (
            "SELECT COALESCE(A.N, B.N), C.N FROM A FULL JOIN B ON A.N = B.N LEFT JOIN A C ON C.N = B.N - 3 WHERE B.N = 4",
            "4.0 1",
        ),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
}

#[test]
fn rows_before_the_first_are_left_out() {
    let mut tables = numbers();
    for (text, rows) in [
        ("SELECT N FROM A ORDER BY N OFFSET 2 ROWS FETCH NEXT 2 ROWS ONLY", "2 3"),
        ("SELECT N FROM A OFFSET 4 ROWS", "-"),
        ("SELECT N FROM A ORDER BY N DESC LIMIT 1 OFFSET 1", "3"),
        ("SELECT N FROM A OFFSET 9 ROWS", ""),
        ("SELECT N FROM A EXCEPT ALL SELECT N FROM B OFFSET 1 ROWS", "2.0"),
    ] {
        assert_eq!(tables.query(text).join(" "), rows, "{text}");
    }
}
