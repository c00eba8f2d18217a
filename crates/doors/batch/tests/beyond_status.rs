//! Programs with files, beyond FILE STATUS (`status.rs`): SORT,
//! MERGE, declaratives, LINAGE, rewriting in place; and a run's other calls.

mod common;

use common::{Application, DEFINE};
use expect_test::{Expect, expect};

/// A program from its parts, in columns.
fn source(name: &str, control: &str, files: &str, data: &str, procedure: &str) -> String {
    let mut text = String::new();
    let mut add = |line: &str| {
        let in_front = line.ends_with("SECTION.") || line.ends_with("DIVISION.") || line.starts_with(':');
        let line = line.trim_start_matches(':');
        let area = in_front
            || ["FD", "SD", "01", "PROG", "FILE-", "END", "DECL"].iter().any(|s| line.starts_with(s));
        let indent = if area && !line.starts_with("END-") { 7 } else { 11 };
        for (number, part) in wrapped(line).iter().enumerate() {
            let indent = if number == 0 { indent } else { 15 };
            text.push_str(&format!("{:indent$}{part}\n", ""));
        }
    };
    let program_id = format!("PROGRAM-ID. {name}.");
    let parts = [
        "IDENTIFICATION DIVISION.",
        &program_id,
        "ENVIRONMENT DIVISION.",
        "INPUT-OUTPUT SECTION.",
        "FILE-CONTROL.",
        control,
        "DATA DIVISION.",
        "FILE SECTION.",
        files,
        "WORKING-STORAGE SECTION.",
        data,
        procedure,
    ];
    parts
        .iter()
        .flat_map(|part| part.lines())
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .for_each(&mut add);
    text
}

/// A line in parts that end before column 73; literals stay whole.
fn wrapped(line: &str) -> Vec<String> {
    const COLUMNS: usize = 55;
    let mut quoted = false;
    let words = line.split(|character| {
        quoted ^= character == '\'';
        character == ' ' && !quoted
    });
    let mut parts = vec![String::new()];
    for word in words {
        if parts.last().is_some_and(|part| part.len() + word.len() > COLUMNS) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(word);
            part.push(' ');
        }
    }
    parts.iter().map(|part| part.trim_end().to_owned()).collect()
}

fn check(programs: &[(&str, String)], dds: &[&str], lines: &[(&str, &str)], expected: Expect) {
    let application = Application::new(programs);
    for (name, text) in lines {
        std::fs::write(application.path().join(name), text).expect("written");
    }
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    // What nothing has filled is X'00': it is shown as a blank.
    let said = application.run(&mut client, programs[0].0, dds, 1).replace('\0', " ");
    expected.assert_eq(&said);
}

