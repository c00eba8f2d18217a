//! Numbers over pointers: which of them become numbers of eight bytes.

mod support;

use diagnostics::Source;
use expect_test::{Expect, expect};
use translator::{Options, translate};

/// The items as they come out; they compile.
#[track_caller]
fn check(items: &str, expected: Expect) {
    let program = format!(
        ">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. OVER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{items}PROCEDURE DIVISION.\n    GOBACK.\n"
    );
    let translation =
        translate(&Source::new("OVER.cbl", program), &support::Members::default(), &Options::default());
    let said = support::compile(&translation.text);
    assert!(!said.contains(": error: "), "{said}");
    let from = translation.text.find("\n01  ").expect("the items");
    let (items, _) =
        translation.text[from + 1..].split_once("PROCEDURE DIVISION").expect("the division behind them");
    expected.assert_eq(items);
}

#[test]
fn a_fullword_over_a_pointer() {
    check(
        "01  A.
    02  P POINTER.
    02  P-X REDEFINES P PIC S9(08) COMP.
    02  Q USAGE IS POINTER.
    02  FILLER REDEFINES Q.
        03  Q-X PIC 9(9) BINARY.
01  N PICTURE IS S9(8) COMP-5 VALUE 0.
01  R REDEFINES N POINTER.
01  G USAGE COMP.
    02  M PIC S9(8).
    02  S REDEFINES M USAGE POINTER.
",
        expect![[r#"
            01  A.
                02  P POINTER.
                02  P-X REDEFINES P PIC S9(18) COMP-5.
                02  Q USAGE IS POINTER.
                02  FILLER REDEFINES Q.
                    03  Q-X PIC 9(18) COMP-5.
            01  N PICTURE IS S9(18) COMP-5 VALUE 0.
            01  R REDEFINES N POINTER.
            01  G USAGE COMP.
                02  M PIC S9(18) USAGE COMP-5.
                02  S REDEFINES M USAGE POINTER.
        "#]],
    );
}

#[test]
fn what_is_no_fullword_over_a_pointer_stays() {
    check(
        "01  P POINTER.
01  HALVES REDEFINES P.
    02  HALF PIC S9(4) COMP OCCURS 2.
01  T REDEFINES P PIC X(4).
01  D REDEFINES P PIC S9(18) COMP.
01  N PIC S9(8) COMP.
01  O REDEFINES N PIC X(4).
",
        expect![[r#"
            01  P POINTER.
            01  HALVES REDEFINES P.
                02  HALF PIC S9(4) COMP OCCURS 2.
            01  T REDEFINES P PIC X(4).
            01  D REDEFINES P PIC S9(18) COMP.
            01  N PIC S9(8) COMP.
            01  O REDEFINES N PIC X(4).
        "#]],
    );
}
