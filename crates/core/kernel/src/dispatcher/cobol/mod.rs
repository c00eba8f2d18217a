//! A level whose program is COBOL: its steps, what each comes to, and the way an abend takes out of it.
//!
//! A program is left at each of its calls and entered again: nothing of it stays on a stack, and all its storage is the task's
//! window.

mod activation;
mod again;
mod below;
mod call;
mod cells;
mod command;
mod found;
mod heap;
mod here;
mod linked;
mod pace;
mod rests;
mod seen;
mod service;
mod spare;
mod walk;

use std::sync::Arc;
use std::time::Duration;

use cobol_ir::program::files::FileOperation;
use cobol_ir::program::{BlockId, Leave, Line, Service};
use cobol_run::{Abend as Ended, Answer, Call as Asked, Host, Machine, Moment, Passed, ProgramFault};
use native::Unit;

use super::abends::{PURGED_WHILE_RUNNING, RUNAWAY, exit_for, record, runaway_limit};
use super::contain::contained_now;
use super::stay::{After, Back, Entered, LevelEnd, Running, Stay};
use super::steps::{NO_OWN_FILES, Stepped, abend_here, exit_program, failed, gave_up};
use super::way;
use crate::clock;
use crate::debugging::{self, is_debugged, rests_at};
use crate::diagnostics;
use crate::exec::Flow;
use crate::limits::{COMMAREA_UNSEEN_MIN, LEVEL_BYTES};
use crate::name::Name8;
use crate::places::{ProgramPlace, SourceLine};
use crate::programs::{self, Program, ProgramLevel};
use crate::raise::{Abend, AbendCode};
use crate::region::Looks;
use crate::services::RUNTIME_ABEND;
use crate::storage::{self, Window};
use crate::task::{AbendExit, Commarea, Eib, Task};
use activation::{Active, CallTarget, Programs, Wanted};
use pace::Pace;
use rests::Inside;
use rests::Rests;
pub(super) use spare::Spares;

/// One level.
struct Level {
    programs: Programs,
    heap: heap::Heap,
    limit: Option<Duration>,
    /// Its number among those whose time is watched.
    number: u64,
    /// True if it has given way since its program ran last: its time starts again then.
    has_given_way: bool,
    /// Arguments of the command that is answered, kept so that no command asks for memory.
    arguments: Vec<Passed>,
    /// The call of the host for which code was left, if these are its arguments: they were found where its program stands.
    passed: Option<u32>,
    /// The outcome of a command that was answered within code, if code was left for it.
    pending: Option<Result<Rests, ProgramFault>>,
    /// The number of the TCB on which it runs.
    tcb: usize,
    /// The number of levels above it within whose code it was entered.
    within: u8,
    /// The level below, as its program has left it, while code runs.
    below: Option<Box<below::Below>>,
    /// The number of changes to the region's programs when it began.
    changes: u64,
}

/// A program, from its start to its end.
pub(super) async fn run(stay: &Stay<'_>, mut task: Box<Task>, unit: &Arc<Unit>) -> Back<After> {
    if let Err(why) = local_storage_is_there(&task, &CallTarget::beginning(unit, 0)) {
        let (task, _) = gave_up(task, &why, RUNTIME_ABEND);
        return (task, After::End(LevelEnd::Abended(AbendCode::from(RUNTIME_ABEND).into())));
    }
    let level = match enter(stay, &mut task, unit) {
        Ok(level) => level,
        Err(fault) => {
            let name = task.level().program;
            let (task, stepped) = gave_up(task, &format!("{fault}: there is no room for {name}"), "AKC1");
            let Stepped::Abend(abend) = stepped else { return (task, After::End(LevelEnd::Returned)) };
            return (task, After::End(LevelEnd::Abended(abend)));
        }
    };
    goes_on(stay, task, level, None).await
}

impl Entered for Inside {
    fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn goes_on<'a>(self: Box<Self>, stay: &'a Stay<'_>, task: Box<Task>) -> Running<'a, After> {
        let Self { level, rests, .. } = *self;
        Box::pin(goes_on(stay, task, Box::new(level), Some(Box::new(rests))))
    }
}

