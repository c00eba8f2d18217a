//! The counted mix of statements, for counting instructions and for the compiler's time.
//!
//! `mix list` names the statements; `mix N TURNS` runs statement N four times a turn; `mix all PASSES` runs a program of some
//! 2,000 statements with the weights of the survey; `mix time` takes the time of compiling it. Instructions are counted as the
//! difference of two lengths of a run: `valgrind --tool=cachegrind --cache-sim=no`.

mod text;

use std::sync::atomic::AtomicU32;
use std::time::Instant;

use cobol_check::{Options, check};
use cobol_codegen::Compiler;
use cobol_ir::run::{Answer, Call, Fault, Host, Machine, Task};
use cobol_ir::{Program, lower};
use cobol_source::{Format, NoLibrary};
use diagnostics::Source;
use native::Loaded;
use text::{DATA, PARAGRAPHS, STATEMENTS, large, program};

struct Quiet;

impl Host for Quiet {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, Fault> {
        Ok(Answer::Continue)
    }
}

fn lowered(text: &str) -> Program {
    let source = Source::new("MIX.cbl", text);
    let checked = check(&source, &NoLibrary, &Options { format: Format::Free, ..Options::default() });
    match lower(&checked) {
        Ok(mut programs) => programs.remove(0),
        Err(messages) => panic!("{}", messages[0]),
    }
}

fn run(text: &str, passes: usize) {
    let program = lowered(text);
    let compiler = Compiler::new().expect("this machine has a compiler");
    let loaded = Loaded::new(&program, &compiler).expect("it compiles");
    let mut task = Task::new(1 << 20);
    let activation = task.enter(&program, &[]).expect("there is room");
    for _ in 0..passes {
        let mut machine = Machine::new(&program, &mut task, activation.clone());
        loaded.run(&mut machine, &mut Quiet, &AtomicU32::new(0)).expect("it ends in order");
    }
}

fn time() {
    let text = large(PARAGRAPHS);
    let statements = text.lines().count() - DATA.lines().count() - 8;
    let compiler = Compiler::new().expect("this machine has a compiler");
    for _ in 0..5 {
        let begin = Instant::now();
        let program = lowered(&text);
        let front = begin.elapsed();
        let code = compiler.compile(&program).expect("it compiles");
        let all = begin.elapsed();
        println!(
            "{statements} statements: read, checked and lowered {front:?}, compiled {:?}, {} bytes, {} inline, {} helped",
            all - front,
            code.bytes.len(),
            code.inline,
            code.helped
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok());
    match (arguments.first().map(String::as_str), number(0), number(1)) {
        (Some("list"), ..) => {
            for (at, (text, weight)) in STATEMENTS.iter().enumerate() {
                println!("{at} {weight} {text}");
            }
        }
        (Some("time"), ..) => time(),
        (Some("all"), _, Some(passes)) => run(&large(PARAGRAPHS), passes),
        (_, Some(which), Some(turns)) => {
            let (statement, _) = STATEMENTS[which];
            run(&program(&format!("PERFORM {turns} TIMES {} END-PERFORM", [statement; 4].join(" "))), 1);
        }
        _ => eprintln!("mix list | mix time | mix all PASSES | mix N TURNS"),
    }
}
