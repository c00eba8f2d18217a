//! Commands and services that need not wait: each is answered where the code of its program stands, which goes on behind it.
//!
//! A command means the same as elsewhere (`command`), and others see the same of it. A command that may wait, or is looked
//! at, leaves code and is answered there.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use cobol_ir::Program;
use cobol_run::{Abend as Ended, Answer, Call, Host, Passed, ProgramFault};
use native::{CodeHost, Parts, Reached, Standing, Unit};

use super::cells::{Cell, Cells};
use super::pace::Pace;
use super::rests::Rests;
use super::{Level, failed_of_host, readdress, stands_at};
use crate::debugging::is_debugged;
use crate::dispatcher::contain::Panic;
use crate::exec::{self, Came, Cell as Command, Held, Places, ProgramCall};
use crate::region::Looks;
use crate::task::{Eib, Task};

/// The host of code.
pub(super) struct Direct<'d> {
    pub told: Told<'d>,
    pub level: &'d mut Level,
    pub pace: &'d Pace,
    /// The task has no window meanwhile.
    pub window: Held,
}

/// The host of what code leaves to the interpreter: it shows lines, and answers nothing.
pub(super) struct Told<'d> {
    pub task: &'d mut Task,
}

impl Host for Told<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.task.displays(text, advancing);
    }

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

impl CodeHost for Direct<'_> {
    type Cells = Cells;

    fn cells(program: &Program) -> Option<Cells> {
        Some(Cells::of(program))
    }

    #[inline(always)]
    fn parts(&mut self) -> Option<Parts<'_>> {
        let window = self.window.get_mut().as_mut()?;
        let calls = Some(&mut self.level.programs.again);
        Some(Parts { storage: &mut window.storage, host: &mut self.told, calls })
    }

    #[inline(always)]
    fn answer(&mut self, cells: &Cells, mut at: Standing<'_>) -> bool {
        let cell = cells.at(at.site());
        if self.told.task.region.looks.any(LOOKED_AT) && self.is_looked_at(cell) {
            return false;
        }
        match cell {
            Cell::Command(command) => self.command(cells, command, &mut at),
            Cell::Called(called) => self.service(cells, called, &mut at),
            Cell::Link(command) => self.link(cells, command, &mut at),
            Cell::Waits(places) => self.waits(places, &mut at),
            Cell::Elsewhere => false,
        }
    }

    #[cold]
    fn failed(&mut self, panic: Box<dyn Any + Send>) {
        let task = &mut *self.told.task;
        task.control.stands_no_more();
        if let Some(window) = task.window.take() {
            *self.window.get_mut() = Some(window);
        }
        self.leaves(Ok(Rests::Failed(Panic::of(&*panic))));
    }
}

/// Looks at commands, CALLs or programs that a program asks for.
const LOOKED_AT: u16 = Looks::WATCHED | Looks::DEBUGGED | Looks::CHOSEN | Looks::BEGINS | Looks::SERVICES;

