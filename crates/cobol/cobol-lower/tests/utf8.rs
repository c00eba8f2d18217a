//! Items, literals and functions of UTF-8.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 U PIC U(6) VALUE U'Caf\\u00e9'.
01 V PIC U(3).
01 B PIC U BYTE-LENGTH 5.
01 H REDEFINES B PIC X(5).
01 X PIC X(12).
01 L PIC X(4) VALUE X'E4F6FCDF'.
01 N PIC N(6).
01 K PIC N(2) VALUE NX'00E420AC'.
01 D PIC 9(3).
01 G GROUP-USAGE UTF-8.
 05 G1 PIC U BYTE-LENGTH 3.
 05 G2 PIC U BYTE-LENGTH 2.
01 A.
 05 A1 PIC U(2).
01 R REDEFINES A PIC X(8).";

#[test]
fn moves_count_characters_and_pad_with_spaces() {
    check_shown(DATA, "DISPLAY U '|' MOVE U TO V DISPLAY V '|'.", "Caf\u{e9}  |\nCaf|");
    check_shown(
        DATA,
        "MOVE U'\\u20ac\\U0001F600x' TO V IF V = UX'E282ACF09F98807820' DISPLAY 'EQUAL'.",
        "EQUAL",
    );
    check_shown(DATA, "MOVE U TO B IF H = X'436166C3A9' DISPLAY 'BYTES'.", "BYTES");
    // A character is never cut.
    check_shown(DATA, "MOVE U'abcd\\u00e9' TO B IF H = 'abcd ' DISPLAY 'WHOLE'.", "WHOLE");
    check_shown(
        DATA,
        "MOVE L TO U IF U = UX'C3A4C3B6C3BCC39F' DISPLAY U '|'.",
        "\u{e4}\u{f6}\u{fc}\u{df}  |",
    );
    check_shown(DATA, "MOVE K TO V IF V = UX'C3A4E282AC' DISPLAY 'NATIONAL'.", "NATIONAL");
    check_shown(DATA, "MOVE U TO N DISPLAY N '|' IF N(4:1) = NX'00E9' DISPLAY 'BACK'.", "Caf\u{e9}  |\nBACK");
    check_shown(DATA, "MOVE UX'C3A9' TO A1 IF R = X'C3A9202020202020' DISPLAY 'FILLED'.", "FILLED");
    check_shown(DATA, "MOVE UX'61C3A9' TO G IF G1 = UX'61C3A9' AND G2 = SPACES DISPLAY 'GROUP'.", "GROUP");
}

#[test]
fn figurative_constants() {
    check_shown(DATA, "MOVE ALL U'\\u00e9a' TO V DISPLAY V MOVE ZERO TO V DISPLAY V.", "\u{e9}a\u{e9}\n000");
    check_shown(
        DATA,
        "MOVE HIGH-VALUES TO B IF H = X'F48FBFBF7F' AND B = HIGH-VALUES DISPLAY 'HIGH'.",
        "HIGH",
    );
    check_shown(
        DATA,
        "MOVE HIGH-VALUES TO A1 IF R = X'F48FBFBFF48FBFBF' AND A1 = HIGH-VALUE DISPLAY 'HIGH'.",
        "HIGH",
    );
    check_shown(DATA, "MOVE LOW-VALUES TO B IF H = LOW-VALUES AND B < SPACES DISPLAY 'LOW'.", "LOW");
    check_shown(DATA, "INITIALIZE A G IF R = SPACES AND G = SPACES DISPLAY 'SPACES'.", "SPACES");
    check_shown(DATA, "INITIALIZE A REPLACING UTF-8 DATA BY U'\\u00e9' DISPLAY A1 '|'.", "\u{e9} |");
}

