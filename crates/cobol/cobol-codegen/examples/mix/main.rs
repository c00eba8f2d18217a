//! The counted mix of statements, for counting instructions and for the compiler's time.
//!
//! `mix list` names the statements, those beside the mix behind them; `mix N TURNS` runs statement N four times a turn;
//! `mix all PASSES` runs a program of some 2,000 statements with the weights of the survey; `mix time` takes the time of
//! compiling it. Instructions are counted as the difference of two lengths of a run: `valgrind --tool=cachegrind --cache-sim=no`;
//! `mix count` does that for each statement.

mod more;
mod text;

use std::sync::atomic::AtomicU32;
use std::time::Instant;

use cobol_check::{Options, check};
use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_lower::lower;
use cobol_run::{Answer, Call, Host, Machine, ProgramFault, Task};
use cobol_source::{Format, NoLibrary};
use diagnostics::Source;
use text::{DATA, PARAGRAPHS, STATEMENTS, large, program};

/// Turns of the two runs whose difference is counted.
const COUNTED: [usize; 2] = [100, 1_100];
/// Number of copies of a statement in a turn.
const COPIES: usize = 4;

struct Quiet;

impl Host for Quiet {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
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
    let loaded = compiler.load(&program).expect("it compiles");
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
            "{statements} statements: read, checked and lowered {front:?}, compiled {:?}, {} bytes, {} inline, {} left",
            all - front,
            code.bytes.len(),
            code.inline,
            code.left.len()
        );
    }
}

/// All statements, each with its weight in the mix; those beside it have none.
fn statements() -> impl Iterator<Item = (&'static str, usize)> {
    STATEMENTS.iter().copied().chain(more::STATEMENTS.iter().map(|text| (*text, 0)))
}

/// A program that carries a statement out again and again.
fn repeated(statement: &str, turns: usize) -> String {
    let text = program(&format!("PERFORM {turns} TIMES {} END-PERFORM", [statement; COPIES].join(" ")));
    text.replacen(DATA, &format!("{DATA}\n{}", more::DATA), 1)
}

/// The instructions of a run, as valgrind counts them.
fn instructions(statement: usize, turns: usize) -> u64 {
    let own = std::env::current_exe().expect("it runs from a file");
    let output = std::process::Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(own)
        .args([statement.to_string(), turns.to_string()])
        .output()
        .expect("valgrind is there");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = text.lines().find_map(|line| line.split_once("refs:")).map(|(_, count)| count);
    let digits: String = count.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Instructions of each statement.
fn count(from: usize) {
    for (at, (text, weight)) in statements().enumerate().skip(from) {
        let [short, long] = COUNTED.map(|turns| instructions(at, turns));
        let each = (long - short) as f64 / (COUNTED[1] - COUNTED[0]) as f64 / COPIES as f64;
        println!("{at} {weight} {each:.1} {text}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok());
    match (arguments.first().map(String::as_str), number(0), number(1)) {
        (Some("list"), ..) => {
            statements().enumerate().for_each(|(at, (text, weight))| println!("{at} {weight} {text}"));
        }
        (Some("time"), ..) => time(),
        (Some("count"), ..) => count(number(1).unwrap_or(0)),
        (Some("all"), _, Some(passes)) => run(&large(PARAGRAPHS), passes),
        (_, Some(which), Some(turns)) => {
            let (statement, _) = statements().nth(which).expect("a statement of the list");
            run(&repeated(statement, turns), 1);
        }
        _ => eprintln!("mix list | mix count [FROM] | mix time | mix all PASSES | mix N TURNS"),
    }
}
