//! Rows of storage that tasks share, which programs work on where it is: both ends of each area, wild subscripts, addresses of areas
//! that are gone.

use super::rows::{Ends, Row};

/// A program with items for addresses of shared storage: `P` is the pointer whose number is `NR`. `CW` is the CWA, `T` an area of 80
/// bytes that is gotten for all tasks, which `KEEP` leads to; `LONG-1` and `ITEM` lie where a row says.
macro_rules! row {
    ($rule:literal, $ends:expr, $statements:literal) => {
        Row {
            rule: $rule,
            ends: $ends,
            program: concat!(
                "01 NR PIC S9(9) COMP-5 VALUE 0.\n01 P REDEFINES NR POINTER.\n01 KEEP POINTER.\n",
                "01 I PIC S9(9) COMP-5 VALUE 0.\n01 L PIC S9(9) COMP-5 VALUE 0.\n01 TXT PIC X(8) VALUE 'HOSTILE'.\n",
                "01 LARGE PIC X(4000) VALUE ALL 'H'.\n01 RC PIC S9(8) COMP.\nLINKAGE SECTION.\n01 ITEM PIC X(8).\n",
                "01 NUM-4 PIC S9(8) COMP.\n01 LONG-1 PIC X(4000).\n01 CW PIC X(512).\n",
                "01 T. 05 RW OCCURS 10. 10 A PIC X(4). 10 B PIC S9(8) COMP.\nPROCEDURE DIVISION.\n",
                "EXEC CICS ADDRESS CWA(ADDRESS OF CW) END-EXEC\n",
                "EXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(80) END-EXEC\n",
                "SET KEEP TO ADDRESS OF T\n",
                $statements
            ),
        }
    };
}

