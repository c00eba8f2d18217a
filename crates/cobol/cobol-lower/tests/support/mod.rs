//! Shared parts of the tests: a program around some data and statements, and a host that keeps the shown lines.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub mod characters;
pub mod examples;
pub mod flows;
pub mod generator;
pub mod places;

use cobol_check::{Options, check};
use cobol_ir::program::Service;
use cobol_ir::{Program, verify};
use cobol_lower::lower_at;
use cobol_run::{
    Abend, Activation, Answer, Call, Host, Left, Lends, Machine, Moment, Passed, ProgramFault, Task,
};
use cobol_source::{Format, NoLibrary};
use diagnostics::{Severity, Source};

/// The storage of a test's task.
const STORAGE: usize = 1 << 20;
/// Number of times that a program may look at the flag before it is stopped.
const TURNS: usize = 100_000;

/// When everything here happens: 2026-11-23 14:05:09.12, an hour ahead.
const NOW: Moment = Moment { unix_ms: 1_795_439_109_120, offset_s: 3600 };

/// A host that keeps what is shown, and knows no program.
#[derive(Default)]
pub struct KeptHost {
    pub shown: String,
    pub turns: usize,
    pub calls: Vec<String>,
    /// Answers of the calls, the first one first.
    pub answers: Vec<Answer>,
}

impl Host for KeptHost {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.shown.extend(text.iter().map(|byte| char::from(*byte)));
        if advancing {
            self.shown.push('\n');
        }
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        if *call.service == Service::IsCalled {
            return Ok(Answer::NoProgram);
        }
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                Passed::Area(at, length) | Passed::Field(at, length, _) => {
                    String::from_utf8_lossy(call.task.bytes(*at, *length as usize)).into_owned()
                }
                Passed::Copy(bytes) => format!("={}", bytes.escape_ascii()),
                Passed::Label(label) => format!("label {label}"),
                Passed::Pointer(at) => format!("pointer at {at}"),
                Passed::Address(index) => format!("address of {index}"),
                Passed::Number(number) => format!("number {number}"),
                Passed::None => "-".to_owned(),
            })
            .collect();
        let ordinary = !call.give_moment(NOW) && matches!(call.service, Service::Accept(_));
        if let Some((at, length)) = call.returning.filter(|_| ordinary) {
            call.task.bytes_mut(at, length as usize).fill(b'?');
        }
        if let (Service::Allocate, Some((at, length))) = (call.service, call.returning) {
            let wanted = match call.arguments.first() {
                Some(Passed::Number(wanted)) => usize::try_from(*wanted).unwrap_or(0),
                _ => 0,
            };
            let given = if wanted > 0 { call.task.allocate(wanted).unwrap_or(0) } else { 0 };
            call.task.bytes_mut(at, length as usize).copy_from_slice(&given.to_be_bytes());
        }
        let name = String::from_utf8_lossy(&call.name).into_owned();
        self.calls.push(format!("{:?} {name}{}", call.service, arguments.join(",")));
        Ok(if self.answers.is_empty() { Answer::Continue } else { self.answers.remove(0) })
    }

    fn must_stop(&mut self) -> bool {
        self.turns += 1;
        self.turns > TURNS
    }
}

/// A program in free format.
pub fn program(data: &str, statements: &str) -> String {
    format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\nPROCEDURE DIVISION.\n{statements}\n"
    )
}

/// The programs of a source; what is wrong with it, or not built, else.
pub fn lowered(text: &str) -> Result<Vec<Program>, String> {
    let source = Source::new("T.cbl", text);
    let checked = check(&source, &NoLibrary, &Options { format: Format::Free, ..Options::default() });
    let errors: Vec<String> = checked
        .messages
        .iter()
        .filter(|message| message.severity == Severity::Error)
        .map(|message| format!("{} {}", message.code, message.message))
        .collect();
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    let line = |message: &diagnostics::Diagnostic| {
        format!("{} {}", message.place.as_ref().map_or(0, |place| place.line), message.message)
    };
    lower_at(&checked, NOW).map_err(|messages| messages.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Lends programs EXTERNAL areas, and the WORKING-STORAGE of the others.
pub struct Lender<'t> {
    pub task: &'t mut Task,
    pub areas: &'t mut Vec<(String, u32)>,
    pub working: Vec<Option<u32>>,
}

impl Lends for Lender<'_> {
    fn external(&mut self, name: &str, length: u32) -> Result<u32, ProgramFault> {
        if let Some((_, at)) = self.areas.iter().find(|(own, _)| own == name) {
            return Ok(*at);
        }
        let at = self.task.allocate(length as usize)?;
        self.areas.push((name.to_owned(), at));
        Ok(at)
    }

    fn working_of(&self, program: u32) -> Option<u32> {
        self.working.get(program as usize).copied().flatten()
    }
}

/// Runner of a source's program, by its place there; and the state that it leaves.
pub type Runs<'p> =
    dyn Fn(usize, &mut Task, Activation, &mut dyn Host) -> (Result<Left, Abend>, Activation) + 'p;

