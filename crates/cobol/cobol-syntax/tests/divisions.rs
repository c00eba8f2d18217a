//! The identification, environment and data divisions: every clause is taken, and mistakes are told once.

use cobol_source::{Format, NoLibrary, read};
use cobol_syntax::{Tree, parse};
use diagnostics::Source;
use expect_test::{Expect, expect};

fn tree(text: &str) -> Tree {
    parse(read(&Source::new("T", text), &NoLibrary, Format::Free, 4))
}

fn said(tree: &Tree) -> String {
    let line = |message: &diagnostics::Diagnostic| {
        let place = message.place.as_ref().map_or(String::new(), |p| format!("{}:{} ", p.line, p.column));
        format!("{place}{} {}\n", message.code, message.message)
    };
    tree.messages.list.iter().map(line).collect()
}

const HEAD: &str = "ID DIVISION.\nPROGRAM-ID. T.\n";

/// Each line is an entry of a division without a mistake.
#[track_caller]
fn taken(head: &str, entries: &str) {
    for entry in entries.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let found = said(&tree(&format!("{HEAD}{head}{entry}\nPROCEDURE DIVISION.\nGOBACK.\n")));
        assert!(found.is_empty(), "{entry}\n{found}");
    }
}

#[track_caller]
fn refused(text: &str, expected: Expect) {
    expected.assert_eq(&said(&tree(text)));
}

