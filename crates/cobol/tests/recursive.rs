//! RECURSIVE programs: each run has a module, parameters and LOCAL-STORAGE of its own, and shares its WORKING-STORAGE with the
//! others of its level.

mod support;

use cobol::{Host, Program, Step, Task};
use support::{PRODUCT, Workshop};

/// Counts down to zero by calling itself, waits at a command in each run, and shows its own numbers on the way back.
const DOWN: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DOWN RECURSIVE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 RUNS PIC 9(3) VALUE 100.
       01 SP-LABEL PIC S9(9) COMP-5.
       01 SP-EIB POINTER.
       LOCAL-STORAGE SECTION.
       01 OWN PIC 9(3) VALUE 7.
       01 NEXT-DEPTH PIC 9(3).
       LINKAGE SECTION.
       01 DFHEIBLK PIC X.
       01 DEPTH PIC 9(3).
       PROCEDURE DIVISION USING DFHEIBLK DEPTH.
           CALL 'DFHEIN' USING 'DOWN' SP-EIB RETURNING SP-LABEL.
           ADD 1 TO RUNS.
           COMPUTE OWN = DEPTH * 10 + 1.5.
           IF (DEPTH + 1) * ((DEPTH + 2) * ((DEPTH + 3) * ((DEPTH + 4)
             * ((DEPTH + 5) * ((DEPTH + 6) * ((DEPTH + 7)
             * ((DEPTH + 8) * (DEPTH + 9))))))))
             < (DEPTH - 1) * (DEPTH - 2)
             MOVE 999 TO OWN.
           CALL 'DFHEI1' USING OWN.
           IF DEPTH > 0
             SUBTRACT 1 FROM DEPTH GIVING NEXT-DEPTH
             CALL 'DOWN' USING DFHEIBLK NEXT-DEPTH
           END-IF.
           PERFORM SHOW-IT.
           GOBACK.
       SHOW-IT.
           DISPLAY OWN ' ' DEPTH ' ' RUNS.
";

/// What it shows from a depth of 3.
const SHOWN: [&str; 4] = ["001 000 104", "011 001 104", "021 002 104", "031 003 104"];

/// A program that the runtime alone initializes: it never says that it begins.
const SILENT: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SILENT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TIMES-HERE PIC 9(3) VALUE 0.
       01 DEPTH PIC 9(3) VALUE 3.
       LINKAGE SECTION.
       01 DFHEIBLK PIC X.
       01 DFHCOMMAREA PIC X.
       PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
           ADD 1 TO TIMES-HERE.
           CALL 'DOWN' USING DFHEIBLK DEPTH.
           DISPLAY TIMES-HERE.
           GOBACK.
";

fn load(workshop: &Workshop, host: &Host, name: &str, text: &str) -> Program {
    host.load(&workshop.compile_text(name, text, PRODUCT)).expect("a program")
}

/// A run with its depth, and what it has displayed.
struct Watched<'p> {
    run: cobol::Run,
    programs: &'p [&'p Program],
    lines: Vec<String>,
}

impl<'p> Watched<'p> {
    fn start(task: &Task, first: &Program, depth: &[u8; 3], programs: &'p [&'p Program]) -> Self {
        let run = task.start(first, 0, depth.as_ptr() as usize).expect("a stack");
        Self { run, programs, lines: Vec::new() }
    }

    /// Goes on to its next command; whether it ended.
    fn goes_on(&mut self) -> bool {
        loop {
            match self.run.resume(0) {
                Step::Exec(_) => return false,
                Step::Display(line) => self.lines.push(line),
                Step::NeedProgram(name) => {
                    let program = self.programs.iter().find(|program| program.name() == name);
                    self.run.provide(program.expect("it is there"));
                }
                Step::Returned(_) => return true,
                other => panic!("{other:?} after {:?}", self.lines),
            }
        }
    }

    fn whole(mut self) -> Vec<String> {
        while !self.goes_on() {}
        self.lines
    }
}

#[test]
fn runs_of_two_tasks_take_turns() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let down = load(&workshop, &host, "DOWN", DOWN);
    let programs = [&down];
    let start = || Watched::start(&host.task(), &down, b"003", &programs);
    for _ in 0..3 {
        assert_eq!(start().whole(), SHOWN);
    }
    let (mut one, mut other) = (start(), start());
    for _ in 0..4 {
        assert!(!one.goes_on() && !other.goes_on());
    }
    assert!(one.goes_on() && other.goes_on());
    assert_eq!(
        (&one.lines[..], &other.lines[..]),
        (&SHOWN.map(String::from)[..], &SHOWN.map(String::from)[..])
    );
}

#[test]
fn a_link_to_itself_is_another_run_unit() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let down = load(&workshop, &host, "DOWN", DOWN);
    let programs = [&down];
    let task = host.task();
    let mut outer = Watched::start(&task, &down, b"003", &programs);
    let mut linked = 0;
    while !outer.goes_on() {
        linked += 1;
        assert_eq!(Watched::start(&task, &down, b"003", &programs).whole(), SHOWN);
    }
    assert_eq!((linked, &outer.lines[..]), (4, &SHOWN.map(String::from)[..]));
}

#[test]
fn a_run_that_is_left_in_the_midst_leaves_nothing_behind() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let down = load(&workshop, &host, "DOWN", DOWN);
    let programs = [&down];
    for _ in 0..50 {
        let mut left = Watched::start(&host.task(), &down, b"003", &programs);
        assert!(!left.goes_on() && !left.goes_on());
    }
    assert_eq!(Watched::start(&host.task(), &down, b"003", &programs).whole(), SHOWN);
}

#[test]
fn a_caller_keeps_its_own_storage_whoever_was_there_first() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let down = load(&workshop, &host, "DOWN", DOWN);
    let silent = load(&workshop, &host, "SILENT", SILENT);
    let programs = [&down];
    for _ in 0..3 {
        let lines = Watched::start(&host.task(), &silent, b"000", &programs).whole();
        assert_eq!(lines[..4], SHOWN.map(String::from));
        assert_eq!(lines[4], "001");
    }
    // Its caller of another task is gone, and so is the place where it was.
    drop(silent);
    let again = load(&workshop, &host, "DOWN", DOWN);
    let programs = [&again];
    assert_eq!(Watched::start(&host.task(), &again, b"003", &programs).whole(), SHOWN);
}
