//! Storage of a program's run: who writes beside it is noticed, and nobody else's is touched.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cobol::{FaultKind, Host, Program, Step, Supply};
use support::{Source, Workshop, run};

const TABLE: &str = "01 LS-TABLE.\n   05 LS-ROW PIC X(16) OCCURS 10.";

fn with_table<'a>(name: &'a str, code: &'a str) -> Source<'a> {
    Source { name, local: TABLE, storage: "01 WS-I PIC S9(8) COMP VALUE 11.", code, ..Source::default() }
}

#[test]
fn what_is_written_behind_local_storage_is_a_fault_at_that_statement() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let beyond = with_table("BEYOND", "MOVE 'ELEVEN' TO LS-ROW(WS-I).\nGOBACK.");
    let far = with_table("FAR", "MOVE 4000 TO WS-I MOVE 'FAR' TO LS-ROW(WS-I).\nGOBACK.");
    let subscripts = &["-debug"][..];
    for (source, options) in [(&beyond, &[][..]), (&beyond, subscripts), (&far, &[])] {
        let program = host.load(&workshop.compile_with(source, options)).expect("a program");
        for _ in 0..100 {
            let mut run = host.task().start(&program, 0, 0).expect("a stack");
            let Step::Fault(fault) = run.resume(0) else { panic!("a fault") };
            assert!(matches!(fault.kind, FaultKind::Storage(_)), "{fault}");
            assert_eq!(fault.place.program, source.name);
        }
    }
}

#[test]
fn what_lies_behind_local_storage_can_be_read() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let code = "IF LS-ROW(WS-I) NOT = 'ABCD' MOVE 5 TO RETURN-CODE.\nGOBACK.";
    let program = workshop.load(&host, &with_table("PAST", code));
    assert_eq!(run(&host, &program), "Returned(5)");
}

#[test]
fn what_is_written_in_front_of_local_storage_is_seen_at_the_end() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let back = "MOVE 0 TO WS-I MOVE 'NOUGHT' TO LS-ROW(WS-I).\nGOBACK.";
    let waits = "MOVE 0 TO WS-I MOVE 'NOUGHT' TO LS-ROW(WS-I).\nCALL 'DFHEI1' USING X'010001000000000000'.";
    for (name, code) in [("BACK", back), ("WAITS", waits)] {
        let program = workshop.load(&host, &with_table(name, code));
        // The first run and those after it, which begin with its template.
        for _ in 0..3 {
            let task = host.task();
            let mut run = task.start(&program, 0, 0).expect("a stack");
            assert!(matches!(run.resume(0), Step::Returned(_) | Step::Exec(_)));
            let overlay = task.overlay().expect("an overlay");
            assert!(overlay.found.starts_with(b"NOUGHT"), "{overlay}");
        }
    }
}

/// Counts in an EXTERNAL item, waits at a command, and returns what it finds there then.
const COUNTS: Source<'_> = Source {
    name: "COUNTS",
    storage: "01 EXT-PARTS EXTERNAL.\n   05 EXT-N PIC S9(8) COMP.\n   05 EXT-REST PIC X(28).",
    local: "",
    linkage: "",
    using: "",
    code: "ADD 1 TO EXT-N.\n\
           CALL 'DFHEI1' USING X'010001000000000000'.\n\
           MOVE EXT-N TO RETURN-CODE GOBACK.",
};

/// CALLs it twice, and counts once itself.
const CALLS: Source<'_> =
    Source { name: "CALLS", code: "CALL 'COUNTS'. ADD 1 TO EXT-N. CALL 'COUNTS'. GOBACK.", ..COUNTS };

