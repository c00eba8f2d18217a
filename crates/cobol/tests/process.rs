//! What a task may not do to the process that it shares with others, and what ends it all the same.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cobol::{Area, Error, FaultKind, Step, Termination};
use support::{Source, Workshop, run};

fn doing<'a>(name: &'a str, code: &'a str) -> Source<'a> {
    Source {
        name,
        storage: "01 WS-NAME PIC X(20) VALUE 'CBL_CREATE_DIR'.\n01 WS-N PIC S9(9) COMP-5 VALUE 9.\n\
                  01 WS-FILE PIC X(20) VALUE 'made-by-a-task'.\n01 WS-TEXT PIC X(8) VALUE 'abcdefgh'.",
        code,
        ..Source::default()
    }
}

#[test]
fn routines_for_files_processes_and_time_are_not_there() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let routines = [
        ("CBL_CREATE_DIR", 1),
        ("CBL_DELETE_FILE", 1),
        ("CBL_OPEN_FILE", 5),
        ("CBL_RENAME_FILE", 2),
        ("CBL_EXIT_PROC", 2),
        ("CBL_ERROR_PROC", 2),
        ("C$COPY", 3),
        ("C$CHDIR", 2),
        ("C$DELETE", 2),
        ("C$SLEEP", 1),
        ("CBL_OC_NANOSLEEP", 1),
        ("SYSTEM", 1),
        ("EXTFH", 2),
    ];
    for (number, (routine, arguments)) in routines.into_iter().enumerate() {
        let arguments = " WS-FILE".repeat(arguments);
        // As a literal, and as a name that is found when the program runs.
        let literal = format!("CALL '{routine}' USING\n{arguments}.\nGOBACK.");
        let named = format!("MOVE '{routine}' TO WS-NAME.\nCALL WS-NAME USING\n{arguments}.\nGOBACK.");
        for (form, code) in [("L", literal), ("N", named)] {
            let program = workshop.load(&host, &doing(&format!("R{form}{number}"), &code));
            let end = run(&host, &program);
            assert!(end.starts_with("MissingProgram(") && !end.contains("cob_"), "{routine}: {end}");
        }
    }
    assert!(!std::path::Path::new("made-by-a-task").exists());
}

#[test]
fn routines_that_work_on_their_arguments_are_there() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let code = "MOVE 0 TO WS-N.\nCALL 'CBL_TOUPPER' USING WS-TEXT BY VALUE 8.\n\
                IF WS-TEXT = 'ABCDEFGH' ADD 1 TO WS-N.\n\
                CALL 'C$TOLOWER' USING WS-TEXT BY VALUE 8.\n\
                IF WS-TEXT = 'abcdefgh' ADD 2 TO WS-N.\n\
                MOVE WS-N TO RETURN-CODE GOBACK.";
    let program = workshop.load(&host, &doing("PURE", code));
    assert_eq!(run(&host, &program), "Returned(3)");
}

#[test]
fn statements_that_touch_the_process_say_what_to_do_instead() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let cases = [
        ("AT", "DISPLAY WS-TEXT AT LINE 3 COLUMN 3. GOBACK.", "EXEC CICS SEND"),
        ("LINES", "ACCEPT WS-N FROM LINES. GOBACK.", "EXEC CICS SEND"),
        ("ACCEPTS", "ACCEPT WS-TEXT. GOBACK.", "EXEC CICS RECEIVE"),
        ("CONSOLES", "ACCEPT WS-TEXT FROM CONSOLE. GOBACK.", "EXEC CICS RECEIVE"),
        ("STOPS", "STOP 'OPERATOR, PRESS ENTER'. GOBACK.", "EXEC CICS RECEIVE"),
        ("SLEEPS", "CONTINUE AFTER 100 SECONDS. GOBACK.", "EXEC CICS DELAY"),
    ];
    for (name, code, advice) in cases {
        let program = workshop.load(&host, &doing(name, code));
        for _ in 0..2 {
            let end = run(&host, &program);
            assert!(end.contains(advice), "{name}: {end}");
        }
    }
}

#[test]
fn the_environment_is_not_for_tasks() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let code = "MOVE SPACES TO WS-TEXT.\nACCEPT WS-TEXT FROM ENVIRONMENT 'PATH'\nON EXCEPTION ADD 1 TO RETURN-CODE\nEND-ACCEPT.\n\
                IF WS-TEXT = SPACES ADD 2 TO RETURN-CODE.\nGOBACK.";
    let program = workshop.load(&host, &doing("ENVIR", code));
    assert_eq!(run(&host, &program), "Returned(3)");
}

#[test]
fn a_module_that_calls_functions_of_the_process_is_not_loaded() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let module = workshop.compile(&doing("STATICS", "CALL STATIC 'abort'. GOBACK."));
    let Err(Error::Unsuitable { why, .. }) = host.load(&module) else { panic!("it is refused") };
    assert!(why.contains("calls abort"), "{why}");
}

