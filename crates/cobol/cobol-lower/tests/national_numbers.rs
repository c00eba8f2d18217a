//! Numbers and edited items of USAGE NATIONAL.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 M PIC 9(4) NATIONAL VALUE 42.
01 MX REDEFINES M PIC X(8).
01 S PIC S9(3)V99 NATIONAL SIGN LEADING SEPARATE VALUE -1.5.
01 SX REDEFINES S PIC X(12).
01 T PIC S9(3) NATIONAL SIGN TRAILING SEPARATE.
01 E PIC ZZ9.99- NATIONAL.
01 EX REDEFINES E PIC X(14).
01 B PIC NNBNN.
01 Z PIC 9(3) NATIONAL BLANK WHEN ZERO.
01 N PIC N(6).
01 A PIC X(6).
01 Q PIC 9(3).
01 P PIC S9(5)V99 COMP-3.
01 G GROUP-USAGE NATIONAL.
 05 GM PIC 99.
 05 GN PIC N(2).
 05 GE PIC Z9.
01 F COMP-2.";

#[test]
fn digits_are_national_characters() {
    check_shown(DATA, "IF MX = X'0030003000340032' DISPLAY 'DIGITS' DISPLAY M S.", "DIGITS\n0042-00150");
    check_shown(DATA, "IF SX = X'002D00300030003100350030' DISPLAY 'SIGN'.", "SIGN");
    check_shown(DATA, "ADD 1 TO M DISPLAY M COMPUTE S = M / 8 DISPLAY S.", "0043\n+00537");
    check_shown(DATA, "SUBTRACT 1000 FROM M DISPLAY M MOVE -7 TO T DISPLAY T.", "0958\n007-");
    check_shown(DATA, "ADD 9990 TO M ON SIZE ERROR DISPLAY 'SIZE' END-ADD DISPLAY M.", "SIZE\n0042");
    check_shown(DATA, "MOVE S TO P Q DISPLAY P Q MOVE 2.5 TO F MOVE F TO S DISPLAY S.", "000015}001\n+00250");
    check_shown(DATA, "MOVE X'20AC0032' TO MX(1:4) ADD 1 TO M DISPLAY M.", "data exception at line 24 of T");
}

#[test]
fn they_are_compared_by_their_value() {
    check_shown(DATA, "IF M = 42 AND M > Q AND S < 0 AND S NOT = M DISPLAY 'NUMBERS'.", "NUMBERS");
    check_shown(DATA, "MOVE M TO N IF N = N'0042' AND M = N'0042' DISPLAY N '|'.", "0042  |");
    check_shown(DATA, "MOVE N'17' TO M E DISPLAY M E '|'.", "0017 17.00 |");
    check_shown(DATA, "IF M NUMERIC AND S NUMERIC AND T NOT NUMERIC DISPLAY 'CLASS'.", "CLASS");
    check_shown(
        DATA,
        "MOVE M TO A DISPLAY A '|' MOVE M TO Q DISPLAY Q MOVE '000077' TO N MOVE N TO Q DISPLAY Q.",
        "0042  |\n042\n077",
    );
    check_shown(
        DATA,
        "MOVE '12' TO A MOVE A(1:2) TO M DISPLAY M M(3:2) MOVE N'9' TO M(4:1) DISPLAY M.",
        "001212\n0019",
    );
    check_shown(DATA, "MOVE FUNCTION LENGTH(M) TO Q DISPLAY Q MOVE LENGTH OF S TO Q DISPLAY Q.", "004\n012");
    check_shown(DATA, "PERFORM VARYING M FROM 1 BY 1 UNTIL M > 3 CONTINUE END-PERFORM DISPLAY M.", "0004");
}

#[test]
fn they_are_edited() {
    check_shown(DATA, "MOVE S TO E DISPLAY E '|' IF EX(13:2) = X'002D' DISPLAY 'SIGN'.", "  1.50-|\nSIGN");
    check_shown(DATA, "MOVE S TO E MOVE E TO P DISPLAY P MOVE E TO N DISPLAY N.", "000015}\n  1.50");
    check_shown(
        DATA,
        "COMPUTE E = 100 / 3 DISPLAY E '|' MOVE SPACES TO E DISPLAY E '|'.",
        " 33.33 |\n       |",
    );
    check_shown(DATA, "COMPUTE E = 1000 ON SIZE ERROR DISPLAY 'SIZE' END-COMPUTE.", "SIZE");
    check_shown(DATA, "MOVE N'abcd' TO B DISPLAY B MOVE 'xy' TO B DISPLAY B '|'.", "ab cd\nxy   |");
    check_shown(DATA, "MOVE 0 TO Z DISPLAY Z '|' MOVE 7 TO Z DISPLAY Z.", "   |\n007");
    check_shown(
        DATA,
        "IF B = SPACES DISPLAY 'B' ELSE MOVE N'abcd' TO B IF B = 'ab cd' AND B > N'ab' DISPLAY 'TEXT'.",
        "TEXT",
    );
    check_shown(DATA, "MOVE S TO E IF E(3:1) = N'1' DISPLAY E(3:4).", "1.50");
}

#[test]
fn groups_of_national_items() {
    check_shown(
        DATA,
        "INITIALIZE G DISPLAY G '|' MOVE 5 TO GM GE MOVE 'ab' TO GN DISPLAY G.",
        "00   0|\n05ab 5",
    );
    check_shown(
        DATA,
        "MOVE SPACES TO G INITIALIZE G REPLACING NUMERIC DATA BY 15 NATIONAL DATA BY 'x' DISPLAY G '|'.",
        "15x   |",
    );
    check_shown(
        "01 G GROUP-USAGE NATIONAL. 05 A PIC 99 VALUE 7. 05 E PIC Z9. 05 N PIC N(2).\n01 H. 05 A PIC 9 VALUE 5. 05 E PIC 9 VALUE 4. 05 N PIC N VALUE 'q'.",
        "MOVE CORR H TO G DISPLAY G '|' MOVE 12 TO A OF G MOVE 'z' TO N OF G MOVE CORR G TO H DISPLAY A OF H N OF H.",
        "05 4q |\n2z",
    );
}

#[test]
fn what_is_not_built_is_named() {
    let refused = |statement: &str, what: &str| {
        let told = lowered(&program(DATA, statement)).expect_err("it is refused");
        assert!(told.contains(what), "{told}");
    };
    refused("MOVE B TO Q.", "B (national-edited) cannot be moved to Q");
}
