//! Typical mistakes of people who begin: one message, at the line of the mistake.

mod support;

use support::{checked, short};

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-A          PIC 9(4) VALUE 1.
       01  WS-B          PIC X(8) VALUE 'ABC'.
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE 1 TO WS-A.
           IF WS-A = 1
               DISPLAY 'ONE'
           END-IF.
           PERFORM SUB-PARA.
           GOBACK.
       SUB-PARA.
           ADD 1 TO WS-A.
";

#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert!(PROGRAM.contains(from), "{from}");
    let checked = checked(&PROGRAM.replacen(from, to, 1));
    let found: Vec<String> = checked.messages.iter().map(short).collect();
    assert_eq!(found, expected, "{from} as {to}");
}

#[test]
fn headers_of_divisions() {
    check("       PROCEDURE DIVISION.\n", "", &["7:8 SPSY007 there is no PROCEDURE DIVISION"]);
    check(
        "       PROCEDURE DIVISION.\n       MAIN-PARA.\n",
        "",
        &["7:12 SPSY007 there is no PROCEDURE DIVISION"],
    );
    check("       DATA DIVISION.\n", "", &["3:8 SPSY007 there is no DATA DIVISION"]);
    check("DATA DIVISION", "DATA DIVISON", &["3:8 SPSY008 DATA DIVISON is no header"]);
    check("PROCEDURE DIVISION", "PROCEDRE DIVISION", &["7:8 SPSY008 PROCEDRE DIVISION is no header"]);
    check("       PROGRAM-ID. T.\n", "", &["2:8 SPSY001 DATA stands where PROGRAM-ID is expected"]);
    check(
        "       WORKING-STORAGE SECTION.\n",
        "",
        &["4:8 SPSY001 01 stands where a section of the data division is expected"],
    );
}

#[test]
fn statements() {
    check(
        "PERFORM SUB-PARA",
        "PERFORM SUB-PRAA",
        &["13:20 SPCK044 there is no paragraph or section SUB-PRAA"],
    );
    check("ADD 1 TO WS-A", "ADD 1 TO WS-X", &["16:21 SPCK011 there is no item WS-X"]);
    check("MOVE 1 TO WS-A", "MVOE 1 TO WS-A", &["9:12 SPSY024 MVOE begins no statement"]);
    check("MOVE 1 TO WS-A", "MOVE 1 WS-A", &["9:19 SPSY001 WS-A stands where TO is expected"]);
    check(
        "           END-IF.",
        "           END-IF\n           END-IF.",
        &["13:12 SPSY025 END-IF without IF"],
    );
    check("DISPLAY 'ONE'", "DISPLAY 'ONE\"", &["11:24 SPTR002 this literal has no closing quote"]);
    check(
        "           MOVE 1 TO",
        "       MOVE 1 TO",
        &["9:8 SPSY028 MOVE begins in area A (columns 8 to 11)"],
    );
    check(
        "           PERFORM SUB-PARA.",
        "           COMMIT.\n           PERFORM SUB-PARA.",
        &["13:12 SPSY033 COMMIT is no statement: it is taken for the name of a paragraph"],
    );
    check("GOBACK.", "GOBACK", &["15:8 SPSY023 a full stop is missing in front of SUB-PARA"]);
}

#[test]
fn descriptions() {
    check("VALUE 1.", "VALUE 1", &["5:41 SPSY013 this description has no full stop"]);
    check("01  WS-B", "55  WS-B", &["6:8 SPSY012 55 is no level number"]);
    check(
        "VALUE 1.",
        "VALUE 12345.",
        &["5:41 SPCK040 this VALUE has 5 digits in front of the decimal point, and WS-A has room for 4"],
    );
    check("VALUE 1.", "VALUE -1.", &["5:41 SPCK040 this VALUE is negative, and WS-A has no sign"]);
    check("VALUE 1.", "COMP-5 VALUE 65535.", &[]);
    check("PIC 9(4) VALUE 1.", "PIC 9(4)V99 VALUE 0001234.5.", &[]);
    check("PIC 9(4) VALUE 1.", "PIC PP99 VALUE 0.0012.", &[]);
    check(
        "01  WS-B          PIC X(8) VALUE 'ABC'.",
        "01  WS-B PIC X(4) REDEFINES WS-A.",
        &["6:26 SPSY015 REDEFINES stands behind other clauses"],
    );
    check("01  WS-B          PIC X(8) VALUE 'ABC'.", "01  WS-B REDEFINES WS-A PIC X(4).", &[]);
}

/// A symbol of money that z/OS does not take.
#[test]
fn symbols_of_money() {
    let with = |clause: &str| {
        let environment = format!(
            "       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n       SPECIAL-NAMES. {clause}.\n       DATA DIVISION."
        );
        let checked = checked(&PROGRAM.replacen("       DATA DIVISION.", &environment, 1));
        checked.messages.iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(
        with("CURRENCY 'E'"),
        ["5:32 SPCK064 E means something else in pictures, and stands for no money"]
    );
    assert!(with("CURRENCY SIGN IS 'EUR' WITH PICTURE SYMBOL 'U'").is_empty());
    assert!(with("CURRENCY '#'").is_empty());
}
