//! Programs run by the interpreter and as machine code: what they show, all their storage, and how they end are the same.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_run::{Activation, Answer, Call, Host, Machine, ProgramFault, RESERVED, Task};
use native::Loaded;
use support::flows::Flow;
use support::generator::Generated;
use support::{KeptHost, Ran, lowered, program, run_program};

const STORAGE: usize = 1 << 20;
/// Programs of one source.
const FLOWS: usize = 50;

/// Runs a program as machine code.
fn run_supplied(program: &Program, mut host: KeptHost) -> Ran {
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(program).unwrap_or_else(|error| panic!("{error}"));
    let mut task = Task::new(STORAGE);
    let activation = task.enter(program, &[]).expect("there is room");
    let working = activation.working;
    let mut machine = Machine::new(program, &mut task, activation);
    let left = loaded.run(&mut machine, &mut host, &AtomicU32::new(0));
    Ran { left, host, working: task.bytes(working, program.working.len()).to_vec() }
}

/// The same of a program that ends in order.
#[track_caller]
fn same_to_the_end(text: &str) {
    let ran = same(text);
    assert!(ran.left.is_ok(), "{:?}", ran.left);
    assert!(!ran.host.shown.is_empty(), "it shows nothing");
}

#[track_caller]
fn same(text: &str) -> Ran {
    let programs = lowered(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let (expected, found) =
        (run_program(&programs[0], KeptHost::default()), run_supplied(&programs[0], KeptHost::default()));
    assert_eq!(found.left, expected.left, "{text}");
    assert_eq!(found.host.shown, expected.host.shown, "{text}");
    assert_eq!(found.host.calls, expected.host.calls, "{text}");
    assert!(found.working == expected.working, "storage differs\n{text}");
    expected
}

#[test]
fn generated_statements() {
    same_statements(Generated::new);
}

#[test]
fn generated_statements_on_characters() {
    same_statements(support::characters::generated);
}

/// Parts that vary in place and length, long items, numbers of many digits.
#[test]
fn generated_statements_on_places() {
    same_statements(support::places::generated);
}

/// The interpreter says which fault a program has where code has only tried: a place, a length or a number of its own, or the
/// other operand's.
#[test]
fn faults_of_places_that_vary() {
    let data = "01 A PIC X(20) VALUE 'ABCDEFGHIJ'.\n01 B PIC X(300) VALUE SPACES.\n01 K PIC S9(9) COMP VALUE 5.\n01 L PIC S9(15) COMP-3 VALUE 3.\n\
                01 P PIC S9(3) COMP-3 VALUE 1.\n01 X REDEFINES P PIC X(2).\n01 N PIC S9(18) COMP VALUE 0.\n01 Z PIC 9(5) VALUE 0.\nLINKAGE SECTION.\n01 Q PIC X(400).\n01 DFHCOMMAREA PIC X(30).";
    let wrong = [
        "MOVE -4 TO K",
        "MOVE 99999999 TO K",
        "MOVE 123456789012345 TO L",
        "MOVE -1 TO L",
        "MOVE SPACES TO X",
        "MOVE 0 TO K L",
    ];
    let uses = [
        "MOVE A(K:L) TO B(P:)",
        "MOVE A(P:2) TO B(K:L)",
        "MOVE SPACES TO B(K:L)",
        "IF A(K:L) = B(P:P) DISPLAY 'Y' END-IF",
        "IF A(1:L) NUMERIC DISPLAY 'Y' END-IF",
        "MOVE Q(K:L) TO A",
        "MOVE A(1:P) TO Q(K:L)",
        "MOVE DFHCOMMAREA(K:L) TO A",
        "IF DFHCOMMAREA(1:L) = LOW-VALUES DISPLAY 'Y' END-IF",
        "MOVE Q TO B",
        "STRING A(K:L) DELIMITED BY SIZE 'x' DELIMITED BY SIZE INTO B",
        "COMPUTE N = L / Z",
        "COMPUTE N = FUNCTION MOD(L 3) * K * K * K",
        "COMPUTE Z = FUNCTION MAX(K P L) / K",
        "IF L / K > P DISPLAY 'Y' END-IF",
    ];
    for wrong in wrong {
        for used in uses {
            same(&program(data, &format!("{wrong}\n{used}\nDISPLAY A B N Z.")));
        }
    }
}

fn same_statements(generate: fn(u64, usize) -> Generated) {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    for seed in 1..=seeds {
        let generated = generate(seed, 100);
        let text = generated.text();
        let programs = lowered(&text).unwrap_or_else(|message| panic!("{message}\n{text}"));
        let (expected, found) =
            (run_program(&programs[0], KeptHost::default()), run_supplied(&programs[0], KeptHost::default()));
        assert_eq!(found.left, expected.left, "seed {seed}");
        let line = generated.length() + 1;
        let bytes = |ran: &Ran| ran.host.shown.chars().map(|c| c as u8).collect::<Vec<u8>>();
        let (expected, found) = (bytes(&expected), bytes(&found));
        for (at, statement) in generated.statements.iter().enumerate() {
            let range = at * line..(at + 1) * line;
            let (found, expected) = (&found[range.clone()], &expected[range]);
            let operands = generated.operands(statement);
            let differing: Vec<String> = generated
                .differing(found, expected)
                .iter()
                .map(|(item, found, expected)| {
                    format!("{}: {} | {}", item.name, found.escape_ascii(), expected.escape_ascii())
                })
                .collect();
            assert!(found == expected, "seed {seed}: {statement}\n{operands}\n{}", differing.join("\n"));
        }
    }
}

/// Whole programs whose paragraphs go everywhere, in one source that CALLs them. `PROGRAMS=n` takes other numbers of them.
#[test]
fn generated_programs() {
    let count = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(100);
    let compiler = Compiler::new().expect("this machine has a compiler");
    for first in (1..=count).step_by(FLOWS) {
        let flows: Vec<Flow> = (first..=count).take(FLOWS).map(Flow::new).collect();
        let programs = lowered(&support::flows::around(&flows)).unwrap_or_else(|message| panic!("{message}"));
        let expected = support::shown_by(&programs, &|at, task, activation, host| {
            support::interpreted(&programs[at], task, activation, host)
        });
        let loaded: Vec<Loaded<&Program>> = programs
            .iter()
            .map(|program| compiler.load(program).unwrap_or_else(|error| panic!("{error}")))
            .collect();
        let flag = AtomicU32::new(0);
        let found = support::shown_by(&programs, &|at, task, activation, host| {
            let mut machine = Machine::new(&programs[at], task, activation);
            let left = loaded[at].run(&mut machine, host, &flag);
            (left, machine.into_activation())
        });
        assert!(found.as_ref().is_ok_and(|shown| shown.len() > flows.len()), "nothing is shown");
        assert_eq!(found, expected, "of the programs from {first} on");
    }
}

#[test]
fn control() {
    let data = "01 I PIC 9(3) COMP VALUE 0.\n01 K PIC 99 VALUE 0.\n01 T.\n 05 R PIC S9(3)V9 COMP-3 OCCURS 20 VALUE 1.5.\n01 S PIC S9(7)V99 VALUE 0.";
    same(&program(
        data,
        "PERFORM A THRU B 3 TIMES.\nPERFORM VARYING I FROM 1 BY 1 UNTIL I > 20 AFTER K FROM 1 BY 3 UNTIL K > 9\nADD R(I) TO S IF S > 100 AND K = 4 MOVE S TO R(K) END-IF END-PERFORM.\nDISPLAY S K. GO TO C.\nA. ADD 1 TO K.\nB. DISPLAY K.\nC. EVALUATE K WHEN 1 THRU 5 DISPLAY 'L' WHEN OTHER DISPLAY 'H' END-EVALUATE.\nGO TO A B D DEPENDING ON I. GO TO E.\nD. DISPLAY 'D'.\nE. DISPLAY 'E'.",
    ));
    same(&program(data, "CALL 'SUB' USING T BY CONTENT K.\nEXEC CICS RETURN END-EXEC.\nDISPLAY 'ON'."));
}

#[test]
fn searches_and_entries() {
    let data =
        "01 T.\n 05 R OCCURS 9 ASCENDING KEY K INDEXED BY I.\n  10 K PIC 99.\n01 V PIC 99 COMP VALUE 0.";
    same(&program(
        data,
        "MOVE '010305070911131517' TO T\nPERFORM VARYING V FROM 0 BY 1 UNTIL V > 18 SET I TO 3\n\
         SEARCH R AT END DISPLAY V ' E' WHEN K(I) = V DISPLAY V ' F' K(I) END-SEARCH\n\
         SEARCH ALL R AT END DISPLAY V ' E' WHEN K(I) = V DISPLAY V ' F' K(I) END-SEARCH END-PERFORM.\n\
         ENTRY 'E'. DISPLAY 'ENTRY'.",
    ));
    same(&program(data, "SET I TO 1\nSEARCH R VARYING V WHEN V = 3 GO TO P END-SEARCH.\nP. DISPLAY V T."));
}

#[test]
fn an_entry_of_code() {
    let programs =
        lowered(&program("01 A PIC X VALUE 'A'.", "DISPLAY 'MAIN'. GOBACK. ENTRY 'E'. DISPLAY A."));
    let programs = programs.expect("it is in order");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(&programs[0]).unwrap_or_else(|error| panic!("{error}"));
    for (entry, expected) in [(None, "MAIN\n"), (Some(0), "A\n")] {
        let mut task = Task::new(STORAGE);
        let activation = task.enter(&programs[0], &[]).expect("there is room");
        let mut machine = Machine::new(&programs[0], &mut task, activation);
        if let Some(entry) = entry {
            machine = machine.at_entry(entry, &[]);
        }
        let mut host = KeptHost::default();
        loaded.run(&mut machine, &mut host, &AtomicU32::new(0)).expect("it ends in order");
        assert_eq!(host.shown, expected);
    }
}

#[test]
fn floating_point_and_powers() {
    let data = "01 S COMP-1 VALUE 1.5.\n01 L COMP-2 VALUE -2.25.\n01 P PIC S9(3)V99 COMP-3 VALUE 2.5.\n01 N PIC S9(4) COMP VALUE 3.\n\
                01 R PIC S9(9)V9(6).\n01 F PIC X.";
    same(&program(
        data,
        "COMPUTE R = S * N + L DISPLAY R S L COMPUTE L = P / N DISPLAY L ADD S TO P N L DISPLAY P N L\n\
         COMPUTE R = P ** N - N ** 2 DISPLAY R IF S > 1 AND L < N DISPLAY 'Y' END-IF\n\
         COMPUTE P = S * 1000 ON SIZE ERROR MOVE 'E' TO F NOT ON SIZE ERROR MOVE 'N' TO F END-COMPUTE DISPLAY F P.",
    ));
    same(&program(data, "COMPUTE R = N ** 500."));
    same_to_the_end(&program(
        data,
        "COMPUTE R = (1 + P) ** N * (P * P) ** 2 DISPLAY R COMPUTE R = P ** 9 DISPLAY R COMPUTE R = P ** -9 + 2 ** (N / 2) DISPLAY R.",
    ));
}

/// Bytes that are numbers of one form or another, and bytes that are none.
const BYTES: [&str; 20] = [
    "'12345'",
    "'1234}'",
    "'1234A'",
    "'1234{'",
    "' 1234'",
    "'12 45'",
    "'1234 '",
    "'12/45'",
    "'12:45'",
    "'+1234'",
    "'-1234'",
    "'1234+'",
    "'1234-'",
    "'00000'",
    "X'0102030405'",
    "X'12345C3030'",
    "X'12345D3030'",
    "X'12345F3030'",
    "X'12345B3030'",
    "X'1234AC3030'",
];

#[test]
fn classes() {
    let data = "01 X PIC X(5).\n01 Z REDEFINES X PIC 9(5).\n01 S REDEFINES X PIC S9(5).\n01 P REDEFINES X PIC S9(5) COMP-3.\n\
                01 U REDEFINES X PIC 9(5) COMP-3.\n01 L REDEFINES X PIC S9(4) SIGN LEADING SEPARATE.\n01 T REDEFINES X PIC S9(4) SIGN TRAILING SEPARATE.\n\
                01 W PIC X(27) VALUE ALL '123456789'.";
    let tests: String = ["X", "Z", "S", "P", "U", "L", "T"]
        .map(|name| format!("IF {name} NUMERIC DISPLAY '{name}' END-IF\n"))
        .concat();
    let all: String = BYTES.iter().map(|bytes| format!("MOVE {bytes} TO X\n{tests}")).collect();
    let wide: String = (1..=27)
        .map(|at| format!("MOVE '/' TO W({at}:1) IF W NUMERIC DISPLAY 'W' END-IF MOVE '9' TO W({at}:1)\nIF W NUMERIC DISPLAY 'V' END-IF\n"))
        .collect();
    same_to_the_end(&program(data, &format!("{all}{wide}GOBACK.")));
}

/// Items of one form are moved and compared as they lie, whatever lies there; characters become numbers.
#[test]
fn digits_as_they_lie() {
    let data = "01 X PIC X(5).\n01 A REDEFINES X PIC 9(5).\n01 Y PIC X(5).\n01 B REDEFINES Y PIC 9(5).\n01 C PIC 9(5).\n\
                01 V PIC X(11).\n01 D REDEFINES V PIC 9(11).\n01 W PIC X(11).\n01 E REDEFINES W PIC 9(11).\n01 F PIC 9(11).\n\
                01 P PIC S9(7)V99 COMP-3.\n01 K PIC S9(4) COMP.\n01 Z PIC ZZZ,ZZ9.99.\n01 O PIC 9(3).";
    let relations = ["=", "NOT =", "<", ">", ">=", "<="];
    let tests: String = [("A", "B"), ("D", "E"), ("B", "C")]
        .iter()
        .flat_map(|(one, other)| {
            relations.map(|own| format!("IF {one} {own} {other} DISPLAY '{one} {own}' END-IF\n"))
        })
        .collect();
    let turns: String = BYTES
        .iter()
        .flat_map(|one| {
            BYTES.map(|other| {
                format!("MOVE {one} TO X MOVE {other} TO Y MOVE ALL {one} TO V MOVE ALL {other} TO W PERFORM TESTS\n")
            })
        })
        .collect();
    let moves = "MOVE A TO C DISPLAY C MOVE E TO F DISPLAY F MOVE X TO P K Z O C DISPLAY P K Z O C MOVE Y TO O MOVE V TO P F DISPLAY O P F\n";
    same_to_the_end(&program(data, &format!("{turns}GOBACK.\nTESTS.\n{moves}{tests}.")));
}

/// Bytes that are no number are a fault in both ways, and a number is the same.
#[test]
fn signs_of_their_own() {
    for bytes in BYTES {
        for name in ["L", "T"] {
            let data = "01 X PIC X(5).\n01 L REDEFINES X PIC S9(4) SIGN LEADING SEPARATE.\n01 T REDEFINES X PIC S9(4) SIGN TRAILING SEPARATE.\n\
                        01 P PIC S9(7)V99 COMP-3 VALUE 7.";
            same(&program(
                data,
                &format!(
                    "MOVE {bytes} TO X ADD {name} TO P SUBTRACT P FROM {name} DISPLAY X ADD 4 TO {name} DISPLAY X P."
                ),
            ));
        }
    }
}

#[test]
fn comparisons_of_unequal_lengths() {
    let data = "01 A PIC X(3).\n01 B PIC X(11).\n01 C PIC X(20).\n01 D PIC X(20).";
    let values =
        ["'ABC'", "'AB'", "'ABD'", "SPACES", "LOW-VALUES", "HIGH-VALUES", "'ABC     X'", "'ABC        X'"];
    let tests: String = [
        ("A", "B"),
        ("B", "A"),
        ("B", "C"),
        ("C", "D"),
        ("A", "D"),
        ("C", "'ABC'"),
        ("A", "'ABC      '"),
        ("D", "SPACES"),
    ]
    .iter()
    .flat_map(|(left, right)| {
        ["=", "NOT =", "<", ">", ">=", "<="]
            .map(|own| format!("IF {left} {own} {right} DISPLAY '{left} {own}' END-IF\n"))
    })
    .collect();
    let turns: String = values
        .iter()
        .flat_map(|one| values.map(|other| format!("MOVE {one} TO A C MOVE {other} TO B D PERFORM TESTS\n")))
        .collect();
    same_to_the_end(&program(data, &format!("{turns}GOBACK.\nTESTS.\n{tests}.")));
}

/// Pictures of all kinds, with numbers that begin with any number of zeros, and with more digits than they have.
#[test]
fn edited_numbers() {
    let pictures = [
        "ZZZ,ZZZ,ZZ9.99-",
        "-(7)9.99",
        "$$$,$$9.99CR",
        "+++,++9",
        "***,**9.99",
        "**,***.**",
        "99/99/9999",
        "9B9B9",
        "Z(4)",
        "ZZZ.ZZ",
        "$ZZ9DB",
        "-9(12).9(4)",
        "Z(13)9.99",
        "+9(3)",
        "9(5)",
        "ZZZ,ZZZ,ZZZ,ZZZ,ZZ9.99-",
        "9(15).99-",
    ];
    let numbers = [
        ("P", "S9(7)V99 COMP-3"),
        ("W", "S9(11)V9(4) COMP-3"),
        ("U", "9(6) COMP-3"),
        ("Z", "S9(7)V99"),
        ("B", "S9(8) COMP"),
        ("N", "9(9)"),
    ];
    let mut data: String = numbers.iter().map(|(name, text)| format!("01 {name} PIC {text}.\n")).collect();
    let mut edits = String::new();
    for (at, picture) in pictures.iter().enumerate() {
        data.push_str(&format!("01 E{at} PIC {picture}.\n01 F{at} PIC {picture} BLANK WHEN ZERO.\n"));
        // Asterisks and BLANK WHEN ZERO exclude each other.
        for to in if picture.contains('*') {
            vec![format!("E{at}")]
        } else {
            vec![format!("E{at}"), format!("F{at}")]
        } {
            for (name, _) in numbers {
                edits.push_str(&format!("MOVE {name} TO {to} DISPLAY '{name} ' {to}\n"));
            }
            edits.push_str(&format!(
                "COMPUTE {to} ROUNDED = P * 10 DISPLAY {to} ADD W 0 GIVING {to} ROUNDED ON SIZE ERROR DISPLAY 'E' END-ADD DISPLAY {to}\n"
            ));
        }
    }
    data = data
        .replace("01 F4 PIC ***,**9.99 BLANK WHEN ZERO.\n", "")
        .replace("01 F5 PIC **,***.** BLANK WHEN ZERO.\n", "");
    let turns: String = [
        "0",
        "0.01",
        "-0.01",
        "1",
        "-1",
        "10.5",
        "-123.45",
        "1234.56",
        "-99999.99",
        "1000000",
        "1234567.89",
        "-7654321.05",
    ]
    .iter()
    .map(|value| format!("MOVE {value} TO P W U Z B N PERFORM EDITS\n"))
    .collect();
    same_to_the_end(&program(
        &data,
        &format!("{turns}MOVE -12345678901.2345 TO W PERFORM EDITS\nGOBACK.\nEDITS.\n{edits}."),
    ));
}

/// Sums and differences of packed numbers with all signs, with carries through all digits, and with high digits that are lost.
#[test]
fn packed_sums() {
    let pictures =
        ["S9(7)V99", "S9(7)V99", "S9(9)V99", "9(4)", "S9(11)V9(2)", "S9(3)V9(4)", "S9(13)", "S9(2)"];
    let mut data: String = pictures
        .iter()
        .enumerate()
        .map(|(at, picture)| format!("01 P{at} PIC {picture} COMP-3.\n"))
        .collect();
    data.push_str("01 K PIC S9(3)V99 COMP-3.\n");
    let values = ["0", "0.01", "-0.01", "1", "-1", "99.99", "-99.99", "1234.56", "-9999999.99", "9999999.99"];
    let mut text = String::new();
    for one in 0..pictures.len() {
        for other in 0..pictures.len() {
            text.push_str(&format!(
                "ADD P{one} P{other} GIVING P0 K P3 SUBTRACT P{one} FROM P{other} GIVING P4 P6 DISPLAY P0 K P3 P4 P6\n\
                 PERFORM FILL ADD P{one} TO P{other} DISPLAY P{other} SUBTRACT 1.5 FROM P{other} ADD -99 TO P{other} DISPLAY P{other} PERFORM FILL\n"
            ));
        }
    }
    data.push_str("01 A PIC S9(7)V99.\n01 B PIC S9(7)V99.\n");
    let fills: String = (0..pictures.len())
        .map(|at| format!("MOVE {} TO P{at}\n", if at % 2 == 0 { "A" } else { "B" }))
        .collect();
    let turns: String = values
        .iter()
        .flat_map(|one| {
            values.map(|other| format!("MOVE {one} TO A MOVE {other} TO B PERFORM FILL PERFORM SUMS\n"))
        })
        .collect();
    same_to_the_end(&program(&data, &format!("{turns}GOBACK.\nFILL.\n{fills}.\nSUMS.\n{text}.")));
}

#[test]
fn edited_characters() {
    let data = "01 A PIC X(6) VALUE 'ABCDEF'.\n01 D PIC 9(8) VALUE 31122026.\n01 E PIC XX/XX/XXXX.\n01 F PIC XBX0XBBX(4).\n01 G PIC X(20)/X(9).\n\
                01 V REDEFINES E PIC X(10).";
    same_to_the_end(&program(
        data,
        "MOVE A TO E F G DISPLAY E F G MOVE D TO E F G DISPLAY E F G MOVE 'LITERAL' TO E F G DISPLAY E F G\n\
         MOVE SPACES TO E F DISPLAY E F MOVE V(1:5) TO E DISPLAY E MOVE '0123456789' TO V MOVE V TO E DISPLAY E MOVE ALL 'xy' TO F DISPLAY F.",
    ));
}

#[test]
fn strings_of_pieces() {
    let data = "01 A PIC X(6) VALUE 'AB CD'.\n01 B PIC X(12) VALUE 'one,two'.\n01 C PIC X(12) VALUE ALL '.'.\n01 N PIC 99 COMP VALUE 3.\n01 K PIC 9 VALUE 4.";
    same_to_the_end(&program(
        data,
        "STRING A DELIMITED SPACE B DELIMITED ',' '!' DELIMITED SIZE INTO C DISPLAY C\n\
         STRING B DELIMITED 'tw' C DELIMITED SIZE INTO C ON OVERFLOW DISPLAY 'O' END-STRING DISPLAY C\n\
         STRING C(2:) DELIMITED SIZE A DELIMITED B(1:1) INTO C WITH POINTER N ON OVERFLOW DISPLAY 'O' END-STRING DISPLAY C N\n\
         STRING SPACE QUOTE DELIMITED SIZE FUNCTION TRIM(A) DELIMITED SIZE K DELIMITED SIZE INTO C DISPLAY C\n\
         MOVE 13 TO N STRING A DELIMITED SIZE INTO C WITH POINTER N ON OVERFLOW DISPLAY 'O' END-STRING DISPLAY C N\n\
         MOVE 1 TO N STRING B(1:K) DELIMITED SIZE A(K:1) DELIMITED SIZE INTO B WITH POINTER N DISPLAY B N.",
    ));
}

#[test]
fn abends() {
    let data = "01 P PIC S9(3) COMP-3 VALUE 1.\n01 X REDEFINES P PIC X(2).\n01 K PIC S9(9) COMP VALUE 99999999.\n01 Z PIC 9 VALUE 0.\n\
                01 T.\n 05 C PIC X OCCURS 10.\n01 N PIC S9(5) VALUE 1.\n01 NX REDEFINES N PIC X(5).\nLINKAGE SECTION.\n01 L PIC X(10).";
    same(&program(data, "MOVE SPACES TO X.\nADD 1 TO P."));
    same(&program(data, "MOVE LOW-VALUES TO NX.\nIF N > 1 DISPLAY 'X'."));
    same(&program(data, "MOVE 'A' TO C(K)."));
    same(&program(data, "COMPUTE K = -K\nMOVE 'A' TO C(K)."));
    same(&program(data, "COMPUTE N = N / Z."));
    same(&program(data, "MOVE L TO X."));
    same(&program(data, "CALL 'NOWHERE'."));
}

#[test]
fn characters_and_functions() {
    let data = "01 D PIC X(21).\n01 Y PIC 9(4).\n01 A PIC X(10) VALUE ' ab ,cd '.\n01 N PIC 9(3) VALUE 0.\n01 B PIC X(4) VALUE '1x'.";
    same(&program(
        data,
        "MOVE FUNCTION CURRENT-DATE TO D MOVE FUNCTION CURRENT-DATE(1:4) TO Y DISPLAY D Y\n\
         DISPLAY FUNCTION TRIM(A) '|' FUNCTION UPPER-CASE(A)(2:2)\n\
         INSPECT A TALLYING N FOR ALL ' ' REPLACING ALL ',' BY ';' CONVERTING 'ab' TO 'AB' DISPLAY A N\n\
         UNSTRING A DELIMITED BY ';' INTO B D TALLYING N DISPLAY B D N\n\
         IF FUNCTION TRIM(B) IS NUMERIC DISPLAY 'N' ELSE DISPLAY 'X' END-IF.",
    ));
    same(&program(data, "MOVE FUNCTION UPPER-CASE(A)(9:5) TO B."));
    same(&program(data, "COMPUTE N = FUNCTION NUMVAL(B)."));
    same(&program(data, "MOVE 20261301 TO D\nCOMPUTE N = FUNCTION MOD(5, N)."));
    same(&program(data, "MOVE 3 TO N\nINSPECT A REPLACING ALL B(1:N) BY 'AB'."));
}

/// The examples of all functions.
#[test]
fn functions_of_the_records() {
    let data = "01 X PIC X(5) VALUE 'HELLO'.\n01 Z PIC N(5) VALUE N'HELLO'.";
    let all: String =
        cobol_syntax::functions().iter().map(|record| format!("DISPLAY {}\n", record.example)).collect();
    same_to_the_end(&program(data, &format!("{all}GOBACK.")));
}

/// The examples of all statements.
#[test]
fn statements_of_the_records() {
    for record in cobol_syntax::statements() {
        let Some(example) = record.example.filter(|_| record.state != cobol_syntax::StatementState::Refused)
        else {
            continue;
        };
        same(&support::examples::source(record, example));
    }
}

/// ALLOCATE, JSON PARSE, phrases of GENERATE, national characters, functions of Unicode, EXHIBIT CHANGED.
#[test]
fn newer_and_older_statements() {
    let data = "01 T PIC X(90) VALUE '{\"g\":{\"A\":\"x\",\"P\":-2.5,\"E\":[1,2,3]}}'.\n01 G.\n 05 A PIC X(4).\n 05 P PIC S9(3)V9 COMP-3 VALUE 0.\n 05 E PIC 9 OCCURS 2 VALUE 0.\n\
                01 M PIC N(8) VALUE N'one,two'.\n01 N PIC N(4).\n01 D PIC 9(3) VALUE 0.\n01 Q POINTER.\n01 X PIC X(99).\nLINKAGE SECTION.\n01 L.\n 05 L1 PIC X(3) VALUE 'abc'.\n 05 L2 PIC 9(3) OCCURS 5 VALUE 7.";
    same(&program(
        data,
        "JSON PARSE T INTO G WITH DETAIL ON EXCEPTION DISPLAY 'NO' END-JSON DISPLAY A P E(1) E(2) JSON-CODE JSON-STATUS\n\
         XML GENERATE X FROM G COUNT D WITH ATTRIBUTES NAMESPACE 'u' NAMESPACE-PREFIX 'p' SUPPRESS E WHEN ZERO DISPLAY X(1:D)\n\
         MOVE 1 TO D STRING M DELIMITED BY N',' N'!' DELIMITED BY SIZE INTO N POINTER D DISPLAY N D\n\
         UNSTRING M DELIMITED BY ',' INTO N COUNT D DISPLAY N D\n\
         INSPECT M TALLYING D FOR ALL 'o' REPLACING ALL N'o' BY N'0' CONVERTING N'e' TO N'E' DISPLAY M D\n\
         COMPUTE D = FUNCTION ULENGTH(M) + FUNCTION UPOS(T 5) DISPLAY D.\n\
         PERFORM W 2 TIMES.\nALLOCATE L INITIALIZED RETURNING Q.\nDISPLAY L1 L2(5).\nGOBACK.\nW. EXHIBIT CHANGED NAMED D A.\nADD 1 TO D.",
    ));
    same(&program(data, "DISPLAY FUNCTION USUBSTR(T 95 2)."));
}

/// Items of UTF-8; numbers and edited items of USAGE NATIONAL.
#[test]
fn parts_beyond_an_item() {
    let data = "01 A PIC X VALUE 'a'.\n01 B PIC X(4) VALUE 'bcde'.\nLINKAGE SECTION.\n01 L PIC X.";
    same_to_the_end(&program(
        data,
        "MOVE 'X' TO A(10:1) DISPLAY B A(9:3) SET ADDRESS OF L TO ADDRESS OF B DISPLAY L(2:3).",
    ));
    for far in ["DISPLAY A(9999999:1)", "MOVE A TO A(1:9999999)", "MOVE 'x' TO L(70000000:1)"] {
        same(&program(data, &format!("{far}.")));
    }
}

/// Items of DYNAMIC LENGTH; a length that the program has overwritten leads nowhere outside its storage.
#[test]
fn dynamic_lengths() {
    let data = "01 D PIC X DYNAMIC LENGTH LIMIT IS 10.\n01 V PIC X DYNAMIC VALUE 'value'.\n77 E PIC X DYNAMIC LIMIT 6.\n01 B PIC X(8).\n\
                01 S PIC S9(4) COMP VALUE 4.\n01 P PIC 99 VALUE 3.";
    same_to_the_end(&program(
        data,
        "MOVE 'abcdefghijklm' TO D DISPLAY D LENGTH OF D MOVE D(3:4) TO D E DISPLAY D E MOVE V TO B E DISPLAY B E.\n\
         SET LENGTH OF V TO S DISPLAY V MOVE 'XY' TO V(2:2) DISPLAY V FUNCTION LENGTH(V) INITIALIZE V DISPLAY '<' V '>'.\n\
         STRING B D DELIMITED BY SIZE INTO E POINTER P ON OVERFLOW DISPLAY 'O' END-STRING DISPLAY E P.\n\
         IF E = 'cd' DISPLAY 'Y' ELSE DISPLAY 'N' END-IF MOVE '' TO D E MOVE D TO E DISPLAY '<' E '>'.",
    ));
    for bad in ["X'7FFFFFFF'", "X'FFFFFFFF'", "X'00100000'"] {
        for use_of in ["DISPLAY D", "MOVE D TO B", "MOVE D TO E", "MOVE D(5:) TO V", "IF D = B DISPLAY 'Y'"] {
            same(&program(data, &format!("MOVE {bad} TO D(17:4) {use_of}.")));
        }
    }
}

#[test]
fn unicode() {
    let data = "01 U PIC U(6) VALUE U'Caf\\u00e9'.\n01 B PIC U BYTE-LENGTH 7.\n01 V PIC U(2).\n01 N PIC N(6).\n01 M PIC 9(4) NATIONAL VALUE 42.\n\
                01 S PIC S9(3)V99 NATIONAL SIGN LEADING SEPARATE VALUE -1.5.\n01 E PIC ZZ9.99- NATIONAL.\n01 X PIC X(8).\n01 XM REDEFINES X PIC 9(4) NATIONAL.\n\
                01 P PIC S9(5)V99 COMP-3.\n01 D PIC 9(3).\n01 T PIC X(90).";
    same_to_the_end(&program(
        data,
        "MOVE U TO B N DISPLAY U B N IF U = N AND U = B AND U > 'Caf' AND U(4:1) = UX'C3A9' DISPLAY 'EQUAL'\n\
         MOVE U'\\u20ac' TO U(2:2) DISPLAY FUNCTION HEX-OF(U) FUNCTION UPPER-CASE(U) MOVE ALL U'\\u00e9' TO B V INITIALIZE V\n\
         MOVE 1 TO D STRING U DELIMITED BY 'f' '!' DELIMITED BY SIZE INTO V POINTER D ON OVERFLOW DISPLAY 'FULL' END-STRING DISPLAY D\n\
         UNSTRING U DELIMITED BY UX'E282AC' INTO B V COUNT IN D DISPLAY B V D\n\
         ADD 1 TO M COMPUTE S = M / 8 MOVE S TO E P DISPLAY M S E P MOVE E TO P DISPLAY P\n\
         IF M NUMERIC AND XM NOT NUMERIC AND M > 42 AND S NOT = M DISPLAY 'NUMBERS'\n\
         COMPUTE E = 5000 ON SIZE ERROR DISPLAY 'SIZE' END-COMPUTE PERFORM VARYING M FROM 1 BY 2 UNTIL M > 9 ADD M TO D END-PERFORM DISPLAY D M.",
    ));
    same(&program(data, "MOVE 9 TO D DISPLAY U(D:1)."));
    same(&program(data, "MOVE X'20AC' TO X ADD 1 TO XM."));
}

#[test]
fn markup_and_tables() {
    let data = "01 N PIC 9 VALUE 2.\n01 G.\n 05 A PIC X(4) VALUE 'a<b'.\n 05 P PIC S9(3)V9 COMP-3 VALUE -1.5.\n 05 E PIC 9 OCCURS 1 TO 3 DEPENDING ON N.\n\
                01 T PIC X(90).\n01 L PIC 99.\n01 S PIC S9(4) VALUE -1201.\n01 W PIC X(8) VALUE '31524687'.\n01 V REDEFINES W.\n 05 D PIC 9 OCCURS 8.\n01 B PIC X(12).";
    same(&program(
        data,
        "M. MOVE 7 TO E(1) E(2) JSON GENERATE T FROM G COUNT L DISPLAY T(1:L) JSON GENERATE B FROM G COUNT L ON EXCEPTION DISPLAY B L JSON-CODE END-JSON\n\
         XML GENERATE T FROM G COUNT L XML PARSE T(1:L) PROCESSING PROCEDURE H ON EXCEPTION DISPLAY 'NO' NOT ON EXCEPTION DISPLAY 'ALL' END-XML\n\
         XML PARSE B PROCESSING PROCEDURE H ON EXCEPTION DISPLAY 'NO ' XML-CODE END-XML\n\
         SORT D DESCENDING DISPLAY W INSPECT S REPLACING ALL '1' BY '7' DISPLAY S. GOBACK.\n\
         H. EXEC CICS SYNCPOINT END-EXEC MOVE XML-TEXT TO B DISPLAY XML-EVENT B '|' XML-TEXT. IF XML-TEXT = 'E' DISPLAY 'E'.",
    ));
    same(&program(
        data,
        "MOVE 9 TO N JSON GENERATE T FROM G DISPLAY T MOVE SPACES TO G(5:3) XML GENERATE T FROM G.",
    ));
}

#[test]
fn a_long_routine_is_stopped_by_the_flag() {
    let data = "01 A PIC X(900000).\n01 N PIC 9(9) COMP.";
    let text = program(data, "INSPECT A TALLYING N FOR ALL 'A' ALL 'B' LEADING 'C'.\nDISPLAY 'ON'.");
    let programs = lowered(&text).expect("it is in order");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(&programs[0]).unwrap_or_else(|error| panic!("{error}"));
    let mut task = Task::new(STORAGE);
    let activation = task.enter(&programs[0], &[]).expect("there is room");
    let mut machine = Machine::new(&programs[0], &mut task, activation);
    let mut host = KeptHost::default();
    let left = loaded.run(&mut machine, &mut host, &AtomicU32::new(1));
    assert_eq!(left.expect_err("it is stopped").fault, ProgramFault::Stopped);
    assert_eq!(host.shown, "");
}

/// A host that puts smaller storage in the place of the task's.
struct Thief;

impl Host for Thief {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        *call.task = Task::new(RESERVED);
        Ok(Answer::Continue)
    }
}