/// The first thing that a program has come to, already. It is kept apart: every task that waits would have room for it.
type First = Box<Result<Rests, Ended>>;

/// A level runs to its end. `first`: what its program has come to already.
async fn goes_on(
    stay: &Stay<'_>,
    task: Box<Task>,
    mut level: Box<Level>,
    first: Option<First>,
) -> Back<After> {
    let commarea = task.level().commarea.as_ref().map_or(0, Commarea::held_bytes);
    // What its programs have is counted where they are entered.
    let _storage = task.region.dsa.charge(LEVEL_BYTES + commarea);
    let (mut task, after) = steps(stay, task, &mut level, first).await;
    level.is_over(&mut task, matches!(after, After::End(LevelEnd::Returned)));
    (task, after)
}

/// LOCAL-STORAGE is refused where all tasks together have what they may have.
///
/// # Errors
/// The reason.
fn local_storage_is_there(task: &Task, target: &CallTarget) -> Result<(), String> {
    let bytes = target.unit.program(target.program).map_or(0, |code| code.program().local.len());
    if bytes == 0 {
        return Ok(());
    }
    let dsa = &task.region.dsa;
    let is_there = dsa.take(bytes);
    // What the level has is counted when it runs. A refusal leaves the region short until a task gives storage back.
    dsa.give(if is_there { bytes } else { 0 });
    if is_there {
        return Ok(());
    }
    Err(format!(
        "there is no storage for {bytes} bytes of LOCAL-STORAGE: what all tasks may have together is used up"
    ))
}

async fn steps(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    mut first: Option<First>,
) -> Back<After> {
    loop {
        let stepped;
        (task, stepped) = step(stay, task, level, first.take()).await;
        let abend = match stepped {
            Stepped::On(_) => continue,
            Stepped::End(after) => match level.show_commarea(&task) {
                Ok(()) => return (task, after),
                Err(abend) => {
                    record(&mut task, abend);
                    abend
                }
            },
            Stepped::Abend(abend) => abend,
        };
        // What the program has done so far its caller sees; that an abend has come is known already.
        let _ = level.show_commarea(&task);
        let exit = exit_for(&mut task, abend);
        if exit.is_none() {
            level.rests(&mut task);
            diagnostics::dump_abend(&mut task, abend).await;
            level.runs_again(&mut task);
        }
        if exit.is_some() {
            way::give_way(&task).await;
        }
        match exit {
            Some(AbendExit::Label(label)) if level.go_to(&mut task, i32::from(label)).is_ok() => {
                level.gives_way();
            }
            Some(AbendExit::Program(name)) => {
                let after = exit_program(&mut task, name);
                return (task, after);
            }
            _ => return (task, After::End(LevelEnd::Abended(abend))),
        }
    }
}

/// The level of a program that starts: its interface block and its COMMAREA get their parts of the window.
fn enter(stay: &Stay<'_>, task: &mut Task, unit: &Arc<Unit>) -> Result<Box<Level>, ProgramFault> {
    if let Some(level) = Spares::of(stay.tcb).begin(task, unit) {
        return Ok(level);
    }
    let mut window = task.window.take().unwrap_or_else(|| Box::new(Window::sharing(&task.region.arena)));
    window.takes_twa(&task.twa);
    let mut programs = Programs::of(&task.region.dsa);
    let entered = (|| {
        let eib = &task.level().eib;
        let mut block = [0; Eib::LENGTH];
        eib.copy_to(&mut block);
        programs.interface[0] = programs.hold(&mut window, &block)?;
        window.share(programs.interface[0], block.len(), eib.address());
        let commarea = task.level().commarea.as_ref();
        // Without a COMMAREA there is nothing: it has no address, and zeros to look at. What tasks share lies where it is.
        if let Some(at) = commarea.and_then(|commarea| task.region.arena.at(commarea.address())) {
            programs.interface[1] = at;
        } else if let Some(commarea) = commarea {
            let length = commarea.length();
            let room = length.max(below::declared_commarea(unit));
            programs.has_commarea(&mut window, commarea.address(), length, room);
            let is_looked_at = task.region.looks.any(Looks::WATCHED | Looks::DEBUGGED);
            if length < COMMAREA_UNSEEN_MIN || is_looked_at {
                programs.sees_commarea(&mut window)?;
            }
        }
        programs.enter(&mut window, &CallTarget::beginning(unit, 0), &[])
    })();
    match entered {
        Ok(()) => {
            task.window = Some(window);
            Ok(Box::new(Level { programs, ..Level::of(task, stay.tcb.index, 0) }))
        }
        Err(fault) => {
            programs.end(&mut window);
            task.window = Some(window);
            Err(fault)
        }
    }
}

