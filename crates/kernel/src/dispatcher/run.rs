//! One program at its level: its steps, what each comes to, and the way an abend takes out of it.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::contain::{FAILED, Panic, contained, contained_now};
use super::context::Context;
use super::levels::{Back, LevelEnd, Stay, link, load};
use super::way::{self, Way};
use super::{native, own};
use crate::diagnostics;
use crate::exec::{self, Call, Flow, Link, Next, ServiceSeen};
use crate::limits::LEVEL_BYTES;
use crate::name::Name8;
use crate::programs::{Native, Program, Programs};
use crate::raise::{Abend, AbendCode, Outcome, Raise};
use crate::services::{self, RUNTIME_ABEND, Served, Services};
use crate::storage::StorageAddress;
use crate::task::AbendExit;
use crate::task::check_level;
use crate::task::{AbendRecord, Commarea, Task};
use crate::words::escaped;

/// What comes after a program.
pub(super) enum After {
    End(LevelEnd),
    Xctl(Link),
}

impl After {
    fn abended(abend: Abend) -> Self {
        Self::End(LevelEnd::Abended(abend))
    }
}

/// A program of the region itself.
pub(super) async fn run_native(stay: &Stay<'_>, task: Box<Task>, native: &Native) -> Back<After> {
    let mut context = Context::new(stay, task);
    let flow = contained(pin!(native::program(native).run(&mut context))).await;
    let mut task = context.into_task();
    let abend = match flow {
        Ok(Ok(Flow::Xctl(link))) => return (task, After::Xctl(link)),
        Ok(Ok(Flow::On | Flow::Return)) => return (task, After::End(LevelEnd::Returned)),
        Ok(Ok(Flow::Abend(abend))) => abend,
        // It is for `Context` to LINK: a program cannot go on behind what it returns.
        Ok(Ok(Flow::Link(_))) => Abend::from(AbendCode::from(FAILED)),
        Ok(Err(raise)) => Abend::from(raise),
        Err(panic) => {
            let abend = panic.abend(&task);
            record(&mut task, abend);
            Box::pin(diagnostics::dump_abend(&mut task, &stay.images, abend)).await;
            return (task, After::abended(abend));
        }
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

/// A COBOL program, from its start to its end. Each kind has memory of its own: a task keeps that of one of them.
pub(super) async fn run_cobol(stay: &Stay<'_>, task: Box<Task>, program: &Program) -> Back<After> {
    match own::of(&task, program).await {
        Ok(Some(unit)) => Box::pin(own::run(stay, task, &unit)).await,
        Ok(None) => Box::pin(run_hosted(stay, task, program)).await,
        Err(raise) => not_there(task, raise),
    }
}

/// A program that cannot be loaded.
fn not_there(mut task: Box<Task>, raise: Raise) -> Back<After> {
    let abend = match raise {
        Raise::Condition(..) => AbendCode::from("APCT").into(),
        raise => Abend::from(raise),
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

/// A program of the hosted compiler.
async fn run_hosted(stay: &Stay<'_>, mut task: Box<Task>, program: &Program) -> Back<After> {
    let loaded = match load(stay, &task, program).await {
        Ok(loaded) => loaded,
        Err(raise) => return not_there(task, raise),
    };
    sees_twa(&mut task);
    let level = task.level();
    let commarea = level.commarea.as_ref().map_or(StorageAddress::NULL, Commarea::address);
    let mut run = match stay.images.start(&loaded, level.eib.address().in_host(), commarea.in_host()) {
        Ok(run) => run,
        Err(error) => {
            tracing::error!(target: "DS", "task {}: no stack: {error}", task.number);
            let abend = Abend::from(AbendCode::from("AKC1"));
            record(&mut task, abend);
            return (task, After::abended(abend));
        }
    };
    run.limit(runaway_limit(&task));
    // Its image may be in place or not, and its stack be small: it counts for as long as the level lives. What its programs
    // get for their run counts as it comes.
    let commarea = task.level().commarea.as_ref().map_or(0, Commarea::held_bytes);
    let _storage = task.region.dsa.charge(LEVEL_BYTES + loaded.image_size() + commarea);
    let mut reply = 0;
    loop {
        let after;
        (task, after) = step(stay, task, &mut run, reply).await;
        let abend = match after {
            Stepped::On(next) => {
                reply = next;
                continue;
            }
            Stepped::End(after) => match check_level(&task, &stay.images) {
                Ok(()) => return (task, after),
                Err(abend) => {
                    record(&mut task, abend);
                    abend
                }
            },
            Stepped::Abend(abend) => abend,
        };
        let exit = exit_for(&mut task, abend);
        if exit.is_none() {
            diagnostics::dump_abend(&mut task, &stay.images, abend).await;
        }
        if exit.is_some() {
            way::give_way(&task).await;
        }
        match exit {
            Some(AbendExit::Label(label)) => match run.restart(i32::from(label)) {
                Ok(()) => reply = 0,
                Err(_) => return (task, After::abended(abend)),
            },
            Some(AbendExit::Program(name)) => {
                let after = exit_program(&mut task, name);
                return (task, after);
            }
            None => return (task, After::abended(abend)),
        }
    }
}

/// A hosted program goes on: it sees the TWA as natively compiled ones have left it.
fn sees_twa(task: &mut Task) {
    if let Some(window) = &mut task.window {
        window.gives_twa(&mut task.twa);
    }
}

/// The transaction's RUNAWAY, or the region's ICVR; 0 is no limit.
pub(super) fn runaway_limit(task: &Task) -> Option<Duration> {
    let ms = task.transaction.runaway_ms.unwrap_or(task.region.options.runaway_ms);
    (ms > 0).then(|| Duration::from_millis(ms))
}

/// The abend of a task that has not given way for too long.
pub(super) const RUNAWAY: &str = "AICA";
/// The abend of a task that is purged by force while its program runs. One that waits has that of its wait.
pub(super) const PURGED_WHILE_RUNNING: &str = "AEXY";

/// FILE STATUS of a statement about one of COBOL's own files: the file cannot be used in this way.
pub(super) const NO_OWN_FILES: [u8; 2] = *b"37";

/// What one step of a program came to.
pub(super) enum Stepped {
    /// Resume with this.
    On(i32),
    /// The program is over.
    End(After),
    /// An abend of this program, or of one that it LINKed to: recorded where it came.
    Abend(Abend),
}

/// Answers a program where it stands, as far as nothing has to be waited for. What ends in an abend does leave the
/// program, and leaves the abend.
struct InPlace<'a> {
    stay: &'a Stay<'a>,
    task: &'a mut Task,
    abend: Option<Abend>,
}

impl InPlace<'_> {
    fn abends(&mut self, abend: impl Into<Abend>) -> Option<i32> {
        self.abend = Some(abend.into());
        None
    }
}

impl cobol::Answers for InPlace<'_> {
    fn command(&mut self, call: &cobol::ExecCall<'_>) -> Option<i32> {
        match exec::execute_now(self.task, call)? {
            Ok(label) => Some(label),
            Err(code) => self.abends(code),
        }
    }

    fn service(&mut self, call: &cobol::ServiceCall<'_>) -> Option<i32> {
        if exec::is_watched(self.task) {
            return None;
        }
        match services::call_now(Services::of(&self.stay.tcb.region).others(), self.task, call) {
            Ok(Some(Served::On(code))) => Some(code),
            Ok(Some(Served::Abend(abend))) => self.abends(abend),
            Ok(None) => None,
            Err(raise) => self.abends(raise),
        }
    }

    fn program(&mut self, name: &str) -> Option<cobol::Program> {
        let program = Programs::of(&self.task.region).called(Name8::from(name));
        self.stay.tcb.loaded(&program)
    }
}

/// Resumes the program until it wants something that it must wait for, and gives it that.
async fn step(stay: &Stay<'_>, mut task: Box<Task>, run: &mut cobol::Run, reply: i32) -> Back<Stepped> {
    let mut in_place = InPlace { stay, task: &mut task, abend: None };
    let step = contained_now(|| run.resume_answering(reply, &mut in_place));
    if let Some(abend) = in_place.abend {
        return abend_here(task, abend);
    }
    let step = match step {
        Ok(step) => step,
        Err(panic) => return failed(task, &panic),
    };
    let exec = match step {
        cobol::Step::Exec(exec) => exec,
        // As in the published runtime, STOP RUN in a task is a return to the level above.
        cobol::Step::Returned(_) | cobol::Step::StopRun(_) => {
            return (task, Stepped::End(After::End(LevelEnd::Returned)));
        }
        cobol::Step::Display(line) => {
            if task.may_write_line() {
                let line = escaped(&line);
                tracing::info!(target: "SYSOUT", "{} {}: {line}", task.transaction.name, task.number);
            }
            return (task, Stepped::On(0));
        }
        cobol::Step::Service(service) => {
            let control = Arc::clone(&task.control);
            let (program, line) = service.stands_at();
            let _stands = control.stands_at(program, line);
            if !le::SERVICES.contains(&service.name()) {
                way::let_others(&mut task).await;
            }
            let served = async {
                if exec::is_watched(&task) {
                    exec::look_at_service(&mut task, &ServiceSeen::hosted(&service)).await?;
                }
                let served =
                    services::call(Services::of(&stay.tcb.region).others(), &mut task, &service).await?;
                if exec::is_watched(&task) && matches!(served, Served::On(_)) {
                    exec::look_at_answer(&mut task, &ServiceSeen::hosted(&service)).await?;
                }
                Ok::<_, Raise>(served)
            };
            let served = contained(pin!(served)).await;
            return match served {
                Ok(Ok(Served::On(code))) => (task, Stepped::On(code)),
                Ok(Ok(Served::Abend(abend))) => abend_here(task, abend),
                Ok(Err(raise)) => abend_here(task, raise.into()),
                Err(panic) => failed(task, &panic),
            };
        }
        cobol::Step::File(call) => {
            // A task has the region's files, not COBOL's own: OPEN says that this cannot be, and the rest follows.
            return match call.set_status(NO_OWN_FILES) {
                Ok(()) => (task, Stepped::On(0)),
                Err(_) => abend_here(task, AbendCode::from("ASRA").into()),
            };
        }
        cobol::Step::NeedProgram(name) => {
            if let Some(called) = called_program(stay, &task, &name).await {
                run.provide(&called);
            }
            return (task, Stepped::On(0));
        }
        cobol::Step::RuntimeError(error) => {
            // What the published hardware would have refused itself is ASRA; the rest is the runtime's own abend.
            let code = match error.class {
                cobol::ErrorClass::Data | cobol::ErrorClass::Size => "ASRA",
                cobol::ErrorClass::Bound | cobol::ErrorClass::Other => RUNTIME_ABEND,
            };
            let place = stay.tcb.in_own_lines(error.place);
            return gave_up(task, &format!("{}, {place}", error.message), code);
        }
        cobol::Step::MissingProgram(name) => {
            let why = format!("CALL of {name}: there is no such program{}", instead_of(&name));
            return gave_up(task, &why, RUNTIME_ABEND);
        }
        cobol::Step::Fault(fault) => {
            let code = match fault.kind {
                cobol::FaultKind::Runaway => RUNAWAY,
                cobol::FaultKind::Terminated => PURGED_WHILE_RUNNING,
                _ => "ASRA",
            };
            let place = stay.tcb.in_own_lines(fault.place);
            return gave_up(task, &format!("{}, {place}", fault.kind), code);
        }
    };
    // A module that was made for another region brings what is no command here.
    let Some(call) = Call::new(&exec).or_else(|| Call::unbuilt(&exec)) else {
        return abend_here(task, AbendCode::from("AEY9").into());
    };
    let control = Arc::clone(&task.control);
    let (program, line) = exec.stands_at();
    let stands = control.stands_at(program, line);
    let (answered, way) = way::answered(&mut task, &call).await;
    drop(stands);
    let stepped = match behind(stay, task, answered) {
        ControlFlow::Break(stepped) => stepped,
        ControlFlow::Continue((task, to)) => {
            let (mut task, end) = link(stay, task, to).await;
            sees_twa(&mut task);
            linked(task, &call, end).await
        }
    };
    if let Way::Kept(outside) = way {
        run.has_not_given_way(outside);
    }
    stepped
}

/// What comes behind a command's answer: the program's next step, or the program that the command LINKs to.
pub(super) fn behind(
    stay: &Stay<'_>,
    task: Box<Task>,
    answered: Result<Result<Next, AbendCode>, Panic>,
) -> ControlFlow<Back<Stepped>, (Box<Task>, Link)> {
    let to = match answered {
        Ok(Ok(Next::Flow(Flow::Link(to)))) => to,
        Ok(Ok(Next::Program(label))) => return ControlFlow::Break((task, Stepped::On(label))),
        Ok(Ok(Next::Flow(Flow::On))) => return ControlFlow::Break((task, Stepped::On(0))),
        Ok(Ok(Next::Flow(Flow::Return))) => {
            return ControlFlow::Break((task, Stepped::End(After::End(LevelEnd::Returned))));
        }
        Ok(Ok(Next::Flow(Flow::Xctl(link)))) => {
            return ControlFlow::Break((task, Stepped::End(After::Xctl(link))));
        }
        Ok(Ok(Next::Flow(Flow::Abend(abend)))) => return ControlFlow::Break(abend_here(task, abend)),
        Ok(Err(code)) => return ControlFlow::Break(abend_here(task, code.into())),
        Err(panic) => return ControlFlow::Break(failed(task, &panic)),
    };
    match check_level(&task, &stay.images) {
        Ok(()) => ControlFlow::Continue((task, to)),
        Err(abend) => ControlFlow::Break(abend_here(task, abend)),
    }
}

/// The program that a command has LINKed to is over.
pub(super) async fn linked(
    mut task: Box<Task>,
    call: &Call<'_>,
    end: Result<Outcome, Abend>,
) -> Back<Stepped> {
    match end {
        Err(abend) => (task, Stepped::Abend(abend)),
        Ok(outcome) => {
            let behind = contained(pin!(exec::came_back(&mut task, call, outcome))).await;
            match behind {
                Ok(Ok(label)) => (task, Stepped::On(label)),
                Ok(Err(code)) => abend_here(task, code.into()),
                Err(panic) => failed(task, &panic),
            }
        }
    }
}

/// The program of a COBOL CALL, if there is one: it needs no definition of its own.
async fn called_program(stay: &Stay<'_>, task: &Task, name: &str) -> Option<cobol::Program> {
    let program = Programs::of(&task.region).called(Name8::from(name));
    load(stay, task, &program).await.ok()
}

/// What a task should do instead of a CALL of a routine of the COBOL runtime that touches the process.
pub(super) fn instead_of(routine: &str) -> &'static str {
    let is_one = ["CBL_", "C$", "X'", "SYSTEM", "EXTFH"].iter().any(|start| routine.starts_with(start));
    if is_one { " for tasks: files, time and programs are asked for by EXEC CICS" } else { "" }
}

