//! National characters: moved, compared, shown, and made of others.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 N PIC N(4).\n01 M PIC N(6) VALUE N'AB'.\n01 A PIC X(4) VALUE 'AB'.\n01 D PIC 9(3) VALUE 42.\n01 X PIC X(12).\n\
                    01 G.\n 05 GN PIC N(2) VALUE 'XY'.\n01 H REDEFINES G PIC X(4).\n01 E PIC N(2) VALUE NX'20AC0041'.";

#[test]
fn moves() {
    check_shown(DATA, "MOVE A TO N DISPLAY N '|' LENGTH OF N.", "AB  |000000008");
    check_shown(DATA, "MOVE N'LONGER' TO N DISPLAY N MOVE D TO N DISPLAY N '|'.", "LONG\n042 |");
    check_shown(DATA, "MOVE SPACES TO N IF N = SPACES AND N = N' ' DISPLAY 'SPACES'.", "SPACES");
    check_shown(DATA, "IF H = X'00580059' DISPLAY GN.", "XY");
    check_shown(DATA, "MOVE M(2:1) TO N(3:2) MOVE 'Z' TO N(1:2) DISPLAY N '|'.", "Z B |");
    check_shown(DATA, "INITIALIZE G IF H = X'00200020' DISPLAY 'SPACES'.", "SPACES");
    check_shown(DATA, "MOVE G TO X IF X(1:4) = H DISPLAY 'BYTES'.", "BYTES");
}

#[test]
fn comparisons() {
    check_shown(DATA, "IF M = 'AB' AND M = A AND A = M AND M NOT = N'AC' DISPLAY 'EQUAL'.", "EQUAL");
    check_shown(DATA, "IF M < N'B' AND E > N'ZZ' DISPLAY 'IN ORDER'.", "IN ORDER");
    check_shown(DATA, "EVALUATE M WHEN N'XY' DISPLAY 1 WHEN 'AB' DISPLAY 2 END-EVALUATE.", "2");
}

#[test]
fn classes() {
    let classes = "IF M ALPHABETIC-UPPER AND M NOT NUMERIC AND E NOT ALPHABETIC DISPLAY 'LETTERS'.";
    check_shown(DATA, classes, "LETTERS");
    check_shown(DATA, "MOVE '0042' TO N IF N NUMERIC DISPLAY 'DIGITS'.", "DIGITS");
}

#[test]
fn condition_names_have_national_values() {
    check_shown(
        "01 N PIC N(2).\n 88 IS-AB VALUE N'AB'.\n 88 HIGH VALUE 'X' THRU N'Z'.",
        "MOVE 'AB' TO N IF IS-AB DISPLAY 'AB' END-IF SET HIGH TO TRUE IF HIGH DISPLAY N '|'.",
        "AB\nX |",
    );
}

#[test]
fn figurative_constants_are_national() {
    check_shown(DATA, "MOVE ALL N'ab' TO N DISPLAY N MOVE ALL 'x' TO N DISPLAY N.", "abab\nxxxx");
    check_shown(DATA, "IF N = LOW-VALUES MOVE HIGH-VALUES TO N IF N = HIGH-VALUES DISPLAY 'HIGH'.", "HIGH");
}

#[test]
fn functions() {
    check_shown(DATA, "MOVE FUNCTION NATIONAL-OF(A) TO N DISPLAY N '|'.", "AB  |");
    check_shown(DATA, "MOVE FUNCTION DISPLAY-OF(M) TO X DISPLAY X '|'.", "AB          |");
    check_shown(DATA, "IF FUNCTION DISPLAY-OF(E, 1208) = X'E282AC41' DISPLAY 'UTF-8'.", "UTF-8");
    check_shown(DATA, "IF FUNCTION DISPLAY-OF(M(1:2), 1047) = X'C1C2' DISPLAY 'EBCDIC'.", "EBCDIC");
    check_shown(
        DATA,
        "MOVE X'E282AC' TO X IF FUNCTION NATIONAL-OF(X(1:3), 1208) = E(1:1) DISPLAY 'EURO'.",
        "EURO",
    );
    check_shown(DATA, "MOVE 37 TO D IF FUNCTION DISPLAY-OF(M(1:1), D) = X'C1' DISPLAY 'NUMBER'.", "NUMBER");
    check_shown(
        DATA,
        "IF FUNCTION DISPLAY-OF(M, D) = 'AB' DISPLAY 'NEVER'.",
        "argument of a function at line 15 of T",
    );
    check_shown(DATA, "DISPLAY FUNCTION DISPLAY-OF(FUNCTION NATIONAL-OF('abc', 819), 1208).", "abc");
}

