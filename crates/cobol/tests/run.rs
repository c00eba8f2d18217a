//! How a program runs: steps, arguments, images.

mod support;

use cobol::{AccessError, Area, Kind, Step};
use expect_test::expect;
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
            code: "CALL 'DFHEI1' USING X'01000700020000000001000200'\n\
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
            code: "CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-ID.\n\
                   SET IX TO 3.\n\
                   PERFORM 20 TIMES\n\
                     ADD WS-ID TO WS-SUM\n\
                     MOVE WS-ID TO WS-ROW(IX)\n\
                     SET IX UP BY 1\n\
                     CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-ID\n\
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
                 CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-N RETURNING DFHEIGO\n\
               END-PERFORM.\n\
               MOVE WS-N TO RETURN-CODE GOBACK.",
        ..Source::default()
    };
    let program = workshop.load(&host, &source);
    let other = workshop.load(&host, &Source { name: "OTHER", ..source });
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    // Answers that run other programs, the same one among them, and leave every third command to be a step.
    let mut commands = 0;
    let mut answer = |call: &cobol::ExecCall<'_>| {
        commands += 1;
        let n = call.arg(0).expect("an argument");
        n.write_number(n.number().expect("a number") + 1).expect("storage");
        for program in [&program, &other] {
            let mut inner = host.task().start(program, 0, 0).expect("a stack");
            let step = inner.resume_answering(0, &mut |call: &cobol::ExecCall<'_>| {
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
        run.resume_answering(0, &mut |_: &cobol::ExecCall<'_>| panic!("in an answer"));
    }));
    assert_eq!(panic.expect_err("the panic").downcast_ref::<&str>(), Some(&"in an answer"));
    drop(run);
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    assert!(matches!(run.resume(0), Step::Exec(_)), "the host goes on");
}

#[test]
fn what_a_program_displays_comes_before_its_next_step() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "SHOWS",
            storage: "01 WS-N PIC S9(4) COMP VALUE -12.\n01 WS-P PIC S9(3)V99 COMP-3 VALUE 1.5.\n\
                      01 WS-Z PIC S9(3) VALUE -12.\n01 WS-D PIC X(8).",
            code: "DISPLAY 'ONE ' WS-N ' ' WS-P ' ' WS-Z.\n\
                   ACCEPT WS-D FROM DATE YYYYMMDD.\n\
                   IF WS-D(1:2) = '20' DISPLAY 'DATED'.\n\
                   CALL 'DFHEI1' USING X'010001000000000000'.\n\
                   DISPLAY 'UPON SYSERR' UPON SYSERR.\n\
                   DISPLAY 'NO ADVANCING' WITH NO ADVANCING.\n\
                   GOBACK.",
            ..Source::default()
        },
    );
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let mut steps = String::new();
    loop {
        let step = run.resume(0);
        steps += &format!("{step:?}\n");
        if matches!(step, Step::Returned(_)) {
            break;
        }
    }
    expect![[r#"
        Display("ONE -00012 +00150 012-")
        Display("DATED")
        Exec(ExecCall(Some(Descriptor { header: [1, 0, 1, 0, 0, 0, 0, 0, 0], arguments: [], keywords: [] })))
        Display("NO ADVANCING")
        Display("UPON SYSERR")
        Returned(0)
    "#]]
    .assert_eq(&steps);
}

#[test]
fn services_and_contained_programs_are_found_by_name() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let program = workshop.load(
        &host,
        &Source {
            name: "SERVED",
            storage: "01 WS-DATE PIC X(8) VALUE '20250101'.\n01 WS-LILIAN PIC S9(9) COMP.\n\
                      01 WS-NAME PIC X(8) VALUE 'EZASOKET'.",
            code: "CALL 'CEEDAYS' USING WS-DATE OMITTED WS-LILIAN.\n\
                   CALL WS-NAME USING BY CONTENT 'SOCKET' RETURNING DFHEIGO.\n\
                   ADD DFHEIGO WS-LILIAN GIVING RETURN-CODE. GOBACK.",
            ..Source::default()
        },
    );
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let Step::Service(call) = run.resume(0) else { panic!("a service") };
    assert_eq!((call.name(), call.arg_count()), ("CEEDAYS", 3));
    assert_eq!(call.arg(0).expect("an argument").bytes().expect("storage").as_slice(), b"20250101");
    assert_eq!(call.arg(1).err(), Some(AccessError::Missing));
    call.arg(2).expect("an argument").write_number(100).expect("storage");
    let Step::Service(call) = run.resume(0) else { panic!("a service") };
    assert_eq!(call.name(), "EZASOKET");
    assert_eq!(call.arg(0).expect("an argument").bytes().expect("storage").as_slice(), b"SOCKET");
    assert!(matches!(run.resume(23), Step::Returned(123)));
}

