//! Running programs: link levels, XCTL, RETURN, and the way an abend takes through them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use super::tcb::{Tcb, Visit, Work};
use super::Attach;
use crate::exec::eib::Eib;
use crate::exec::handles::{AbendExit, Label};
use crate::exec::{self, Call, Flow, Link, Next};
use crate::name::Name8;
use crate::programs::{LoadError, Program};
use crate::raise::{AbendCode, Raise, RaiseCondition};
use crate::task::{AbendRecord, Commarea, Level, Task, TaskControl, TaskParts, WaitKind};
use crate::transactions::Transaction;

/// How a link level, or a whole task, ends.
pub(crate) enum LevelEnd {
    /// RETURN, or the program's end.
    Returned,
    /// Abnormally: `cancel` goes past every exit.
    Abended {
        /// Past every exit.
        cancel: bool,
    },
}

/// An abend on its way to an exit.
struct Abend {
    code: AbendCode,
    cancel: bool,
    dump: bool,
}

impl Abend {
    fn new(code: AbendCode) -> Self {
        Self { code, cancel: false, dump: true }
    }

    fn named(code: &str) -> Self {
        Self::new(AbendCode::from(code))
    }
}

/// Runs a task's first program, and all that come of it.
pub(super) async fn first_program(
    tcb: &Tcb,
    attach: Attach,
    transaction: &Arc<Transaction>,
    control: &Arc<TaskControl>,
) -> (Box<Task>, LevelEnd) {
    let parts = TaskParts {
        number: control.number,
        transaction: Arc::clone(transaction),
        start_code: attach.start_code,
        user: attach.user,
        terminal: attach.terminal,
        control: Arc::clone(control),
        start_data: attach.start_data,
    };
    let mut task = Box::new(Task::new(&tcb.region, parts));
    let mut eib = Eib::new();
    eib.set_task(task.number, transaction.name, control.terminal);
    eib.set_stamp(&task.started);
    if let Some(terminal) = &task.terminal {
        let (aid, cursor) = terminal.last_key();
        eib.set_input(task.region.terminal_code_page.to_program(aid), cursor);
    }
    let mut level = Level::new(transaction.program, eib);
    level.commarea = attach.commarea.map(|bytes| Commarea::held(&bytes));
    level.eib.set_commarea_length(level.commarea.as_ref().map_or(0, Commarea::length));
    level.channel = attach.channel;
    level.input_message = attach.input_message;
    task.enter(level);
    match task.region.programs.usable(transaction.program) {
        Ok(program) => run_program(tcb, task, program).await,
        Err(_) => abend_before_start(task, "APCT"),
    }
}

fn abend_before_start(mut task: Box<Task>, code: &str) -> (Box<Task>, LevelEnd) {
    let program = task.level().program;
    task.leave();
    task.abend = Some(AbendRecord { code: AbendCode::from(code), program, dump: false });
    (task, LevelEnd::Abended { cancel: true })
}

/// Runs the program of the level that was just entered, on whichever TCB it must run. The level is left at the end.
async fn run_program(tcb: &Tcb, task: Box<Task>, program: Arc<Program>) -> (Box<Task>, LevelEnd) {
    let dispatcher = task.region.dispatcher();
    if dispatcher.fits(tcb.index, program.concurrency) {
        return run_levels(tcb, task, program).await;
    }
    let target = dispatcher.tcb_for(program.concurrency);
    let region = Arc::clone(&task.region);
    let mut task = task;
    let lent = lend_across(&mut task);
    let (back, returned) = oneshot::channel();
    let visit = Visit { task, program, back };
    if !region.dispatcher().send(target, Work::Visit(visit)) {
        unreachable!("a TCB ends only after its tasks, and this task is one of them");
    }
    match returned.await {
        Ok((task, end)) => {
            take_back(tcb, lent);
            (task, end)
        }
        Err(_) => unreachable!("a TCB finishes its visits before it ends"),
    }
}

/// A LINKed program's own WORKING-STORAGE must not be seen from another TCB: the COMMAREA goes over as a copy.
fn lend_across(_task: &mut Task) -> Option<(usize, usize)> {
    None
}

fn take_back(_tcb: &Tcb, _lent: Option<(usize, usize)>) {}

