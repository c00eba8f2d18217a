//! MOVE: what is done here leaves what the runtime's own would. A MOVE to two fields is the runtime's, whatever they are.

mod support;

use cobol::Step;
use support::{Source, Workshop};

/// Sources, each with its bytes.
const SOURCES: &[(&str, &str)] = &[
    ("X(4)", "41424344"),
    ("X(2)", "3132"),
    ("X(8)", "3132333420202020"),
    ("A(3)", "414243"),
    ("9(4)", "30343237"),
    ("9(18)", "393837363534333231303938373635343332"),
    ("9(2)V99", "30343237"),
    ("S9(3)", "31324D"),
    ("S9(4) COMP", "FFFB"),
    ("S9(4) COMP", "270F"),
    ("S9(8) COMP", "00007FFF"),
    ("9(8) COMP", "0000FFFF"),
    ("9(8) COMP", "FFFFFFFF"),
    ("S9(8) COMP", "00001006"),
    ("S9(8) COMP-5", "06100000"),
    ("S9(8) COMP-5", "FAFFFFFF"),
    ("S9(18) COMP-5", "0000C16FF2862300"),
    ("S9(18) COMP", "8000000000000000"),
    ("9(2)V9(2) COMP", "0457"),
    ("9(2)P(2) COMP", "0007"),
    ("S9(5) COMP-3", "12345D"),
    ("S9(5) COMP-3", "00042C"),
    ("S9(5) COMP-3", "12345B"),
    ("S9(5) COMP-3", "1A345C"),
    ("9(5) COMP-3", "12345F"),
    ("9(5) COMP-3", "12345D"),
    ("9(6) COMP-3", "9123456F"),
    ("S9(3)V99 COMP-3", "12345C"),
];

/// Targets, each with its length.
const TARGETS: &[(&str, usize)] = &[
    ("X(4)", 4),
    ("X(7)", 7),
    ("X(2)", 2),
    ("X(6) JUSTIFIED RIGHT", 6),
    ("A(3)", 3),
    ("9(1)", 1),
    ("9(4)", 4),
    ("9(18)", 18),
    ("9(4)V9", 5),
    ("S9(4)", 4),
    ("S9(4) SIGN LEADING SEPARATE", 5),
    ("S9(4) COMP", 2),
    ("9(4) COMP", 2),
    ("S9(8) COMP", 4),
    ("9(8) COMP-5", 4),
    ("S9(18) COMP-5", 8),
    ("9(3)V9 COMP", 2),
    ("S9(7) COMP-3", 4),
    ("9(4) COMP-3", 3),
    ("S9(15) COMP-3", 8),
    ("9(3) COMP-6", 2),
    ("Z(5)9", 6),
];

/// Each source to each target, alone and to two at once; what differs is displayed.
fn program() -> (String, String) {
    let mut storage = String::from("01 WS-ONE PIC S9(4) COMP-5 VALUE 1.\n");
    let mut code = String::new();
    for (at, (picture, bytes)) in SOURCES.iter().enumerate() {
        let length = bytes.len() / 2;
        storage += &format!("01 S{at}.\n   05 S{at}-BYTES PIC X({length})\n     VALUE X'{bytes}'.\n");
        storage +=
            &format!("   05 FILLER REDEFINES S{at}-BYTES.\n     10 S{at}-F OCCURS 1\n     PIC {picture}.\n");
    }
    for (at, (picture, length)) in TARGETS.iter().enumerate() {
        for copy in ["A", "B", "C"] {
            storage += &format!("01 {copy}{at}.\n   05 {copy}{at}-BYTES PIC X({length}).\n");
            storage += &format!("   05 FILLER REDEFINES {copy}{at}-BYTES.\n");
            storage += &format!("     10 {copy}{at}-F OCCURS 1\n     PIC {picture}.\n");
        }
    }
    for (source, (from, _)) in SOURCES.iter().enumerate() {
        for (target, (to, _)) in TARGETS.iter().enumerate() {
            // The compiler refuses some between letters and numbers, and does others itself.
            let text = |picture: &str| picture.starts_with(['X', 'A']);
            if text(from) != text(to) && (from.starts_with('A') || to.starts_with('A') || to.contains("JUST"))
            {
                continue;
            }
            code += &format!("MOVE ALL '*' TO A{target} B{target} C{target}\n");
            code += &format!("MOVE S{source}-F(WS-ONE)\n  TO A{target}-F(WS-ONE)\n");
            code += &format!("MOVE S{source}-F(WS-ONE)\n  TO B{target}-F(WS-ONE) C{target}-F(WS-ONE)\n");
            code += &format!("IF A{target} NOT = B{target}\n  DISPLAY '{source} {target}'\nEND-IF\n");
        }
    }
    (storage, code + "GOBACK.")
}

