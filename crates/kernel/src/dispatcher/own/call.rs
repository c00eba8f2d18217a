//! CALL in a natively compiled program: of programs within it, of other such programs, of Language Environment.

use std::sync::Arc;
use std::time::Instant;

use cobol_ir::run::{Answer, Fault, Passed};

use super::activation::Active;
use super::{Level, of};
use crate::dispatcher::levels::Back;
use crate::dispatcher::run::{Stepped, abend_here, gave_up};
use crate::name::Name8;
use crate::programs;
use crate::raise::{Outcome, Raise};
use crate::services::{self, RUNTIME_ABEND, Served};
use crate::storage::Window;
use crate::task::Task;

/// CALL: of a program within this one, or of another natively compiled one.
pub(super) async fn call(
    mut task: Box<Task>,
    level: &mut Level,
    name: &str,
    arguments: &[Passed],
) -> Back<Result<Stepped, Fault>> {
    if let Some(served) = language_environment(&mut task, name, arguments) {
        return match served {
            Ok(Served::On(_)) => {
                let gone_on = level.go_to(&mut task, 0);
                (task, gone_on.map(|()| Stepped::On(0)))
            }
            Ok(Served::Abend(abend)) => {
                let (task, stepped) = abend_here(task, abend);
                (task, Ok(stepped))
            }
            Err(raise) => {
                let (task, stepped) = abend_here(task, raise.into());
                (task, Ok(stepped))
            }
        };
    }
    if let Some(answered) = services::others_of_own(&mut task, name, arguments).await {
        // It might have had to wait: that counts as giving way.
        level.since = Instant::now();
        return match answered {
            Ok(code) => {
                let set = code.map_or(Ok(()), |code| level.set_return_code(&mut task, code));
                let gone_on = set.and_then(|()| level.go_to(&mut task, 0));
                (task, gone_on.map(|()| Stepped::On(0)))
            }
            Err(raise) => {
                let (task, stepped) = abend_here(task, raise.into());
                (task, Ok(stepped))
            }
        };
    }
    let Some(active) = level.programs.stack.last() else { return (task, Err(Fault::Host)) };
    let (unit, place) = match active.unit.contained(active.program, name) {
        Some(place) => (Arc::clone(&active.unit), place),
        None => {
            let program = programs::Programs::of(&task.region).called(Name8::from(name));
            match of(&task, &program).await {
                Ok(Some(unit)) => (unit, 0),
                Ok(None) => {
                    let why = format!(
                        "CALL of {name}: it is compiled by the hosted compiler, and its caller natively"
                    );
                    let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
                    return (task, Ok(stepped));
                }
                Err(Raise::Condition(..)) => return (task, level.not_there()),
                Err(raise) => {
                    let (task, stepped) = abend_here(task, raise.into());
                    return (task, Ok(stepped));
                }
            }
        }
    };
    let Some(window) = task.window.as_mut() else { return (task, Err(Fault::Host)) };
    let why = match () {
        () if level.programs.is_active(&unit, place) => format!("recursive CALL of {name}"),
        () if !level.programs.may_go_deeper() => format!("CALL of {name}: too many programs are entered"),
        () => match level.programs.enter(window, &unit, place, arguments) {
            Ok(()) => return (task, Ok(Stepped::On(0))),
            Err(fault) => return (task, Err(fault)),
        },
    };
    let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
    (task, Ok(stepped))
}

/// CALL of a service of Language Environment; none of another name.
fn language_environment(task: &mut Task, name: &str, arguments: &[Passed]) -> Option<Outcome<Served>> {
    let window = task.window.take()?;
    let mut copies: Vec<Option<le::Argument>> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let bytes = match argument {
            Passed::Area(at, length) => window.read(*at, *length as usize),
            Passed::Copy(bytes) => Some(bytes.as_slice()),
            _ => None,
        };
        copies.push(bytes.and_then(|bytes| {
            let fill = |into: &mut [u8]| {
                into.copy_from_slice(bytes);
                Ok::<(), Fault>(())
            };
            le::Argument::filled(bytes.len(), fill).ok()
        }));
    }
    task.window = Some(window);
    let served = services::of_own(task, name, &mut copies)?;
    let window = task.window.as_mut()?;
    for (argument, copy) in arguments.iter().zip(&copies) {
        if let (Passed::Area(at, _), Some(changed)) =
            (argument, copy.as_ref().and_then(le::Argument::changed))
            && let Some(into) = window.write(*at, changed.len())
        {
            into.copy_from_slice(changed);
        }
    }
    Some(served)
}

impl Level {
    /// RETURN-CODE of the program that runs.
    fn set_return_code(&self, task: &mut Task, code: i32) -> Result<(), Fault> {
        let active = self.programs.stack.last().ok_or(Fault::Host)?;
        let at = active.code().and_then(|code| code.program().return_code);
        let working = active.frame.as_ref().map(|frame| frame.activation.working);
        let window = task.window.as_mut();
        if let (Some(at), Some(working), Some(window)) = (at, working, window)
            && let Some(into) = window.write(working + at, size_of::<i16>())
        {
            into.copy_from_slice(&(code as i16).to_be_bytes());
        }
        Ok(())
    }

    /// A CALL of a program that is not there: ON EXCEPTION.
    fn not_there(&mut self) -> Result<Stepped, Fault> {
        let active = self.programs.stack.last_mut().ok_or(Fault::Host)?;
        let code = active.unit.program(active.program).ok_or(Fault::Host)?;
        active.at = code.behind(active.at, Answer::NoProgram)?;
        Ok(Stepped::On(0))
    }
}

/// RETURN-CODE of a program that was CALLed is that of its caller.
pub(super) fn give_return_code(window: &mut Window, called: &Active, caller: &Active) {
    const LENGTH: usize = size_of::<i16>();
    let place = |active: &Active| {
        let at = active.code()?.program().return_code?;
        Some(active.frame.as_ref()?.activation.working + at)
    };
    if let (Some(from), Some(to)) = (place(called), place(caller))
        && let Some(code) = window.read(from, LENGTH).and_then(|code| <[u8; LENGTH]>::try_from(code).ok())
        && let Some(into) = window.write(to, LENGTH)
    {
        into.copy_from_slice(&code);
    }
}
