//! Floating point and powers: each with its data and what it shows, as the language reference has it.

mod support;

use support::{check_shown, lowered, program};

const FLOATS: &str = "01 G.\n 05 S COMP-1 VALUE 1.5.\n 05 L COMP-2 VALUE -2.25.\n01 GX REDEFINES G PIC X(12).\n01 T COMP-2.\n\
     01 P PIC S9(3)V99 COMP-3.\n01 Z PIC S9(5)V9(4).\n01 N PIC 9(4) COMP.\n01 E PIC -(6)9.999.\n01 F PIC X VALUE 'N'.\n01 H PIC X(12).";

#[test]
fn floating_point_lies_as_on_the_machine() {
    check_shown(FLOATS, "IF GX = X'41180000C124000000000000' DISPLAY 'Y'.", "Y");
    check_shown(FLOATS, "MOVE 0.1 TO S L IF GX = X'4019999A401999999999999A' DISPLAY 'Y'.", "Y");
    check_shown(FLOATS, "INITIALIZE G IF GX = LOW-VALUES DISPLAY 'Y'.", "Y");
    check_shown(FLOATS, "MOVE 1.5E2 TO S MOVE S TO N DISPLAY N.", "0150");
    check_shown(FLOATS, "MOVE -1.5E-1 TO L MOVE L TO E DISPLAY E.", "     -0.150");
}

#[test]
fn floating_point_is_rounded_where_it_becomes_fixed() {
    check_shown(FLOATS, "MOVE 2.6 TO L MOVE L TO P E DISPLAY P E.", "00260      2.600");
    check_shown(FLOATS, "MOVE 0.29 TO L COMPUTE P = L * 100 MOVE P TO E DISPLAY E.", "     29.000");
    check_shown(
        FLOATS,
        "MOVE 2.5 TO S MOVE S TO N DISPLAY N MOVE -2.5 TO S MOVE S TO N DISPLAY N.",
        "0003\n0003",
    );
    check_shown(FLOATS, "MOVE -7 TO P MOVE P TO S MOVE S TO E DISPLAY E.", "     -7.000");
    check_shown(FLOATS, "MOVE '12' TO H MOVE H(1:2) TO S MOVE S TO E DISPLAY E.", "     12.000");
}

#[test]
fn floating_point_is_shown_with_its_power_of_ten() {
    check_shown(FLOATS, "DISPLAY S L.", " .15000000E 01-.22500000000000000E 01");
    check_shown(
        FLOATS,
        "MOVE 0 TO S MOVE 0.00125 TO L DISPLAY S L.",
        " .00000000E 00 .12500000000000000E-02",
    );
}

#[test]
fn floating_point_takes_the_whole_expression() {
    check_shown(FLOATS, "MOVE 1 TO Z MOVE 3 TO N COMPUTE T = Z / N DISPLAY T.", " .33333333333333333E 00");
    check_shown(FLOATS, "MOVE 3 TO N DIVIDE 1 BY N GIVING T MOVE T TO Z DISPLAY Z.", "00000333C");
    check_shown(
        FLOATS,
        "ADD 1 S GIVING L MOVE L TO E DISPLAY E ADD L TO S MOVE S TO E DISPLAY E.",
        "      2.500\n      4.000",
    );
    check_shown(FLOATS, "SUBTRACT S FROM L MULTIPLY 2 BY L MOVE L TO E DISPLAY E.", "     -7.500");
    check_shown(FLOATS, "MOVE 1 TO P N ADD S TO P N MOVE P TO E DISPLAY E N.", "      2.5000003");
    check_shown(FLOATS, "COMPUTE L = (S + 0.5) ** 0.5 * -L ** 2 MOVE L TO E DISPLAY E.", "      7.159");
    check_shown(
        FLOATS,
        "PERFORM VARYING S FROM 0 BY 0.25 UNTIL S > 1 ADD S TO Z END-PERFORM MOVE Z TO E DISPLAY E.",
        "      2.500",
    );
}

#[test]
fn floating_point_is_compared_by_its_value() {
    let yes = |condition: &str| {
        check_shown(FLOATS, &format!("IF {condition} DISPLAY 'Y' ELSE DISPLAY 'N'."), "Y");
    };
    yes("S = 1.5 AND L < S");
    yes("L IS NEGATIVE AND S NOT = ZERO");
    yes("S * 2 = 3 AND L = -2.25");
    yes("S > 1.4E0 AND 15.0E-1 = S");
    check_shown(FLOATS, "MOVE 1.5 TO P EVALUATE S WHEN 1 THRU 1.4 DISPLAY 'A' WHEN P DISPLAY 'B'.", "B");
}

