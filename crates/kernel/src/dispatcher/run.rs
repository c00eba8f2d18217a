//! Running programs: link levels, XCTL, RETURN, and the way an abend takes through them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spec::cond;
use tokio::sync::oneshot;

use super::Attach;
use super::tcb::{Tcb, Visit, Work};
use crate::exec::eib::Eib;
use crate::exec::handles::AbendExit;
use crate::exec::{self, Call, Flow, Link, Next};
use crate::name::Name8;
use crate::programs::{LoadError, Native, Program};
use crate::raise::{Abend, AbendCode, Outcome, Raise, RaiseCondition};
use crate::services::{self, RUNTIME_ABEND, Served};
use crate::task::{AbendRecord, Commarea, Level, Task, TaskControl, TaskParts, WaitKind};
use crate::transactions::Transaction;

/// How a link level, or a whole task, ends.
pub(crate) enum LevelEnd {
    /// RETURN, or the program's end.
    Returned,
    /// Abnormally: the task's abend record says how.
    Abended(Abend),
}

/// A task's stay on one TCB: for all of its life, or for one program that must run there.
pub(crate) struct Stay<'a> {
    tcb: &'a Tcb,
    images: cobol::Task,
}

impl<'a> Stay<'a> {
    pub fn new(tcb: &'a Tcb) -> Self {
        Self { tcb, images: tcb.host.task() }
    }
}

/// A task that comes back from a program.
type Back<T> = (Box<Task>, T);

/// Runs a task's first program, and all that come of it.
pub(super) async fn first_program(
    tcb: &Tcb,
    attach: Attach,
    transaction: &Arc<Transaction>,
    control: &Arc<TaskControl>,
) -> Back<LevelEnd> {
    let parts = TaskParts {
        number: control.number,
        transaction: Arc::clone(transaction),
        start_code: attach.start_code,
        user: attach.user,
        terminal: attach.terminal,
        control: Arc::clone(control),
        start_data: attach.start_data,
        trigger_queue: attach.trigger_queue,
        child: attach.child,
    };
    let mut task = Box::new(Task::new(&tcb.region, parts));
    let mut eib = Eib::default();
    eib.set_task(task.number, transaction.name, control.terminal);
    eib.set_stamp(&task.started);
    if let Some(terminal) = &task.terminal {
        let (aid, cursor) = terminal.last_key();
        eib.set_input(task.region.terminal_code_page.to_program_table()[usize::from(aid.code())], cursor.0);
    }
    let mut level = Level::new(transaction.program, eib);
    level.commarea = attach.commarea.map(|bytes| Commarea::held(&bytes));
    level.eib.set_commarea_length(level.commarea.as_ref().map_or(0, Commarea::length));
    level.channel = attach.channel;
    level.input_message = attach.input_message;
    task.enter(level);
    match task.region.programs.usable(transaction.program) {
        Ok(program) => run_program(&Stay::new(tcb), task, program).await,
        Err(_) => {
            let abend = Abend::from(AbendCode::from("APCT"));
            record(&mut task, abend);
            task.leave();
            (task, LevelEnd::Abended(abend))
        }
    }
}

/// Runs the program of the level that was just entered, on whichever TCB it must run. The level is left at the end.
async fn run_program(stay: &Stay<'_>, task: Box<Task>, program: Arc<Program>) -> Back<LevelEnd> {
    let region = Arc::clone(&task.region);
    let dispatcher = region.dispatcher();
    if dispatcher.fits(stay.tcb.index, program.concurrency) {
        return run_levels(stay, task, program).await;
    }
    let (back, returned) = oneshot::channel();
    let target = dispatcher.tcb_for(program.concurrency);
    let visit = Visit { task, program, back };
    if !dispatcher.send(target, Work::Visit(visit)) {
        unreachable!("a TCB ends only when no task runs, and this one does");
    }
    returned.await.unwrap_or_else(|_| unreachable!("a TCB finishes its visits before it ends"))
}

