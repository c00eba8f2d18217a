//! The places of a record's fields, by the published rules of z/OS.

use copybook::{Field, Kind, parse};
use diagnostics::Source;
use expect_test::{Expect, expect};

/// Shows the fields of a copybook: offset, length, occurrences, name, usage.
fn check(text: &str, expected: Expect) {
    let parsed = parse(&Source::new("REC.cpy", text));
    let mut out = String::new();
    for layout in &parsed.layouts {
        layout.fields().into_iter().for_each(|field| out += &shown(field));
    }
    for message in &parsed.messages {
        out += &format!("{message}\n");
    }
    expected.assert_eq(&out);
}

fn shown(field: &Field) -> String {
    let times = field.occurs.as_ref().map_or(String::new(), |o| match &o.depending {
        Some(counter) => format!(" x {}-{} by {counter}", o.min, o.max),
        None => format!(" x {}", o.max),
    });
    let kind = match &field.kind {
        Kind::Group(_) => String::new(),
        Kind::Elementary(usage) => format!(" {usage:?}"),
    };
    let again = field.redefines.as_ref().map_or(String::new(), |name| format!(" = {name}"));
    let name = field.name.as_deref().unwrap_or("FILLER");
    format!("{:<4} {:<3}{times} {:02} {name}{again}{kind}\n", field.offset, field.length, field.level)
}

