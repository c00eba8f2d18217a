//! Statements on characters and intrinsic functions, as the language reference has them.

mod support;

use support::{check_shown, lowered, program, run_with};

#[test]
fn inspects() {
    let data = "01 A PIC X(10) VALUE 'AABBA,A  B'.\n01 N PIC 9(3) VALUE 5.\n01 M PIC S9(4) COMP VALUE 0.\n01 P PIC X VALUE 'A'.\n\
                01 Z PIC 9(4) VALUE 1001.";
    check_shown(data, "INSPECT A TALLYING N FOR ALL 'A' DISPLAY N.", "009");
    check_shown(
        data,
        "INSPECT A TALLYING N FOR LEADING P M FOR CHARACTERS BEFORE ',' DISPLAY N M.",
        "0070003",
    );
    check_shown(data, "INSPECT A TALLYING N FOR ALL 'B' AFTER INITIAL ',' ALL ' ' DISPLAY N.", "008");
    check_shown(
        data,
        "INSPECT A REPLACING ALL 'A' BY 'X' BEFORE ',' FIRST 'B' BY 'Y' DISPLAY A.",
        "XXYBX,A  B",
    );
    check_shown(
        data,
        "INSPECT A REPLACING LEADING 'A' BY ZERO CHARACTERS BY '.' AFTER ',' DISPLAY A.",
        "00BBA,....",
    );
    check_shown(
        data,
        "INSPECT A CONVERTING 'AB,' TO 'ab;' DISPLAY A INSPECT A CONVERTING 'ab' TO SPACES DISPLAY A '|'.",
        "aabba;a  b\n     ;    |",
    );
    check_shown(data, "INSPECT Z REPLACING ALL '0' BY '7' DISPLAY Z.", "1771");
    check_shown(
        data,
        "INSPECT A TALLYING N FOR ALL 'A' REPLACING ALL 'A' BY 'Q' DISPLAY N A.",
        "009QQBBQ,Q  B",
    );
    check_shown(data, "INSPECT FUNCTION REVERSE(A) TALLYING M FOR LEADING 'B' DISPLAY M.", "0001");
    check_shown(data, "INSPECT A REPLACING ALL A(1:N) BY 'X'.", "out of range at line 11 of T");
}

#[test]
fn unstrings() {
    let data = "01 A PIC X(10) VALUE 'ab,cde;;12'.\n01 B PIC X(4) VALUE SPACES.\n01 C PIC X(4) JUST.\n01 D PIC X(2).\n01 N PIC 9(5).\n\
                01 P PIC 99 VALUE 1.\n01 K PIC 9 VALUE 0.\n01 T PIC 9 VALUE 0.";
    check_shown(
        data,
        "UNSTRING A DELIMITED BY ',' OR ALL ';' INTO B DELIMITER D COUNT K C N POINTER P TALLYING T DISPLAY B D K '|' C '|' N P T.",
        "ab  , 2| cde|00012113",
    );
    check_shown(
        data,
        "UNSTRING A DELIMITED BY ';' INTO B C D N ON OVERFLOW DISPLAY 'O' NOT ON OVERFLOW DISPLAY 'N' END-UNSTRING DISPLAY B '|' C '|' D '|'.",
        "N\nab,c|    |12|",
    );
    check_shown(data, "UNSTRING A INTO D B ON OVERFLOW DISPLAY 'O' END-UNSTRING DISPLAY D B.", "O\nab,cde");
    check_shown(data, "MOVE 15 TO P UNSTRING A INTO B POINTER P ON OVERFLOW DISPLAY 'O' P.", "O15");
}

#[test]
fn functions_of_characters() {
    let data = "01 A PIC X(8) VALUE ' aB c'.\n01 B PIC X(8) VALUE SPACES.\n01 N PIC 99 VALUE 2.\n01 S PIC X(3) VALUE SPACES.\n01 G.\n 05 G1 PIC X(2) VALUE 'qr'.\n 05 G2 PIC 9 VALUE 4.";
    check_shown(
        data,
        "DISPLAY FUNCTION TRIM(A) '|' FUNCTION TRIM(A LEADING) '|' FUNCTION TRIM(A TRAILING) '|'.",
        "aB c|aB c   | aB c|",
    );
    check_shown(
        data,
        "DISPLAY '|' FUNCTION TRIM(S) '|' FUNCTION UPPER-CASE(G) FUNCTION LOWER-CASE('XyZ').",
        "||QR4xyz",
    );
    check_shown(
        data,
        "MOVE FUNCTION REVERSE(A) TO B DISPLAY B '|' MOVE FUNCTION UPPER-CASE(A(2:N)) TO S DISPLAY S '|'.",
        "   c Ba |\nAB |",
    );
    check_shown(data, "MOVE FUNCTION TRIM(A)(1:N) TO B DISPLAY B '|'.", "aB      |");
    check_shown(data, "IF FUNCTION UPPER-CASE(A) = ' AB C' DISPLAY 'Y' ELSE DISPLAY 'N'.", "Y");
    check_shown(data, "STRING FUNCTION TRIM(A) '.' DELIMITED BY SIZE INTO B DISPLAY B '|'.", "aB c.   |");
    check_shown(
        data,
        "DISPLAY FUNCTION CHAR(66) MOVE A(1:FUNCTION LENGTH(FUNCTION TRIM(A))) TO B DISPLAY B '|'.",
        "A\n aB     |",
    );
    check_shown(
        data,
        "MOVE FUNCTION TRIM(A)(3:N) TO B MOVE FUNCTION TRIM(A)(4:N) TO B.",
        "out of range at line 13 of T",
    );
}

