//! Rows of commands that take more and more: each comes to a named limit, or is stopped from outside. What a task held goes with
//! it; what outlives a task by the published interface its program takes away itself.

use super::rows::{Ends, Row};

/// Queues, storage, enqueues, requests, documents, containers, counters, children, events.
pub const GROWTH: &[Row] = &[
    Row {
        rule: "PUT CONTAINER APPEND without end is NOSTG, as far as it is not LENGERR",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(3000000).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS PUT CONTAINER('C') CHANNEL('H') FROM(LARGE) APPEND NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(NOSTG) OR DFHRESP(LENGERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "channels of ever new names, with nothing in their containers, are NOSTG",
        ends: Ends::Shows("ENDED"),
        program: r#"PERFORM UNTIL EIBRESP NOT = 0
    ADD 1 TO N MOVE N TO NUM
    INSPECT NUM REPLACING ALL ' ' BY '0'
    EXEC CICS PUT CONTAINER('C') CHANNEL(NUM) FROM(REC) FLENGTH(0) NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(NOSTG) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "GETMAIN of a byte without end, which is no giving way as long as there is storage",
        ends: Ends::Abend("AICA"),
        program: r#"PERFORM UNTIL N < 0
    EXEC CICS GETMAIN SET(PTR) FLENGTH(1) NOHANDLE END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "GETMAIN SHARED without end is NOSTG; what it got stays, and others may free it",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LAST-1 POINTER VALUE NULL.
LINKAGE SECTION.
01 GOT.
   05 BEFORE-1 POINTER.
PROCEDURE DIVISION.
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS GETMAIN SHARED SET(PTR) FLENGTH(2000000) NOSUSPEND NOHANDLE END-EXEC
    IF EIBRESP = 0
        SET ADDRESS OF GOT TO PTR
        SET BEFORE-1 TO LAST-1
        SET LAST-1 TO PTR
    END-IF
END-PERFORM
MOVE EIBRESP TO R
PERFORM UNTIL LAST-1 = NULL
    SET ADDRESS OF GOT TO LAST-1
    SET PTR TO LAST-1
    SET LAST-1 TO BEFORE-1
    EXEC CICS FREEMAIN DATAPOINTER(PTR) END-EXEC
END-PERFORM
IF R = DFHRESP(NOSTG) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "WRITEQ TS MAIN without end is NOSPACE",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS WRITEQ TS QUEUE('GROWS') FROM(LARGE) MAIN NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
EXEC CICS DELETEQ TS QUEUE('GROWS') END-EXEC
IF R = DFHRESP(NOSPACE) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "WRITEQ TS MAIN of a byte to ever new queues is NOSPACE",
        ends: Ends::Shows("ENDED"),
        program: r#"PERFORM UNTIL EIBRESP NOT = 0
    ADD 1 TO N MOVE N TO NUM
    EXEC CICS WRITEQ TS QUEUE(NUM) FROM('X') MAIN NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
PERFORM UNTIL N = 1
    SUBTRACT 1 FROM N MOVE N TO NUM
    EXEC CICS DELETEQ TS QUEUE(NUM) END-EXEC
END-PERFORM
IF R = DFHRESP(NOSPACE) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "WRITEQ TS of a byte to an auxiliary queue without end is ITEMERR",
        ends: Ends::Shows("ENDED"),
        program: r#"PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS WRITEQ TS QUEUE('GROWS') FROM('X') NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
EXEC CICS DELETEQ TS QUEUE('GROWS') END-EXEC
IF R = DFHRESP(ITEMERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "WRITEQ TS to a recoverable queue without end is NOSPACE: a unit of work has so much of the log, and is backed out",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS WRITEQ TS QUEUE('QGROWS') FROM(LARGE) NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
EXEC CICS SYNCPOINT ROLLBACK END-EXEC
EXEC CICS READQ TS QUEUE('QGROWS') INTO(REC) NOHANDLE END-EXEC
IF R = DFHRESP(NOSPACE) AND EIBRESP = DFHRESP(QIDERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "WRITEQ TD to a queue in main storage without end is NOSPACE",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS WRITEQ TD QUEUE('GROW') FROM(LARGE) NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
EXEC CICS DELETEQ TD QUEUE('GROW') END-EXEC
EXEC CICS READQ TD QUEUE('GROW') INTO(REC) NOHANDLE END-EXEC
IF R = DFHRESP(NOSPACE) AND EIBRESP = DFHRESP(QZERO) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "ENQ of ever new names, of which a task may hold so many",
        ends: Ends::Abend("AKCS"),
        program: r#"PERFORM UNTIL EIBRESP NOT = 0
    ADD 1 TO N MOVE N TO NUM
    EXEC CICS ENQ RESOURCE(NUM) LENGTH(8) NOHANDLE END-EXEC
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "what a task held that was given up another one gets at once",
        ends: Ends::Shows("GOT ALL"),
        program: r#"PERFORM UNTIL N = 1000 OR EIBRESP NOT = 0
    ADD 1 TO N MOVE N TO NUM
    EXEC CICS ENQ RESOURCE(NUM) LENGTH(8) NOSUSPEND NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = 0 DISPLAY 'GOT ALL' END-IF"#,
    },
    Row {
        rule: "START of ever new requests with data, for later, is IOERR",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    ADD 1 TO N MOVE N TO NUM
    EXEC CICS START TRANSID('OTHR') REQID(NUM) FROM(LARGE) LENGTH(32000)
        AFTER HOURS(9) NOHANDLE END-EXEC
END-PERFORM
MOVE EIBRESP TO R
PERFORM UNTIL N = 1
    SUBTRACT 1 FROM N MOVE N TO NUM
    EXEC CICS CANCEL REQID(NUM) END-EXEC
END-PERFORM
EXEC CICS START TRANSID('OTHR') REQID('LAST') FROM(LARGE) LENGTH(32000)
    AFTER HOURS(9) END-EXEC
EXEC CICS CANCEL REQID('LAST') END-EXEC
IF R = DFHRESP(IOERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "POST without end: a task has one at a time, and gives nothing else a turn",
        ends: Ends::Abend("AICA"),
        program: r#"PERFORM UNTIL N < 0
    EXEC CICS POST AFTER HOURS(9) SET(PTR) END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "DOCUMENT CREATE without end is INVREQ",
        ends: Ends::Shows("ENDED"),
        program: r#"01 TOKEN PIC X(16).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS DOCUMENT CREATE DOCTOKEN(TOKEN) TEXT(REC) LENGTH(80) NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(INVREQ) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "DOCUMENT INSERT without end is LENGERR, or INVREQ where the region has no more storage",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(1000000).
01 TOKEN PIC X(16).
EXEC CICS DOCUMENT CREATE DOCTOKEN(TOKEN) END-EXEC
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS DOCUMENT INSERT DOCTOKEN(TOKEN) BINARY(LARGE) LENGTH(1000000) NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(INVREQ) OR DFHRESP(LENGERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "symbols that multiply in a template are LENGERR",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(30000) VALUE ALL 'VALUE'.
01 TEXT-1 PIC X(30000) VALUE ALL '&A;'.
01 TOKEN PIC X(16).
EXEC CICS DOCUMENT CREATE DOCTOKEN(TOKEN) END-EXEC
EXEC CICS DOCUMENT SET DOCTOKEN(TOKEN) SYMBOL('A') VALUE(LARGE) LENGTH(30000) END-EXEC
EXEC CICS DOCUMENT INSERT DOCTOKEN(TOKEN) FROM(TEXT-1) LENGTH(30000) NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(LENGERR) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "RUN TRANSID without end is NOSTART",
        ends: Ends::Shows("ENDED"),
        program: r#"01 TOKEN PIC X(16).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS RUN TRANSID('OTHR') CHILD(TOKEN) NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(NOSTART) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "LOAD without RELEASE",
        ends: Ends::Purged,
        program: r#"PERFORM UNTIL N < 0
    EXEC CICS LOAD PROGRAM('OTHR') SET(PTR) END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "LOAD HOLD without RELEASE; the holds are given back",
        ends: Ends::Shows("ENDED"),
        program: r#"PERFORM 10000 TIMES
    EXEC CICS LOAD PROGRAM('OTHR') SET(PTR) HOLD END-EXEC
END-PERFORM
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS RELEASE PROGRAM('OTHR') NOHANDLE END-EXEC
    ADD 1 TO N
END-PERFORM
IF N = 10001 AND EIBRESP = DFHRESP(INVREQ) DISPLAY 'ENDED' END-IF"#,
    },
    Row {
        rule: "ASSIGN without end",
        ends: Ends::Abend("AICA"),
        program: r#"PERFORM UNTIL N < 0
    EXEC CICS ASSIGN USERID(REC) END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "INQUIRE without end",
        ends: Ends::Abend("AICA"),
        program: r#"PERFORM UNTIL N < 0
    EXEC CICS INQUIRE TRANSACTION('OTHR') PROGRAM(REC) END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "SIGNAL EVENT without end, all of one unit of work",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL N < 0
    EXEC CICS SIGNAL EVENT('GROWS') FROM(LARGE) END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "STARTBROWSE CONTAINER without end is INVREQ",
        ends: Ends::Shows("ENDED"),
        program: r#"EXEC CICS PUT CONTAINER('C') CHANNEL('H') FROM(REC) END-EXEC
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS STARTBROWSE CONTAINER CHANNEL('H') BROWSETOKEN(N) NOHANDLE END-EXEC
END-PERFORM
IF EIBRESP = DFHRESP(INVREQ) DISPLAY 'ENDED' END-IF"#,
    },
];
