//! FILE STATUS of every verb, as programs see it. A line is the status and the statement that left it.

mod common;

use common::{Application, DEFINE, program};
use expect_test::{Expect, expect};

const INDEXED: (&str, &str) = (
    "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED\nACCESS DYNAMIC RECORD KEY K\nALTERNATE RECORD KEY N WITH DUPLICATES FILE STATUS FS.",
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
         OPEN OUTPUT F
         CLOSE F
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
        expect![[r#"
            47 READ F
            00 OPEN I-O F
            41 OPEN I-O F
            00 WRITE R
            00 WRITE R
            22 WRITE R
            02 WRITE R
            23 READ F
            23 REWRITE R
            23 DELETE F
            00 READ F
            00 REWRITE R
            00 READ F KEY N
            0001first 
            00 READ F NEXT
            0002second
            00 READ F NEXT
            0003third 
            10 READ F NEXT
            46 READ F NEXT
            00 START F KEY > K
            00 READ F NEXT
            0003third 
            23 START F KEY < K
            46 READ F NEXT
            00 DELETE F
            00 CLOSE F
            42 CLOSE F
            00 OPEN INPUT F
            48 WRITE R
            49 REWRITE R
            49 DELETE F
            00 CLOSE F
            [ACCT: file status 95: A.KSDS is not empty]
            95 OPEN OUTPUT F
            returned 0
        "#]],
    );
}

#[test]
fn an_indexed_file_in_sequence() {
    check(
        (
            "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED\nACCESS SEQUENTIAL RECORD KEY K FILE STATUS FS.",
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
        expect![[r#"
            00 OPEN OUTPUT F
            00 WRITE R
            22 WRITE R
            21 WRITE R
            47 READ F
            00 CLOSE F
            00 OPEN EXTEND F
            21 WRITE R
            00 WRITE R
            00 CLOSE F
            00 OPEN I-O F
            43 REWRITE R
            00 READ F
            21 REWRITE R
            00 READ F
            00 REWRITE R
            48 WRITE R
            43 DELETE F
            00 CLOSE F
            returned 0
        "#]],
    );
}

#[test]
fn a_relative_file() {
    check(
        (
            "SELECT F ASSIGN TO SLOTS ORGANIZATION RELATIVE\nACCESS DYNAMIC RELATIVE KEY RN FILE STATUS FS.",
            "FD  F.\n01  R PIC X(10).",
        ),
        "OPEN OUTPUT F
         CLOSE F
         ? OPEN I-O F
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
        expect![[r#"
            00 OPEN I-O F
            00 WRITE R
            22 WRITE R
            00 WRITE R
            23 READ F
            00 READ F NEXT
            0003three     
            00 READ F NEXT
            0007seven     
            00 REWRITE R
            00 DELETE F
            00 START F KEY NOT < RN
            00 READ F NEXT
            0007SEVEN     
            00 CLOSE F
            returned 0
        "#]],
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
    check(
        parts,
        statements,
        &["LOG=file"],
        expect![[r#"
            [LOG: file status 35: FOLDER/file cannot be used: No such file or directory (os error 2)]
            35 OPEN INPUT F
            42 CLOSE F
            00 OPEN OUTPUT F
            00 WRITE R
            00 CLOSE F
            00 OPEN EXTEND F
            00 WRITE R
            47 READ F
            00 CLOSE F
            00 OPEN INPUT F
            00 READ F
            one       
            00 READ F
            two       
            10 READ F
            46 READ F
            00 CLOSE F
            [LOG: file status 37: lines cannot be rewritten in their places]
            37 OPEN I-O F
            47 READ F
            49 REWRITE R
            42 CLOSE F
            returned 0
        "#]],
    );
    check(
        parts,
        statements,
        &["LOG=A.ESDS"],
        expect![[r#"
            [LOG: file status 35: A.ESDS never had a record: OPEN OUTPUT or IDCAMS REPRO loads it, or SELECT OPTIONAL]
            35 OPEN INPUT F
            42 CLOSE F
            00 OPEN OUTPUT F
            00 WRITE R
            00 CLOSE F
            00 OPEN EXTEND F
            00 WRITE R
            47 READ F
            00 CLOSE F
            00 OPEN INPUT F
            00 READ F
            one       
            00 READ F
            two       
            10 READ F
            46 READ F
            00 CLOSE F
            00 OPEN I-O F
            00 READ F
            00 REWRITE R
            00 CLOSE F
            returned 0
        "#]],
    );
}

#[test]
fn files_that_cannot_be_opened() {
    let open = "? OPEN INPUT F\n? OPEN I-O F\n? OPEN OUTPUT F";
    check(
        INDEXED,
        open,
        &[],
        expect![[r#"
        [ACCT: file status 96: there is no DD statement of this name]
        96 OPEN INPUT F
        [ACCT: file status 96: there is no DD statement of this name]
        96 OPEN I-O F
        [ACCT: file status 96: there is no DD statement of this name]
        96 OPEN OUTPUT F
        returned 0
    "#]],
    );
    check(
        INDEXED,
        open,
        &["ACCT=A.NOTHING"],
        expect![[r#"
        [ACCT: file status 35: A.NOTHING is not in the catalogue]
        35 OPEN INPUT F
        [ACCT: file status 35: A.NOTHING is not in the catalogue]
        35 OPEN I-O F
        [ACCT: file status 35: A.NOTHING is not in the catalogue]
        35 OPEN OUTPUT F
        returned 0
    "#]],
    );
    check(
        INDEXED,
        open,
        &["ACCT=A.ESDS"],
        expect![[r#"
        [ACCT: file status 39: the data set has another organization]
        39 OPEN INPUT F
        [ACCT: file status 39: the data set has another organization]
        39 OPEN I-O F
        [ACCT: file status 39: the data set has another organization]
        39 OPEN OUTPUT F
        returned 0
    "#]],
    );
    let other_key = (INDEXED.0, "FD  F.\n01  R.\n05  K PIC X(5).\n05  N PIC X(5).");
    check(
        other_key,
        open,
        &["ACCT=A.KSDS"],
        expect![[r#"
        [ACCT: file status 39: the key has 4 bytes at offset 0]
        39 OPEN INPUT F
        [ACCT: file status 39: the key has 4 bytes at offset 0]
        39 OPEN I-O F
        [ACCT: file status 39: the key has 4 bytes at offset 0]
        39 OPEN OUTPUT F
        returned 0
    "#]],
    );
    let optional = ("SELECT OPTIONAL F ASSIGN TO LOG FILE STATUS FS.", "FD  F.\n01  R PIC X(10).");
    check(
        optional,
        "? OPEN INPUT F\n? READ F\n? READ F\n? CLOSE F",
        &[],
        expect![[r#"
        05 OPEN INPUT F
        10 READ F
        46 READ F
        00 CLOSE F
        returned 0
    "#]],
    );
}

/// A data set that has never had records is not there to its programs.
#[test]
fn an_optional_data_set_without_records() {
    let optional = INDEXED.0.replacen("SELECT F", "SELECT OPTIONAL F", 1);
    check(
        (&optional, INDEXED.1),
        "? OPEN INPUT F\n? READ F NEXT\n? CLOSE F\n? OPEN I-O F\nMOVE '0001first' TO R\n? WRITE R\n? CLOSE F\n? OPEN INPUT F\n? READ F NEXT\n? CLOSE F",
        &["ACCT=A.KSDS"],
        expect![[r#"
        05 OPEN INPUT F
        10 READ F NEXT
        00 CLOSE F
        05 OPEN I-O F
        00 WRITE R
        00 CLOSE F
        00 OPEN INPUT F
        00 READ F NEXT
        00 CLOSE F
        returned 0
    "#]],
    );
}

/// Without OPTIONAL it is not there for INPUT and I-O; OPEN for output makes it, also without a record, and one that had
/// records stays there.
#[test]
fn a_data_set_that_never_had_a_record() {
    check(
        INDEXED,
        "? OPEN INPUT F
         ? OPEN I-O F
         ? OPEN EXTEND F
         ? CLOSE F
         ? OPEN INPUT F
         ? READ F NEXT
         ? CLOSE F",
        &["ACCT=A.KSDS"],
        expect![[r#"
            [ACCT: file status 35: A.KSDS never had a record: OPEN OUTPUT or IDCAMS REPRO loads it, or SELECT OPTIONAL]
            35 OPEN INPUT F
            [ACCT: file status 35: A.KSDS never had a record: OPEN OUTPUT or IDCAMS REPRO loads it, or SELECT OPTIONAL]
            35 OPEN I-O F
            00 OPEN EXTEND F
            00 CLOSE F
            00 OPEN INPUT F
            10 READ F NEXT
            00 CLOSE F
            returned 0
        "#]],
    );
    check(
        (
            "SELECT F ASSIGN TO SLOTS ORGANIZATION RELATIVE\nACCESS DYNAMIC RELATIVE KEY RN FILE STATUS FS.",
            "FD  F.\n01  R PIC X(10).",
        ),
        "? OPEN INPUT F
         ? OPEN OUTPUT F
         MOVE 7 TO RN
         ? WRITE R
         ? CLOSE F
         ? OPEN I-O F
         ? DELETE F
         ? CLOSE F
         ? OPEN INPUT F
         ? READ F
         ? READ F NEXT
         ? CLOSE F",
        &["SLOTS=A.RRDS"],
        expect![[r#"
            [SLOTS: file status 35: A.RRDS never had a record: OPEN OUTPUT or IDCAMS REPRO loads it, or SELECT OPTIONAL]
            35 OPEN INPUT F
            00 OPEN OUTPUT F
            00 WRITE R
            00 CLOSE F
            00 OPEN I-O F
            00 DELETE F
            00 CLOSE F
            00 OPEN INPUT F
            23 READ F
            10 READ F NEXT
            00 CLOSE F
            returned 0
        "#]],
    );
}

/// OPTIONAL: reads of what is not there find nothing, by any key; OPEN I-O makes it.
#[test]
fn an_optional_data_set_that_is_made() {
    let optional = INDEXED.0.replacen("SELECT F", "SELECT OPTIONAL F", 1);
    check(
        (&optional, INDEXED.1),
        "? OPEN INPUT F
         MOVE '0001' TO K
         ? READ F
         ? START F KEY = K
         ? CLOSE F
         ? OPEN I-O F
         ? CLOSE F
         ? OPEN INPUT F
         ? READ F NEXT
         ? CLOSE F",
        &["ACCT=A.KSDS"],
        expect![[r#"
            05 OPEN INPUT F
            23 READ F
            23 START F KEY = K
            00 CLOSE F
            05 OPEN I-O F
            00 CLOSE F
            00 OPEN INPUT F
            10 READ F NEXT
            00 CLOSE F
            returned 0
        "#]],
    );
}

#[test]
fn what_is_not_committed_goes_with_an_abend() {
    let statements = "OPEN OUTPUT F
         MOVE '0001kept' TO R
         WRITE R
         CLOSE F
         OPEN I-O F
         MOVE '0002lost' TO R
         WRITE R
         CALL 'NOBODY'";
    let application = Application::new(&[("P", program("P", INDEXED.0, INDEXED.1, statements))]);
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    expect![[r#"
        abend S806: CALL of NOBODY: no such program at line 27 of P
    "#]]
    .assert_eq(&application.run(&mut client, "P", &["ACCT=A.KSDS"], 0));
    expect![[r#"
        KEY OF RECORD - 0001
        0001kept  

        IDC0005I records processed: 1
        IDC0001I PRINT ended, condition code 0
    "#]]
    .assert_eq(&application.idcams(&mut client, " PRINT IDS(A.KSDS) CHAR\n", ""));
}
