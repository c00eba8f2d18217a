//! FILE STATUS of every verb, as programs see it. A line is the status and the statement that left it.

mod common;

use common::{Application, DEFINE, program};
use expect_test::{Expect, expect};

const INDEXED: (&str, &str) = (
    "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED ACCESS DYNAMIC\nRECORD KEY K ALTERNATE RECORD KEY N WITH DUPLICATES\nFILE STATUS FS.",
    "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC X(6).",
);

/// Runs one program on fresh data sets.
fn check(parts: (&str, &str), statements: &str, dds: &[&str], expected: Expect) {
    let application = Application::new(&[("P", program("P", parts.0, parts.1, statements))]);
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    expected.assert_eq(&application.run(&mut client, "P", dds, 1));
}

#[test]
fn an_indexed_file() {
    check(
        INDEXED,
        "? READ F
         ? OPEN I-O F
         ? OPEN I-O F
         MOVE '0003third' TO R
         ? WRITE R
         MOVE '0001first' TO R
         ? WRITE R
         ? WRITE R
         MOVE '0002first' TO R
         ? WRITE R
         MOVE '0009' TO K
         ? READ F
         ? REWRITE R
         ? DELETE F
         MOVE '0002' TO K
         ? READ F
         MOVE 'second' TO N
         ? REWRITE R
         MOVE 'first' TO N
         ? READ F KEY N
         DISPLAY R
         ? READ F NEXT
         DISPLAY R
         ? READ F NEXT
         DISPLAY R
         ? READ F NEXT
         ? READ F NEXT
         MOVE '0002' TO K
         ? START F KEY > K
         ? READ F NEXT
         DISPLAY R
         ? READ F PREVIOUS
         DISPLAY R
         MOVE '0001' TO K
         ? START F KEY < K
         ? READ F NEXT
         MOVE '0003' TO K
         ? DELETE F
         ? CLOSE F
         ? CLOSE F
         ? OPEN INPUT F
         ? WRITE R
         ? REWRITE R
         ? DELETE F
         ? CLOSE F
         ? OPEN OUTPUT F",
        &["ACCT=A.KSDS"],
        expect![[""]],
    );
}

#[test]
fn an_indexed_file_in_sequence() {
    check(
        (
            "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED ACCESS SEQUENTIAL\nRECORD KEY K FILE STATUS FS.",
            "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC X(6).",
        ),
        "? OPEN OUTPUT F
         MOVE '0002second' TO R
         ? WRITE R
         ? WRITE R
         MOVE '0001first' TO R
         ? WRITE R
         ? READ F
         ? CLOSE F
         ? OPEN EXTEND F
         ? WRITE R
         MOVE '0003third' TO R
         ? WRITE R
         ? CLOSE F
         ? OPEN I-O F
         ? REWRITE R
         ? READ F
         MOVE '0009' TO K
         ? REWRITE R
         ? READ F
         MOVE 'changed' TO N
         ? REWRITE R
         ? WRITE R
         ? DELETE F
         ? CLOSE F",
        &["ACCT=A.KSDS"],
        expect![[""]],
    );
}

#[test]
fn a_relative_file() {
    check(
        (
            "SELECT F ASSIGN TO SLOTS ORGANIZATION RELATIVE ACCESS DYNAMIC\nRELATIVE KEY RN FILE STATUS FS.",
            "FD  F.\n01  R PIC X(10).",
        ),
        "? OPEN I-O F
         MOVE 7 TO RN
         MOVE 'seven' TO R
         ? WRITE R
         ? WRITE R
         MOVE 3 TO RN
         MOVE 'three' TO R
         ? WRITE R
         MOVE 5 TO RN
         ? READ F
         ? READ F NEXT
         DISPLAY RN R
         ? READ F NEXT
         DISPLAY RN R
         MOVE 'SEVEN' TO R
         ? REWRITE R
         MOVE 3 TO RN
         ? DELETE F
         ? START F KEY NOT < RN
         ? READ F NEXT
         DISPLAY RN R
         ? CLOSE F",
        &["SLOTS=A.RRDS"],
        expect![[""]],
    );
}

#[test]
fn a_sequential_file_of_either_kind() {
    let parts = ("SELECT F ASSIGN TO UT-S-LOG FILE STATUS FS.", "FD  F.\n01  R PIC X(10).");
    let statements = "? OPEN INPUT F
         ? CLOSE F
         ? OPEN OUTPUT F
         MOVE 'one' TO R
         ? WRITE R
         ? CLOSE F
         ? OPEN EXTEND F
         MOVE 'two' TO R
         ? WRITE R
         ? READ F
         ? CLOSE F
         ? OPEN INPUT F
         ? READ F
         DISPLAY R
         ? READ F
         DISPLAY R
         ? READ F
         ? READ F
         ? CLOSE F
         ? OPEN I-O F
         ? READ F
         MOVE 'ONE' TO R
         ? REWRITE R
         ? CLOSE F";
    check(parts, statements, &["LOG=file"], expect![[""]]);
    check(parts, statements, &["LOG=A.ESDS"], expect![[""]]);
}

#[test]
fn files_that_cannot_be_opened() {
    let open = "? OPEN INPUT F\n? OPEN I-O F\n? OPEN OUTPUT F";
    check(INDEXED, open, &[], expect![[""]]);
    check(INDEXED, open, &["ACCT=A.NOTHING"], expect![[""]]);
    check(INDEXED, open, &["ACCT=A.ESDS"], expect![[""]]);
    let other_key = (INDEXED.0, "FD  F.\n01  R.\n05  K PIC X(5).\n05  N PIC X(5).");
    check(other_key, open, &["ACCT=A.KSDS"], expect![[""]]);
    let optional = ("SELECT OPTIONAL F ASSIGN TO LOG FILE STATUS FS.", "FD  F.\n01  R PIC X(10).");
    check(optional, "? OPEN INPUT F\n? READ F\n? READ F\n? CLOSE F", &[], expect![[""]]);
}

#[test]
fn what_is_not_committed_goes_with_an_abend() {
    let statements = "OPEN I-O F
         MOVE '0001kept' TO R
         WRITE R
         COMMIT
         MOVE '0002gone' TO R
         WRITE R
         ROLLBACK
         MOVE '0003lost' TO R
         WRITE R
         CALL 'NOBODY'";
    let application = Application::new(&[("P", program("P", INDEXED.0, INDEXED.1, statements))]);
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    expect![[""]].assert_eq(&application.run(&mut client, "P", &["ACCT=A.KSDS"], 0));
    expect![[""]].assert_eq(&application.idcams(&mut client, " PRINT IDS(A.KSDS) CHAR\n", ""));
}
