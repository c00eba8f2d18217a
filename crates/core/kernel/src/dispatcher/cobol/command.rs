//! EXEC CICS in a COBOL program: the command at the one door, and the program that it LINKs to.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use cobol_run::ProgramFault;

use super::{Inside, Level, arguments, readdress};
use crate::dispatcher::links::{link, link_inside};
use crate::dispatcher::stay::{Back, Stay};
use crate::dispatcher::steps::{Stepped, abend_here, behind, linked};
use crate::dispatcher::way::{self, Way};
use crate::exec::{Call, Held, ProgramCall, Stand, is_watched};
use crate::name::Name8;
use crate::raise::{Abend, AbendCode, Outcome};
use crate::task::Task;

/// EXEC CICS.
pub(super) async fn command(
    stay: &Stay<'_>,
    task: Box<Task>,
    level: &mut Level,
    site: u32,
) -> Back<Result<Stepped, ProgramFault>> {
    if let Err(abend) = level.show_commarea(&task) {
        let (task, stepped) = abend_here(task, abend);
        return (task, Ok(stepped));
    }
    answer(stay, task, level, site, None).await
}

/// A LINK whose program was run where the program stands, and has not come to its end there.
pub(super) async fn linked_inside(
    stay: &Stay<'_>,
    task: Box<Task>,
    level: &mut Level,
    inside: Box<Inside>,
) -> Back<Stepped> {
    let site = level.programs.stack.last().and_then(|active| active.code()?.site(active.at));
    let depth = inside.depth;
    let (mut task, stepped) = answer(stay, task, level, site.unwrap_or(u32::MAX), Some(inside)).await;
    match stepped {
        Ok(stepped) => (task, stepped),
        Err(_) => {
            // The level below has perhaps not run.
            while task.depth() >= depth {
                task.leave();
            }
            abend_here(task, AbendCode::from("ASRA").into())
        }
    }
}

/// A command; of a LINK the level below may be entered already.
async fn answer(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    site: u32,
    inside: Option<Box<Inside>>,
) -> Back<Result<Stepped, ProgramFault>> {
    let arguments = match arguments(&mut task, level, site) {
        Ok(arguments) => arguments,
        Err(fault) => return (task, Err(fault)),
    };
    let shown = level.shown_as();
    let Some(active) = level.programs.stack.last() else { return (task, Err(ProgramFault::Host)) };
    let (unit, linkage) = (Arc::clone(&active.unit), active.frame.as_ref());
    let linkage = linkage.map_or_else(Vec::new, |frame| frame.activation.linkage.clone());
    let stand = Stand { unit: &unit, program: active.program, line: active.line };
    let held: Held = RefCell::new(task.window.take());
    let own = ProgramCall::new(&held, stand, stand.descriptor(site), &arguments, &linkage);
    let (mut task, stepped) = match inside {
        None => {
            level.rests(&mut task);
            execute(stay, task, level, &own, (shown, stand.line())).await
        }
        Some(inside) => {
            level.rests_at(&mut task, inside.depth - 1);
            comes_back(stay, task, level, &own, inside).await
        }
    };
    level.runs_again(&mut task);
    let linkage = match own.finish(&mut task) {
        Ok(linkage) => linkage,
        Err(fault) => return (task, Err(fault)),
    };
    level.arguments = arguments;
    level.show_eib(&mut task);
    if let Some(frame) = level.programs.stack.last_mut().and_then(|active| active.frame.as_mut()) {
        readdress(&mut frame.activation.linkage, &linkage);
    }
    match stepped {
        Stepped::On(label) => {
            let gone_on = level.go_to(&mut task, label);
            (task, gone_on.map(|()| Stepped::On(0)))
        }
        stepped => (task, Ok(stepped)),
    }
}

/// The command at the one door, and the program that it LINKs to.
async fn execute(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    own: &ProgramCall<'_>,
    (program, line): (Name8, u32),
) -> Back<Stepped> {
    let Some(call) = Call::of_program(own) else {
        return abend_here(task, AbendCode::from("AEY9").into());
    };
    let control = Arc::clone(&task.control);
    let stands = control.stands_at(*program.as_bytes(), line);
    let answered = {
        let (answered, way) = way::answered(&mut task, &call).await;
        if way == Way::Given {
            level.gives_way();
        }
        answered
    };
    drop(stands);
    match behind(task, answered) {
        ControlFlow::Break(stepped) => stepped,
        ControlFlow::Continue((mut task, to)) => {
            own.lend(&mut task);
            let (task, end) = link(stay, task, to).await;
            came_back(task, level, (own, &call), end).await
        }
    }
}

/// A level that was entered already runs to its end.
async fn comes_back(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    own: &ProgramCall<'_>,
    mut inside: Box<Inside>,
) -> Back<Stepped> {
    let Some(call) = Call::of_program(own) else {
        return abend_here(task, AbendCode::from("AEY9").into());
    };
    own.lend(&mut task);
    if let Some(commarea) = inside.stands_for(&mut task) {
        own.stands_for(commarea);
    }
    let (task, end) = link_inside(stay, task, inside).await;
    came_back(task, level, (own, &call), end).await
}

/// The program that a command has LINKed to is over.
async fn came_back(
    mut task: Box<Task>,
    level: &mut Level,
    (own, call): (&ProgramCall<'_>, &Call<'_>),
    end: Result<Outcome, Abend>,
) -> Back<Stepped> {
    if let Some(window) = &mut task.window {
        window.takes_twa(&task.twa);
    }
    own.take(&mut task);
    if is_watched(&task, call.command()) {
        own.shows_copies();
    }
    level.gives_way();
    linked(task, call, end).await
}
