//! Every statement with its phrases is accepted, and a mistake is reported once, at its place.

mod support;

use expect_test::{Expect, expect};
use support::{program, said};

/// Data of the statements below.
const DATA: &str = "
01  A PIC X(10).  01  B PIC X(10).  01  N PIC S9(4) COMP.  01  M PIC S9(7)V99 COMP-3.
01  E PIC ZZZ9.99-.  01  U PIC 9(4).  01  F COMP-2.  01  P POINTER.  01  PP PROCEDURE-POINTER.
01  G.  05  G1 PIC X.  05  G2 PIC 9.
01  H.  05  G1 PIC X.  05  G2 PIC 9.
01  S PIC X.  88  YES VALUE 'Y' WHEN SET TO FALSE 'N'.  88  SOME VALUE 'A' THRU 'C' 'X'.
01  T.  05  R OCCURS 5 ASCENDING KEY K INDEXED BY I J.  10  K PIC 9.  10  V PIC X OCCURS 3.
01  NN PIC N(5).  01  JT PIC X(200).
01  FS PIC XX.  01  UU PIC U(5).  01  UB PIC U BYTE-LENGTH 9.";

/// A program with files, in which a sentence stands.
fn with_files(statement: &str) -> String {
    let text = program(DATA, &format!("{statement}.\nGOBACK.\n"));
    let text = text.replace(
        "       DATA DIVISION.\n",
        "       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n       SPECIAL-NAMES. C01 IS NEW-PAGE CONSOLE IS CN
           UPSI-0 IS SW ON STATUS IS SW-ON OFF STATUS IS SW-OFF
           CLASS VOWEL IS 'A' 'E' ALPHABET AL IS EBCDIC.
       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.
           SELECT SEQ ASSIGN TO SEQ FILE STATUS IS FS.
           SELECT IDX ASSIGN TO IDX ORGANIZATION IS INDEXED ACCESS MODE IS DYNAMIC
             RECORD KEY IS IK ALTERNATE RECORD KEY IS IA WITH DUPLICATES.
           SELECT SRT ASSIGN TO SRT.
       DATA DIVISION.\n       FILE SECTION.\n       FD SEQ RECORDING MODE F.\n       01 SR PIC X(80).
       FD IDX.\n       01 IR. 05 IK PIC X(4). 05 IA PIC X(4).\n       SD SRT.\n       01 TR. 05 TK PIC X(4).\n",
    );
    let text = text.replace(
        "       PROCEDURE DIVISION.\n",
        "       LINKAGE SECTION.\n       01 L PIC X(9).\n       PROCEDURE DIVISION.\n",
    );
    format!("{text}       P1.\n           CONTINUE.\n       P2.\n           EXIT.\n")
}

/// Each line is a statement without a mistake.
#[track_caller]
fn taken(statements: &str) {
    for statement in statements.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let messages = said(&with_files(statement));
        assert!(messages.is_empty(), "{statement}\n{messages}");
    }
}

/// A statement with a mistake, and all messages about it.
#[track_caller]
fn refused(statement: &str, expected: Expect) {
    expected.assert_eq(&said(&program(DATA, &format!("{statement}.\nGOBACK.\n"))));
}

#[test]
fn moves() {
    taken(
        "
        MOVE A TO B
        MOVE A TO B G G1 OF H U
        MOVE CORRESPONDING G TO H
        MOVE CORR G TO H
        MOVE SPACES TO A, B; G
        MOVE ALL 'ab' TO A
        MOVE ALL ZEROS TO U
        MOVE -1.5 TO M
        MOVE U TO A
        MOVE M TO E
        MOVE E TO M
        MOVE A(1:3) TO B(N:)
        MOVE A(N + 1: LENGTH OF A - 1) TO B
        MOVE K(I) TO U
        MOVE V(I + 1, 2) TO V(N 3)
        MOVE V(I - 1 J) TO A
        MOVE FUNCTION CURRENT-DATE(1:8) TO A
        MOVE FUNCTION MAX(U, -1) TO M
        MOVE FUNCTION TRIM(A TRAILING) TO B
        MOVE LENGTH OF A TO N
        MOVE X'C1C2' TO A
        MOVE RETURN-CODE TO N
        MOVE NX'0041' TO NN
        MOVE DFHRESP(NOTFND) TO N
        MOVE HIGH-VALUES TO A
        MOVE 1.5E3 TO F
        ",
    );
}

