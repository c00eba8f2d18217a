//! The meaning of DFHCSDUP text, and the messages about it.

use csd::{Command, Csd, ResourceType, parse};
use diagnostics::Source;
use expect_test::{Expect, expect};
use jcl::Tokens;

/// Shows the commands that a text holds, and the messages about it.
fn check(text: &str, expected: Expect) {
    check_with(text, &[], expected);
}

fn check_with(text: &str, tokens: &[(&str, &str)], expected: Expect) {
    let tokens: Tokens = tokens.iter().map(|(t, v)| (t.to_string(), v.to_string())).collect();
    let parsed = parse(&Source::new("APP.csd", text), &tokens);
    let mut out = String::new();
    for command in &parsed.commands {
        match command {
            Command::Define(definition) => out += &format!("{definition}\n"),
            Command::Alter(definition) => out += &format!("ALTER as {definition}\n"),
            other => out += &format!("{}\n", without_places(&format!("{other:?}"))),
        }
    }
    for message in &parsed.messages {
        out += &format!("{message}\n");
    }
    expected.assert_eq(&out);
}

/// A debug text up to the first place in it.
fn without_places(text: &str) -> &str {
    text.split(", place").next().unwrap_or(text)
}

#[test]
fn attributes_stand_on_many_lines_in_any_case_and_abbreviated() {
    check(
        "* File definitions\n\
         define file(acctdat) group(bank)\n\
         \x20      dsname( app.acct.ksds )  READ (YES)\n\
         \n\
         \x20      desc(Accounts  and\n\
         \x20           balances) LSRPOOLNUM(none)\n\
         DEF PROG(ACCT01) G(BANK) DA(ANY)\n\
         DEFINE TRANSACTION(Ac01) GROUP(BANK) TASKDATAL(BELOW) WAITTIME(0, 0,5)",
        expect![[r#"
            DEFINE FILE(ACCTDAT) GROUP(BANK)
                   DSNAME(APP.ACCT.KSDS)
                   READ(YES)
                   DESCRIPTION(Accounts  and balances)
                   LSRPOOLNUM(NONE)
            DEFINE PROGRAM(ACCT01) GROUP(BANK)
                   DATALOCATION(ANY)
            DEFINE TRANSACTION(Ac01) GROUP(BANK)
                   TASKDATALOC(BELOW)
                   WAITTIME(0,0,5)
        "#]],
    );
}

#[test]
fn values_may_be_quoted_and_nested() {
    check(
        "DEFINE MAPSET(A) GROUP(G) DESCRIPTION('it''s (one')\n\
         DEFINE MAPSET(B) GROUP(G) DESCRIPTION(first (second) John's)",
        expect![[r#"
            DEFINE MAPSET(A) GROUP(G)
                   DESCRIPTION('it''s (one')
            DEFINE MAPSET(B) GROUP(G)
                   DESCRIPTION('first (second) John''s')
        "#]],
    );
}

#[test]
fn a_value_goes_on_in_column_1_after_an_asterisk_in_column_72() {
    let first = format!("{:0<71}*", "DEFINE TRANSACTION(LU62) GROUP(G) XTPNAME(C1");
    let parsed = parse(&Source::new("APP.csd", format!("{first}\nC2C3)\n")), &Tokens::new());
    let Some(Command::Define(definition)) = parsed.commands.first() else { panic!("{:?}", parsed.messages) };
    assert_eq!(definition.get("XTPNAME"), Some(format!("C1{}C2C3", "0".repeat(27)).as_str()));
}

#[test]
fn tokens_are_replaced_first() {
    check_with(
        "DEFINE FILE(A) GROUP(@GRP@) DSNAME(<HLQ>.DATA)",
        &[("<HLQ>", "PROD.APP"), ("@GRP@", "BANK")],
        expect![[r#"
            DEFINE FILE(A) GROUP(BANK)
                   DSNAME(PROD.APP.DATA)
        "#]],
    );
}

#[test]
fn a_job_holds_definitions_in_its_stream() {
    check(
        "//DEF JOB\n\
         //  SET HLQ=A.B\n\
         //S1 EXEC PGM=IEFBR14\n\
         //SYSIN DD *\n\
         DEFINE NONSENSE\n\
         /*\n\
         //S2 EXEC PGM=DFHCSDUP\n\
         //SYSIN DD *,SYMBOLS=JCLONLY\n\
         */*************\n\
         DEFINE LIBRARY(L) GROUP(G)\n\
         \x20  DSNAME01(&HLQ..LOADLIB) dsname16(X)\n\
         /*\n",
        expect![[r#"
            DEFINE LIBRARY(L) GROUP(G)
                   DSNAME01(A.B.LOADLIB)
                   DSNAME16(X)
        "#]],
    );
}

#[test]
fn the_other_commands() {
    check(
        "ADD GROUP(G1) LIST(L)\n\
         ADD GROUP(G0) LI(L) BEFORE(G1)\n\
         REMOVE GROUP(G1) LIST(L)\n\
         DELETE GROUP(G)\n\
         \x20  REMOVE\n\
         DELETE PROGRAM(P) GROUP(G)\n\
         DELETE LIST(L)\n\
         COPY GROUP(A) TO(B) REPLACE\n\
         COPY FILE(F) GROUP(A) TO(B)\n\
         APPEND LIST(L) TO(M)\n\
         ALTER TRANSACTION(T*) GROUP(G) PRIORITY(9)\n\
         LIST ALL OBJECTS\n\
         UPGRADE USING(X)",
        expect![[r#"
            Add { group: "G1", list: "L", position: Last
            Add { group: "G0", list: "L", position: Before("G1")
            Remove { group: "G1", list: "L"
            Delete(Group { group: "G", remove: true
            Delete(Definition { resource: Program, name: "P", group: "G", remove: false
            Delete(List { list: "L"
            Copy { group: "A", to: "B", only: None, named: None, duplicates: Replace
            Copy { group: "A", to: "B", only: Some((File, "F")), named: None, duplicates: Refuse
            Append { list: "L", to: "M"
            ALTER as DEFINE TRANSACTION(T*) GROUP(G)
                   PRIORITY(9)
            note[SPCS014]: UPGRADE does nothing here
              --> APP.csd:13:1
               |
            13 | UPGRADE USING(X)
               | ^^^^^^^
        "#]],
    );
}

#[test]
fn what_is_wrong_is_shown_at_its_place() {
    check(
        "DEFINE FILE(A) GROUP(G) STATUS(OPEN) RECORDSISE(80) LSRPOOLID(1)\n\
         DEFINE TRAN(ABCD) GROUP(G)\n\
         DEFINE TRANSACTION(ABCDE) GROUP(G) PROGRAM(P) PROGRAM(Q)\n\
         DEFINE PROGRAM(P)\n\
         DEFINE PROGRAMM(P) GROUP(G)\n\
         DEFNE PROGRAM(P) GROUP(G)",
        expect![[r#"
            DEFINE FILE(A) GROUP(G)
                   LSRPOOLID(1)
            DEFINE TRANSACTION(ABCDE) GROUP(G)
                   PROGRAM(Q)
            error[SPCS007]: STATUS cannot be OPEN
             --> APP.csd:1:32
              |
            1 | DEFINE FILE(A) GROUP(G) STATUS(OPEN) RECORDSISE(80) LSRPOOLID(1)
              |                                ^^^^
              |
              = help: legal values: ENABLED, DISABLED, UNENABLED
            warning[SPCS005]: RECORDSISE is not an attribute of FILE
             --> APP.csd:1:38
              |
            1 | DEFINE FILE(A) GROUP(G) STATUS(OPEN) RECORDSISE(80) LSRPOOLID(1)
              |                                      ^^^^^^^^^^
              |
              = help: did you mean RECORDSIZE? It is ignored as it stands
            warning[SPCS008]: LSRPOOLID of FILE is obsolete
             --> APP.csd:1:53
              |
            1 | DEFINE FILE(A) GROUP(G) STATUS(OPEN) RECORDSISE(80) LSRPOOLID(1)
              |                                                     ^^^^^^^^^
              |
              = help: it may be left out
            error[SPCS006]: TRAN may mean several things
             --> APP.csd:2:8
              |
            2 | DEFINE TRAN(ABCD) GROUP(G)
              |        ^^^^
              |
              = help: write one of them in full: TRANCLASS, TRANSACTION
            error[SPCS010]: TRANSACTION name ABCDE is longer than 4 characters
             --> APP.csd:3:20
              |
            3 | DEFINE TRANSACTION(ABCDE) GROUP(G) PROGRAM(P) PROGRAM(Q)
              |                    ^^^^^
              |
              = help: a name has 1 to 4 characters and no blanks
            warning[SPCS009]: PROGRAM is given twice
             --> APP.csd:3:55
              |
            3 | DEFINE TRANSACTION(ABCDE) GROUP(G) PROGRAM(P) PROGRAM(Q)
              |                                                       ^ this one counts
              |
              = help: leave one out
            error[SPCS004]: DEFINE needs GROUP
             --> APP.csd:4:1
              |
            4 | DEFINE PROGRAM(P)
              | ^^^^^^
              |
              = help: the command is left out
            error[SPCS003]: PROGRAMM is not a type of resource
             --> APP.csd:5:8
              |
            5 | DEFINE PROGRAMM(P) GROUP(G)
              |        ^^^^^^^^
              |
              = help: did you mean PROGRAM?
            error[SPCS001]: DEFNE is not a command of DFHCSDUP
             --> APP.csd:6:1
              |
            6 | DEFNE PROGRAM(P) GROUP(G)
              | ^^^^^
              |
              = help: did you mean DEFINE?
        "#]],
    );
}

#[test]
fn a_parenthesis_that_is_never_closed_spoils_only_its_line() {
    check(
        "DEFINE MAPSET(A) GROUP(G) DESCRIPTION(oops\nDEFINE MAPSET(B) GROUP(G)\n",
        expect![[r#"
        DEFINE MAPSET(A) GROUP(G)
               DESCRIPTION(oops)
        DEFINE MAPSET(B) GROUP(G)
        error[SPCS011]: this parenthesis is never closed
         --> APP.csd:1:38
          |
        1 | DEFINE MAPSET(A) GROUP(G) DESCRIPTION(oops
          |                                      ^ opened here
          |
          = help: close it after the value; put a value that holds parentheses in quotes
    "#]],
    );
}

#[test]
fn defaults_come_from_the_published_table() {
    let parsed = parse(
        &Source::new("APP.csd", "DEFINE TRANSACTION(T) GROUP(G) TWASIZE(64) DTIMOUT(NO) REMOTENAME()"),
        &Tokens::new(),
    );
    let mut csd = Csd::default();
    assert!(csd.apply(&parsed.commands).is_empty());
    let definition = &csd.group("G")[0];
    assert_eq!(definition.resource, ResourceType::Transaction);
    assert_eq!(definition.number("TWASIZE"), Some(64));
    assert_eq!(definition.number("DTIMOUT"), None);
    assert_eq!(definition.get("PROFILE"), Some("DFHCICST"));
    assert_eq!(definition.get("REMOTENAME"), None);
    assert_eq!(definition.numbers("WAITTIME"), [0, 0, 0]);
    assert!(definition.flag("SPURGE") && definition.is("STATUS", "ENABLED"));
    assert!(definition.given("PROFILE").is_none());
}

#[test]
fn what_only_people_read_is_cut_with_a_warning() {
    let long = "x".repeat(60);
    check(
        &format!("DEFINE MAPSET(A) GROUP(G) DESCRIPTION({long})\nDEFINE DJAR(OLD) GROUP(G) HFSFILE(/x)"),
        expect![[r#"
            DEFINE MAPSET(A) GROUP(G)
                   DESCRIPTION(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)
            warning[SPCS015]: DESCRIPTION has more than 58 characters
             --> APP.csd:1:39
              |
            1 | DEFINE MAPSET(A) GROUP(G) DESCRIPTION(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)
              |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: what stands behind them is not kept; nothing else depends on it
            warning[SPCS008]: DJAR is no longer a type of resource
             --> APP.csd:2:8
              |
            2 | DEFINE DJAR(OLD) GROUP(G) HFSFILE(/x)
              |        ^^^^
              |
              = help: the command is passed over; it can be left out
        "#]],
    );
}