#[test]
fn comparisons() {
    check_shown(DATA, "IF U = 'Caf' OR U > 'Cafz' AND U NOT = SPACES DISPLAY 'IN ORDER'.", "IN ORDER");
    check_shown(DATA, "MOVE U TO N IF U = N AND N = U DISPLAY 'EQUAL'.", "EQUAL");
    check_shown(DATA, "EVALUATE U WHEN U'no' DISPLAY 1 WHEN U'Caf\\u00e9' DISPLAY 2 END-EVALUATE.", "2");
    check_shown(DATA, "MOVE U'ab' TO A1 IF A = X'6162' DISPLAY 'AS IT LIES'.", "AS IT LIES");
    check_shown(
        "01 U PIC U(2).\n 88 IS-E VALUE U'\\u00e9'.\n 88 HIGH VALUE U'x' THRU U'z'.",
        "MOVE UX'C3A9' TO U IF IS-E DISPLAY 'E' END-IF SET HIGH TO TRUE DISPLAY U '|' IF HIGH DISPLAY 'H'.",
        "E\nx |\nH",
    );
}

#[test]
fn parts_are_characters() {
    check_shown(DATA, "DISPLAY U(3:2) '|' U(4:) '|'.", "f\u{e9}|\u{e9}  |");
    check_shown(DATA, "MOVE 4 TO D IF U(D:1) = UX'C3A9' DISPLAY 'FOURTH'.", "FOURTH");
    // What stands behind moves.
    check_shown(DATA, "MOVE 'ABCDEF' TO U MOVE X'FC' TO U(2:1) DISPLAY U.", "A\u{fc}CDEF");
    check_shown(DATA, "MOVE 'x' TO U(3:2) DISPLAY U '|'.", "Cax   |");
    check_shown(DATA, "MOVE 7 TO D DISPLAY U(D:1).", "out of range at line 21 of T");
}

#[test]
fn functions() {
    check_shown(DATA, "MOVE FUNCTION LENGTH(U) TO D DISPLAY D MOVE LENGTH OF U TO D DISPLAY D.", "006\n024");
    check_shown(DATA, "MOVE U TO B MOVE FUNCTION LENGTH(B) TO D DISPLAY D.", "004");
    check_shown(DATA, "MOVE FUNCTION BYTE-LENGTH(U'\\u00e9') TO D DISPLAY D.", "002");
    check_shown(
        DATA,
        "MOVE FUNCTION UPOS(U, 5) TO D DISPLAY D MOVE FUNCTION UWIDTH(U, 4) TO D DISPLAY D.",
        "006\n002",
    );
    check_shown(
        DATA,
        "MOVE FUNCTION ULENGTH(U) TO D DISPLAY D MOVE FUNCTION UVALID(U) TO D DISPLAY D.",
        "006\n000",
    );
    check_shown(DATA, "MOVE FUNCTION USUBSTR(U, 3, 2) TO V DISPLAY V '|'.", "f\u{e9} |");
    check_shown(DATA, "MOVE FUNCTION USUPPLEMENTARY(UX'61F09F9880') TO D DISPLAY D.", "002");
    check_shown(DATA, "DISPLAY FUNCTION UPPER-CASE(U) '|' FUNCTION TRIM(U) '|'.", "CAF\u{c9}  |Caf\u{e9}|");
    check_shown(DATA, "MOVE FUNCTION DISPLAY-OF(U) TO X DISPLAY X '|'.", "Caf\u{e9}        |");
    check_shown(DATA, "IF FUNCTION DISPLAY-OF(U(1:1), 1047) = X'C3' DISPLAY 'EBCDIC'.", "EBCDIC");
    check_shown(DATA, "IF FUNCTION NATIONAL-OF(U(4:1)) = NX'00E9' DISPLAY 'UTF-16'.", "UTF-16");
    check_shown(DATA, "DISPLAY FUNCTION HEX-OF(U(4:1)).", "C3A9");
    check_shown(DATA, "MOVE FUNCTION FORMATTED-DATE(U'YYYYDDD' 1) TO V DISPLAY V.", "160");
    check_shown(
        "01 U PIC U(8) VALUE '16010102'. 01 D PIC 9(3).",
        "MOVE FUNCTION INTEGER-OF-FORMATTED-DATE(U'YYYYMMDD' U) TO D DISPLAY D.",
        "002",
    );
}

