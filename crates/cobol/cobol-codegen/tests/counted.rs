//! Code that counts: it reaches the statements in front of which a program rests that is walked, and leaves everything as it is.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_ir::program::BlockId;
use cobol_run::{Frame, Machine, Stand, Task, Walked};
use native::{KeptProgram as InFile, Loaded, Mapped, Unit};
use support::{KeptHost, lowered, program};

const STORAGE: usize = 1 << 20;
const DATA: &str = "01 N PIC 9(3) VALUE 1.\n01 K PIC 99 VALUE 0.";
/// Statements in lines of their own; some are never reached.
const STATEMENTS: [&str; 4] = [
    "MAIN.\nPERFORM A THRU B 3 TIMES\nIF N > 5\nDISPLAY 'H'\nELSE\nDISPLAY 'L'\nEND-IF\nGO TO C.\nA.\nADD 1 TO N.\nB.\nADD N TO K.\nNEVER.\nDISPLAY 'N'.\nC.\nDISPLAY K.",
    "MAIN.\nPERFORM VARYING N FROM 1 BY 1 UNTIL N > 4\nIF N = 3\nEXIT PERFORM CYCLE\nEND-IF\nADD N TO K\nEND-PERFORM\nDISPLAY K.\nSTOP RUN.",
    "MAIN.\nEVALUATE N\nWHEN 1\nMOVE 7 TO K\nWHEN 2\nMOVE 8 TO K\nWHEN OTHER\nMOVE 9 TO K\nEND-EVALUATE\nDISPLAY K.",
    "MAIN.\nCOMPUTE K = N * 200\nON SIZE ERROR\nDISPLAY 'E'\nNOT ON SIZE ERROR\nDISPLAY 'F'\nEND-COMPUTE\nDISPLAY K.",
];

/// The number of times that each statement was reached, by its place in the program's list.
type Reached = BTreeMap<u32, u64>;

fn walked(program: &Program) -> Reached {
    let mut task = Task::new(STORAGE);
    let activation = task.enter(program, &[]).expect("there is room");
    let mut frame = Frame::new(program, activation);
    let (mut at, mut host, mut reached) = (Stand::at(BlockId(0)), KeptHost::default(), Reached::new());
    loop {
        let mut machine = Machine::resumed(program, &mut task, &mut frame);
        let Walked::Statement(stand, line) = machine.walk(at, &mut host).expect("it goes on") else {
            return reached;
        };
        at = stand;
        *reached.entry(line).or_default() += 1;
    }
}

/// Runs a program; what it shows.
fn run(loaded: &Loaded<InFile>) -> String {
    let program = loaded.program();
    let mut task = Task::new(STORAGE);
    let activation = task.enter(program, &[]).expect("there is room");
    let mut machine = Machine::new(program, &mut task, activation);
    let mut host = KeptHost::default();
    loaded.run(&mut machine, &mut host, &AtomicU32::new(0)).expect("it ends in order");
    host.shown
}

fn unit(compiler: &Compiler, text: &str) -> Unit {
    let programs = lowered(text).unwrap_or_else(|message| panic!("{message}"));
    compiler.unit("T.cbl".to_owned(), programs).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_is_counted_is_what_a_walk_comes_to() {
    let compiler = Compiler::new().expect("this machine has a compiler");
    for statements in STATEMENTS {
        let text = program(DATA, statements);
        let (plain, counting) = (unit(&compiler, &text), unit(&compiler.counting(), &text));
        let (plain, counting) = (plain.program(0).expect("one"), counting.program(0).expect("one"));
        assert_eq!(run(counting), run(plain), "{statements}");
        assert_eq!(counting.reached().collect::<Reached>(), walked(plain.program()), "{statements}");
        assert_eq!(plain.reached().count(), 0, "ordinary code counts nothing");
    }
}

#[test]
fn counts_go_on_from_run_to_run_and_code_from_a_file_counts_too() {
    let compiler = Compiler::new().expect("this machine has a compiler").counting();
    let file = unit(&compiler, &program(DATA, STATEMENTS[2])).to_file("key", Vec::new()).expect("a form");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("T.counted");
    std::fs::write(&path, file).expect("written");
    let mapped = Mapped::open(&path, "key").expect("it is taken");
    let loaded = mapped.unit.program(0).expect("one");
    let once = walked(loaded.program());
    for times in 1..=3 {
        run(loaded);
        let expected: Reached = once.iter().map(|(line, count)| (*line, count * times)).collect();
        assert_eq!(loaded.reached().collect::<Reached>(), expected);
    }
}