#[test]
fn the_present_moment() {
    let data = "01 D PIC X(21).\n01 Y PIC 9(4).\n01 N PIC 9(8).";
    let text = program(
        data,
        "MOVE FUNCTION CURRENT-DATE TO D MOVE FUNCTION CURRENT-DATE(1:4) TO Y DISPLAY D '|' Y.",
    );
    let ran = run_with(&text, support::KeptHost::default());
    assert_eq!(ran.host.calls, ["Accept(\"CURRENT-DATE\") ", "Accept(\"CURRENT-DATE\") "]);
    assert_eq!(ran.host.shown, "2026112314050912+0100|2026\n");
    check_shown(
        data,
        "COMPUTE N = FUNCTION YEAR-TO-YYYY(76) DISPLAY N COMPUTE N = FUNCTION YEAR-TO-YYYY(77) DISPLAY N.",
        "00002076\n00001977",
    );
    check_shown(data, "IF FUNCTION CURRENT-DATE(5:2) = '11' DISPLAY 'NOVEMBER'.", "NOVEMBER");
}

#[test]
fn functions_of_numbers() {
    let data = "01 A PIC S9(3)V99 VALUE -7.25.\n01 E PIC -(6)9.99.\n01 X PIC X(8) VALUE ' 12.50-'.\n01 T.\n 05 R PIC 9(2) OCCURS 4.\n\
                01 K PIC S9(5).\n01 Z PIC 9 VALUE 0.\n01 F PIC X VALUE 'N'.";
    let number = |expression: &str, expected: &str| {
        check_shown(data, &format!("COMPUTE E = {expression} DISPLAY E."), &format!("{expected:>10}"));
    };
    number("FUNCTION INTEGER(A)", "-8.00");
    number("FUNCTION INTEGER-PART(A)", "-7.00");
    number("FUNCTION MOD(-7, 3) + FUNCTION REM(-7, 3)", "1.00");
    number("FUNCTION ABS(A) * FUNCTION MAX(1, A, 3)", "21.75");
    number("FUNCTION MIN(1, A) - FUNCTION SIGN(A)", "-6.25");
    number("FUNCTION NUMVAL(X)", "-12.50");
    number("FUNCTION NUMVAL(X) + 1", "-11.50");
    number("FUNCTION NUMVAL-C('$1,000.5')", "1000.50");
    number("FUNCTION NUMVAL('   ')", "0.00");
    number("FUNCTION TEST-NUMVAL('1 2') + FUNCTION TEST-NUMVAL(X)", "3.00");
    number("FUNCTION ORD('A') + FUNCTION ORD-MAX(1, 5, A)", "68.00");
    number("FUNCTION INTEGER-OF-DATE(16010101)", "1.00");
    number("FUNCTION DATE-OF-INTEGER(1) - 16010000", "101.00");
    number("FUNCTION LENGTH(T) + FUNCTION LENGTH('abc') + FUNCTION STORED-CHAR-LENGTH(X)", "18.00");
    check_shown(
        data,
        "MOVE '01020304' TO T COMPUTE K = FUNCTION SUM(R(ALL)) + FUNCTION RANGE(R(ALL)) DISPLAY K.",
        "0001C",
    );
    check_shown(
        data,
        "COMPUTE K = FUNCTION MOD(5, Z) ON SIZE ERROR MOVE 'E' TO F END-COMPUTE DISPLAY F.",
        "E",
    );
    check_shown(data, "COMPUTE K = FUNCTION NUMVAL('1A').", "argument of a function at line 14 of T");
    check_shown(
        data,
        "COMPUTE K = FUNCTION INTEGER-OF-DATE(20260230).",
        "argument of a function at line 14 of T",
    );
}