/// An abend whose reason only the log can tell in full.
pub(super) fn gave_up(mut task: Box<Task>, why: &str, code: &str) -> Back<Stepped> {
    // The runtime's reasons may have several lines, and name what the program names.
    let why = why.replace('\n', "; ");
    let why = escaped(&why);
    if task.may_write_line() {
        tracing::error!(target: "AP", "task {} ({}), program {}: {why}", task.number, task.transaction.name, task.level().program);
    }
    task.abend_reason = Some(why.into_owned());
    abend_here(task, AbendCode::from(code).into())
}

/// The region's own code has failed in what the program asked for.
#[cold]
pub(super) fn failed(task: Box<Task>, panic: &Panic) -> Back<Stepped> {
    let abend = panic.abend(&task);
    abend_here(task, abend)
}

/// An abend of the program at this level.
pub(super) fn abend_here(mut task: Box<Task>, abend: Abend) -> Back<Stepped> {
    record(&mut task, abend);
    (task, Stepped::Abend(abend))
}

/// Notes an abend where it comes.
pub(super) fn record(task: &mut Task, abend: Abend) {
    let program = task.level().program;
    let reason = task.abend_reason.take();
    task.abend = Some(AbendRecord::new(abend, program, reason));
}

/// The exit that an abend takes at this level, if any.
pub(super) fn exit_for(task: &mut Task, abend: Abend) -> Option<AbendExit> {
    // A purged task, and one whose terminal is gone, must end: no exit may keep it.
    if abend.cancel || task.control.is_purged() { None } else { task.level_mut().handles.take_abend_exit() }
}

/// HANDLE ABEND PROGRAM: it gets the level, with its COMMAREA.
pub(super) fn exit_program(task: &mut Task, name: Name8) -> After {
    let Ok(program) = Programs::of(&task.region).usable(name) else {
        let abend = Abend::from(AbendCode::from("AEI0"));
        record(task, abend);
        return After::abended(abend);
    };
    let level = task.level_mut();
    let (commarea, channel) = (level.commarea.take(), level.channel.take());
    After::Xctl(Link { program, commarea, channel, input_message: None })
}
