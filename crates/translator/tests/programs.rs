//! What a program gets besides its calls: working storage, linkage, parameters and a first statement.

mod support;

use diagnostics::Source;
use expect_test::{Expect, expect};
use translator::{NotYet, Options, Translation, translate};

const COPYBOOKS: [(&str, &str); 2] = [
    ("COMM", "       01  AREA-X.\n           05  CA-KEY PIC X(8).\n"),
    ("EIB", "       01  DFHEIBLK.\n           02  EIBCALEN PIC S9(4) COMP.\n"),
];

fn translated(text: &str) -> Translation {
    let options = Options { not_yet: NotYet::Translate, ..Options::default() };
    translate(&Source::new("ACCT.cbl", text), &support::Members::new(COPYBOOKS), &options)
}

/// Translates a program, whose lines start in column 8, and shows all of it; the fields of the EXEC interface block
/// are left out. All of them compile.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let text: String = text.lines().map(|line| format!("       {line}\n")).collect();
    let translation = translated(&text);
    let said = support::compile(&translation.text);
    assert!(!said.contains(": error: "), "{said}");
    let messages: String =
        translation.messages.iter().map(|m| format!("{}: {}\n", m.code, m.message)).collect();
    let readable = support::readable(&translation.text);
    let shown =
        readable.lines().filter(|line| !line.contains("02  ")).map(|line| format!("{}\n", line.trim_start()));
    expected.assert_eq(&(messages + &shown.collect::<String>()));
}

#[test]
fn what_is_missing_is_supplied() {
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT.\nPROCEDURE DIVISION.\n    EXEC CICS RETURN END-EXEC.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'ACCT                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            CALL 'DFHEI1' USING <RETURN 1:  | >
            RETURNING INTO DFHEIRET END-CALL.
        "#]],
    );
}

#[test]
fn what_is_there_is_kept() {
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC X.\nLINKAGE SECTION.\n01 DFHCOMMAREA.\n   05 B PIC X.\nPROCEDURE DIVISION.\nMAIN.\n    EXEC CICS RETURN END-EXEC.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            01 A PIC X.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA.
            05 B PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'ACCT                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            MAIN.
            CALL 'DFHEI1' USING <RETURN 1:  | >
            RETURNING INTO DFHEIRET END-CALL.
        "#]],
    );
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT.\nDATA DIVISION.\nLINKAGE SECTION.\nCOPY EIB.\nCOPY COMM REPLACING AREA-X BY DFHCOMMAREA.\nPROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01  DFHCOMMAREA.
            05  CA-KEY PIC X(8).
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'ACCT                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            GOBACK.
        "#]],
    );
}

#[test]
fn a_named_commarea_comes_behind_the_interface_block() {
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT.\nDATA DIVISION.\nLINKAGE SECTION.\n01 DFHCOMMAREA PIC X.\nPROCEDURE DIVISION USING DFHCOMMAREA.\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'ACCT                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            GOBACK.
        "#]],
    );
}

#[test]
fn a_subprogram_takes_its_parameters_with_or_without_the_interface_block() {
    check(
        "ID DIVISION.\nPROGRAM-ID. SUBP.\nDATA DIVISION.\nLINKAGE SECTION.\n01 A PIC X.\nPROCEDURE DIVISION USING A.\n    EXEC CICS ASKTIME END-EXEC\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. SUBP.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            01 DFHEIA1 PIC X.
            01 DFHEIA2 PIC X.
            01 DFHEIA3 PIC X.
            01 A PIC X.
            PROCEDURE DIVISION USING DFHEIA1 DFHEIA2 DFHEIA3.
            CALL 'DFHEIN' USING 'SUBP                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB
            IF ADDRESS OF DFHEIA1 = DFHEIEIB
            SET ADDRESS OF DFHCOMMAREA TO ADDRESS OF DFHEIA2
            SET ADDRESS OF A TO ADDRESS OF DFHEIA3
            ELSE
            SET ADDRESS OF A TO ADDRESS OF DFHEIA1
            END-IF .
            CALL 'DFHEI1' USING <ASKTIME 1:  | >
            RETURNING INTO DFHEIRET END-CALL
            GOBACK.
        "#]],
    );
}

#[test]
fn parameters_by_value_are_kept() {
    check(
        "ID DIVISION.\nPROGRAM-ID. SUBP.\nDATA DIVISION.\nLINKAGE SECTION.\n01 A BINARY-LONG.\nPROCEDURE DIVISION USING BY VALUE A.\n    EXEC CICS ASKTIME END-EXEC\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. SUBP.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 A BINARY-LONG.
            PROCEDURE DIVISION USING BY VALUE A.
            CALL 'DFHEIN' USING 'SUBP                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            CALL 'DFHEI1' USING <ASKTIME 1:  | >
            RETURNING INTO DFHEIRET END-CALL
            GOBACK.
        "#]],
    );
}

#[test]
fn a_program_that_knows_nothing_of_cics_gets_only_its_first_statement() {
    check(
        "ID DIVISION.\nPROGRAM-ID. 'sub'.\nDATA DIVISION.\nLINKAGE SECTION.\n01 A PIC X.\nPROCEDURE DIVISION USING A.\n    CALL 'OTHER' USING A.\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. 'sub'.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            LINKAGE SECTION.
            01 A PIC X.
            PROCEDURE DIVISION USING A.
            CALL 'DFHEIN' USING 'SUB                           '
            RETURNING INTO DFHEIRET END-CALL .
            CALL 'OTHER' USING A.
            GOBACK.
        "#]],
    );
}

