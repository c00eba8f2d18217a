//! What is written compiles: the calls in every position, the supplied members, and long descriptors. What the
//! compiler finds wrong is reported at the user's lines.

mod support;

use diagnostics::Source;
use expect_test::{Expect, expect};
use translator::{NotYet, Options, Translation, explain_cobc_output, supplied_names, translate};

const COPYBOOKS: [(&str, &str); 1] =
    [("MOVES", "           MOVE 1 TO WS-N.\n           MOVE 1 TO NOWHERE.\n")];

const DATA: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCT.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO 'F'.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
       01  F-REC               PIC X(80).
       WORKING-STORAGE SECTION.
       01  WS-REC              PIC X(80).
       01  WS-N                PIC S9(4) COMP.
       01  WS-Z                PIC 9(4).
       01  WS-T.
           05  WS-E            PIC X(4) OCCURS 10 TIMES.
       LINKAGE SECTION.
       01  LK-REC              PIC X(80).
       PROCEDURE DIVISION.
";

fn translated(statements: &str) -> Translation {
    let options = Options { not_yet: NotYet::Translate, ..Options::default() };
    let source = Source::new("ACCT.cbl", format!("{DATA}{statements}"));
    translate(&source, &support::Members::new(COPYBOOKS), &options)
}

/// Compiles a program with these statements and shows all messages.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    let translation = translated(statements);
    let mut messages = translation.messages.clone();
    messages.extend(explain_cobc_output(&translation, &support::compile(&translation.text)));
    let messages: String = messages.iter().map(|message| format!("{message}\n")).collect();
    expected.assert_eq(&messages);
}

#[test]
fn a_command_may_stand_wherever_a_statement_may() {
    check(
        "       MAIN-PARA.
           EXEC CICS HANDLE CONDITION ERROR(OOPS) END-EXEC.
           IF WS-N = 1 EXEC CICS RETURN END-EXEC.
           IF WS-N = 2
              EXEC CICS SYNCPOINT END-EXEC
           ELSE
              EXEC CICS RETURN END-EXEC
           END-IF
           EVALUATE WS-N
              WHEN 1 EXEC CICS SYNCPOINT END-EXEC
              WHEN 2
              WHEN 3
                 EXEC CICS READ FILE('F') INTO(WS-REC) RIDFLD(WS-N)
                      LENGTH(LENGTH OF WS-REC - 4) END-EXEC
              WHEN OTHER EXEC CICS SYNCPOINT END-EXEC
           END-EVALUATE
           PERFORM VARYING WS-N FROM 1 BY 1 UNTIL WS-N > 3
              EXEC CICS DELAY INTERVAL(0) END-EXEC
           END-PERFORM
           READ F AT END EXEC CICS RETURN END-EXEC
              NOT AT END EXEC CICS SYNCPOINT END-EXEC
           END-READ
           COMPUTE WS-N = WS-N + 1
              ON SIZE ERROR EXEC CICS ABEND END-EXEC
              NOT ON SIZE ERROR EXEC CICS SYNCPOINT END-EXEC
           END-COMPUTE
           EXEC CICS RETURN END-EXEC
           .
       OOPS.
           EXEC CICS RETURN
           END-EXEC.
",
        expect![[""]],
    );
}

#[test]
fn every_kind_of_argument_compiles() {
    check(
        "           EXEC CICS GETMAIN SET(ADDRESS OF LK-REC) FLENGTH(80)
                END-EXEC
           EXEC CICS WRITEQ TS QUEUE(WS-E(WS-N + 1))
                FROM(WS-REC(1:WS-N)) LENGTH(WS-N * 2) ITEM(WS-N)
                RESP(WS-Z) END-EXEC
           EXEC CICS SEND CONTROL CURSOR(-1) END-EXEC
           EXEC CICS RETURN TRANSID(SPACES) COMMAREA(WS-T)
                LENGTH(LENGTH OF WS-T) END-EXEC
           EXEC CICS RETURN TRANSID(WS-E OF WS-T (1))
                COMMAREA(FUNCTION TRIM(WS-REC)) END-EXEC
           EXEC CICS FREEMAIN DATAPOINTER(NULL) END-EXEC.
",
        expect![[""]],
    );
}

#[test]
fn a_command_with_many_options_compiles() {
    let options: Vec<String> = spec::find("ASSIGN").expect("a record").options[..60]
        .iter()
        .map(|option| format!("              {}(WS-REC)\n", option.name))
        .collect();
    check(&format!("           EXEC CICS ASSIGN\n{}           END-EXEC.\n", options.concat()), expect![[""]]);
}

