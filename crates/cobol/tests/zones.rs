//! Numbers as the mainframe's instructions see them: digits whatever their zones are, floating point rounded where it is
//! stored.

mod support;

use support::{PRODUCT, Source, Workshop, lines_of};

/// Fields with other zones than a number's, and what becomes of them.
const STORAGE: &str = "\
01 S-7      PIC S9(7) VALUE 326.
01 FILLER REDEFINES S-7.
   05 FILLER PIC X(4).
   05 U-3   PIC 9(3).
01 M-7      PIC S9(7) VALUE -326.
01 FILLER REDEFINES M-7.
   05 FILLER PIC X(4).
   05 V-3   PIC 9(3).
01 X-3      PIC X(3) VALUE 'A1B'.
01 L-3 REDEFINES X-3 PIC 9(3).
01 Y-3      PIC X(3) VALUE 'a Z'.
01 K-3 REDEFINES Y-3 PIC 9V99.
01 B-3      PIC X(3) VALUE '  7'.
01 N-3 REDEFINES B-3 PIC 9(3).
01 T-20     PIC X(20) VALUE '1234567890123456789D'.
01 N-20 REDEFINES T-20 PIC 9(20).
01 Q-3      PIC X(3) VALUE 'B2M'.
01 S-3 REDEFINES Q-3 PIC S9(3).
01 F4       COMP-1 VALUE 2.6.
01 F8       COMP-2 VALUE 0.29.
01 R0       PIC S9(9).
01 R2       PIC S9(7)V99.
01 P2       PIC S9(7)V99 COMP-3.
01 I0       PIC S9(9) COMP.
01 E2       PIC Z,ZZ9.99-.
01 SHOWN    PIC -(9)9.9(4).
01 TB.
   05 EL    PIC X OCCURS 9.
01 A-3      PIC 9(3).
01 A-9V     PIC 9V99.
01 A-20     PIC 9(20).
01 SP-3     PIC X(3) VALUE SPACES.
01 D-3 REDEFINES SP-3 PIC 9(3).
01 HV-3     PIC X(3) VALUE HIGH-VALUES.
01 H-3 REDEFINES HV-3 PIC 9(3).
01 LV-3     PIC X(3) VALUE LOW-VALUES.
01 O-3 REDEFINES LV-3 PIC 9(3).
01 TX-3     PIC X(3).
";

