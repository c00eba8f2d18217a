//! One program, from its first statement to its end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use access::Client;
use cobol::{
    Area, CompiledModule, FaultKind, Host, Installation, Program, Run, ServiceCall, Step, StorageFault,
};
use db2::package::Package;
use diagnostics::Diagnostic;
use exec_sql::Outside;
use jiff::Zoned;
use le::{Answer, Century, Now};
use native::Unit;
use toolchain::{Failure, Toolchain};

use crate::clock::{self, Clock, Watch};
use crate::dd::Dds;
use crate::files::{Files, Halt};
use crate::own::{self, Loaded, Loader};
use crate::parm::switches_of;

/// The longest PARM.
const PARM_MAX: usize = 100;
/// The abend of a run-time error.
pub(crate) const RUNTIME_ABEND: &str = "U4038";
/// The abend of a program that has used up its time.
pub(crate) const TIME_ABEND: &str = "S322";
/// The abend of a program whose changes of tables could not be committed.
const TABLES_ABEND: &str = "S04E";
/// The abend of a CALL of a program that is not there.
pub(crate) const NO_PROGRAM_ABEND: &str = "S806";

/// Why a program is not run at all.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The COBOL runtime.
    #[error(transparent)]
    Host(#[from] cobol::Error),
    /// There is no such program, or it does not build.
    #[error("the program does not build")]
    Program(Vec<Diagnostic>),
    /// A folder for the runtime's copy cannot be made.
    #[error("no temporary folder can be made: {0}")]
    Folder(std::io::Error),
    /// A step with SQL statements where nothing runs them.
    #[error("there is no database for SQL statements")]
    NoDatabase,
}

/// What a program is run with.
#[derive(Clone, Debug)]
pub struct Execution<'a> {
    /// Its name.
    pub program: &'a str,
    /// PARM.
    pub parm: Option<&'a str>,
    /// Its DD statements.
    pub dds: &'a Dds,
    /// Changes between two commits; 0: where the program says COMMIT, closes a file, or ends.
    pub commit_every: u64,
    /// The processor time that it may use; `None` for no limit.
    pub time: Option<Duration>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this return code.
    Returned(i32),
    /// Abnormally: the completion code (`S0C7`, `U4038`) and what happened.
    Abend(String, String),
}

/// The end of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// With this return code.
    Code(i32),
    /// Abnormally: completion code and what happened.
    Abend(String, String),
    /// It was not run, because of a condition or of an abend before it.
    Bypassed,
    /// It was not run, for its data sets could not be had: the job ends.
    Failed,
}

/// Runs batch programs, one after the other.
pub struct Batch<'a> {
    programs: Programs<'a>,
    /// For programs of the hosted compiler: made when the first of them comes.
    host: Option<Host>,
    /// EXEC SQL of the programs; `None` where there is no database for them.
    sql: Option<Outside>,
    /// What the program gets back from the service that it has called.
    reply: i32,
    loaded: HashMap<String, Program>,
    folder: tempfile::TempDir,
}

/// The programs of an application, as our own compiler has made them.
struct Programs<'a> {
    toolchain: &'a Toolchain,
    own: HashMap<String, Arc<Unit>>,
}

/// A program, by the compiler that has made it.
enum Found {
    Own(Arc<Unit>),
    Hosted(Program),
}

impl Loader for Programs<'_> {
    fn unit(&mut self, name: &str, output: &mut dyn Output) -> Result<Option<Loaded>, String> {
        if let Some(unit) = self.own.get(name) {
            return Ok(Some(Loaded { unit: Arc::clone(unit), packages: Vec::new() }));
        }
        match self.toolchain.program(name) {
            Ok(program) => {
                let refused = program.refuses_native_callers().unwrap_or_default();
                let unit = program.own.ok_or(refused)?;
                self.own.insert(name.to_owned(), Arc::clone(&unit));
                Ok(Some(Loaded { unit, packages: program.packages }))
            }
            Err(Failure::NotFound(_)) => Ok(None),
            Err(Failure::Broken(messages)) => {
                messages.iter().for_each(|message| output.log(message.to_string()));
                Err("it does not compile".into())
            }
        }
    }
}