#[test]
fn floating_point_has_size_errors() {
    let with = |statement: &str, verb: &str, expected: &str| {
        let text = format!("{statement} ON SIZE ERROR MOVE 'E' TO F END-{verb} DISPLAY F P.");
        check_shown(
            &format!("{FLOATS}\n01 Q PIC S9(3)V99 VALUE 1."),
            &format!("MOVE 1 TO P {text}"),
            expected,
        );
    };
    with("COMPUTE P = L * 1000", "COMPUTE", "E00100");
    with("COMPUTE P = S / 0", "COMPUTE", "E00100");
    with("COMPUTE L = 1.0E70 * 1.0E70", "COMPUTE", "E00100");
    with("COMPUTE P = S * 10", "COMPUTE", "N01500");
    check_shown(FLOATS, "COMPUTE L = 1.0E70 * 1.0E70.", "divide exception at line 17 of T");
    check_shown(FLOATS, "COMPUTE P = L * 1001 MOVE P TO E DISPLAY E.", "   -252.250");
}

const POWERS: &str = "01 B PIC S9(5)V9(4) VALUE 1.05.\n01 X PIC S9(15) VALUE 3.\n01 R PIC S9(9)V9(6).\n01 I PIC S9(9) COMP.\n\
     01 F PIC X VALUE 'N'.\n01 E PIC -(9)9.9(6).\n01 D PIC S9V9 VALUE 0.5.\n01 Q PIC S9(9)V9(9).";

#[test]
fn powers() {
    let shows = |expression: &str, expected: &str| {
        let text = format!(
            "COMPUTE R = {expression} ON SIZE ERROR MOVE 0 TO R DISPLAY 'S' END-COMPUTE MOVE R TO E DISPLAY E."
        );
        check_shown(POWERS, &text, expected);
    };
    shows("B ** 2", "         1.102500");
    shows("B ** X", "         1.157625");
    shows("B ** 7", "         1.407100");
    shows("B ** -1", "         0.952380");
    shows("2 ** 29", " 536870912.000000");
    shows("B ** 0", "         1.000000");
    shows("X ** D", "         1.732051");
    shows("-B ** 3", "        -1.157625");
    shows("(B - B) ** X", "         0.000000");
    // A quotient as an exponent is floating point where the statement has decimals.
    shows("X ** (1 / 3)", "         1.442250");
    shows("X ** X ** 2", "       729.000000");
    shows("10 ** X", "      1000.000000");
    shows("0 ** 0", "S\n         0.000000");
    shows("(B - B) ** (X - 3)", "S\n         0.000000");
    shows("(B - B) ** (0 - X)", "S\n         0.000000");
    shows("(0 - X) ** D", "S\n         0.000000");
    shows("X ** 999", "S\n         0.000000");
    shows("1 ** 999999", "         1.000000");
}

/// The digits of a power that are kept show if another factor moves them in front of the point.
#[test]
fn digits_of_powers() {
    let data = "01 A PIC 9(5)V9(5) VALUE 1.00001.\n01 A9 PIC 9(4)V9(5) VALUE 1.00001.\n01 B PIC 9(8)V9(7) VALUE 1.0000001.\n\
                01 I PIC V9(4) VALUE 0.0125.\n01 N PIC 9(3) VALUE 3.\n01 M PIC S9(3) VALUE -3.\n01 R PIC 9(9)V9(6).\n\
                01 S PIC 9(8)V9(7).\n01 P PIC 9(7)V99.\n01 W PIC 9(15).\n01 H PIC 9(12) VALUE 3000000002.";
    let check = |statement: &str, compatible: &str, extended: &str| {
        for (option, expected) in [("COMPAT", compatible), ("EXTEND", extended)] {
            let text = format!("CBL ARITH({option})\n{}", program(data, statement));
            let ran = support::run_with(&text, support::KeptHost::default());
            assert_eq!(ran.host.shown.trim_end(), expected, "ARITH({option}): {statement}");
        }
    };
    // All digits where there are less than 30 or 31 of them.
    let same = |statement: &str, expected: &str| check(statement, expected, expected);
    same("COMPUTE R = A9 ** 3 * 1000000 DISPLAY R.", "001000030000300");
    // Thirty of a base with an even number of digits are kept in ARITH(EXTEND) only; one with an odd number has room.
    check("COMPUTE R = A ** 3 * 1000000 DISPLAY R.", "001000030000000", "001000030000300");
    same("COMPUTE S = B ** 2 * 10000000 DISPLAY S.", "100000020000001");
    // More of them, or an exponent that is an item: the decimals of the statement.
    same("COMPUTE R = A ** 4 * 1000000 DISPLAY R.", "001000040000000");
    same("COMPUTE R = A ** N * 1000000 DISPLAY R.", "001000030000000");
    same("COMPUTE R = (A * A) ** N * 1000000 DISPLAY R.", "001000060000000");
    same("COMPUTE R = A ** M * 1000000 DISPLAY R.", "000999970000000");
    same("COMPUTE R = A ** (N - 1) * 1000000 DISPLAY R.", "001000020000000");
    // Interest: four decimals of the rate, or three of the rounded result.
    same("MOVE 12 TO N COMPUTE P ROUNDED = 1000 * (1 + I) ** N DISPLAY P.", "000116070");
    same("MOVE 12 TO N COMPUTE R = 1000 * (1 + I) ** N DISPLAY R.", "000001160754000");
    // An exponent has nine digits.
    same("COMPUTE W = 5 ** H DISPLAY W.", "000000000000025");
    // A quotient or a power as an exponent is floating point where the statement has decimals.
    same("COMPUTE R = 2 ** (N / 1) DISPLAY R.", "000000008000000");
    same("COMPUTE R = 2 ** (1 / 2) DISPLAY R.", "000000001414214");
    same("COMPUTE W = 4 ** (1 / 2) DISPLAY W.", "000000000000001");
}

