//! Programs that the compiler has made: a run of one, and of those that it CALLs.
//!
//! ```text
//! run ──► program ──resume──► call of the host ──► CALL, LE, ACCEPT, a file, SORT ──► behind it
//! ```

mod calls;
mod external;
mod file;
mod heap;
mod invalid;
mod linage;
pub(crate) mod sorting;
mod sql;
mod storage;

use ebcdic::Characters;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cobol_ir::Program;
use cobol_ir::program::{BlockId, Leave, SWITCHES, Service};
use cobol_run::{Abend, Answer, Call, Frame, Host, Machine, Moment, Passed, ProgramFault};
use db2::package::Package;
use exci::Interface;
use exec_sql::Outside;
use jiff::Zoned;
use le::Century;
use native::{Reached, Unit};

use crate::ending::{Ended, NO_PROGRAM_ABEND, RUNTIME_ABEND, TIME_ABEND};
use crate::files::Files;
use crate::output::Output;
use file::{FileId, OpenFile};
use sorting::Sorter;
use storage::{Entered, Storage};

/// Characters of a line of SYSIN: a receiver of ACCEPT that is longer takes further lines.
const INPUT_LINE: usize = 80;
/// Programs that may be entered at once.
const DEPTH_MAX: usize = 500;

/// Finds the programs that are CALLed.
pub(crate) trait Loader {
    /// A program by its name; `None` if there is none. Its mistakes go to the job's log.
    ///
    /// # Errors
    /// It is there, and cannot be entered: why.
    fn unit(&mut self, name: &str, output: &mut dyn Output) -> Result<Option<Loaded>, String>;
}

/// A program that was found.
pub(crate) struct Loaded {
    pub unit: Arc<Unit>,
    /// Its SQL statements, unless they were given before.
    pub packages: Vec<Arc<Package>>,
}

/// A run of a program and of all that it CALLs.
pub(crate) struct Run<'r, 'f> {
    loader: &'r mut dyn Loader,
    /// EXEC SQL; `None` without a database.
    sql: Option<&'r mut Outside>,
    /// Programs of regions; `None` without a way to one.
    external: Option<&'r mut Interface>,
    files: &'r mut Files<'f>,
    output: &'r mut dyn Output,
    century: Century,
    storage: Storage,
    /// The programs that are entered.
    active: Vec<(Arc<Unit>, usize)>,
    open: HashMap<FileId, OpenFile>,
    /// The names of EXTERNAL files: the place of each is its number.
    external_files: Vec<String>,
    sorts: HashMap<FileId, Sorter>,
    /// Lines that ACCEPT reads.
    input: VecDeque<String>,
    /// The area of the last message of a region.
    message: Option<u32>,
    /// Line that DISPLAY WITH NO ADVANCING has begun.
    line: String,
    /// Stops the program when it is set.
    stop: Arc<AtomicU32>,
}

/// A program's end besides coming back.
enum Stopped {
    /// STOP RUN, with the return code.
    Run(i32),
    /// It cannot go on.
    Abend(String, String),
}

/// Result of a program: its return code.
type Came = Result<i32, Stopped>;

/// A program while it runs.
struct Level {
    unit: Arc<Unit>,
    place: usize,
    frame: Option<Frame>,
    /// The call of the host that it makes.
    block: BlockId,
}

impl Level {
    fn program(&self) -> Option<(&Program, &Frame)> {
        Some((self.unit.program(self.place)?.program(), self.frame.as_ref()?))
    }
}

/// Requests of a program.
#[derive(Default)]
struct Taken {
    name: Vec<u8>,
    arguments: Vec<Passed>,
    returning: Option<(u32, u32)>,
    /// It asked for a moment, and has it.
    is_answered: bool,
}

impl<'r, 'f> Run<'r, 'f> {
    /// A run that has not begun.
    pub fn new(
        loader: &'r mut dyn Loader,
        (sql, external): (Option<&'r mut Outside>, Option<&'r mut Interface>),
        files: &'r mut Files<'f>,
        output: &'r mut dyn Output,
        input: Vec<String>,
    ) -> Self {
        Self {
            loader,
            sql,
            external,
            files,
            output,
            century: Century::default(),
            storage: Storage::default(),
            active: Vec::new(),
            open: HashMap::new(),
            external_files: Vec::new(),
            sorts: HashMap::new(),
            input: input.into(),
            message: None,
            line: String::new(),
            stop: Arc::default(),
        }
    }

