//! Listing of `syncpoint check --listing`.

mod support;

use expect_test::expect;

#[test]
fn a_listing_has_offsets_types_and_references() {
    let data = "01  REC.\n  05 KIND PIC X.\n    88 BIG VALUE 'B'.\n  05 AMOUNT PIC S9(5)V99 COMP-3.\n  05 COUNTER PIC 9(4) COMP SYNC.\n  05 ROW OCCURS 1 TO 9 DEPENDING ON COUNTER INDEXED BY I.\n    10 CELL PIC X(3).\n  05 LAST-ONE REDEFINES ROW PIC X(27).\n  05 TAIL PIC X.";
    let text = support::program(
        data,
        "IF BIG MOVE 1 TO COUNTER.\nSET I TO 1. MOVE SPACES TO CELL(I) TAIL.\nPERFORM P.\nGOBACK.",
    );
    let text = format!("{text}       P.\n           MOVE 0 TO RETURN-CODE.\n");
    let checked = support::checked(&text);
    assert!(checked.messages.is_empty(), "{:?}", checked.messages);
    expect![[r#"
        PROGRAM T

        WORKING-STORAGE SECTION

          item                                    offset  length  type                               described        references (* may change it)
          01 REC                                       0      36  group                              5
            05 KIND                                    0       1  alphanumeric X                     6
              88 BIG                                              condition                          7                15
            05 AMOUNT                                  1       4  signed packed 7 digits, scale 2    8
            05 COUNTER                                 6       2  binary 4 digits slack 1            9                10 15*
            05 ROW                                     8       3  group 1-9 by COUNTER               10
                 I                                                index name                         10               16* 16
              10 CELL                                  8       3  alphanumeric X(3)                  11               16*
            05 LAST-ONE                                8      27  alphanumeric X(27) redefines ROW   12
            05 TAIL                                   35       1  alphanumeric X                     13               16*

        REGISTERS

          01 RETURN-CODE                               0       2  signed binary 4 digits             20               20*

        PROCEDURES

          P                                      paragraph  19               17

    "#]].assert_eq(&cobol_check::listing(&checked));
}

#[test]
fn a_listing_has_the_lengths_of_utf_8() {
    let data = "01  U PIC U(3).\n01  G GROUP-USAGE UTF-8.\n  05 B PIC U BYTE-LENGTH 10 OCCURS 2.\n01  N PIC S9(3) NATIONAL SIGN LEADING SEPARATE.";
    let checked = support::checked(&support::program(data, "MOVE U TO G.\nGOBACK."));
    assert!(checked.messages.is_empty(), "{:?}", checked.messages);
    expect![[r#"
        PROGRAM T

        WORKING-STORAGE SECTION

          item                                    offset  length  type                               described        references (* may change it)
          01 U                                         0      12  UTF-8 U(3)                         5                10

          01 G                                         0      20  UTF-8                              6                10*
            05 B                                       0      10  UTF-8 U, 10 bytes × 2              7

          01 N                                         0       8  signed national numeric 3 digits   8

    "#]].assert_eq(&cobol_check::listing(&checked));
}