/// Statements, and what they display.
const STATEMENTS: &[(&str, &str)] = &[
    // An unsigned number where a signed one lies.
    ("COMPUTE R0 = U-3 + 0\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "326.0000"),
    ("COMPUTE R0 = V-3 * 2\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "652.0000"),
    ("ADD U-3 1 GIVING R0\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "327.0000"),
    ("MOVE 0 TO R0\nADD U-3 TO R0\nSUBTRACT V-3 FROM R0\nDISPLAY R0", "000000000+"),
    ("MULTIPLY U-3 BY 2 GIVING R0\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "652.0000"),
    ("DIVIDE U-3 BY 100 GIVING R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "3.2600"),
    ("MOVE U-3 TO R0\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "326.0000"),
    ("MOVE U-3 TO P2\nMOVE P2 TO SHOWN\nDISPLAY SHOWN", "326.0000"),
    ("MOVE U-3 TO I0 R2\nMOVE I0 TO SHOWN\nDISPLAY SHOWN", "326.0000"),
    ("MOVE U-3 TO E2\nDISPLAY E2", "326.00"),
    ("IF U-3 = 326 AND U-3 > 325 AND U-3 < R0 + 1 AND V-3 = 326\n  DISPLAY 'YES'\nEND-IF", "YES"),
    ("MOVE 326 TO P2\nIF U-3 = P2 DISPLAY 'YES' END-IF", "YES"),
    ("MOVE 326.5 TO R2\nIF U-3 < R2 DISPLAY 'YES' END-IF", "YES"),
    ("EVALUATE U-3 WHEN 300 THRU 326 DISPLAY 'YES' END-EVALUATE", "YES"),
    // Letters.
    ("COMPUTE R0 = L-3 + 1\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "113.0000"),
    ("ADD 1 TO L-3\nDISPLAY X-3\nMOVE 'A1B' TO X-3", "113"),
    ("SUBTRACT 1 FROM L-3\nDISPLAY X-3\nMOVE 'A1B' TO X-3", "111"),
    ("IF L-3 = 112 DISPLAY 'YES' END-IF", "YES"),
    ("COMPUTE R2 = K-3 + 1\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "2.0900"),
    ("MOVE N-3 TO P2\nMOVE P2 TO SHOWN\nDISPLAY SHOWN", "7.0000"),
    ("MOVE N-3 TO I0 P2\nIF P2 = 7 AND N-3 = 7 DISPLAY I0 END-IF", "+0000000007"),
    ("MOVE 'X' TO TB\nMOVE 'Y' TO EL(N-3)\nDISPLAY EL(7)", "Y"),
    ("COMPUTE R0 = FUNCTION MOD(N-20 1000)\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "894.0000"),
    // Within a signed one.
    ("COMPUTE R0 = S-3 + 1\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "-223.0000"),
    ("IF S-3 = -224 DISPLAY 'YES' END-IF", "YES"),
    ("MOVE S-3 TO P2\nMOVE P2 TO SHOWN\nDISPLAY SHOWN", "-224.0000"),
    // A text goes as it is.
    ("MOVE L-3 TO TB\nDISPLAY TB", "A1B"),
    // Two alike, as the translator writes them: what is moved loses its sign, and stays what it is otherwise.
    ("MOVE FUNCTION ABS (U-3) TO A-3\nDISPLAY A-3", "326"),
    ("MOVE FUNCTION ABS (V-3) TO A-3\nIF A-3 NUMERIC\n  DISPLAY A-3 END-IF", "326"),
    ("MOVE FUNCTION ABS (L-3) TO A-3\nDISPLAY A-3", "A12"),
    (
        "MOVE FUNCTION ABS (D-3) TO A-3\nIF A-3 NOT NUMERIC\n  MOVE A-3 TO TX-3 DISPLAY '>' TX-3 END-IF",
        ">  0",
    ),
    (
        "MOVE FUNCTION ABS (H-3) TO A-3 TX-3\nIF A-3 = HIGH-VALUES\n  AND TX-3 = HIGH-VALUES\n  DISPLAY 'YES' END-IF",
        "YES",
    ),
    ("MOVE FUNCTION ABS (U-3) TO A-3 TX-3 R0\nDISPLAY A-3 TX-3 R0", "32632F000000326+"),
    ("MOVE FUNCTION ABS (K-3) TO A-9V\nMOVE A-9V TO SHOWN\nDISPLAY SHOWN", "1.0900"),
    ("MOVE FUNCTION ABS (N-20) TO A-20\nDISPLAY A-20", "12345678901234567894"),
    // And compared they are numbers, but for keys that are none.
    (
        "MOVE 326 TO A-3\nIF A-3 = FUNCTION ABS (U-3)\n  AND U-3 = FUNCTION ABS (V-3)\n  DISPLAY 'YES' END-IF",
        "YES",
    ),
    (
        "MOVE 327 TO A-3\nIF A-3 > FUNCTION ABS (U-3)\n  AND U-3 < FUNCTION ABS (A-3)\n  DISPLAY 'YES' END-IF",
        "YES",
    ),
    (
        "MOVE 0 TO A-3\nIF A-3 = FUNCTION ABS (D-3)\n  AND D-3 = FUNCTION ABS (O-3)\n  DISPLAY 'YES' END-IF",
        "YES",
    ),
    (
        "MOVE 999 TO A-3\nIF A-3 < FUNCTION ABS (H-3)\n  AND H-3 > FUNCTION ABS (D-3)\n  DISPLAY 'YES' END-IF",
        "YES",
    ),
    ("MOVE 1.09 TO A-9V\nIF K-3 = FUNCTION ABS (A-9V)\n  DISPLAY 'YES' END-IF", "YES"),
    ("MOVE 12345678901234567894 TO A-20\nIF A-20 = FUNCTION ABS (N-20)\n  DISPLAY 'YES' END-IF", "YES"),
    ("MOVE 326 TO A-3\nEVALUATE U-3 WHEN FUNCTION ABS (A-3)\n  DISPLAY 'YES' END-EVALUATE", "YES"),
    (
        "MOVE 320 TO A-3\nEVALUATE U-3\n  WHEN FUNCTION ABS (A-3)\n  THRU FUNCTION ABS (V-3)\n  DISPLAY 'YES' END-EVALUATE",
        "YES",
    ),
    ("COMPUTE R0 = FUNCTION ABS(S-7) + FUNCTION ABS(M-7)\n  + FUNCTION ABS(5)\nDISPLAY R0", "000000657+"),
    // Floating point is rounded to the last place.
    ("MOVE F4 TO R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "2.6000"),
    ("MOVE F4 TO P2 R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "2.6000"),
    ("MOVE F4 TO I0\nMOVE I0 TO SHOWN\nDISPLAY SHOWN", "3.0000"),
    ("MOVE F4 TO E2\nDISPLAY E2", "2.60"),
    ("COMPUTE R2 = F4\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "2.6000"),
    ("COMPUTE R2 = F8 * 100\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "29.0000"),
    ("COMPUTE R0 P2 = F8 * 100\nMOVE P2 TO SHOWN\nDISPLAY R0 SHOWN", "000000029+        29.0000"),
    ("COMPUTE R0 = 100 * F4 / 4\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "65.0000"),
    ("MOVE 0 TO R2\nADD F8 TO R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "0.2900"),
    ("MULTIPLY F8 BY 100 GIVING R0\nMOVE R0 TO SHOWN\nDISPLAY SHOWN", "29.0000"),
    // And then what is not: cut off as ever.
    ("MOVE 2.69 TO R2\nCOMPUTE R0 = R2 * 1\nDISPLAY R0", "000000002+"),
    ("COMPUTE R0 = 1 + R2\nDISPLAY R0", "000000003+"),
];

#[test]
fn digits_count_and_floating_point_is_rounded() {
    let code: String = STATEMENTS.iter().map(|(code, _)| format!("{code}\n")).collect();
    let source = Source { name: "ZONES", storage: STORAGE, code: &(code + "GOBACK."), ..Source::default() };
    let workshop = Workshop::new();
    let host = workshop.host();
    let lines = lines_of(&host, &host.load(&workshop.compile_with(&source, PRODUCT)).expect("a program"));
    let others = STATEMENTS.iter().zip(&lines).filter(|((_, expected), line)| line.trim() != *expected);
    let others: Vec<_> = others.collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(lines.len(), STATEMENTS.len(), "{lines:?}");
}
