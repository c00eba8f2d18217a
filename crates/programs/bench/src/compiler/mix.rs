//! The counted mix: statements with the weights of a survey of public programs. Instructions of one, and the compiler's time.

#[path = "../../../../cobol/cobol-codegen/examples/mix/text.rs"]
pub(super) mod text;

use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_ir::program::BlockId;
use cobol_run::{Machine, Stand, Task, Walked};

use super::counted::Quiet;
use super::instructions::{Work, instructions};
use super::{in_columns, program, toolchain};
use crate::Options;
use crate::clock::{median, processor_time, progress};
use crate::promise::Measured;
use crate::site::Workshop;

/// Instructions of a statement, at most.
const STATEMENT_MAX: f64 = 50.0;
/// Instructions of a CALL with two arguments, its program and its return, at most.
const CALL_MAX: f64 = 60.0;
/// Seconds of processor time for compiling 2,000 statements, at most.
const COMPILE_MAX: f64 = 0.1;
/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// Bytes of storage of the mix.
const STORAGE: usize = 1 << 20;

/// The mix as the folder's program, and how many statements one pass of it carries out.
fn write(options: &Options, workshop: &Workshop) -> Result<f64, String> {
    workshop.write("MIX.cbl", &in_columns(&text::large(options.size(text::PARAGRAPHS, 3))))?;
    let toolchain = toolchain(workshop)?;
    let unit = program(&toolchain, "MIX")?.unit;
    let source = workshop.read("MIX.cbl")?;
    executed(unit.program(0).ok_or("it holds no program")?.program(), &source).map(|count| count as f64)
}

/// Statements that one pass carries out. A loop is one statement, however often it turns; those in it count each time.
fn executed(program: &Program, source: &str) -> Result<usize, String> {
    let lines: Vec<&str> = source.lines().collect();
    let is_loop = |line: u32| {
        let at = program.lines.get(line as usize).map_or(0, |line| line.line as usize);
        lines.get(at.wrapping_sub(1)).is_some_and(|text| text.contains("PERFORM VARYING"))
    };
    let mut task = Task::new(STORAGE);
    let activation = task.enter(program, &[]).map_err(|fault| fault.to_string())?;
    let mut machine = Machine::new(program, &mut task, activation);
    let mut at = Stand::at(BlockId(0));
    let (mut count, mut loops) = (0, std::collections::HashSet::new());
    loop {
        match machine.walk(at, &mut Quiet).map_err(|abend| abend.to_string())? {
            Walked::Statement(stand, line) => {
                at = stand;
                count += usize::from(!is_loop(line) || loops.insert(stand.block));
            }
            Walked::Left(_) => return Ok(count),
            Walked::Host(_) => return Err("the mix calls no host".to_owned()),
        }
    }
}

fn times(options: &Options) -> [usize; 2] {
    if options.quick { [1, 2] } else { [10, 110] }
}

/// Instructions of a statement.
pub(crate) fn statement(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let statements = write(options, workshop)?;
    let figure = instructions(Work::Mix, workshop.path(), times(options), options.quick)? / statements;
    let note = format!("a pass of {statements} statements carried out");
    Ok(Measured::new(figure, STATEMENT_MAX).note(note))
}

/// Instructions of a CALL of another program, in a region.
pub(crate) fn call(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let times = if options.quick { [1, 2] } else { [2, 12] };
    let figure = Measured::new(instructions(Work::Calls, workshop.path(), times, options.quick)?, CALL_MAX);
    if options.quick {
        return Ok(figure);
    }
    let exec = instructions(Work::Execs, workshop.path(), [1, 2], false)?;
    Ok(figure.note(format!("{exec:.0} instructions of EXEC CICS ASSIGN")))
}

/// Seconds of processor time from a source that has changed to its code, its file included.
pub(crate) fn compile(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let text = text::large(options.size(text::PARAGRAPHS, 3));
    let statements = text.lines().filter(|line| line.ends_with('.') && line.contains(' ')).count();
    let toolchain = toolchain(workshop)?;
    let mut seconds = Vec::new();
    for round in 0..=options.size(ROUNDS, 1) {
        progress(&format!("compile-2000: round {round}"));
        let changed = text.replacen("VALUE 'LONG'", &format!("VALUE 'LONG{round}'"), 1);
        workshop.write("MIX.cbl", &in_columns(&changed))?;
        let before = processor_time();
        if !program(&toolchain, "MIX")?.built {
            return Err("a source that has changed was not compiled".to_owned());
        }
        seconds.push(processor_time() - before);
    }
    progress("");
    let length = std::fs::metadata(workshop.path().join("code/MIX.native")).map_or(0, |file| file.len());
    // The first round warms up.
    let figure = Measured::new(median(seconds.split_off(1)), COMPILE_MAX);
    let figure = figure.note(format!("{statements} sentences; a file of {} KB", length / 1024));
    let unit = program(&toolchain, "MIX")?.unit;
    let code = code_alone(options, unit.program(0).ok_or("it holds no program")?.program())?;
    Ok(figure.note(format!("{code:.4} s of it for the code and its proof")))
}

/// Seconds for the code of a program, with its proof.
fn code_alone(options: &Options, program: &Program) -> Result<f64, String> {
    let compiler = Compiler::new().map_err(|error| error.to_string())?;
    let mut seconds = Vec::new();
    for _ in 0..options.size(ROUNDS, 1) {
        let before = processor_time();
        compiler.compile(program).map_err(|error| error.to_string())?;
        seconds.push(processor_time() - before);
    }
    Ok(median(seconds))
}