#[test]
fn sort_with_procedures_and_with_files() {
    let control = "SELECT INP ASSIGN TO INP. SELECT OUTP ASSIGN TO OUTP. SELECT W ASSIGN TO W.";
    let files = "FD INP.
        01 INP-R PIC X(8).
        FD OUTP.
        01 OUTP-R PIC X(8).
        SD W.
        01 W-R.
        05 W-KEY PIC S9(3).
        05 W-TEXT PIC X(5).";
    let procedure = "PROCEDURE DIVISION.
        SORT W DESCENDING W-KEY USING INP GIVING OUTP.
        PERFORM SHOW.
        SORT W ASCENDING KEY W-TEXT DESCENDING W-KEY INPUT PROCEDURE TAKE OUTPUT PROCEDURE GIVE.
        MERGE W ASCENDING W-KEY USING INP OUTP GIVING OUTP2.
        STOP RUN.
        :TAKE.
        OPEN INPUT INP.
        PERFORM 4 TIMES READ INP INTO W-R IF W-KEY NOT = 2 RELEASE W-R END-IF END-PERFORM.
        CLOSE INP.
        :GIVE.
        MOVE 0 TO E.
        PERFORM UNTIL E = 1
        RETURN W INTO L AT END MOVE 1 TO E NOT AT END DISPLAY 'GIVEN ' L END-RETURN
        END-PERFORM.
        :SHOW.
        MOVE 0 TO E.
        OPEN INPUT OUTP.
        PERFORM UNTIL E = 1
        READ OUTP AT END MOVE 1 TO E NOT AT END DISPLAY OUTP-R END-READ
        END-PERFORM.
        CLOSE OUTP.";
    let text = source("P", control, files, "01 E PIC 9.\n01 L PIC X(8).", procedure);
    let text = text
        .replace("SELECT W ASSIGN TO W.", "SELECT W ASSIGN TO W. SELECT OUTP2 ASSIGN TO PRT.")
        .replace("       SD W.", "       FD OUTP2.\n       01 OUTP2-R PIC X(8).\n       SD W.");
    check(
        &[("P", text)],
        &["INP=in", "OUTP=out", "PRT=*"],
        // A key that is no number is compared as it lies.
        &[("in", "002second\n001first\n00Kminus\n002again\n")],
        expect![[r#"
            002secon
            002again
            001first
            00Kminus
            GIVEN 001first
            GIVEN 00Kminus
            00Kminus
            00Kminus
            001first
            001first
            002secon
            002again
            002secon
            002again
            returned 0
        "#]],
    );
}

/// Phrases come first, then the section of the file, then that of its mode; FILE STATUS alone goes on.
#[test]
fn declaratives() {
    let control = "SELECT A ASSIGN TO ACCT ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY A-K.
        SELECT B ASSIGN TO NONE FILE STATUS BS.
        SELECT C ASSIGN TO NONE.";
    let files = "FD A.
        01 A-R.
        05 A-K PIC X(4).
        05 A-N PIC X(6).
        FD B.
        01 B-R PIC X.
        FD C.
        01 C-R PIC X.";
    let procedure = "PROCEDURE DIVISION.
        DECLARATIVES.
        :OF-A SECTION.
        USE AFTER STANDARD ERROR PROCEDURE ON A.
        :SAY-A.
        DISPLAY 'OF A'.
        :OF-INPUT SECTION.
        USE AFTER EXCEPTION PROCEDURE INPUT.
        :SAY-INPUT.
        DISPLAY 'OF INPUT'.
        END DECLARATIVES.
        :MAIN SECTION.
        OPEN OUTPUT A. CLOSE A. OPEN I-O A.
        MOVE '0001' TO A-K.
        READ A INVALID KEY DISPLAY 'NOT THERE' NOT INVALID KEY DISPLAY 'THERE' END-READ.
        READ A.
        MOVE 'first' TO A-N WRITE A-R.
        READ A INVALID KEY DISPLAY 'NOT THERE' NOT INVALID KEY DISPLAY A-N END-READ.
        OPEN INPUT B.
        DISPLAY BS.
        OPEN INPUT C.
        OPEN OUTPUT B.
        DISPLAY BS.
        OPEN EXTEND C.
        DISPLAY 'NEVER'.";
    check(
        &[("P", source("P", control, files, "01 BS PIC XX.", procedure))],
        &["ACCT=A.KSDS"],
        &[],
        expect![[r#"
            NOT THERE
            OF A
            first 
            [NONE: file status 35: there is no DD statement of this name]
            OF INPUT
            35
            [NONE: file status 35: there is no DD statement of this name]
            OF INPUT
            [NONE: file status 35: there is no DD statement of this name]
            35
            [NONE: file status 35: there is no DD statement of this name]
            abend U4038: file status 35 of C, which the program does not handle, at line 47 of P
        "#]],
    );
}

#[test]
fn pages_of_linage() {
    let files = "FD F LINAGE 4 LINES WITH FOOTING AT 3 LINES AT BOTTOM 1.
        01 R PIC X(5).";
    let procedure = "PROCEDURE DIVISION.
        OPEN OUTPUT F.
        PERFORM VARYING I FROM 1 BY 1 UNTIL I > 5
        MOVE I TO R
        WRITE R AFTER 1 AT EOP DISPLAY 'EOP ' I NOT AT EOP DISPLAY 'ON ' I END-WRITE
        DISPLAY LINAGE-COUNTER
        END-PERFORM.
        CLOSE F.
        STOP RUN.";
    check(
        &[("P", source("P", "SELECT F ASSIGN TO PRT.", files, "01 I PIC 9.", procedure))],
        &["PRT=*"],
        &[],
        expect![[r#"
            1
            ON 1
            0000000002
            2
            EOP 2
            0000000003
            3
            EOP 3
            0000000004

            4
            EOP 4
            0000000001
            5
            ON 5
            0000000002
            returned 0
        "#]],
    );
}

/// OPEN I-O of records of a file: REWRITE puts one of the same length into its place.
#[test]
fn rewriting_in_place() {
    let control = "SELECT OPTIONAL F ASSIGN TO FF FILE STATUS FS.";
    let files = "FD F RECORD VARYING FROM 2 TO 6 DEPENDING ON L.
        01 R PIC X(6).";
    let procedure = "PROCEDURE DIVISION.
        OPEN I-O F. DISPLAY FS ' OPEN OF AN OPTIONAL FILE'. CLOSE F.
        OPEN OUTPUT F.
        MOVE 'one' TO R. MOVE 3 TO L. WRITE R. DISPLAY FS.
        MOVE 'second' TO R. MOVE 6 TO L. WRITE R. DISPLAY FS.
        MOVE 7 TO L. WRITE R. DISPLAY FS ' TOO LONG'.
        CLOSE F.
        OPEN I-O F.
        MOVE 3 TO L. REWRITE R. DISPLAY FS ' WITHOUT READ'.
        READ F. DISPLAY FS ' ' L ' ' R.
        MOVE 'ONE' TO R. REWRITE R. DISPLAY FS.
        READ F. DISPLAY FS ' ' L.
        MOVE 3 TO L. REWRITE R. DISPLAY FS ' ANOTHER LENGTH'.
        READ F. DISPLAY FS. REWRITE R. DISPLAY FS ' AT END'.
        WRITE R. DISPLAY FS ' WRITE'.
        CLOSE F WITH LOCK.
        OPEN INPUT F. DISPLAY FS ' LOCKED'.
        OPEN INPUT F2. READ F2. DISPLAY R2.
        CLOSE F2 UNIT. DISPLAY FS ' UNIT'. CLOSE F2.
        GOBACK.";
    let text = source("P", control, files, "01 FS PIC XX.\n01 L PIC 9.", procedure)
        .replace("FILE STATUS FS.", "FILE STATUS FS.\n           SELECT F2 ASSIGN TO FF FILE STATUS FS.")
        .replace(
            "       WORKING",
            "       FD F2 RECORD VARYING 2 TO 6.\n       01 R2 PIC X(6).\n       WORKING",
        );
    check(
        &[("P", text)],
        &["FF=+records"],
        &[],
        expect![[r#"
        05 OPEN OF AN OPTIONAL FILE
        00
        00
        44 TOO LONG
        43 WITHOUT READ
        00 3 oneond
        00
        00 6
        44 ANOTHER LENGTH
        10
        43 AT END
        48 WRITE
        38 LOCKED
        ONE   
        07 UNIT
        returned 0
    "#]],
    );
}

#[test]
fn other_calls_of_a_run() {
    let main = "PROCEDURE DIVISION USING PARM.
        DISPLAY PARM-LENGTH.
        ACCEPT T.
        DISPLAY 'ACCEPTED ' T.
        DISPLAY 'ON ' WITH NO ADVANCING.
        CALL 'SUB' USING T BY CONTENT T.
        DISPLAY T RETURN-CODE.
        CALL 'SUB' USING T BY CONTENT T.
        CALL 'NOBODY' ON EXCEPTION DISPLAY 'NOBODY THERE' END-CALL.
        CALL 'CEEGMT' USING D S OMITTED.
        IF D > 150000 DISPLAY 'A DATE'.
        DIVIDE 1 BY N GIVING N.";
    let data = "01 T PIC X(3).
        01 N PIC 9 VALUE 0.
        01 D PIC S9(9) BINARY.
        01 S PIC X(8).
        LINKAGE SECTION.
        01 PARM.
        05 PARM-LENGTH PIC S9(4) BINARY.";
    let sub = "PROCEDURE DIVISION USING A B.
        ADD 1 TO TIMES-CALLED.
        DISPLAY 'CALL ' TIMES-CALLED ' ' B.
        MOVE 'NEW' TO A B.
        MOVE 4 TO RETURN-CODE.
        GOBACK.";
    let sub_data = "01 TIMES-CALLED PIC 9 VALUE 0.
        LINKAGE SECTION.
        01 A PIC X(3).
        01 B PIC X(3).";
    check(
        &[("P", source("P", "", "", data, main)), ("SUB", source("SUB", "", "", sub_data, sub))],
        &["SYSIN=in"],
        &[("in", "ABCDE\n")],
        expect![[r#"
            00000
            ACCEPTED ABC
            ON CALL 1 ABC
            NEW00004
            CALL 2 NEW
            NOBODY THERE
            A DATE
            abend S0CB: divide exception at line 28 of P
        "#]],
    );
}

/// ALLOCATE and FREE: storage of the run, and what is no such storage.
#[test]
fn allocated_storage() {
    let data = "01 P POINTER.\n01 Q POINTER.\n01 I PIC 9(3).\n01 N PIC 9(9).\nLINKAGE SECTION.\n01 L.\n05 A PIC X(3) VALUE 'abc'.\n05 B PIC 9(3) VALUE 7.";
    let procedure = "PROCEDURE DIVISION.
        ALLOCATE L INITIALIZED RETURNING P.
        DISPLAY A B.
        FREE P.
        IF P = NULL DISPLAY 'FREE'.
        ALLOCATE 2000000000 CHARACTERS RETURNING P.
        IF P = NULL DISPLAY 'NONE'.
        PERFORM VARYING I FROM 1 BY 1 UNTIL I > 60
            COMPUTE N = I * 600000 ALLOCATE N CHARACTERS RETURNING P IF P = NULL DISPLAY 'LEAKS' END-IF FREE P
        END-PERFORM.
        ALLOCATE 5 CHARACTERS RETURNING P.
        SET Q TO P.
        FREE P.
        FREE Q.";
    check(
        &[("P", source("P", "", "", data, procedure))],
        &[],
        &[],
        expect![[r#"
            abc007
            FREE
            NONE
            abend U4038: FREE of an address that no ALLOCATE of this run has given, or that is free already, at line 31 of P
        "#]],
    );
}

/// Waits of other compilers, and GIVING as the return code of the run.
#[test]
fn waits_and_return_codes_of_other_compilers() {
    let data = "01 A PIC 9(8).\n01 B PIC 9(8).\n01 N PIC 9 VALUE 0.";
    let procedure = "PROCEDURE DIVISION.
        ACCEPT A FROM TIME.
        CALL 'C$SLEEP' USING 0.3.
        CALL 'CBL_OC_NANOSLEEP' USING 100000000.
        CALL 'C$SLEEP' USING N.
        ACCEPT B FROM TIME.
        IF B - A >= 40 OR B < A DISPLAY 'RESTED'.
        GOBACK GIVING 12.";
    check(
        &[("P", source("P", "", "", data, procedure))],
        &[],
        &[],
        expect![[r#"
            RESTED
            returned 12
        "#]],
    );
}
