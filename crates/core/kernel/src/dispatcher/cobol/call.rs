//! CALL: of programs within the one that runs, of other programs, of Language Environment and other services.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cobol_ir::Program;
use cobol_ir::program::Numeric;
use cobol_run::{Activation, Answer, Passed, ProgramFault, put_number};

use super::activation::{Active, CallTarget, Wanted};
use super::{Level, local_storage_is_there, seen};
use crate::dispatcher::contain::contained;
use crate::dispatcher::loaded;
use crate::dispatcher::stay::Back;
use crate::dispatcher::steps::{Stepped, abend_here, failed, gave_up, instead_of};
use crate::dispatcher::way;
use crate::exec::number_of_characters;
use crate::name::Name8;
use crate::programs::{self, LoadError};
use crate::raise::{Abend, Raise};
use crate::services::{self, AnsweredBy, RUNTIME_ABEND, Served, Services};
use crate::storage::Window;
use crate::task::Task;

/// The name of the program that a CALL is of.
#[derive(Clone, Copy)]
pub(super) enum Called<'n> {
    /// A literal: on z/OS the program is linked with its caller, and its definition says nothing about the CALL.
    Named(&'n str),
    /// Name in an item: the program is loaded, by its definition.
    Held(&'n str),
}

/// CALL: of a program within this one, of another one, or of a service.
pub(super) async fn call(
    mut task: Box<Task>,
    level: &mut Level,
    called: Called<'_>,
    arguments: &[Passed],
) -> Back<Result<Stepped, ProgramFault>> {
    let name = called.name();
    let is_seen = match seen::look(&mut task, level, name, arguments).await {
        Ok(is_seen) => is_seen,
        Err(abend) => return refused(task, abend),
    };
    let (mut task, stepped) = made(task, level, called, arguments).await;
    if is_seen
        && matches!(stepped, Ok(Stepped::On(_)))
        && let Err(abend) = seen::look_behind(&mut task, level, name, arguments).await
    {
        return refused(task, abend);
    }
    (task, stepped)
}

fn refused(task: Box<Task>, abend: Abend) -> Back<Result<Stepped, ProgramFault>> {
    let (task, stepped) = abend_here(task, abend);
    (task, Ok(stepped))
}

async fn made(
    mut task: Box<Task>,
    level: &mut Level,
    called: Called<'_>,
    arguments: &[Passed],
) -> Back<Result<Stepped, ProgramFault>> {
    let name = called.name();
    match Services::of(&task.region).by_name(name) {
        Some(AnsweredBy::LanguageEnvironment) => {
            let served = services::call_language_environment(&mut task, name, arguments);
            return match served.unwrap_or_else(|raise| Served::Abend(raise.into())) {
                Served::On(code) => level.returns(task, Some(code)),
                Served::Abend(abend) => refused(task, abend),
            };
        }
        Some(AnsweredBy::Interval) => return sleep(task, level, arguments).await,
        Some(AnsweredBy::Other(place) | AnsweredBy::Waiting(place)) => {
            return other_service(task, level, place, name, arguments).await;
        }
        None => {}
    }
    let Some(active) = level.programs.stack.last() else { return (task, Err(ProgramFault::Host)) };
    let inner = active.unit.contained(active.program, name);
    let inner = inner.map(|place| CallTarget::beginning(&active.unit, place));
    let target = match inner.or_else(|| level.programs.entry(name)) {
        Some(target) => target,
        None => {
            let program = match called.program(&task, level) {
                Ok(program) => program,
                Err(error) => return not_there(task, level, name, Some(error)),
            };
            match loaded::unit(&task, &program).await {
                Ok(unit) => CallTarget::beginning(&unit, 0),
                Err(Raise::Condition(..)) => return not_there(task, level, name, None),
                Err(raise) => {
                    let (task, stepped) = abend_here(task, raise.into());
                    return (task, Ok(stepped));
                }
            }
        }
    };
    let local = local_storage_is_there(&task, &target);
    let Some(window) = task.window.as_mut() else { return (task, Err(ProgramFault::Host)) };
    let why = match local {
        Err(why) => why,
        Ok(()) if level.programs.is_active(&target) => format!("recursive CALL of {name}"),
        Ok(()) if !level.programs.may_go_deeper() => format!("CALL of {name}: too many programs are entered"),
        Ok(()) => match level.programs.enter(window, &target, arguments) {
            Ok(()) => {
                if target.entry.is_none() {
                    level.programs.is_called_again(window);
                }
                return (task, Ok(Stepped::On(0)));
            }
            Err(ProgramFault::Protection) => format!("CALL of {name}: there is no room for its storage"),
            Err(fault @ ProgramFault::External) => format!("CALL of {name}: it has {fault}"),
            Err(fault) => return (task, Err(fault)),
        },
    };
    let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
    (task, Ok(stepped))
}

impl Called<'_> {
    /// The program's name.
    fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Held(name) => name,
        }
    }

    /// The definition of the program.
    ///
    /// # Errors
    /// The program is to be loaded, and its definition does not let it be used. What the level has entered is there already.
    fn program(&self, task: &Task, level: &Level) -> Result<Arc<programs::Program>, LoadError> {
        let programs = programs::Programs::of(&task.region);
        match self {
            Self::Held(name) if !level.programs.has_entered(name) => {
                programs.loaded_by_call(Name8::from(*name))
            }
            Self::Named(name) | Self::Held(name) => Ok(programs.called(Name8::from(*name))),
        }
    }
}

