//! How a program fails: always alone.

mod support;

use std::sync::Arc;
use std::time::Duration;

use cobol::{ExecCall, Fault, FaultKind, Step, Termination};
use expect_test::expect;
use support::{Source, Workshop, run};

fn failing<'a>(name: &'a str, code: &'a str) -> Source<'a> {
    Source {
        name,
        storage: "01 WS-PTR USAGE POINTER.\n\
                  01 WS-NUM REDEFINES WS-PTR PIC S9(18) COMP-5.\n\
                  01 WS-I PIC S9(8) COMP VALUE 11.\n\
                  01 WS-ZERO PIC S9(8) COMP-5 VALUE 0.\n\
                  01 WS-NAME PIC X(8) VALUE 'NOSUCH'.\n\
                  01 WS-CHARS PIC X(4).\n\
                  01 WS-PACKED REDEFINES WS-CHARS PIC S9(7) COMP-3.\n\
                  01 WS-ZONED REDEFINES WS-CHARS PIC 9(4).\n\
                  01 WS-ROWS.\n   05 WS-ROW PIC X(4) OCCURS 10 TIMES.",
        linkage: "01 LK-AREA PIC X(10).",
        code,
        ..Source::default()
    }
}

#[test]
fn failures_end_the_run_and_nothing_else() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let cases = [
        ("WILD", "MOVE 64 TO WS-NUM SET ADDRESS OF LK-AREA TO WS-PTR\nMOVE 'X' TO LK-AREA GOBACK."),
        ("STOP", "MOVE 3 TO RETURN-CODE STOP RUN."),
        ("CALLS", "CALL 'NOSUCH' USING WS-I. GOBACK."),
        ("CALLD", "CALL WS-NAME USING WS-I. GOBACK."),
        ("CALLX", "CALL WS-NAME ON EXCEPTION MOVE 9 TO RETURN-CODE.\nGOBACK."),
        ("SUBS", "MOVE 13 TO WS-I MOVE 'ABCD' TO WS-ROW(WS-I). GOBACK."),
        ("NEAR", "IF WS-ROW(WS-I) NOT = WS-ROW(WS-ZERO) OR WS-I = 11\nMOVE 2 TO RETURN-CODE. GOBACK."),
        ("EMPTY", "MOVE WS-NAME(1:WS-ZERO) TO WS-NAME. GOBACK."),
        ("BEYOND", "MOVE WS-NAME(1:WS-I) TO WS-NAME. GOBACK."),
        ("LOOP", "PERFORM MAIN-PARA. GOBACK."),
        ("SELF", "CALL 'SELF'. GOBACK."),
        ("AGAIN", "MOVE 'AGAIN' TO WS-NAME CALL WS-NAME. GOBACK."),
        ("ZERO", "DIVIDE WS-ZERO INTO WS-I. MOVE WS-I TO RETURN-CODE GOBACK."),
        ("CALC", "COMPUTE WS-I = WS-I / WS-ZERO. GOBACK."),
        ("SIZED", "COMPUTE WS-I = WS-I / WS-ZERO ON SIZE ERROR\nMOVE 6 TO RETURN-CODE. GOBACK."),
        ("BLANKS", "MOVE SPACES TO WS-CHARS ADD 1 TO WS-ZONED.\nMOVE 8 TO RETURN-CODE. GOBACK."),
        (
            "LOWS",
            "MOVE LOW-VALUES TO WS-CHARS. IF WS-ZONED = 0\nADD 1 TO WS-ZONED MOVE WS-ZONED TO RETURN-CODE. GOBACK.",
        ),
        ("PACKED", "MOVE LOW-VALUES TO WS-CHARS ADD 1 TO WS-PACKED.\nGOBACK."),
    ];
    let mut outcomes = String::new();
    for (name, code) in cases {
        let program =
            host.load(&workshop.compile_with(&failing(name, code), &["-debug"])).expect("a program");
        let mut first = run(&host, &program);
        for _ in 0..3 {
            assert_eq!(run(&host, &program), first, "{name} again");
        }
        // Where in its module a program's own instruction lies is the compiler's business.
        if let Some((head, (_, tail))) =
            first.split_once("offset: Some(").and_then(|(head, rest)| Some((head, rest.split_once(')')?)))
        {
            first = format!("{head}offset: Some(_){tail}");
        }
        outcomes += &format!("{name}: {first}\n");
    }
    expect![[r#"
        WILD: Fault(Fault { kind: Storage(64), place: Place { program: "WILD", line: Some(SourceLine { file: "WILD.cbl", line: 29 }), offset: None } })
        STOP: StopRun(3)
        CALLS: MissingProgram("NOSUCH")
        CALLD: MissingProgram("NOSUCH")
        CALLX: Returned(9)
        SUBS: RuntimeError(RuntimeError { message: "subscript of 'WS-ROW' out of bounds: 13\nnote: maximum subscript for 'WS-ROW': 10", class: Bound, place: Place { program: "SUBS", line: Some(SourceLine { file: "SUBS.cbl", line: 28 }), offset: None } })
        NEAR: Returned(2)
        EMPTY: Returned(0)
        BEYOND: RuntimeError(RuntimeError { message: "length of 'WS-NAME' out of bounds: 11, maximum: 8", class: Bound, place: Place { program: "BEYOND", line: Some(SourceLine { file: "BEYOND.cbl", line: 28 }), offset: None } })
        LOOP: RuntimeError(RuntimeError { message: "stack overflow, possible PERFORM depth exceeded", class: Other, place: Place { program: "LOOP", line: Some(SourceLine { file: "LOOP.cbl", line: 28 }), offset: None } })
        SELF: Fault(Fault { kind: StackOverflow, place: Place { program: "SELF", line: Some(SourceLine { file: "SELF.cbl", line: 28 }), offset: None } })
        AGAIN: RuntimeError(RuntimeError { message: "recursive CALL from 'AGAIN' to 'AGAIN' which is NOT RECURSIVE", class: Other, place: Place { program: "AGAIN", line: Some(SourceLine { file: "AGAIN.cbl", line: 28 }), offset: None } })
        ZERO: Fault(Fault { kind: Arithmetic, place: Place { program: "ZERO", line: Some(SourceLine { file: "ZERO.cbl", line: 28 }), offset: None } })
        CALC: Fault(Fault { kind: Arithmetic, place: Place { program: "CALC", line: Some(SourceLine { file: "CALC.cbl", line: 28 }), offset: None } })
        SIZED: Returned(6)
        BLANKS: Returned(8)
        LOWS: Returned(1)
        PACKED: Fault(Fault { kind: Data, place: Place { program: "PACKED", line: Some(SourceLine { file: "PACKED.cbl", line: 28 }), offset: None } })
    "#]].assert_eq(&outcomes);
}

/// Compiled without checks, as a production program is.
#[test]
fn what_lies_behind_the_last_table_can_be_read() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let code = "MOVE 15000 TO WS-I. IF WS-ROW(WS-I) NOT = 'ABCD'\nMOVE 5 TO RETURN-CODE. GOBACK.";
    let program = workshop.load(&host, &failing("PAST", code));
    assert_eq!(run(&host, &program), "Returned(5)");
}

