//! Places of items, by the rules of the language reference.

mod support;

use expect_test::{Expect, expect};
use support::{built, lines};

use cobol_data::DataOptions;

#[track_caller]
fn check(data: &str, expected: Expect) {
    expected.assert_eq(&lines(&built(data, &DataOptions::default())));
}

#[test]
fn usages_have_their_lengths() {
    check(
        "01 R.\n 05 A PIC X(3).\n 05 B PIC S9(4) COMP.\n 05 C PIC S9(5) COMP.\n 05 D PIC S9(10) COMP-5.\n 05 E PIC S9(7) COMP-3.\n 05 F PIC S9(8) PACKED-DECIMAL.\n 05 G PIC S9(3) SIGN LEADING SEPARATE.\n 05 H COMP-1.\n 05 I COMP-2.\n 05 J POINTER.\n 05 K PROCEDURE-POINTER.\n 05 L INDEX.\n 05 M PIC N(3).\n 05 N PIC G(2) DISPLAY-1.\n 05 O PIC ZZ9.99CR.\n 05 P PIC 9(3) NATIONAL.",
        expect![[r#"
            R 0+82 group
            A 0+3 alphanumeric
            B 3+2 binary
            C 5+4 binary
            D 9+8 native binary
            E 17+4 packed
            F 21+5 packed
            G 26+4 zoned
            H 30+4 short float
            I 34+8 long float
            J 42+4 pointer
            K 46+8 procedure pointer
            L 54+4 index
            M 58+6 national
            N 64+4 double-byte
            O 68+8 numeric-edited
            P 76+6 national numeric
        "#]],
    );
}

#[test]
fn usages_of_other_compilers_are_counted_in_bytes() {
    check(
        "01 R.\n 05 A BINARY-CHAR.\n 05 B PIC X COMP-X.\n 05 C PIC X(3) COMP-X.\n 05 D PIC 9(2) COMP-X.\n 05 E PIC 9(7) COMP-X.\n 05 F PIC S9(7) COMP-N.\n 05 G PIC 9(12) COMP-X.\n 05 H PIC S9(12) COMPUTATIONAL-X.\n 05 I PIC 9(18) COMP-X.\n 05 J PIC X(2) COMP-5.\n 05 K PIC X(4) COMP-X SYNC.\n 05 L PIC X(9) COMP-X.\n 05 M PIC 9(19) COMP-X.\n 05 N PIC A COMP-X.",
        expect![[r#"
            R 0+40 group
            A 0+1 binary of bytes
            B 1+1 binary of bytes
            C 2+3 binary of bytes
            D 5+1 binary of bytes
            E 6+3 binary of bytes
            F 9+4 binary of bytes
            G 13+5 binary of bytes
            H 18+6 binary of bytes
            I 24+8 binary of bytes
            J 32+2 binary of bytes
            K 36+4 binary of bytes slack 2
            L 40+0 unknown
            M 40+0 unknown
            N 40+0 unknown
            SPDD017 a number of this USAGE has at most 8 bytes
            SPDD018 a number of 19 digits needs the option ARITH(EXTEND)
            SPDD017 a number of this USAGE has at most 8 bytes
            SPDD017 only a number can have this USAGE
        "#]],
    );
}

#[test]
fn slack_bytes_stand_in_front_of_what_is_synchronized() {
    check(
        "01 R.\n 05 A PIC X.\n 05 B PIC S9(4) COMP SYNC.\n 05 C PIC X.\n 05 D PIC S9(9) COMP SYNC.\n 05 E PIC X.\n 05 F COMP-2 SYNC.",
        expect![[r#"
        R 0+24 group
        A 0+1 alphanumeric
        B 2+2 binary slack 1
        C 4+1 alphanumeric
        D 8+4 binary slack 3
        E 12+1 alphanumeric
        F 16+8 long float slack 3
    "#]],
    );
    // Eight bytes of binary are aligned to a fullword on z/OS.
    check(
        "01 R.\n 05 A PIC X.\n 05 B PIC S9(18) COMP SYNC.",
        expect![[r#"
        R 0+12 group
        A 0+1 alphanumeric
        B 4+8 binary slack 3
    "#]],
    );
    // An element is padded, so that the next one is aligned, too.
    check(
        "01 R.\n 05 T OCCURS 3.\n  10 A PIC X.\n  10 B PIC S9(4) COMP SYNC.\n  10 C PIC X.\n 05 Z PIC X.",
        expect![[r#"
        R 0+19 group
        T 0+6 group each 6
        A 0+1 alphanumeric
        B 2+2 binary slack 1
        C 4+1 alphanumeric
        Z 18+1 alphanumeric
    "#]],
    );
    // What begins a group pushes the group, which begins with it.
    check(
        "01 R.\n 05 A PIC X(5).\n 05 G.\n  10 H.\n   15 B PIC S9(6) COMP SYNC.\n  10 C PIC X.\n 05 T OCCURS 2.\n  10 D COMP-2 SYNC.",
        expect![[r#"
        R 0+32 group
        A 0+5 alphanumeric
        G 8+5 group slack 3
        H 8+4 group
        B 8+4 binary
        C 12+1 alphanumeric
        T 16+8 group each 8 slack 3
        D 16+8 long float
    "#]],
    );
    // Said of a group, it holds for all its items.
    check(
        "01 R SYNC.\n 05 A PIC X.\n 05 B PIC S9(9) COMP.\n 05 C PIC X(2).",
        expect![[r#"
        R 0+10 group
        A 0+1 alphanumeric
        B 4+4 binary slack 3
        C 8+2 alphanumeric
    "#]],
    );
}

#[test]
fn redefinitions_lie_where_the_first_does() {
    check(
        "01 R.\n 05 A PIC X(4).\n 05 B REDEFINES A PIC 9(4).\n 05 C REDEFINES B.\n  10 C1 PIC X.\n  10 C2 PIC X(3).\n 05 D PIC X.",
        expect![[r#"
        R 0+5 group
        A 0+4 alphanumeric
        B 0+4 zoned
        C 0+4 group
        C1 0+1 alphanumeric
        C2 1+3 alphanumeric
        D 4+1 alphanumeric
    "#]],
    );
    check(
        "01 R.\n 05 A PIC X(2).\n 05 B REDEFINES A PIC X(3).\n 05 D PIC X.",
        expect![[r#"
        R 0+4 group
        A 0+2 alphanumeric
        B 0+3 alphanumeric
        D 3+1 alphanumeric
        SPDD020 B has 3 bytes and A has 2: the group grows
    "#]],
    );
    check(
        "01 R PIC X(4).\n01 S REDEFINES R PIC X(9).",
        expect![[r#"
        R 0+4 alphanumeric
        S 0+9 alphanumeric
    "#]],
    );
}

#[test]
fn tables_of_varying_size_move_what_stands_behind_them() {
    check(
        "01 N PIC 9.\n01 R.\n 05 T PIC X(2) OCCURS 1 TO 5 DEPENDING ON N.\n 05 A PIC X.\n 05 U PIC X OCCURS 0 TO 3 DEPENDING ON N.\n 05 B PIC X.",
        expect![[r#"
        N 0+1 zoned
        R 0+15 group
        T 0+2 alphanumeric each 2
        A 10+1 alphanumeric moves behind 1
        U 11+1 alphanumeric each 1 moves behind 1
        B 14+1 alphanumeric moves behind 2
    "#]],
    );
}

#[test]
fn renames_and_conditions_have_places() {
    check(
        "01 R.\n 05 A PIC X(2).\n 05 B PIC X(3).\n  88 B-ON VALUE 'YES'.\n 05 C PIC X.\n66 AB RENAMES A THRU B.\n66 CC RENAMES C.\n77 S PIC 9.",
        expect![[r#"
        R 0+6 group
        A 0+2 alphanumeric
        B 2+3 alphanumeric
        B-ON 2+3 condition
        C 5+1 alphanumeric
        AB 0+5 group
        CC 5+1 alphanumeric
        S 0+1 zoned
    "#]],
    );
}

#[test]
fn what_is_wrong_with_descriptions() {
    check(
        "01 R.\n 05 A.\n 05 B PIC X(.\n 05 C PIC X COMP.\n 05 D REDEFINES X PIC X.\n 05 E PIC 9(32).\n 05 F COMP-1 PIC 9.",
        expect![[r#"
        R 0+1 group
        A 0+0 unknown
        B 0+0 unknown
        C 0+0 unknown
        D 0+1 alphanumeric
        E 1+0 unknown
        F 1+0 unknown
        SPDD008 there is no X before this in the same group
        SPDD016 A has neither a PICTURE nor parts
        SPDD015 X( is no picture: parentheses hold how often the symbol before them stands there
        SPDD017 only a number can have this USAGE
        SPDD017 a number has at most 31 digits
        SPDD014 an item of this USAGE has no PICTURE
    "#]],
    );
    check(
        "05 A PIC X.\n01 R PIC X.\n 05 B PIC X.",
        expect![[r#"
        A 0+1 alphanumeric
        R 0+1 group
        B 0+1 alphanumeric
        SPDD006 level 05 stands outside of a record
        SPDD013 a group has no PICTURE
    "#]],
    );
    check(
        "01 R.\n 05 A PIC X OCCURS 1 TO 5.\n 05 B PIC X OCCURS 5 TO 2 DEPENDING ON A.\n66 Z RENAMES NOWHERE.",
        expect![[r#"
        R 0+7 group
        A 0+1 alphanumeric each 1
        B 5+1 alphanumeric each 1
        Z 0+0 unknown
        SPDD012 a table of varying size has no DEPENDING ON
        SPDD011 this table can have no occurrence
        SPDD005 NOWHERE is no item of this record
    "#]],
    );
    check(
        "01 R.\n 05 A PIC X.\n   07 B PIC X.\n  06 C PIC X.\n 88 X.",
        expect![[r#"
        R 0+2 group
        A 0+2 group
        B 0+1 alphanumeric
        C 1+1 alphanumeric
        X 1+1 condition
        SPDD007 level 06 stands among items of level 07
        SPDD002 this condition-name has no VALUE
        SPDD013 a group has no PICTURE
    "#]],
    );
}

#[test]
fn utf_8_has_room_for_its_characters_or_its_bytes() {
    check(
        "01 R.\n 05 A PIC U(3).\n 05 B PIC UU USAGE UTF-8.\n 05 C PIC U BYTE-LENGTH IS 7.\n 05 G GROUP-USAGE UTF-8.\n  10 D PIC U BYTE-LENGTH 2 OCCURS 3.\n 05 H USAGE UTF-8.\n  10 E PIC U.",
        expect![[r#"
            R 0+37 group
            A 0+12 UTF-8
            B 12+8 UTF-8
            C 20+7 UTF-8
            G 27+6 UTF-8
            D 27+2 UTF-8 each 2
            H 33+4 group
            E 33+4 UTF-8
        "#]],
    );
    check(
        "01 R.\n 05 A PIC UU BYTE-LENGTH 4.\n 05 B PIC X BYTE-LENGTH 4.\n 05 C PIC 9 USAGE UTF-8.\n 05 D PIC U(2) DISPLAY.\n 05 E PIC U BYTE-LENGTH 0.\n01 G GROUP-USAGE UTF-8.\n 05 F PIC U(2).\n01 N GROUP-USAGE NATIONAL.\n 05 P PIC X.\n 05 Q PIC S99.\n 05 S PIC 99.\n01 T PIC +9.9E+99 NATIONAL.",
        expect![[r#"
            R 0+0 group
            A 0+0 unknown
            B 0+0 unknown
            C 0+0 unknown
            D 0+0 unknown
            E 0+0 unknown
            G 0+8 UTF-8
            F 0+8 UTF-8
            N 0+5 national
            P 0+1 alphanumeric
            Q 1+0 unknown
            S 1+4 national numeric
            T 0+0 unknown
            SPDD017 BYTE-LENGTH is for a single U, and a number of bytes that is not zero
            SPDD017 USAGE UTF-8 and BYTE-LENGTH are for a PICTURE of U
            SPDD017 USAGE UTF-8 and BYTE-LENGTH are for a PICTURE of U
            SPDD017 a PICTURE of U has USAGE UTF-8
            SPDD017 BYTE-LENGTH is for a single U, and a number of bytes that is not zero
            SPDD017 this item (UTF-8) does not go into such a group
            SPDD017 this item (alphanumeric) does not go into such a group
            SPDD017 a number of USAGE NATIONAL has its sign in a character of its own
            SPDD090 external floating point of USAGE NATIONAL is not built
        "#]],
    );
}

#[test]
fn a_national_group_makes_its_parts_national() {
    check(
        "01 G GROUP-USAGE NATIONAL.\n 05 A PIC 99.\n 05 B.\n  10 C PIC Z9.\n  10 D PIC S9 SIGN TRAILING SEPARATE.\n 05 E PIC NBN.",
        expect![[r#"
            G 0+18 national
            A 0+4 national numeric
            B 4+8 national
            C 4+4 national-edited
            D 8+4 national numeric
            E 12+6 national-edited
        "#]],
    );
}
