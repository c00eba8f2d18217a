//! Commands and services that need not wait: each is answered where its program stands, and the program goes on.
//!
//! What a command means is the same as elsewhere (`command`), and so is what others see of it. Whatever may wait, or is looked
//! at, is answered there.

use std::sync::Arc;

use cobol_ir::program::{BlockId, End, Service};
use cobol_ir::run::{Abend as Ended, Answer, Fault, Frame, Host, Machine, Passed};
use native::{Kept, Loaded, Reached, Unit};
use spec::call::Descriptor;

use super::pace::Pace;
use super::walk::Rests;
use super::{Level, Shown, failed_of_host, readdress, stands_at};
use crate::debugging::is_debugged;
use crate::dispatcher::contain::contained_now;
use crate::exec::{self, Next, OwnCall, Stand};
use crate::name::Name8;
use crate::services::{OwnAnswerer, Services};
use crate::task::Task;

/// A program whose code runs.
pub(super) struct Running<'u> {
    unit: &'u Unit,
    /// Its place in the unit.
    place: usize,
    pub code: &'u Loaded<Kept>,
    /// The first letters of its name.
    pub name: Name8,
}

impl<'u> Running<'u> {
    /// Where it stands with a call of the host at the end of a block.
    #[inline]
    pub fn stand(&self, block: BlockId) -> Stand<'u> {
        let line = self.code.program().blocks.get(block.0 as usize).map_or(0, |block| block.line);
        Stand { unit: self.unit, program: self.place, line }
    }
}

/// What a program asks for.
#[derive(Clone, Copy)]
enum Asked<'u> {
    Command(Descriptor<'u>),
    /// A CALL of a service by its name.
    Service(&'u str, OwnAnswerer),
}

/// What comes behind it.
pub(super) enum Behind {
    /// The program goes on.
    On(BlockId),
    /// It rests.
    Rests(Rests),
}

/// What is asked for at the end of a block, and its place among the calls of the host, if it can be answered here.
#[inline]
fn asked_at<'u>(task: &Task, program: &'u cobol_ir::Program, block: BlockId) -> Option<(u32, Asked<'u>)> {
    let End::Host { site, .. } = program.blocks.get(block.0 as usize)?.end else { return None };
    let call = program.sites.get(site as usize)?;
    let asked = match &call.service {
        Service::Exec(descriptor) => {
            let descriptor = Descriptor::new(descriptor)?;
            exec::is_for_now(task, descriptor.command()).then_some(Asked::Command(descriptor))?
        }
        Service::Call(name) if call.returning.is_none() && !exec::is_watched(task) => {
            let answerer = Services::of(&task.region).own(name)?;
            answerer.is_for_now().then_some(Asked::Service(name, answerer))?
        }
        _ => return None,
    };
    (!is_debugged(&task.region)).then_some((site, asked))
}

impl Level {
    /// Runs the code of the program to its next rest, and that of programs that it CALLs again. Commands that need not wait are
    /// answered meanwhile.
    pub(super) fn run_code(&mut self, task: &mut Task, pace: &Pace) -> Result<Rests, Ended> {
        let mut begun = None;
        loop {
            let rests = self.run_program(task, pace, begun.take())?;
            if let Some(reached) = self.programs.unfold() {
                begun = Some(reached?);
                continue;
            }
            let window = task.window.as_mut().ok_or_else(failed_of_host)?;
            if !self.programs.goes_on(window, &rests) {
                return Ok(rests);
            }
            let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
            match active.code() {
                Some(code) if pace.must_stop() => return Err(code.abend_at(Fault::Stopped, active.at)),
                // It goes on where it stands, statement by statement.
                _ if is_debugged(&task.region) => return Ok(Rests::Label(0)),
                _ => {}
            }
        }
    }

