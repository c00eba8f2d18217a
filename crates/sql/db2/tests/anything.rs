//! Texts that no one would write: what a program makes at run time must never end the region.

use db2::{Arithmetic, Holds, Letters, Numbered, definition, dynamic, read, split};
use proptest::prelude::*;

/// Words that begin something, and what may stand around them.
const WORDS: &str = "SELECT INTO FROM WHERE FINAL TABLE ( ( ( ) ) , , . :A :B:C ? 1 2.5 'x' \"y\" X'C1' + - = ¬= || CURRENT DATE TIMESTAMP \
    DAYS MONTH * / - AVG SUM CASE WHEN END OVER LENGTH STRIP DECIMAL LISTAGG WITHIN GROUP CHAR ISO CAST AS VARCHAR FOR BIT DATA CCSID UPDATE SET INSERT VALUES DELETE MERGE USING ON \
    WHEN MATCHED THEN ELSE IGNORE DECLARE CURSOR WITH HOLD ROWSET FETCH NEXT ABSOLUTE ROWS ROW ONLY OPEN CLOSE OF C1 PREPARE EXECUTE \
    IMMEDIATE DESCRIBE DESCRIPTOR GET DIAGNOSTICS CONDITION CREATE TABLE INDEX UNIQUE VIEW SEQUENCE ALIAS ALTER ADD COLUMN DROP DEFAULT \
    NOT NULL GENERATED ALWAYS IDENTITY FOREIGN KEY PERIOD LIMIT UR RS USE AND KEEP LOCKS CALL P SAVEPOINT ROLLBACK TO LOCK PARTITION \
    NEXT VALUE RENAME TRUNCATE DATA TYPE GLOBAL TEMPORARY SESSION UNION ALL T LEFT CONCAT ORDER BY INPUT SEQUENCE SCHEMA SQLID LIKE ; -- /*";

fn soup() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = WORDS.split_whitespace().collect();
    prop::collection::vec(prop::sample::select(words), 0..14).prop_map(|words| words.join(" "))
}

fn try_all(text: &str) {
    let letters = Letters::plain(text);
    let mut number = 0;
    let _ = read(&letters, Arithmetic::default(), &mut |_, _| {
        number += 1;
        // A structure, now and then.
        let one = Numbered { number, holds: Holds::Decimal { precision: 9, scale: 2 } };
        if number % 3 == 0 { vec![one, number.into()] } else { vec![one] }
    });
    let _ = dynamic(&letters, Arithmetic::default());
    let _ = definition(&letters);
    let _ = split(text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_in_any_order(text in soup()) {
        try_all(&text);
    }

    #[test]
    fn any_characters(text in "\\PC{0,40}") {
        try_all(&text);
    }
}

#[test]
fn a_change_without_its_end_is_refused_and_not_looked_for() {
    try_all("SELECT X FROM FINAL TABLE (");
    try_all("SELECT X FROM FINAL TABLE ()");
}