#[test]
fn arithmetic() {
    taken(
        "
        ADD 1 TO N
        ADD 1 U TO N ROUNDED M
        ADD 1 U GIVING N
        ADD 1 TO U GIVING N E
        ADD CORRESPONDING G TO H
        ADD 1 TO N ON SIZE ERROR MOVE 0 TO N NOT ON SIZE ERROR MOVE 1 TO U END-ADD
        SUBTRACT 1 FROM N
        SUBTRACT 1 2 FROM N GIVING M ROUNDED
        MULTIPLY 2 BY N
        MULTIPLY 2 BY N GIVING M SIZE ERROR CONTINUE END-MULTIPLY
        DIVIDE 2 INTO N
        DIVIDE 2 INTO N GIVING U REMAINDER M
        DIVIDE N BY 2 GIVING U ROUNDED REMAINDER M ON SIZE ERROR CONTINUE
        COMPUTE N = 1
        COMPUTE N ROUNDED M = (U + 1) * -2 / M ** 2
        COMPUTE E = FUNCTION INTEGER(M) + FUNCTION LENGTH(A)
        COMPUTE N EQUAL U - -1 ON SIZE ERROR CONTINUE END-COMPUTE
        ",
    );
    refused(
        "ADD 1",
        expect![[r#"
        15:17 SPSY001 the sentence ends where TO is expected
    "#]],
    );
    refused(
        "ADD 1 TO 5",
        expect![[r#"
        15:21 SPSY030 this takes a result, and is no item
    "#]],
    );
    refused(
        "ADD A TO N",
        expect![[r#"
        15:16 SPCK017 A (alphanumeric) is no number
    "#]],
    );
    refused(
        "COMPUTE A = 1",
        expect![[r#"
        15:20 SPCK051 A (alphanumeric) takes no number
    "#]],
    );
    refused(
        "COMPUTE N = U +",
        expect![[r#"
        15:27 SPSY001 the sentence ends where a value is expected
    "#]],
    );
    refused(
        "COMPUTE N = (U + 1",
        expect![[r#"
        15:30 SPSY001 the sentence ends where ) is expected
    "#]],
    );
}

#[test]
fn conditions() {
    taken(
        "
        IF A = B CONTINUE
        IF A NOT = B OR 'X' AND NOT SPACES CONTINUE ELSE NEXT SENTENCE
        IF N > 1 AND < 5 OR = 9 CONTINUE END-IF
        IF N IS GREATER THAN OR EQUAL TO U THEN CONTINUE END-IF
        IF N IS NOT LESS THAN 5 CONTINUE
        IF N IS UNEQUAL TO 5 OR N EXCEEDS 5 CONTINUE
        IF NOT (A = B OR N > 1) CONTINUE
        IF (N + 1) * 2 > U CONTINUE
        IF ((N + 1) > U) CONTINUE
        IF YES OR NOT SOME CONTINUE
        IF A IS NUMERIC AND B NOT ALPHABETIC CONTINUE
        IF A IS ALPHABETIC-UPPER OR B IS ALPHABETIC-LOWER CONTINUE
        IF A IS VOWEL CONTINUE
        IF N IS POSITIVE OR M NEGATIVE OR U ZERO CONTINUE
        IF N IS NOT ZERO CONTINUE
        IF SW-ON CONTINUE
        IF P = NULL OR P NOT = ADDRESS OF L CONTINUE
        IF A <> B AND N >= 1 AND N <= 5 CONTINUE
        IF A = (SPACES OR LOW-VALUES) CONTINUE
        IF N = DFHRESP(NORMAL) CONTINUE ELSE IF N = 1 CONTINUE ELSE CONTINUE
        EVALUATE TRUE WHEN A = B CONTINUE WHEN YES CONTINUE WHEN OTHER CONTINUE END-EVALUATE
        EVALUATE N WHEN 1 WHEN 2 THRU 4 CONTINUE WHEN NOT 5 CONTINUE WHEN U + 1 CONTINUE END-EVALUATE
        EVALUATE N ALSO TRUE WHEN 1 ALSO YES CONTINUE WHEN ANY ALSO FALSE CONTINUE END-EVALUATE
        EVALUATE A ALSO B WHEN 'x' ALSO 'a' THRU 'z' CONTINUE WHEN OTHER CONTINUE END-EVALUATE
        ",
    );
    refused(
        "IF A CONTINUE",
        expect![[r#"
        15:15 SPCK021 A (alphanumeric) is no condition
    "#]],
    );
    refused(
        "IF A = CONTINUE END-IF",
        expect![[r#"
        15:19 SPSY001 CONTINUE stands where a value is expected
    "#]],
    );
    refused(
        "IF N > 5 ELSE CONTINUE",
        expect![[r#"
        15:12 SPSY027 no statement follows here
    "#]],
    );
    refused(
        "IF > 5 CONTINUE",
        expect![[r#"
        15:15 SPCK020 nothing stands here to compare with
    "#]],
    );
    refused(
        "CONTINUE END-IF",
        expect![[r#"
        15:21 SPSY025 END-IF without IF
    "#]],
    );
    refused(
        "IF P = N CONTINUE",
        expect![[r#"
        15:17 SPCK024 P (pointer) is compared with N (binary)
    "#]],
    );
    refused(
        "IF M = A OR 'E' CONTINUE",
        expect![[r#"
        15:17 SPCK028 M (packed) is compared with A (alphanumeric)
        15:24 SPCK028 M (packed) is compared with a literal in quotes
    "#]],
    );
    refused(
        "IF A (1:2) < M OR 1.5 = A OR M = SPACES OR M = G OR N = A OR M = ZERO CONTINUE",
        expect![[r#"
        15:23 SPCK028 this text is compared with M (packed)
        15:34 SPCK028 this number is compared with A (alphanumeric)
    "#]],
    );
    refused(
        "EVALUATE M WHEN 'A' CONTINUE WHEN 1 THRU 2 CONTINUE END-EVALUATE",
        expect![[r#"
        15:28 SPCK028 M (packed) is compared with a literal in quotes
    "#]],
    );
    refused(
        "EVALUATE N CONTINUE END-EVALUATE",
        expect![[r#"
        15:23 SPSY001 CONTINUE stands where WHEN is expected
    "#]],
    );
    refused(
        "EVALUATE N WHEN N > 5 CONTINUE END-EVALUATE",
        expect![[r#"
        15:30 SPCK026 a value is compared with a condition
    "#]],
    );
    refused(
        "EVALUATE N WHEN 1 ALSO 2 CONTINUE END-EVALUATE",
        expect![[r#"
        15:35 SPCK025 this WHEN has 2 values, and EVALUATE 1 subjects
    "#]],
    );
    refused(
        "IF A IS NUMBER CONTINUE",
        expect![[r#"
        15:20 SPCK022 NUMBER is no class
    "#]],
    );
}

#[test]
fn control() {
    taken(
        "
        PERFORM P1
        PERFORM P1 THRU P2
        PERFORM P1 THROUGH P2 3 TIMES
        PERFORM P1 N TIMES
        PERFORM P1 UNTIL N > 5
        PERFORM P1 WITH TEST AFTER UNTIL N > 5
        PERFORM P1 VARYING N FROM 1 BY 1 UNTIL N > 5 AFTER U FROM 1 BY 2 UNTIL U > 5
        PERFORM P1 VARYING I FROM 1 BY 1 UNTIL I > 5
        PERFORM 5 TIMES CONTINUE END-PERFORM
        PERFORM N TIMES PERFORM P1 END-PERFORM
        PERFORM UNTIL YES EXIT PERFORM END-PERFORM
        PERFORM VARYING N FROM 1 BY 1 UNTIL N > 5 EXIT PERFORM CYCLE END-PERFORM
        PERFORM TEST BEFORE UNTIL N > 1 CONTINUE END-PERFORM
        GO TO P1
        GO P1
        GO TO P1 P2 DEPENDING ON N
        ALTER P1 TO PROCEED TO P2
        EXIT PARAGRAPH
        EXIT SECTION
        EXIT PROGRAM
        STOP RUN
        STOP 'ready'
        GOBACK
        CONTINUE
        SEARCH R AT END CONTINUE WHEN K(I) = 5 CONTINUE WHEN V(I 1) = 'a' NEXT SENTENCE END-SEARCH
        SEARCH R VARYING N WHEN K(I) = 5 CONTINUE END-SEARCH
        SEARCH ALL R AT END CONTINUE WHEN K(I) = 5 CONTINUE END-SEARCH
        ENTRY 'OTHER' USING L
        READY TRACE
        SERVICE RELOAD L
        ",
    );
    refused(
        "PERFORM P9",
        expect![[r#"
        15:20 SPCK044 there is no paragraph or section P9
    "#]],
    );
    refused(
        "PERFORM UNTIL N > 5 CONTINUE",
        expect![[r#"
        15:12 SPSY031 this PERFORM has no END-PERFORM
    "#]],
    );
    refused(
        "GO TO A1 A2",
        expect![[r#"
        15:21 SPSY032 GO TO has one target, unless DEPENDING ON follows
    "#]],
    );
    refused(
        "SEARCH A WHEN N = 1 CONTINUE",
        expect![[r#"
        15:19 SPCK058 A is no table
    "#]],
    );
    refused(
        "STOP",
        expect![[r#"
        15:16 SPSY001 the sentence ends where RUN is expected
    "#]],
    );
    refused(
        "PERFROM P1",
        expect![[r#"
        15:12 SPSY024 PERFROM begins no statement
    "#]],
    );
    refused(
        "MOVE A B",
        expect![[r#"
        15:19 SPSY001 B stands where TO is expected
    "#]],
    );
}

#[test]
fn items_and_devices() {
    taken(
        "
        SET YES TO TRUE
        SET YES SOME TO FALSE
        SET I TO 1
        SET N TO I
        SET I J UP BY 1
        SET I DOWN BY N
        SET P TO ADDRESS OF L
        SET P TO NULL
        SET ADDRESS OF L TO P
        SET PP TO ENTRY 'PROG'
        SET SW TO ON
        INITIALIZE G N
        INITIALIZE G REPLACING NUMERIC DATA BY 1 ALPHANUMERIC BY 'x'
        INITIALIZE G WITH FILLER ALL TO VALUE THEN TO DEFAULT
        ACCEPT A
        ACCEPT A FROM DATE YYYYMMDD
        ACCEPT N FROM DAY-OF-WEEK
        ACCEPT A FROM CN
        DISPLAY 'a' A N UPON CONSOLE
        DISPLAY A WITH NO ADVANCING
        DISPLAY LENGTH OF A FUNCTION TRIM(A)
        ALLOCATE 100 CHARACTERS INITIALIZED RETURNING P
        ALLOCATE L RETURNING P
        FREE P
        EXHIBIT NAMED A N
        TRANSFORM A FROM 'a' TO 'b'
        EXAMINE A TALLYING ALL 'a' REPLACING BY 'b'
        ",
    );
    refused(
        "SET A TO TRUE",
        expect![[r#"
        15:16 SPCK054 A is no condition-name
    "#]],
    );
    refused(
        "SET ADDRESS OF A TO P",
        expect![[r#"
        15:27 SPCK053 A has an address that cannot be set
    "#]],
    );
    refused(
        "SET N TO ADDRESS OF A",
        expect![[r#"
        15:21 SPCK056 N (binary) holds no address
    "#]],
    );
    refused(
        "MOVE I TO N",
        expect![[r#"
        15:22 SPCK030 I (index name) cannot be moved to N (binary)
    "#]],
    );
    refused(
        "MOVE SPACES TO N",
        expect![[r#"
        15:27 SPCK030 SPACE cannot be moved to N (binary)
    "#]],
    );
    refused(
        "MOVE M TO A",
        expect![[r#"
        15:22 SPCK030 M (packed) cannot be moved to A (alphanumeric)
    "#]],
    );
    refused(
        "MOVE 1.5 TO A",
        expect![[r#"
        15:24 SPCK030 this number cannot be moved to A (alphanumeric)
    "#]],
    );
    refused(
        "MOVE NN TO A",
        expect![[r#"
        15:23 SPCK030 NN (national) cannot be moved to A (alphanumeric)
    "#]],
    );
    refused(
        "MOVE YES TO A",
        expect![[r#"
        15:17 SPCK010 YES is a condition-name, and holds no value
    "#]],
    );
    refused(
        "MOVE CORR A TO H",
        expect![[r#"
        15:27 SPCK031 A is no group
    "#]],
    );
    refused(
        "DISPLAY A UPON PRINTER",
        expect![[r#"
        15:27 SPCK050 PRINTER is no device
    "#]],
    );
    refused(
        "MOVE DFHRESP(NOTHING) TO N",
        expect![[r#"
        15:25 SPCK015 DFHRESP (NOTHING) is no value of the interface
    "#]],
    );
    refused(
        "MOVE FUNCTION UPPERCASE(A) TO B",
        expect![[r#"
        15:26 SPCK016 there is no function UPPERCASE
    "#]],
    );
    refused(
        "MOVE FUNCTION UPPER-CASE(A B) TO B",
        expect![[r#"
        15:26 SPCK065 FUNCTION UPPER-CASE has 2 arguments
    "#]],
    );
}

#[test]
fn strings() {
    taken(
        "
        STRING A DELIMITED BY SIZE B DELIMITED BY SPACE 'x' DELIMITED SIZE INTO JT
        STRING A B DELIMITED BY ',' INTO JT WITH POINTER N ON OVERFLOW CONTINUE NOT OVERFLOW CONTINUE END-STRING
        UNSTRING JT DELIMITED BY ALL SPACES OR ',' INTO A DELIMITER IN S COUNT IN N B POINTER U TALLYING IN N
        UNSTRING JT INTO A B ON OVERFLOW CONTINUE END-UNSTRING
        INSPECT A TALLYING N FOR ALL 'a' LEADING 'b' CHARACTERS BEFORE INITIAL 'c'
        INSPECT A TALLYING N FOR ALL 'a' 'b' U FOR CHARACTERS AFTER 'x'
        INSPECT A REPLACING ALL 'a' BY 'b' 'c' BY 'd' LEADING SPACES BY ZEROS FIRST 'e' BY 'f' AFTER INITIAL 'g'
        INSPECT A REPLACING CHARACTERS BY '*' BEFORE 'x'
        INSPECT A TALLYING N FOR ALL 'a' REPLACING ALL 'a' BY 'b'
        INSPECT A CONVERTING 'abc' TO 'ABC' AFTER 'x' BEFORE 'y'
        JSON GENERATE JT FROM G COUNT IN N NAME OF G1 OF G IS 'one' SUPPRESS G2 OF G ON EXCEPTION CONTINUE END-JSON
        JSON PARSE JT INTO G END-JSON
        XML GENERATE JT FROM G COUNT N WITH ATTRIBUTES END-XML
        XML PARSE JT PROCESSING PROCEDURE P1 THRU P2 ON EXCEPTION CONTINUE NOT ON EXCEPTION CONTINUE END-XML
        ",
    );
    refused(
        "STRING A INTO",
        expect![[r#"
        15:25 SPSY001 the sentence ends where an item is expected
    "#]],
    );
    refused(
        "INSPECT A",
        expect![[r#"
        15:21 SPSY001 the sentence ends where TALLYING, REPLACING or CONVERTING is expected
    "#]],
    );
    refused(
        "INSPECT A TALLYING B FOR ALL 'x'",
        expect![[r#"
        15:31 SPCK047 B is no whole number
    "#]],
    );
    // What is not built says nothing of the statement around it.
    refused(
        "PERFORM 2 TIMES GENERATE A SUPPRESS PRINTING END-PERFORM IF A = 'x' TERMINATE A ELSE CONTINUE END-IF",
        expect![[r#"
        15:28 SPSY090 GENERATE is not built
        15:39 SPSY090 SUPPRESS is not built
        15:80 SPSY090 TERMINATE is not built
    "#]],
    );
    refused(
        "XML PARSE JT",
        expect![[r#"
        15:24 SPSY001 the sentence ends where PROCESSING PROCEDURE is expected
    "#]],
    );
}

#[test]
fn calls_and_commands() {
    taken(
        "
        CALL 'PROG'
        CALL A USING B BY CONTENT N BY VALUE 5 BY REFERENCE G OMITTED RETURNING N
        CALL 'PROG' USING ADDRESS OF L LENGTH OF A ON EXCEPTION CONTINUE NOT ON EXCEPTION CONTINUE END-CALL
        CALL PP USING A
        CANCEL 'PROG' A
        EXEC CICS RETURN END-EXEC
        EXEC CICS READ FILE('F') INTO(G) RIDFLD(A) LENGTH(N) RESP(N) END-EXEC
        EXEC CICS HANDLE CONDITION NOTFND(P1) ERROR END-EXEC
        EXEC CICS LINK PROGRAM(A) COMMAREA(G) LENGTH(LENGTH OF G) END-EXEC
        EXEC SQL SELECT X INTO :A, :G.G1 FROM T WHERE Y = :N END-EXEC
        ",
    );
    refused(
        "EXEC CICS READ FILE('F') INTO(NOWHERE) RIDFLD(A) END-EXEC",
        expect![[r#"
        15:42 SPCK011 there is no item NOWHERE
    "#]],
    );
    refused(
        "EXEC CICS HANDLE CONDITION ERROR(NOWHERE) END-EXEC",
        expect![[r#"
        15:45 SPCK044 there is no paragraph or section NOWHERE
    "#]],
    );
    refused(
        "EXEC SQL COMMIT :NOWHERE END-EXEC",
        expect![[r#"
        15:29 SPCK011 there is no item NOWHERE
    "#]],
    );
    refused(
        "EXEC DLI CHKP END-EXEC",
        expect![[r#"
        15:12 SPSY090 EXEC DLI is not built
    "#]],
    );
    refused(
        "EXEC (",
        expect![[r#"
        15:12 SPSY024 EXEC belongs to no statement here
    "#]],
    );
    refused(
        "CALL 5",
        expect![[r#"
        15:17 SPCK057 this number names no program
    "#]],
    );
}

#[test]
fn files() {
    taken(
        "
        OPEN INPUT SEQ OUTPUT IDX
        OPEN I-O IDX EXTEND SEQ
        CLOSE SEQ WITH LOCK IDX
        READ SEQ
        READ SEQ INTO A AT END CONTINUE NOT AT END CONTINUE END-READ
        READ IDX NEXT RECORD AT END CONTINUE
        READ IDX KEY IS IA INVALID KEY CONTINUE NOT INVALID KEY CONTINUE END-READ
        WRITE SR
        WRITE SR FROM A AFTER ADVANCING 2 LINES
        WRITE SR BEFORE ADVANCING PAGE AT EOP CONTINUE END-WRITE
        WRITE SR AFTER NEW-PAGE
        WRITE IR INVALID KEY CONTINUE END-WRITE
        REWRITE IR FROM A INVALID KEY CONTINUE END-REWRITE
        DELETE IDX RECORD INVALID KEY CONTINUE END-DELETE
        START IDX KEY IS NOT LESS THAN IK INVALID KEY CONTINUE END-START
        START IDX KEY >= IK
        SORT SRT ON ASCENDING KEY TK USING SEQ GIVING SEQ
        SORT SRT DESCENDING TK WITH DUPLICATES IN ORDER INPUT PROCEDURE IS P1 THRU P2 OUTPUT PROCEDURE P1
        SORT R ASCENDING KEY K
        MERGE SRT ON ASCENDING KEY TK COLLATING SEQUENCE IS AL USING SEQ SEQ OUTPUT PROCEDURE P1
        RELEASE TR FROM A
        RETURN SRT RECORD INTO A AT END CONTINUE END-RETURN
        ",
    );
    refused(
        "READ A",
        expect![[r#"
        15:17 SPCK045 there is no file A
    "#]],
    );
    refused(
        "WRITE A",
        expect![[r#"
        15:18 SPCK046 A is no record of such a file
    "#]],
    );
    refused(
        "OPEN A",
        expect![[r#"
        15:17 SPSY001 A stands where INPUT, OUTPUT, I-O or EXTEND and a file name is expected
    "#]],
    );
    for key in ["A", "SR", "IK OF IR"] {
        let said = said(&with_files(&format!("SORT SRT ON ASCENDING KEY TK {key} USING SEQ GIVING SEQ")));
        assert!(
            said.ends_with(&format!(" SPCK048 {} is no item of SRT\n", &key[..key.len().min(2)])),
            "{said}"
        );
    }
    refused(
        "READ A PREVIOUS",
        expect![[r#"
        15:19 SPSY091 READ PREVIOUS is of other systems
    "#]],
    );
}

#[test]
fn one_mistake_gives_one_message() {
    refused(
        "IF A = CONTINUE ELSE MOVE A TO B END-IF\nEVALUATE TRUE WHEN A = B MOVE TO B END-EVALUATE",
        expect![[r#"
        15:19 SPSY001 CONTINUE stands where a value is expected
        16:42 SPSY001 TO stands where a value is expected
    "#]],
    );
    refused(
        "READ A FOO AT END MOVE A TO B END-READ MOVE A TO B",
        expect![[r#"
        15:19 SPSY024 FOO begins no statement
        15:17 SPCK045 there is no file A
    "#]],
    );
}

#[test]
fn storage() {
    taken("ALLOCATE L INITIALIZED ALLOCATE L LOC 31 RETURNING P FREE P P");
    refused(
        "ALLOCATE 5 CHARACTERS",
        expect![[r#"
        15:12 SPCK061 ALLOCATE of CHARACTERS does not say where their address goes
    "#]],
    );
    refused(
        "ALLOCATE A RETURNING P",
        expect![[r#"
        15:21 SPCK061 A is no record of the linkage section
    "#]],
    );
    refused(
        "ALLOCATE 5 CHARACTERS RETURNING N",
        expect![[r#"
        15:44 SPCK061 N (binary) is no pointer
    "#]],
    );
    refused(
        "FREE N",
        expect![[r#"
        15:17 SPCK061 N (binary) is no pointer
    "#]],
    );
    refused(
        "FREE ADDRESS OF A",
        expect![[r#"
        15:17 SPCK061 FREE takes pointers only
    "#]],
    );
}

#[test]
fn utf_8_goes_where_its_characters_fit() {
    taken(
        "MOVE UU TO UB NN G MOVE A TO UU MOVE E TO UU MOVE NN TO UB(2:3) MOVE ALL U'ab' TO UU
         MOVE FUNCTION TRIM(UU) TO NN MOVE FUNCTION DISPLAY-OF(UU) TO A MOVE ZERO TO UU
         IF UU = A OR UU = NN OR UU > U'x' OR UU = ZERO OR UU = G CONTINUE END-IF",
    );
    refused(
        "MOVE UU TO A N E",
        expect![[r#"
            15:23 SPCK030 UU (UTF-8) cannot be moved to A (alphanumeric)
            15:25 SPCK030 UU (UTF-8) cannot be moved to N (binary)
            15:27 SPCK030 UU (UTF-8) cannot be moved to E (numeric-edited)
        "#]],
    );
    refused(
        "MOVE U'x' TO A",
        expect![[r#"
        15:25 SPCK030 this UTF-8 cannot be moved to A (alphanumeric)
    "#]],
    );
    refused(
        "MOVE UU(1:2) TO A",
        expect![[r#"
        15:28 SPCK030 this UTF-8 cannot be moved to A (alphanumeric)
    "#]],
    );
    refused(
        "MOVE U TO UU",
        expect![[r#"
        15:22 SPCK030 U (zoned) cannot be moved to UU (UTF-8)
    "#]],
    );
    refused(
        "MOVE 5 TO UU",
        expect![[r#"
        15:22 SPCK030 this number cannot be moved to UU (UTF-8)
    "#]],
    );
    refused(
        "MOVE FUNCTION ABS(U) TO UU",
        expect![[r#"
        15:36 SPCK030 this number cannot be moved to UU (UTF-8)
    "#]],
    );
    refused(
        "IF UU = U CONTINUE END-IF",
        expect![[r#"
        15:18 SPCK027 UU (UTF-8) is compared with U (zoned)
    "#]],
    );
    refused(
        "IF UU NUMERIC CONTINUE END-IF",
        expect![[r#"
        15:15 SPCK023 UU (UTF-8) is never tested for a class
    "#]],
    );
    refused(
        "ADD 1 TO UU",
        expect![[r#"
        15:21 SPCK051 UU (UTF-8) takes no number
    "#]],
    );
    refused(
        "INSPECT UU REPLACING ALL 'a' BY 'b'",
        expect![[r#"
        15:20 SPCK063 INSPECT does not take UU (UTF-8)
    "#]],
    );
    refused(
        "ACCEPT UU",
        expect![[r#"
        15:19 SPCK063 ACCEPT does not take UU (UTF-8)
    "#]],
    );
    refused(
        "XML GENERATE UU FROM G",
        expect![[r#"
        15:25 SPCK063 XML GENERATE does not take UU (UTF-8)
    "#]],
    );
}