    /// Returns the flag that stops the run when it is set: its time is used up.
    pub fn stop(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.stop)
    }

    /// Runs a program to its end, with the text of PARM and the UPSI switches.
    pub fn run(&mut self, unit: &Arc<Unit>, parameter: &[u8], switches: [u8; SWITCHES]) -> Ended {
        self.storage.set_switches(switches);
        let ended = match self.enter(unit, (0, None), &[Passed::Copy(parameter.into())], None) {
            Ok(code) | Err(Stopped::Run(code)) => Ended::Returned(code),
            Err(Stopped::Abend(code, text)) => Ended::Abend(code, text),
        };
        if !self.line.is_empty() {
            self.output.display(&std::mem::take(&mut self.line));
        }
        ended
    }

    /// Enters a program with its arguments, at its beginning or at an ENTRY, and runs it until it comes back to its caller.
    fn enter(
        &mut self,
        unit: &Arc<Unit>,
        (place, entry): (usize, Option<usize>),
        arguments: &[Passed],
        caller: Option<&Level>,
    ) -> Came {
        let code = unit.program(place).ok_or_else(|| failed("a program that is not there"))?;
        let name = &code.program().name;
        let is_active = self.active.iter().any(|(own, at)| Arc::ptr_eq(own, unit) && *at == place);
        if is_active && !code.program().recursive {
            return Err(failed(&format!("recursive CALL of {name}")));
        }
        if self.active.len() >= DEPTH_MAX {
            return Err(failed(&format!("CALL of {name}: more than {DEPTH_MAX} programs are entered")));
        }
        let entered =
            self.storage.enter(unit, (place, entry), arguments).map_err(|fault| of_fault(fault, name))?;
        let code = self.went(unit, place, entered, caller)?;
        if unit.program(place).is_some_and(|code| code.program().initial) {
            self.close_files(unit, place)?;
        }
        Ok(code)
    }

    /// Carries out a section of declaratives of a program that is entered, for one within it.
    fn declarative(&mut self, unit: &Arc<Unit>, place: usize, entry: usize) -> Result<Answer, Stopped> {
        let code = unit.program(place).ok_or_else(|| failed("a program that is not there"))?;
        let name = &code.program().name;
        if self.active.len() >= DEPTH_MAX {
            return Err(failed(&format!("USE GLOBAL of {name}: more than {DEPTH_MAX} programs are entered")));
        }
        let entered = self.storage.enter_again(unit, place, entry).map_err(|fault| of_fault(fault, name))?;
        self.went(unit, place, entered, None)?;
        Ok(Answer::Continue)
    }

    /// Runs a program that has its storage until it comes back.
    fn went(
        &mut self,
        unit: &Arc<Unit>,
        place: usize,
        (frame, temporary): Entered,
        caller: Option<&Level>,
    ) -> Came {
        self.active.push((Arc::clone(unit), place));
        let mut level = Level { unit: Arc::clone(unit), place, frame: Some(frame), block: BlockId(0) };
        let came = self.go_on(&mut level);
        self.active.pop();
        self.storage.leave(temporary);
        let code = self.storage.return_code(&level);
        match came {
            Ok(Leave::Return) => {
                if let Some(caller) = caller {
                    self.storage.give_back_code(&level, caller);
                }
                Ok(code)
            }
            Ok(Leave::StopRun) => Err(Stopped::Run(code)),
            Err(stopped) => Err(stopped),
        }
    }

    /// Runs a program from call to call.
    fn go_on(&mut self, level: &mut Level) -> Result<Leave, Stopped> {
        let flag = Arc::clone(&self.stop);
        let unit = Arc::clone(&level.unit);
        let code = unit.program(level.place).ok_or_else(|| failed("a program that is not there"))?;
        let mut at = BlockId(0);
        loop {
            let frame = level.frame.as_mut().ok_or_else(|| failed("a program without a frame"))?;
            let mut shown = Shown { line: &mut self.line, output: &mut *self.output };
            let reached = code.resume(&mut self.storage.task, frame, at, &mut shown, &flag);
            if matches!(&reached, Err(abend) if abend.fault == ProgramFault::Data) {
                invalid::tell(code.program(), &frame.activation, &self.storage.task, &mut *self.output);
            }
            let block = match reached.map_err(|abend| of_abend(&abend))? {
                Reached::Left(how) => return Ok(how),
                Reached::Host(block) => block,
            };
            level.block = block;
            let answer = self.answered(level)?;
            at = code.behind(block, answer).map_err(|fault| of_abend(&code.abend_at(fault, block)))?;
        }
    }

    /// A call of the host, answered.
    fn answered(&mut self, level: &mut Level) -> Result<Answer, Stopped> {
        let unit = Arc::clone(&level.unit);
        let code = unit.program(level.place).ok_or_else(|| failed("a program that is not there"))?;
        let fault = |fault| of_abend(&code.abend_at(fault, level.block));
        let site = code.site(level.block).ok_or_else(|| fault(ProgramFault::Host))?;
        let frame = level.frame.as_mut().ok_or_else(|| fault(ProgramFault::Host))?;
        let mut taken = Taken::default();
        let answer =
            Machine::resumed(code.program(), &mut self.storage.task, frame).host_call(site, &mut taken);
        answer.map_err(fault)?;
        match &code.program().sites[site as usize].service {
            Service::Call(name) => self.call(level, name, &taken),
            Service::CallNamed(_) => {
                let name = String::from_utf8_lossy(&taken.name).trim_end().to_uppercase();
                self.call(level, &name, &taken)
            }
            Service::Declarative { program, entry } => {
                self.declarative(&unit, *program as usize, *entry as usize)
            }
            Service::Cancel(name) => self.cancel(level, name),
            Service::CancelNamed(_) => {
                let name = String::from_utf8_lossy(&taken.name).trim_end().to_uppercase();
                self.cancel(level, &name)
            }
            Service::Exec(descriptor) => self.exec(level, descriptor, &taken),
            Service::Allocate => {
                self.storage.allocate_asked(&taken).map_err(fault)?;
                Ok(Answer::Continue)
            }
            Service::Free if self.storage.free_asked(&taken).map_err(fault)? => Ok(Answer::Continue),
            Service::Free => {
                let line = code.abend_at(ProgramFault::Host, level.block).line.line;
                Err(failed(&format!("{}, at line {line} of {}", heap::NOT_ALLOCATED, code.program().name)))
            }
            Service::IsCalled if self.active.len() > 1 => Ok(Answer::Continue),
            Service::IsCalled => Ok(Answer::NoProgram),
            Service::Accept(_) => {
                self.accept(&taken).map_err(fault)?;
                Ok(Answer::Continue)
            }
            Service::File(file, operation) => {
                self.file(level, *file, operation, &taken)?;
                Ok(Answer::Continue)
            }
        }
    }

    /// ACCEPT of lines of SYSIN, as many as the receiver has room for; what asks for a moment was answered when it was taken.
    fn accept(&mut self, taken: &Taken) -> Result<(), ProgramFault> {
        if taken.is_answered {
            return Ok(());
        }
        let (at, length) = taken.returning.ok_or(ProgramFault::Host)?;
        let mut text: Vec<u8> = Vec::new();
        while let Some(line) = self.input.pop_front() {
            // A further line begins behind a whole one.
            text.extend(line.chars().map(|character| u8::try_from(character).unwrap_or(b'?')));
            let begun = text.len().max(1).next_multiple_of(INPUT_LINE);
            if begun >= length as usize {
                break;
            }
            text.resize(begun, b' ');
        }
        let into = self.storage.task.bytes_mut(at, length as usize);
        let fits = text.len().min(into.len());
        into[..fits].copy_from_slice(&text[..fits]);
        into[fits..].fill(b' ');
        Ok(())
    }
}