#[test]
fn powers_that_have_no_value_and_no_phrase() {
    let plain = |expression: &str, expected: &str| {
        check_shown(POWERS, &format!("COMPUTE R = {expression} MOVE R TO E DISPLAY E."), expected);
    };
    plain("(B - B) ** (X - 3)", "         1.000000");
    plain("(0 - X) ** D", "         1.732051");
    plain("(B - B) ** (0 - X)", "divide exception at line 14 of T");
    plain("X ** X ** X ** X", " 597484987.000000");
    plain("X ** 999", "divide exception at line 14 of T");
}

#[test]
fn a_huge_exponent_is_no_work() {
    let text = "MOVE 999999999999999 TO X COMPUTE R = B ** X ON SIZE ERROR DISPLAY 'S' END-COMPUTE\n\
                COMPUTE R = 0.5 ** X DISPLAY R COMPUTE R = 1 ** X DISPLAY R.";
    check_shown(POWERS, text, "S\n00000000000000{\n00000000100000{");
    let big = "01 B COMP-2 VALUE 1.0000001.\n01 X COMP-2 VALUE 9.0E14.\n01 R COMP-2.";
    check_shown(big, "COMPUTE R = B ** X ON SIZE ERROR DISPLAY 'S'.", "S");
}

#[test]
fn what_is_refused_of_floating_point() {
    let refused = |statements: &str, what: &str| {
        let message = lowered(&program(FLOATS, statements)).unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    refused("DIVIDE S BY 2 GIVING P REMAINDER Z.", "REMAINDER in floating point");
    refused("MOVE 1.0E99 TO S.", "this floating-point literal");
}

const FORMS: &str = "01 N PIC 9(4) VALUE 12.\n01 S PIC S9(4) VALUE -12.\n01 SL PIC S9(3) SIGN LEADING SEPARATE VALUE 5.\n\
     01 P PIC S9(3)V99 COMP-3 VALUE -1.25.\n01 PX REDEFINES P PIC X(3).\n01 B PIC S9(4) COMP VALUE -12.\n01 V PIC 9(2)V99 VALUE 12.34.\n\
     01 G4.\n 05 FILLER PIC X(4) VALUE '001K'.\n01 G2.\n 05 FILLER PIC X(2) VALUE X'FFF4'.\n01 GP.\n 05 FILLER PIC X(3) VALUE X'00125D'.\n\
     01 E PIC ZZ9.99.\n01 X PIC X(4).\n01 C5 PIC S9(4) COMP-5 VALUE -12.\n78 K VALUE 7.\n01 T.\n 05 FILLER PIC X OCCURS 3 INDEXED BY I.\n\
     01 D INDEX.\n01 A POINTER.";

#[test]
fn numbers_compared_as_characters() {
    let check = |condition: &str, expected: &str| {
        check_shown(FORMS, &format!("IF {condition} DISPLAY 'Y' ELSE DISPLAY 'N'."), expected);
    };
    // Against a group, every number is its bytes.
    check("S = G4 AND B = G2 AND GP = P", "Y");
    check("N = G4", "N");
    // Against a figurative constant, its digits.
    check("S = ALL '0012'", "Y");
    check("SL = ALL '005' AND P = ALL '00125' AND B = ALL '0012'", "Y");
    check("V = ALL '1234' AND V NOT = SPACES", "Y");
    check("N = LOW-VALUES OR S = LOW-VALUES OR P = SPACES OR B > HIGH-VALUES", "N");
    check_shown(FORMS, "MOVE SPACES TO PX IF P = SPACES DISPLAY 'Y' ELSE DISPLAY 'N'.", "N");
    check_shown(FORMS, "MOVE LOW-VALUES TO S N IF S = LOW-VALUES AND N = LOW-VALUES DISPLAY 'Y'.", "Y");
}

#[test]
fn classes_of_numbers() {
    let check = |condition: &str, expected: &str| {
        check_shown(FORMS, &format!("IF {condition} DISPLAY 'Y' ELSE DISPLAY 'N'."), expected);
    };
    check("B NUMERIC AND C5 IS NUMERIC", "Y");
    check("N ALPHABETIC OR S ALPHABETIC", "N");
    check_shown(FORMS, "MOVE 'ABCD' TO G4 MOVE SPACES TO N(1:4) IF N ALPHABETIC DISPLAY 'Y'.", "Y");
}

#[test]
fn characters_to_numbers() {
    let moved = |from: &str, to: &str, expected: &str| {
        check_shown(FORMS, &format!("MOVE {from} TO {to} DISPLAY {to}."), expected);
    };
    moved("ALL '7'", "N", "7777");
    moved("ALL '12'", "V", "1200");
    moved("ALL '3'", "P", "33300");
    moved("ALL '3'", "B", "3333");
    moved("'12A'", "N", "0121");
    moved("'K  '", "N", "0200");
    moved("HIGH-VALUES", "N", "\u{ff}\u{ff}\u{ff}\u{ff}");
    moved("LOW-VALUES", "B", "0000");
    moved("LOW-VALUES", "P", "00000");
    moved("ALL '5'", "E", "555.00");
    check_shown(FORMS, "MOVE 'J1' TO X MOVE X TO N DISPLAY N.", "1100");
    check_shown(FORMS, "MOVE -12 TO X DISPLAY X.", "12");
    let refused = |statements: &str, what: &str| {
        let message = lowered(&program(FORMS, statements)).unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    refused("MOVE HIGH-VALUES TO P.", "MOVE of HIGH-VALUE to a number of this form");
    refused("MOVE QUOTE TO N.", "MOVE of QUOTE to a number of this form");
    refused("MOVE '1.5' TO N.", "MOVE of this text to a number");
}

#[test]
fn numbers_are_shown_as_published() {
    check_shown(FORMS, "DISPLAY S ' ' SL ' ' P ' ' B ' ' C5 ' ' K.", "001K +005 0012N 001K 0001K 7");
    check_shown(
        FORMS,
        "SET I TO 2 SET D TO I SET A TO NULL DISPLAY I ' ' D ' ' A.",
        "000000002 000000002 0000000000",
    );
    let text = format!(
        "CBL DISPSIGN(SEP)\n{}",
        program(FORMS, "DISPLAY S ' ' SL ' ' P ' ' B ' ' N MOVE 3 TO B DISPLAY B.")
    );
    let ran = support::run_with(&text, support::KeptHost::default());
    assert_eq!(ran.host.shown, "-0012 +005 -00125 -0012 0012\n+0003\n");
}

#[test]
fn corresponding_numbers() {
    let data = "01 A.\n 05 X PIC 9(3) VALUE 5.\n 05 Y PIC S9V9 VALUE 1.5.\n 05 Z PIC X VALUE 'Q'.\n 05 I.\n  10 W PIC 9 COMP VALUE 3.\n 05 F COMP-2 VALUE 0.5.\n\
                01 B.\n 05 Y PIC S9 VALUE 4.\n 05 X PIC 9(3) VALUE 997.\n 05 Z PIC X VALUE 'R'.\n 05 I.\n  10 W PIC 9 VALUE 2.\n 05 F PIC 9V9 VALUE 1.";
    check_shown(data, "SUBTRACT CORR A FROM B DISPLAY B.", "B992R105");
    check_shown(
        data,
        "ADD CORRESPONDING A TO B ROUNDED ON SIZE ERROR DISPLAY 'S' NOT ON SIZE ERROR DISPLAY 'N' END-ADD DISPLAY B.",
        "S\nF997R515",
    );
}