/// Both ends of areas, subscripts, parts, statements, commands, and addresses that mean nothing.
pub const SHARED: &[Row] = &[
    row!("a store within the area", Ends::Shows("ON"), "MOVE 'HELLO' TO A(10)\nADD 1 TO B(10)\nDISPLAY 'ON'"),
    row!(
        "a store one byte in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 1 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store eight bytes in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 8 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store a check zone in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 16 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store a check zone and a byte in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 17 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store a block in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 64 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store a page in front of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nSUBTRACT 65536 FROM NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store right behind the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nADD 512 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store over the end of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nADD 505 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store behind the check zone of the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nADD 528 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store a block behind the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nADD 1024 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store half a page behind the CWA",
        Ends::Abend("ASRA"),
        "SET P TO ADDRESS OF CW\nADD 32768 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a look at the last bytes of the CWA",
        Ends::Shows("ON"),
        "SET P TO ADDRESS OF CW\nADD 504 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE ITEM TO TXT\nDISPLAY 'ON'"
    ),
    row!(
        "a subscript far behind the area",
        Ends::Abend("ASRA"),
        "MOVE 900000000 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript far in front of the area",
        Ends::Abend("ASRA"),
        "MOVE -900000000 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript right behind the area",
        Ends::Abend("ASRA"),
        "MOVE 11 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript right in front of the area",
        Ends::Abend("ASRA"),
        "MOVE 0 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript at the greatest number",
        Ends::Abend("ASRA"),
        "MOVE 2147483647 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript at the least number",
        Ends::Abend("ASRA"),
        "MOVE -2147483648 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript at a number that 32 bits would wrap to the beginning",
        Ends::Abend("ASRA"),
        "MOVE 268435457 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a subscript behind the reservation",
        Ends::Abend("ASRA"),
        "MOVE 134217729 TO I\nMOVE 'BAD' TO A(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "ADD to a number behind the area",
        Ends::Abend("ASRA"),
        "MOVE 12 TO I\nADD 1 TO B(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "ADD to a number in front of the area",
        Ends::Abend("ASRA"),
        "MOVE -3 TO I\nADD 1 TO B(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "ADD to a number far behind the area",
        Ends::Abend("ASRA"),
        "MOVE 800000000 TO I\nADD 1 TO B(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a look at a place far behind the area",
        Ends::Abend("ASRA"),
        "MOVE 50000000 TO I\nIF A(I) = 'BAD' DISPLAY 'A' ELSE DISPLAY 'B' END-IF\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part of the area that lies far behind it",
        Ends::Abend("ASRA"),
        "MOVE 400000000 TO I\nMOVE TXT TO T(I:8)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part of the area that lies in front of it",
        Ends::Abend("ASRA"),
        "MOVE -100 TO I\nMOVE TXT TO T(I:8)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part of the area that lies over the end of it",
        Ends::Abend("ASRA"),
        "MOVE 80 TO I\nMOVE TXT TO T(I:2)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part of the area that lies right behind it",
        Ends::Abend("ASRA"),
        "MOVE 81 TO I\nMOVE TXT TO T(I:1)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part a byte longer than the area",
        Ends::Abend("ASRA"),
        "MOVE 81 TO L\nMOVE LARGE TO T(1:L)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part far longer than the area",
        Ends::Abend("ASRA"),
        "MOVE 2000000000 TO L\nMOVE LARGE TO T(1:L)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a part of the area that has less than no bytes",
        Ends::Abend("4038"),
        "MOVE -5 TO L\nMOVE LARGE TO T(1:L)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a record that is longer than its area, stored to as a whole",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE LARGE TO LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a record that is longer than its area, looked at as a whole",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE LONG-1 TO LARGE\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a record that is longer than its area, used where that is",
        Ends::Shows("ON"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE TXT TO LONG-1(73:8)\nDISPLAY 'ON'"
    ),
    row!(
        "INSPECT REPLACING over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nINSPECT LONG-1 REPLACING ALL X'00' BY 'H'\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "INSPECT CONVERTING over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nINSPECT LONG-1 CONVERTING X'00' TO 'H'\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "STRING over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nSTRING LARGE DELIMITED BY SIZE INTO LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "UNSTRING over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nUNSTRING LARGE DELIMITED BY ',' INTO LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "INITIALIZE over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nINITIALIZE LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "MOVE ALL over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE ALL 'AB' TO LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a function's text over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE FUNCTION UPPER-CASE(LARGE) TO LONG-1\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a function of it over the end of the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE FUNCTION REVERSE(LONG-1) TO LARGE\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "its address kept over FREEMAIN",
        Ends::Abend("ASRA"),
        "EXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nSET ADDRESS OF ITEM TO KEEP\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "its record kept over FREEMAIN",
        Ends::Abend("ASRA"),
        "EXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nMOVE 'BAD' TO A(1)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "its record kept over FREEMAIN, with a subscript",
        Ends::Abend("ASRA"),
        "EXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nMOVE 3 TO I\nADD 1 TO B(I)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "FREEMAIN of what is free",
        Ends::Shows("INVREQ"),
        "EXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nEXEC CICS FREEMAIN DATAPOINTER(KEEP) RESP(RC) END-EXEC\nIF RC = DFHRESP(INVREQ) DISPLAY 'INVREQ' END-IF"
    ),
    row!(
        "FREEMAIN of the CWA",
        Ends::Shows("INVREQ"),
        "SET KEEP TO ADDRESS OF CW\nEXEC CICS FREEMAIN DATAPOINTER(KEEP) RESP(RC) END-EXEC\nIF RC = DFHRESP(INVREQ) DISPLAY 'INVREQ' END-IF"
    ),
    row!(
        "FREEMAIN of a place within the area",
        Ends::Shows("INVREQ"),
        "SET P TO KEEP\nADD 8 TO NR\nEXEC CICS FREEMAIN DATAPOINTER(P) RESP(RC) END-EXEC\nIF RC = DFHRESP(INVREQ) DISPLAY 'INVREQ' END-IF"
    ),
    row!(
        "another area where one was free, which is shorter",
        Ends::Abend("ASRA"),
        "EXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nEXEC CICS GETMAIN SHARED SET(ADDRESS OF ITEM) FLENGTH(72) END-EXEC\nSET ADDRESS OF T TO KEEP\nMOVE 'BAD' TO A(10)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "another area where one was free holds nothing of it",
        Ends::Shows("CLEAR"),
        "MOVE ALL 'S' TO T\nEXEC CICS FREEMAIN DATAPOINTER(KEEP) END-EXEC\nEXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(80) END-EXEC\nIF T = LOW-VALUES DISPLAY 'CLEAR' END-IF"
    ),
    row!(
        "a store at the first address of what is shared",
        Ends::Abend("ASRA"),
        "MOVE 1073741824 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store at the last address of the page that nobody has",
        Ends::Abend("ASRA"),
        "MOVE 1073807359 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store at the last address of what is shared",
        Ends::Abend("ASRA"),
        "MOVE 2147483640 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store at a page that was never used",
        Ends::Abend("ASRA"),
        "MOVE 2147352576 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store at the last address below what is shared",
        Ends::Abend("ASRA"),
        "MOVE 1073741816 TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store at NULL, which was an area before",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF T TO NULL\nMOVE 'BAD' TO A(1)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a look at NULL, which was an area before",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF T TO NULL\nMOVE 7 TO I\nMOVE A(I) TO TXT\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a pointer in the area that was written over",
        Ends::Abend("ASRA"),
        "MOVE HIGH-VALUES TO T\nMOVE B(1) TO NR\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "WRITEQ TS from a place over the end of the area",
        Ends::Abend("ASRA"),
        "SET P TO KEEP\nADD 76 TO NR\nSET ADDRESS OF ITEM TO P\nEXEC CICS WRITEQ TS QUEUE('QH') FROM(ITEM) LENGTH(8) NOHANDLE END-EXEC\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "READQ TS into a place over the end of the area",
        Ends::Abend("ASRA"),
        "SET P TO KEEP\nADD 76 TO NR\nSET ADDRESS OF ITEM TO P\nEXEC CICS WRITEQ TS QUEUE('QI') FROM(TXT) LENGTH(8) NOHANDLE END-EXEC\nEXEC CICS READQ TS QUEUE('QI') INTO(ITEM) ITEM(1) NOHANDLE END-EXEC\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "READQ TS of a short record into one that is declared longer than the area",
        Ends::Shows("HOSTILE"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS WRITEQ TS QUEUE('QJ') FROM(TXT) LENGTH(8) END-EXEC\nEXEC CICS READQ TS QUEUE('QJ') INTO(LONG-1) ITEM(1) END-EXEC\nDISPLAY LONG-1(1:8)"
    ),
    row!(
        "READQ TS of a long record into one that is declared longer than the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS WRITEQ TS QUEUE('QK') FROM(LARGE) LENGTH(81) END-EXEC\nEXEC CICS READQ TS QUEUE('QK') INTO(LONG-1) ITEM(1) NOHANDLE END-EXEC\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "WRITEQ TS of a part of a record that is declared longer than the area",
        Ends::Shows("ON"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS WRITEQ TS QUEUE('QL') FROM(LONG-1) LENGTH(80) END-EXEC\nDISPLAY 'ON'"
    ),
    row!(
        "WRITEQ TS of the whole of a record that is declared longer than the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS WRITEQ TS QUEUE('QM') FROM(LONG-1) NOHANDLE END-EXEC\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a LINK with a COMMAREA of a part of a record that is declared longer than the area",
        Ends::Shows("ON"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS LINK PROGRAM('STARTED') COMMAREA(LONG-1) LENGTH(80) END-EXEC\nDISPLAY 'ON'"
    ),
    row!(
        "a CALL with a place behind the area",
        Ends::Abend("ASRA"),
        "SET P TO KEEP\nADD 80 TO NR\nSET ADDRESS OF ITEM TO P\nCALL 'TAKES' USING ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a CALL with a place in the area",
        Ends::Shows("TAKEN"),
        "SET P TO KEEP\nADD 72 TO NR\nSET ADDRESS OF ITEM TO P\nCALL 'TAKES' USING ITEM\nDISPLAY ITEM"
    ),
    row!(
        "a LINK with a COMMAREA that is longer than the area",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF LONG-1 TO KEEP\nEXEC CICS LINK PROGRAM('STARTED') COMMAREA(LONG-1) LENGTH(4000) NOHANDLE END-EXEC\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a store behind an event control area",
        Ends::Abend("ASRA"),
        "EXEC CICS POST INTERVAL(0) SET(ADDRESS OF NUM-4) NOHANDLE END-EXEC\nSET P TO ADDRESS OF NUM-4\nSET ADDRESS OF ITEM TO P\nMOVE TXT TO ITEM\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "another task's record of 512 bytes at the area's address",
        Ends::Abend("ASRA"),
        "SET ADDRESS OF CW TO KEEP\nMOVE TXT TO CW(100:8)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "SORT of a table over the end of the area",
        Ends::Abend("ASRA"),
        "SET P TO KEEP\nADD 8 TO NR\nSET ADDRESS OF T TO P\nSORT RW ON ASCENDING KEY A\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a move of the area over itself, over its end",
        Ends::Abend("ASRA"),
        "SET P TO KEEP\nADD 4 TO NR\nSET ADDRESS OF LONG-1 TO P\nMOVE T TO LONG-1(1:80)\nDISPLAY 'NEVER HERE'"
    ),
    row!(
        "a move of the area over itself",
        Ends::Shows("ABABABAB"),
        "SET ADDRESS OF LONG-1 TO KEEP\nMOVE 'AB' TO A(1)\nMOVE LONG-1(1:8) TO LONG-1(3:8)\nDISPLAY LONG-1(3:8)"
    ),
];
