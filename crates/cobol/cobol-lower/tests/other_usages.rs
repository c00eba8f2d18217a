//! Numbers that are counted in bytes, and GIVING: words of other compilers, each with its data and what it shows.

mod support;

use support::{KeptHost, check_shown, lowered, program, run_with, shown_by_all};

const BYTES: &str = "01 G.\n 05 A PIC X COMP-X VALUE 200.\n 05 B PIC X(3) COMP-X VALUE 70000.\n 05 C BINARY-CHAR VALUE -100.\n\
     05 U BINARY-CHAR UNSIGNED.\n 05 S PIC S9(5)V99 COMP-X VALUE -12.34.\n 05 P PIC 9(2) COMP-N.\n\
     05 T OCCURS 3 PIC X(2) COMP-X.\n01 H REDEFINES G PIC X(17).\n01 X PIC X(6).\n01 N PIC 9(4) COMP.\n01 E PIC -(5)9.99.";

#[test]
fn values_lie_in_bytes() {
    check_shown(
        BYTES,
        "MOVE 250 TO U P MOVE 258 TO T(2) DISPLAY FUNCTION HEX-OF(H).",
        "C80111709CFAFFFFFB2EFA000001020000",
    );
    check_shown(BYTES, "INITIALIZE G DISPLAY FUNCTION HEX-OF(H).", &"00".repeat(17));
    check_shown(
        BYTES,
        "INITIALIZE G REPLACING NUMERIC DATA BY 1 DISPLAY A B C U P T(3).",
        "0010000000100100100100001",
    );
}

#[test]
fn all_values_of_the_bytes_are_shown() {
    check_shown(BYTES, "DISPLAY A ' ' B ' ' C ' ' T(1).", "200 00070000 10} 00000");
    check_shown(BYTES, "MOVE 99 TO P ADD 100 TO P DISPLAY P.", "199");
}

#[test]
fn what_finds_no_room_is_cut_by_the_bytes() {
    check_shown(BYTES, "MOVE 300 TO A DISPLAY A MOVE 200 TO C DISPLAY C.", "044\n05O");
    let sizes = "ADD 56 TO A ON SIZE ERROR DISPLAY 'SE' A END-ADD ADD 55 TO A ON SIZE ERROR DISPLAY 'NO' NOT ON SIZE ERROR DISPLAY A END-ADD.";
    check_shown(BYTES, sizes, "SE200\n255");
    check_shown(BYTES, "SUBTRACT 28 FROM C ON SIZE ERROR DISPLAY 'NO' END-SUBTRACT DISPLAY C.", "12Q");
    check_shown(BYTES, "SUBTRACT 29 FROM C ON SIZE ERROR DISPLAY 'SE' END-SUBTRACT.", "SE");
}

#[test]
fn they_are_moved_compared_and_computed() {
    check_shown(BYTES, "MOVE A TO X DISPLAY X '.' MOVE S TO E DISPLAY E.", "200   .\n   -12.34");
    check_shown(BYTES, "MOVE '77' TO X(1:2) MOVE X(1:2) TO A DISPLAY A.", "077");
    check_shown(BYTES, "IF A = 200 AND A > C AND B NOT < A AND S < 0 DISPLAY 'Y'.", "Y");
    check_shown(BYTES, "COMPUTE N = A * 3 + B / 1000 + S MOVE N TO E DISPLAY E.", "   657.00");
    check_shown(
        BYTES,
        "PERFORM VARYING U FROM 1 BY 1 UNTIL U > 3 MOVE U TO T(U) END-PERFORM DISPLAY T(3) U.",
        "00003004",
    );
    check_shown(BYTES, "IF A NUMERIC AND A = ZERO OR C NEGATIVE DISPLAY 'Y'.", "Y");
    check_shown(BYTES, "EVALUATE C WHEN -100 DISPLAY 'Y' WHEN OTHER DISPLAY 'N' END-EVALUATE.", "Y");
    check_shown(BYTES, "STRING 'N' A DELIMITED BY SIZE INTO X DISPLAY X(1:4).", "N200");
}

#[test]
fn they_have_no_characters_and_no_digits_beyond_eight_bytes() {
    for (data, expected) in [
        ("01 A PIC X(9) COMP-X.", "SPDD017 a number of this USAGE has at most 8 bytes"),
        ("01 A PIC A(2) COMP-X.", "SPDD017 only a number can have this USAGE"),
        ("01 A PIC 9(3) COMP-6.", "SPSY091 COMP-6 is a USAGE of other compilers"),
    ] {
        assert_eq!(lowered(&program(data, "GOBACK.")).err().as_deref(), Some(expected), "{data}");
    }
    let part = lowered(&program(BYTES, "MOVE A(1:1) TO X."));
    assert_eq!(part.err().as_deref(), Some("SPCK013 A is binary of bytes, and has no characters"));
}

/// A program with one within it.
fn with_inner(statements: &str) -> String {
    format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nCALL 'I' DISPLAY RETURN-CODE GOBACK.\n\
         ID DIVISION.\nPROGRAM-ID. I.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 C PIC 9(4) VALUE 12.\n\
         PROCEDURE DIVISION.\n{statements}\nDISPLAY 'NOT REACHED'.\nEND PROGRAM I.\nEND PROGRAM T.\n"
    )
}