    /// Runs the code of one program. `begun`: how far it has come already, CALLed from within code.
    fn run_program(
        &mut self,
        task: &mut Task,
        pace: &Pace,
        mut begun: Option<Reached>,
    ) -> Result<Rests, Ended> {
        let name = self.shown_as();
        let active = self.programs.stack.last_mut().ok_or_else(failed_of_host)?;
        let (unit, place) = (&Arc::clone(&active.unit), active.program);
        let code = unit.program(place).ok_or_else(failed_of_host)?;
        let mut frame = active.frame.take().ok_or_else(failed_of_host)?;
        let running = Running { unit, place, code, name };
        let mut at = active.at;
        let rests = loop {
            let reached = self.run_to_call(task, pace, code, &mut frame, (at, begun.take()));
            let (block, asked) = match reached {
                Ok((Reached::Left(how), _)) => break Ok(Rests::Left(how)),
                Err(ended) => break Err(ended),
                Ok((Reached::Host(block), asked)) => (block, asked),
            };
            at = block;
            let behind = match asked {
                None => break Ok(Rests::Host(block)),
                Some(Asked::Command(command)) => {
                    self.answer(task, pace, &running, command, block, &mut frame)
                }
                Some(Asked::Service(name, answerer)) => {
                    self.serve(task, pace, &running, (name, answerer), block, &frame)
                }
            };
            match behind {
                Ok(Behind::On(_)) if pace.must_stop() => break Err(code.abend_at(Fault::Stopped, block)),
                Ok(Behind::On(next)) => at = next,
                Ok(Behind::Rests(rests)) => break Ok(rests),
                Err(fault) => break Err(code.abend_at(fault, block)),
            }
        };
        let active = self.programs.stack.last_mut().ok_or_else(failed_of_host)?;
        active.frame = Some(frame);
        active.at = at;
        active.line = code.program().blocks.get(at.0 as usize).map_or(active.line, |block| block.line);
        match &rests {
            Ok(Rests::Label(label)) => self.go_to(task, *label).map_err(|fault| code.abend_at(fault, at))?,
            Ok(_) => {}
            Err(ended) => stands_at(active, &ended.line),
        }
        rests
    }

    /// Runs it to its next call of the host: if that can be answered here, with its arguments.
    #[inline]
    fn run_to_call<'u>(
        &mut self,
        task: &mut Task,
        pace: &Pace,
        code: &'u Loaded<Kept>,
        frame: &mut Frame,
        (at, begun): (BlockId, Option<Reached>),
    ) -> Result<(Reached, Option<Asked<'u>>), Ended> {
        let program = code.program();
        let Some(mut window) = task.window.take() else { return Err(failed_of_host()) };
        let host: (&mut dyn Host, _) = (&mut Shown { task: &*task }, pace.flag());
        let within = self.programs.within();
        let mut reached = match begun {
            Some(reached) => Ok(reached),
            None => code.resume_within(&mut window.storage, frame, at, host, within),
        };
        let mut asked = None;
        if let Ok(Reached::Host(block)) = reached
            && let Some((site, own)) = asked_at(task, program, block)
        {
            asked = Some(own);
            if let Err(fault) =
                Machine::resumed(program, &mut window.storage, frame).pass_all(site, &mut self.arguments)
            {
                reached = Err(code.abend_at(fault, block));
            }
        }
        task.window = Some(window);
        reached.map(|reached| (reached, asked))
    }

    /// Answers a command.
    ///
    /// # Errors
    /// A fault at its statement.
    #[inline]
    fn answer(
        &mut self,
        task: &mut Task,
        pace: &Pace,
        running: &Running<'_>,
        descriptor: Descriptor<'_>,
        block: BlockId,
        frame: &mut Frame,
    ) -> Result<Behind, Fault> {
        for argument in &mut self.arguments {
            if let Passed::Label(label) = argument {
                *label = self.programs.name_label(*label);
            }
        }
        let stand = running.stand(block);
        let linkage = &frame.activation.linkage;
        let own = OwnCall::new(task.window.take(), stand, Some(descriptor), &self.arguments, linkage);
        task.control.stands_until(running.name, stand.line());
        let answered = contained_now(|| exec::execute_own_now(task, &own, || pace.renew()));
        task.control.stands_no_more();
        let answered = match answered {
            Ok(Some(answered)) => answered,
            Ok(None) => {
                task.window = own.into_window();
                return Ok(Behind::Rests(Rests::Host(block)));
            }
            Err(panic) => {
                task.window = own.into_window();
                return Ok(Behind::Rests(Rests::Failed(panic)));
            }
        };
        if own.is_to_be_finished() {
            let linkage = own.finish(task)?;
            readdress(frame, &linkage);
        } else {
            task.window = own.into_window();
        }
        self.show_eib(task);
        Ok(match answered {
            Ok(Next::Program(0)) => Behind::On(running.code.behind(block, Answer::Continue)?),
            Ok(Next::Program(label)) => Behind::Rests(Rests::Label(label)),
            Ok(Next::Flow(flow)) => Behind::Rests(Rests::Flow(flow)),
            Err(code) => Behind::Rests(Rests::Abend(code.into())),
        })
    }
}
