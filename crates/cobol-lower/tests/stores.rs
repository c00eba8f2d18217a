//! Which bytes of its linkage records a program may change.

mod support;

use std::ops::Range;

use cobol_ir::Stores;
use support::{lowered, program};

const DATA: &str = "01 I PIC 9(4) COMP VALUE 1.\n01 A PIC X(10).\nLINKAGE SECTION.\n\
    01 L.\n 05 L-A PIC X(10).\n 05 L-B PIC X(5).\n 05 L-T OCCURS 4.\n  10 L-C PIC X(2).\n  10 L-N PIC S9(4) COMP.\n 05 L-Z PIC X(7).\n\
    01 M PIC X(20).";

fn stores(statements: &str) -> Stores {
    let programs = lowered(&program(DATA, statements)).unwrap_or_else(|message| panic!("{message}"));
    Stores::of(&programs[0])
}

#[track_caller]
fn check(statements: &str, l: &[Range<u32>], m: &[Range<u32>]) {
    let stores = stores(statements);
    let [of_l, of_m, ..] = stores.records() else { panic!("two records") };
    assert_eq!((of_l.as_slice(), of_m.as_slice()), (l, m), "{statements}");
}

/// A list of one.
fn one(range: &Range<u32>) -> &[Range<u32>] {
    std::slice::from_ref(range)
}

#[test]
fn what_is_looked_at_is_not_changed() {
    check("MOVE L-A TO A IF M = SPACES DISPLAY L END-IF ADD L-N(I) TO I.", &[], &[]);
    check("CALL 'OTHER' USING L M.", &[], &[]);
    check("MOVE L TO A SET ADDRESS OF L TO NULL.", &[], &[]);
}

#[test]
fn items_that_never_vary_are_changed_where_they_lie() {
    check("MOVE 'X' TO L-A MOVE 'Y' TO L-Z.", &[0..10, 31..38], &[]);
    check("MOVE 'X' TO L-A L-B.", one(&(0..15)), &[]);
    check("MOVE 'X' TO L-C(2) MOVE 'Y' TO M(3:4).", one(&(19..21)), one(&(2..6)));
    check(
        "STRING 'A' DELIMITED BY SIZE INTO L-B INSPECT M REPLACING ALL 'A' BY 'B'.",
        one(&(10..15)),
        one(&(0..20)),
    );
    check("ACCEPT L-B FROM DAY UNSTRING A DELIMITED BY ',' INTO M.", one(&(10..15)), one(&(0..20)));
}

#[test]
fn what_varies_is_noted_when_it_is_changed() {
    check("MOVE 'X' TO L-C(I).", &[], &[]);
    check("MOVE 'X' TO M(I:2) MOVE 'X' TO M(3:I).", &[], &[]);
    // One that never varies is not noted.
    check("MOVE 'X' TO L-C(I) L-A.", one(&(0..10)), &[]);
}

#[test]
fn a_place_that_varies_may_stray() {
    assert!(!stores("MOVE 'X' TO L-C(2) MOVE L-A TO A.").may_stray());
    assert!(stores("MOVE L-C(I) TO A.").may_stray());
    assert!(stores("MOVE 'X' TO A(I:1).").may_stray());
}