/// Runs a program, those it LINKs to and those it XCTLs to.
pub(crate) fn run_levels<'a>(
    tcb: &'a Tcb,
    task: Box<Task>,
    program: Arc<Program>,
) -> Pin<Box<dyn Future<Output = (Box<Task>, LevelEnd)> + 'a>> {
    Box::pin(async move {
        let (mut task, mut program) = (task, program);
        loop {
            program.uses.fetch_add(1, Ordering::Relaxed);
            let after = match program.native {
                Some(native) => run_native(tcb, task, native).await,
                None => run_cobol(tcb, task, &program).await,
            };
            task = after.0;
            let next = match after.1 {
                After::End(end) => {
                    task.leave();
                    return (task, end);
                }
                After::Xctl(link) => link,
            };
            match enter_xctl(&mut task, next) {
                Ok(next) if tcb.region.dispatcher().fits(tcb.index, next.concurrency) => program = next,
                Ok(next) => return run_program(tcb, task, next).await,
                Err(_) => {
                    task.leave();
                    return (task, LevelEnd::Abended { cancel: false });
                }
            }
        }
    })
}

/// What comes after a program.
enum After {
    End(LevelEnd),
    Xctl(Link),
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

async fn run_native(tcb: &Tcb, mut task: Box<Task>, native: crate::programs::Native) -> (Box<Task>, After) {
    loop {
        match native(&mut task).await {
            Ok(Flow::Link(link)) => {
                let (back, end) = link_to(tcb, task, link).await;
                task = back;
                if let Err(abend) = end {
                    return (task, After::End(LevelEnd::Abended { cancel: abend.cancel }));
                }
            }
            Ok(Flow::Xctl(link)) => return (task, After::Xctl(link)),
            Ok(Flow::On | Flow::Return) => return (task, After::End(LevelEnd::Returned)),
            Ok(Flow::Abend { code, cancel, dump }) => {
                return (record(task, &Abend { code, cancel, dump }), After::End(LevelEnd::Abended { cancel }));
            }
            Err(raise) => {
                let code = match raise {
                    Raise::Abend(code) => code,
                    Raise::Condition(condition, _) => condition.default_abend().unwrap_or("AEIA").into(),
                };
                return (record(task, &Abend::new(code)), After::End(LevelEnd::Abended { cancel: false }));
            }
        }
    }
}

async fn run_cobol(tcb: &Tcb, mut task: Box<Task>, program: &Program) -> (Box<Task>, After) {
    let loaded = match tcb.load(program).await {
        Ok(loaded) => loaded,
        Err(error) => {
            // The caller's LINK or XCTL was right when it asked; its module is what is wrong.
            let code = if error == LoadError::NotLoadable { "APCT" } else { "APCP" };
            task = record(task, &Abend::named(code));
            return (task, After::End(LevelEnd::Abended { cancel: false }));
        }
    };
    let level = task.level();
    let eib = level.eib.address();
    let commarea = level.commarea.as_ref().map_or(0, Commarea::address);
    let images = Arc::clone(&task.control);
    let mut run = tcb.host.start(&task.images, &loaded, eib, commarea);
    let mut reply = 0;
    loop {
        let abend = match run.resume(reply) {
            cobol::Step::Exec(exec) => {
                let mut call = Call::new(&mut run, exec);
                match exec::execute(&mut task, &mut call).await {
                    Ok(Next::Program(label)) => {
                        reply = label;
                        continue;
                    }
                    Ok(Next::Flow(Flow::On)) => continue,
                    Ok(Next::Flow(Flow::Return)) => return (task, After::End(LevelEnd::Returned)),
                    Ok(Next::Flow(Flow::Xctl(link))) => return (task, After::Xctl(link)),
                    Ok(Next::Flow(Flow::Link(link))) => {
                        let (back, end) = link_to(tcb, task, link).await;
                        task = back;
                        match end {
                            Ok(outcome) => {
                                let outcome = outcome.map(|()| Flow::On);
                                let mut call = Call::new(&mut run, exec);
                                match exec::settle(&mut task, &mut call, outcome) {
                                    Ok(Next::Program(label)) => {
                                        reply = label;
                                        continue;
                                    }
                                    Ok(Next::Flow(_)) => continue,
                                    Err(code) => Abend::new(code),
                                }
                            }
                            Err(abend) => abend,
                        }
                    }
                    Ok(Next::Flow(Flow::Abend { code, cancel, dump })) => Abend { code, cancel, dump },
                    Err(code) => Abend::new(code),
                }
            }
            cobol::Step::Returned(_) => return (task, After::End(LevelEnd::Returned)),
            step => todo_step(step),
        };
        match exit_for(&mut task, &abend) {
            Some(AbendExit::Label(label)) => {
                reply = i32::from(label);
                run.restart(label);
            }
            Some(AbendExit::Program(name)) => return exit_program(task, name),
            None => return (task, After::End(LevelEnd::Abended { cancel: abend.cancel })),
        }
    }
}