/// Resumes a run until it waits at a command or ends.
fn next(run: &mut cobol::Run, called: &Program) -> Option<i32> {
    loop {
        match run.resume(0) {
            Step::Exec(_) => return None,
            Step::NeedProgram(_) => run.provide(called),
            Step::Returned(code) => return Some(code),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn external_items_are_shared_by_the_programs_of_a_run_unit_alone() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let (counts, calls) = (workshop.load(&host, &COUNTS), workshop.load(&host, &CALLS));
    // Each task has its own, interleaved with others, and begins with zeros.
    for _ in 0..2 {
        let mut runs: Vec<_> = [&counts, &calls]
            .into_iter()
            .cycle()
            .take(6)
            .map(|p| host.task().start(p, 0, 0).expect("a stack"))
            .collect();
        let mut ends = [None; 6];
        for _ in 0..3 {
            for (run, end) in runs.iter_mut().zip(&mut ends).filter(|(_, end)| end.is_none()) {
                *end = next(run, &counts);
            }
        }
        assert_eq!(ends, [1, 3, 1, 3, 1, 3].map(Some));
    }
    // A level that is LINKed to is a run unit of its own.
    let task = host.task();
    let mut upper = task.start(&calls, 0, 0).expect("a stack");
    assert_eq!(next(&mut upper, &counts), None);
    let mut lower = task.start(&counts, 0, 0).expect("a stack");
    assert_eq!((next(&mut lower, &counts), next(&mut lower, &counts)), (None, Some(1)));
    drop(lower);
    assert_eq!((next(&mut upper, &counts), next(&mut upper, &counts)), (None, Some(3)));
}

#[test]
fn what_is_written_behind_an_external_item_is_a_fault() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let source = Source {
        name: "EXTERN",
        storage: "01 WS-I PIC S9(8) COMP VALUE 11.\n01 EXT-TABLE EXTERNAL.\n   05 EXT-ROW PIC X(16) OCCURS 10.",
        code: "MOVE 'TEN' TO EXT-ROW(10). MOVE 'ELEVEN' TO EXT-ROW(WS-I).\nGOBACK.",
        ..Source::default()
    };
    let program = workshop.load(&host, &source);
    for _ in 0..3 {
        let end = run(&host, &program);
        assert!(end.contains("Storage("), "{end}");
    }
}

#[test]
fn an_external_item_that_another_program_has_shorter_is_an_error_of_the_call() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let short = Source {
        name: "SHORT",
        storage: "01 EXT-PARTS EXTERNAL PIC X(10).",
        code: "MOVE 'A' TO EXT-PARTS. CALL 'COUNTS'.",
        ..COUNTS
    };
    let (counts, short) = (workshop.load(&host, &COUNTS), workshop.load(&host, &short));
    for _ in 0..2 {
        let mut run = host.task().start(&short, 0, 0).expect("a stack");
        let error = loop {
            match run.resume(0) {
                Step::NeedProgram(_) => run.provide(&counts),
                Step::RuntimeError(error) => break error.message,
                other => panic!("{other:?}"),
            }
        };
        assert!(error.contains("EXT_PARTS has 32 bytes here, and 10"), "{error}");
    }
}

fn allocates(host: &Host, workshop: &Workshop, name: &str, code: &str) -> Program {
    let source = Source {
        name,
        storage: "01 WS-PTR USAGE POINTER.\n01 WS-N PIC S9(9) COMP-5 VALUE 48.\n\
                  01 BASED-TABLE BASED.\n   05 BASED-ROW PIC X(16) OCCURS 10.",
        linkage: "01 LK-AREA PIC X(48).",
        code,
        ..Source::default()
    };
    workshop.load(host, &source)
}