/// What a displayed line says.
fn told(line: &str) -> String {
    let place = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok()).expect("a place");
    let mut places = line.split(' ');
    let (from, to) = (SOURCES[place(places.next())], TARGETS[place(places.next())].0);
    format!("{} with {} to {to}", from.0, from.1)
}

#[test]
fn a_move_leaves_what_the_runtime_leaves() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let (storage, code) = program();
    for options in [&[][..], &["-fbinary-truncate"]] {
        let source = Source { name: "MOVES", storage: &storage, code: &code, ..Source::default() };
        let program = host.load(&workshop.compile_with(&source, options)).expect("a program");
        let mut run = host.task().start(&program, 0, 0).expect("a stack");
        let mut different = Vec::new();
        let end = loop {
            match run.resume(0) {
                Step::Display(line) => different.push(told(&line)),
                end => break format!("{end:?}"),
            }
        };
        assert_eq!((different, end.as_str()), (Vec::<String>::new(), "Returned(0)"), "{options:?}");
    }
}

/// Numbers that a calculation begins with: picture, bytes, value.
const NUMBERS: &[(&str, &str, i32)] = &[
    ("9(4)", "30343237", 427),
    ("S9(3)", "31324D", -124),
    ("9(3)V9", "34323735", 427),
    ("S9(4) COMP", "FFFB", -5),
    ("9(4) COMP", "0457", 1111),
    ("S9(8) COMP-5", "06100000", 4102),
    ("S9(5) COMP-3", "00042D", -42),
    ("9(5) COMP-3", "00042F", 42),
    ("S9(15) COMP-3", "000000000000000C", 0),
];

/// Where the result goes, and whether it may be negative.
const RESULTS: &[(&str, bool)] = &[
    ("9(4)", false),
    ("S9(5)", true),
    ("S9(4) COMP", true),
    ("9(4) COMP", false),
    ("S9(8) COMP-5", true),
    ("S9(7) COMP-3", true),
    ("9(4) COMP-3", false),
];

/// Whatever the numbers are kept as, calculated is the same; too much for the result is a size error.
#[test]
fn a_calculation_gives_the_number_whatever_it_is_kept_as() {
    let (mut storage, mut code) = (String::new(), String::new());
    for (at, (picture, bytes, _)) in NUMBERS.iter().enumerate() {
        storage += &format!("01 N{at}-BYTES PIC X({})\n  VALUE X'{bytes}'.\n", bytes.len() / 2);
        storage += &format!("01 N{at} REDEFINES N{at}-BYTES\n  PIC {picture}.\n");
    }
    for (at, (picture, _)) in RESULTS.iter().enumerate() {
        storage += &format!("01 R{at} PIC {picture}.\n");
    }
    for (from, (_, _, value)) in NUMBERS.iter().enumerate() {
        for (to, (_, signed)) in RESULTS.iter().enumerate() {
            let expected = if *signed { *value } else { value.abs() };
            code += &format!("COMPUTE R{to} = N{from} * 3 / 3\n");
            code += &format!("IF R{to} NOT = {expected}\n  DISPLAY '{from} {to}'\nEND-IF\n");
            code += &format!("COMPUTE R{to} = (N{from} + 1) * 1000000000000\n");
            code += &format!("  ON SIZE ERROR CONTINUE\n  NOT ON SIZE ERROR DISPLAY '{from} {to} +'\n");
            code += &format!("END-COMPUTE\nIF R{to} NOT = {expected}\n  DISPLAY '{from} {to} -'\nEND-IF\n");
        }
    }
    code += "GOBACK.";
    let workshop = Workshop::new();
    let host = workshop.host();
    let source = Source { name: "NUMBERS", storage: &storage, code: &code, ..Source::default() };
    let program = workshop.load(&host, &source);
    let mut run = host.task().start(&program, 0, 0).expect("a stack");
    let step = run.resume(0);
    assert!(matches!(step, Step::Returned(0)), "{step:?}");
}