#[test]
fn identification() {
    for text in [
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nAUTHOR. ME.\nPROCEDURE DIVISION.\nGOBACK.\n",
        "ID DIVISION.\nPROGRAM-ID.\n  T IS INITIAL PROGRAM.\nPROCEDURE DIVISION.\nGOBACK.\n",
        "ID DIVISION.\nPROGRAM-ID. 'T' RECURSIVE.\nPROCEDURE DIVISION.\nGOBACK.\nEND PROGRAM 'T'.\n",
        "ID DIVISION.\nPROGRAM-ID T\nPROCEDURE DIVISION.\nGOBACK.\n",
    ] {
        assert_eq!(said(&tree(text)), "", "{text}");
    }
    refused(
        "PROCEDURE DIVISION.\nGOBACK.\n",
        expect![[r#"
        1:1 SPSY003 PROCEDURE stands where a program begins
    "#]],
    );
    refused(
        "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nGOBACK.\nEND PROGRAM U.\n",
        expect![[r#"
        5:13 SPSY004 END PROGRAM names U, and the program is T
    "#]],
    );
    refused(
        "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nGOBACK.\nDATA DIVISION.\n",
        expect![[r#"
        5:1 SPSY006 DATA DIVISION stands in the wrong place
    "#]],
    );
    refused(
        "",
        expect![[r#"
        SPSY003 the source holds no program
    "#]],
    );
}

#[test]
fn programs_stand_behind_and_within_each_other() {
    let one = |name: &str, inner: &str| {
        format!(
            "ID DIVISION.\nPROGRAM-ID. {name}.\nPROCEDURE DIVISION.\nGOBACK.\n{inner}END PROGRAM {name}.\n"
        )
    };
    let text = format!("{}{}", one("A", &one("B", &one("C", ""))), one("D", ""));
    let tree = tree(&text);
    assert_eq!(said(&tree), "");
    let names = |list: &[cobol_syntax::tree::Program]| -> Vec<String> {
        list.iter().map(|program| program.name.text.to_string()).collect()
    };
    assert_eq!(names(&tree.programs), ["A", "D"]);
    assert_eq!(names(&tree.programs[0].contained), ["B"]);
    assert_eq!(names(&tree.programs[0].contained[0].contained), ["C"]);
}

#[test]
fn environment() {
    taken(
        "ENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\n",
        "
        SOURCE-COMPUTER. IBM-370 WITH DEBUGGING MODE.
        OBJECT-COMPUTER. IBM-370 MEMORY SIZE 8 WORDS PROGRAM COLLATING SEQUENCE IS AL SEGMENT-LIMIT IS 5.
        SPECIAL-NAMES. DECIMAL-POINT IS COMMA.
        SPECIAL-NAMES. CURRENCY SIGN IS 'EUR' WITH PICTURE SYMBOL 'E'.
        SPECIAL-NAMES. C01 IS TOP-OF-FORM SYSOUT IS OUT UPSI-0 IS SW ON STATUS IS S-ON OFF STATUS S-OFF.
        SPECIAL-NAMES. UPSI-1 ON S-ON.
        SPECIAL-NAMES. ALPHABET AL IS STANDARD-1 ALPHABET BL IS 'A' THRU 'Z' 'a' ALSO 'b'.
        SPECIAL-NAMES. CLASS VOWEL IS 'A' 'E' THRU 'I' SYMBOLIC CHARACTERS BELL IS 8 X Y ARE 1 2.
        REPOSITORY. FUNCTION ALL INTRINSIC.
        REPOSITORY. FUNCTION TRIM LENGTH INTRINSIC.
        ",
    );
    taken(
        "ENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n",
        "
        SELECT F ASSIGN TO AS-F.
        SELECT OPTIONAL F ASSIGN 'F' ORGANIZATION IS SEQUENTIAL ACCESS MODE SEQUENTIAL FILE STATUS IS A B.
        SELECT F ASSIGN F INDEXED ACCESS DYNAMIC RECORD KEY K PASSWORD P ALTERNATE RECORD KEY IS L WITH DUPLICATES.
        SELECT F ASSIGN F RELATIVE ACCESS RANDOM RELATIVE KEY IS K.
        SELECT F ASSIGN F ORGANIZATION LINE SEQUENTIAL RESERVE 2 AREAS PADDING CHARACTER IS 'x'.
        SELECT F ASSIGN F. I-O-CONTROL. SAME RECORD AREA FOR F G APPLY WRITE-ONLY ON F.
        ",
    );
    refused(
        &format!(
            "{HEAD}ENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\nSELECT F ASSIGN F LOCK MODE AUTOMATIC.\nSELECT G ASSIGN G ACCESS MODE IS QUICK.\nSELECT H.\n"
        ),
        expect![[r#"
            6:19 SPSY091 LOCK is a clause of other systems
            7:34 SPSY001 QUICK stands where SEQUENTIAL, RANDOM or DYNAMIC is expected
        "#]],
    );
}

#[test]
fn data() {
    taken(
        "DATA DIVISION.\nFILE SECTION.\n",
        "
        FD F.
        FD F BLOCK CONTAINS 0 RECORDS RECORD CONTAINS 80 CHARACTERS LABEL RECORDS ARE STANDARD DATA RECORD IS R.
        FD F RECORD IS VARYING IN SIZE FROM 1 TO 80 CHARACTERS DEPENDING ON N RECORDING MODE IS V.
        FD F IS EXTERNAL IS GLOBAL LINAGE IS 60 LINES WITH FOOTING AT 55 LINES AT TOP 3 BOTTOM 2 CODE-SET IS AL.
        FD F VALUE OF ID IS 'x'. 01 R PIC X. 01 S PIC X(2).
        SD F RECORD 10 TO 20. 01 R. 05 K PIC X.
        ",
    );
    taken(
        "DATA DIVISION.\nWORKING-STORAGE SECTION.\n",
        "
        01 A PIC X(10) VALUE SPACES.
        01 A PICTURE IS S9(7)V99 USAGE IS COMP-3 VALUE IS -1.5.
        01 A PIC $$$,$$9.99CR. 77 B PIC ZZ9,99-.
        01 A. 05 PIC X. 05 FILLER PIC 9. 05 B REDEFINES A PIC X.
        01 A PIC S9 SIGN IS LEADING SEPARATE CHARACTER. 01 B PIC S9 TRAILING.
        01 A PIC 9(4) COMP SYNC RIGHT. 01 B PIC X JUST RIGHT. 01 C PIC 9 BLANK WHEN ZERO.
        01 A EXTERNAL. 05 B PIC X. 01 C PIC X GLOBAL VOLATILE.
        01 A. 05 B OCCURS 5 TIMES ASCENDING KEY IS C D DESCENDING E INDEXED BY I J. 10 C PIC X.
        01 A. 05 B PIC X OCCURS 1 TO 5 TIMES DEPENDING ON N OF G. 05 C PIC X OCCURS UNBOUNDED DEPENDING ON N.
        01 A PIC X. 88 B VALUE 'a'. 88 C VALUES ARE 'a' 'b' THRU 'd'. 88 D VALUE 'x' WHEN SET TO FALSE IS 'y'.
        01 A. 05 B PIC X. 66 C RENAMES B. 66 D RENAMES B THRU B OF A.
        01 A POINTER. 01 B USAGE INDEX. 01 C PROCEDURE-POINTER. 01 D FUNCTION-POINTER. 01 E COMP-1. 01 F POINTER-32.
        01 A GROUP-USAGE NATIONAL. 05 B PIC N(3).
        01 A PIC X(5) VALUE ALL 'ab'. 01 B PIC X VALUE X'00'. 01 C PIC N VALUE N'x'. 01 D PIC X(4) VALUE Z'abc'.
        01 A PIC 9V9 VALUE .5. 01 B COMP-2 VALUE 1.5E-3.
        EXEC SQL BEGIN DECLARE SECTION END-EXEC. 01 A PIC X. EXEC SQL END DECLARE SECTION END-EXEC.
        ",
    );
    let data = format!("{HEAD}DATA DIVISION.\nWORKING-STORAGE SECTION.\n");
    refused(
        &format!("{data}01 A PIC X\n01 B PIC X.\n"),
        expect![[r#"
        5:10 SPSY013 this description has no full stop
    "#]],
    );
    refused(
        &format!("{data}1O A PIC X.\n50 B PIC X.\n01 C PIX X.\n01 D PIC.\n"),
        expect![[r#"
        5:1 SPSY001 1O stands where a level number is expected
        6:1 SPSY012 50 is no level number
        7:6 SPSY001 PIX stands where a clause of a data description, or a full stop is expected
        8:9 SPSY001 the sentence ends where a picture is expected
    "#]],
    );
    refused(
        &format!("{data}01 A PIC X VALUE.\n01 B OCCURS PIC X.\n01 C PIC X SIGN.\n01 MOVE PIC X.\n"),
        expect![[r#"
            5:17 SPSY001 the sentence ends where a value is expected
            6:13 SPSY001 PIC stands where a number is expected
            7:16 SPSY001 the sentence ends where LEADING or TRAILING is expected
            8:4 SPSY001 MOVE is a reserved word, and no name
        "#]],
    );
    refused(
        &format!("{HEAD}DATA DIVISION.\nSCREEN SECTION.\n01 A LINE 5.\n"),
        expect![[r#"
        4:1 SPSY091 SCREEN SECTION describes the screen of a console, which neither a task nor a job has
    "#]],
    );
}

#[test]
fn what_belongs_to_other_systems_says_what_it_is() {
    let data = format!("{HEAD}DATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC X.\n");
    refused(
        &format!(
            "{data}01 B PIC 9(3) COMP-6.\n01 C SIGNED-INT.\nREPORT SECTION.\nRD R PAGE 60.\nCOMMUNICATION SECTION.\nPROCEDURE DIVISION.\nACCEPT A FROM ENVIRONMENT 'HOME'.\nACCEPT A FROM USER NAME.\nACCEPT A AT 0505.\nDISPLAY A LINE 5 POSITION 1.\nDISPLAY 'X' AT LINE 3.\nDISPLAY A WITH BLINK.\nACCEPT OMITTED.\n"
        ),
        expect![[r#"
            6:15 SPSY091 COMP-6 is a USAGE of other compilers
            7:6 SPSY091 SIGNED-INT is a USAGE of other compilers
            8:1 SPSY090 REPORT SECTION belongs to the report writer, which is not built
            10:1 SPSY091 COMMUNICATION SECTION belongs to a message control system, which the language has no more
            12:15 SPSY091 ACCEPT FROM ENVIRONMENT 'HOME': neither a task nor a job has such a thing
            13:15 SPSY091 ACCEPT FROM USER NAME: neither a task nor a job has such a thing
            14:10 SPSY091 ACCEPT at a place of a screen: neither a task nor a job has a console with one
            15:11 SPSY091 DISPLAY at a place of a screen: neither a task nor a job has a console with one
            16:13 SPSY091 DISPLAY at a place of a screen: neither a task nor a job has a console with one
            17:11 SPSY091 DISPLAY at a place of a screen: neither a task nor a job has a console with one
            18:8 SPSY091 ACCEPT OMITTED waits at a console, which neither a task nor a job has
        "#]],
    );
    // AT END is a phrase of the statement around DISPLAY.
    let read = "READ F NOT AT END DISPLAY 'X' AT END DISPLAY 'Y' END-READ.";
    assert_eq!(said(&tree(&format!("{data}PROCEDURE DIVISION.\n{read}\nACCEPT A FROM LINES.\n"))), "");
}

#[test]
fn decimal_commas() {
    let text = format!(
        "{HEAD}ENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES. DECIMAL-POINT IS COMMA.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC 9V9 VALUE 1,5.\n01 B PIC Z.ZZ9,99.\nPROCEDURE DIVISION.\nMOVE 2,5 TO A, B.\n"
    );
    let tree = tree(&text);
    assert_eq!(said(&tree), "");
    let entry = &tree.programs[0].data.working_storage[0];
    let value = format!("{:?}", entry.values[0].from);
    assert!(value.contains("\"1.5\""), "{value}");
}
