//! Programs that reach each other: CALL and LINK, each with the storage that COBOL and CICS give it.

mod support;

use cobol::{Area, Host, Program, Step, Task};
use support::{Source, Workshop, run};

/// Counts its calls in WORKING-STORAGE and returns the count; waits at a command each time.
const COUNTER: Source<'_> = Source {
    name: "COUNTER",
    storage: "01 WS-N PIC S9(4) COMP VALUE 10.",
    local: "",
    linkage: "01 LK-N PIC S9(8) COMP.",
    using: "LK-N",
    code: "ADD 1 TO WS-N MOVE WS-N TO LK-N\n\
           CALL 'DFHEI1' USING X'010001000000000000'.\n\
           GOBACK.",
};

/// Calls COUNTER three times and returns what it said last.
const CALLER: Source<'_> = Source {
    name: "CALLER",
    storage: "01 WS-N PIC S9(8) COMP VALUE 0.\n01 WS-NAME PIC X(8) VALUE 'COUNTER'.",
    local: "",
    linkage: "",
    using: "",
    code: "CALL 'COUNTER' USING WS-N.\n\
           CALL WS-NAME USING WS-N.\n\
           CALL 'COUNTER' USING WS-N.\n\
           MOVE WS-N TO RETURN-CODE GOBACK.",
};

/// Resumes a run until it waits at a command or ends, giving it the programs it asks for.
fn next(run: &mut cobol::Run, programs: &[&Program]) -> Option<i32> {
    loop {
        match run.resume(0) {
            Step::Exec(_) => return None,
            Step::NeedProgram(name) => {
                if let Some(program) = programs.iter().find(|p| p.name() == name) {
                    run.provide(program);
                }
            }
            Step::Returned(code) => return Some(code),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_called_program_keeps_its_storage_within_a_task_only() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let counter = workshop.load(&host, &COUNTER);
    let caller = workshop.load(&host, &CALLER);
    let mut runs: Vec<_> = (0..5).map(|_| host.task().start(&caller, 0, 0).expect("a stack")).collect();
    for wait in 0..4 {
        for run in &mut runs {
            assert_eq!(next(run, &[&counter]), (wait == 3).then_some(13));
        }
    }
}

#[test]
fn cancel_makes_a_called_program_fresh() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let counter = workshop.load(&host, &COUNTER);
    let caller = workshop.load(
        &host,
        &Source {
            name: "CANCELS",
            code: "CALL WS-NAME USING WS-N.\nCANCEL 'COUNTER'.\n\
                   CALL WS-NAME USING WS-N.\nCANCEL WS-NAME.\n\
                   CALL 'COUNTER' USING WS-N.\nCANCEL WS-NAME.\n\
                   CALL 'COUNTER' USING WS-N.\nMOVE WS-N TO RETURN-CODE GOBACK.",
            ..CALLER
        },
    );
    let mut run = host.task().start(&caller, 0, 0).expect("a stack");
    while next(&mut run, &[&counter]).is_none() {}
    let mut again = host.task().start(&caller, 0, 0).expect("a stack");
    let code = std::iter::from_fn(|| Some(next(&mut again, &[&counter]))).flatten().next();
    assert_eq!(code, Some(11));
}

/// A program that contains another; each counts in its own storage, the inner one waits.
const NEST: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. NEST.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 DFHEIGO PIC S9(9) COMP-5.
       01 WS-N PIC S9(8) COMP VALUE 0.
       01 WS-NAME PIC X(8) VALUE 'INNER'.
       LINKAGE SECTION.
       01 DFHEIBLK PIC X.
       01 DFHCOMMAREA PIC X.
       PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.
           CALL 'DFHEIN' USING 'NEST    ' RETURNING DFHEIGO.
           PERFORM 3 TIMES
             CALL 'INNER' USING WS-N
             CALL WS-NAME USING WS-N
           END-PERFORM.
           MOVE WS-N TO RETURN-CODE. GOBACK.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INNER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-COUNT PIC S9(4) COMP VALUE 0.
       LINKAGE SECTION.
       01 LK-N PIC S9(8) COMP.
       PROCEDURE DIVISION USING LK-N.
           ADD 1 TO WS-COUNT.
           CALL 'DFHEI1' USING X'010001000000000000'.
           MOVE WS-COUNT TO LK-N. GOBACK.
       END PROGRAM INNER.
       END PROGRAM NEST.
";

#[test]
fn a_contained_program_has_its_storage_per_task_too() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = host.load(&workshop.compile_text("NEST", NEST, &["-O"])).expect("a program");
    for _ in 0..3 {
        let mut runs: Vec<_> = (0..4).map(|_| host.task().start(&program, 0, 0).expect("a stack")).collect();
        for wait in 0..7 {
            for run in &mut runs {
                assert_eq!(next(run, &[]), (wait == 6).then_some(6));
            }
        }
    }
}

/// Waits, then returns 1 + the number in its COMMAREA; changes its WORKING-STORAGE first.
const LINKED: Source<'_> = Source {
    name: "LINKED",
    storage: "01 WS-MARK PIC X(4) VALUE 'NEW.'.\n01 WS-AREA PIC X(4) VALUE 'MINE'.",
    local: "01 LS-X PIC X(1000) VALUE 'L'.",
    linkage: "",
    using: "",
    code: "IF WS-MARK NOT = 'NEW.' MOVE 99 TO RETURN-CODE GOBACK.\n\
           MOVE 'USED' TO WS-MARK.\n\
           CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-AREA.\n\
           IF WS-MARK NOT = 'USED' MOVE 98 TO RETURN-CODE GOBACK.\n\
           IF CA-BYTE(1) NOT = 'C' MOVE 97 TO RETURN-CODE GOBACK.\n\
           MOVE 'D' TO CA-BYTE(1). MOVE 7 TO RETURN-CODE GOBACK.",
};