/// What a run says: what programs display and print, and what is to be told about it.
pub trait Output {
    /// A line of SYSOUT.
    fn print(&mut self, line: &str);
    /// Takes a line that DISPLAY or a utility writes.
    fn display(&mut self, line: &str) {
        self.print(line);
    }
    /// A message of the job.
    fn log(&mut self, text: String);
    /// Takes note that a step of a job is over.
    fn step(&mut self, _job: &str, _step: &str, _end: &StepEnd) {}
}

impl<'a> Batch<'a> {
    /// A place to run an application's programs in.
    ///
    /// # Errors
    /// If the COBOL runtime is not there or not a known one.
    pub fn new(toolchain: &'a Toolchain, sql: Option<Outside>) -> Result<Self, BatchError> {
        let folder = tempfile::tempdir().map_err(BatchError::Folder)?;
        let programs = Programs { toolchain, own: HashMap::new() };
        Ok(Self { programs, host: None, sql, reply: 0, loaded: HashMap::new(), folder })
    }

    /// The host of programs of the hosted compiler.
    fn host(&mut self) -> Result<&Host, BatchError> {
        let host = match self.host.take() {
            Some(host) => host,
            None => {
                let services = [le::SERVICES, if self.sql.is_some() { Outside::NAMES } else { &[] }].concat();
                let host = Host::new(&Installation::find()?, self.folder.path(), &services)?;
                host.own_process();
                host
            }
        };
        Ok(self.host.insert(host))
    }

    /// A program that a step names.
    fn find(&mut self, name: &str) -> Result<Found, BatchError> {
        let name = name.trim().to_ascii_uppercase();
        if let Some(program) = self.loaded.get(&name) {
            return Ok(Found::Hosted(program.clone()));
        }
        let built = self.programs.toolchain.program(&name).map_err(refused)?;
        if let Some(unit) = built.own {
            self.bring(&built.packages);
            self.programs.own.insert(name, Arc::clone(&unit));
            return Ok(Found::Own(unit));
        }
        self.hosted(name, built).map(Found::Hosted)
    }

    /// Builds a program, and tells what is wrong with it; returns true if it builds.
    pub(crate) fn builds(&self, name: &str, output: &mut dyn Output) -> bool {
        let built = self.programs.toolchain.program(name);
        let (is_built, messages) = match &built {
            Ok(program) => (true, &program.messages[..]),
            Err(failure) => (false, failure.diagnostics()),
        };
        messages.iter().for_each(|message| output.log(message.to_string()));
        is_built
    }

    /// A program that a hosted program CALLs.
    fn load(&mut self, name: &str) -> Result<Program, BatchError> {
        let name = name.trim().to_ascii_uppercase();
        if let Some(program) = self.loaded.get(&name) {
            return Ok(program.clone());
        }
        let built = self.programs.toolchain.hosted(&name).map_err(refused)?;
        self.hosted(name, built)
    }

    /// The statements of a program that is about to run.
    fn bring(&self, packages: &[Arc<Package>]) {
        if let Some(sql) = &self.sql {
            packages.iter().for_each(|package| sql.bring(package));
        }
    }

    fn hosted(&mut self, name: String, built: toolchain::Program) -> Result<Program, BatchError> {
        self.bring(&built.packages);
        let entry = built.listing.entry().unwrap_or(&built.name).to_owned();
        let program = self.host()?.load(&CompiledModule { path: built.module, name: entry })?;
        self.loaded.insert(name, program.clone());
        Ok(program)
    }

