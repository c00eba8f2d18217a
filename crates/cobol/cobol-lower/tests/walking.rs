//! A program as a debugger sees it: statement by statement, with the paragraphs performed and the items by name.

mod support;

use cobol_ir::Program;
use cobol_ir::program::{BlockId, Segment};
use cobol_run::view::{Seen, Value, View, performed};
use cobol_run::{Frame, Machine, Stand, Task, Walked};
use support::{KeptHost, program};

const DATA: &str = "01 N PIC 9(3) VALUE 1.\n01 ORDER-REC.\n 05 KIND PIC X(2) VALUE 'AB'.\n 05 COUNTER PIC 9 VALUE 2.\n\
                    \x2005 PART OCCURS 1 TO 4 DEPENDING ON COUNTER.\n  10 PRICE PIC S9(3)V99 COMP-3.\n 05 LAST-ONE PIC X(3).\n\
                    01 PTR POINTER.";

/// Line in front of each statement: its number from the first of the procedure division, and the PERFORMs around it.
fn walk(program: &Program, mut look: impl FnMut(&View<'_>, u32)) -> Vec<String> {
    let first = DATA.lines().count() + 6;
    let mut task = Task::new(1 << 20);
    let activation = task.enter(program, &[]).expect("there is room");
    let mut frame = Frame::new(program, activation);
    let mut host = KeptHost::default();
    let mut at = Stand::at(BlockId(0));
    let mut lines = Vec::new();
    loop {
        let mut machine = Machine::resumed(program, &mut task, &mut frame);
        let walked = machine.walk(at, &mut host).expect("it goes on");
        let Walked::Statement(stand, line) = walked else { return lines };
        at = stand;
        let stack = performed(program, &frame, stand.block, line);
        let shown = stack.iter().map(|one| {
            let line = program.lines[one.line as usize].line as usize - first + 1;
            format!("{}:{line}", one.procedure.as_deref().unwrap_or("-"))
        });
        lines.push(shown.collect::<Vec<_>>().join(" < "));
        look(&View::new(program, &frame.activation, task.memory(), &Seen::default()), line);
    }
}

fn compiled(statements: &str) -> Program {
    support::lowered(&program(DATA, statements)).expect("it is lowered").remove(0)
}

#[test]
fn each_statement_stands_in_its_paragraph_and_below_its_performs() {
    let program = compiled(
        "MAIN.\nPERFORM A THRU B\nSTOP RUN.\nA.\nADD 1 TO N.\nB.\nPERFORM C 2 TIMES.\nC.\nADD 1 TO N.",
    );
    let lines = walk(&program, |_, _| ());
    assert_eq!(
        lines,
        [
            "MAIN:2",
            "A:5 < MAIN:2",
            "B:7 < MAIN:2",
            "C:9 < B:7 < MAIN:2",
            "B:7 < MAIN:2",
            "C:9 < B:7 < MAIN:2",
            "B:7 < MAIN:2",
            "MAIN:3",
        ]
    );
}

#[test]
fn a_loop_of_one_line_rests_each_time() {
    let program = compiled("MAIN.\nPERFORM UNTIL N > 3 ADD 1 TO N END-PERFORM\nSTOP RUN.");
    assert_eq!(walk(&program, |_, _| ()), ["MAIN:2", "MAIN:2", "MAIN:2", "MAIN:2", "MAIN:3"]);
}

#[test]
fn items_have_their_values_by_name() {
    let statements = "MAIN.\nMOVE 12.5 TO PRICE(1) MOVE -3 TO PRICE(2) MOVE 'END' TO LAST-ONE\nMOVE SPACES TO KIND\n\
                      MOVE LOW-VALUES TO PART(2).\nSTOP RUN.";
    let program = compiled(statements);
    let mut seen = Vec::new();
    walk(&program, |view, _| {
        let shown = |name: &str| match view.find(name).map(|spot| view.value(&spot)) {
            Some(Value::Text(text)) => format!("'{}'", String::from_utf8_lossy(text)),
            Some(Value::Number(number)) => number,
            Some(Value::NotANumber(bytes)) => format!("not a number {bytes:02X?}"),
            other => format!("{other:?}"),
        };
        seen =
            ["price(1)", "PRICE (2)", "KIND OF ORDER-REC", "LAST-ONE", "PRICE(3)", "PTR"].map(shown).to_vec();
    });
    let expected = ["12.50", "not a number [00, 00, 00]", "'  '", "'END'", "None", "Some(Pointer(0))"];
    assert_eq!(seen, expected, "an occurrence beyond DEPENDING ON is not there");
}

#[test]
fn parts_are_listed_and_tables_have_as_many_occurrences_as_depending_on_says() {
    let program = compiled("MAIN.\nSTOP RUN.");
    walk(&program, |view, _| {
        let records = view.records(|segment| segment == Segment::Working);
        let names: Vec<_> = records.iter().map(|spot| view.name(spot)).collect();
        assert_eq!(names, ["N", "ORDER-REC", "PTR"]);
        let parts = view.parts(&records[1]);
        let names: Vec<_> = parts.iter().map(|spot| view.name(spot)).collect();
        assert_eq!(names, ["KIND", "COUNTER", "PART", "LAST-ONE"]);
        let occurrences = view.parts(&parts[2]);
        let names: Vec<_> = occurrences.iter().map(|spot| view.name(spot)).collect();
        assert_eq!(names, ["PART(1)", "PART(2)"]);
        assert_eq!(view.name(&view.parts(&occurrences[1])[0]), "PRICE(2)");
    });
}

#[test]
fn floating_point_and_national_characters_are_shown_as_people_write_them() {
    let data = "01 F COMP-2 VALUE 1.5.\n01 U PIC N(3) VALUE N'ABC'.\n01 E PIC U(3) VALUE U'\\u20ac'.\n01 K PIC S9(3)V9 NATIONAL SIGN TRAILING SEPARATE VALUE -1.5.";
    let program = support::lowered(&program(data, "MAIN.\nSTOP RUN.")).expect("it is lowered").remove(0);
    let mut task = Task::new(1 << 20);
    let activation = task.enter(&program, &[]).expect("there is room");
    let shared = Seen::default();
    let view = View::new(&program, &activation, task.memory(), &shared);
    let shown = |name: &str| view.find(name).map(|spot| view.value(&spot));
    assert_eq!(shown("F"), Some(Value::Number("1.5".to_owned())));
    assert_eq!(shown("U"), Some(Value::National("ABC".to_owned())));
    assert_eq!(shown("E"), Some(Value::Utf8("\u{20ac}  ".to_owned())));
    assert_eq!(shown("K"), Some(Value::Number("-1.5".to_owned())));
}

#[test]
fn a_number_of_occurrences_that_is_none_shows_all_that_may_be() {
    let program = compiled("MAIN.\nMOVE HIGH-VALUES TO ORDER-REC(3:1)\nSTOP RUN.");
    walk(&program, |view, _| {
        let table = view.find("PART").expect("it is there");
        assert!(matches!(view.parts(&table).len(), 2 | 4));
    });
}