/// Takes a call's arguments, to be answered when the program rests.
impl Host for Taken {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        let zoned = Zoned::now();
        let now = Moment { unix_ms: zoned.timestamp().as_millisecond(), offset_s: zoned.offset().seconds() };
        self.is_answered = call.give_moment(now);
        self.name = std::mem::take(&mut call.name);
        self.arguments = std::mem::take(&mut call.arguments);
        self.returning = call.returning;
        Ok(Answer::Continue)
    }
}

/// The host of a program while it runs: it shows lines.
struct Shown<'s> {
    line: &'s mut String,
    output: &'s mut dyn Output,
}

impl Host for Shown<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.line.push_str(&Characters::default().text(text));
        if advancing {
            self.output.display(&std::mem::take(self.line));
        }
    }

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

/// The completion code of a fault.
fn completion(fault: ProgramFault) -> &'static str {
    match fault {
        ProgramFault::Data => "S0C7",
        ProgramFault::Protection => "S0C4",
        ProgramFault::Divide => "S0CB",
        ProgramFault::NoProgram => NO_PROGRAM_ABEND,
        ProgramFault::Stopped => TIME_ABEND,
        ProgramFault::Range | ProgramFault::Argument | ProgramFault::External | ProgramFault::Host => {
            RUNTIME_ABEND
        }
    }
}

fn of_abend(abend: &Abend) -> Stopped {
    Stopped::Abend(completion(abend.fault).into(), abend.to_string())
}

fn of_fault(fault: ProgramFault, program: &str) -> Stopped {
    Stopped::Abend(completion(fault).into(), format!("{fault} when {program} is entered"))
}

fn failed(text: &str) -> Stopped {
    Stopped::Abend(RUNTIME_ABEND.into(), text.into())
}
