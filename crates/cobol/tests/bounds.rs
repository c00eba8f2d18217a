//! No calculation and no function holds a TCB, or ends the process, whatever its numbers are.

mod support;

use std::time::{Duration, Instant};

use support::{PRODUCT, Source, Workshop, lines_of};

/// Numbers for the statements.
const STORAGE: &str = "\
01 B        PIC S9(9)V9(9) VALUE 999999999.123456789.
01 HUGE     PIC S9(15) VALUE 999999999999999.
01 LARGE    PIC S9(9) VALUE 99999999.
01 TINY     PIC S9(1)V9(9) VALUE 0.000000001.
01 RATE     PIC S9(1)V9(2) VALUE 1.05.
01 ALMOST   PIC S9(1)V9(7) VALUE 1.0000001.
01 FEWER     PIC S9(1)V9(2) VALUE 0.95.
01 MINUS-1  PIC S9(1)V9 VALUE -1.
01 ZERO-NOW PIC 9 VALUE 0.
01 F        COMP-2 VALUE 1.0E300.
01 R        PIC S9(9)V9(9).
01 SHOWN    PIC -(9)9.9(8).
";

/// Expressions, and what they come to; nothing: a size error.
const EXPRESSIONS: &[(&str, Option<&str>)] = &[
    ("B ** HUGE", None),
    ("HUGE ** HUGE", None),
    ("1000 * RATE ** LARGE", None),
    ("1000 * RATE ** -99999999", Some("0.00000000")),
    ("FEWER ** LARGE", Some("0.00000000")),
    ("FEWER ** -99999999", None),
    ("ALMOST ** 10000000", Some("2.71828169")),
    ("ALMOST ** -10000000", Some("0.36787945")),
    ("ALMOST ** 9999999.5", Some("2.71828155")),
    ("MINUS-1 ** LARGE", Some("-1.00000000")),
    ("MINUS-1 ** HUGE", Some("-1.00000000")),
    ("1 ** HUGE", Some("1.00000000")),
    ("ZERO-NOW ** HUGE", Some("0.00000000")),
    ("ZERO-NOW ** -1", None),
    ("ZERO-NOW ** -0.5", None),
    ("TINY ** HUGE", Some("0.00000000")),
    ("B ** 99999.5", None),
    ("TINY ** 99999.5", Some("0.00000000")),
    ("TINY ** -99999.5", None),
    ("((RATE ** 300) ** 300) ** 300", None),
    ("RATE ** 100", Some("131.50125784")),
    ("RATE ** 1000 / RATE ** 999", Some("1.05000000")),
    ("F * F * F * F", None),
    ("F ** F", None),
    ("FUNCTION EXP(HUGE)", None),
    ("FUNCTION EXP(999999999)", None),
    ("FUNCTION EXP(-999999999)", Some("0.00000000")),
    ("FUNCTION EXP(-F)", Some("0.00000000")),
    ("FUNCTION EXP(3)", Some("20.08553692")),
    ("FUNCTION EXP10(HUGE)", None),
    ("FUNCTION EXP10(-HUGE)", Some("0.00000000")),
    ("FUNCTION EXP10(3)", Some("1000.00000000")),
    ("FUNCTION FACTORIAL(50000000)", None),
    ("FUNCTION FACTORIAL(12)", Some("479001600.00000000")),
    ("FUNCTION ANNUITY(TINY HUGE)", Some("0.00000000")),
    ("FUNCTION ANNUITY(0.05 99999999)", Some("0.05000000")),
    ("FUNCTION ANNUITY(0.05 20)", Some("0.08024258")),
    ("FUNCTION PRESENT-VALUE(0.05 HUGE B)", None),
    ("FUNCTION SIN(HUGE)", Some("0.89556440")),
    ("FUNCTION SQRT(F)", None),
    ("FUNCTION LOG(F)", Some("690.77552789")),
];

/// Processor time that all of them may take, in a build for tests on a slow machine.
const TIME_MAX: Duration = Duration::from_secs(10);

#[test]
fn a_number_too_large_is_a_size_error_and_nothing_takes_long() {
    let code: String = EXPRESSIONS.iter().map(|(expression, _)| {
        format!(
            "COMPUTE R = {expression}\n  ON SIZE ERROR DISPLAY 'SIZE'\n  NOT ON SIZE ERROR\n    MOVE R TO SHOWN\n    DISPLAY SHOWN\nEND-COMPUTE\n"
        )
    }).collect();
    let workshop = Workshop::new();
    let source = Source { name: "BOUNDS", storage: STORAGE, code: &(code + "GOBACK."), ..Source::default() };
    let host = workshop.host();
    let program = host.load(&workshop.compile_with(&source, PRODUCT)).expect("a program");
    let begin = Instant::now();
    let lines = lines_of(&host, &program);
    let others = EXPRESSIONS
        .iter()
        .zip(&lines)
        .filter(|((_, expected), line)| line.trim() != expected.unwrap_or("SIZE"));
    let others: Vec<_> = others.collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(lines.len(), EXPRESSIONS.len(), "{lines:?}");
    assert!(begin.elapsed() < TIME_MAX, "{:?}", begin.elapsed());
}

/// Without ON SIZE ERROR, in a condition, and within another function the task ends; the next one goes on.
#[test]
fn a_number_too_large_without_size_error_ends_its_task_alone() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let statements = [
        "COMPUTE R = B ** HUGE",
        "IF B ** HUGE > 1 DISPLAY 'NO' END-IF",
        "COMPUTE R = FUNCTION SQRT(B ** HUGE)\n  ON SIZE ERROR CONTINUE\nEND-COMPUTE",
        "COMPUTE R = FUNCTION SQRT(FUNCTION EXP(HUGE))\n  ON SIZE ERROR CONTINUE\nEND-COMPUTE",
        "MOVE FUNCTION FACTORIAL(50000000) TO R",
        "DISPLAY FUNCTION EXP10(HUGE)\nCOMPUTE R = FUNCTION EXP(HUGE)",
    ];
    for statement in statements {
        let code = format!("COMPUTE R = RATE ** 2 + 1\n{statement}\nGOBACK.");
        let source = Source { name: "TOOLARGE", storage: STORAGE, code: &code, ..Source::default() };
        let program = host.load(&workshop.compile_with(&source, PRODUCT)).expect("a program");
        for _ in 0..3 {
            let ended = support::run(&host, &program);
            assert!(ended.contains("Arithmetic"), "{statement}: {ended}");
        }
    }
    let code = "COMPUTE R = RATE ** 2 + 1\nMOVE R TO SHOWN\nDISPLAY SHOWN\nGOBACK.";
    let after = Source { name: "AFTER", storage: STORAGE, code, ..Source::default() };
    let after = host.load(&workshop.compile_with(&after, PRODUCT)).expect("a program");
    assert_eq!(lines_of(&host, &after), ["         2.10250000"]);
}