/// CALL of a service of another crate.
async fn other_service(
    mut task: Box<Task>,
    level: &mut Level,
    place: usize,
    name: &str,
    arguments: &[Passed],
) -> Back<Result<Stepped, ProgramFault>> {
    let Some(service) = Services::of(&task.region).other(place).map(Arc::clone) else {
        return (task, Err(ProgramFault::Host));
    };
    way::let_others(&mut task).await;
    let control = Arc::clone(&task.control);
    let stands = level.stands_on().map(|(program, line)| control.stands_at(program, line));
    let answered = contained(pin!(services::answer_call(&*service, &mut task, name, arguments))).await;
    drop(stands);
    let answered = match answered {
        Ok(answered) => answered,
        Err(panic) => {
            let (task, stepped) = failed(task, &panic);
            return (task, Ok(stepped));
        }
    };
    if answered.gave_way {
        level.gives_way();
    }
    if answered.shows_interface_block {
        level.show_eib(&mut task);
    }
    match answered.code {
        Ok(code) => level.returns(task, code),
        Err(raise) => {
            let (task, stepped) = abend_here(task, raise.into());
            (task, Ok(stepped))
        }
    }
}

/// CANCEL: a program of this level, and what it contains, begins again when it is next CALLed.
pub(super) fn cancel(
    mut task: Box<Task>,
    level: &mut Level,
    name: &str,
) -> Back<Result<Stepped, ProgramFault>> {
    let Some(window) = task.window.as_mut() else { return (task, Err(ProgramFault::Host)) };
    match level.programs.cancel(window, name) {
        true => {
            let gone_on = level.go_to(&mut task, 0);
            (task, gone_on.map(|()| Stepped::On(0)))
        }
        false => {
            let why = format!("CANCEL of {name}, which has not been left");
            let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
            (task, Ok(stepped))
        }
    }
}

/// C$SLEEP and its like: the task waits, and its TCB does not. The argument is a number of nanoseconds; where an item has held the name,
/// one of seconds as it lies.
async fn sleep(
    task: Box<Task>,
    level: &mut Level,
    arguments: &[Passed],
) -> Back<Result<Stepped, ProgramFault>> {
    let time = match arguments.first() {
        Some(Passed::Number(nanoseconds)) => {
            Some(Duration::from_nanos(u64::try_from(*nanoseconds).unwrap_or(0)))
        }
        Some(argument) => {
            let window = task.window.as_ref();
            let bytes = match argument {
                Passed::Area(at, length) => window.and_then(|window| window.read(*at, *length as usize)),
                Passed::Copy(bytes) => Some(Cow::Borrowed(bytes.as_slice())),
                _ => None,
            };
            bytes.map(|bytes| {
                let seconds = number_of_characters(&bytes).and_then(|seconds| u64::try_from(seconds).ok());
                Duration::from_secs(seconds.unwrap_or(0))
            })
        }
        None => None,
    };
    let Some(time) = time else { return (task, Err(ProgramFault::Protection)) };
    match task.rest(time).await {
        Ok(()) => {
            level.gives_way();
            level.returns(task, Some(0))
        }
        Err(raise) => {
            let (task, stepped) = abend_here(task, raise.into());
            (task, Ok(stepped))
        }
    }
}

/// A CALL of a program that is not there, or may not be used: ON EXCEPTION, or the end of the task.
fn not_there(
    task: Box<Task>,
    level: &mut Level,
    name: &str,
    error: Option<LoadError>,
) -> Back<Result<Stepped, ProgramFault>> {
    let Some(active) = level.programs.stack.last_mut() else { return (task, Err(ProgramFault::Host)) };
    let Some(code) = active.unit.program(active.program) else { return (task, Err(ProgramFault::Host)) };
    match code.behind(active.at, Answer::NoProgram) {
        Ok(at) => {
            active.at = at;
            (task, Ok(Stepped::On(0)))
        }
        Err(ProgramFault::NoProgram) => {
            let why = match error {
                Some(LoadError::Disabled) => format!("CALL of {name}: the program is disabled"),
                Some(LoadError::Remote) => format!("CALL of {name}: the program is one of another system"),
                _ => format!("CALL of {name}: there is no such program{}", instead_of(name)),
            };
            let (task, stepped) = gave_up(task, &why, RUNTIME_ABEND);
            (task, Ok(stepped))
        }
        Err(fault) => (task, Err(fault)),
    }
}

