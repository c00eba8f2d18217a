//! Messages that a user reads about mistakes.

mod support;

use diagnostics::{Severity, Source};
use expect_test::{Expect, expect};
use support::read;

const COPYBOOKS: [(&str, &str); 3] = [
    ("LOOP.cpy", "           COPY LOOP.\n"),
    ("READACCT", "           EXEC CICS RAED FILE('ACCTDAT') END-EXEC.\n"),
    ("OUTER", "           COPY READACCT.\n"),
];

/// Translates the statements of a program and shows all messages.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    check_program(
        &format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ACCT.\n       PROCEDURE DIVISION.\n{statements}"
        ),
        Severity::Warning,
        expected,
    );
}

#[track_caller]
fn check_program(text: &str, unbuilt: Severity, expected: Expect) {
    let library = support::Members::new(COPYBOOKS.map(|(name, text)| (name.trim_end_matches(".cpy"), text)));
    let read = read(&Source::new("ACCT.cbl", text), &library, unbuilt);
    let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
    expected.assert_eq(&(messages.join("\n\n") + "\n"));
}

#[test]
fn a_command_that_is_none() {
    check(
        "           EXEC CICS RAED FILE('A') END-EXEC.\n",
        expect![[r#"
        error[SPTR030]: RAED is not an EXEC CICS command
         --> ACCT.cbl:4:22
          |
        4 |            EXEC CICS RAED FILE('A') END-EXEC.
          |                      ^^^^ no command starts with this word
          |
          = help: did you mean READ?
    "#]],
    );
    check(
        "           EXEC CICS HANDLE CONDITON ERROR(L) END-EXEC.\n",
        expect![[r#"
        error[SPTR031]: HANDLE CONDITON is not an EXEC CICS command
         --> ACCT.cbl:4:22
          |
        4 |            EXEC CICS HANDLE CONDITON ERROR(L) END-EXEC.
          |                      ^^^^^^ no command consists of these words
          |
          = help: did you mean CONDITION?
    "#]],
    );
    check(
        "           EXEC CICS END-EXEC.\n",
        expect![[r#"
        error[SPTR021]: EXEC CICS without a command
         --> ACCT.cbl:4:12
          |
        4 |            EXEC CICS END-EXEC.
          |            ^^^^^^^^^
    "#]],
    );
}

#[test]
fn an_option_that_is_none_or_comes_twice() {
    check(
        "           EXEC CICS READ FILE('A') INOT(B) RIDFLD(C)\n             FILE('D') END-EXEC.\n",
        expect![[r#"
            error[SPTR032]: INOT is not an option of READ
             --> ACCT.cbl:4:37
              |
            4 |            EXEC CICS READ FILE('A') INOT(B) RIDFLD(C)
              |                                     ^^^^ not known here
              |
              = help: did you mean INTO?

            error[SPTR033]: READ has the option FILE twice
             --> ACCT.cbl:5:14
              |
            5 |              FILE('D') END-EXEC.
              |              ^^^^ the second one
        "#]],
    );
    check(
        "           EXEC CICS READ FILE('A') DATASET('A') INTO(B) END-EXEC.\n",
        expect![[r#"
        error[SPTR033]: READ has the option FILE twice
         --> ACCT.cbl:4:37
          |
        4 |            EXEC CICS READ FILE('A') DATASET('A') INTO(B) END-EXEC.
          |                                     ^^^^^^^ the second one
    "#]],
    );
}

#[test]
fn values_missing_or_out_of_place() {
    check(
        "           EXEC CICS READ FILE INTO() UPDATE(X) END-EXEC.\n",
        expect![[r#"
        error[SPTR034]: FILE needs a value
         --> ACCT.cbl:4:27
          |
        4 |            EXEC CICS READ FILE INTO() UPDATE(X) END-EXEC.
          |                           ^^^^ no parentheses
          |
          = help: write FILE('NAME')

        error[SPTR034]: INTO needs a value
         --> ACCT.cbl:4:32
          |
        4 |            EXEC CICS READ FILE INTO() UPDATE(X) END-EXEC.
          |                                ^^^^ nothing in its parentheses
          |
          = help: write INTO(data-area)

        error[SPTR035]: UPDATE takes no value
         --> ACCT.cbl:4:39
          |
        4 |            EXEC CICS READ FILE INTO() UPDATE(X) END-EXEC.
          |                                       ^^^^^^
          |
          = help: leave out the parentheses
    "#]],
    );
    check(
        "           EXEC CICS ASSIGN APPLID('A') END-EXEC\n           EXEC CICS ASSIGN APPLID(A + 1) END-EXEC.\n",
        expect![[r#"
            error[SPTR036]: APPLID needs a data area to put its value in
             --> ACCT.cbl:4:29
              |
            4 |            EXEC CICS ASSIGN APPLID('A') END-EXEC
              |                             ^^^^^^ given a literal
              |
              = help: write APPLID(data-area)

            error[SPTR036]: APPLID needs a data area to put its value in
             --> ACCT.cbl:5:29
              |
            5 |            EXEC CICS ASSIGN APPLID(A + 1) END-EXEC.
              |                             ^^^^^^ given an expression
              |
              = help: compute it into a data item first
        "#]],
    );
    check(
        "           EXEC CICS READ 'A' END-EXEC.\n",
        expect![[r#"
        error[SPTR022]: 'A' is not an option
         --> ACCT.cbl:4:27
          |
        4 |            EXEC CICS READ 'A' END-EXEC.
          |                           ^^^ expected an option's name
          |
          = help: values stand in the parentheses of an option, as in FILE('ACCTDAT')
    "#]],
    );
    check(
        "           EXEC CICS SEND MAP(WS-MAP) END-EXEC.\n",
        expect![[r#"
        error[SPTR042]: SEND MAP of a map named at run time needs FROM
         --> ACCT.cbl:4:27
          |
        4 |            EXEC CICS SEND MAP(WS-MAP) END-EXEC.
          |                           ^^^
          |
          = help: write FROM(area), the symbolic map's record
    "#]],
    );
}

#[test]
fn a_name_in_quotes_that_is_too_long() {
    check(
        "           EXEC CICS LINK PROGRAM('STATEMENTS') CHANNEL('CH') END-EXEC
           EXEC CICS RETURN TRANSID('MENU      ') END-EXEC
           EXEC CICS ABEND ABCODE('WRONG') END-EXEC.\n",
        expect![[r#"
            warning[SPTR044]: PROGRAM takes a name of up to 8 characters
             --> ACCT.cbl:4:27
              |
            4 |            EXEC CICS LINK PROGRAM('STATEMENTS') CHANNEL('CH') END-EXEC
              |                           ^^^^^^^ STATEMEN is what it means
              |
              = help: shorten the name

            warning[SPTR044]: ABCODE takes a name of up to 4 characters
             --> ACCT.cbl:6:28
              |
            6 |            EXEC CICS ABEND ABCODE('WRONG') END-EXEC.
              |                            ^^^^^^ WRON is what it means
              |
              = help: shorten the name
        "#]],
    );
}

#[test]
fn a_parenthesis_or_an_end_is_missing() {
    check(
        "           EXEC CICS READ FILE('A' INTO(B) END-EXEC.\n",
        expect![[r#"
        error[SPTR023]: the parenthesis of FILE is not closed
         --> ACCT.cbl:4:31
          |
        4 |            EXEC CICS READ FILE('A' INTO(B) END-EXEC.
          |                               ^ opened here
          |
          = help: write ) behind the value
    "#]],
    );
    check(
        "           EXEC CICS RETURN.\n           EXEC CICS RETURN\n           EXEC CICS RETURN END-EXEC.\n",
        expect![[r#"
            error[SPTR020]: this EXEC has no END-EXEC
             --> ACCT.cbl:4:12
              |
            4 |            EXEC CICS RETURN.
              |            ^^^^^^^^^ starts here
              |
              = help: write END-EXEC behind the command's last option

            error[SPTR020]: this EXEC has no END-EXEC
             --> ACCT.cbl:5:12
              |
            5 |            EXEC CICS RETURN
              |            ^^^^^^^^^ starts here
              |
              = help: write END-EXEC behind the command's last option
        "#]],
    );
    check(
        "           DISPLAY 'ABC\n           GOBACK.\n",
        expect![[r#"
        error[SPTR002]: this literal has no closing quote
         --> ACCT.cbl:4:20
          |
        4 |            DISPLAY 'ABC
          |                    ^^^^ opened here
          |
          = help: close it on this line, or go on in the next with - in column 7 and a quote
    "#]],
    );
}

/// The parenthesis that closes the last option stands in column 73.
#[test]
fn a_parenthesis_behind_the_margin() {
    let line = format!("{:72})", "           EXEC CICS RETURN TRANSID('ABCD') COMMAREA(WS-REC) LENGTH(27");
    let statements = format!("{line}\n                END-EXEC.\n");
    check(
        &statements,
        expect![[r#"
            error[SPTR023]: the parenthesis of LENGTH is not closed
             --> ACCT.cbl:4:68
              |
            4 |            EXEC CICS RETURN TRANSID('ABCD') COMMAREA(WS-REC) LENGTH(27  )
              |                                                                    ^ opened here
              |
              = help: columns 73 to 80 are not read, and line 4 goes on there: begin a new line
        "#]],
    );
}

/// Empty parentheses of HANDLE are no label; those of other commands lack a value.
#[test]
fn empty_parentheses() {
    let codes = |command: &str| -> Vec<&str> {
        let text = format!(
            "       ID DIVISION.\n       PROGRAM-ID. ACCT.\n       PROCEDURE DIVISION.\n           EXEC CICS {command} END-EXEC.\n"
        );
        let library = support::Members::new([]);
        let read = read(&Source::new("ACCT.cbl", text), &library, Severity::Error);
        read.messages.iter().map(|message| message.code).collect()
    };
    assert!(codes("HANDLE AID CLEAR() PF3 ()").is_empty());
    assert!(codes("HANDLE CONDITION ERROR()").is_empty());
    assert_eq!(codes("RETURN TRANSID()"), ["SPTR034"]);
}

#[test]
fn a_line_that_goes_on_behind_its_margin() {
    check(
        "           EXEC CICS WRITEQ TS QUEUE(WS-QUEUE-NAME) FROM(WS-RECORD) END-EXEC\n           GOBACK.\n",
        expect![[r#"
            error[SPTR020]: this EXEC has no END-EXEC
             --> ACCT.cbl:4:12
              |
            4 |            EXEC CICS WRITEQ TS QUEUE(WS-QUEUE-NAME) FROM(WS-RECORD) END-EXEC
              |            ^^^^^^^^^ starts here
              |
              = help: columns 73 to 80 are not read, and line 4 goes on there: begin a new line
        "#]],
    );
}

#[test]
fn a_mistake_in_a_copybook_shows_the_way_to_it() {
    check(
        "           COPY OUTER.\n",
        expect![[r#"
        error[SPTR030]: RAED is not an EXEC CICS command
         --> READACCT:1:22
          |
        1 |            EXEC CICS RAED FILE('ACCTDAT') END-EXEC.
          |                      ^^^^ no command starts with this word
          |
         ::: OUTER:1:12
          |
        1 |            COPY READACCT.
          |            ------------- copied from here
          |
         ::: ACCT.cbl:4:12
          |
        4 |            COPY OUTER.
          |            ---------- copied from here
          |
          = help: did you mean READ?
    "#]],
    );
    check(
        "           COPY READACT.\n",
        expect![[r#"
        error[SPTR010]: no copybook READACT
         --> ACCT.cbl:4:12
          |
        4 |            COPY READACT.
          |            ^^^^^^^^^^^^ not found
          |
          = help: did you mean READACCT?
    "#]],
    );
    check(
        "           COPY LOOP.\n",
        expect![[r#"
        error[SPTR011]: copybook LOOP copies itself
         --> LOOP:1:12
          |
        1 |            COPY LOOP.
          |            ^^^^^^^^^
          |
         ::: ACCT.cbl:4:12
          |
        4 |            COPY LOOP.
          |            --------- copied from here
          |
          = help: take the COPY out of the member or of one that it copies
    "#]],
    );
    check(
        "           COPY A REPLACING B C.\n",
        expect![[r#"
        error[SPTR012]: this COPY statement cannot be read
         --> ACCT.cbl:4:31
          |
        4 |            COPY A REPLACING B C.
          |                               ^ expected BY
          |
          = help: COPY member [OF library] [REPLACING x BY y …] and a full stop
    "#]],
    );
}

#[test]
fn options_that_belong_together_or_do_not() {
    check(
        "           EXEC CICS READ FILE('A') END-EXEC.\n",
        expect![[r#"
        error[SPTR037]: READ needs RIDFLD
         --> ACCT.cbl:4:22
          |
        4 |            EXEC CICS READ FILE('A') END-EXEC.
          |                      ^^^^ an option is missing

        error[SPTR037]: READ needs INTO or SET
         --> ACCT.cbl:4:22
          |
        4 |            EXEC CICS READ FILE('A') END-EXEC.
          |                      ^^^^ an option is missing
    "#]],
    );
    check(
        "           EXEC CICS LINK PROGRAM('P') COMMAREA(C)\n             CHANNEL(D) END-EXEC.\n",
        expect![[r#"
            error[SPTR038]: LINK takes only one of COMMAREA and CHANNEL
             --> ACCT.cbl:4:22
              |
            4 |            EXEC CICS LINK PROGRAM('P') COMMAREA(C)
              |                      ^^^^
              |
              = help: leave out all but one
        "#]],
    );
    check(
        "           EXEC CICS ASKTIME NOHANDLE NOHANDLE END-EXEC.\n",
        expect![[r#"
        warning[SPTR033]: ASKTIME has the option NOHANDLE twice
         --> ACCT.cbl:4:39
          |
        4 |            EXEC CICS ASKTIME NOHANDLE NOHANDLE END-EXEC.
          |                                       ^^^^^^^^ the second one is ignored
    "#]],
    );
}

#[test]
fn a_source_without_a_program() {
    check_program(
        "       01  REC PIC X.\n",
        Severity::Error,
        expect![[r#"
            error[SPTR071]: ACCT.cbl holds no program
             |
             = help: a program begins with PROGRAM-ID; a copybook is read where it is copied
        "#]],
    );
}

#[test]
fn names_for_numbers_that_are_none() {
    check(
        "           IF A = DFHRESP(NOTFOND) OR DFHVALUE(OPNE) GOBACK.\n",
        expect![[r#"
        error[SPTR050]: no condition has the name NOTFOND
         --> ACCT.cbl:4:27
          |
        4 |            IF A = DFHRESP(NOTFOND) OR DFHVALUE(OPNE) GOBACK.
          |                           ^^^^^^^ not known
          |
          = help: did you mean NOTFND?

        error[SPTR050]: no CICS value has the name OPNE
         --> ACCT.cbl:4:48
          |
        4 |            IF A = DFHRESP(NOTFOND) OR DFHVALUE(OPNE) GOBACK.
          |                                                ^^^^ not known
          |
          = help: did you mean OPEN?
    "#]],
    );
}

#[test]
fn what_is_not_built_says_so() {
    let program = "       PROGRAM-ID. ACCT\n       PROCEDURE DIVISION.\n           EXEC SQL SIGNAL SQLSTATE '70000' END-EXEC\n           EXEC DLI GU END-EXEC\n           EXEC CICS CREATE MQMONITOR(P) ATTRIBUTES(A) END-EXEC.\n";
    check_program(
        program,
        Severity::Error,
        expect![[r#"
            error[SPTR061]: EXEC DLI is a command to IMS databases (DL/I), which are not there
             --> ACCT.cbl:4:12
              |
            4 |            EXEC DLI GU END-EXEC
              |            ^^^^^^^^
              |
              = help: keep the segments as records of files (EXEC CICS READ, WRITE) or as rows of tables (EXEC SQL)

            error[SPTR040]: CREATE MQMONITOR is not built yet
             --> ACCT.cbl:5:22
              |
            5 |            EXEC CICS CREATE MQMONITOR(P) ATTRIBUTES(A) END-EXEC.
              |                      ^^^^^^
              |
              = help: docs/compat/interface.md lists what is; not-yet = "warn" in [compile] lets the program run up to here

            error[SPTR062]: SIGNAL is not supported
             --> ACCT.cbl:3:21
              |
            3 |            EXEC SQL SIGNAL SQLSTATE '70000' END-EXEC
              |                     ^^^^^^

            warning[SPTR070]: PROGRAM-ID without a full stop
             --> ACCT.cbl:1:20
              |
            1 |        PROGRAM-ID. ACCT
              |                    ^^^^ one is supplied behind this name
              |
              = help: write a full stop behind the program's name
        "#]],
    );
}

#[test]
fn what_is_not_built_of_a_command_says_so() {
    let program = "       PROGRAM-ID. ACCT.\n       PROCEDURE DIVISION.\n           EXEC CICS COLLECT STATISTICS SET(P) STATS END-EXEC.\n";
    check_program(
        program,
        Severity::Error,
        expect![[r#"
            error[SPTR041]: SET of COLLECT STATISTICS is not built yet
             --> ACCT.cbl:3:41
              |
            3 |            EXEC CICS COLLECT STATISTICS SET(P) STATS END-EXEC.
              |                                         ^^^
              |
              = help: docs/compat/interface.md lists what is; not-yet = "warn" in [compile] lets the program run up to here
        "#]],
    );
}

#[test]
fn tabs_do_not_move_the_mark() {
    check(
        "\t\t\tEXEC CICS\tRAED FILE('A') END-EXEC.\n",
        expect![[r#"
        error[SPTR030]: RAED is not an EXEC CICS command
         --> ACCT.cbl:4:14
          |
        4 |             EXEC CICS    RAED FILE('A') END-EXEC.
          |                          ^^^^ no command starts with this word
          |
          = help: did you mean READ?
    "#]],
    );
}

#[test]
fn a_line_that_is_not_in_fixed_format() {
    check(
        "      PDISPLAY 'A'.\n",
        expect![[r#"
        error[SPTR001]: 'P' in column 7 means nothing
         --> ACCT.cbl:4:7
          |
        4 |       PDISPLAY 'A'.
          |       ^ the indicator column of fixed format
          |
          = help: text starts in column 8; for free format begin the text with >>SOURCE FORMAT IS FREE
    "#]],
    );
}

#[test]
fn tabs_that_lead_before_the_text_area_are_named() {
    check(
        "\tDISPLAY 'A'.\n",
        expect![[r#"
        error[SPTR001]: 'S' in column 7 means nothing
         --> ACCT.cbl:4:4
          |
        4 |     DISPLAY 'A'.
          |       ^ the indicator column of fixed format
          |
          = help: a tab goes to the next of columns 1, 5, 9, …: write blanks instead, so that text starts in column 8; for free format begin the text with >>SOURCE FORMAT IS FREE
    "#]],
    );
}
