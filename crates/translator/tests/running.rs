//! What the host sees when a translated program runs: fields, numbers and constants, labels, and a RETURN-CODE that
//! stays the program's own. The host is a few lines of C here.

mod support;

use std::fs;
use std::process::Command;

use diagnostics::Source;
use expect_test::expect;
use translator::{COBC_FLAGS, NoLibrary, NotYet, Options, translate};

/// Prints type, size, constant flag and value of every argument. The second command jumps to label 2, with something
/// in the half of the register that an `int` leaves undefined.
const HOST: &str = r#"
#include <stdio.h>
#include <libcob.h>
static char eib[85];
static int calls;
extern int ACCT(void *, void *);
static void show(int arguments) {
    cob_field **fields = cob_get_global_ptr()->cob_current_module->cob_procedure_params;
    for (int i = 1; i <= arguments; i++) {
        cob_field *f = fields[i];
        printf(" %02x/%d%s:", f->attr->type, (int)f->size, f->attr->flags & 0x1000 ? "c" : "");
        if (f->attr->type == 0x21) printf("%.*s", (int)f->size, f->data);
        else printf("%lld", cob_get_llint(f));
    }
    printf("\n");
}
long DFHEIN(char *name, void **block) {
    printf("in %.30s|\n", name);
    if (cob_get_global_ptr()->cob_call_params > 1) *block = eib;
    return 0;
}
long DFHEI1(unsigned char *descriptor) {
    printf("call %d:", descriptor[2]);
    show(descriptor[4]);
    return ++calls == 2 ? 0x1234567800000002 : 0x1234567800000000;
}
int main(int argc, char **argv) {
    cob_init(argc, argv);
    cob_get_global_ptr()->cob_call_params = 2;
    eib[25] = 4;
    printf("ended with %d\n", ACCT(eib, "comm"));
    return 0;
}
"#;

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-REC PIC X(5) VALUE 'hello'.
       01  WS-N   PIC S9(4) COMP VALUE 7.
       01  WS-R   PIC S9(8) COMP VALUE 9.
       PROCEDURE DIVISION.
           MOVE 42 TO RETURN-CODE
           EXEC CICS HANDLE CONDITION NOTFND(NEVER) ERROR(OOPS)
           END-EXEC
           EXEC CICS WRITEQ TS QUEUE('Q') FROM(WS-REC(2:3))
              ITEM(WS-N) LENGTH(WS-N * -2) RESP(WS-R) END-EXEC
           DISPLAY 'not here'.
       NEVER.
           DISPLAY 'nor here'.
       OOPS.
           DISPLAY 'jumped'
           EXEC CICS SEND CONTROL CURSOR(-1) END-EXEC
           GOBACK.
";

/// A subprogram, called as applications call it: with its parameters alone, and as other translators want it.
const CALLS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-A PIC X(5) VALUE 'first'.
       01  WS-B PIC X(6) VALUE 'second'.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(4).
       PROCEDURE DIVISION.
           CALL 'SUBP' USING WS-A WS-B
           CALL 'SUBP' USING DFHEIBLK DFHCOMMAREA WS-A WS-B
           GOBACK.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SUBP.
       DATA DIVISION.
       LINKAGE SECTION.
       01  LK-A PIC X(5).
       01  LK-B PIC X(6).
       PROCEDURE DIVISION USING LK-A BY REFERENCE LK-B.
           EXEC CICS WRITEQ TS QUEUE(LK-A) FROM(LK-B) END-EXEC
           IF EIBCALEN = 4 DISPLAY 'the block is there' END-IF
           GOBACK.
       END PROGRAM SUBP.
       END PROGRAM ACCT.
";

