//! Items that programs share: GLOBAL and EXTERNAL items and files, USE GLOBAL, switches; and CANCEL.

mod common;

use common::Application;
use expect_test::{Expect, expect};

/// Lines of programs in columns: those that begin with `:` stand in area A.
fn columns(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (indent, line) = line.strip_prefix(':').map_or((11, line), |line| (7, line));
        out.push_str(&format!("{:indent$}{line}\n", ""));
    }
    out
}

/// A program up to its procedure division.
fn program(name: &str, control: &str, files: &str, data: &str, procedure: &str) -> String {
    columns(&format!(
        ":ID DIVISION.\n:PROGRAM-ID. {name}.\n:ENVIRONMENT DIVISION.\n{control}\n:DATA DIVISION.\n:FILE SECTION.\n{files}\n\
         :WORKING-STORAGE SECTION.\n{data}\n:PROCEDURE DIVISION.\n{procedure}"
    ))
}

const FILES: &str = ":INPUT-OUTPUT SECTION.\n:FILE-CONTROL.\n";

#[track_caller]
fn check(programs: &[(&str, String)], parm: Option<&'static str>, dds: &[&str], expected: Expect) {
    let mut application = Application::new(programs);
    application.parm = parm;
    let mut client = application.client();
    expected.assert_eq(&application.run(&mut client, programs[0].0, dds, 1));
}