impl Level {
    /// One of which no program is entered yet, on a TCB, within the code of so many levels above it.
    fn of(task: &Task, tcb: usize, within: u8) -> Self {
        Self {
            programs: Programs::of(&task.region.dsa),
            heap: heap::Heap::of(&task.region.dsa),
            limit: runaway_limit(task),
            number: pace::number_of_level(),
            has_given_way: true,
            arguments: Vec::new(),
            passed: None,
            pending: None,
            tcb,
            within,
            below: None,
            changes: programs::Programs::of(&task.region).changes(),
        }
    }

    /// Its program has given way: its time begins again when it goes on.
    fn gives_way(&mut self) {
        self.has_given_way = true;
    }

    /// The first letters of the name of the program that runs.
    fn shown_as(&mut self) -> Name8 {
        let Some(active) = self.programs.stack.last_mut() else { return Name8::default() };
        if let Some(name) = active.shown {
            return name;
        }
        let name = Name8::from(active.code().map_or("", |code| code.program().name.as_str()));
        active.shown = Some(name);
        name
    }

    /// The program and the statement at the end of a block.
    fn stands_at(&self, block: BlockId) -> Option<ProgramPlace> {
        let active = self.programs.stack.last()?;
        Some(place_of(&active.code()?.abend_at(ProgramFault::Host, block), Some(&active.unit)))
    }

    /// Copies the program's COMMAREA to the place where its caller finds it.
    fn show_commarea(&self, task: &Task) -> Result<(), Abend> {
        let Some(commarea) = &task.level().commarea else { return Ok(()) };
        let Some(window) = &task.window else { return Ok(()) };
        let at = self.programs.commarea_at(window);
        let Some(bytes) = at.and_then(|at| window.read(at, commarea.length())) else { return Ok(()) };
        let written = storage::write(commarea.address(), &bytes);
        written.map_err(|_| Abend::from(AbendCode::from("ASRA")))
    }

    /// The interface block as the last command has left it.
    #[inline]
    fn show_eib(&self, task: &mut Task) {
        let (mut window, at) = (task.window.take(), self.programs.interface[0]);
        let into = window.as_mut().and_then(|window| window.part(at, Eib::LENGTH));
        if let Some(into) = into.and_then(|into| into.first_chunk_mut()) {
            task.level().eib.copy_to(into);
        }
        task.window = window;
    }

    /// Goes on at a label that HANDLE has named; 0 is behind the command.
    fn go_to(&mut self, task: &mut Task, label: i32) -> Result<(), ProgramFault> {
        let label = u32::try_from(label).ok().and_then(|label| label.checked_sub(1));
        // A label is one of the program that has named it.
        let label = match label {
            Some(label) => {
                let window = task.window.as_mut().ok_or(ProgramFault::Host)?;
                Some(self.programs.back_to_label(window, label)?)
            }
            None => None,
        };
        let active = self.programs.stack.last_mut().ok_or(ProgramFault::Host)?;
        let code = active.unit.program(active.program).ok_or(ProgramFault::Host)?;
        active.at = match label {
            None => code.behind(active.at, Answer::Continue)?,
            Some(label) => code.label(label)?,
        };
        Ok(())
    }

    /// EXIT PROGRAM goes on behind it in the level's first program, and leaves any other.
    fn answer_is_called(&mut self) -> Result<(), ProgramFault> {
        let answer = if self.programs.stack.len() > 1 { Answer::Continue } else { Answer::NoProgram };
        let active = self.programs.stack.last_mut().ok_or(ProgramFault::Host)?;
        let code = active.unit.program(active.program).ok_or(ProgramFault::Host)?;
        active.at = code.behind(active.at, answer)?;
        Ok(())
    }

