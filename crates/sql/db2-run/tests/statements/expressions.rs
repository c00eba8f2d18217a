//! Values in statements: CASE, CAST, dates, and functions with the types that statements give them.

use db2_values::Value;

use crate::tables::Tables;

fn one() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE T (ID INTEGER NOT NULL, NAME CHAR(6) NOT NULL, NOTE VARCHAR(20), AMOUNT DECIMAL(7,2) NOT NULL,
         BORN DATE NOT NULL, OPENS TIME NOT NULL, STAMP TIMESTAMP NOT NULL)",
    ]);
    let values = "7, 'ADA', 'out of order', -10.55, '2024-02-29', '10.30.00', '2026-11-29-10.30.05.5'";
    assert_eq!(tables.change(&format!("INSERT INTO T VALUES ({values})")), 1);
    tables
}

#[test]
fn values() {
    let mut tables = one();
    for (value, found) in [
        ("CASE WHEN ID > 5 THEN 'Y' ELSE 'N' END", "Y"),
        ("CASE ID WHEN 1 THEN 1.5 WHEN 7 THEN 2 END", "2.0"),
        ("CASE WHEN ID < 0 THEN ID END", "-"),
        ("CASE WHEN NOTE IS NULL THEN NULL ELSE CASE NAME WHEN 'ADA   ' THEN 1 ELSE 2 END END", "1"),
        ("CAST(AMOUNT AS CHAR(8)) || 'x'", "-10.55  x"),
        ("CAST(AMOUNT AS INTEGER)", "-10"),
        ("CAST('12.5' AS DECIMAL(5,1)) + 1", "13.5"),
        ("CAST(NULL AS DATE)", "-"),
        ("BORN + 1 YEAR", "2025-02-28"),
        ("BORN + 1 MONTH - 1 DAY", "2024-03-28"),
        ("BORN + (ID + 1) DAYS", "2024-03-08"),
        ("BORN - T.ID DAYS", "2024-02-22"),
        ("STAMP + 2 HOURS - 5 MINUTES + 30 SECONDS", "2026-11-29-12.25.35.500000"),
        ("OPENS + 90 MINUTES", "12.00.00"),
        ("CURRENT DATE - BORN", "20900"),
        ("YEAR(CURRENT DATE - BORN)", "2"),
        ("BORN + (CURRENT DATE - BORN)", "2026-11-29"),
        ("DAYS(CURRENT DATE) - DAYS(STAMP)", "0"),
        ("CHAR(BORN, USA) || CHAR(OPENS, JIS)", "02/29/202410:30:00"),
        ("EXTRACT(MONTH FROM BORN)", "2"),
        ("TIMESTAMP(BORN, OPENS)", "2024-02-29-10.30.00.000000"),
        ("VARCHAR_FORMAT(STAMP, 'YYYY-MM-DD')", "2026-11-29"),
        ("TIMESTAMPDIFF(16, CHAR(STAMP - TIMESTAMP('2026-11-20-00.00.00')))", "9"),
        ("STRIP(NAME) || STRIP('00120', L, '0') || TRIM(TRAILING '0' FROM '1200')", "ADA12012"),
        ("LEFT(NAME, 2) || RIGHT(NOTE, 5) || REPEAT('x', 3)", "ADorderxxx"),
        ("LOCATE('o', NOTE, 2) + POSSTR(NOTE, 'of') + POSITION('r', NOTE, OCTETS)", "19"),
        ("REPLACE(NOTE, 'o', 'oo')", "oout oof oorder"),
        ("TRANSLATE(NAME, 'xy', 'AD')", "xyx"),
        ("MOD(ID, 4) + ABS(-2)", "5"),
        ("ROUND(AMOUNT, 1)", "-10.60"),
        ("TRUNCATE(AMOUNT, 1)", "-10.50"),
        ("CEILING(AMOUNT)", "-10"),
        ("SIGN(AMOUNT)", "-1"),
        ("MAX(ID, 9, 3) + MIN(ID, 9)", "16"),
        ("NULLIF(ID, 7)", "-"),
        ("NVL(NULLIF(NOTE, 'out of order'), NAME)", "ADA"),
        ("MULTIPLY_ALT(AMOUNT, 1.5)", "-15.825"),
        ("HEX(NAME)", "414441202020"),
        ("CHAR(ID) || CHAR(AMOUNT)", "7          -10.55"),
        ("SOUNDEX(NOTE)", "O316"),
        ("LENGTH(STAMP) + LENGTH(12.50)", "13"),
        ("ADD_MONTHS(BORN, 12)", "2025-02-28"),
        ("CASE WHEN NOTE IS DISTINCT FROM 'x' THEN 1 ELSE 0 END", "1"),
        ("CASE WHEN NULLIF(1, 1) IS NOT DISTINCT FROM NULLIF(2, 2) THEN 1 ELSE 0 END", "1"),
    ] {
        assert_eq!(tables.query(&format!("SELECT {value} FROM T")), [found], "{value}");
    }
}

#[test]
fn values_that_there_are_not() {
    let mut tables = one();
    for (value, code) in [
        ("BORN + 9000 YEARS", -183),
        ("CAST(NAME AS INTEGER)", -420),
        ("CAST(AMOUNT AS CHAR(2))", -433),
        ("DATE(NOTE)", -180),
        ("MOD(ID, 0)", -802),
        ("REPEAT('x', ID - 8)", -171),
    ] {
        assert_eq!(tables.code(&format!("SELECT {value} FROM T"), Vec::new()), code, "{value}");
    }
    // A branch that is not taken is not calculated.
    assert_eq!(tables.query("SELECT CASE WHEN ID = 0 THEN 1 / 0 ELSE 2 END FROM T"), ["2"]);
}

#[test]
fn durations_of_variables() {
    let mut tables = one();
    let text = "SELECT BORN + :N DAYS FROM T WHERE BORN + :N MONTHS < CURRENT DATE";
    let outcome = tables.run(text, vec![Value::Whole(2)]).expect(text);
    assert_eq!(outcome.rows, ["2024-03-02"]);
}
