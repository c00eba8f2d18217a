//! GROUP BY, HAVING, and orders of groups.

use crate::joins::bank;

#[test]
fn groups_of_rows() {
    let mut tables = bank();
    for (text, rows) in [
        (
            "SELECT OWNER, COUNT(*), SUM(BALANCE) FROM ACCOUNT GROUP BY OWNER ORDER BY OWNER",
            "1 2 79.50, 3 1 0.00, - 1 7.00",
        ),
        ("SELECT OWNER FROM ACCOUNT GROUP BY OWNER HAVING COUNT(*) > 1", "1"),
        (
            "SELECT COUNT(*) FROM ACCOUNT GROUP BY OWNER HAVING MIN(BALANCE) >= 0 ORDER BY SUM(BALANCE) DESC",
            "1, 1",
        ),
        (
            "SELECT YEAR(DAY) * 100 + MONTH(DAY), COUNT(*) FROM BOOKING GROUP BY YEAR(DAY), MONTH(DAY) ORDER BY 1",
            "202402 2, 202403 1",
        ),
        (
            "SELECT NAME, COUNT(NUMBER) FROM CUSTOMER LEFT JOIN ACCOUNT ON OWNER = ID GROUP BY NAME ORDER BY 2 DESC, 1",
            "ADA 2, CLEO 1, BEA 0",
        ),
        ("SELECT DISTINCT COUNT(*) FROM ACCOUNT GROUP BY OWNER ORDER BY 1", "1, 2"),
        ("SELECT MAX(YEAR(DAY)), YEAR(DAY) FROM BOOKING GROUP BY YEAR(DAY)", "2024 2024"),
        ("SELECT CITY, MIN(ID) FROM CUSTOMER GROUP BY CITY ORDER BY CITY", "LONDON 1, PARIS 3, - 2"),
        ("SELECT OWNER FROM ACCOUNT WHERE NUMBER > 99 GROUP BY OWNER", ""),
        ("SELECT COUNT(*) FROM ACCOUNT WHERE NUMBER > 99 HAVING COUNT(*) > 0", ""),
        (
            "SELECT COUNT(*), COUNT_BIG(DISTINCT OWNER), MAX(BALANCE, 0) FROM ACCOUNT WHERE NUMBER = 11 GROUP BY BALANCE",
            "1 1 0.00",
        ),
        (
            "SELECT OWNER, (SELECT NAME FROM CUSTOMER WHERE ID = OWNER) FROM ACCOUNT GROUP BY OWNER ORDER BY 1",
            "1 ADA, 3 CLEO, - -",
        ),
        ("SELECT SUM(CASE WHEN BALANCE < 0 THEN 1 ELSE 0 END) FROM ACCOUNT", "1"),
    ] {
        assert_eq!(tables.query(text).join(", "), rows, "{text}");
    }
}

#[test]
fn orders_by_expressions() {
    let mut tables = bank();
    for (order, numbers) in [
        ("BALANCE * -1", "10 13 12 11"),
        ("ABS(BALANCE) DESC, NUMBER", "10 11 13 12"),
        ("COALESCE(OWNER, 0), NUMBER DESC", "13 11 10 12"),
        ("A.OWNER DESC, NUMBER", "13 12 10 11"),
        ("CASE WHEN NUMBER = 12 THEN 0 ELSE NUMBER END", "12 10 11 13"),
    ] {
        let found = tables.query(&format!("SELECT NUMBER FROM ACCOUNT A ORDER BY {order}"));
        assert_eq!(found.join(" "), numbers, "ORDER BY {order}");
    }
}

#[test]
fn groups_have_a_limit_with_a_name() {
    let mut tables = bank();
    tables.limits.sort_bytes = 400;
    assert_eq!(tables.code("SELECT OWNER, COUNT(*) FROM ACCOUNT GROUP BY OWNER", Vec::new()), -904);
}