/// Runs a program, those it LINKs to and those it XCTLs to.
pub(crate) fn run_levels<'a>(
    stay: &'a Stay<'_>,
    task: Box<Task>,
    program: Arc<Program>,
) -> Pin<Box<dyn Future<Output = Back<LevelEnd>> + 'a>> {
    Box::pin(async move {
        let (mut task, mut program) = (task, program);
        loop {
            program.uses.fetch_add(1, Ordering::Relaxed);
            let after;
            (task, after) = match program.native {
                Some(native) => run_native(stay, task, native).await,
                None => run_cobol(stay, task, &program).await,
            };
            let link = match after {
                After::End(end) => {
                    leave(&mut task);
                    return (task, end);
                }
                After::Xctl(link) => link,
            };
            program = match enter_xctl(&mut task, link) {
                Ok(next) => next,
                Err(_) => {
                    let abend = Abend::from(AbendCode::from("AEI0"));
                    record(&mut task, abend);
                    leave(&mut task);
                    return (task, LevelEnd::Abended(abend));
                }
            };
            if !task.region.dispatcher().fits(stay.tcb.index, program.concurrency) {
                return run_program(stay, task, program).await;
            }
        }
    })
}

/// Leaves the level. A COMMAREA that was a copy goes back with the task, to be written where the original is.
fn leave(task: &mut Task) {
    task.commarea_back =
        task.leave().and_then(|level| level.commarea).and_then(|commarea| commarea.to_give_back());
}

/// What comes after a program.
enum After {
    End(LevelEnd),
    Xctl(Link),
}

impl After {
    fn abended(abend: Abend) -> Self {
        Self::End(LevelEnd::Abended(abend))
    }
}

/// Replaces the level's program; its EIB stays, its handles go.
fn enter_xctl(task: &mut Task, link: Link) -> Result<Arc<Program>, LoadError> {
    let program = task.region.programs.usable(link.program)?;
    let level = task.level_mut();
    level.invoked_by = std::mem::replace(&mut level.program, link.program);
    level.handles = Default::default();
    level.eib.set_commarea_length(link.commarea.as_ref().map_or(0, Commarea::length));
    level.commarea = link.commarea;
    level.channel = link.channel;
    level.own_channels.clear();
    if link.input_message.is_some() {
        level.input_message = link.input_message;
    }
    Ok(program)
}

/// Enters a level for a LINKed program.
fn enter_link(task: &mut Task, link: Link) {
    let caller = task.level();
    let length = link.commarea.as_ref().map_or(0, Commarea::length);
    let mut level = Level::new(link.program, caller.eib.for_next_level(length));
    level.invoked_by = caller.program;
    level.commarea = link.commarea;
    level.channel = link.channel;
    level.input_message = link.input_message;
    task.enter(level);
}

/// LINK: what its program's end means to the one that asked. The outer error is an abend below.
async fn link(stay: &Stay<'_>, mut task: Box<Task>, mut link: Link) -> Back<Result<Outcome, Abend>> {
    let program = match task.region.programs.usable(link.program) {
        Ok(program) => program,
        Err(error) => return (task, Ok(Err(cond::PGMIDERR.raise(error as i32)))),
    };
    if let Err(outcome) = ready(stay, &task, &program, &mut link).await {
        return (task, Ok(Err(outcome)));
    }
    enter_link(&mut task, link);
    let (mut task, end) = run_program(stay, task, program).await;
    let back = task.commarea_back.take();
    if let Some((address, bytes)) = back
        && stay.images.write(address, &bytes).is_err()
    {
        return (task, Err(Abend::from(AbendCode::from("ASRA"))));
    }
    match end {
        LevelEnd::Returned => (task, Ok(Ok(()))),
        LevelEnd::Abended(abend) => (task, Err(abend)),
    }
}

/// Loads a program before its level is entered, so that the LINK itself gets PGMIDERR; and makes the COMMAREA a copy
/// where the program could not see its caller's storage: on another TCB, or in another activation of itself.
async fn ready(stay: &Stay<'_>, task: &Task, program: &Arc<Program>, link: &mut Link) -> Outcome {
    if program.native.is_some() {
        return Ok(());
    }
    let here = task.region.dispatcher().fits(stay.tcb.index, program.concurrency);
    let apart = if here {
        let loaded = load(stay, task, program).await?;
        stay.images.has_entered(&loaded)
    } else {
        true
    };
    if let (true, Some(Commarea::Lent { address, length })) = (apart, &link.commarea) {
        let mut bytes = vec![0; *length];
        stay.images.read(*address, &mut bytes)?;
        link.commarea = Some(Commarea::copy_of(*address, &bytes));
    }
    Ok(())
}

