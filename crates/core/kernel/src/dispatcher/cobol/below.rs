//! A level that is run within the code of the one above it: it is entered, comes to its end, and is kept for the next LINK.
//!
//! A program that comes to its end and was simple (it has called no other, allocated nothing, named no label) leaves its level as it
//! stands: parts of the window, frame, interface block. A LINK of the same copy of the program, before the one above leaves its code,
//! begins it again there; any other gives it up first.

use std::sync::Arc;

use cobol_ir::program::{BlockId, Leave};
use cobol_run::{Abend as Ended, ProgramFault};

use super::Level;
use super::activation::CallTarget;
use super::found::{Found, Passed};
use super::pace::Pace;
use super::rests::Rests;
use crate::dispatcher::links::{begin_again, enter_link};
use crate::exec::{Flow, Link};
use crate::limits::LEVEL_BYTES;
use crate::storage::{Charge, Window};
use crate::task::{self, Eib, Task};

/// The level.
pub(super) struct Below {
    unit: Arc<native::Unit>,
    pub level: Level,
    pub commarea: Option<Passed>,
    /// The addresses of its program's records when it begins, and which of them is that of the COMMAREA.
    linkage: Vec<u32>,
    commarea_at: u32,
    /// Its part of the task, while it does not run.
    left: Option<Box<task::Level>>,
    /// It, as the region counts it.
    _storage: Charge,
}

/// The parts of the window that a level of a simple program has: its interface block and WORKING-STORAGE.
const PARTS: usize = 2;

impl Below {
    /// The level of a LINK is entered, and its program is at its beginning.
    ///
    /// # Errors
    /// There is no room.
    pub fn enter(
        task: &mut Task,
        above: &mut Level,
        found: Found,
        link: Link,
    ) -> (Box<Self>, Result<(), ProgramFault>) {
        match above.below.take() {
            Some(mut below) if below.serves(&found) => {
                let entered = below.begins_again(task, found, link);
                return (below, entered);
            }
            Some(mut below) => {
                if let Some(window) = &mut task.window {
                    below.ends(window);
                }
            }
            None => {}
        }
        enter_link(task, link);
        let Found { unit, commarea } = found;
        let level = Level::of(task, above.tcb, above.within + 1);
        let storage = task.region.dsa.charge(LEVEL_BYTES);
        let (linkage, left) = (Vec::new(), None);
        let mut below =
            Box::new(Self { unit, level, commarea, linkage, commarea_at: 0, left, _storage: storage });
        let entered = match task.window.take() {
            Some(mut window) => {
                let entered = below.begins(task, &mut window);
                task.window = Some(window);
                entered
            }
            None => Err(ProgramFault::Host),
        };
        (below, entered)
    }

    /// The program runs. `None` if it has come to its end.
    pub fn run(&mut self, task: &mut Task, pace: &Pace) -> Option<Result<Rests, Ended>> {
        match self.level.run_code(task, pace) {
            Ok(Rests::Left(how)) if how == Leave::StopRun || self.level.programs.stack.len() <= 1 => None,
            Ok(Rests::Return) => None,
            Ok(Rests::Flow(flow)) if matches!(*flow, Flow::Return) => None,
            rests => Some(rests),
        }
    }

    /// The first program of the level: its interface block and its COMMAREA get their places.
    fn begins(&mut self, task: &Task, window: &mut Window) -> Result<(), ProgramFault> {
        let Self { unit, level: Level { programs, .. }, commarea, .. } = self;
        let eib = &task.level().eib;
        let mut block = [0; Eib::LENGTH];
        eib.copy_to(&mut block);
        programs.interface[0] = programs.hold(window, &block)?;
        window.share(programs.interface[0], block.len(), eib.address());
        if let Some(passed) = commarea {
            let declared = declared_commarea(unit);
            if declared > passed.length {
                let own = window.read(passed.from, passed.length).ok_or(ProgramFault::Protection)?;
                let mut bytes = own.into_owned();
                bytes.resize(declared, 0);
                passed.at = programs.hold(window, &bytes)?;
            }
            programs.interface[1] = passed.at;
        }
        self.commarea_at = programs.interface[1];
        programs.enter(window, &CallTarget::beginning(unit, 0), &[])?;
        let frame = programs.stack.last().and_then(|active| active.frame.as_ref());
        self.linkage = frame.map_or_else(Vec::new, |frame| frame.activation.linkage.clone());
        Ok(())
    }

