//! What a command becomes.

mod support;

use diagnostics::Source;
use expect_test::{Expect, expect};
use translator::{Format, NoLibrary, NotYet, Options, translate};

/// Translates one statement of a program and shows what stands in its place.
#[track_caller]
fn check(statement: &str, expected: Expect) {
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ACCT.\n       PROCEDURE DIVISION.\n       MAIN-PARA.\n{}\n",
        statement.lines().map(|line| format!("           {line}")).collect::<Vec<_>>().join("\n")
    );
    let options = Options { not_yet: NotYet::Translate, format: Format::Free, ..Options::default() };
    let translation = translate(&Source::new("ACCT.cbl", text), &NoLibrary, &options);
    let messages: String =
        translation.messages.iter().map(|m| format!("{}: {}\n", m.code, m.message)).collect();
    let readable = support::readable(&translation.text);
    let body = readable.split_once("MAIN-PARA.\n").map_or("", |(_, body)| body);
    expected.assert_eq(
        &(messages + &body.lines().map(|l| l.trim_start().to_string() + "\n").collect::<String>()),
    );
}

#[test]
fn arguments_are_passed_as_they_stand() {
    check(
        "EXEC CICS READ FILE('ACCTDAT') INTO(WS-REC) RIDFLD(WS-KEY OF WS-K)\n     LENGTH(LENGTH OF WS-REC) UPDATE RESP(WS-RESP)\nEND-EXEC.",
        expect![[r#"
            CALL 'DFHEI1' USING <READ 1: FILE INTO RIDFLD LENGTH RESP | UPDATE> 'ACCTDAT' WS-REC WS-KEY OF WS-K
            LENGTH OF WS-REC WS-RESP
            RETURNING INTO DFHEIRET END-CALL.
        "#]],
    );
    check(
        "EXEC CICS SEND CONTROL CURSOR(-1) ERASE END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SEND CONTROL 1: CURSOR | ERASE> -1
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SEND CONTROL CURSOR ERASE END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SEND CONTROL 1:  | CURSOR ERASE>
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS WRITEQ TS QUEUE(WS-Q(1:WS-N)) FROM(WS-T (I + 1)) ITEM(WS-I) END-EXEC.",
        expect![[r#"
            CALL 'DFHEI1' USING <WRITEQ TS 1: QUEUE FROM ITEM | > WS-Q(1:WS-N) WS-T (I + 1) WS-I
            RETURNING INTO DFHEIRET END-CALL.
        "#]],
    );
}

#[test]
fn full_stops_are_never_added_or_dropped() {
    check(
        "IF A = 1 EXEC CICS SYNCPOINT END-EXEC ELSE EXEC CICS RETURN END-EXEC END-IF.",
        expect![[r#"
            IF A = 1
            CALL 'DFHEI1' USING <SYNCPOINT 1:  | >
            RETURNING INTO DFHEIRET END-CALL ELSE
            CALL 'DFHEI1' USING <RETURN 2:  | >
            RETURNING INTO DFHEIRET END-CALL END-IF.
        "#]],
    );
    check(
        "EXEC CICS RETURN END-EXEC\n.",
        expect![[r#"
            CALL 'DFHEI1' USING <RETURN 1:  | >
            RETURNING INTO DFHEIRET END-CALL
            .
        "#]],
    );
}

#[test]
fn words_may_be_left_out_or_come_in_any_order() {
    check(
        "EXEC CICS WRITEQ QUEUE('Q') FROM(A) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <WRITEQ TS 1: QUEUE FROM | > 'Q' A
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SEND FREEKB MAPSET('S') FROM(B) MAP('M') END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SEND MAP 1: MAPSET FROM MAP | FREEKB> 'S' B 'M'
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "exec cics endbr dataset ( ws-file ) end-exec",
        expect![[r#"
            CALL 'DFHEI1' USING <ENDBR 1: FILE | > ws-file
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS ISSUE COPY TERMID('T001') END-EXEC",
        expect![[r#"
        CALL 'DFHEI1' USING <ISSUE COPY 1: TERMID | > 'T001'
        RETURNING INTO DFHEIRET END-CALL
    "#]],
    );
    check(
        "EXEC CICS DELAY FOR SECONDS(5) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <DELAY 1: SECONDS | FOR> 5
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SYNCPOINT ROLLBACK END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SYNCPOINT ROLLBACK 1:  | >
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS START TRANSID('AAAA') CHANNEL(C) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <START CHANNEL 1: TRANSID CHANNEL | > 'AAAA' C
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS DELETE CHANNEL(C) CONTAINER(D) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <DELETE CONTAINER 1: CHANNEL CONTAINER | > C D
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
}

#[test]
fn system_commands_have_values_and_browse_forms() {
    check(
        "EXEC CICS INQUIRE FILE(F) OPENSTATUS(S) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <INQUIRE FILE 1: FILE OPENSTATUS | > F S
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS INQUIRE FILE START END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <INQUIRE FILE 1:  | START>
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS INQUIRE FILE(F) NEXT END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <INQUIRE FILE 1: FILE | NEXT> F
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS INQUIRE DATASET(F) OPENSTATUS(S) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <INQUIRE FILE 1: FILE OPENSTATUS | > F S
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SET FILE(F) OPEN END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SET FILE 1: FILE | OPEN> F
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SET FILE(F) OPENSTATUS(DFHVALUE(CLOSED)) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SET FILE 1: FILE OPENSTATUS | > F 19
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
}

#[test]
fn a_symbolic_map_is_the_default_area() {
    check(
        "EXEC CICS SEND MAP('ACCTM') MAPSET('ACCTS') END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SEND MAP 1: MAP MAPSET FROM | > 'ACCTM' 'ACCTS' ACCTMO
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS SEND MAP('ACCTM') MAPONLY END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <SEND MAP 1: MAP | MAPONLY> 'ACCTM'
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS RECEIVE MAP('ACCTM') END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <RECEIVE MAP 1: MAP INTO | > 'ACCTM' ACCTMI
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS RECEIVE MAP(WS-MAP) END-EXEC",
        expect![[r#"
            SPTR042: RECEIVE MAP of a map named at run time needs INTO
            CALL 'DFHEI1' USING <RECEIVE MAP 1: MAP | > WS-MAP
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
}

#[test]
fn addresses_and_arithmetic_take_a_temporary() {
    check(
        "EXEC CICS GETMAIN SET(ADDRESS OF REC) FLENGTH(LENGTH OF A + 4) END-EXEC",
        expect![[r#"
            SET DFHEIP1 TO ADDRESS OF REC
            COMPUTE DFHEIX1 = LENGTH OF A + 4
            CALL 'DFHEI1' USING <GETMAIN 1: SET FLENGTH | > DFHEIP1 DFHEIX1
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF REC TO DFHEIP1
        "#]],
    );
    check(
        "EXEC CICS FREEMAIN DATAPOINTER(ADDRESS OF REC) END-EXEC",
        expect![[r#"
            SET DFHEIP1 TO ADDRESS OF REC
            CALL 'DFHEI1' USING <FREEMAIN 1: DATAPOINTER | > DFHEIP1
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
    check(
        "EXEC CICS ADDRESS COMMAREA(ADDRESS OF REC) CWA(P) END-EXEC",
        expect![[r#"
            SET DFHEIP1 TO ADDRESS OF REC
            CALL 'DFHEI1' USING <ADDRESS 1: COMMAREA CWA | > DFHEIP1 P
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF REC TO DFHEIP1
        "#]],
    );
    check(
        "EXEC CICS ADDRESS SET(ADDRESS OF A) USING(ADDRESS OF B) END-EXEC",
        expect![[r#"
            SET DFHEIP1 TO ADDRESS OF A
            SET DFHEIP2 TO ADDRESS OF B
            CALL 'DFHEI1' USING <ADDRESS SET 1: SET USING | > DFHEIP1 DFHEIP2
            RETURNING INTO DFHEIRET END-CALL
            SET ADDRESS OF A TO DFHEIP1
        "#]],
    );
    check(
        "EXEC CICS RETURN TRANSID(SPACES) COMMAREA(C) LENGTH(N - 1) END-EXEC",
        expect![[r#"
            COMPUTE DFHEIX1 = N - 1
            CALL 'DFHEI1' USING <RETURN 1: TRANSID COMMAREA LENGTH | > ' ' C DFHEIX1
            RETURNING INTO DFHEIRET END-CALL
        "#]],
    );
}

#[test]
fn labels_are_numbers_and_every_call_may_jump() {
    check(
        "EXEC CICS HANDLE CONDITION MAPFAIL(NO-MAP) NOTFND(no-rec) ERROR END-EXEC.\nEXEC CICS HANDLE AID CLEAR(NO-REC) PF3 END-EXEC\nEXEC CICS HANDLE ABEND CANCEL END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <HANDLE CONDITION 1: MAPFAIL NOTFND | ERROR> 1 2
            RETURNING INTO DFHEIRET END-CALL
            GO TO NO-MAP NO-REC DEPENDING ON DFHEIGO CONTINUE.
            CALL 'DFHEI1' USING <HANDLE AID 2: CLEAR | PF3> 2
            RETURNING INTO DFHEIRET END-CALL
            GO TO NO-MAP NO-REC DEPENDING ON DFHEIGO CONTINUE
            CALL 'DFHEI1' USING <HANDLE ABEND 3:  | CANCEL>
            RETURNING INTO DFHEIRET END-CALL
            GO TO NO-MAP NO-REC DEPENDING ON DFHEIGO CONTINUE
        "#]],
    );
    check(
        "EXEC CICS HANDLE ABEND LABEL(A OF B) END-EXEC",
        expect![[r#"
            CALL 'DFHEI1' USING <HANDLE ABEND 1: LABEL | > 1
            RETURNING INTO DFHEIRET END-CALL
            GO TO A OF B DEPENDING ON DFHEIGO CONTINUE
        "#]],
    );
}

#[test]
fn names_stand_for_numbers() {
    check(
        "IF WS-RESP = DFHRESP(NOTFND) OR dfhresp ( normal )",
        expect![[r#"
        IF WS-RESP = 13 OR 0
    "#]],
    );
    check(
        "MOVE DFHVALUE(OPEN) TO A DISPLAY 'DFHRESP(NOTFND)'",
        expect![[r#"
        MOVE 18 TO A DISPLAY 'DFHRESP(NOTFND)'
    "#]],
    );
}

#[test]
fn values_that_few_commands_take_have_numbers() {
    for name in ["RFC1123", "PLI", "NOTDEFINED", "VRRDS", "CONVERT", "NOCONVERT", "CICSAPI"] {
        let text = format!(
            "ID DIVISION.\nPROGRAM-ID. VALUES.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  A PIC S9(8) COMP.\n\
             PROCEDURE DIVISION.\n    MOVE DFHVALUE({name}) TO A\n    GOBACK.\n"
        );
        let translation =
            translate(&Source::new("VALUES", text), &support::Members::default(), &Options::default());
        assert!(translation.messages.is_empty(), "{:?}", translation.messages);
    }
}
