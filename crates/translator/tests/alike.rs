//! Zoned numbers without a sign, of one size: which of them a program compares and moves as numbers.

mod support;

use diagnostics::Source;
use expect_test::{Expect, expect};
use translator::{Options, translate};

const DATA: &str = "ID DIVISION.
PROGRAM-ID. ALIKE.
DATA DIVISION.
WORKING-STORAGE SECTION.
01  A         PIC 9(3).
01  B         PIC 999.
01  C         PIC 9(2)9 VALUE 1.
01  LONGER    PIC 9(4).
01  PLACES    PIC 9V99.
01  WITH-SIGN    PIC S9(3).
01  SHOWN     PIC 9(3) BLANK WHEN ZERO.
01  PACKED    PIC 9(3) COMP-3.
01  TEXT-3    PIC X(3).
01  I         PIC S9(4) COMP.
01  ONE.
    05  KEY-3 PIC 9(3).
    05  TAB.
        10  T PIC 9(3) OCCURS 5 ASCENDING KEY IS T INDEXED BY TX.
01  TWO.
    05  KEY-3 PIC 9(3).
    05  CODES PIC 9(3).
        88  IS-A VALUE 1.
PROCEDURE DIVISION.
MAIN-PARA.
";

/// The statements as they come out; they compile.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    let source = Source::new("ALIKE.cbl", format!(">>SOURCE FORMAT FREE\n{DATA}{statements}    GOBACK.\n"));
    let translation = translate(&source, &support::Members::default(), &Options::default());
    let said = support::compile(&translation.text);
    assert!(!said.contains(": error: "), "{said}");
    let text = &translation.text;
    let from = text.find("END-CALL").and_then(|at| text[at..].find('\n').map(|line| at + line + 1));
    let statements = &text[from.expect("the first statement")..];
    expected.assert_eq(statements.rsplit_once("    GOBACK").expect("the last statement").0);
}