#[test]
fn without_a_commarea_there_are_zeros_to_read_and_nothing_to_write() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let linkage = "01 LK-LONG REDEFINES DFHCOMMAREA PIC X(32763).";
    let code = "IF ADDRESS OF DFHCOMMAREA = NULL ADD 1 TO RETURN-CODE.\n\
                IF DFHCOMMAREA = LOW-VALUES ADD 2 TO RETURN-CODE.\n\
                IF CA-BYTE(100) = LOW-VALUE ADD 4 TO RETURN-CODE.\nGOBACK.";
    let reads = workshop.load(&host, &Source { linkage, ..doing("READS", code) });
    assert_eq!(run(&host, &reads), "Returned(7)");
    let writes = workshop.load(&host, &doing("WRITES", "MOVE 'X' TO CA-BYTE(3). GOBACK."));
    let mut written = host.task().start(&writes, 0, 0).expect("a stack");
    let Step::Fault(fault) = written.resume(0) else { panic!("a fault") };
    assert_eq!((fault.kind, fault.place.program.as_str()), (FaultKind::Storage(2), "WRITES"));
    // With one, nothing has changed.
    let commarea = Area::with(&[b'A'; 100]);
    let mut run = host.task().start(&reads, 0, commarea.address()).expect("a stack");
    assert!(matches!(run.resume(0), Step::Returned(0)));
}

/// Programs that spend nearly all their time in the runtime: many short calls, and one long one.
const LONG: [(&str, &str); 5] = [
    ("INSPECTS", "PARA-A.\nINSPECT WS-BIG TALLYING WS-N FOR ALL 'XY'.\nGO TO PARA-A."),
    ("ONCE", "INSPECT WS-BIG TALLYING WS-N FOR ALL WS-LONG. GOBACK."),
    ("CONVERTS", "PARA-A.\nINSPECT WS-BIG CONVERTING 'ab' TO 'ba'.\nGO TO PARA-A."),
    ("MOVES", "PARA-A.\nMOVE FUNCTION UPPER-CASE(WS-BIG) TO WS-BIG.\nGO TO PARA-A."),
    (
        "SORTS",
        "PARA-A.\nSORT WS-ROW ASCENDING KEY WS-ROW.\nSORT WS-ROW DESCENDING KEY WS-ROW.\nGO TO PARA-A.",
    ),
];

fn long_running<'a>((name, code): (&'a str, &'a str)) -> Source<'a> {
    Source {
        name,
        storage: "01 WS-N PIC S9(9) COMP-5 VALUE 0.\n\
                  01 WS-BIG PIC X(8000000) VALUE ALL 'A'.\n\
                  01 WS-ROWS REDEFINES WS-BIG.\n   05 WS-ROW PIC X(80) OCCURS 100000.\n\
                  01 WS-LONG.\n   05 FILLER PIC X(99999) VALUE ALL 'A'.\n   05 FILLER PIC X VALUE 'B'.",
        code,
        ..Source::default()
    }
}

/// Longer than a tick, and than one call of the runtime on megabytes takes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_runaway_in_the_runtime_is_ended_there_or_as_soon_as_it_comes_back() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let other = workshop.load(&host, &doing("OTHER", "MOVE 5 TO RETURN-CODE. GOBACK."));
    for case in LONG {
        let program = workshop.load(&host, &long_running(case));
        for _ in 0..2 {
            let mut long = host.task().start(&program, 0, 0).expect("a stack");
            long.limit(Some(Duration::from_millis(50)));
            let begun = Instant::now();
            let Step::Fault(fault) = long.resume(0) else { panic!("{}: a runaway", case.0) };
            assert_eq!((fault.kind, fault.place.program.as_str()), (FaultKind::Runaway, case.0));
            assert!(begun.elapsed() < SOON, "{}: {:?}", case.0, begun.elapsed());
            // Nothing that the runtime keeps is harmed.
            assert_eq!(run(&host, &other), "Returned(5)");
        }
    }
}

#[test]
fn a_program_in_the_runtime_is_ended_by_who_may() {
    struct Control(Termination);
    impl AsRef<Termination> for Control {
        fn as_ref(&self) -> &Termination {
            &self.0
        }
    }
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(&host, &long_running(LONG[3]));
    let control = Arc::new(Control(Termination::default()));
    let mut long = host.task_ended_by(Arc::clone(&control) as _).start(&program, 0, 0).expect("a stack");
    let operator = std::thread::spawn(move || control.0.request());
    let Step::Fault(fault) = long.resume(0) else { panic!("it is ended") };
    assert_eq!(fault.kind, FaultKind::Terminated);
    operator.join().expect("the operator");
}

#[test]
fn a_table_is_sorted_and_equal_elements_stay_in_their_order() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let source = Source {
        name: "SORTED",
        storage: "01 WS-TABLE.\n   05 WS-ROW OCCURS 7.\n      10 WS-KEY PIC X.\n      10 WS-REST PIC X.",
        code: "MOVE 'C1A1B1A2C2A3B2' TO WS-TABLE.\nSORT WS-ROW ASCENDING KEY WS-KEY.\n\
               IF WS-TABLE = 'A1A2A3B1B2C1C2' MOVE 1 TO RETURN-CODE.\n\
               SORT WS-ROW DESCENDING KEY WS-KEY.\n\
               IF WS-TABLE = 'C1C2B1B2A1A2A3' ADD 2 TO RETURN-CODE.\nGOBACK.",
        ..Source::default()
    };
    let program = workshop.load(&host, &source);
    assert_eq!(run(&host, &program), "Returned(3)");
}