#[test]
fn string_counts_characters() {
    check_shown(
        DATA,
        "MOVE ALL '.' TO U MOVE 2 TO D STRING U'\\u00e9-' 'ab' DELIMITED BY '-' V DELIMITED BY SIZE INTO U POINTER D \
         ON OVERFLOW DISPLAY 'FULL' END-STRING DISPLAY U '|' D.",
        "FULL\n.\u{e9}ab\0\0|007",
    );
    check_shown(
        DATA,
        "MOVE 'ab' TO V MOVE 1 TO D STRING V DELIMITED SPACE UX'E282AC' DELIMITED SIZE INTO U POINTER D \
         IF U = UX'6162E282ACC3A9' DISPLAY D.",
        "004",
    );
}

#[test]
fn unstring_counts_characters() {
    let data =
        format!("{DATA}\n01 S PIC U(14) VALUE U'\\u00e9a,,\\u20acb;\\u00fcc'.\n01 C PIC 9.\n01 W PIC U(2).");
    check_shown(
        &data,
        "MOVE 0 TO D UNSTRING S DELIMITED BY ALL U',' OR ';' INTO V DELIMITER IN W COUNT IN C U B TALLYING IN D \
         ON OVERFLOW DISPLAY 'MORE' END-UNSTRING DISPLAY V '|' W '|' C D IF U = UX'E282AC62' AND B = UX'C3BC63' DISPLAY 'REST'.",
        "\u{e9}a |, |2003\nREST",
    );
    check_shown(
        &data,
        "MOVE 2 TO D UNSTRING S INTO V W POINTER D ON OVERFLOW DISPLAY 'MORE' END-UNSTRING DISPLAY V '|' W(1:0 + 1) D IF W = UX'E282AC62' DISPLAY 'W'.",
        "MORE\na,,|\u{1a}007\nW",
    );
}

#[test]
fn they_are_keys_of_tables() {
    check_shown(
        "01 W.\n 05 E PIC U BYTE-LENGTH 3 OCCURS 3 INDEXED BY I.",
        "MOVE UX'E282AC' TO E(1) MOVE 'z' TO E(2) MOVE U'\\u00e9' TO E(3) SORT E ASCENDING KEY E \
         IF E(1) = 'z' AND E(2) = UX'C3A9' AND E(3) = UX'E282AC' DISPLAY 'SORTED'.",
        "SORTED",
    );
}

#[test]
fn groups_of_two_kinds_are_moved_as_they_lie() {
    check_shown(
        "01 G GROUP-USAGE UTF-8.\n 05 G1 PIC U BYTE-LENGTH 4.\n01 N GROUP-USAGE NATIONAL.\n 05 N1 PIC N(2).",
        "MOVE 'abcd' TO G MOVE G TO N IF N = NX'61626364' DISPLAY 'BYTES' END-IF MOVE G1 TO N DISPLAY N.",
        "BYTES\nab",
    );
}

#[test]
fn what_is_not_published_is_refused() {
    let refused = |statement: &str, what: &str| {
        let told = lowered(&program(DATA, statement)).expect_err("it is refused");
        assert!(told.contains(what), "{told}");
    };
    refused("INSPECT U REPLACING ALL U'a' BY U'b'.", "UTF-8");
    refused("ACCEPT U FROM DATE.", "UTF-8");
    refused("MOVE U'\\ud800' TO U.", "this escape sequence of a UTF-8 literal");
    refused("MOVE UX'C3' TO U.", "a UX literal whose bytes are not UTF-8");
    refused("MOVE FUNCTION REVERSE(U) TO V.", "U (UTF-8) as characters");
    refused("STRING X DELIMITED BY SIZE INTO U.", "an operand of another kind beside UTF-8");
    refused("STRING 'x' DELIMITED BY SIZE INTO B.", "STRING into UTF-8 of so many bytes");
    refused("STRING U DELIMITED BY SIZE INTO X.", "U (UTF-8) as characters");
    refused("STRING U DELIMITED BY SIZE INTO N.", "UTF-8 beside national characters");
    refused("UNSTRING U INTO B.", "UNSTRING without DELIMITED BY into UTF-8 of so many bytes");
    refused("UNSTRING U DELIMITED BY ',' INTO X.", "UNSTRING of UTF-8 into X");
    refused("UNSTRING X DELIMITED BY ',' INTO U.", "UNSTRING into UTF-8");
    refused("MOVE 1 TO U(1:1).", "MOVE of a number to UTF-8");
    refused("MOVE D TO U(1:1).", "MOVE of D to UTF-8");
}
