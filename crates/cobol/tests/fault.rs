//! How a program fails: always alone.

mod support;

use cobol::Step;
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
        ("SUBS", "MOVE 'ABCD' TO WS-ROW(WS-I). GOBACK."),
        ("LOOP", "PERFORM MAIN-PARA. GOBACK."),
        ("ACCEPTS", "ACCEPT WS-NAME. IF WS-NAME = SPACES MOVE 4 TO RETURN-CODE.\nGOBACK."),
        ("SELF", "CALL 'SELF'. GOBACK."),
    ];
    let mut outcomes = String::new();
    for (name, code) in cases {
        let program =
            host.load(&workshop.compile_with(&failing(name, code), &["-debug"])).expect("a program");
        let mut first = run(&host, &program);
        for _ in 0..3 {
            assert_eq!(run(&host, &program), first, "{name} again");
        }
        if let Some(at) = first.find("offset: ") {
            first.replace_range(at..first[at..].find(',').map_or(first.len(), |n| at + n), "offset: _");
        }
        outcomes += &format!("{name}: {first}\n");
    }
    expect![[r#"
        WILD: Fault(Fault { kind: Storage(64), program: Some("WILD"), offset: _, in_runtime: true })
        STOP: StopRun(3)
        CALLS: MissingProgram("NOSUCH")
        CALLD: MissingProgram("NOSUCH")
        CALLX: Returned(9)
        SUBS: RuntimeError("SUBS.cbl:25: error: subscript of 'WS-ROW' out of bounds: 11\nnote: maximum subscript for 'WS-ROW': 10")
        LOOP: RuntimeError("LOOP.cbl:25: error: stack overflow, possible PERFORM depth exceeded")
        ACCEPTS: Returned(4)
        SELF: MissingProgram("SELF")
    "#]].assert_eq(&outcomes);
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
             CALL 'DFHEI1' USING X'000100010100' LK-AREA. GOBACK.",
        ),
    );
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let Step::Exec(call) = run.resume(0) else { panic!("a command") };
    let arg = call.arg(0).expect("an argument");
    expect!["Err(Storage(StorageFault { address: 64 }))"].assert_eq(&format!("{:?}", arg.bytes()));
    expect!["Err(Storage(StorageFault { address: 64 }))"].assert_eq(&format!("{:?}", arg.write(b"x")));
    assert!(matches!(run.resume(0), Step::Returned(0)));
}