#[test]
fn functions_of_national_characters_are_national() {
    let case = "MOVE FUNCTION UPPER-CASE(NX'00E40061') TO N IF N = NX'00C40041' DISPLAY N(2:1).";
    check_shown(DATA, case, "A");
    check_shown(DATA, "DISPLAY FUNCTION TRIM(M) '|' FUNCTION LOWER-CASE(M) '|'.", "AB|ab    |");
    check_shown(
        DATA,
        "MOVE FUNCTION FORMATTED-DATE(N'YYYYDDD' 1) TO M DISPLAY M IF FUNCTION TRIM(N' x ' LEADING) = N'x ' DISPLAY 'X'.",
        "160100\nX",
    );
}

#[test]
fn string_counts_characters() {
    let statements = "MOVE 2 TO D STRING N'A' 'B' M DELIMITED BY SPACE INTO N POINTER D ON OVERFLOW DISPLAY 'FULL' END-STRING DISPLAY N '|' D.";
    check_shown(
        DATA,
        &format!("MOVE ALL N'.' TO N {statements}").replace("ALL N'.'", "N'....'"),
        "FULL\n.ABA|005",
    );
    check_shown(
        DATA,
        "MOVE SPACES TO N STRING E DELIMITED BY N'A' D DELIMITED BY SIZE INTO N IF N(1:1) = E(1:1) DISPLAY N(2:3).",
        "042",
    );
}

#[test]
fn unstring_takes_characters() {
    let data = format!("{DATA}\n01 S PIC N(12) VALUE N'one,,two;3'.\n01 L PIC N(2).\n01 C PIC 9.");
    let statements = "UNSTRING S DELIMITED BY ALL N',' OR ';' INTO N DELIMITER IN L COUNT IN C M E TALLYING IN D ON OVERFLOW DISPLAY 'MORE' END-UNSTRING \
        DISPLAY N '|' L '|' C '|' M '|' E '|' D.";
    check_shown(&data, &format!("MOVE 0 TO D {statements}"), "one |, |3|two   |3 |003");
    check_shown(
        &data,
        "MOVE 3 TO D UNSTRING S INTO N POINTER D ON OVERFLOW DISPLAY 'MORE' END-UNSTRING DISPLAY N D.",
        "MORE\ne,,t007",
    );
}

#[test]
fn inspect_looks_at_characters() {
    let data = format!("{DATA}\n01 S PIC N(8) VALUE N'banana,a'.\n01 H8 REDEFINES S PIC X(16).");
    check_shown(&data, "MOVE 0 TO D INSPECT S TALLYING D FOR ALL 'a' BEFORE INITIAL N',' DISPLAY D.", "003");
    check_shown(
        &data,
        "MOVE 0 TO D INSPECT S TALLYING D FOR CHARACTERS AFTER ',' ALL N'an' DISPLAY D.",
        "003",
    );
    check_shown(
        &data,
        "INSPECT S REPLACING ALL N'an' BY N'AN' FIRST 'a' BY E(1:1) DISPLAY S(1:5) IF S(6:1) = E(1:1) DISPLAY 'EURO'.",
        "bANAN\nEURO",
    );
    check_shown(&data, "INSPECT S REPLACING CHARACTERS BY SPACE BEFORE N',' DISPLAY S '|'.", "      ,a|");
    check_shown(
        &data,
        "INSPECT S CONVERTING N'ab' TO 'AB' DISPLAY S INSPECT S CONVERTING N'AB' TO SPACE DISPLAY S '|'.",
        "BAnAnA,A\n  n n , |",
    );
    // Half of a character beside half of another is none.
    check_shown(
        &data,
        "MOVE 0 TO D MOVE X'0061' TO H8(2:2) INSPECT S TALLYING D FOR ALL NX'0061' DISPLAY D.",
        "003",
    );
}

#[test]
fn what_is_not_built_is_named() {
    let refused = |statement: &str, what: &str| {
        let told = lowered(&program(DATA, statement)).expect_err("it is refused");
        assert!(told.contains(what), "{told}");
    };
    refused("STRING A DELIMITED BY SIZE INTO N.", "A (alphanumeric) beside national characters");
    refused("STRING N DELIMITED BY SIZE INTO X.", "N (national) as characters");
    refused("INSPECT N TALLYING D FOR ALL A.", "A (alphanumeric) beside national characters");
    refused("UNSTRING N DELIMITED BY N' ' INTO X.", "UNSTRING of national characters into alphanumeric");
    refused("UNSTRING X DELIMITED BY ' ' INTO N.", "UNSTRING into national");
    refused("MOVE FUNCTION DISPLAY-OF(M, 932) TO X.", "FUNCTION DISPLAY-OF of this code page");
}