    /// Runs the program to its next call, to its end, or to a statement in front of which its debugger has it rest.
    fn resume(&mut self, task: &mut Task) -> Result<Rests, Ended> {
        loop {
            let rests = self.stretch(task)?;
            let Rests::Statement(..) = rests else { return Ok(rests) };
            let Some((active, callers)) = self.programs.stack.split_last() else { return Ok(rests) };
            if rests_at(task, callers, active) {
                return Ok(rests);
            }
        }
    }

    /// The same, to any statement if there is a debugger.
    fn stretch(&mut self, task: &mut Task) -> Result<Rests, Ended> {
        Pace::here(|pace| self.stretch_at(task, pace))
    }

    fn stretch_at(&mut self, task: &mut Task, pace: &Pace) -> Result<Rests, Ended> {
        let goes_on = pace.goes_on(&task.control, self.number, self.limit, self.has_given_way);
        goes_on.map_err(|_| failed_of_host())?;
        (self.has_given_way, self.passed) = (false, None);
        let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
        let rests = match active.code() {
            // Calls take most of a loop's time: the flag might be up while none of its code runs.
            Some(code) if pace.must_stop() => Err(code.abend_at(ProgramFault::Stopped, active.at)),
            // A program that rests within a block, whose debugger has gone meanwhile, is walked out of it.
            _ if is_debugged(&task.region) || active.stand.is_some() => self.walk(task, pace),
            _ => self.run_code(task, pace),
        };
        if let Some(window) = &mut task.window {
            self.gives_up(window);
        }
        pace.rests();
        rests
    }

    /// Walks the program.
    fn walk(&mut self, task: &mut Task, pace: &Pace) -> Result<Rests, Ended> {
        let active = self.programs.stack.last_mut().ok_or_else(failed_of_host)?;
        let unit = Arc::clone(&active.unit);
        let code = unit.program(active.program).ok_or_else(failed_of_host)?;
        let (window, frame) = (task.window.take(), active.frame.take());
        let (Some(mut window), Some(mut frame)) = (window, frame) else { return Err(failed_of_host()) };
        let mut machine = Machine::resumed(code.program(), &mut window.storage, &mut frame);
        let rests = walk::walk(&mut machine, active, &mut Shown { task: &*task }, pace.flag());
        task.window = Some(window);
        active.frame = Some(frame);
        active.stand = None;
        match &rests {
            Ok(Rests::Host(block)) => {
                active.at = *block;
                active.line = code.program().blocks[block.0 as usize].line;
            }
            Ok(Rests::Statement(stand, line)) => {
                (active.at, active.line, active.stand) = (stand.block, *line, Some(*stand));
            }
            Ok(_) => {}
            Err(ended) => stands_at(active, &ended.line),
        }
        rests
    }

    /// Its programs are where others find them: a command is answered, or a dump is taken.
    fn rests(&mut self, task: &mut Task) {
        let depth = task.depth();
        self.rests_at(task, depth);
    }

    /// The same of a level so deep among those of the task.
    fn rests_at(&mut self, task: &mut Task, depth: usize) {
        let programs = std::mem::take(&mut self.programs.stack);
        task.program_levels.push(ProgramLevel { depth, programs });
    }

    /// They are here again.
    fn runs_again(&mut self, task: &mut Task) {
        if let Some(own) = task.program_levels.pop() {
            self.programs.stack = own.programs;
        }
    }
}

/// Records of the linkage section have other addresses from now on.
fn readdress(records: &mut [u32], linkage: &[(u32, u32)]) {
    for (index, address) in linkage {
        if let Some(record) = records.get_mut(*index as usize) {
            *record = *address;
        }
    }
}

/// End of a level whose program is not there.
fn failed_of_host() -> Ended {
    Ended { fault: ProgramFault::Host, program: String::new(), line: Line { line: 0, member: None } }
}

/// The statement at which a program has failed.
fn stands_at(active: &mut Active, line: &Line) {
    let Some(code) = active.unit.program(active.program) else { return };
    let program = code.program();
    if let Some(found) = program.lines.iter().position(|known| known == line) {
        active.line = found as u32;
        active.at = program.block_of(active.line).unwrap_or(active.at);
    }
}

