//! Rows of routines, numbers, commands and texts.

use super::rows::{Ends, Row};

/// Long routines, numbers that are none, commands that lie, storage that grows, texts of JSON and XML.
pub const ROUTINES: &[Row] = &[
    Row {
        rule: "a loop of REVERSE",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    MOVE FUNCTION REVERSE(LARGE) TO LARGE-2
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of UPPER-CASE",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    MOVE FUNCTION UPPER-CASE(LARGE) TO LARGE-2
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of MOVE and comparison",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    MOVE ALL 'AB' TO LARGE MOVE LARGE TO LARGE-2 IF LARGE = LARGE-2 ADD 1 TO R END-IF
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of INSPECT REPLACING",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    INSPECT LARGE REPLACING ALL LOW-VALUES BY SPACES FIRST 'X' BY 'Y'
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of INSPECT CONVERTING",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    INSPECT LARGE CONVERTING 'ABCDEFGH' TO 'HGFEDCBA'
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of STRING",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    STRING LARGE DELIMITED BY 'XYZ' INTO LARGE-2
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of UNSTRING",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    UNSTRING LARGE DELIMITED BY 'XYZ' INTO LARGE-2
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of INITIALIZE",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    INITIALIZE LARGE LARGE-2 REPLACING ALPHANUMERIC DATA BY ALL 'ABC'
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of TRIM",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    MOVE FUNCTION TRIM(LARGE) TO LARGE-2
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of SORT of a table",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    SORT PART DESCENDING KEY PART
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of FACTORIAL",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    COMPUTE R2 = FUNCTION FACTORIAL(28)
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of a power",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    COMPUTE N = 1.1 ** 99
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a loop of CURRENT-DATE",
        ends: Ends::Abend("AICA"),
        program: r#"01 LARGE.
   05 PART PIC X(1000000) OCCURS 15.
01 LARGE-2 PIC X(15000000).
PERFORM UNTIL N < 0
    MOVE FUNCTION CURRENT-DATE TO REC
END-PERFORM
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a power without measure is a size error",
        ends: Ends::Shows("SIZE"),
        program: r#"COMPUTE N = 99 ** 999999999
    ON SIZE ERROR DISPLAY 'SIZE' NOT ON SIZE ERROR DISPLAY 'NEVER HERE'
END-COMPUTE"#,
    },
    Row {
        rule: "a power without measure, and nobody asks",
        ends: Ends::Abend("ASRA"),
        program: r#"COMPUTE N = 99 ** 999999999
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "floating point without measure is a size error",
        ends: Ends::Shows("SIZE"),
        program: r#"01 F COMP-2 VALUE 1.0E60.
COMPUTE F = F ** 2 ** 9
    ON SIZE ERROR DISPLAY 'SIZE' NOT ON SIZE ERROR DISPLAY 'NEVER HERE'
END-COMPUTE"#,
    },
    Row {
        rule: "FACTORIAL without measure",
        ends: Ends::Abend("4038"),
        program: r#"MOVE 2000000000 TO R
COMPUTE N = FUNCTION FACTORIAL(R)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a root of a negative number",
        ends: Ends::Abend("4038"),
        program: r#"COMPUTE N = FUNCTION SQRT(-1)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a logarithm of nothing",
        ends: Ends::Abend("4038"),
        program: r#"COMPUTE N = FUNCTION LOG(R)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a day that there is not",
        ends: Ends::Abend("4038"),
        program: r#"MOVE 99999999 TO R
COMPUTE N = FUNCTION INTEGER-OF-DATE(R)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "MOD by nothing",
        ends: Ends::Abend("ASRA"),
        program: r#"COMPUTE N = FUNCTION MOD(5 R)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "NUMVAL of a million digits",
        ends: Ends::Abend("4038"),
        program: r#"01 DIGITS-1 PIC X(1000000) VALUE ALL '9'.
COMPUTE N = FUNCTION NUMVAL(DIGITS-1)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "CHAR of no place in the order",
        ends: Ends::Abend("4038"),
        program: r#"MOVE 99999 TO R
MOVE FUNCTION CHAR(R) TO REC
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero of zoned numbers",
        ends: Ends::Abend("ASRA"),
        program: r#"01 ZERO-1 PIC 9(4) VALUE 0.
01 ONE-1 PIC 9(4) VALUE 1.
COMPUTE ONE-1 = ONE-1 / ZERO-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero of packed numbers",
        ends: Ends::Abend("ASRA"),
        program: r#"01 ZERO-1 PIC S9(7)V99 COMP-3 VALUE 0.
01 ONE-1 PIC S9(7)V99 COMP-3 VALUE 1.
COMPUTE ONE-1 = ONE-1 / ZERO-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero of native binary numbers",
        ends: Ends::Abend("ASRA"),
        program: r#"01 ZERO-1 PIC S9(9) COMP-5 VALUE 0.
01 ONE-1 PIC S9(9) COMP-5 VALUE 1.
COMPUTE ONE-1 = ONE-1 / ZERO-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero of floating point",
        ends: Ends::Abend("ASRA"),
        program: r#"01 ZERO-1 COMP-2 VALUE 0.
01 ONE-1 COMP-2 VALUE 1.
COMPUTE ONE-1 = ONE-1 / ZERO-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero of short floating point",
        ends: Ends::Abend("ASRA"),
        program: r#"01 ZERO-1 COMP-1 VALUE 0.
01 ONE-1 COMP-1 VALUE 1.
COMPUTE ONE-1 = ONE-1 / ZERO-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a division by zero with a phrase for it",
        ends: Ends::Shows("SIZE"),
        program: r#"DIVIDE R INTO N
    ON SIZE ERROR DISPLAY 'SIZE' NOT ON SIZE ERROR DISPLAY 'NEVER HERE'
END-DIVIDE"#,
    },
    Row {
        rule: "a remainder of a division by zero",
        ends: Ends::Abend("ASRA"),
        program: r#"MOVE 5 TO N
DIVIDE N BY R GIVING R2 REMAINDER N
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a number with its sign behind it that is none",
        ends: Ends::Abend("ASRA"),
        program: r#"01 TEXT-1 PIC X(5) VALUE ALL '?'.
01 NUMBER-1 REDEFINES TEXT-1 PIC S9(4) SIGN TRAILING SEPARATE.
ADD 1 TO NUMBER-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a number with its sign on its first digit that is none",
        ends: Ends::Abend("ASRA"),
        program: r#"01 TEXT-1 PIC X(4) VALUE ALL '?'.
01 NUMBER-1 REDEFINES TEXT-1 PIC S9(4) SIGN LEADING.
ADD 1 TO NUMBER-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a packed number without sign that is none",
        ends: Ends::Abend("ASRA"),
        program: r#"01 TEXT-1 PIC X(4) VALUE ALL '?'.
01 NUMBER-1 REDEFINES TEXT-1 PIC 9(7) COMP-3.
ADD 1 TO NUMBER-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "a packed number of zeros that is none",
        ends: Ends::Abend("ASRA"),
        program: r#"01 TEXT-1 PIC X(4) VALUE LOW-VALUES.
01 NUMBER-1 REDEFINES TEXT-1 PIC S9(7) COMP-3.
ADD 1 TO NUMBER-1
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "bad digits of a count of a table",
        ends: Ends::Abend("ASRA"),
        program: r#"01 COUNT-TEXT PIC X(4) VALUE ALL '?'.
01 CNT REDEFINES COUNT-TEXT PIC S9(7) COMP-3.
01 T.
   05 A PIC X OCCURS 1 TO 10 DEPENDING ON CNT.
MOVE ALL 'A' TO T
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "bad digits of a subscript",
        ends: Ends::Abend("ASRA"),
        program: r#"01 SUB-TEXT PIC X(4) VALUE ALL '?'.
01 SUB REDEFINES SUB-TEXT PIC S9(7) COMP-3.
01 T.
   05 A PIC X OCCURS 10.
MOVE 'A' TO A(SUB)
DISPLAY 'NEVER HERE'"#,
    },
    Row {
        rule: "containers whose lengths lie are LENGERR",
        ends: Ends::Shows("0000000022"),
        program: r#"EXEC CICS PUT CONTAINER('C') CHANNEL('H') FROM(REC) FLENGTH(-1) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "a queue record of fewer bytes than none is LENGERR",
        ends: Ends::Shows("0000000022"),
        program: r#"MOVE -1 TO LEN
EXEC CICS WRITEQ TD QUEUE('CSMT') FROM(REC) LENGTH(LEN) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "ENQ of a resource that is too long is LENGERR",
        ends: Ends::Shows("0000000022"),
        program: r#"MOVE 256 TO LEN
EXEC CICS ENQ RESOURCE(REC) LENGTH(LEN) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "START with data of fewer bytes than none is LENGERR",
        ends: Ends::Shows("0000000022"),
        program: r#"MOVE -1 TO LEN
EXEC CICS START TRANSID('STAR') FROM(REC) LENGTH(LEN) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "a channel of no name is CHANNELERR",
        ends: Ends::Shows("0000000122"),
        program: r#"MOVE LOW-VALUES TO REC
EXEC CICS LINK PROGRAM('STARTED') CHANNEL(REC(1:16)) NOHANDLE END-EXEC
DISPLAY EIBRESP"#,
    },
    Row {
        rule: "PUSH HANDLE without end",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    EXEC CICS PUSH HANDLE NOHANDLE END-EXEC
    ADD 1 TO N
END-PERFORM
DISPLAY 'ENDED'"#,
    },
    Row {
        rule: "PUT CONTAINER of more and more without end",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    MOVE N TO NUM EXEC CICS PUT CONTAINER(NUM) CHANNEL('H') FROM(LARGE) NOHANDLE END-EXEC
    ADD 1 TO N
END-PERFORM
DISPLAY 'ENDED'"#,
    },
    Row {
        rule: "ALLOCATE without end",
        ends: Ends::Shows("ENDED"),
        program: r#"01 LARGE PIC X(32000).
PERFORM UNTIL EIBRESP NOT = 0
    ALLOCATE 10000000 CHARACTERS RETURNING PTR IF PTR = NULL MOVE 18 TO EIBRESP END-IF
    ADD 1 TO N
END-PERFORM
DISPLAY 'ENDED'"#,
    },
    Row {
        rule: "a text of JSON that opens without end",
        ends: Ends::Shows("REFUSED"),
        program: r#"01 TEXT-1 PIC X(1000000) VALUE ALL '['.
01 TARGET-1.
   05 A PIC X.
JSON PARSE TEXT-1 INTO TARGET-1
    ON EXCEPTION DISPLAY 'REFUSED' NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-JSON"#,
    },
    Row {
        rule: "a text of JSON whose objects open without end",
        ends: Ends::Shows("REFUSED"),
        program: r#"01 TEXT-1.
   05 PIC X(12) VALUE '{"TARGET-1":'.
   05 PIC X(999990) VALUE ALL '{"A":'.
01 TARGET-1.
   05 A PIC X.
JSON PARSE TEXT-1 INTO TARGET-1
    ON EXCEPTION DISPLAY 'REFUSED' NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-JSON"#,
    },
    Row {
        rule: "a text of XML whose elements open without end",
        ends: Ends::Shows("REFUSED"),
        program: r#"01 TEXT-1 PIC X(999999) VALUE ALL '<A>'.
XML PARSE TEXT-1 PROCESSING PROCEDURE EVENTS
    ON EXCEPTION DISPLAY 'REFUSED' NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-XML
EXEC CICS RETURN END-EXEC.
EVENTS.
ADD 1 TO N.
OVER."#,
    },
    Row {
        rule: "entities of XML that multiply",
        ends: Ends::Shows("REFUSED"),
        program: r#"01 TEXT-1.
   05 PIC X(50) VALUE '<!DOCTYPE A [<!ENTITY B "XXXXXXXXXXXXXXXXXXXXXX">'.
   05 PIC X(50) VALUE '<!ENTITY C "&B;&B;&B;&B;&B;&B;&B;&B;">'.
   05 PIC X(50) VALUE '<!ENTITY D "&C;&C;&C;&C;&C;&C;&C;&C;">'.
   05 PIC X(50) VALUE ']><A>&D;&D;&D;&D;&D;&D;&D;&D;&D;&D;</A>'.
XML PARSE TEXT-1 PROCESSING PROCEDURE EVENTS
    ON EXCEPTION DISPLAY 'REFUSED' NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-XML
EXEC CICS RETURN END-EXEC.
EVENTS.
ADD 1 TO N.
OVER."#,
    },
    Row {
        rule: "a procedure of XML PARSE that never comes back",
        ends: Ends::Abend("AICA"),
        program: r#"01 DOC PIC X(4) VALUE '<A/>'.
XML PARSE DOC PROCESSING PROCEDURE EVENTS
    NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-XML
EXEC CICS RETURN END-EXEC.
EVENTS.
GO TO EVENTS."#,
    },
    Row {
        rule: "XML PARSE within its own procedure, without end",
        ends: Ends::Abend("AICA"),
        program: r#"01 DOC PIC X(4) VALUE '<A/>'.
XML PARSE DOC PROCESSING PROCEDURE EVENTS
    NOT ON EXCEPTION DISPLAY 'NEVER HERE'
END-XML
EXEC CICS RETURN END-EXEC.
EVENTS.
XML PARSE DOC PROCESSING PROCEDURE EVENTS END-XML."#,
    },
    Row {
        rule: "LOCAL-STORAGE larger than all storage of the region",
        ends: Ends::Abend("4038"),
        program: r#"LOCAL-STORAGE SECTION.
01 HUGE PIC X(120000000).
PROCEDURE DIVISION.
MOVE SPACES TO HUGE
DISPLAY 'NEVER HERE'"#,
    },
];
