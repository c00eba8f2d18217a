//! Commands that need not wait: each is answered where its program stands, and the program goes on.
//!
//! What a command means is the same as elsewhere (`command`), and so is what others see of it. Whatever may wait, or is looked
//! at, is answered there.

use std::sync::Arc;

use cobol_ir::program::{BlockId, End, Service};
use cobol_ir::run::{Abend as Ended, Answer, Fault, Machine, Passed};
use native::{Kept, Loaded, Reached, Unit};
use spec::call::Descriptor;

use super::pace::Pace;
use super::walk::Rests;
use super::{Level, Shown, failed_of_host, rest, stands_at};
use crate::debugging::is_debugged;
use crate::dispatcher::contain::contained_now;
use crate::exec::{self, Next, OwnCall, Stand};
use crate::name::Name8;
use crate::storage::Stored;
use crate::task::Task;

/// A command that a program has come to.
struct Asked<'u> {
    unit: &'u Unit,
    code: &'u Loaded<Kept>,
    /// The first letters of the program's name.
    name: Name8,
    block: BlockId,
    descriptor: Descriptor<'u>,
}

/// The command at the end of a block, and its place among the calls of the host, if it can be answered here.
#[inline]
fn command_at<'u>(
    task: &Task,
    program: &'u cobol_ir::Program,
    block: BlockId,
) -> Option<(u32, Descriptor<'u>)> {
    let End::Host { site, .. } = program.blocks.get(block.0 as usize)?.end else { return None };
    let Service::Exec(descriptor) = &program.sites.get(site as usize)?.service else { return None };
    let descriptor = Descriptor::new(descriptor)?;
    let is_for_here = exec::is_for_now(task, descriptor.command()) && !is_debugged(&task.region);
    is_for_here.then_some((site, descriptor))
}

impl Level {
    /// Runs the code of the program to its next rest, and that of programs that it CALLs again. Commands that need not wait are
    /// answered meanwhile.
    pub(super) fn run_code(&mut self, task: &mut Task, pace: &Pace) -> Result<Rests, Ended> {
        loop {
            let rests = self.run_program(task, pace)?;
            let window = task.window.as_mut().ok_or_else(failed_of_host)?;
            if !self.programs.goes_on(window, &rests)? {
                return Ok(rests);
            }
            let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
            match active.code() {
                Some(code) if pace.must_stop() => return Err(code.abend_at(Fault::Stopped, active.at)),
                // It goes on statement by statement.
                _ if is_debugged(&task.region) => return Ok(Rests::Label),
                _ => {}
            }
        }
    }

    /// Runs the code of one program.
    fn run_program(&mut self, task: &mut Task, pace: &Pace) -> Result<Rests, Ended> {
        let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
        let unit = &Arc::clone(&active.unit);
        let code = unit.program(active.program).ok_or_else(failed_of_host)?;
        loop {
            let (reached, asked) = self.run_to_call(task, pace, code)?;
            let block = match reached {
                Reached::Left(how) => return Ok(Rests::Left(how)),
                Reached::Host(block) => block,
            };
            let Some(descriptor) = asked else { return Ok(Rests::Host(block)) };
            let name = self.shown_as();
            match self.answer(task, pace, Asked { unit, code, name, block, descriptor })? {
                None if pace.must_stop() => return Err(code.abend_at(Fault::Stopped, block)),
                None => {}
                Some(rests) => return Ok(rests),
            }
        }
    }

    /// Runs it to its next call of the host: if that is a command that can be answered here, with its arguments.
    fn run_to_call<'u>(
        &mut self,
        task: &mut Task,
        pace: &Pace,
        code: &'u Loaded<Kept>,
    ) -> Result<(Reached, Option<Descriptor<'u>>), Ended> {
        let program = code.program();
        let active = self.programs.stack.last_mut().ok_or_else(failed_of_host)?;
        let (window, frame) = (task.window.take(), active.frame.take());
        let (Some(mut window), Some(frame)) = (window, frame) else { return Err(failed_of_host()) };
        window.exchange(&mut task.owners(), Stored::Nowhere);
        let mut machine = Machine::resumed(program, &mut window.storage, frame);
        let reached = code.resume(&mut machine, active.at, &mut Shown { task: &*task }, pace.flag());
        let asked = match &reached {
            Ok(Reached::Host(block)) => command_at(task, program, *block),
            _ => None,
        };
        let passed = match asked {
            Some((site, _)) => machine.pass_all(site, &mut self.arguments),
            None => Ok(()),
        };
        rest(task, active, machine.into_frame(), window);
        match &reached {
            Ok(Reached::Host(block)) => {
                active.at = *block;
                active.line = program.blocks[block.0 as usize].line;
                passed.map_err(|fault| code.abend_at(fault, *block))?;
            }
            Ok(Reached::Left(_)) => {}
            Err(ended) => stands_at(active, &ended.line),
        }
        Ok((reached?, asked.map(|(_, descriptor)| descriptor)))
    }

    /// Answers a command; none if the program goes on behind it.
    fn answer(&mut self, task: &mut Task, pace: &Pace, asked: Asked<'_>) -> Result<Option<Rests>, Ended> {
        let Asked { unit, code, block, descriptor, .. } = asked;
        let failed = |fault| code.abend_at(fault, block);
        for argument in &mut self.arguments {
            if let Passed::Label(label) = argument {
                *label = self.programs.name_label(*label);
            }
        }
        let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
        let linkage = active.frame.as_ref().map_or(&[][..], |frame| &frame.activation.linkage);
        let stand = Stand { unit, program: active.program, line: active.line };
        let own = OwnCall::new(task.window.take(), stand, Some(descriptor), &self.arguments, linkage);
        task.control.stands_until(asked.name, stand.line());
        let answered = contained_now(|| exec::execute_own_now(task, &own, || pace.renew()));
        task.control.stands_no_more();
        let answered = match answered {
            Ok(Some(answered)) => answered,
            Ok(None) => {
                task.window = own.into_window();
                return Ok(Some(Rests::Host(block)));
            }
            Err(panic) => {
                task.window = own.into_window();
                return Ok(Some(Rests::Failed(panic)));
            }
        };
        if own.is_to_be_finished() {
            let linkage = own.finish(task).map_err(failed)?;
            self.readdress(&linkage);
        } else {
            task.window = own.into_window();
        }
        self.show_eib(task);
        match answered {
            Ok(Next::Program(0)) => {
                let behind = code.behind(block, Answer::Continue).map_err(failed)?;
                self.programs.stack.last_mut().ok_or_else(failed_of_host)?.at = behind;
                Ok(None)
            }
            Ok(Next::Program(label)) => {
                self.go_to(task, label).map_err(failed)?;
                Ok(Some(Rests::Label))
            }
            Ok(Next::Flow(flow)) => Ok(Some(Rests::Flow(flow))),
            Err(code) => Ok(Some(Rests::Abend(code))),
        }
    }
}