/// The program in this TCB's runtime. The usual case, that it is there already, waits for nothing.
async fn load(stay: &Stay<'_>, task: &Task, program: &Program) -> Outcome<cobol::Program> {
    if let Some(loaded) = stay.tcb.loaded(program) {
        return Ok(loaded);
    }
    let loading = task.wait(WaitKind::Program, stay.tcb.load(program)).await?;
    loading.map_err(|error| cond::PGMIDERR.raise(error as i32))
}

async fn run_native(stay: &Stay<'_>, mut task: Box<Task>, native: Native) -> Back<After> {
    let abend = match native(&mut task).await {
        Ok(Flow::Xctl(link)) => return (task, After::Xctl(link)),
        Ok(Flow::On | Flow::Return) => return (task, After::End(LevelEnd::Returned)),
        Ok(Flow::Link(to)) => {
            let (back, end) = link(stay, task, to).await;
            task = back;
            match end {
                Ok(Ok(())) => return (task, After::End(LevelEnd::Returned)),
                Ok(Err(raise)) => Abend::from(raise),
                Err(abend) => return (task, After::abended(abend)),
            }
        }
        Ok(Flow::Abend(abend)) => abend,
        Err(raise) => Abend::from(raise),
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

async fn run_cobol(stay: &Stay<'_>, mut task: Box<Task>, program: &Program) -> Back<After> {
    let loaded = match load(stay, &task, program).await {
        Ok(loaded) => loaded,
        Err(raise) => {
            let abend = match raise {
                Raise::Condition(..) => AbendCode::from("APCT").into(),
                raise => Abend::from(raise),
            };
            record(&mut task, abend);
            return (task, After::abended(abend));
        }
    };
    let level = task.level();
    let commarea = level.commarea.as_ref().map_or(0, Commarea::address);
    let mut run = match stay.images.start(&loaded, level.eib.address(), commarea) {
        Ok(run) => run,
        Err(error) => {
            tracing::error!(target: "DS", "task {}: no stack: {error}", task.number);
            let abend = Abend::from(AbendCode::from("AKC1"));
            record(&mut task, abend);
            return (task, After::abended(abend));
        }
    };
    run.limit(runaway_limit(&task));
    let mut reply = 0;
    loop {
        let after;
        (task, after) = step(stay, task, &mut run, reply).await;
        let abend = match after {
            Stepped::On(next) => {
                reply = next;
                continue;
            }
            Stepped::End(after) => return (task, after),
            Stepped::Abend(abend) => abend,
            Stepped::AbendBelow(abend) => abend,
        };
        match exit_for(&mut task, abend) {
            Some(AbendExit::Label(label)) => match run.restart(i32::from(label)) {
                Ok(()) => reply = 0,
                Err(_) => return (task, After::abended(abend)),
            },
            Some(AbendExit::Program(name)) => {
                let link = exit_link(&mut task, name);
                return (task, After::Xctl(link));
            }
            None => return (task, After::abended(abend)),
        }
    }
}

/// The transaction's RUNAWAY, or the region's ICVR; 0 is no limit.
fn runaway_limit(task: &Task) -> Option<Duration> {
    let ms = task.transaction.runaway_ms.unwrap_or(task.region.options.runaway_ms);
    (ms > 0).then(|| Duration::from_millis(ms))
}

/// What one step of a program came to.
enum Stepped {
    /// Resume with this.
    On(i32),
    /// The program is over.
    End(After),
    /// An abend of this program.
    Abend(Abend),
    /// An abend of a program that it LINKed to: recorded there.
    AbendBelow(Abend),
}

async fn step(stay: &Stay<'_>, mut task: Box<Task>, run: &mut cobol::Run, reply: i32) -> Back<Stepped> {
    let mut failed = None;
    let exec = match run.resume_answering(reply, &mut |exec| answer_now(&mut task, exec, &mut failed)) {
        cobol::Step::Exec(exec) => exec,
        // As in the published runtime, STOP RUN in a task is a return to the level above.
        cobol::Step::Returned(_) | cobol::Step::StopRun(_) => {
            return (task, Stepped::End(After::End(LevelEnd::Returned)));
        }
        cobol::Step::Display(line) => {
            tracing::info!(target: "SYSOUT", "{} {}: {line}", task.transaction.name, task.number);
            return (task, Stepped::On(0));
        }
        cobol::Step::Service(service) => {
            return match services::call(&mut task, &service) {
                Ok(Served::On(code)) => (task, Stepped::On(code)),
                Ok(Served::Abend(abend)) => abend_here(task, abend),
                Err(raise) => abend_here(task, raise.into()),
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
            return gave_up(task, &format!("CALL of {name}: there is no such program"), RUNTIME_ABEND);
        }
        cobol::Step::Fault(fault) => {
            let code = if fault.kind == cobol::FaultKind::Runaway { "AICA" } else { "ASRA" };
            let place = stay.tcb.in_own_lines(fault.place);
            return gave_up(task, &format!("{}, {place}", fault.kind), code);
        }
    };
    if let Some(code) = failed {
        return abend_here(task, code.into());
    }
    let Some(call) = Call::new(exec) else {
        return abend_here(task, AbendCode::from("AEY9").into());
    };
    let to = match exec::execute(&mut task, &call).await {
        Ok(Next::Program(label)) => return (task, Stepped::On(label)),
        Ok(Next::Flow(Flow::On)) => return (task, Stepped::On(0)),
        Ok(Next::Flow(Flow::Return)) => return (task, Stepped::End(After::End(LevelEnd::Returned))),
        Ok(Next::Flow(Flow::Xctl(link))) => return (task, Stepped::End(After::Xctl(link))),
        Ok(Next::Flow(Flow::Abend(abend))) => return abend_here(task, abend),
        Ok(Next::Flow(Flow::Link(to))) => to,
        Err(code) => return abend_here(task, code.into()),
    };
    let (mut task, end) = link(stay, task, to).await;
    match end {
        Err(abend) => (task, Stepped::AbendBelow(abend)),
        Ok(outcome) => match exec::settle(&mut task, &call, outcome) {
            Ok(label) => (task, Stepped::On(label)),
            Err(code) => abend_here(task, code.into()),
        },
    }
}

/// Answers a command that never waits without leaving the program. One that ends in an abend does leave it, and leaves
/// the code.
fn answer_now(task: &mut Task, exec: cobol::ExecCall<'_>, failed: &mut Option<AbendCode>) -> Option<i32> {
    match exec::execute_now(task, &Call::new(exec)?)? {
        Ok(label) => Some(label),
        Err(code) => {
            *failed = Some(code);
            None
        }
    }
}

/// The program of a COBOL CALL, if there is one: it needs no definition of its own.
async fn called_program(stay: &Stay<'_>, task: &Task, name: &str) -> Option<cobol::Program> {
    let program = task.region.programs.called(Name8::from(name));
    load(stay, task, &program).await.ok()
}

fn gave_up(task: Box<Task>, why: &str, code: &str) -> Back<Stepped> {
    tracing::error!(target: "AP", "task {} ({}), program {}: {why}", task.number, task.transaction.name, task.level().program);
    abend_here(task, AbendCode::from(code).into())
}

fn abend_here(mut task: Box<Task>, abend: Abend) -> Back<Stepped> {
    record(&mut task, abend);
    (task, Stepped::Abend(abend))
}

/// Notes an abend where it comes.
fn record(task: &mut Task, abend: Abend) {
    let program = task.level().program;
    task.abend = Some(AbendRecord { code: abend.code, program, dump: abend.dump });
}

/// The exit that an abend takes at this level, if any.
fn exit_for(task: &mut Task, abend: Abend) -> Option<AbendExit> {
    // A purged task, and one whose terminal is gone, must end: no exit may keep it.
    if abend.cancel || task.control.is_purged() { None } else { task.level_mut().handles.take_abend_exit() }
}

/// HANDLE ABEND PROGRAM: it gets the level, with its COMMAREA.
fn exit_link(task: &mut Task, program: Name8) -> Link {
    let level = task.level_mut();
    Link { program, commarea: level.commarea.take(), channel: level.channel.take(), input_message: None }
}