fn linked_depth(task: &Task, program: &Program, commarea: usize, depth: u32) {
    let mut run = task.start(program, 0, commarea).expect("a stack");
    let Step::Exec(call) = run.resume(0) else { panic!("a command") };
    let area = call.arg(0).expect("an argument");
    if depth > 0 {
        assert!(task.has_entered(program));
        linked_depth(task, program, commarea, depth - 1);
    }
    // Reached again after the deeper level displaced it.
    assert_eq!(area.bytes().expect("storage").as_slice(), b"MINE");
    task.write(commarea, b"C").expect("storage");
    assert!(matches!(run.resume(0), Step::Returned(7)));
}

#[test]
fn a_program_linked_while_it_is_active_is_fresh_and_its_caller_is_not_touched() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(&host, &LINKED);
    let commarea = Area::with(b"C");
    for _ in 0..3 {
        linked_depth(&host.task(), &program, commarea.address(), 5);
    }
}

#[test]
fn storage_of_a_linking_level_is_in_place_while_the_linked_level_runs() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let outer = workshop.load(&host, &LINKED);
    let inner = workshop.load(&host, &Source { name: "INNER", ..LINKED });
    // Two tasks pass their own WORKING-STORAGE down as COMMAREA, interleaved.
    let tasks: Vec<_> = (0..2).map(|_| host.task()).collect();
    let mut outers: Vec<_> = tasks.iter().map(|t| t.start(&outer, 0, 0).expect("a stack")).collect();
    let mut inners = Vec::new();
    for (task, run) in tasks.iter().zip(&mut outers) {
        let Step::Exec(call) = run.resume(0) else { panic!("a command") };
        let area = call.arg(0).expect("an argument");
        area.write(b"C").expect("storage");
        inners.push(task.start(&inner, 0, area.address()).expect("a stack"));
    }
    for run in &mut inners {
        assert!(matches!(run.resume(0), Step::Exec(_)));
    }
    for run in &mut inners {
        assert!(matches!(run.resume(0), Step::Returned(7)));
    }
    for (task, inner) in tasks.iter().zip(inners) {
        drop(inner);
        let _ = task;
    }
}

#[test]
fn a_program_can_be_entered_again_at_a_label() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "LABELS",
            storage: "01 WS-PTR USAGE POINTER VALUE NULL.\n01 WS-N PIC S9(4) COMP VALUE 1.",
            linkage: "01 LK-AREA PIC X(10).",
            code: "ADD 1 TO WS-N PERFORM PARA-A. GOBACK.\n\
                   PARA-A.\n\
                     SET ADDRESS OF LK-AREA TO WS-PTR\n\
                     MOVE 'X' TO LK-AREA.\n\
                   LABEL-2.\n\
                     ADD 5 TO WS-N. MOVE WS-N TO RETURN-CODE GOBACK.",
            ..Source::default()
        },
    );
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    assert!(matches!(run.resume(0), Step::Fault(_)));
    run.restart(2).expect("a stack");
    assert!(matches!(run.resume(0), Step::Returned(7)));
    drop(run);
    assert_eq!(self::run(&host, &program), self::run(&host, &program));
}

#[test]
fn a_new_version_comes_in_while_a_task_uses_the_old_one() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let old = workshop.load(&host, &LINKED);
    let commarea = Area::with(b"C");
    let mut run = host.task().start(&old, 0, commarea.address()).expect("a stack");
    assert!(matches!(run.resume(0), Step::Exec(_)));
    drop(old);
    let new = workshop.load(&host, &Source { code: "MOVE 2 TO RETURN-CODE GOBACK.", ..LINKED });
    assert_eq!(self::run(&host, &new), "Returned(2)");
    assert!(matches!(run.resume(0), Step::Returned(7)));
    let copies = || copies_of(&workshop, "LINKED");
    assert_eq!(copies(), 2);
    drop(run);
    assert_eq!(copies(), 1, "the old version is unloaded with its last task");
}

#[test]
fn unloaded_programs_leave_nothing_behind() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let module = workshop.compile(&LINKED);
    let mappings = || std::fs::read_to_string("/proc/self/maps").expect("/proc").matches("/LINKED-").count();
    let commarea = Area::with(b"C");
    for _ in 0..50 {
        let program = host.load(&module).expect("a program");
        let mut run = host.task().start(&program, 0, commarea.address()).expect("a stack");
        assert!(matches!(run.resume(0), Step::Exec(_)));
        assert_ne!(mappings(), 0);
    }
    assert_eq!(mappings(), 0);
}

fn copies_of(workshop: &Workshop, program: &str) -> usize {
    let directories = std::fs::read_dir(workshop.directory.path()).expect("a directory");
    directories
        .filter_map(|d| std::fs::read_dir(d.ok()?.path()).ok())
        .flatten()
        .filter(|f| {
            let name = f.as_ref().expect("a file").file_name();
            name.to_string_lossy().starts_with(program)
        })
        .count()
}

#[test]
fn two_threads_have_nothing_in_common() {
    let workshop = Workshop::new();
    let counter = workshop.compile(&COUNTER);
    let caller = workshop.compile(&CALLER);
    let check = |host: &Host| {
        let counter = host.load(&counter).expect("a program");
        let caller = host.load(&caller).expect("a program");
        for _ in 0..200 {
            let mut runs: Vec<_> =
                (0..10).map(|_| host.task().start(&caller, 0, 0).expect("a stack")).collect();
            for wait in 0..4 {
                for run in &mut runs {
                    assert_eq!(next(run, &[&counter]), (wait == 3).then_some(13));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| check(&workshop.host()));
        }
    });
}
