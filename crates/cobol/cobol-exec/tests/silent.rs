//! Mistakes that would stay silent get a message at the user's line: text in hexadecimal, and statements that end a
//! task. Harmless ones are passed over.

mod support;

use diagnostics::{Severity, Source};
use expect_test::{Expect, expect};
use support::read;

/// The messages about a program with these data descriptions and statements, from line 4 and behind.
#[track_caller]
fn check(data: &str, statements: &str, expected: Expect) {
    let data = data.trim_start_matches('\n');
    let text = format!(
        "ID DIVISION.\nPROGRAM-ID. QUIET.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}PROCEDURE DIVISION.\n{statements}    GOBACK.\n"
    );
    let source = Source::new("QUIET", text);
    let read = read(&source, &support::Members::new([]), Severity::Error);
    let said: String = read
        .messages
        .iter()
        .map(|m| {
            let line = m.place.as_ref().map_or(0, |place| place.line);
            let text = source.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
            format!("{text}\n  {} {}\n  {}\n", m.code, m.message, m.help)
        })
        .collect();
    expected.assert_eq(&said);
}

#[test]
fn a_constant_that_is_text_on_z_os() {
    check(
        "01  WS-BLANK PIC X VALUE X'40'.\n01  WS-UNUSED PIC X VALUE X'C2'.\n01  WS-AREA PIC X(4).\n    88  IS-A VALUE X'C1'.\n01  WS-DIGITS PIC 9(2).\n",
        "    IF EIBAID = X'7D' OR WS-BLANK CONTINUE END-IF
    IF IS-A CONTINUE END-IF
    MOVE X'C1C2' TO WS-AREA
    IF WS-AREA(1:1) NOT = X'4B' OR X'F0' CONTINUE END-IF
    EVALUATE WS-AREA WHEN X'D1' CONTINUE END-EVALUATE
    INSPECT WS-AREA REPLACING ALL X'40' BY X'00'
    MOVE X'C1' TO WS-AREA
    IF X'F1F2' = WS-DIGITS CONTINUE END-IF
",
        expect![[r#"
            01  WS-BLANK PIC X VALUE X'40'.
              SPTR080 X'40' is a blank on z/OS, and '@' here
              write SPACE
            88  IS-A VALUE X'C1'.
              SPTR080 X'C1' is 'A' on z/OS, and 'Á' here
              write 'A'
            IF EIBAID = X'7D' OR WS-BLANK CONTINUE END-IF
              SPTR080 X'7D' is a quote on z/OS, and '}' here
              compare with DFHENTER of COPY DFHAID
            MOVE X'C1C2' TO WS-AREA
              SPTR080 X'C1C2' is 'AB' on z/OS, and 'ÁÂ' here
              write 'AB'
            IF WS-AREA(1:1) NOT = X'4B' OR X'F0' CONTINUE END-IF
              SPTR080 X'4B' is '.' on z/OS, and 'K' here
              write '.'
            IF WS-AREA(1:1) NOT = X'4B' OR X'F0' CONTINUE END-IF
              SPTR080 X'F0' is '0' on z/OS, and 'ð' here
              write '0'
            EVALUATE WS-AREA WHEN X'D1' CONTINUE END-EVALUATE
              SPTR080 X'D1' is 'J' on z/OS, and 'Ñ' here
              write 'J'
            INSPECT WS-AREA REPLACING ALL X'40' BY X'00'
              SPTR080 X'40' is a blank on z/OS, and '@' here
              write SPACE
            MOVE X'C1' TO WS-AREA
              SPTR080 X'C1' is 'A' on z/OS, and 'Á' here
              write 'A'
            IF X'F1F2' = WS-DIGITS CONTINUE END-IF
              SPTR080 X'F1F2' is '12' on z/OS, and 'ñò' here
              write '12'
        "#]],
    );
}

#[test]
fn a_constant_that_is_none() {
    check(
        "01  WS-HALF PIC S9(4) COMP.
01  WS-BYTES REDEFINES WS-HALF PIC X(2).
01  WS-FLAGS PIC X VALUE X'80'.
01  WS-GROUP.
    05  WS-N PIC S9(8) COMP.
01  WS-OVER REDEFINES WS-GROUP.
    05  WS-B1 PIC X.
    05  WS-B2 PIC X(3).
01  WS-PACKED PIC S9(3) COMP-3 VALUE 1.
01  WS-PBYTES REDEFINES WS-PACKED PIC X(2).
01  MAPO.
    05  CODEL PIC S9(4) COMP.
    05  CODEA PIC X.
    05  CODEC PIC X.
    05  CODEI PIC X(4).
",
        "    MOVE X'0040' TO WS-BYTES
    MOVE X'4040' TO WS-OVER
    MOVE X'C1' TO WS-B1
    MOVE X'405C' TO WS-PBYTES
    IF WS-HALF = X'00C1' CONTINUE END-IF
    MOVE X'00' TO WS-FLAGS
    MOVE X'FF' TO WS-FLAGS
    MOVE X'1D' TO WS-FLAGS
    MOVE X'C1' TO CODEA OF MAPO
    MOVE X'F2' TO CODEC
    EXEC CICS SEND FROM(WS-BYTES) CTLCHAR(X'C3') END-EXEC
    CALL X'F5' USING WS-FLAGS WS-GROUP
",
        expect![""],
    );
}

#[test]
fn an_attribute_that_is_another_one_here() {
    check(
        "01  MAPO.\n    05  CODEL PIC S9(4) COMP.\n    05  CODEA PIC X.\n    05  CODEO PIC X(4).\n01  ATTRIBUTES-OWN.\n    05  ATTR-DARK PIC X VALUE X'4C'.\n    05  ATTR-OPEN PIC X VALUE X'40'.\n",
        "    MOVE ATTR-DARK TO CODEA OF MAPO\n    MOVE ATTR-OPEN OF ATTRIBUTES-OWN TO CODEA\n    MOVE X'40' TO CODEA\n    MOVE X'4D' TO CODEA OF MAPO\n    MOVE X'40' TO CODEO\n",
        expect![[r#"
            05  ATTR-OPEN PIC X VALUE X'40'.
              SPTR080 X'40' is a blank on z/OS, and '@' here
              write SPACE
            MOVE X'40' TO CODEA
              SPTR080 X'40' is a blank on z/OS, and '@' here
              write SPACE
            MOVE X'4D' TO CODEA OF MAPO
              SPTR080 X'4D' is '(' on z/OS, and 'M' here
              write '('
            MOVE X'40' TO CODEO
              SPTR080 X'40' is a blank on z/OS, and '@' here
              write SPACE
        "#]],
    );
}

#[test]
fn the_supplied_copybooks_are_as_they_must_be() {
    check(
        "    COPY DFHAID.\n    COPY DFHBMSCA.\n",
        "    IF EIBAID = DFHENTER CONTINUE END-IF\n",
        expect![""],
    );
}

#[test]
fn what_a_task_is_refused() {
    check(
        "01  WS-X PIC X(4).\n01  WS-N PIC 9(4).\n",
        "    EXEC CICS ASKTIME END-EXEC
    CALL 'SYSTEM' USING WS-X
    CALL \"CBL_READ_FILE\" USING WS-X
    CALL 'CBL_OR' USING WS-X WS-X BY VALUE 4
    CALL 'C$SLEEP' USING WS-N
    ACCEPT WS-X
    ACCEPT WS-X FROM SYSIN
    ACCEPT WS-X FROM DATE ACCEPT WS-N FROM DAY-OF-WEEK
    STOP 'PRESS ENTER'
    CONTINUE AFTER 5 SECONDS
    IF WS-X = 'A' CONTINUE END-IF
    STOP RUN.
",
        expect![[r#"
            ACCEPT WS-X
              SPTR088 a task that comes here ends with 4038: it has no console to read from
              use EXEC CICS RECEIVE
            ACCEPT WS-X FROM SYSIN
              SPTR088 a task that comes here ends with 4038: it has no console to read from
              use EXEC CICS RECEIVE
            CONTINUE AFTER 5 SECONDS
              SPTR088 a task that comes here ends with 4038: CONTINUE AFTER would hold up others
              use EXEC CICS DELAY
        "#]],
    );
}

#[test]
fn a_batch_program_may() {
    check(
        "01  WS-X PIC X(4).\n",
        "    CALL 'SYSTEM' USING WS-X\n    ACCEPT WS-X\n    STOP 'PRESS ENTER'\n",
        expect![[""]],
    );
}
