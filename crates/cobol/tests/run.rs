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
