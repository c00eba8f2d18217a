//! Whatever a program changes of others' storage, its operations say or it has noted: as code and by the interpreter.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::{Program, Stores};
use cobol_run::{Changed, Frame, Machine, Task};
use support::{Kept, lowered, program};

const STORAGE: usize = 1 << 20;
/// What lies in the record before.
const BEFORE: u8 = b'1';

const DATA: &str = "01 I PIC 9(4) COMP VALUE 3.\n01 J PIC 9(4) COMP VALUE 5.\n01 A PIC X(10) VALUE 'ab,cd'.\n\
    01 D PIC S9(7)V99 COMP-3 VALUE -12.34.\n01 G.\n 05 T-C PIC X(2) VALUE 'xy'.\n 05 T-N PIC 9(3) VALUE 7.\n\
    LINKAGE SECTION.\n01 L.\n 05 L-A PIC X(10).\n 05 L-T OCCURS 9.\n  10 T-C PIC X(2).\n  10 T-N PIC S9(4) COMP.\n\
    \x20 10 L-Z PIC S9(5).\n  10 L-P PIC S9(5)V99 COMP-3.\n  10 L-E PIC ZZ,ZZ9.99-.\n  10 L-U PIC N(4).\n\
    \x20 10 L-F COMP-2.\n  10 L-8 PIC U(3).\n 05 L-LONG PIC X(400).";

/// What was changed, and the record behind it.
fn ran(program: &Program, by_code: bool) -> (Vec<u8>, Changed) {
    let mut task = Task::new(STORAGE);
    let length = program.linkage[0].length as usize;
    let at = task.allocate(length).expect("there is room");
    task.bytes_mut(at, length).fill(BEFORE);
    let activation = task.enter(program, &[at]).expect("there is room");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(program).unwrap_or_else(|error| panic!("{error}"));
    let mut frame = Frame::new(program, activation);
    let mut machine = Machine::resumed(program, &mut task, &mut frame);
    let mut host = Kept::default();
    let left = match by_code {
        true => loaded.run(&mut machine, &mut host, &AtomicU32::new(0)),
        false => machine.run(&mut host),
    };
    assert!(left.is_ok(), "{left:?}");
    let mut changed = frame.take_changed();
    changed.noted = changed.noted.start.saturating_sub(at)..changed.noted.end.saturating_sub(at);
    (task.bytes(at, length).to_vec(), changed)
}

/// A statement changes these bytes of the record, and notes no more than these.
#[track_caller]
fn check(statement: &str, noted_at_most: std::ops::Range<u32>) {
    let text = program(DATA, statement).replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING L.");
    let programs = lowered(&text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let stores = Stores::of(&programs[0]);
    for by_code in [false, true] {
        let (record, changed) = ran(&programs[0], by_code);
        let of_operations = &stores.records()[0];
        let differs = record.iter().enumerate().filter(|(_, byte)| **byte != BEFORE).map(|(at, _)| at as u32);
        let differs: Vec<u32> = differs.collect();
        assert!(!differs.is_empty(), "{statement} changes nothing");
        for at in differs {
            let says_it =
                changed.records.contains(0) && of_operations.iter().any(|range| range.contains(&at));
            let is_known = changed.noted.contains(&at) || says_it;
            assert!(is_known, "{statement}: byte {at}, by code: {by_code}, {changed:?}, {of_operations:?}");
        }
        let noted = &changed.noted;
        let is_close = noted.start >= noted_at_most.start && noted.end <= noted_at_most.end;
        assert!(noted.is_empty() || is_close, "{statement}: {noted:?}, by code: {by_code}");
    }
}

/// Where an item of the table lies, from 1.
fn item(number: u32) -> std::ops::Range<u32> {
    const LENGTH: u32 = 2 + 2 + 5 + 4 + 10 + 8 + 8 + 12;
    10 + LENGTH * (number - 1)..10 + LENGTH * number
}

#[test]
fn items_of_a_table() {
    for statement in [
        "MOVE 'X' TO T-C OF L(I).",
        "MOVE A TO T-C OF L(I).",
        "MOVE I TO T-N OF L(I).",
        "MOVE D TO L-Z(I).",
        "MOVE D TO L-P(I).",
        "MOVE D TO L-E(I).",
        "MOVE 1.5 TO L-F(I).",
        "MOVE 'AB' TO L-U(I).",
        "MOVE 'AB' TO L-8(I).",
        "MOVE ZERO TO T-N OF L(I) ADD 3 TO T-N OF L(I).",
        "COMPUTE L-P(I) ROUNDED = D * 3 / 7.",
        "COMPUTE L-E(I) = D * 3 ON SIZE ERROR DISPLAY 'X'.",
        "INITIALIZE L-T(I).",
        "MOVE CORRESPONDING G TO L-T(I).",
        "MOVE SPACES TO L-T(I).",
        "STRING A DELIMITED BY ',' INTO L-T(I).",
        "UNSTRING A DELIMITED BY ',' INTO T-C OF L(I).",
        "INSPECT T-C OF L(I) REPLACING ALL '1' BY '2'.",
        "INSPECT T-C OF L(I) CONVERTING '1' TO '2'.",
        "MOVE FUNCTION UPPER-CASE(A) TO L-T(I).",
        "MOVE ALL 'XY' TO L-T(I).",
        "ACCEPT T-C OF L(I) FROM DAY-OF-WEEK.",
    ] {
        check(statement, item(3));
    }
}

#[test]
fn parts_of_items_and_what_is_long() {
    check("MOVE 'X' TO L-A(I:2).", 2..4);
    check("MOVE 'X' TO L-A(2:I).", 1..4);
    check("MOVE SPACES TO L-LONG.", item(10).start..item(10).start + 400);
    check("MOVE 'X' TO L-A.", 0..0);
    check("MOVE 'X' TO T-C OF L(I) T-C OF L(J).", item(3).start..item(5).end);
    check("MOVE 'X' TO T-C OF L(5) SORT L-T DESCENDING KEY T-C OF L.", item(1).start..item(9).end);
}