#[test]
fn what_is_refused_is_named() {
    let refused = |statement: &str, expected: &str| {
        let data = "01 A PIC X(9).\n01 S PIC S9(3) COMP-3.\n01 B PIC X(40) VALUE SPACES.\n01 C PIC 9(9).";
        let told = lowered(&program(data, statement)).unwrap_err();
        assert_eq!(told, format!("10 the compiler does not know {expected} yet"));
    };
    refused("INSPECT S REPLACING ALL '1' BY '2'.", "INSPECT of a number of this form");
    refused("INSPECT A REPLACING ALL 'AB' BY '2'.", "INSPECT with texts of different lengths");
    refused("COMPUTE C = FUNCTION MOD(A, 2).", "this argument of FUNCTION MOD");
    let data = "01 A PIC X(9).";
    let told = lowered(&program(data, "MOVE FUNCTION CURRENT-DATE(20:4) TO A.")).unwrap_err();
    assert_eq!(
        told, "7 this part lies beyond the value of the function",
        "a mistake, and no gap of the compiler"
    );
}

/// NUMVAL is of floating point where its digits do not all fit.
#[test]
fn arithmetic_with_numval() {
    let data = "01 A PIC X(9) VALUE '12.5'.\n01 B PIC X(40) VALUE '-3.25'.\n01 R PIC S9(5)V9(4).\n01 E PIC -(5)9.9(4).";
    let check = |expression: &str, expected: &str| {
        let statement = format!("COMPUTE R = {expression} MOVE R TO E DISPLAY E.");
        check_shown(data, &statement, expected);
    };
    check("FUNCTION NUMVAL(A) / 3", "     4.1667");
    check("FUNCTION NUMVAL(B) * 3 - FUNCTION NUMVAL(A)", "   -22.2500");
    check("FUNCTION INTEGER(FUNCTION NUMVAL(B))", "    -4.0000");
    check("FUNCTION INTEGER(R / 7 + 2)", "     2.0000");
    check_shown(data, "COMPUTE E ROUNDED = FUNCTION NUMVAL('2.00005') DISPLAY E.", "     2.0001");
}

/// An operand is lowered once, whatever asks for its digits: what is nested takes no longer than it is long.
#[test]
fn nested_functions_and_subscripts_are_lowered_in_time() {
    let data = "01 N PIC 9 VALUE 1.\n01 T.\n 05 R PIC 9 OCCURS 9.\n01 X PIC X(9) VALUE 'X'.";
    let nested = |open: &str, inner: &str, close: &str| {
        let depth = 30;
        let number = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        let statement = format!("MOVE ALL '1' TO T COMPUTE N = {number} - {number} DISPLAY N.");
        check_shown(data, &statement, "0");
    };
    nested("FUNCTION ABS(", "N", ")");
    nested("FUNCTION ABS(1 + ", "N", ")");
    nested("FUNCTION MAX(1, 2 - ", "N", ")");
    nested("R(1 + 0 * ", "N", ")");
    nested("FUNCTION LENGTH(FUNCTION TRIM(X(1:", "N", ")))");
    nested("FUNCTION LENGTH(FUNCTION UPPER-CASE(X)(1:1 * ", "N", "))");
}

#[test]
fn a_separate_sign_is_sent_with_its_number() {
    let data = "01 L PIC S9(3) SIGN LEADING SEPARATE VALUE -12.\n01 T PIC S9(3) SIGN TRAILING SEPARATE VALUE 34.\n\
                01 N PIC S9(3) VALUE -56.\n01 R PIC X(12) VALUE SPACES.";
    check_shown(data, "STRING L T N DELIMITED BY SIZE INTO R DISPLAY R.", "-012034+056");
    check_shown(data, "STRING L DELIMITED BY '2' T DELIMITED BY '3' INTO R DISPLAY R.", "-010");
}

#[test]
fn a_number_with_a_sign_is_counted_without_it() {
    let data = "01 N PIC S9(5) VALUE -12345.\n01 L PIC S9(2) SIGN LEADING SEPARATE VALUE -55.\n01 C PIC 9 VALUE 0.\n01 D PIC 9 VALUE 0.";
    let statements = "INSPECT N TALLYING C FOR ALL '-' D FOR ALL '5' DISPLAY C D\nINSPECT L TALLYING C FOR ALL '-' D FOR ALL '5' DISPLAY C D.";
    check_shown(data, statements, "01\n03");
}

#[test]
fn p_stands_for_zeros() {
    let data = "01 P PIC S9PP VALUE -300.\n01 X PIC X(5).\n01 E PIC X/XX.";
    check_shown(
        data,
        "MOVE P TO X MOVE P TO E DISPLAY X '!' E IF P = '300' DISPLAY 'SAME' END-IF.",
        "300  !3/00\nSAME",
    );
}