/// The host of a program while it runs: it shows lines, and answers nothing.
struct Shown<'t> {
    task: &'t Task,
}

impl Host for Shown<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.task.displays(text, advancing);
    }

    fn call(&mut self, _: &mut Asked<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

/// Takes a call's arguments, to be answered when the program rests.
#[derive(Default)]
struct Taken {
    name: Vec<u8>,
    arguments: Vec<Passed>,
    returning: Option<(u32, u32)>,
    /// It asks for a line of input: no operator types one.
    accepts: bool,
}

impl Host for Taken {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, call: &mut Asked<'_>) -> Result<Answer, ProgramFault> {
        if let Service::Accept(_) = call.service {
            let now = clock::Moment::now();
            self.accepts = !call.give_moment(Moment { unix_ms: now.unix_ms, offset_s: now.offset_s });
            return Ok(Answer::Continue);
        }
        self.returning = call.returning;
        if let (Service::File(..), Some((at, length))) = (call.service, call.returning) {
            let mut answer = vec![0; length as usize];
            answer[..NO_OWN_FILES.len()].copy_from_slice(&NO_OWN_FILES);
            call.task.write(at, &answer);
        }
        self.name = std::mem::take(&mut call.name);
        self.arguments = std::mem::take(&mut call.arguments);
        Ok(Answer::Continue)
    }
}

/// Runs the program to its next call, and answers that.
async fn step(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    first: Option<First>,
) -> Back<Stepped> {
    let reached = match first {
        Some(first) => Ok(*first),
        None => contained_now(|| level.resume(&mut task)),
    };
    let reached = match reached {
        Ok(reached) => reached,
        Err(panic) => return failed(task, &panic),
    };
    let block = match reached {
        Ok(Rests::Left(how)) => return left(task, level, how),
        Ok(Rests::Host(block)) => block,
        Ok(Rests::Statement(..)) => return rested(task, level).await,
        Ok(Rests::Label(_)) => return (task, Stepped::On(0)),
        Ok(Rests::Return) => return (task, Stepped::End(After::End(LevelEnd::Returned))),
        Ok(Rests::Flow(flow)) if matches!(*flow, Flow::Return) => {
            return (task, Stepped::End(After::End(LevelEnd::Returned)));
        }
        // Only RETURN passes control where its program stands.
        Ok(Rests::Flow(_)) => return abend_here(task, AbendCode::from(super::contain::FAILED).into()),
        Ok(Rests::Abend(abend)) => return abend_here(task, abend),
        Ok(Rests::Failed(panic)) => return failed(task, &panic),
        Ok(Rests::Linked(inside)) => return command::linked_inside(stay, task, level, inside).await,
        Ok(Rests::NoRoom(fault)) => {
            let program = task.level().program;
            return gave_up(task, &format!("{fault}: there is no room for {program}"), "AKC1");
        }
        Err(ended) => return ended_badly(task, level, &ended),
    };
    match answered(stay, task, level, block).await {
        (task, Ok(stepped)) => (task, stepped),
        (task, Err(fault)) => {
            let ended =
                level.programs.stack.last().and_then(|active| Some(active.code()?.abend_at(fault, block)));
            match ended {
                Some(ended) => ended_badly(task, level, &ended),
                None => abend_here(task, AbendCode::from("ASRA").into()),
            }
        }
    }
}

/// A program rests in front of a statement, and goes on.
async fn rested(mut task: Box<Task>, level: &mut Level) -> Back<Stepped> {
    level.rests(&mut task);
    let outcome = debugging::rest(&mut task).await;
    level.runs_again(&mut task);
    level.gives_way();
    match outcome {
        Ok(()) => (task, Stepped::On(0)),
        Err(raise) => abend_here(task, raise.into()),
    }
}