#[test]
fn what_a_program_allocates_is_its_own_and_guarded() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let uses = "ALLOCATE BASED-TABLE. MOVE 'TEN' TO BASED-ROW(10).\n\
                ALLOCATE WS-N CHARACTERS INITIALIZED RETURNING WS-PTR.\n\
                SET ADDRESS OF LK-AREA TO WS-PTR.\n\
                IF LK-AREA = LOW-VALUES ADD 1 TO RETURN-CODE.\n\
                FREE WS-PTR BASED-TABLE.\n\
                IF WS-PTR = NULL ADD 2 TO RETURN-CODE.\n\
                MOVE 999999999 TO WS-N.\n\
                ALLOCATE WS-N CHARACTERS RETURNING WS-PTR.\n\
                IF WS-PTR = NULL ADD 4 TO RETURN-CODE.\n\
                GOBACK.";
    let program = allocates(&host, &workshop, "USES", uses);
    let overruns = "ALLOCATE BASED-TABLE. MOVE 11 TO WS-N.\nMOVE 'X' TO BASED-ROW(WS-N). GOBACK.";
    let overruns = allocates(&host, &workshop, "OVERRUNS", overruns);
    for _ in 0..3 {
        assert_eq!(run(&host, &program), "Returned(7)");
        let end = run(&host, &overruns);
        assert!(end.contains("Storage("), "{end}");
    }
}

/// What programs may have together.
struct Counted {
    limit: usize,
    used: AtomicUsize,
}

impl Supply for Counted {
    fn take(&self, bytes: usize) -> bool {
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            Some(used + bytes).filter(|after| *after <= self.limit)
        });
        taken.is_ok()
    }

    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[test]
fn what_programs_get_for_a_run_is_counted_and_has_a_limit() {
    const ITEM: &str = "PIC X(300000).";
    let workshop = Workshop::new();
    let host = workshop.host();
    let supply = Arc::new(Counted { limit: 2 << 20, used: AtomicUsize::new(0) });
    host.supplied_by(Arc::clone(&supply) as _);
    let code =
        |item: &str| format!("MOVE 'A' TO {item}.\nCALL 'DFHEI1' USING X'010001000000000000'.\nGOBACK.");
    let (uses_local, uses_external) = (code("LS-ITEM"), code("EXT-ITEM"));
    let local = format!("01 LS-ITEM {ITEM}");
    let external = format!("01 EXT-ITEM EXTERNAL {ITEM}");
    let local = Source { name: "LOCALS", local: &local, code: &uses_local, ..Source::default() };
    let external = Source { name: "EXTERNS", storage: &external, code: &uses_external, ..Source::default() };
    for (source, what) in [(&local, "300000 bytes of LOCAL-STORAGE"), (&external, "EXTERNAL item EXT_ITEM")] {
        let program = workshop.load(&host, source);
        let tasks = [(); 5].map(|()| host.task());
        let mut runs: Vec<_> = tasks.iter().map(|t| t.start(&program, 0, 0).expect("a stack")).collect();
        // Half a mebibyte each: four have it.
        for run in &mut runs[..4] {
            assert!(matches!(run.resume(0), Step::Exec(_)), "{what}");
        }
        assert_eq!(supply.used.load(Ordering::Relaxed), 2 << 20, "{what}");
        let refused = format!("{:?}", runs[4].resume(0));
        assert!(refused.contains(what) && refused.contains("together is used up"), "{refused}");
        drop(runs);
        drop(tasks);
        assert_eq!(supply.used.load(Ordering::Relaxed), 0, "{what}: all is given back");
    }
    // A program's very first run may be the one that gets nothing.
    let first = Source { name: "FIRST", local: "01 LS-ITEM PIC X(3000000).", ..local };
    let program = workshop.load(&host, &first);
    for _ in 0..2 {
        let refused = run(&host, &program);
        assert!(refused.contains("3000000 bytes of LOCAL-STORAGE") && refused.contains("FIRST"), "{refused}");
    }
    let code = "ALLOCATE 3000000 CHARACTERS RETURNING WS-PTR.\n\
                IF WS-PTR = NULL ADD 1 TO RETURN-CODE.\n\
                ALLOCATE 1000000 CHARACTERS RETURNING WS-PTR.\n\
                IF WS-PTR NOT = NULL ADD 2 TO RETURN-CODE.\n\
                GOBACK.";
    assert_eq!(run(&host, &allocates(&host, &workshop, "ALLOCS", code)), "Returned(3)");
    assert_eq!(supply.used.load(Ordering::Relaxed), 0);
}
