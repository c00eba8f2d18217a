//! How a program runs: steps, arguments, images.

mod support;

use cobol::{Area, Kind, Step};
use support::{Source, Workshop};

#[test]
fn a_program_is_a_generator_of_commands() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "ONE",
            storage: "01 WS-TEXT PIC X(8) VALUE 'HELLO'.\n\
                      01 WS-PACKED PIC S9(7)V99 COMP-3 VALUE -12.50.",
            code: "CALL 'DFHEI1' USING X'0001000702000001000200'\n\
                   WS-TEXT WS-PACKED RETURNING DFHEIGO.\n\
                   IF WS-TEXT = 'ANSWER' AND WS-PACKED = 77\n\
                     MOVE 5 TO RETURN-CODE.\n\
                   GOBACK.",
            ..Source::default()
        },
    );
    let task = host.task();
    let mut run = task.start(&program, 0, 0).expect("a stack");
    let Step::Exec(call) = run.resume(0) else { panic!("a command") };
    let text = call.arg(0).expect("an argument");
    let packed = call.arg(1).expect("an argument");
    assert_eq!((text.kind(), text.size()), (Kind::Text, 8));
    assert_eq!(text.bytes().expect("storage").as_slice(), b"HELLO   ");
    assert_eq!(packed.number(), Ok(-12));
    text.write_text(b"ANSWER").expect("storage");
    packed.write_number(77).expect("storage");
    assert!(matches!(run.resume(0), Step::Returned(5)));
}

#[test]
fn tasks_of_one_program_do_not_see_each_other() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "SUM",
            storage: "01 WS-ID PIC 9(9) COMP-5 VALUE 0.\n\
                      01 WS-SUM PIC S9(15) COMP-3 VALUE 0.\n\
                      01 WS-I PIC S9(8) COMP VALUE 0.\n\
                      01 WS-ROWS.\n   05 WS-ROW OCCURS 300 TIMES INDEXED BY IX PIC 9(9).",
            code: "CALL 'DFHEI1' USING X'000100010100' WS-ID.\n\
                   SET IX TO 3.\n\
                   PERFORM 20 TIMES\n\
                     ADD WS-ID TO WS-SUM\n\
                     MOVE WS-ID TO WS-ROW(IX)\n\
                     SET IX UP BY 1\n\
                     CALL 'DFHEI1' USING X'000100010100' WS-ID\n\
                   END-PERFORM.\n\
                   IF WS-SUM = 20 * WS-ID AND IX = 23 AND WS-ROW(22) = WS-ID\n\
                     MOVE 1 TO RETURN-CODE.\n\
                   GOBACK.",
            ..Source::default()
        },
    );
    for round in 0..20 {
        let mut tasks: Vec<_> = (1..=50)
            .map(|i| {
                let mut run = host.task().start(&program, 0, 0).expect("a stack");
                let Step::Exec(call) = run.resume(0) else { panic!("a command") };
                call.arg(0).expect("an argument").write_number(round * 100 + i).expect("storage");
                run
            })
            .collect();
        let mut returned = 0;
        while !tasks.is_empty() {
            tasks.retain_mut(|run| match run.resume(0) {
                Step::Exec(_) => true,
                Step::Returned(1) => {
                    returned += 1;
                    false
                }
                other => panic!("{other:?}"),
            });
        }
        assert_eq!(returned, 50);
    }
}

#[test]
fn eib_and_commarea_are_the_regions_areas() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "AREAS",
            linkage: "01 LK-EIB.\n   05 LK-TASKN PIC S9(7) COMP-3.",
            code: "SET ADDRESS OF LK-EIB TO SPEIB.\n\
                   MOVE 'Y' TO CA-BYTE(2).\n\
                   MOVE LK-TASKN TO RETURN-CODE.\n\
                   GOBACK.",
            ..Source::default()
        },
    );
    let eib = Area::with(&[0x00, 0x00, 0x42, 0x3c]);
    let commarea = Area::with(b"XXX");
    let mut run = host.task().start(&program, eib.address(), commarea.address()).expect("a stack");
    assert!(matches!(run.resume(0), Step::Returned(423)));
    assert_eq!(commarea.to_vec(), b"XYX");
}

#[test]
fn a_command_can_be_answered_in_place() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let source = Source {
        name: "PLACE",
        storage: "01 WS-N PIC S9(8) COMP VALUE 0.",
        code: "PERFORM 5 TIMES\n\
                 CALL 'DFHEI1' USING X'000100010100' WS-N RETURNING DFHEIGO\n\
               END-PERFORM.\n\
               MOVE WS-N TO RETURN-CODE GOBACK.",
        ..Source::default()
    };
    let program = workshop.load(&host, &source);
    let other = workshop.load(&host, &Source { name: "OTHER", ..source });
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    // Answers that run other programs, the same one among them, and leave every third command to be a step.
    let mut commands = 0;
    let mut answer = |call: cobol::ExecCall<'_>| {
        commands += 1;
        let n = call.arg(0).expect("an argument");
        n.write_number(n.number().expect("a number") + 1).expect("storage");
        for program in [&program, &other] {
            let mut inner = host.task().start(program, 0, 0).expect("a stack");
            let step = inner.resume_answering(0, &mut |call| {
                call.arg(0).expect("an argument").write_number(3).expect("storage");
                Some(0)
            });
            assert!(matches!(step, Step::Returned(3)));
        }
        (commands % 3 != 0).then_some(0)
    };
    assert!(matches!(run.resume_answering(0, &mut answer), Step::Exec(_)));
    assert!(matches!(run.resume_answering(0, &mut answer), Step::Returned(5)));

    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run.resume_answering(0, &mut |_| panic!("in an answer"));
    }));
    assert_eq!(panic.expect_err("the panic").downcast_ref::<&str>(), Some(&"in an answer"));
    drop(run);
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    assert!(matches!(run.resume(0), Step::Exec(_)), "the host goes on");
}