#[test]
fn a_bad_address_in_a_call_is_an_error_of_the_call() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &failing(
            "BADARG",
            "MOVE 64 TO WS-NUM SET ADDRESS OF LK-AREA TO WS-PTR\n\
             CALL 'DFHEI1' USING X'01000100010000000003DF'\nLK-AREA. GOBACK.",
        ),
    );
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let Step::Exec(call) = run.resume(0) else { panic!("a command") };
    let arg = call.arg(0).expect("an argument");
    expect!["Err(Storage(StorageFault { address: 64 }))"].assert_eq(&format!("{:?}", arg.bytes()));
    expect!["Err(Storage(StorageFault { address: 64 }))"].assert_eq(&format!("{:?}", arg.write(b"x")));
    assert!(matches!(run.resume(0), Step::Returned(0)));
}

#[test]
fn a_program_that_never_comes_back_is_a_runaway() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let tight = workshop.load(&host, &failing("TIGHT", "PARA-A.\nADD 1 TO WS-ZERO. GO TO PARA-A."));
    let in_runtime = workshop.load(
        &host,
        &failing("CALLING", "PARA-A.\nSTRING 'A' WS-NAME DELIMITED BY SIZE\nINTO WS-ROWS. GO TO PARA-A."),
    );
    for program in [&tight, &in_runtime, &tight] {
        let mut run = host.task().start(program, 0, 0).expect("a stack");
        run.limit(Some(Duration::from_millis(20)));
        let Step::Fault(fault) = run.resume(0) else { panic!("a runaway") };
        assert_eq!(fault.kind, FaultKind::Runaway);
        assert_eq!(fault.place.program, program.name());
    }
}