/// The program that runs is over: its caller goes on, or the level is over.
fn left(mut task: Box<Task>, level: &mut Level, how: Leave) -> Back<Stepped> {
    let over = level.programs.stack.len() <= 1 || how == Leave::StopRun;
    let Some(window) = task.window.as_mut().filter(|_| !over) else {
        return (task, Stepped::End(After::End(LevelEnd::Returned)));
    };
    let called = level.programs.leave(window);
    if let (Some((called, returned)), Some(caller)) = (called, level.programs.stack.last()) {
        call::give_back(window, &called, returned.as_deref(), caller);
    }
    match level.go_to(&mut task, 0) {
        Ok(()) => (task, Stepped::On(0)),
        Err(_) => abend_here(task, AbendCode::from("ASRA").into()),
    }
}

/// Message to a task that asks for a line of input.
const NO_INPUT: &str = "a task has no console to ACCEPT from: use EXEC CICS RECEIVE";

/// Ends a program badly: a fault that the machine would have refused itself is ASRA; the rest is as of the runtime.
fn ended_badly(mut task: Box<Task>, level: &Level, ended: &Ended) -> Back<Stepped> {
    if ended.fault == ProgramFault::Stopped
        && !is_to_end(&task)
        && let Err(raise) = task.last_look()
    {
        return abend_here(task, raise.into());
    }
    let code = match ended.fault {
        ProgramFault::Data | ProgramFault::Protection | ProgramFault::Divide => "ASRA",
        ProgramFault::Range | ProgramFault::Argument | ProgramFault::External | ProgramFault::NoProgram => {
            RUNTIME_ABEND
        }
        ProgramFault::Stopped if is_to_end(&task) => PURGED_WHILE_RUNNING,
        ProgramFault::Stopped => RUNAWAY,
        ProgramFault::Host => super::contain::FAILED,
    };
    let why = match ended.fault {
        ProgramFault::Data => String::from("a calculation with bytes that are not a number"),
        ProgramFault::Divide => String::from("division by zero or overflow"),
        ProgramFault::Protection => String::from("an address that is not storage of the task"),
        ProgramFault::Stopped if code == PURGED_WHILE_RUNNING => String::from("it was ended while it ran"),
        ProgramFault::Stopped => String::from("it ran for longer than its runaway limit without giving way"),
        other => other.to_string(),
    };
    let unit = level.programs.stack.last().map(|active| &active.unit);
    gave_up(task, &format!("{why}, {}", place_of(ended, unit)), code)
}

/// The place at which a program of a unit has ended.
fn place_of(ended: &Ended, unit: Option<&Arc<Unit>>) -> ProgramPlace {
    let program = &ended.program;
    let source = unit.map_or(program.as_str(), |unit| unit.source());
    let file = ended.line.member.clone().unwrap_or_else(|| source.to_owned());
    let line = (ended.line.line > 0).then_some(SourceLine { file, line: ended.line.line });
    ProgramPlace { program: program.clone(), line }
}

fn is_to_end(task: &Task) -> bool {
    task.control.is_terminated()
}