#[test]
fn fixed_format_with_sequence_numbers_comments_and_continuation() {
    check(
        "000100* A record                                                        REC00010\n\
         000200 01  ACCT-REC.                                                    REC00020\n\
         000300     05  ACCT-ID      PIC 9(11).                                  REC00030\n\
         000400     05  ACCT-STATUS  PIC X VALUE 'it''s. A                       REC00040\n\
         000500-                     'LONG ONE'.                                 REC00050\n\
         000600         88  ACTIVE   VALUE 'Y' 'J'.\n\
         000700D    05  DEBUG-ONLY   PIC X.\n\
         000800     05  FILLER       PICTURE IS X(08).\n\
         000900     05               PIC XX.\n\
         001000 77  ALONE            PIC S9(4) USAGE IS COMP.\n",
        expect![[r#"
            0    22  01 ACCT-REC
            0    11  05 ACCT-ID Zoned { digits: 11, scale: 0, sign: None }
            11   1   05 ACCT-STATUS Text
            12   8   05 FILLER Text
            20   2   05 FILLER Text
            0    2   77 ALONE Binary { digits: 4, scale: 0, signed: true, native: false, highest_first: true }
        "#]],
    );
}

#[test]
fn every_usage_has_its_length() {
    check(
        "01 R.\n\
         05 B1 PIC 9 COMP.\n05 B5 PIC S9(5) BINARY.\n05 B10 PIC S9(10)V99 COMP-4.\n05 B5N PIC S9(9) COMP-5.\n\
         05 P4 PIC S9(4) COMP-3.\n05 P5 PACKED-DECIMAL PIC 9(5).\n05 F1 COMP-1.\n05 F2 COMP-2.\n\
         05 IX INDEX.\n05 ND PIC N(3).\n05 SS PIC S9(3) SIGN LEADING SEPARATE CHARACTER.\n\
         05 ST PIC S9(3) TRAILING.\n05 ED PIC -ZZ9.99.\n05 PV PIC 9(3)PPP.\n05 CR PIC ZZ9CR BLANK WHEN ZERO.\n\
         05 BL BINARY-LONG UNSIGNED.\n05 G COMP-3 SIGN TRAILING SEPARATE. 10 GP PIC 9(3). 10 GD PIC S9 USAGE DISPLAY.\n",
        expect![[r#"
            0    76  01 R
            0    2   05 B1 Binary { digits: 1, scale: 0, signed: false, native: false, highest_first: true }
            2    4   05 B5 Binary { digits: 5, scale: 0, signed: true, native: false, highest_first: true }
            6    8   05 B10 Binary { digits: 12, scale: 2, signed: true, native: false, highest_first: true }
            14   4   05 B5N Binary { digits: 9, scale: 0, signed: true, native: true, highest_first: false }
            18   3   05 P4 Packed { digits: 4, scale: 0, signed: true }
            21   3   05 P5 Packed { digits: 5, scale: 0, signed: false }
            24   4   05 F1 Float
            28   8   05 F2 Float
            36   4   05 IX Index
            40   6   05 ND Opaque
            46   4   05 SS Zoned { digits: 3, scale: 0, sign: LeadingSeparate }
            50   3   05 ST Zoned { digits: 3, scale: 0, sign: Trailing }
            53   7   05 ED Text
            60   3   05 PV Zoned { digits: 3, scale: -3, sign: None }
            63   5   05 CR Text
            68   4   05 BL Binary { digits: 9, scale: 0, signed: false, native: true, highest_first: false }
            72   4   05 G
            72   2   10 GP Packed { digits: 3, scale: 0, signed: false }
            74   2   10 GD Zoned { digits: 1, scale: 0, sign: TrailingSeparate }
        "#]],
    );
}

#[test]
fn numbers_of_usage_national_have_two_bytes_a_character() {
    check(
        "01 R.\n05 A PIC 9(3) NATIONAL.\n05 B PIC S9(2) NATIONAL SIGN LEADING SEPARATE.\n05 C PIC Z9 NATIONAL.\n05 D PIC X.\n",
        expect![[r#"
            0    17  01 R
            0    6   05 A Opaque
            6    6   05 B Opaque
            12   4   05 C Opaque
            16   1   05 D Text
        "#]],
    );
}

#[test]
fn utf_8_has_four_bytes_a_character_or_so_many() {
    check(
        "01 R.\n05 A PIC U(3).\n05 B PIC U BYTE-LENGTH IS 7 USAGE UTF-8.\n05 G GROUP-USAGE NATIONAL.\n10 C PIC 9(2).\n05 D PIC X.\n",
        expect![[r#"
            0    24  01 R
            0    12  05 A Opaque
            12   7   05 B Opaque
            19   4   05 G
            19   4   10 C Opaque
            23   1   05 D Text
        "#]],
    );
}

#[test]
fn synchronized_fields_are_aligned_and_tables_of_them_padded() {
    check(
        "01 S.\n05 S1 PIC X.\n05 S2 PIC S9(4) COMP SYNC.\n05 S3 PIC X.\n05 S4 PIC S9(9) COMP SYNC.\n\
         05 S5 PIC X.\n05 S6 PIC S9(18) COMP SYNCHRONIZED RIGHT.\n05 S7 PIC X.\n05 S8 COMP-2 SYNC.\n05 S9 PIC X.\n\
         05 SG OCCURS 3.\n10 SGA PIC S9(9) COMP SYNC.\n10 SGB PIC X.\n05 SZ PIC X.\n",
        expect![[r#"
            0    69  01 S
            0    1   05 S1 Text
            2    2   05 S2 Binary { digits: 4, scale: 0, signed: true, native: false, highest_first: true }
            4    1   05 S3 Text
            8    4   05 S4 Binary { digits: 9, scale: 0, signed: true, native: false, highest_first: true }
            12   1   05 S5 Text
            16   8   05 S6 Binary { digits: 18, scale: 0, signed: true, native: false, highest_first: true }
            24   1   05 S7 Text
            32   8   05 S8 Float
            40   1   05 S9 Text
            44   8   x 3 05 SG
            44   4   10 SGA Binary { digits: 9, scale: 0, signed: true, native: false, highest_first: true }
            48   1   10 SGB Text
            68   1   05 SZ Text
        "#]],
    );
}

#[test]
fn tables_and_redefinitions() {
    check(
        "01 R.\n05 N PIC 99.\n05 D1 PIC X(4).\n05 D2 REDEFINES D1 PIC X(6).\n05 D3 REDEFINES D1. 10 D4 PIC 9(4).\n\
         05 M OCCURS 2 TIMES INDEXED BY I J. 10 M1 PIC X(3) OCCURS 3.\n\
         05 T OCCURS 1 TO 5 TIMES DEPENDING ON N OF R ASCENDING KEY IS T1 INDEXED BY T-IX.\n\
         10 T1 PIC X(3).\n",
        expect![[r#"
            0    41  01 R
            0    2   05 N Zoned { digits: 2, scale: 0, sign: None }
            2    4   05 D1 Text
            2    6   05 D2 = D1 Text
            2    4   05 D3 = D1
            2    4   10 D4 Zoned { digits: 4, scale: 0, sign: None }
            8    9   x 2 05 M
            8    3   x 3 10 M1 Text
            26   3   x 1-5 by N 05 T
            26   3   10 T1 Text
            warning[SPDD020]: D2 has 6 bytes and D1 has 4: the group grows
             --> REC.cpy:4:4
              |
            4 | 05 D2 REDEFINES D1 PIC X(6).
              |    ^^
              |
              = help: make it no longer than what it redefines
        "#]],
    );
}

#[test]
fn a_record_that_redefines_another_begins_at_its_own_first_byte() {
    check(
        "01 A PIC X(4).\n01 B REDEFINES A PIC 9(4).\n01 C REDEFINES ELSEWHERE.\n05 D PIC X.\n",
        expect![[r#"
            0    4   01 A Text
            0    4   01 B = A Zoned { digits: 4, scale: 0, sign: None }
            0    1   01 C = ELSEWHERE
            0    1   05 D Text
        "#]],
    );
}

#[test]
fn a_copybook_without_level_01_is_one_unnamed_record() {
    check(
        "           03  A PIC X.\n           03  B.\n               05 C PIC 9(4).\n           03  D PIC X.\n",
        expect![[r#"
            0    6   01 FILLER
            0    1   03 A Text
            1    4   03 B
            1    4   05 C Zoned { digits: 4, scale: 0, sign: None }
            5    1   03 D Text
        "#]],
    );
}

#[test]
fn what_is_wrong_is_shown_at_its_place() {
    check(
        "01 R.\n  05 A PIC Q(3).\n  05 B.\n  05 C REDEFINES NOSUCH PIC X.\n  05 D PIC X COMP-3.\n\
         \x20 05 E PIC X OCURS 3.\n  05 P POINTER.\nCOPY OTHER.\n",
        expect![[r#"
            0    5   01 R
            0    0   05 A Text
            0    0   05 B Text
            0    1   05 C Text
            1    0   05 D Text
            1    4   05 P Address
            error[SPSY001]: OCURS stands where a clause of a data description, or a full stop is expected
             --> REC.cpy:6:14
              |
            6 |   05 E PIC X OCURS 3.
              |              ^^^^^ expected a clause of a data description, or a full stop
              |
              = help: PICTURE, USAGE, VALUE, REDEFINES, OCCURS, SIGN, SYNC, JUSTIFIED, BLANK WHEN ZERO, EXTERNAL, GLOBAL
            warning[SPSY016]: COPY does not start a data description
             --> REC.cpy:8:1
              |
            8 | COPY OTHER.
              | ^^^^
              |
              = help: give the text with its COPY members already in it
            error[SPDD008]: there is no NOSUCH before this in the same group
             --> REC.cpy:4:18
              |
            4 |   05 C REDEFINES NOSUCH PIC X.
              |                  ^^^^^^
              |
              = help: REDEFINES names an item of the same level in the same group, described before
            error[SPDD015]: Q(3) is no picture: Q is no symbol of a picture
             --> REC.cpy:2:12
              |
            2 |   05 A PIC Q(3).
              |            ^^^^
              |
              = help: a picture is made of symbols and repetitions: X(10), S9(7)V99, ZZ9.99
            error[SPDD016]: B has neither a PICTURE nor parts
             --> REC.cpy:3:6
              |
            3 |   05 B.
              |      ^
              |
              = help: give it a PICTURE, or describe its parts
            error[SPDD017]: only a number can have this USAGE
             --> REC.cpy:5:12
              |
            5 |   05 D PIC X COMP-3.
              |            ^
              |
              = help: write a PICTURE of 9, S, V and P, or USAGE DISPLAY
        "#]],
    );
}

#[test]
fn any_text_is_read_without_a_panic() {
    for text in [
        "",
        ".",
        "01",
        "01.",
        "01 R. 05",
        "01 R PIC",
        "01 R OCCURS",
        "01 R OCCURS 0 PIC X.",
        "05 A REDEFINES",
        "01 R. 05 A PIC X(268435456) OCCURS 1000000 SYNC.",
        "01 É PIC 'X'.",
        "       -'",
        "01 R VALUE 'open",
        "01 R OCCURS 1 TO DEPENDING ON.",
        "99 X PIC X.",
        "01 R REDEFINES R PIC S9(39).",
    ] {
        parse(&Source::new("x", text));
    }
}