#[test]
fn moves() {
    check(
        "    MOVE A TO B
    MOVE KEY-3 OF ONE TO KEY-3 IN TWO
    MOVE T (I) TO LONGER TEXT-3 C
    MOVE T(I + 1) TO T OF TAB OF ONE (TX)
    MOVE A TO LONGER PLACES WITH-SIGN SHOWN PACKED TEXT-3 ONE
    MOVE WITH-SIGN TO A MOVE PACKED TO A MOVE TEXT-3 TO A MOVE ONE TO A
    MOVE A(1:3) TO B MOVE A TO B(1:3) MOVE 5 TO A MOVE ZERO TO B
    MOVE CORRESPONDING ONE TO TWO
",
        expect![[r#"
            MAIN-PARA.
                MOVE FUNCTION ABS ( A ) TO B
                MOVE FUNCTION ABS ( KEY-3 OF ONE ) TO KEY-3 IN TWO
                MOVE FUNCTION ABS ( T (I) ) TO LONGER TEXT-3 C
                MOVE FUNCTION ABS ( T(I + 1) ) TO T OF TAB OF ONE (TX)
                MOVE A TO LONGER PLACES WITH-SIGN SHOWN PACKED TEXT-3 ONE
                MOVE WITH-SIGN TO A MOVE PACKED TO A MOVE TEXT-3 TO A MOVE ONE TO A
                MOVE A(1:3) TO B MOVE A TO B(1:3) MOVE 5 TO A MOVE ZERO TO B
                MOVE CORRESPONDING ONE TO TWO
        "#]],
    );
}

#[test]
fn comparisons() {
    check(
        "    IF A = B OR C AND NOT < T(I) CONTINUE END-IF
    IF A IS NOT GREATER THAN OR EQUAL TO B THEN NEXT SENTENCE.
    IF NOT A >= B OR A IS NUMERIC AND B NOT NUMERIC CONTINUE END-IF
    IF (A = B) OR (A = 5 OR B OR ZERO OR C) CONTINUE END-IF
    IF A = 5 AND B NUMERIC OR IS-A OR C POSITIVE CONTINUE END-IF
    IF A = LONGER OR TEXT-3 OR WITH-SIGN OR 7 CONTINUE END-IF
    IF A + 1 = B OR A = B + 1 OR - A = B OR A(1:2) = B(1:2) CONTINUE END-IF
    IF FUNCTION MOD(A B) = C OR LENGTH OF A = B OR I = B CONTINUE END-IF
    PERFORM VARYING A FROM 1 BY 1 UNTIL A > B CONTINUE END-PERFORM
    SET TX TO 1
    SEARCH T WHEN T(TX) = A CONTINUE WHEN T(TX) EQUAL TO B CONTINUE END-SEARCH
    SEARCH ALL T WHEN T(TX) = A CONTINUE END-SEARCH
    COMPUTE A = B
    COMPUTE A ROUNDED = B ON SIZE ERROR IF A = B CONTINUE END-IF END-COMPUTE
",
        expect![[r#"
            MAIN-PARA.
                IF A = FUNCTION ABS ( B ) OR FUNCTION ABS ( C ) AND NOT < FUNCTION ABS ( T(I) ) CONTINUE END-IF
                IF A IS NOT GREATER THAN OR EQUAL TO FUNCTION ABS ( B ) THEN NEXT SENTENCE.
                IF NOT A >= FUNCTION ABS ( B ) OR A IS NUMERIC AND B NOT NUMERIC CONTINUE END-IF
                IF (A = FUNCTION ABS ( B )) OR (A = 5 OR FUNCTION ABS ( B ) OR ZERO OR FUNCTION ABS ( C )) CONTINUE END-IF
                IF A = 5 AND B NUMERIC OR IS-A OR C POSITIVE CONTINUE END-IF
                IF A = LONGER OR TEXT-3 OR WITH-SIGN OR 7 CONTINUE END-IF
                IF A + 1 = B OR A = B + 1 OR - A = B OR A(1:2) = B(1:2) CONTINUE END-IF
                IF FUNCTION MOD(A B) = C OR LENGTH OF A = B OR I = B CONTINUE END-IF
                PERFORM VARYING A FROM 1 BY 1 UNTIL A > FUNCTION ABS ( B ) CONTINUE END-PERFORM
                SET TX TO 1
                SEARCH T WHEN T(TX) = FUNCTION ABS ( A ) CONTINUE WHEN T(TX) EQUAL TO FUNCTION ABS ( B ) CONTINUE END-SEARCH
                SEARCH ALL T WHEN T(TX) = FUNCTION ABS ( A ) CONTINUE END-SEARCH
                COMPUTE A = B
                COMPUTE A ROUNDED = B ON SIZE ERROR IF A = FUNCTION ABS ( B ) CONTINUE END-IF END-COMPUTE
        "#]],
    );
}

#[test]
fn selections() {
    check(
        "    EVALUATE A
        WHEN B CONTINUE
        WHEN NOT C
        WHEN 5 THRU B
        WHEN LONGER
            EVALUATE LONGER ALSO A
                WHEN A ALSO B THROUGH T(I) CONTINUE
                WHEN OTHER CONTINUE
            END-EVALUATE
            SEARCH T WHEN T(TX) = LONGER CONTINUE END-SEARCH
        WHEN C MOVE 1 TO I
    END-EVALUATE
    EVALUATE TRUE ALSO A WHEN A = B ALSO C CONTINUE END-EVALUATE
",
        expect![[r#"
            MAIN-PARA.
                EVALUATE A
                    WHEN FUNCTION ABS ( B ) CONTINUE
                    WHEN NOT FUNCTION ABS ( C )
                    WHEN 5 THRU FUNCTION ABS ( B )
                    WHEN LONGER
                        EVALUATE LONGER ALSO A
                            WHEN A ALSO FUNCTION ABS ( B ) THROUGH FUNCTION ABS ( T(I) ) CONTINUE
                            WHEN OTHER CONTINUE
                        END-EVALUATE
                        SEARCH T WHEN T(TX) = LONGER CONTINUE END-SEARCH
                    WHEN FUNCTION ABS ( C ) MOVE 1 TO I
                END-EVALUATE
                EVALUATE TRUE ALSO A WHEN A = FUNCTION ABS ( B ) ALSO C CONTINUE END-EVALUATE
        "#]],
    );
}