#[test]
fn every_supplied_member_compiles() {
    for name in supplied_names() {
        let group = match name {
            "CEEIGZCT" => "       01  T.\n           02  V PIC X(8).\n",
            "DFHWBCDO" | "DFHWBEPO" | "DFHWBTDO" => "       01  T.\n",
            _ => "",
        };
        let section = if name == "SQLDA" { "LINKAGE" } else { "WORKING-STORAGE" };
        let text = format!(
            "       ID DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       {section} SECTION.\n{group}       COPY {name}.\n       PROCEDURE DIVISION.\n           GOBACK.\n"
        );
        let translation =
            translate(&Source::new("P", text), &support::Members::default(), &Options::default());
        assert_eq!(support::compile(&translation.text), "", "{name}");
    }
}

#[test]
fn operators_may_start_a_line() {
    check(
        "           COMPUTE WS-N = WS-N
           * 2
           / 3
           - WS-N
           GOBACK.
",
        expect![[""]],
    );
}

#[test]
fn a_label_that_is_no_paragraph_is_told_where_it_stands() {
    check(
        "           EXEC CICS ASKTIME END-EXEC
           EXEC CICS HANDLE CONDITION
                NOTFND(NO-REC)
           END-EXEC
           EXEC CICS ASKTIME END-EXEC
           GOBACK.
",
        expect![[r#"
            error[SPTR090]: 'NO-REC' is not defined
              --> ACCT.cbl:22:24
               |
            22 |                 NOTFND(NO-REC)
               |                        ^^^^^^ says the COBOL compiler
        "#]],
    );
}

#[test]
fn a_symbolic_map_that_is_not_copied_is_told_of() {
    check(
        "           EXEC CICS SEND MAP('MENU') MAPSET('MENUS') END-EXEC
           EXEC CICS RECEIVE MAP('MENU') END-EXEC
           GOBACK.
",
        expect![[r#"
            error[SPTR090]: 'MENUO' is not defined
              --> ACCT.cbl:20:12
               |
            20 |            EXEC CICS SEND MAP('MENU') MAPSET('MENUS') END-EXEC
               |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says the COBOL compiler
               |
               = help: without FROM the command uses MENUO, a record of the symbolic map: COPY its mapset, or write FROM(area)
            error[SPTR090]: 'MENUI' is not defined
              --> ACCT.cbl:21:12
               |
            21 |            EXEC CICS RECEIVE MAP('MENU') END-EXEC
               |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says the COBOL compiler
               |
               = help: without INTO the command uses MENUI, a record of the symbolic map: COPY its mapset, or write INTO(area)
        "#]],
    );
}

#[test]
fn what_the_compiler_finds_is_told_of_the_users_lines() {
    check(
        "           EXEC CICS READ FILE('F')
                INTO(WS-RCE) RIDFLD(WS-N)
           END-EXEC
           COPY MOVES.
           GOBACK.
",
        expect![[r#"
            error[SPTR090]: 'WS-RCE' is not defined
              --> ACCT.cbl:21:22
               |
            21 |                 INTO(WS-RCE) RIDFLD(WS-N)
               |                      ^^^^^^ says the COBOL compiler
            error[SPTR090]: 'NOWHERE' is not defined
              --> MOVES:2:22
               |
             2 |            MOVE 1 TO NOWHERE.
               |                      ^^^^^^^ says the COBOL compiler
               |
              ::: ACCT.cbl:23:12
               |
            23 |            COPY MOVES.
               |            ---------- copied from here
        "#]],
    );
}

/// Enterprise COBOL supplies a full stop in front of a record; so a program that lacks one has always run.
#[test]
fn a_full_stop_in_front_of_a_record_is_supplied() {
    let text = "       ID DIVISION.
       PROGRAM-ID. STOPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-A                PIC X(7) VALUE 'MENU'
       01  WS-B.
           05  WS-C            PIC 9(2) OCCURS
               10 TIMES
       77  WS-D                PIC 9(2) VALUE
       01.
       PROCEDURE DIVISION.
           MOVE WS-A TO WS-B.
           GOBACK.
";
    let translation =
        translate(&Source::new("STOPS", text), &support::Members::default(), &Options::default());
    let lines: Vec<usize> =
        translation.messages.iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [6, 9]);
    assert!(translation.messages.iter().all(|message| message.code == "SPTR072"));
    assert_eq!(support::compile(&translation.text), "");
}