impl Level {
    /// Place of the present program, in a few bytes: its name, and the line of its source.
    fn stands_on(&self) -> Option<([u8; 8], u32)> {
        let active = self.programs.stack.last()?;
        let program = active.code()?.program();
        let line = program.blocks.get(active.at.0 as usize)?.line;
        let line = program.lines.get(line as usize).map_or(0, |line| line.line);
        Some((*Name8::from(program.name.as_str()).as_bytes(), line))
    }

    /// The program goes on behind its CALL of a service, with this RETURN-CODE; none leaves that as it is.
    fn returns(&mut self, mut task: Box<Task>, code: Option<i32>) -> Back<Result<Stepped, ProgramFault>> {
        let set = code.map_or(Ok(()), |code| match self.give_code(&mut task, code) {
            true => Ok(()),
            false => self.set_return_code(&mut task, code),
        });
        let gone_on = set.and_then(|()| self.go_to(&mut task, 0));
        (task, gone_on.map(|()| Stepped::On(0)))
    }

    /// Gives the code to the RETURNING item of its CALL; false if there is none.
    fn give_code(&mut self, task: &mut Task, code: i32) -> bool {
        let wanted = self.programs.stack.last_mut().and_then(|active| active.wanted.take());
        let Some((Wanted { at, length, form: Some(form) }, window)) = wanted.zip(task.window.as_mut()) else {
            return false;
        };
        give_number(window, (at, length), code.into(), form);
        true
    }

    /// RETURN-CODE of the program that runs.
    fn set_return_code(&self, task: &mut Task, code: i32) -> Result<(), ProgramFault> {
        let active = self.programs.stack.last().ok_or(ProgramFault::Host)?;
        let window = task.window.as_mut();
        if let (Some(loaded), Some(frame), Some(window)) = (active.code(), active.frame.as_ref(), window) {
            set_return_code(window, loaded.program(), &frame.activation, code);
        }
        Ok(())
    }
}

/// RETURN-CODE of a program, if it has one.
pub(super) fn set_return_code(window: &mut Window, program: &Program, activation: &Activation, code: i32) {
    if let Some(at) = activation.return_code(program) {
        window.put(at, &(code as i16).to_be_bytes());
    }
}

/// A number to a field; nothing where that is no storage.
fn give_number(window: &mut Window, (at, length): (u32, usize), number: i64, form: Numeric) {
    let mut bytes = window.read(at, length).map(Cow::into_owned).unwrap_or_default();
    if !bytes.is_empty() {
        put_number(number, form, &mut bytes);
        window.put(at, &bytes);
    }
}

/// Bytes of RETURN-CODE.
const RETURN_CODE: usize = size_of::<i16>();

/// Place of a program's RETURN-CODE, if it has one.
fn return_code(active: &Active) -> Option<u32> {
    active.frame.as_ref()?.activation.return_code(active.code()?.program())
}

/// RETURN-CODE of a program that was CALLed is that of its caller.
pub(super) fn give_back_code(window: &mut Window, called: &Active, caller: &Active) {
    if let (Some(own), Some(frame)) = (called.code(), called.frame.as_deref())
        && let (Some(above), Some(above_frame)) = (caller.code(), caller.frame.as_deref())
    {
        let (called, caller) = ((own.program(), frame), (above.program(), above_frame));
        native::give_back_code(&mut window.storage, called, caller);
    }
}

/// RETURN-CODE of a program that was CALLed is that of its caller; what it gives back goes to where RETURNING says.
pub(super) fn give_back(window: &mut Window, called: &Active, returned: Option<&[u8]>, caller: &Active) {
    give_back_code(window, called, caller);
    let Some(Wanted { at, length, form }) = caller.wanted else { return };
    let code = return_code(called).and_then(|at| window.read(at, RETURN_CODE)?.as_ref().try_into().ok());
    let code = code.map_or(0, i16::from_be_bytes);
    match (returned, form) {
        (Some(returned), _) => {
            window.put(at, &returned[..returned.len().min(length)]);
        }
        (None, Some(form)) => give_number(window, (at, length), code.into(), form),
        (None, None) => {}
    }
}