    /// Runs a program to its end. What it changed is committed if it comes back, and backed out, as far as it is not
    /// committed yet, if it does not.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(
        &mut self,
        execution: &Execution<'_>,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<Ended, BatchError> {
        let input = match execution.dds.input_lines() {
            Ok(lines) => lines,
            Err(why) => return Ok(Ended::Abend("S001".into(), format!("SYSIN: {why}"))),
        };
        let mut files = Files::new(client, execution.dds, execution.commit_every);
        let program = match self.find(execution.program)? {
            Found::Own(unit) => return Ok(self.run_own(&unit, execution, input, files, output)),
            Found::Hosted(program) => program,
        };
        let host = self.host()?;
        host.feed(input);
        let parm = Area::with(&parameter(execution.parm));
        let task = host.task();
        let mut run = task.start(&program, parm.address(), 0)?;
        let mut century = Century::default();
        let clock = execution.time.map(Clock::new);
        let ended = loop {
            match clock.as_ref().map(Clock::left) {
                Some(None) => break clock::over(execution.time),
                Some(left) => run.limit(left),
                None => {}
            }
            if let Some(ended) = self.step(&mut run, &mut files, &mut century, output) {
                break ended;
            }
        };
        drop(run);
        Ok(end(self.sql.as_mut(), ended, files, output))
    }

    fn run_own(
        &mut self,
        unit: &Arc<Unit>,
        execution: &Execution<'_>,
        input: Vec<String>,
        mut files: Files<'_>,
        output: &mut dyn Output,
    ) -> Ended {
        let mut run = own::Run::new(&mut self.programs, self.sql.as_mut(), &mut files, output, input);
        let (parm, switches) = switches_of(execution.parm);
        let _watch = execution.time.map(|time| Watch::new(time, run.stop()));
        let ended = run.run(unit, &parameter(parm), switches);
        end(self.sql.as_mut(), ended, files, output)
    }

    /// Runs the SQL statements of a step with DSNTIAD and the like; the return code.
    ///
    /// # Errors
    /// There is no database for them.
    pub(crate) fn statements(&mut self, dds: &Dds, output: &mut dyn Output) -> Result<Ended, BatchError> {
        let sql = self.sql.as_mut().ok_or(BatchError::NoDatabase)?;
        Ok(match dds.input_lines() {
            Ok(lines) => Ended::Returned(sql.statements(&lines, &mut |line| output.display(line))),
            Err(why) => Ended::Abend("S001".into(), format!("SYSIN: {why}")),
        })
    }

    /// Ends what programs have left running.
    pub fn close(self, output: &mut dyn Output) {
        if let Some(Err(why)) = self.sql.map(Outside::close) {
            output.log(format!("the database is not closed: {why}"));
        }
    }

    /// Resumes the program until it wants something, and gives it that; its end, if this is it.
    fn step(
        &mut self,
        run: &mut Run,
        files: &mut Files<'_>,
        century: &mut Century,
        output: &mut dyn Output,
    ) -> Option<Ended> {
        let called = match run.resume(std::mem::take(&mut self.reply)) {
            Step::File(call) => {
                // Lines and messages come out one after the other, so the two take turns.
                let output = std::cell::RefCell::new(output);
                let answered =
                    files.answer(&call, &mut |line| output.borrow_mut().print(line), &mut |text| {
                        output.borrow_mut().log(text)
                    });
                return answered.err().map(|halt| match halt {
                    Halt::Storage(fault) => storage(&fault),
                    Halt::Lost((code, why)) => Ended::Abend(code.into(), why),
                });
            }
            Step::Display(line) => {
                output.display(&line);
                return None;
            }
            Step::Service(call) if Outside::NAMES.contains(&call.name()) => {
                let Some(sql) = &mut self.sql else {
                    return Some(Ended::Abend("S806".into(), call.name().into()));
                };
                return match sql.call(&call) {
                    Ok(reply) => {
                        self.reply = reply.unwrap_or(0);
                        None
                    }
                    Err(error) => Some(Ended::Abend("S0C4".into(), format!("{}: {error}", call.name()))),
                };
            }
            Step::Service(call) => return serve(&call, century, output),
            Step::Exec(_) => {
                let text = "a command of EXEC CICS outside of a region";
                return Some(Ended::Abend("AEY9".into(), text.into()));
            }
            Step::NeedProgram(name) => name,
            Step::Returned(code) | Step::StopRun(code) => return Some(Ended::Returned(code)),
            Step::RuntimeError(error) => {
                let text = format!("{}, {}", error.message, error.place);
                return Some(Ended::Abend(RUNTIME_ABEND.into(), text));
            }
            Step::MissingProgram(name) => {
                let text = format!("CALL of {name}: there is no such program");
                return Some(Ended::Abend(NO_PROGRAM_ABEND.into(), text));
            }
            Step::Fault(fault) => {
                let text = format!("{}, {}", fault.kind, fault.place);
                return Some(Ended::Abend(completion(fault.kind).into(), text));
            }
        };
        match self.load(&called) {
            Ok(program) => run.provide(&program),
            Err(BatchError::Program(messages)) => {
                messages.iter().for_each(|message| output.log(message.to_string()));
            }
            Err(error) => output.log(error.to_string()),
        }
        None
    }
}

