//! Programs run by the interpreter and as machine code: what they show, all their storage, and how they end are the same.

#[path = "../../cobol-ir/tests/support/mod.rs"]
mod support;

use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_ir::run::{Activation, Answer, Call, Fault, Host, Machine, Task};
use native::Loaded;
use support::flows::Flow;
use support::generator::Generated;
use support::{Kept, Ran, lowered, program, run_program};

const STORAGE: usize = 1 << 20;
/// Programs of one source.
const FLOWS: usize = 50;

/// Runs a program as machine code.
fn run_native(program: &Program, mut host: Kept) -> Ran {
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = Loaded::new(program, &compiler).unwrap_or_else(|error| panic!("{error}"));
    let mut task = Task::new(STORAGE);
    let activation = task.enter(program, &[]).expect("there is room");
    let working = activation.working;
    let mut machine = Machine::new(program, &mut task, activation);
    let left = loaded.run(&mut machine, &mut host, &AtomicU32::new(0));
    Ran { left, host, working: task.bytes(working, program.working.len()).to_vec() }
}

#[track_caller]
fn same(text: &str) {
    let programs = lowered(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let (expected, found) =
        (run_program(&programs[0], Kept::default()), run_native(&programs[0], Kept::default()));
    assert_eq!(found.left, expected.left, "{text}");
    assert_eq!(found.host.shown, expected.host.shown, "{text}");
    assert_eq!(found.host.calls, expected.host.calls, "{text}");
    assert!(found.working == expected.working, "storage differs\n{text}");
}

#[test]
fn generated_statements() {
    same_statements(Generated::new);
}

#[test]
fn generated_statements_on_characters() {
    same_statements(support::characters::generated);
}

fn same_statements(generate: fn(u64, usize) -> Generated) {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    for seed in 1..=seeds {
        let generated = generate(seed, 100);
        let text = generated.text();
        let programs = lowered(&text).unwrap_or_else(|message| panic!("{message}\n{text}"));
        let (expected, found) =
            (run_program(&programs[0], Kept::default()), run_native(&programs[0], Kept::default()));
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
            .map(|program| Loaded::new(program, &compiler).unwrap_or_else(|error| panic!("{error}")))
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
    let loaded = Loaded::new(&programs[0], &compiler).unwrap_or_else(|error| panic!("{error}"));
    for (entry, expected) in [(None, "MAIN\n"), (Some(0), "A\n")] {
        let mut task = Task::new(STORAGE);
        let activation = task.enter(&programs[0], &[]).expect("there is room");
        let mut machine = Machine::new(&programs[0], &mut task, activation);
        if let Some(entry) = entry {
            machine = machine.at_entry(entry, &[]);
        }
        let mut host = Kept::default();
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
    let loaded = Loaded::new(&programs[0], &compiler).unwrap_or_else(|error| panic!("{error}"));
    let mut task = Task::new(STORAGE);
    let activation = task.enter(&programs[0], &[]).expect("there is room");
    let mut machine = Machine::new(&programs[0], &mut task, activation);
    let mut host = Kept::default();
    let left = loaded.run(&mut machine, &mut host, &AtomicU32::new(1));
    assert_eq!(left.expect_err("it is stopped").fault, Fault::Stopped);
    assert_eq!(host.shown, "");
}

/// A host that puts smaller storage in the place of the task's.
struct Thief;

impl Host for Thief {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, Fault> {
        *call.task = Task::new(8192);
        Ok(Answer::Continue)
    }
}

#[test]
fn storage_that_is_not_the_programs_is_never_touched() {
    let programs = lowered(&program("01 A PIC X(5).", "CALL 'X'.\nMOVE 'A' TO A.")).expect("it is in order");
    let (own, flag) = (&programs[0], AtomicU32::new(0));
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = Loaded::new(own, &compiler).unwrap_or_else(|error| panic!("{error}"));
    let fault = |task: &mut Task, activation: Activation| {
        let mut machine = Machine::new(own, task, activation);
        loaded.run(&mut machine, &mut Thief, &flag).expect_err("it cannot go on").fault
    };
    let mut task = Task::new(STORAGE);
    let activation = task.enter(own, &[]).expect("there is room");
    assert_eq!(fault(&mut task, activation.clone()), Fault::Protection, "other storage");
    let far = Activation { working: u32::MAX - 8, ..activation };
    assert_eq!(fault(&mut task, far), Fault::Protection, "a segment beyond the storage");
    let mut small = Task::new(8192);
    let activation = small.enter(own, &[]).expect("there is room");
    assert_eq!(fault(&mut small, activation), Fault::Protection, "too little storage");
}

/// A host with a mistake in it.
struct Mistaken;

impl Host for Mistaken {
    fn display(&mut self, _: &[u8], _: bool) {
        panic!("a mistake of ours")
    }

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, Fault> {
        Err(Fault::Host)
    }
}

/// Code is left, and the panic goes on behind it: the process does not end.
#[test]
#[should_panic(expected = "a mistake of ours")]
fn a_panic_in_a_routine_passes_code() {
    let programs = lowered(&program("01 A PIC X.", "DISPLAY A.")).expect("it is accepted");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = Loaded::new(&programs[0], &compiler).expect("it is compiled");
    let mut task = Task::new(STORAGE);
    let activation = task.enter(&programs[0], &[]).expect("there is room");
    let mut machine = Machine::new(&programs[0], &mut task, activation);
    let _ = loaded.run(&mut machine, &mut Mistaken, &AtomicU32::new(0));
}