#[test]
fn giving_is_the_return_code() {
    for (statements, expected) in [
        ("GOBACK GIVING 8.", "0008\n"),
        ("GOBACK RETURNING C.", "0012\n"),
        ("EXIT PROGRAM GIVING 4.", "0004\n"),
        ("IF C = 12 GOBACK GIVING 3 ELSE GOBACK.", "0003\n"),
        ("STOP RUN GIVING 16.", "0016\n"),
    ] {
        assert_eq!(shown_by_all(&with_inner(statements)).as_deref(), Ok(expected), "{statements}");
    }
    let twice = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nLINKAGE SECTION.\n01 R PIC 9(4) COMP.\n\
                 PROCEDURE DIVISION RETURNING R.\nGOBACK GIVING 8.\n";
    let expected = "SPCK066 GIVING and RETURNING stand beside PROCEDURE DIVISION RETURNING";
    assert_eq!(lowered(twice).err().as_deref(), Some(expected));
}

const AREAS: &str = "01 A PIC X(2) VALUE X'030F'. 01 B PIC X(2) VALUE X'0533'. 01 N PIC 9(4) COMP VALUE 1.\n\
     01 T PIC X(10) VALUE '  ab-1 '. 01 E PIC X(8). 01 S PIC 9(4) VALUE 7.";

#[test]
fn routines_on_bytes() {
    let hex = |call: &str, expected: &str| {
        check_shown(AREAS, &format!("{call} DISPLAY FUNCTION HEX-OF(B)."), expected);
    };
    hex("CALL 'CBL_AND' USING A, B, BY VALUE 2", "0103");
    hex("CALL 'CBL_OR' USING A B BY VALUE 1", "0733");
    hex("CALL \"cbl_xor\" USING A B VALUE LENGTH OF A", "063C");
    hex("CALL 'CBL_XOR' USING A B", "063C");
    hex("CALL 'CBL_EQ' USING A B BY VALUE N", "F933");
    hex("CALL 'CBL_NOT' USING B VALUE 2", "FACC");
    hex("CALL 'CBL_XOR' USING BY CONTENT X'FFFF' BY REFERENCE B BY VALUE 2", "FACC");
    hex("CALL X'F5' USING B(2:1) E CALL X'F4' USING B E", "3333");
    check_shown(AREAS, "CALL 'CBL_XF5' USING A(1:1) E DISPLAY FUNCTION HEX-OF(E).", "0000000000000101");
}

#[test]
fn routines_on_text() {
    check_shown(AREAS, "CALL 'CBL_TOUPPER' USING T BY VALUE 4 DISPLAY T '.'.", "  AB-1    .");
    check_shown(AREAS, "MOVE 'ABC' TO T CALL 'C$TOLOWER' USING T VALUE 2 DISPLAY T '.'.", "abC       .");
    check_shown(AREAS, "CALL 'C$JUSTIFY' USING T, 'L' DISPLAY T '.'.", "ab-1      .");
    check_shown(AREAS, "CALL 'C$JUSTIFY' USING T DISPLAY T '.'.", "      ab-1.");
    check_shown(AREAS, "MOVE 'C' TO E CALL 'C$JUSTIFY' USING T(1:8) E DISPLAY T '.'.", "  ab-1    .");
}

#[test]
fn routines_return_zero() {
    check_shown(AREAS, "CALL 'CBL_TOUPPER' USING T VALUE 1 RETURNING S DISPLAY S.", "0000");
    check_shown(
        AREAS,
        "MOVE 4 TO RETURN-CODE CALL 'CBL_NOT' USING B NOT ON EXCEPTION DISPLAY 'ON' END-CALL DISPLAY RETURN-CODE.",
        "ON\n0000",
    );
}

#[test]
fn waits_ask_the_host_in_nanoseconds() {
    for (call, expected) in [
        ("CALL 'C$SLEEP' USING 2", 2_000_000_000_i64),
        ("CALL 'C$SLEEP' USING 0.2", 200_000_000),
        ("CALL 'C$SLEEP' USING S", 7_000_000_000),
        ("CALL 'CBL_OC_NANOSLEEP' USING N", 1),
        ("CALL 'CBL_GC_NANOSLEEP' USING 500000", 500_000),
    ] {
        let ran = run_with(&program(AREAS, &format!("{call}.")), KeptHost::default());
        assert_eq!(ran.host.calls, [format!("Call(\"C$SLEEP\") number {expected}")], "{call}");
    }
}

#[test]
fn other_routines_are_refused_with_a_reason() {
    for (call, expected) in [
        ("'SYSTEM' USING T", "SYSTEM starts or ends programs of the machine, which programs here may not"),
        ("'C$DELETE' USING T", "C$DELETE works on files of the machine, which programs do not see"),
        ("X'91' USING T N E", "X\"91\" is a routine of another compiler's runtime, and is not built"),
        (
            "'CBL_GET_SCR_SIZE' USING T N",
            "CBL_GET_SCR_SIZE works on the screen of a console, which neither a task nor a job has",
        ),
        ("'CBL_AND' USING A", "CBL_AND has 1 arguments"),
        ("'CBL_AND' USING A T", "CBL_AND needs a length where its operands are not equally long"),
        ("'CBL_AND' USING A 'XY' BY VALUE 2", "CBL_AND changes this operand"),
        ("'CBL_AND' USING 'XY' A BY VALUE 3", "CBL_AND takes more bytes than this literal may have"),
        ("X'F4' USING A B", "X\"F4\" works on 8 bytes, and this operand has 2"),
    ] {
        let told = lowered(&program(AREAS, &format!("CALL {call}."))).err();
        assert_eq!(told, Some(format!("8 {expected}")), "{call}");
    }
}

#[test]
fn a_program_of_the_source_is_called_whatever_its_name() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nCALL 'C$NARG' GOBACK.\n\
                ID DIVISION.\nPROGRAM-ID. 'C$NARG'.\nPROCEDURE DIVISION.\nDISPLAY 'OWN'.\nEND PROGRAM 'C$NARG'.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("OWN\n"));
}