#[test]
fn storage_that_is_not_the_programs_is_never_touched() {
    let data = "01 A PIC X(5).\n01 N PIC 9(4) COMP VALUE 1.\n01 T.\n02 E PIC X(100) OCCURS 3.";
    let text = program(data, "CALL 'X'.\nMOVE 'A' TO A.\nMOVE 'A' TO E(N).");
    let programs = lowered(&text).expect("it is in order");
    let (own, flag) = (&programs[0], AtomicU32::new(0));
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(own).unwrap_or_else(|error| panic!("{error}"));
    let fault = |task: &mut Task, activation: Activation| {
        let mut machine = Machine::new(own, task, activation);
        loaded.run(&mut machine, &mut Thief, &flag).expect_err("it cannot go on").fault
    };
    let mut task = Task::new(STORAGE);
    let activation = task.enter(own, &[]).expect("there is room");
    assert_eq!(fault(&mut task, activation.clone()), ProgramFault::Protection, "other storage");
    let far = Activation { working: u32::MAX - 8, ..activation };
    assert_eq!(fault(&mut task, far), ProgramFault::Protection, "a segment beyond the storage");
    assert_eq!(loaded.storage_min(), RESERVED + 100, "a place of T is compared with the end less its length");
}

/// A host with a mistake in it.
struct Mistaken;

impl Host for Mistaken {
    fn display(&mut self, _: &[u8], _: bool) {
        panic!("a mistake of ours")
    }

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

/// Code is left, and the panic goes on behind it: the process does not end.
#[test]
#[should_panic(expected = "a mistake of ours")]
fn a_panic_in_a_routine_passes_code() {
    let programs = lowered(&program("01 A PIC X.", "DISPLAY A.")).expect("it is accepted");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = compiler.load(&programs[0]).expect("it is compiled");
    let mut task = Task::new(STORAGE);
    let activation = task.enter(&programs[0], &[]).expect("there is room");
    let mut machine = Machine::new(&programs[0], &mut task, activation);
    let _ = loaded.run(&mut machine, &mut Mistaken, &AtomicU32::new(0));
}