impl Direct<'_> {
    /// Returns true if a watcher looks at what a cell asks for, so that it is answered outside of code.
    #[inline(never)]
    fn is_looked_at(&self, cell: &Cell) -> bool {
        let looks = &self.told.task.region.looks;
        looks.any(Looks::WATCHED | Looks::DEBUGGED)
            || match cell {
                Cell::Command(command) => looks.has(command.command),
                Cell::Link(command) => looks.any(Looks::BEGINS) || looks.has(command.command),
                Cell::Called(_) => looks.any(Looks::SERVICES),
                // They leave code anyway.
                Cell::Waits(_) | Cell::Elsewhere => false,
            }
    }

    /// Code is left, since an answer has come to this.
    #[cold]
    pub fn leaves(&mut self, why: Result<Rests, ProgramFault>) -> bool {
        self.level.pending = Some(why);
        false
    }

    /// Answers a command.
    #[inline(always)]
    fn command(&mut self, cells: &Cells, command: &Command, at: &mut Standing<'_>) -> bool {
        let Some(window) = self.window.get_mut() else { return false };
        let are_there = command.arguments.are_there(at.activation(), &window.storage);
        if !are_there || command.gets_storage && self.is_short() {
            return false;
        }
        if !command.arguments.worked_out.is_empty() {
            match self.works_out(command, at) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(fault) => return self.leaves(Err(fault)),
            }
        }
        let Self { told: Told { task }, level, pace, window } = self;
        let own = ProgramCall::known(window, at.program(), command, at.activation(), &level.arguments);
        task.control.stands_until(cells.name, command.line);
        let came = exec::execute_known(task, &exec::Call::known(&own, command), command, || pace.renew());
        task.control.stands_no_more();
        if own.is_to_be_finished() && !matches!(came, Came::Waits) {
            let finished = own.finish(task);
            *window.get_mut() = task.window.take();
            match finished {
                Ok(linkage) => readdress(at.linkage_mut(), &linkage),
                Err(fault) => return self.leaves(Err(fault)),
            }
        }
        match came {
            Came::Waits if !command.has_labels => {
                self.shows_interface();
                self.waits(&command.arguments, at)
            }
            came => self.comes_to(came),
        }
    }

    /// Code is left for a call of the host that waits, whose arguments are found here. One that is not there is found outside again.
    #[inline(never)]
    pub fn waits(&mut self, places: &Places, at: &mut Standing<'_>) -> bool {
        let Some(window) = self.window.get_mut() else { return false };
        if places.are_there(at.activation(), &window.storage) && self.pass_all(places, at).is_ok() {
            self.level.passed = Some(at.site());
        }
        false
    }

    /// A command has come to this.
    #[inline(always)]
    pub fn comes_to(&mut self, came: Came) -> bool {
        self.shows_interface();
        match came {
            Came::On => true,
            Came::Waits => false,
            Came::Label(label) => self.leaves(Ok(Rests::Label(label))),
            Came::Abend(code) => self.leaves(Ok(Rests::Abend(code.into()))),
            Came::Flow(flow) => self.leaves(Ok(Rests::Flow(flow))),
            Came::Return => self.leaves(Ok(Rests::Return)),
        }
    }

    #[cold]
    fn is_short(&self) -> bool {
        self.told.task.region.dsa.is_short()
    }

    /// Works out the arguments that are not known. False if that has to be done outside of code.
    ///
    /// # Errors
    /// One is not there.
    #[inline(never)]
    fn works_out(&mut self, command: &Command, at: &mut Standing<'_>) -> Result<bool, ProgramFault> {
        // A label is one of the program that the level runs.
        if command.has_labels && at.is_called() {
            return Ok(false);
        }
        self.pass(&command.arguments.worked_out, at)?;
        if command.has_labels {
            for argument in &mut self.level.arguments {
                if let Passed::Label(label) = argument {
                    *label = self.level.programs.name_label(*label);
                }
            }
        }
        Ok(true)
    }

    /// Has the interpreter work out some arguments.
    ///
    /// # Errors
    /// One is not there.
    fn pass(&mut self, places: &[u32], at: &mut Standing<'_>) -> Result<(), ProgramFault> {
        let Self { level, window, .. } = self;
        let window = window.get_mut().as_mut().ok_or(ProgramFault::Host)?;
        level.arguments.clear();
        for place in places {
            level.arguments.push(at.pass(&mut window.storage, *place)?);
        }
        Ok(())
    }

    /// The program sees its interface block as the command has left it.
    #[inline(always)]
    pub fn shows_interface(&mut self) {
        let at = self.level.programs.interface[0] as usize;
        let Some(window) = self.window.get_mut() else { return };
        // It lies in the window and nowhere else.
        let into = window.storage.memory_mut().get_mut(at..at + Eib::LENGTH);
        if let Some(into) = into.and_then(|into| into.first_chunk_mut()) {
            self.told.task.level_mut().eib.show(into);
        }
    }
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
            let (Rests::Left(_) | Rests::Host(_)) = rests else { return Ok(rests) };
            let window = task.window.as_mut().ok_or_else(failed_of_host)?;
            if !self.programs.goes_on(window, &rests) {
                return Ok(rests);
            }
            let active = self.programs.stack.last().ok_or_else(failed_of_host)?;
            match active.code() {
                Some(code) if pace.must_stop() => return Err(code.abend_at(ProgramFault::Stopped, active.at)),
                // It goes on where it stands, statement by statement.
                _ if is_debugged(&task.region) => return Ok(Rests::Label(0)),
                _ => {}
            }
        }
    }

    /// Runs the code of one program. `begun`: how far it has come already, CALLed from within code.
    fn run_program(&mut self, task: &mut Task, pace: &Pace, begun: Option<Reached>) -> Result<Rests, Ended> {
        let active = self.programs.stack.last_mut().ok_or_else(failed_of_host)?;
        let (unit, place) = (&Arc::clone(&active.unit), active.program);
        let code = unit.program(place).ok_or_else(failed_of_host)?;
        let mut frame = active.frame.take().ok_or_else(failed_of_host)?;
        let at = active.at;
        let reached = match begun {
            Some(reached) => Ok(reached),
            None => self.run_stretch(task, pace, (unit, place), &mut frame, at),
        };
        let (at, rests) = match reached {
            Ok(Reached::Left(how)) => (at, Ok(Rests::Left(how))),
            Err(ended) => (at, Err(ended)),
            // What was left within code stands above it from now on, and goes on first.
            Ok(Reached::Host(block)) if self.programs.again.has_unfinished() => {
                (block, Ok(Rests::Host(block)))
            }
            Ok(Reached::Host(block)) => {
                let why = self.pending.take().unwrap_or(Ok(Rests::Host(block)));
                (block, why.map_err(|fault| code.abend_at(fault, block)))
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

    /// Runs it until it leaves code.
    fn run_stretch(
        &mut self,
        task: &mut Task,
        pace: &Pace,
        (unit, place): (&Unit, usize),
        frame: &mut cobol_run::Frame,
        at: cobol_ir::program::BlockId,
    ) -> Result<Reached, Ended> {
        let Some(window) = task.window.take() else { return Err(failed_of_host()) };
        let within = self.programs.within();
        let window = RefCell::new(Some(window));
        let mut direct = Direct { told: Told { task }, level: self, pace, window };
        let reached = unit.resume((place, within), frame, at, &mut direct, pace.flag());
        task.window = direct.window.into_inner();
        reached
    }
}