    /// It is over: what its program has left in a copy of the COMMAREA goes back. It is kept above if its program was simple.
    pub fn over(mut self: Box<Self>, task: &mut Task, above: &mut Level) {
        let Some(mut window) = task.window.take() else { return };
        if let Some(passed) = self.commarea {
            passed.give_back(&mut window);
        }
        self.left = task.leave_level();
        if self.is_simple() {
            above.below = Some(self);
        } else {
            self.ends(&mut window);
        }
        task.window = Some(window);
    }

    /// Its storage is given back.
    pub fn ends(&mut self, window: &mut Window) {
        self.level.gives_up(window);
        self.level.heap.end(window);
        self.level.programs.end(window);
    }

    /// Nothing is left of its program but what each program has.
    fn is_simple(&self) -> bool {
        let programs = &self.level.programs;
        // What it gets the next time replaces that address in all its records: the interface block has another one.
        let is_own = self.commarea.is_none_or(|passed| passed.at == passed.from)
            && self.commarea_at != programs.interface[0];
        let is_plain = self.unit.program(0).is_some_and(|code| {
            let program = code.program();
            program.borrowed.is_empty() && program.returning.is_none()
        });
        is_own && is_plain && programs.has_one(PARTS) && self.level.heap.is_empty() && self.left.is_some()
    }

    /// It is of the same copy of the program, which has a COMMAREA now if it had one before.
    fn serves(&self, found: &Found) -> bool {
        let commarea = match found.commarea {
            Some(passed) => self.commarea_at != 0 && declared_commarea(&self.unit) <= passed.length,
            None => self.commarea_at == 0,
        };
        commarea && Arc::ptr_eq(&self.unit, &found.unit)
    }

    /// It is entered, as if it had not been there before.
    fn begins_again(&mut self, task: &mut Task, found: Found, link: Link) -> Result<(), ProgramFault> {
        let level = self.left.take().ok_or(ProgramFault::Host)?;
        begin_again(task, level, link);
        let Found { commarea, .. } = found;
        let at = commarea.map_or(0, |passed| passed.at);
        for address in self.linkage.iter_mut().filter(|address| **address == self.commarea_at && at != 0) {
            *address = at;
        }
        (self.commarea, self.commarea_at) = (commarea, at);
        let Level { programs, has_given_way, pending, .. } = &mut self.level;
        programs.interface[1] = at;
        (*has_given_way, *pending) = (true, None);
        let mut window = task.window.take().ok_or(ProgramFault::Host)?;
        let shown = self.shows(&mut task.level_mut().eib, &mut window);
        task.window = Some(window);
        shown
    }

    /// Its program is at its beginning, and sees its interface block.
    fn shows(&mut self, eib: &mut Eib, window: &mut Window) -> Result<(), ProgramFault> {
        let programs = &mut self.level.programs;
        let block = window.part(programs.interface[0], Eib::LENGTH).and_then(|into| into.first_chunk_mut());
        eib.show(block.ok_or(ProgramFault::Host)?);
        let code = self.unit.program(0).ok_or(ProgramFault::Host)?;
        let program = code.program();
        let active = programs.stack.last_mut().ok_or(ProgramFault::Host)?;
        let frame = active.frame.as_mut().ok_or(ProgramFault::Host)?;
        let is_tame = window.is_tame();
        let working =
            window.part(frame.activation.working, program.working.len()).ok_or(ProgramFault::Host)?;
        match code.changes().filter(|_| is_tame) {
            // No other bytes have changed.
            Some(changes) => {
                for part in changes {
                    program.working.write_part(part.clone(), &mut working[part.clone()]);
                }
            }
            None => program.working.write(working),
        }
        frame.begin(&self.linkage);
        (active.at, active.line, active.stand, active.wanted) = (BlockId(0), 0, None, None);
        Ok(())
    }
}

impl Level {
    /// The level below that is kept is given up: the program above waits, or is over.
    #[inline]
    pub(super) fn gives_up(&mut self, window: &mut Window) {
        if let Some(mut below) = self.below.take() {
            below.ends(window);
        }
    }
}

/// The length of the COMMAREA that the first program of a unit declares.
pub(super) fn declared_commarea(unit: &native::Unit) -> usize {
    let program = unit.program(0).map(|code| code.program());
    let declared = program.and_then(|program| program.linkage.get(program.commarea()?));
    declared.map_or(0, |linkage| linkage.length as usize)
}