#[test]
fn global_items_are_those_of_the_program_around() {
    let data = ":01 G GLOBAL.\n05 N PIC 9 VALUE 3.\n88 IS-FULL VALUE 3.\n05 T PIC 9 OCCURS 1 TO 3 DEPENDING ON N INDEXED BY X.\n\
                :01 OWN PIC X(4) VALUE 'mine'.\n:01 HIDDEN GLOBAL PIC X(5) VALUE 'outer'.";
    let procedure = "MOVE 1 TO T (1) MOVE 2 TO T (2) MOVE 3 TO T (3).\nSET X TO 2.\nCALL 'INNER'.\n\
                     DISPLAY G ' ' OWN ' ' HIDDEN.\nSET N TO 1.\nCALL 'INNER'.\nSTOP RUN.";
    let outer = program("P", "", "", data, &procedure.replace("SET N TO 1", "MOVE 2 TO N"));
    let data = ":01 HIDDEN PIC X(5) VALUE 'inner'.\n:01 OWN PIC 9 VALUE 0.";
    let procedure = "ADD 1 TO OWN.\nDISPLAY G ' ' T (X) ' ' HIDDEN ' ' LENGTH OF G.\n\
                     IF IS-FULL DISPLAY 'FULL' END-IF.\n\
                     SET X TO 1.\nSEARCH T AT END DISPLAY 'NO'\nWHEN T (X) = 3 DISPLAY 'FOUND' END-SEARCH.\n\
                     MOVE 7 TO T OF G (1).\nCALL 'DEEP'.\nDISPLAY OWN.";
    let inner = program("INNER", "", "", data, procedure);
    let deep = program("DEEP", "", "", "", "MOVE 8 TO T (2).\nMOVE 'DEEP!' TO HIDDEN.");
    let ends = |name: &str| format!("       END PROGRAM {name}.\n");
    let text = [outer, inner, deep, ends("DEEP"), ends("INNER"), ends("P")].concat();
    // DEEP sees the outer HIDDEN: that of INNER is not GLOBAL.
    check(
        &[("P", text)],
        None,
        &[],
        expect![[r#"
            3123 2 inner 000000004
            FULL
            FOUND
            1
            3783 mine DEEP!
            278 3 inner 000000003
            NO
            2
            returned 0
        "#]],
    );
}

#[test]
fn global_files_and_their_declaratives() {
    let control = format!("{FILES}SELECT F ASSIGN TO FF FILE STATUS FS.\nSELECT N ASSIGN TO NN.");
    let files = ":FD F GLOBAL.\n:01 R PIC X(6).\n:FD N.\n:01 NR PIC X.";
    let data = ":01 FS PIC XX VALUE '--'.\n:01 COUNTED PIC 9 VALUE 0.";
    let procedure = ":DECLARATIVES.\n:FAILED SECTION.\nUSE GLOBAL AFTER ERROR PROCEDURE ON INPUT.\n:FAILED-1.\n\
                     ADD 1 TO COUNTED.\nDISPLAY 'OUTER ' FS ' ' COUNTED.\n:END DECLARATIVES.\n:MAIN SECTION.\n\
                     OPEN OUTPUT F.\nCALL 'INNER'.\nDISPLAY 'BACK ' FS ' ' R.\nSTOP RUN.";
    let outer = program("P", &control, files, data, procedure);
    let control = format!("{FILES}SELECT OWN ASSIGN TO MISSING.");
    let files = ":FD OWN.\n:01 OWN-R PIC X.";
    let procedure = "MOVE 'first' TO R.\nWRITE R.\nCLOSE F.\nOPEN INPUT F.\nREAD F.\nDISPLAY R.\nREAD F.\nREAD F.\n\
                     CLOSE F.\nOPEN INPUT OWN.\nDISPLAY 'GOES ON'.";
    let inner = program("INNER", &control, files, "", procedure);
    let text = [outer, inner, "       END PROGRAM INNER.\n       END PROGRAM P.\n".into()].concat();
    check(
        &[("P", text)],
        None,
        &["FF=data"],
        expect![[r#"
            first 
            OUTER 10 1
            OUTER 46 2
            [MISSING: file status 35: there is no DD statement of this name]
            OUTER 00 3
            GOES ON
            BACK 00 first 
            returned 0
        "#]],
    );
}

/// LOCAL-STORAGE of a program that contains others is one for all of them, and begins again at each CALL, by an ENTRY, too.
#[test]
fn global_declaratives_see_local_storage() {
    let local = ":LOCAL-STORAGE SECTION.\n:01 COUNTED PIC 9 VALUE 3.\n:01 G GLOBAL PIC X(5) VALUE 'local'.";
    let procedure = ":DECLARATIVES.\n:FAILED SECTION.\nUSE GLOBAL AFTER ERROR PROCEDURE ON INPUT.\n:FAILED-1.\n\
                     ADD 1 TO COUNTED.\nDISPLAY 'FAILED ' COUNTED ' ' G.\n:END DECLARATIVES.\n:MAIN SECTION.\n\
                     CALL 'INNER'.\nDISPLAY COUNTED ' ' G.\nGOBACK.\nENTRY 'SECOND'.\nDISPLAY COUNTED ' ' G.\n\
                     CALL 'INNER'.\nDISPLAY COUNTED ' ' G.";
    let outer = program("OUTER", "", "", local, procedure);
    let control = format!("{FILES}SELECT OWN ASSIGN TO MISSING FILE STATUS FS.");
    let procedure = "MOVE 'inner' TO G.\nOPEN INPUT OWN.\nOPEN INPUT OWN.";
    let inner = program("INNER", &control, ":FD OWN.\n:01 OWN-R PIC X.", ":01 FS PIC XX.", procedure);
    let main = program("P", "", "", "", "CALL 'OUTER'.\nCALL 'SECOND'.\nCALL 'OUTER'.\nSTOP RUN.");
    let ends = "       END PROGRAM INNER.\n       END PROGRAM OUTER.\n".to_owned();
    let application = Application::new(&[("P", main), ("OUTER", [outer, inner, ends].concat())]);
    let mut client = application.client();
    let said = application.run(&mut client, "P", &[], 1);
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with('[')).collect();
    let called = ["FAILED 4 inner", "FAILED 5 inner", "5 inner"];
    let entered = ["3 local", "FAILED 4 inner", "FAILED 5 inner", "5 inner"];
    assert_eq!(lines, [&called[..], &entered, &called, &["returned 0"]].concat());
}

/// Records of the linkage section that are GLOBAL lie where the program around has them: at each CALL, and wherever SET ADDRESS OF in any
/// of the programs has put them since.
#[test]
fn global_records_of_the_linkage_section() {
    let data = ":01 A PIC X(4) VALUE 'aaaa'.\n:01 B PIC X(4) VALUE 'bbbb'.\n:01 T.\n05 N PIC 9 VALUE 3.\n05 C PIC X OCCURS 3 VALUE 'c'.";
    let procedure = "CALL 'OUTER' USING A B T.\nDISPLAY A ' ' B ' ' T.\nCALL 'OUTER' USING B A T.\nDISPLAY A ' ' B ' ' T.\nSTOP RUN.";
    let main = program("P", "", "", data, procedure);
    let linkage = ":LINKAGE SECTION.\n:01 X GLOBAL PIC X(4).\n:01 Y PIC X(4).\n:01 Z GLOBAL.\n05 ZN PIC 9.\n\
                   05 ZT PIC X OCCURS 1 TO 3 DEPENDING ON ZN INDEXED BY I.\n:01 NOWHERE GLOBAL PIC X(4).";
    let procedure = "SET I TO 2.\nCALL 'INNER'.\nDISPLAY 'OUTER ' X.\nSET ADDRESS OF X TO ADDRESS OF Y.\nCALL 'INNER'.\n\
                     DISPLAY 'OUTER ' X.\nGOBACK.";
    let outer = program("OUTER", "", "", linkage, procedure);
    let outer = outer.replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING X Y Z.");
    let procedure = "IF ADDRESS OF NOWHERE = NULL DISPLAY 'NULL' END-IF.\nDISPLAY 'INNER ' X ' ' Z ' ' LENGTH OF Z.\nMOVE 'in' TO X.\n\
                     MOVE 'i' TO ZT (I).\nSUBTRACT 1 FROM ZN.\nDISPLAY Z.\nADD 1 TO ZN.\nCALL 'DEEP'.\nDISPLAY 'INNER ' X.";
    let inner = program("INNER", "", "", "", procedure);
    let deep = program(
        "DEEP",
        "",
        "",
        ":01 W PIC X(4) VALUE 'deep'.",
        "DISPLAY 'DEEP ' X.\nSET ADDRESS OF X TO ADDRESS OF W.\nGOBACK.",
    );
    let ends = "       END PROGRAM DEEP.\n       END PROGRAM INNER.\n       END PROGRAM OUTER.\n".to_owned();
    check(
        &[("P", main), ("OUTER", [outer, inner, deep, ends].concat())],
        None,
        &[],
        expect![[r#"
            NULL
            INNER aaaa 3ccc 000000004
            2ci
            DEEP in  
            INNER deep
            OUTER deep
            NULL
            INNER bbbb 3cic 000000004
            2ci
            DEEP in  
            INNER deep
            OUTER deep
            in   in   3cic
            NULL
            INNER in   3cic 000000004
            2ci
            DEEP in  
            INNER deep
            OUTER deep
            NULL
            INNER in   3cic 000000004
            2ci
            DEEP in  
            INNER deep
            OUTER deep
            in   in   3cic
            returned 0
        "#]],
    );
}

/// A section with USE GLOBAL works on the parameters of its program's CALL, and on those that GLOBAL ones of a program around it have.
#[test]
fn global_declaratives_see_parameters() {
    let linkage = ":LINKAGE SECTION.\n:01 COUNTED PIC 9.\n:01 G GLOBAL PIC X(5).";
    let procedure = ":DECLARATIVES.\n:FAILED SECTION.\nUSE GLOBAL AFTER ERROR PROCEDURE ON INPUT.\n:FAILED-1.\n\
                     ADD 1 TO COUNTED.\nDISPLAY 'FAILED ' COUNTED ' ' G.\nSET ADDRESS OF G TO ADDRESS OF OWN.\n\
                     :END DECLARATIVES.\n:MAIN SECTION.\nCALL 'INNER'.\nDISPLAY COUNTED ' ' G.\nGOBACK.";
    let outer = program("OUTER", "", "", &format!(":01 OWN PIC X(5) VALUE 'other'.\n{linkage}"), procedure);
    let outer = outer.replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING COUNTED G.");
    let control = format!("{FILES}SELECT OWN ASSIGN TO MISSING FILE STATUS FS.");
    let procedure = "MOVE 'inner' TO G.\nOPEN INPUT OWN.\nDISPLAY 'INNER ' G.\nOPEN INPUT OWN.";
    let inner = program("INNER", &control, ":FD OWN.\n:01 OWN-R PIC X.", ":01 FS PIC XX.", procedure);
    let data = ":01 N PIC 9 VALUE 3.\n:01 T PIC X(5) VALUE 'mine'.";
    let main = program(
        "P",
        "",
        "",
        data,
        "CALL 'OUTER' USING N T.\nDISPLAY N T.\nCALL 'OUTER' USING N T.\nSTOP RUN.",
    );
    let ends = "       END PROGRAM INNER.\n       END PROGRAM OUTER.\n".to_owned();
    let application = Application::new(&[("P", main), ("OUTER", [outer, inner, ends].concat())]);
    let mut client = application.client();
    let said = application.run(&mut client, "P", &[], 1);
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with('[')).collect();
    let first = ["FAILED 4 inner", "INNER other", "FAILED 5 other", "5 other", "5inner"];
    let second = ["FAILED 6 inner", "INNER other", "FAILED 7 other", "7 other", "returned 0"];
    assert_eq!(lines, [first, second].concat());
}

/// A program that is not RECURSIVE is not CALLed while it runs, however far above its CALL stands.
#[test]
fn a_program_that_runs_is_not_called_again() {
    let again = program("AGAIN", "", "", "", "DISPLAY 'AGAIN'.\nCALL 'BACK'.");
    let back = program("BACK", "", "", "", "DISPLAY 'BACK'.\nCALL 'AGAIN'.\nDISPLAY 'NEVER HERE'.");
    check(
        &[("P", program("P", "", "", "", "CALL 'AGAIN'.")), ("AGAIN", again), ("BACK", back)],
        None,
        &[],
        expect![[r#"
            AGAIN
            BACK
            abend U4038: recursive CALL of AGAIN
        "#]],
    );
}

/// A program that was CALLed may be CALLed by its ENTRY, with parameters of that, and a RECURSIVE one while it runs.
#[test]
fn entries_and_recursive_programs() {
    let data = ":01 N PIC 9(4) VALUE 4.\n:01 R PIC 9(4) VALUE 1.";
    let procedure = "CALL 'COUNTS' USING N.\nCALL 'COUNTED' USING R.\nDISPLAY R.\nMOVE 1 TO R.\nCALL 'FACTOR' USING N R.\n\
                     DISPLAY R.\nCALL 'COUNTED' USING R.\nCANCEL 'COUNTS'.\nCALL 'COUNTED'.";
    let counts = ":LINKAGE SECTION.\n:01 A PIC 9(4).\n:01 B PIC 9(4).";
    let counts = program(
        "COUNTS",
        "",
        "",
        &format!(":01 C PIC 9(4).\n{counts}"),
        "MOVE A TO C.\nGOBACK.\nENTRY 'COUNTED' USING B.\nADD C TO B.",
    )
    .replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING A.");
    let factor =
        ":LOCAL-STORAGE SECTION.\n:01 FEWER PIC 9(4).\n:LINKAGE SECTION.\n:01 A PIC 9(4).\n:01 B PIC 9(4).";
    let factor = program(
        "FACTOR RECURSIVE",
        "",
        "",
        factor,
        "COMPUTE FEWER = A - 1.\nIF FEWER > 0 CALL 'FACTOR' USING FEWER B END-IF.\nCOMPUTE B = B * (FEWER + 1).",
    )
    .replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING A B.");
    check(
        &[("P", program("P", "", "", data, procedure)), ("COUNTS", counts), ("FACTOR", factor)],
        None,
        &[],
        expect![[r#"
            0005
            0024
            abend S806: CALL of COUNTED: no such program at line 18 of P
        "#]],
    );
}

#[test]
fn external_items_and_files_are_those_of_the_run() {
    let control = format!("{FILES}SELECT F ASSIGN TO FF FILE STATUS FS.");
    let files = ":FD F EXTERNAL.\n:01 R PIC X(6).";
    let data = ":01 E EXTERNAL.\n05 A PIC X(3).\n05 B PIC 9(3).\n:01 FS PIC XX.";
    let first = "MOVE 'abc' TO A.\nMOVE 1 TO B.\nOPEN OUTPUT F.\nCALL 'SECOND'.\nDISPLAY E ' ' FS.\nWRITE R.\nDISPLAY FS.\n\
                 CLOSE F.\nOPEN INPUT F.\nREAD F.\nDISPLAY R.\nREAD F.\nDISPLAY R.\nCALL 'LONGER'.\nDISPLAY 'NEVER'.\nSTOP RUN.";
    let second = "DISPLAY E.\nADD 1 TO B.\nMOVE 'one' TO R.\nWRITE R.\nDISPLAY FS.\nMOVE 'two' TO R.";
    let longer = program("LONGER", "", "", ":01 E EXTERNAL PIC X(7).", "DISPLAY E.");
    check(
        &[
            ("FIRST", program("FIRST", &control, files, data, first)),
            ("SECOND", program("SECOND", &control, files, data, second)),
            ("LONGER", longer),
        ],
        None,
        &["FF=data"],
        expect![[r#"
            abc001
            00
            abc002 00
            00
            one   
            two   
            abend U4038: an EXTERNAL item that is longer here than in the program that came first when LONGER is entered
        "#]],
    );
}

#[test]
fn cancel_makes_programs_begin_again() {
    let main = "CALL 'COUNTS'.\nCALL 'COUNTS'.\nCANCEL 'COUNTS'.\nCALL 'COUNTS'.\nCANCEL WHO 'NEVER'.\nCALL WHO.\n\
                CALL 'WITHIN'.\nCALL 'WITHIN'.\nCANCEL 'WITHIN'.\nCALL 'WITHIN'.\nCANCEL 'MAIN'.\nSTOP RUN.";
    let main = program("MAIN", "", "", ":01 WHO PIC X(8) VALUE 'COUNTS'.", main);
    let counts = "ADD 1 TO N.\nDISPLAY N.\nCALL 'PART'.";
    let data = ":01 N PIC 9 VALUE 0.";
    let part = program("PART", "", "", data, "ADD 1 TO N.\nDISPLAY 'PART ' N.");
    let of_source = program("WITHIN", "", "", data, "ADD 1 TO N.\nDISPLAY 'WITHIN ' N.");
    let end = |name: &str| format!("       END PROGRAM {name}.\n");
    check(
        &[
            ("MAIN", [main, of_source, end("WITHIN"), end("MAIN")].concat()),
            ("COUNTS", [program("COUNTS", "", "", data, counts), part, end("PART"), end("COUNTS")].concat()),
        ],
        None,
        &[],
        expect![[r#"
            1
            PART 1
            2
            PART 2
            1
            PART 1
            1
            PART 1
            WITHIN 1
            WITHIN 2
            WITHIN 1
            abend U4038: CANCEL of MAIN, which has not been left
        "#]],
    );
}

#[test]
fn what_an_initial_program_contains_begins_again_with_it() {
    let data = ":01 N PIC 9 VALUE 0.";
    let main = program("MAIN", "", "", "", "CALL 'OUTER'.\nCALL 'OUTER'.\nSTOP RUN.");
    let outer = "ADD 1 TO N.\nCALL 'INNER'.\nCALL 'INNER'.\nDISPLAY 'OUTER ' N.";
    let outer = program("OUTER INITIAL", "", "", data, outer);
    let inner = program("INNER", "", "", data, "ADD 1 TO N.\nDISPLAY 'INNER ' N.");
    let ends = "       END PROGRAM INNER.\n       END PROGRAM OUTER.\n".to_owned();
    check(
        &[("MAIN", main), ("OUTER", [outer, inner, ends].concat())],
        None,
        &[],
        expect![[r#"
            INNER 1
            INNER 2
            OUTER 1
            INNER 1
            INNER 2
            OUTER 1
            returned 0
        "#]],
    );
}

#[test]
fn switches_come_from_parm_and_belong_to_the_run() {
    let names =
        ":SPECIAL-NAMES.\nUPSI-0 IS SW-ONE ON STATUS IS IS-ON\nUPSI-2 IS SW-THREE ON STATUS IS THIRD-ON.";
    let control = format!(":CONFIGURATION SECTION.\n{names}");
    let shows = "IF IS-ON DISPLAY 'FIRST' END-IF.\nIF THIRD-ON DISPLAY 'THIRD' END-IF.";
    let main = format!("{shows}\nCALL 'OTHER'.\n{shows}\nSTOP RUN.");
    let other = format!("{shows}\nSET SW-ONE TO OFF.");
    check(
        &[
            ("MAIN", program("MAIN", &control, "", "", &main)),
            ("OTHER", program("OTHER", &control, "", "", &other)),
        ],
        Some("TEXT/UPSI(101)"),
        &[],
        expect![[r#"
            FIRST
            THIRD
            FIRST
            THIRD
            THIRD
            returned 0
        "#]],
    );
}

#[test]
fn accept_of_a_long_item_takes_several_lines() {
    let data = ":01 LONG.\n05 A PIC X(80).\n05 B PIC X(20).\n:01 SHORT PIC X(4).";
    let procedure = "ACCEPT LONG.\nDISPLAY A (1:4) '/' B (1:6).\nACCEPT SHORT.\nDISPLAY SHORT.\nACCEPT SHORT.\n\
                     DISPLAY '(' SHORT ')'.\nSTOP RUN.";
    let application = [("P", program("P", "", "", data, procedure))];
    let text = format!("{:<80}", "long");
    let own = Application::new(&application);
    std::fs::write(own.path().join("lines"), format!("{text}\nsecond and more\nnext one\n"))
        .expect("written");
    let mut client = own.client();
    let said = own.run(&mut client, "P", &["SYSIN=lines"], 1);
    expect![[r#"
        long/second
        next
        (    )
        returned 0
    "#]]
    .assert_eq(&said);
}

/// Registers are GLOBAL in the outermost program: what one program of a source leaves there, the others find, and a program that it
/// CALLs leaves its RETURN-CODE there, too.
#[test]
fn registers_are_those_of_the_outermost_program() {
    let procedure = "CALL 'INNER'.\nDISPLAY RETURN-CODE.\nCALL 'JUDGE'.\nDISPLAY RETURN-CODE ' ' JSON-CODE.\n\
                     CALL 'BLIND'.\nDISPLAY RETURN-CODE.\nCALL 'LAST'.";
    let outer = program("P", "", "", "", procedure);
    let inner = program("INNER", "", "", "", "MOVE 7 TO RETURN-CODE.\nCALL 'DEEP'.");
    let deep = program("DEEP", "", "", "", "ADD 1 TO RETURN-CODE.\nADD 3 TO TALLY.");
    let text = ":01 SHORT PIC X(3).\n:01 G.\n05 LONG-NAME PIC X(9) VALUE 'text'.";
    let judge = "DISPLAY RETURN-CODE ' ' TALLY.\nJSON GENERATE SHORT FROM G.\nCALL 'OUTSIDE'.";
    let judge = program("JUDGE", "", "", text, judge);
    let blind = program("BLIND", "", "", "", "CALL 'OUTSIDE'.\nCALL 'SILENT'.");
    let last = program("LAST", "", "", "", "DISPLAY TALLY.\nCALL 'OUTSIDE'.\nSTOP RUN.");
    let end = |name: &str| format!("       END PROGRAM {name}.\n");
    let parts = [
        outer,
        inner,
        deep,
        end("DEEP"),
        end("INNER"),
        judge,
        end("JUDGE"),
        blind,
        end("BLIND"),
        last,
        end("LAST"),
        end("P"),
    ];
    check(
        &[
            ("P", parts.concat()),
            ("OUTSIDE", program("OUTSIDE", "", "", "", "MOVE 12 TO RETURN-CODE.")),
            ("SILENT", program("SILENT", "", "", "", "CONTINUE.")),
        ],
        None,
        &[],
        expect![[r#"
            00008
            00008 0000000003
            00012 0000000001
            00000
            0000000003
            returned 12
        "#]],
    );
}