#[test]
fn a_program_may_care_for_its_linkage_itself() {
    check(
        "PROCESS CICS('NOLINKAGE')\nID DIVISION.\nPROGRAM-ID. ACCT.\nPROCEDURE DIVISION.\n    EXEC CICS RETURN END-EXEC.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            PROCEDURE DIVISION.
            CALL 'DFHEIN' USING 'ACCT                          '
            RETURNING INTO DFHEIRET END-CALL .
            CALL 'DFHEI1' USING <RETURN 1:  | >
            RETURNING INTO DFHEIRET END-CALL.
        "#]],
    );
}

#[test]
fn the_first_statement_stands_behind_the_declaratives_and_may_jump() {
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT.\nPROCEDURE DIVISION.\nDECLARATIVES.\nD SECTION. USE AFTER ERROR PROCEDURE ON INPUT.\nEND DECLARATIVES.\nMAIN SECTION.\n    EXEC CICS HANDLE ABEND LABEL(OOPS) END-EXEC.\nOOPS.\n    GOBACK.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. ACCT.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            DECLARATIVES.
            D SECTION. USE AFTER ERROR PROCEDURE ON INPUT.
            END DECLARATIVES.
            CALL 'DFHEIN' USING 'ACCT                          ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB
            GO TO
            OOPS
            DEPENDING ON DFHEIGO CONTINUE .
            MAIN SECTION.
            CALL 'DFHEI1' USING <HANDLE ABEND 1: LABEL | > 1
            RETURNING INTO DFHEIRET END-CALL
            GO TO OOPS DEPENDING ON DFHEIGO CONTINUE.
            OOPS.
            GOBACK.
        "#]],
    );
}

#[test]
fn each_program_of_a_source_is_translated_by_itself() {
    check(
        "ID DIVISION.\nPROGRAM-ID. OUTER.\nPROCEDURE DIVISION.\n    EXEC CICS RETURN END-EXEC.\nID DIVISION.\nPROGRAM-ID. INNER.\nPROCEDURE DIVISION.\n    EXEC CICS SYNCPOINT END-EXEC\n    EXEC CICS RETURN END-EXEC.\nEND PROGRAM INNER.\nEND PROGRAM OUTER.",
        expect![[r#"
            ID DIVISION.
            PROGRAM-ID. OUTER.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'OUTER                         ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            CALL 'DFHEI1' USING <RETURN 1:  | >
            RETURNING INTO DFHEIRET END-CALL.
            ID DIVISION.
            PROGRAM-ID. INNER.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            02 DFHEIEIB USAGE POINTER.
            LINKAGE SECTION.
            01  DFHEIBLK.
            01 DFHCOMMAREA PIC X.
            PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
            CALL 'DFHEIN' USING 'INNER                         ' DFHEIEIB
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF DFHEIBLK TO DFHEIEIB .
            CALL 'DFHEI1' USING <SYNCPOINT 1:  | >
            RETURNING INTO DFHEIRET END-CALL
            CALL 'DFHEI1' USING <RETURN 2:  | >
            RETURNING INTO DFHEIRET END-CALL.
            END PROGRAM INNER.
            END PROGRAM OUTER.
        "#]],
    );
}

#[test]
fn prose_of_the_identification_division_is_dropped() {
    check(
        "ID DIVISION.\nPROGRAM-ID. ACCT\nAUTHOR. SOMEBODY'S TEAM.\n    COPY of EXEC CICS.\nDATE-WRITTEN. May 2001.\nENVIRONMENT DIVISION.\nPROCEDURE DIVISION.\n    GOBACK.",
        expect![[r#"
            SPTR070: PROGRAM-ID without a full stop
            ID DIVISION.
            PROGRAM-ID. ACCT .
            ENVIRONMENT DIVISION.
            DATA DIVISION.
            WORKING-STORAGE SECTION.
            01 DFHEIV.
            02 DFHEIRET USAGE POINTER.
            02 DFHEIGO REDEFINES DFHEIRET PIC S9(9) COMP-5.
            PROCEDURE DIVISION.
            CALL 'DFHEIN' USING 'ACCT                          '
            RETURNING INTO DFHEIRET END-CALL .
            GOBACK.
        "#]],
    );
}

#[test]
fn the_programs_are_described() {
    let translation = translated(
        "CBL TRUNC(STD)\n       ID DIVISION.\n       PROGRAM-ID. acct.\n       DATA DIVISION.\n       LINKAGE SECTION.\n           COPY COMM.\n       PROCEDURE DIVISION.\n           EXEC CICS READ FILE('A')\n              INTO  (B) END-EXEC\n           COPY DFHAID.\n           EXEC CICS RETURN\n           END-EXEC.\n",
    );
    let mut shown = String::new();
    for program in &translation.programs {
        shown.push_str(&format!("{}\n", program.name));
        for statement in &program.statements {
            let place = &statement.origin.place;
            shown.push_str(&format!(
                "  {} at {}:{}: {}\n",
                statement.number, place.line, place.column, statement.text
            ));
        }
        program.copied.iter().for_each(|member| shown.push_str(&format!("  copies {}\n", member.name)));
    }
    for option in &translation.compiler_options {
        shown.push_str(&format!("{} = {}\n", option.name, option.value));
    }
    expect![[r#"
        ACCT
          1 at 8:12: READ FILE('A') INTO (B)
          2 at 11:12: RETURN
          copies COMM
          copies DFHAID
        TRUNC = STD
    "#]]
    .assert_eq(&shown);
}
