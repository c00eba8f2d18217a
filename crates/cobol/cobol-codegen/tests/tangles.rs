//! GO TO from anywhere to anywhere, with CALLs between: whatever the ways are, code is proved.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;

use cobol_codegen::Compiler;
use support::lowered;

/// A program of paragraphs that lead to one another, some by PERFORM, with a CALL in every third or so.
fn tangle(seed: u64, paragraphs: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut text = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
                    01 N PIC 9(4) COMP VALUE 0.\nLINKAGE SECTION.\n01 L PIC X(80).\nPROCEDURE DIVISION USING L.\n"
        .to_owned();
    for paragraph in 0..paragraphs {
        writeln!(text, "P{paragraph}.").expect("text");
        if next(3) == 0 {
            text.push_str("CALL 'WHATEVER' USING N.\n");
        }
        for _ in 0..next(3) {
            let (digit, to) = (next(10), next(paragraphs));
            writeln!(text, "IF N = {digit} MOVE '{digit}' TO L(N:1) GO TO P{to}.").expect("text");
        }
        match next(4) {
            0 => writeln!(text, "PERFORM P{}.", next(paragraphs)).expect("text"),
            1 => writeln!(text, "MOVE L TO L GO TO P{}.", next(paragraphs)).expect("text"),
            _ => text.push_str("ADD 1 TO N.\n"),
        }
    }
    text + "GOBACK.\n"
}

/// A part that is performed, and into which control falls at the end; loops in loops that ask the host; calls behind them.
const LOOPS: &str = "IDENTIFICATION DIVISION.
PROGRAM-ID. T.
DATA DIVISION.
WORKING-STORAGE SECTION.
01 TEXT-1 PIC X(3000).
01 I PIC 9(4) COMP.
01 LINES-1.
   05 LINE-1 OCCURS 24 INDEXED BY N PIC X(80).
PROCEDURE DIVISION.
CALL 'WHATEVER'.
GO TO BEGINS.
PERFORM Z THRU Z-EXIT.
BEGINS.
PERFORM VARYING N FROM 2 BY 1 UNTIL N > 24
    PERFORM VARYING I FROM 80 BY -1 UNTIL I < 1
    END-PERFORM
    STRING LINE-1(N)(1:I) DELIMITED BY SIZE INTO TEXT-1
END-PERFORM.
CALL 'WHATEVER'.
CALL 'WHATEVER'.
CALL 'WHATEVER'.
CALL 'WHATEVER'.
PERFORM UNTIL N > 24
END-PERFORM.
Z.
CALL 'WHATEVER'.
Z-EXIT.
EXIT.
";

#[test]
fn loops_in_loops_and_a_part_that_is_performed() {
    let unit = Compiler::new()
        .expect("this machine has a compiler")
        .unit("T.cbl".to_owned(), lowered(LOOPS).expect("it is in order"));
    assert!(unit.is_ok(), "{:?}", unit.err());
}

#[test]
fn whatever_goes_to_whatever() {
    let compiler = Compiler::new().expect("this machine has a compiler");
    for seed in 1..=60 {
        let text = tangle(seed, 20 + 5 * seed);
        let programs = lowered(&text).expect("it is in order");
        let unit = compiler.unit("T.cbl".to_owned(), programs);
        assert!(unit.is_ok(), "seed {seed}: {:?}\n{text}", unit.err());
    }
}