/// Jumps that are not made, as last statements of a WHEN: the program's own, and that behind a command.
const WHENS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-T.
           05 WS-N PIC 9 OCCURS 2 VALUE 0.
       PROCEDURE DIVISION.
           EXEC CICS HANDLE CONDITION ERROR(OOPS) END-EXEC
           EVALUATE TRUE
              WHEN WS-N (1) = 0 GO TO OOPS DEPENDING WS-N OF WS-T (1)
              WHEN OTHER DISPLAY 'another WHEN'
           END-EVALUATE
           MOVE 1 TO WS-N (2)
           EVALUATE TRUE
              WHEN WS-N (1) = 1 CONTINUE
              WHEN WS-N (1) = 0
                 DISPLAY 'this WHEN'
                 EXEC CICS SYNCPOINT END-EXEC
              WHEN OTHER
                 DISPLAY 'another WHEN'
           END-EVALUATE
           GOBACK.
       OOPS.
           DISPLAY 'jumped'
           GOBACK.
";

/// Exception phrases of CALL around statements to which the compiler would give them.
const EXCEPTIONS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-A PIC X(5).
       PROCEDURE DIVISION.
           CALL 'NOTHERE'
              ON EXCEPTION DISPLAY 'absent'
              NOT ON EXCEPTION DISPLAY 'there'
           END-CALL
           CALL 'NOTHERE'
              EXCEPTION MOVE 'again' TO WS-A DISPLAY 'absent'
              NOT EXCEPTION DISPLAY 'there'
           END-CALL
           DISPLAY WS-A
           CALL 'SUBP'
              EXCEPTION ACCEPT WS-A FROM DATE
              NOT EXCEPTION
                 CALL 'NOTHERE' ON EXCEPTION DISPLAY 'inner' END-CALL
                 DISPLAY 'outer'
           END-CALL
           GOBACK.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SUBP.
       PROCEDURE DIVISION.
           DISPLAY 'in SUBP'.
       END PROGRAM SUBP.
       END PROGRAM ACCT.
";

/// Translates a program, builds it with the host and answers what the run prints.
fn run(program: &str) -> String {
    let options = Options { not_yet: NotYet::Translate, ..Options::default() };
    let translation = translate(&Source::new("ACCT.cbl", program), &NoLibrary, &options);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    fs::write(folder.path().join("acct.cbl"), &translation.text).expect("writable");
    fs::write(folder.path().join("host.c"), HOST).expect("writable");
    let compiled = Command::new("cobc")
        .args(["-x", "-o", "acct"])
        .args(COBC_FLAGS)
        .args(["host.c", "acct.cbl"])
        .current_dir(folder.path())
        .output()
        .expect("cobc is installed");
    assert_eq!(String::from_utf8_lossy(&compiled.stderr), "");
    let run = Command::new(folder.path().join("acct")).output().expect("it was built");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

#[test]
fn arguments_labels_and_the_return_code() {
    expect![[r#"
        in ACCT                          |
        call 1: 11/4c:1 11/4c:2
        call 2: 21/1c:Q 21/3:ell 11/2:7 11/8:-14 11/4:9
        jumped
        call 3: 11/4c:-1
        ended with 42
    "#]]
    .assert_eq(&run(PROGRAM));
}

#[test]
fn a_subprogram_is_called_in_two_ways() {
    expect![[r#"
        in ACCT                          |
        in SUBP                          |
        call 1: 21/5:first 21/6:second
        the block is there
        in SUBP                          |
        call 1: 21/5:first 21/6:second
        the block is there
        ended with 0
    "#]]
    .assert_eq(&run(CALLS));
}

#[test]
fn exception_phrases_go_with_the_statement_that_has_them() {
    expect![[r#"
        in ACCT                          |
        absent
        absent
        again
        in SUBP                          |
        in SUBP
        inner
        outer
        ended with 0
    "#]]
    .assert_eq(&run(EXCEPTIONS));
}

#[test]
fn a_jump_that_is_not_made_goes_on_behind_its_evaluate() {
    expect![[r#"
        in ACCT                          |
        call 1: 11/4c:1
        this WHEN
        call 2:
        ended with 0
    "#]]
    .assert_eq(&run(WHENS));
}