/// Keeps the changes of an ended program in files and tables, or backs them out. A program whose changes cannot be kept has
/// ended abnormally, whatever its return code.
fn end(sql: Option<&mut Outside>, ended: Ended, files: Files<'_>, output: &mut dyn Output) -> Ended {
    let keeps = matches!(ended, Ended::Returned(_));
    let lost = files.end(keeps, &mut |text| output.log(text)).err();
    let keeps = keeps && lost.is_none();
    let tables = sql.map_or(Ok(()), |sql| sql.program_ends(keeps));
    let lost = lost.or_else(|| {
        tables.err().map(|why| (TABLES_ABEND, format!("changes of tables are not committed: {why}")))
    });
    match (ended, lost) {
        (Ended::Returned(_), Some((code, why))) => Ended::Abend(code.into(), why),
        (ended, Some((_, why))) => {
            output.log(why);
            ended
        }
        (ended, None) => ended,
    }
}

/// The completion code of a fault.
fn completion(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Data => "S0C7",
        FaultKind::Arithmetic => "S0CB",
        FaultKind::Illegal => "S0C1",
        FaultKind::Runaway => TIME_ABEND,
        FaultKind::Terminated => "S222",
        FaultKind::Storage(_) | FaultKind::StackOverflow => "S0C4",
    }
}

fn storage(fault: &StorageFault) -> Ended {
    Ended::Abend("S0C4".into(), fault.to_string())
}

/// What a program gets as its first parameter: a halfword with the length, and the text.
fn parameter(parm: Option<&str>) -> Vec<u8> {
    let text = parm.unwrap_or_default().as_bytes();
    let text = &text[..text.len().min(PARM_MAX)];
    let mut bytes = (text.len() as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(text);
    // A program may describe more than it was given.
    bytes.resize(size_of::<u16>() + PARM_MAX, b' ');
    bytes
}

/// What is wrong with a program that is not built.
fn refused(failure: Failure) -> BatchError {
    match failure {
        Failure::NotFound(message) => BatchError::Program(vec![*message]),
        Failure::Broken(messages) => BatchError::Program(messages),
    }
}

/// The moment, for services of Language Environment.
pub(crate) fn now() -> Now {
    let zoned = Zoned::now();
    Now { unix_milliseconds: zoned.timestamp().as_millisecond(), offset: zoned.offset().seconds() }
}

/// Answers a CALL of a service of Language Environment; the program's end, if it asks for that.
fn serve(call: &ServiceCall<'_>, century: &mut Century, output: &mut dyn Output) -> Option<Ended> {
    let arguments: Result<Vec<_>, _> = (0..call.arg_count())
        .map(|index| match call.arg(index) {
            Ok(argument) => {
                le::Argument::filled(argument.size(), |bytes| argument.read_first(bytes)).map(Some)
            }
            Err(cobol::AccessError::Missing) => Ok(None),
            Err(error) => Err(error),
        })
        .collect();
    let Ok(mut arguments) = arguments else {
        return Some(Ended::Abend("S0C4".into(), format!("{}: bad address", call.name())));
    };
    let answer = le::call(call.name(), &mut arguments, &now, century);
    for (index, argument) in arguments.iter().enumerate() {
        if let Some(bytes) = argument.as_ref().and_then(le::Argument::changed)
            && call.arg(index).and_then(|argument| argument.write(bytes)).is_err()
        {
            return Some(Ended::Abend("S0C4".into(), format!("{}: bad address", call.name())));
        }
    }
    match answer {
        Some(Answer::Done) => None,
        Some(Answer::Message(text)) => {
            output.print(&String::from_utf8_lossy(&text));
            None
        }
        Some(Answer::Dump(title)) => {
            output.log(format!("dump {}", String::from_utf8_lossy(&title)));
            None
        }
        Some(Answer::Abend(abend)) => {
            Some(Ended::Abend(format!("U{:04}", abend.code), format!("asked for by {}", call.name())))
        }
        Some(Answer::Unhandled(_)) | None => {
            let text = format!("{}: a condition that the program does not handle", call.name());
            Some(Ended::Abend(RUNTIME_ABEND.into(), text))
        }
    }
}