/// A call of the host, answered. The error is a fault at its statement.
async fn answered(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    block: BlockId,
) -> Back<Result<Stepped, ProgramFault>> {
    let Some(active) = level.programs.stack.last() else { return (task, Err(ProgramFault::Host)) };
    let unit = Arc::clone(&active.unit);
    let (place, site) = (active.program, active.code().and_then(|code| code.site(block)).unwrap_or(u32::MAX));
    let service = unit.program(place).and_then(|code| code.program().sites.get(site as usize));
    let service = service.map(|site| &site.service);
    if let Some(Service::Exec(_)) = service {
        return command::command(stay, task, level, site).await;
    }
    let taken = match take(&mut task, level, site) {
        Ok(taken) => taken,
        Err(fault) => return (task, Err(fault)),
    };
    match service {
        Some(Service::Exec(_)) | None => (task, Err(ProgramFault::Host)),
        Some(Service::Call(name)) => {
            let (task, answered) = call::call(task, level, call::Called::Named(name), &taken.arguments).await;
            level.arguments = taken.arguments;
            (task, answered)
        }
        Some(Service::CallNamed(_)) => {
            let name = String::from_utf8_lossy(&taken.name).trim_end().to_uppercase();
            call::call(task, level, call::Called::Held(&name), &taken.arguments).await
        }
        Some(Service::Declarative { program, entry }) => {
            let outer = CallTarget {
                entry: Some(*entry as usize),
                ..CallTarget::beginning(&unit, *program as usize)
            };
            let Some(window) = task.window.as_mut() else { return (task, Err(ProgramFault::Host)) };
            let entered = match level.programs.may_go_deeper() {
                true => level.programs.enter_again(window, &outer),
                false => Err(ProgramFault::Protection),
            };
            (task, entered.map(|()| Stepped::On(0)))
        }
        Some(Service::Cancel(name)) => call::cancel(task, level, name),
        Some(Service::CancelNamed(_)) => {
            let name = String::from_utf8_lossy(&taken.name).trim_end().to_uppercase();
            call::cancel(task, level, &name)
        }
        Some(Service::Accept(_)) if taken.accepts => {
            let place = level.stands_at(block).map_or_else(String::new, |place| format!(", {place}"));
            let (task, stepped) = gave_up(task, &format!("{NO_INPUT}{place}"), RUNTIME_ABEND);
            (task, Ok(stepped))
        }
        // OPEN has said that a task has no files of COBOL; a program that does nothing about that ends, and SORT is no statement
        // of a task at all.
        Some(Service::File(_, operation))
            if operation.is_of_sort() || *operation == FileOperation::Failed =>
        {
            let why = format!("{}: a task has the region's files, by EXEC CICS", operation.name());
            let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
            (task, Ok(stepped))
        }
        Some(Service::Allocate) => {
            let allocated = heap::allocate(&mut task, level, &taken);
            let gone_on = allocated.and_then(|()| level.go_to(&mut task, 0));
            (task, gone_on.map(|()| Stepped::On(0)))
        }
        Some(Service::Free) => heap::free(task, level, &taken, block),
        Some(Service::IsCalled) => (task, level.answer_is_called().map(|()| Stepped::On(0))),
        Some(Service::Accept(_) | Service::File(..)) => {
            let gone_on = level.go_to(&mut task, 0);
            (task, gone_on.map(|()| Stepped::On(0)))
        }
    }
}

/// The arguments of a command, in the place that the level keeps for them.
fn arguments(task: &mut Task, level: &mut Level, site: u32) -> Result<Vec<Passed>, ProgramFault> {
    if level.passed.take() == Some(site) {
        return Ok(std::mem::take(&mut level.arguments));
    }
    let active = level.programs.stack.last_mut().ok_or(ProgramFault::Host)?;
    let code = active.unit.program(active.program).ok_or(ProgramFault::Host)?;
    let window = task.window.as_mut().ok_or(ProgramFault::Host)?;
    let frame = active.frame.as_mut().ok_or(ProgramFault::Host)?;
    let mut arguments = std::mem::take(&mut level.arguments);
    Machine::resumed(code.program(), &mut window.storage, frame).pass_all(site, &mut arguments)?;
    for argument in &mut arguments {
        if let Passed::Label(label) = argument {
            *label = level.programs.name_label(*label);
        }
    }
    Ok(arguments)
}

/// The arguments of a call.
fn take(task: &mut Task, level: &mut Level, site: u32) -> Result<Taken, ProgramFault> {
    let active = level.programs.stack.last_mut().ok_or(ProgramFault::Host)?;
    if level.passed.take() == Some(site) {
        // Only a CALL without RETURNING is passed so.
        active.wanted = None;
        return Ok(Taken { arguments: std::mem::take(&mut level.arguments), ..Taken::default() });
    }
    let code = active.unit.program(active.program).ok_or(ProgramFault::Host)?;
    let window = task.window.as_mut().ok_or(ProgramFault::Host)?;
    let frame = active.frame.as_mut().ok_or(ProgramFault::Host)?;
    let mut taken = Taken::default();
    let answer = Machine::resumed(code.program(), &mut window.storage, frame).host_call(site, &mut taken);
    let forms = &code.program().returned;
    let form = forms.iter().find(|(own, _)| *own == site).map(|(_, form)| *form);
    active.wanted = taken.returning.map(|(at, length)| Wanted { at, length: length as usize, form });
    answer.map(|_| taken)
}
