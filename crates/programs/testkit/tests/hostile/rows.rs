//! Rows of storage, parts and calls; and what a row is: a program, the rule that it tries, and how it ends.

/// The end of a program.
#[derive(Debug)]
pub enum Ends {
    /// With this abend.
    Abend(&'static str),
    /// In order, after it has displayed this line.
    Shows(&'static str),
    /// Never by itself: it lets others run, and is purged.
    Purged,
}

/// A hostile program.
pub struct Row {
    /// Its action, and the outcome of that.
    pub rule: &'static str,
    /// Its end.
    pub ends: Ends,
    /// Its text, without what a test adds; `%NAME%` is its own name.
    pub program: &'static str,
}

/// Stores, tables, calls, and loops of a program's own.
pub const STORES: &[Row] = &[
    Row {
        rule: "a store at the first number of what tasks share, where nobody has an area",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1073741824.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE 'HELLO' TO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a store at an address of shared storage that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1610612736.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE 'HELLO' TO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a store at the lowest number",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE -2147483648.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE 'HELLO' TO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a store at a place behind the window",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 134217728.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE 'HELLO' TO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a store at a place in the page of nothing",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 4.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE 'HELLO' TO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "PUT CONTAINER from an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS PUT CONTAINER('C') CHANNEL('H') FROM(NOWHERE) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "START from an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS START TRANSID('STAR') FROM(NOWHERE) LENGTH(8) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "ENQ of an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS ENQ RESOURCE(NOWHERE) LENGTH(8) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "ASKTIME into an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS ASKTIME ABSTIME(NUMBER-2) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "ASSIGN into an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS ASSIGN PROGRAM(NOWHERE) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "LINK to a name at an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS LINK PROGRAM(NOWHERE) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "RETURN with a COMMAREA at an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS RETURN TRANSID('H001') COMMAREA(NOWHERE) LENGTH(8) END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "SEND TEXT from an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS SEND TEXT FROM(NOWHERE) LENGTH(8) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "DEQ of an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS DEQ RESOURCE(NOWHERE) LENGTH(8) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a CALL with an argument at an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
CALL 'TAKES' USING NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "STRING of an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
STRING 'A' NOWHERE DELIMITED BY SIZE INTO REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "UNSTRING into an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
UNSTRING REC DELIMITED BY ' ' INTO NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "INITIALIZE of an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
INITIALIZE NOWHERE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "ACCEPT into an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
ACCEPT NOWHERE FROM DATE
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "COMPUTE into an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
COMPUTE NUMBER-2 = 1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a function of an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
MOVE FUNCTION REVERSE(NOWHERE) TO REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "WAIT EVENT at an address that nobody has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
LINKAGE SECTION.
01 NOWHERE PIC X(8).
01 NUMBER-2 PIC S9(15) COMP-3.
PROCEDURE DIVISION.
SET ADDRESS OF NOWHERE TO POINTER-1
SET ADDRESS OF NUMBER-2 TO POINTER-1
EXEC CICS WAIT EVENT ECADDR(POINTER-1) NOHANDLE END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "FREEMAIN of an address that nobody has is INVREQ",
        ends: Ends::Shows("0000000016"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
EXEC CICS FREEMAIN DATAPOINTER(POINTER-1) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "FREE of an address that ALLOCATE did not give",
        ends: Ends::Abend("4038"),
        program: r#"01 NUMBER-1 PIC S9(9) COMP-5 VALUE 1200000000.
01 POINTER-1 REDEFINES NUMBER-1 POINTER.
FREE POINTER-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a store through a record that is freed",
        ends: Ends::Shows("GOES ON"),
        program: r#"LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
ALLOCATE 64 CHARACTERS RETURNING PTR
SET ADDRESS OF GOT TO PTR
FREE PTR
SET ADDRESS OF GOT TO PTR
IF PTR = NULL DISPLAY 'GOES ON' END-IF"#,
    },
    Row {
        rule: "a record of the CWA that is longer than the CWA",
        ends: Ends::Abend("ASRA"),
        program: r#"LINKAGE SECTION.
01 CWA PIC X(20000000).
PROCEDURE DIVISION.
EXEC CICS ADDRESS CWA(ADDRESS OF CWA) END-EXEC
MOVE ALL '*' TO CWA(513:)
EXEC CICS ASKTIME END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "bytes just behind the CWA are nobody's",
        ends: Ends::Abend("ASRA"),
        program: r#"LINKAGE SECTION.
01 CWA PIC X(600).
PROCEDURE DIVISION.
EXEC CICS ADDRESS CWA(ADDRESS OF CWA) END-EXEC
MOVE ALL '*' TO CWA(513:)
EXEC CICS ASKTIME END-EXEC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "the interface block is taken away from its record",
        ends: Ends::Shows("0000000000"),
        program: r#"LINKAGE SECTION.
01 EIB-2 PIC X(8).
PROCEDURE DIVISION.
SET ADDRESS OF EIB-2 TO ADDRESS OF DFHEIBLK
MOVE HIGH-VALUES TO EIB-2
EXEC CICS ASKTIME END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "a part whose beginning is calculated past all numbers",
        ends: Ends::Abend("ASRA"),
        program: r#"MOVE 2147483647 TO R
MOVE 'X' TO REC(R + R + R:1)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a subscript of a table of tables beyond 32 bits",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 A OCCURS 100.
      10 B PIC X(1000) OCCURS 100.
MOVE 2147483647 TO R
MOVE 'X' TO B(R, R)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "an index that is counted down below the window",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 A PIC X(100) OCCURS 10 INDEXED BY IX.
SET IX TO 1
PERFORM UNTIL N < 0
    SET IX DOWN BY 1000
    MOVE SPACES TO A(IX)
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a serial SEARCH whose count says more than its table has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 CNT PIC S9(8) COMP VALUE 90000000.
   05 A PIC X(1000) OCCURS 1 TO 10 DEPENDING ON CNT INDEXED BY IX.
SET IX TO 1
SEARCH A VARYING IX WHEN A(IX) = 'NOWHERE' CONTINUE END-SEARCH
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a SEARCH ALL whose count says more than its table has",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 CNT PIC S9(8) COMP VALUE 2000000000.
   05 A PIC X(1000) OCCURS 1 TO 10 DEPENDING ON CNT ASCENDING KEY IS A INDEXED BY IX.
SEARCH ALL A WHEN A(IX) = 'NOWHERE' CONTINUE END-SEARCH
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a MOVE of a group whose count says more than all storage",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 CNT PIC S9(8) COMP VALUE 2000000000.
   05 A PIC X(1000) OCCURS 1 TO 10 DEPENDING ON CNT.
MOVE T TO REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a SORT of a table whose count says more than all storage",
        ends: Ends::Abend("ASRA"),
        program: r#"01 T.
   05 CNT PIC S9(8) COMP VALUE 90000000.
   05 A PIC X(10) OCCURS 1 TO 10 DEPENDING ON CNT.
SORT A ASCENDING KEY A
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a procedure pointer of any number",
        ends: Ends::Abend("4038"),
        program: r#"01 P PROCEDURE-POINTER.
01 P-BYTES REDEFINES P PIC X(8).
MOVE HIGH-VALUES TO P-BYTES
CALL P
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a procedure pointer of NULL",
        ends: Ends::Abend("4038"),
        program: r#"01 P PROCEDURE-POINTER.
SET P TO NULL
CALL P
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a CALL of blanks",
        ends: Ends::Abend("4038"),
        program: r#"CALL REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a CALL of a path",
        ends: Ends::Abend("4038"),
        program: r#"MOVE '../../../bin/sh' TO REC
CALL REC USING REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a CALL of eighty characters",
        ends: Ends::Abend("4038"),
        program: r#"MOVE ALL 'LONGER' TO REC
CALL REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a LINK to a name of zeros is PGMIDERR",
        ends: Ends::Shows("0000000027"),
        program: r#"MOVE LOW-VALUES TO REC
EXEC CICS LINK PROGRAM(REC(1:8)) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "CANCEL of a program that is not there does nothing",
        ends: Ends::Shows("ON"),
        program: r#"CANCEL 'NOWHERE'
MOVE HIGH-VALUES TO REC
CANCEL REC
DISPLAY 'ON'"#,
    },
    Row {
        rule: "a PERFORM whose end lies before its beginning",
        ends: Ends::Abend("AICA"),
        program: r#"GO TO MAIN-1.
LAST-1.
ADD 1 TO N.
MAIN-1.
PERFORM MAIN-1 THRU LAST-1
DISPLAY 'NEVER HERE'."#,
    },
    Row {
        rule: "a PERFORM range that is left by GO TO without end",
        ends: Ends::Abend("AICA"),
        program: r#"AGAIN.
PERFORM LEAVES.
DISPLAY 'NEVER HERE'.
LEAVES.
ADD 1 TO N
GO TO AGAIN."#,
    },
    Row {
        rule: "a PERFORM VARYING by nothing",
        ends: Ends::Abend("AICA"),
        program: r#"PERFORM VARYING N FROM 1 BY R UNTIL N > 10
    CONTINUE
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a PERFORM of as many times as a number has",
        ends: Ends::Abend("AICA"),
        program: r#"MOVE 2147483647 TO N
PERFORM N TIMES ADD 1 TO R2 END-PERFORM
PERFORM N TIMES ADD 1 TO R2 END-PERFORM
PERFORM N TIMES ADD 1 TO R2 END-PERFORM
PERFORM N TIMES ADD 1 TO R2 END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a program that CALLs itself in a program within a program",
        ends: Ends::Abend("4038"),
        program: r#"IDENTIFICATION DIVISION.
PROGRAM-ID. %NAME%.
PROCEDURE DIVISION.
CALL 'INNER'
GOBACK.
IDENTIFICATION DIVISION.
PROGRAM-ID. INNER IS COMMON RECURSIVE.
PROCEDURE DIVISION.
CALL 'INNER'
GOBACK.
END PROGRAM INNER.
END PROGRAM %NAME%."#,
    },
    Row {
        rule: "XCTL to itself, for ever",
        ends: Ends::Abend("AICA"),
        program: r#"PROCEDURE DIVISION.
EXEC CICS XCTL PROGRAM('%NAME%') END-EXEC"#,
    },
    Row {
        rule: "LINK to a program that returns at once, for ever",
        ends: Ends::Abend("AICA"),
        program: r#"PROCEDURE DIVISION.
PERFORM UNTIL N > 9
    EXEC CICS LINK PROGRAM('STARTED') END-EXEC
END-PERFORM"#,
    },
    Row {
        rule: "a condition that is handled by the command that raises it, for ever",
        ends: Ends::Purged,
        program: r#"PROCEDURE DIVISION.
EXEC CICS HANDLE CONDITION QIDERR(AGAIN) END-EXEC.
AGAIN.
EXEC CICS READQ TS QUEUE('NOWHERE') INTO(REC) END-EXEC"#,
    },
    Row {
        rule: "an abend whose exit is the program that abends, for ever",
        ends: Ends::Purged,
        program: r#"PROCEDURE DIVISION.
EXEC CICS HANDLE ABEND PROGRAM('%NAME%') END-EXEC
EXEC CICS ABEND ABCODE('LOOP') END-EXEC"#,
    },
    Row {
        rule: "an abend whose exit is a label that abends, for ever",
        ends: Ends::Purged,
        program: r#"PROCEDURE DIVISION.
AGAIN.
EXEC CICS HANDLE ABEND LABEL(AGAIN) END-EXEC
EXEC CICS ABEND ABCODE('LOOP') END-EXEC"#,
    },
];