#[test]
fn a_program_that_runs_is_ended_by_who_may() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(&host, &failing("SPINS", "PARA-A.\nADD 1 TO WS-ZERO. GO TO PARA-A."));
    let control = Arc::new(Control::default());
    let mut run = host.task_ended_by(Arc::clone(&control) as _).start(&program, 0, 0).expect("a stack");
    let operator = std::thread::spawn(move || control.0.request());
    let Step::Fault(fault) = run.resume(0) else { panic!("it is ended") };
    assert_eq!((fault.kind, fault.place.program.as_str()), (FaultKind::Terminated, "SPINS"));
    operator.join().expect("the operator");
    // An exit has no more time than the program.
    run.restart(0).expect("a stack");
    assert!(matches!(run.resume(0), Step::Fault(_)));
}

/// Somebody who may end a task.
#[derive(Default)]
struct Control(Termination);

impl AsRef<Termination> for Control {
    fn as_ref(&self) -> &Termination {
        &self.0
    }
}

#[test]
fn what_is_answered_in_place_begins_the_limit_anew_if_the_answer_says_so() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let code = "PARA-A.\nPERFORM 20000 TIMES ADD 1 TO WS-ZERO END-PERFORM.\n\
                CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-I RETURNING DFHEIGO.\nGO TO PARA-A.";
    let program = workshop.load(&host, &failing("ASKING", code));
    // How many commands there are before the program is a runaway, if so many of them begin its limit anew.
    let commands = |renewed: u32| {
        let mut run = host.task().start(&program, 0, 0).expect("a stack");
        run.limit(Some(Duration::from_millis(30)));
        let mut commands = 0;
        let step = run.resume_answering(0, &mut |call: &ExecCall<'_>| {
            commands += 1;
            if commands <= renewed {
                call.renew_limit();
            }
            Some(0)
        });
        let Step::Fault(Fault { kind: FaultKind::Runaway, .. }) = step else { panic!("a runaway") };
        commands
    };
    let many = 10 * commands(0);
    assert!(commands(many) > many);
}

/// Bytes of memory that this process holds.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("/proc");
    let pages: usize = statm.split(' ').nth(1).and_then(|p| p.parse().ok()).expect("a number");
    pages * 4096
}

#[test]
fn a_thousand_failures_leave_nothing_behind() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let local = "01 LS-BIG PIC X(60000) VALUE 'L'.";
    let programs = [
        ("WILDL", "MOVE 64 TO WS-NUM SET ADDRESS OF LK-AREA TO WS-PTR\nMOVE 'X' TO LK-AREA GOBACK."),
        ("STOPL", "STOP RUN."),
        ("CALLL", "CALL 'NOSUCH'."),
        ("SUBSL", "MOVE 99 TO WS-I MOVE 'ABCD' TO WS-ROW(WS-I). GOBACK."),
        ("WAITL", "CALL 'DFHEI1' USING X'010001000000000000'."),
    ]
    .map(|(name, code)| {
        let source = Source { local, ..failing(name, code) };
        host.load(&workshop.compile_with(&source, &["-debug"])).expect("a program")
    });
    let round = || {
        for program in &programs {
            // One resume: the program that waits is dropped at its command.
            let mut run = host.task().start(program, 0, 0).expect("a stack");
            while matches!(run.resume(0), Step::NeedProgram(_)) {}
        }
    };
    (0..100).for_each(|_| round());
    let before = resident();
    (0..1000).for_each(|_| round());
    let grown = resident().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} bytes in 5000 failed runs");
}