/// A host that carries out CALL of the programs of one source: each keeps its WORKING-STORAGE.
pub struct Calling<'p> {
    pub kept: KeptHost,
    programs: &'p [Program],
    activations: Vec<Option<Activation>>,
    runs: &'p Runs<'p>,
    /// Place of each WORKING-STORAGE, and of EXTERNAL items.
    working: Vec<Option<u32>>,
    areas: Vec<(String, u32)>,
    /// The number of programs that have been CALLed and not left.
    depth: usize,
}

impl<'p> Calling<'p> {
    pub fn new(programs: &'p [Program], runs: &'p Runs<'p>) -> Self {
        let (activations, working) = (vec![None; programs.len()], vec![None; programs.len()]);
        Self { kept: KeptHost::default(), programs, activations, runs, working, areas: Vec::new(), depth: 0 }
    }

    /// Enters a program; the storage that it has of others is lent.
    pub fn enter(&mut self, task: &mut Task, at: usize) -> Result<Activation, ProgramFault> {
        let program = &self.programs[at];
        let mut activation = match self.activations[at].take() {
            Some(mut again) => {
                task.enter_again(program, &mut again, &[])?;
                again
            }
            None => task.enter(program, &[])?,
        };
        self.working[at] = Some(activation.working);
        let mut lender = Lender { task, areas: &mut self.areas, working: self.working.clone() };
        activation.borrow(program, &mut lender)?;
        Ok(activation)
    }
}

impl Host for Calling<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.kept.display(text, advancing);
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        if *call.service == Service::IsCalled && self.depth > 0 {
            return Ok(Answer::Continue);
        }
        let Service::Call(name) = call.service else { return self.kept.call(call) };
        let Some(at) = self.programs.iter().position(|program| program.name == *name) else {
            return Ok(Answer::NoProgram);
        };
        let activation = self.enter(&mut *call.task, at)?;
        let runs = self.runs;
        self.depth += 1;
        let (left, activation) = runs(at, &mut *call.task, activation, self);
        self.depth -= 1;
        self.activations[at] = Some(activation);
        left.map(|_| Answer::Continue).map_err(|abend| {
            self.kept.shown.push_str(&format!("{abend}\n"));
            abend.fault
        })
    }

    fn must_stop(&mut self) -> bool {
        self.kept.must_stop()
    }
}

/// Lines that a source's programs show: the first one is run, and CALLs the others.
pub fn shown_by_all(text: &str) -> Result<String, String> {
    let programs = lowered(text)?;
    for program in &programs {
        verify(program).map_err(|unsound| unsound.to_string())?;
    }
    shown_by(&programs, &|at, task, activation, host| interpreted(&programs[at], task, activation, host))
}

/// Runs a program by the interpreter.
pub fn interpreted(
    program: &Program,
    task: &mut Task,
    activation: Activation,
    host: &mut dyn Host,
) -> (Result<Left, Abend>, Activation) {
    let mut machine = Machine::new(program, task, activation);
    let left = machine.run(host);
    (left, machine.into_activation())
}

/// The same of programs that are run in some way.
pub fn shown_by<'p>(programs: &'p [Program], runs: &'p Runs<'p>) -> Result<String, String> {
    let mut task = Task::new(STORAGE);
    let mut host = Calling::new(programs, runs);
    let activation = host.enter(&mut task, 0).map_err(|fault| fault.to_string())?;
    match runs(0, &mut task, activation, &mut host).0 {
        Ok(_) => Ok(host.kept.shown),
        Err(abend) => Ok(format!("{}{abend}", host.kept.shown)),
    }
}

/// A program that ran: how it was left, its host, and its storage.
pub struct Ran {
    pub left: Result<Left, Abend>,
    pub host: KeptHost,
    pub working: Vec<u8>,
}

/// Runs the first program of a source.
#[track_caller]
pub fn run_with(text: &str, host: KeptHost) -> Ran {
    let programs = lowered(text).unwrap_or_else(|message| panic!("{message}"));
    run_program(&programs[0], host)
}

/// Runs a program, verified before.
#[track_caller]
pub fn run_program(program: &Program, mut host: KeptHost) -> Ran {
    if let Err(unsound) = verify(program) {
        panic!("{unsound}");
    }
    let mut task = Task::new(STORAGE);
    let mut activation = task.enter(program, &[]).expect("there is room for it");
    let mut lender = Lender { task: &mut task, areas: &mut Vec::new(), working: Vec::new() };
    activation.borrow(program, &mut lender).expect("there is room for what it shares");
    let working = activation.working;
    let left = Machine::new(program, &mut task, activation).run(&mut host);
    Ran { left, host, working: task.bytes(working, program.working.len()).to_vec() }
}

/// Lines that a program around data and statements shows; its end, if that is not in order.
#[track_caller]
pub fn shown(data: &str, statements: &str) -> String {
    let ran = run_with(&program(data, statements), KeptHost::default());
    match ran.left {
        Ok(_) => ran.host.shown,
        Err(abend) => format!("{}{abend}", ran.host.shown),
    }
}

/// Statements show these words, one behind the other.
#[track_caller]
pub fn check_shown(data: &str, statements: &str, expected: &str) {
    let found = shown(data, statements);
    assert_eq!(found.trim_end(), expected, "{statements}");
}
