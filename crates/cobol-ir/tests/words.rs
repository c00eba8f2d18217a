//! Words that are seldom written: alphabets, symbolic characters, options of cards, subscripts with signs.

mod support;

use support::{Kept, check_shown, run_with};

/// What a program with an environment division, and cards in front of it, shows.
#[track_caller]
fn check_with(cards: &str, environment: &str, data: &str, statements: &str, expected: &str) {
    let text = format!(
        "{cards}ID DIVISION.\nPROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\n{environment}\n\
         DATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\nPROCEDURE DIVISION.\n{statements}\n"
    );
    let ran = run_with(&text, Kept::default());
    assert!(ran.left.is_ok(), "{:?}", ran.left);
    assert_eq!(ran.host.shown.trim_end(), expected, "{statements}");
}

const TABLE: &str = "01 T.\n 02 A OCCURS 3 INDEXED BY IA.\n  03 B OCCURS 3 INDEXED BY IB.\n   04 E PIC X OCCURS 3 INDEXED BY IE.\n\
                     01 L REDEFINES T PIC X(27).\n01 N PIC 9 VALUE 2.\n01 P PIC 9(4) VALUE 6.\n01 Q PIC 9(4) VALUE 7.";

#[test]
fn subscripts_with_signs() {
    let fill = "MOVE 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0' TO L SET IA TO 1 SET IB TO 2 SET IE TO 1";
    let check = |element: &str, expected: &str| {
        check_shown(TABLE, &format!("{fill} DISPLAY {element}."), expected);
    };
    check("E (+1, N, +3)", "F");
    check("E (+1 N +3)", "F");
    check("E (1 +2 3)", "F");
    check("E (IA +1 IB  +1 IE + 2)", "R");
    check("E (IA IB  -1 IE)", "A");
    check("E (N + 1, N - 1, N)", "T");
}

#[test]
fn parentheses_behind_a_comma_are_no_subscripts() {
    check_shown(TABLE, "COMPUTE N = FUNCTION MAX (P * 1, (Q + 1) * 1) DISPLAY N.", "8");
    check_shown(TABLE, "COMPUTE N = FUNCTION MIN (P (Q - 2)) DISPLAY N.", "5");
}

#[test]
fn evaluate_of_a_value_in_parentheses() {
    let statements = "EVALUATE (P * 7) WHEN 42 DISPLAY 'YES' WHEN OTHER DISPLAY 'NO' END-EVALUATE.";
    check_shown(TABLE, statements, "YES");
    let statements = "EVALUATE P WHEN (Q - 1) DISPLAY 'YES' WHEN OTHER DISPLAY 'NO' END-EVALUATE.";
    check_shown(TABLE, statements, "YES");
}

#[test]
fn quote_is_what_the_card_says() {
    let data = "01 A PIC XX.";
    check_with("", "", data, "MOVE QUOTE TO A DISPLAY A.", "\"\"");
    check_with("CBL APOST\n", "", data, "MOVE QUOTE TO A DISPLAY A.", "''");
    check_with("CBL APOST,QUOTE\n", "", data, "MOVE QUOTE TO A DISPLAY A.", "\"\"");
}

#[test]
fn symbolic_characters() {
    let names = "SPECIAL-NAMES.\n SYMBOLIC CHARACTERS STAR IS 43 PLUS-C MINUS-C ARE 44 46\n UPSI-0 IS SW ON STATUS IS SW-ON.";
    let data = "01 A PIC XXX VALUE '***'.";
    check_with("", names, data, "IF A = STAR DISPLAY 'SAME' STAR PLUS-C.", "SAME*+");
    check_with("", names, data, "MOVE MINUS-C TO A DISPLAY A.", "---");
    check_with("", names, data, "INSPECT A REPLACING ALL STAR BY PLUS-C DISPLAY A.", "+++");
}

#[test]
fn the_collating_sequence_of_a_program() {
    let data = "01 A PIC XX VALUE 'a1'. 01 B PIC XX VALUE 'B'. 01 D PIC XX VALUE '1'. 01 V PIC X.";
    let order = "IF A < B DISPLAY 'A<B'. IF D > B DISPLAY 'D>B'. MOVE HIGH-VALUE TO V IF V = X'FF' DISPLAY 'FF'.";
    check_with("", "", data, order, "FF");
    let ebcdic = "OBJECT-COMPUTER. X PROGRAM COLLATING SEQUENCE IS AL.\nSPECIAL-NAMES. ALPHABET AL IS EBCDIC.";
    check_with("", ebcdic, data, "IF A < B DISPLAY 'A<B'. IF D > B DISPLAY 'D>B'.", "A<B\nD>B");
    let own = "OBJECT-COMPUTER. X SEQUENCE IS AL.\nSPECIAL-NAMES. ALPHABET AL IS STANDARD-1.";
    check_with("", own, data, order, "FF");
    let listed =
        "OBJECT-COMPUTER. X COLLATING SEQUENCE AL.\nSPECIAL-NAMES. ALPHABET AL IS 'Z' THRU 'A' 'a' ALSO 'b'.";
    let statements = "IF 'Z' < 'A' DISPLAY '1'. IF 'B' < '0' DISPLAY '2'. MOVE LOW-VALUE TO V DISPLAY V. IF 'a' = 'b' DISPLAY '3'.";
    check_with("", listed, data, statements, "1\n2\nZ\n3");
}