#[test]
fn services_and_programs_are_answered_where_the_program_stands() {
    /// Knows one service and one program.
    struct Knows(cobol::Program);
    impl cobol::Answers for Knows {
        fn command(&mut self, _: &cobol::ExecCall<'_>) -> Option<i32> {
            None
        }
        fn service(&mut self, call: &cobol::ServiceCall<'_>) -> Option<i32> {
            (call.name() == "CEEDAYS").then_some(8)
        }
        fn program(&mut self, name: &str) -> Option<cobol::Program> {
            (name == "KNOWN").then(|| self.0.clone())
        }
    }
    let workshop = Workshop::new();
    let host = workshop.host();
    let known = Source { name: "KNOWN", code: "MOVE 5 TO RETURN-CODE GOBACK.", ..Source::default() };
    let known = workshop.load(&host, &known);
    let source = Source {
        name: "ASKS",
        storage: "01 WS-N PIC S9(9) COMP VALUE 0.",
        code: "CALL 'CEEDAYS' RETURNING DFHEIGO. ADD DFHEIGO TO WS-N.\n\
               CALL 'KNOWN'. ADD RETURN-CODE TO WS-N.\n\
               CALL 'EZASOKET' RETURNING DFHEIGO. ADD DFHEIGO TO WS-N.\n\
               CALL 'OTHER' ON EXCEPTION ADD 100 TO WS-N END-CALL.\n\
               MOVE WS-N TO RETURN-CODE. GOBACK.",
        ..Source::default()
    };
    let program = workshop.load(&host, &source);
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let mut answers = Knows(known);
    let Step::Service(call) = run.resume_answering(0, &mut answers) else { panic!("what is left is a step") };
    assert_eq!(call.name(), "EZASOKET");
    let Step::NeedProgram(name) = run.resume_answering(20, &mut answers) else { panic!("nobody has it") };
    assert_eq!(name, "OTHER");
    assert!(matches!(run.resume_answering(0, &mut answers), Step::Returned(133)));
}

#[test]
fn every_kind_of_field_is_read_and_written_by_its_own_type() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let fields = [
        ("PIC S9(4) COMP", "-5"),
        ("PIC S9(8) COMP", "123456"),
        ("PIC S9(18) COMP", "-1"),
        ("PIC 9(4) COMP", "65000"),
        ("PIC S9(9) COMP-5", "-70000"),
        ("PIC S9(5) COMP-3", "-12345"),
        ("PIC 9(5) COMP-3", "12345"),
        ("PIC S9(5)", "-120"),
        ("PIC 9(5)", "120"),
        ("PIC S9(3) SIGN LEADING", "-12"),
        ("PIC S9(3) SIGN TRAILING SEPARATE", "-12"),
        ("PIC S9(3) SIGN LEADING SEPARATE", "12"),
        ("PIC X(4)", "42"),
    ];
    let storage: String =
        fields.iter().enumerate().map(|(i, (picture, _))| format!("01 WS-{i} {picture}.\n")).collect();
    let arguments: String = (0..fields.len()).map(|i| format!("WS-{i}\n")).collect();
    let moves: String = fields
        .iter()
        .enumerate()
        .map(|(i, (_, value))| {
            let value = if *value == "42" { "'0042'" } else { value };
            format!("MOVE {value} TO WS-{i}\n")
        })
        .collect();
    let call = format!("CALL 'DFHEI1' USING X'010001000000000000'\n{arguments}.\n");
    let code = format!("{moves}.\n{call}{call}GOBACK.");
    let program =
        workshop.load(&host, &Source { name: "KINDS", storage: &storage, code: &code, ..Source::default() });
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let Step::Exec(call) = run.resume(0) else { panic!("a command") };
    let mut kinds = String::new();
    for (i, (picture, value)) in fields.iter().enumerate() {
        let arg = call.arg(i).expect("an argument");
        kinds += &format!("{picture}: {:?} {:02x?}\n", arg.kind(), arg.bytes().expect("storage").as_slice());
        let value = value.parse::<i64>();
        assert_eq!(arg.number(), value.clone().map_err(|_| AccessError::NotNumeric), "{picture}");
        let before = arg.bytes();
        arg.write_number(0).expect("storage");
        assert_eq!(arg.number(), Ok(0), "{picture}");
        arg.write_number(value.expect("a number")).expect("storage");
        assert_eq!(arg.bytes(), before, "{picture}");
    }
    assert_eq!(call.arg(0).expect("an argument").write_number(1 << 40), Err(AccessError::TooLarge));
    assert_eq!(call.arg(5).expect("an argument").write_number(100_000), Err(AccessError::TooLarge));
    assert_eq!(call.arg(99).err(), Some(AccessError::Missing));
    expect![[r#"
        PIC S9(4) COMP: Number(Binary { signed: true, big_endian: true }) [ff, fb]
        PIC S9(8) COMP: Number(Binary { signed: true, big_endian: true }) [00, 01, e2, 40]
        PIC S9(18) COMP: Number(Binary { signed: true, big_endian: true }) [ff, ff, ff, ff, ff, ff, ff, ff]
        PIC 9(4) COMP: Number(Binary { signed: false, big_endian: true }) [fd, e8]
        PIC S9(9) COMP-5: Number(Binary { signed: true, big_endian: false }) [90, ee, fe, ff]
        PIC S9(5) COMP-3: Number(Packed { signed: true }) [12, 34, 5d]
        PIC 9(5) COMP-3: Number(Packed { signed: false }) [12, 34, 5f]
        PIC S9(5): Number(Zoned(TrailingOverpunch)) [30, 30, 31, 32, 7d]
        PIC 9(5): Number(Zoned(None)) [30, 30, 31, 32, 30]
        PIC S9(3) SIGN LEADING: Number(Zoned(LeadingOverpunch)) [7d, 31, 32]
        PIC S9(3) SIGN TRAILING SEPARATE: Number(Zoned(TrailingSeparate)) [30, 31, 32, 2d]
        PIC S9(3) SIGN LEADING SEPARATE: Number(Zoned(LeadingSeparate)) [2b, 30, 31, 32]
        PIC X(4): Text [30, 30, 34, 32]
    "#]]
    .assert_eq(&kinds);
}
