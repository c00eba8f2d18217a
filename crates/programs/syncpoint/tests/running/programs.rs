//! Errors of programs: their own task ends with the code that programmers know, the terminal shows it, the log gives
//! the reason, and the region goes on.

use expect_test::{Expect, expect};
use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};

/// A task may run for a fifth of a second without giving way.
const SETTINGS: &str = "[sit]\nICVR = 200\n";

/// Clears the screen and ends.
const GOOD: (&str, &str) =
    ("GOOD", "PROCEDURE DIVISION.\n    EXEC CICS SEND CONTROL ERASE END-EXEC\n    GOBACK.");

/// A region with these programs, each with a transaction of its name, and some further files.
fn region(programs: &[(&str, &str)], further: &[(&str, &str)]) -> (TempDir, Region) {
    let mut files = vec![("region.toml".to_owned(), format!("{FREE_PORT}{SETTINGS}"))];
    let mut definitions = String::new();
    for (name, text) in programs.iter().chain([&GOOD]) {
        files.push((format!("programs/{name}.cbl"), in_columns(name, text)));
        definitions += &definition(name);
    }
    definitions += &definition("GONE");
    files.push(("wrong.csd".to_owned(), definitions));
    files.extend(further.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = application(&files);
    let region = Region::start(folder.path());
    (folder, region)
}

/// A program's text from column 8 on.
fn in_columns(name: &str, text: &str) -> String {
    let text = format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\n{text}\n");
    text.lines().map(|line| format!("       {}\n", line.trim_end())).collect()
}

fn definition(name: &str) -> String {
    format!(
        "DEFINE TRANSACTION({name}) GROUP(WRONG) PROGRAM({name})\n\
         DEFINE PROGRAM({name}) GROUP(WRONG) CONCURRENCY(THREADSAFE)\n"
    )
}

/// Checks the screen after a program's transaction, and the log. The region goes on.
fn check(program: (&str, &str), expected: Expect) {
    check_with(program, &[], expected);
}

fn check_with(program: (&str, &str), further: &[(&str, &str)], expected: Expect) {
    let (_folder, region) = region(&[program], further);
    let mut terminal = region.terminal();
    terminal.start(program.0);
    let shown = terminal.shows();
    terminal.start(GOOD.0);
    assert_eq!(terminal.shows(), "", "the region goes on");
    drop(terminal);
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    expected.assert_eq(&format!("{shown}\n\n{}", complaints(&log)));
}

/// Returns the lines that programs display, and errors, without their times.
fn complaints(log: &str) -> String {
    let mut wanted = false;
    let mut complaints = String::new();
    for line in log.lines() {
        // A line without a time goes on with the message before it, unless it says that the region ends.
        let message =
            line.split_once("Z ").filter(|(time, _)| time.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((_, message)) = message {
            // On a machine that has no time for the region a TCB may seem stuck.
            let is_slow = message.contains("has not come back");
            wanted = (message.contains("ERROR") && !is_slow) || message.contains("SYSOUT");
        }
        if wanted && !line.starts_with("the region ") {
            let line = message.map_or(line, |(_, message)| message.trim_start());
            complaints += line.trim_end();
            complaints.push('\n');
        }
    }
    complaints
}

#[test]
fn a_program_that_loops() {
    let program = "PROCEDURE DIVISION.\nAGAIN.\n    GO TO AGAIN.";
    check(
        ("LOOP", program),
        expect![[r#"
            LOOP
             DFHAC2206 SYNCPNT Transaction LOOP failed with abend AICA in program LOOP.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (LOOP), program LOOP: it ran for longer than its runaway limit without giving way, in LOOP, programs/LOOP.cbl line 5
        "#]],
    );
}

#[test]
fn a_program_that_stores_where_it_has_no_storage() {
    let program = "
DATA DIVISION.
WORKING-STORAGE SECTION.
01  WS-NUMBER PIC S9(18) COMP-5 VALUE 64.
01  WS-POINTER REDEFINES WS-NUMBER POINTER.
LINKAGE SECTION.
01  LS-TEXT PIC X(4).
PROCEDURE DIVISION.
    SET ADDRESS OF LS-TEXT TO WS-POINTER
    MOVE 'ABCD' TO LS-TEXT
    GOBACK.";
    check(
        ("WILD", program),
        expect![[r#"
            WILD
             DFHAC2206 SYNCPNT Transaction WILD failed with abend ASRA in program WILD.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (WILD), program WILD: an address that is not storage of the task, in WILD, programs/WILD.cbl line 12
        "#]],
    );
}

#[test]
fn a_program_that_divides_by_zero() {
    let program = "
DATA DIVISION.
WORKING-STORAGE SECTION.
01  WS-ZERO PIC S9(4) COMP VALUE 0.
01  WS-RESULT PIC S9(4) COMP VALUE 0.
PROCEDURE DIVISION.
    DIVIDE 1 BY WS-ZERO GIVING WS-RESULT
    GOBACK.";
    check(
        ("DIVI", program),
        expect![[r#"
            DIVI
             DFHAC2206 SYNCPNT Transaction DIVI failed with abend ASRA in program DIVI.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (DIVI), program DIVI: division by zero or overflow, in DIVI, programs/DIVI.cbl line 9
        "#]],
    );
}

#[test]
fn a_program_that_performs_itself_without_end() {
    let program = "PROCEDURE DIVISION.\nDEEPER.\n    PERFORM DEEPER.\n    GOBACK.";
    check(
        ("DEEP", program),
        expect![[r#"
            DEEP
             DFHAC2206 SYNCPNT Transaction DEEP failed with abend AICA in program DEEP.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (DEEP), program DEEP: it ran for longer than its runaway limit without giving way, in DEEP, programs/DEEP.cbl line 5
        "#]],
    );
}

#[test]
fn a_program_that_calls_itself() {
    let program = "PROCEDURE DIVISION.\n    CALL 'CALL'\n    GOBACK.";
    check(
        ("CALL", program),
        expect![[r#"
            CALL
             DFHAC2206 SYNCPNT Transaction CALL failed with abend 4038 in program CALL.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (CALL), program CALL: recursive CALL of CALL
        "#]],
    );
}

#[test]
fn a_program_that_links_to_itself_without_end() {
    let program = "PROCEDURE DIVISION.\n    EXEC CICS LINK PROGRAM('LINK') END-EXEC\n    GOBACK.";
    check(
        ("LINK", program),
        expect![[r#"
            LINK
             DFHAC2206 SYNCPNT Transaction LINK failed with abend APCL in program LINK.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2: LINK is link level 200: do programs LINK to each other without end?
            ERROR AP: task 2 (LINK), program LINK: LINK ended with abend APCL, in LINK, programs/LINK.cbl line 4
        "#]],
    );
}

#[test]
fn a_command_that_fails_is_named_by_its_own_line_whatever_is_copied_before() {
    let program = "DATA DIVISION.
WORKING-STORAGE SECTION.
COPY DFHAID.
COPY DFHBMSCA.
COPY TEXTS.
PROCEDURE DIVISION.
    DISPLAY 'ASKS'
    COPY ASKS.
    GOBACK.";
    let texts =
        ["01  A PIC X.", "01  B PIC X.", "01  C PIC X."].map(|line| format!("       {line}\n")).concat();
    let asks = "           CONTINUE.\n           EXEC CICS LINK PROGRAM('GONE') END-EXEC.\n";
    for (statement, place) in [
        ("EXEC CICS LINK PROGRAM('GONE') END-EXEC.", "programs/LINK.cbl line 10"),
        ("COPY ASKS.", "copybooks/ASKS.cpy line 2"),
    ] {
        let text = program.replace("COPY ASKS.", statement);
        let further = [("copybooks/TEXTS.cpy", texts.as_str()), ("copybooks/ASKS.cpy", asks)];
        let (_folder, region) = region(&[("LINK", &text)], &further);
        let mut terminal = region.terminal();
        terminal.start("LINK");
        terminal.shows();
        drop(terminal);
        region.signal("TERM");
        let (_, log) = region.ended();
        assert!(log.contains(&format!("does not handle it, in LINK, {place}")), "{place}: {log}");
    }
}

#[test]
fn stop_run_ends_the_program_and_nothing_else() {
    check(
        ("STOP", "PROCEDURE DIVISION.\n    STOP RUN."),
        expect![[r#"
        STOP

    "#]],
    );
}

#[test]
fn a_program_that_is_missing() {
    let program = "PROCEDURE DIVISION.
    EXEC CICS LINK PROGRAM('GONE') END-EXEC
    GOBACK.";
    check(
        ("LINK", program),
        expect![[r#"
            LINK
             DFHAC2206 SYNCPNT Transaction LINK failed with abend AEI0 in program LINK.
             Updates to recoverable resources are backed out.

            ERROR PG: program GONE: no source or module in the program folders
            ERROR AP: task 2 (LINK), program LINK: LINK ended with PGMIDERR RESP2(3), and the program does not handle it, in LINK, programs/LINK.cbl line 4
        "#]],
    );
}

#[test]
fn a_transaction_whose_program_is_missing() {
    let (_folder, region) = region(&[], &[]);
    let mut terminal = region.terminal();
    terminal.start("GONE");
    expect![[r#"
        GONE
         DFHAC2206 SYNCPNT Transaction GONE failed with abend APCT in program GONE.
         Updates to recoverable resources are backed out. The program is not defined,
         is disabled, or does not build: syncpoint check says which."#]]
    .assert_eq(&terminal.shows());
    region.logs("program GONE: no source or module in the program folders");
}

#[test]
fn a_program_that_calls_what_is_not_there() {
    check(
        ("CALL", "PROCEDURE DIVISION.\n    CALL 'NOBODY'\n    GOBACK."),
        expect![[r#"
            CALL
             DFHAC2206 SYNCPNT Transaction CALL failed with abend 4038 in program CALL.
             Updates to recoverable resources are backed out.

            ERROR PG: program NOBODY: no source or module in the program folders
            ERROR AP: task 2 (CALL), program CALL: CALL of NOBODY: there is no such program
        "#]],
    );
}

#[test]
fn a_subscript_that_leads_out_of_the_table() {
    let program = "
DATA DIVISION.
WORKING-STORAGE SECTION.
01  WS-INDEX PIC S9(8) COMP VALUE 30000.
01  WS-TABLE.
    05  WS-ENTRY PIC X(4) OCCURS 10.
PROCEDURE DIVISION.
    MOVE 'ABCD' TO WS-ENTRY(WS-INDEX)
    GOBACK.";
    check(
        ("TABL", program),
        expect![[r#"
            TABL
             DFHAC2206 SYNCPNT Transaction TABL failed with abend ASRA in program TABL.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (TABL), program TABL: an address that is not storage of the task, in TABL, programs/TABL.cbl line 10
        "#]],
    );
}

#[test]
fn digits_that_are_none() {
    let program = "
DATA DIVISION.
WORKING-STORAGE SECTION.
01  WS-TEXT PIC X(4) VALUE 'ABCD'.
01  WS-PACKED REDEFINES WS-TEXT PIC S9(7) COMP-3.
PROCEDURE DIVISION.
    ADD 1 TO WS-PACKED
    GOBACK.";
    check(
        ("DATA", program),
        expect![[r#"
            DATA
             DFHAC2206 SYNCPNT Transaction DATA failed with abend ASRA in program DATA.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (DATA), program DATA: a calculation with bytes that are not a number, in DATA, programs/DATA.cbl line 9
        "#]],
    );
}

#[test]
fn a_program_that_does_not_compile() {
    let program = "
PROCEDURE DIVISION.
    EXEC CICS SEND TEXT FORM('NO') END-EXEC
    MOVE 1 TO NOWHERE
    GOBACK.";
    check(
        ("TYPO", program),
        expect![[r#"
        TYPO
         DFHAC2206 SYNCPNT Transaction TYPO failed with abend APCT in program TYPO.
         Updates to recoverable resources are backed out. The program is not defined,
         is disabled, or does not build: syncpoint check says which.

        ERROR PG: program TYPO cannot be loaded
        error[SPTR032]: FORM is not an option of SEND TEXT
         --> programs/TYPO.cbl:5:32
          |
        5 |            EXEC CICS SEND TEXT FORM('NO') END-EXEC
          |                                ^^^^ not known here
          |
          = help: did you mean FROM?
    "#]],
    );
}

#[test]
fn a_map_that_is_not_there() {
    let program = "PROCEDURE DIVISION.\n    EXEC CICS SEND MAP('NOMAP') MAPONLY END-EXEC\n    GOBACK.";
    check(
        ("MAPS", program),
        expect![[r#"
            MAPS
             DFHAC2206 SYNCPNT Transaction MAPS failed with abend ABM0 in program MAPS.
             Updates to recoverable resources are backed out.

            ERROR BM: mapset NOMAP: no source in the map folders
            ERROR AP: task 2 (MAPS), program MAPS: SEND MAP ended with abend ABM0, in MAPS, programs/MAPS.cbl line 4
        "#]],
    );
}

const MAPSET: &str = "\
SCREENS  DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES
SCREEN   DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(2,2),LENGTH=20,ATTRB=UNPROT
TOWN     DFHMDF POS=(3,2),LENGTH=20,ATTRB=UNPROT
         DFHMSD TYPE=FINAL
         END
";

#[test]
fn a_map_that_is_not_in_its_mapset() {
    let program = "PROCEDURE DIVISION.
    EXEC CICS SEND MAP('OTHER') MAPSET('SCREENS')
              MAPONLY
    END-EXEC
    GOBACK.";
    check_with(
        ("MAPS", program),
        &[("maps/SCREENS.bms", MAPSET)],
        expect![[r#"
            MAPS
             DFHAC2206 SYNCPNT Transaction MAPS failed with abend ABM0 in program MAPS.
             Updates to recoverable resources are backed out.

            ERROR BM: mapset SCREENS has no map OTHER
            ERROR AP: task 2 (MAPS), program MAPS: SEND MAP ended with abend ABM0, in MAPS, programs/MAPS.cbl line 4
        "#]],
    );
}

#[test]
fn a_map_that_has_grown_since_its_copybook_was_kept() {
    // The copybook knows only the first field.
    let copybook = "       01  SCREENI.
           02  FILLER PIC X(12).
           02  NAMEL PIC S9(4) COMP.
           02  NAMEF PIC X.
           02  NAMEI PIC X(20).
       01  SCREENO REDEFINES SCREENI.
           02  FILLER PIC X(15).
           02  NAMEO PIC X(20).
";
    let program = "DATA DIVISION.
WORKING-STORAGE SECTION.
    COPY SCREENS.
01  WS-FENCE PIC X(80) VALUE ALL 'F'.
PROCEDURE DIVISION.
    IF EIBCALEN = ZERO
       MOVE LOW-VALUES TO SCREENO
       MOVE 'ADA' TO NAMEO
       EXEC CICS SEND MAP('SCREEN') MAPSET('SCREENS')
                 ERASE FREEKB
       END-EXEC
       EXEC CICS RETURN TRANSID('MAPS') COMMAREA(WS-FENCE)
       END-EXEC
    END-IF
    EXEC CICS RECEIVE MAP('SCREEN') MAPSET('SCREENS')
              INTO(SCREENI)
    END-EXEC
    DISPLAY NAMEI
    IF WS-FENCE = ALL 'F' DISPLAY 'THE FENCE STANDS'.
    GOBACK.";
    let further = [("maps/SCREENS.bms", MAPSET), ("copybooks/SCREENS.cpy", copybook)];
    let (_folder, region) = region(&[("MAPS", program)], &further);
    let mut terminal = region.terminal();
    terminal.start("MAPS");
    terminal.sees("ADA");
    terminal.press_tab();
    terminal.type_text("GRACE");
    terminal.press_tab();
    terminal.type_text("NEW YORK");
    terminal.press(Aid::Enter);
    region.logs("THE FENCE STANDS");
    drop(terminal);
    region.signal("TERM");
    expect![[r#"
        INFO SYSOUT: MAPS 3: GRACE
        INFO SYSOUT: MAPS 3: THE FENCE STANDS
    "#]]
    .assert_eq(&complaints(&region.ended().1));
}

#[test]
fn a_condition_that_the_program_does_not_handle() {
    check(
        ("COND", "PROCEDURE DIVISION.\n    EXEC CICS DELETEQ TS QUEUE('NONE') END-EXEC\n    GOBACK."),
        expect![[r#"
            COND
             DFHAC2206 SYNCPNT Transaction COND failed with abend AEYH in program COND.
             Updates to recoverable resources are backed out.

            ERROR AP: task 2 (COND), program COND: DELETEQ TS ended with QIDERR, and the program does not handle it, in COND, programs/COND.cbl line 4
        "#]],
    );
}

#[test]
fn an_argument_that_is_no_storage() {
    let program = "
DATA DIVISION.
LINKAGE SECTION.
01  LS-TEXT PIC X(4).
PROCEDURE DIVISION.
    SET ADDRESS OF LS-TEXT TO NULL
    EXEC CICS WRITEQ TS QUEUE('ANY') FROM(LS-TEXT) END-EXEC
    GOBACK.";
    check(
        ("ADDR", program),
        expect![[r#"
        ADDR
         DFHAC2206 SYNCPNT Transaction ADDR failed with abend ASRA in program ADDR.
         Updates to recoverable resources are backed out.

        ERROR AP: task 2 (ADDR), program ADDR: WRITEQ TS ended with abend ASRA, in ADDR, programs/ADDR.cbl line 9
    "#]],
    );
}

#[test]
fn a_condition_in_a_subprogram_is_told_with_its_own_line() {
    let caller = "PROCEDURE DIVISION.\n    CALL 'SUBP'\n    GOBACK.";
    let called = in_columns(
        "SUBP",
        "PROCEDURE DIVISION.\n\n    EXEC CICS DELETEQ TS QUEUE('NONE') END-EXEC\n    GOBACK.",
    );
    check_with(
        ("MAIN", caller),
        &[("programs/SUBP.cbl", &called)],
        expect![[r#"
        MAIN
         DFHAC2206 SYNCPNT Transaction MAIN failed with abend AEYH in program MAIN.
         Updates to recoverable resources are backed out.

        ERROR AP: task 2 (MAIN), program MAIN: DELETEQ TS ended with QIDERR, and the program does not handle it, in SUBP, programs/SUBP.cbl line 5
    "#]],
    );
}
