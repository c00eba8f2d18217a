//! LINK where its program stands: the program below is run there, on the same machine's stack and in the same window, and the one that
//! asked goes on behind it.
//!
//! ```text
//! LINK ─► its program is found, may run here ─► level ─► code ─► RETURN ─► level gone, on behind LINK
//!              no │                                                         │ waits, passes control, abends, …
//!                 ▼                                                         ▼
//!           code is left, as for any command that may wait          code of both is left: the level goes on as one that was
//!                                                                   entered outside of code (`Inside`)
//! ```
//!
//! Its COMMAREA is the caller's own bytes, unless the program declares a longer one: then it works on a part of the window that begins
//! with them, and what it leaves there goes back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use native::Standing;

use super::below::Below;
use super::cells::Cells;
use super::found::Found;
use super::here::Direct;
use super::rests::{Inside, Rests};
use crate::dispatcher::contain::contained_now;
use crate::exec::{self, Cell as Command, Link, ProgramCall};
use crate::programs::Run;
use crate::task::Task;

/// Levels that may stand within the code of one another: each takes some of the machine's stack.
const WITHIN_MAX: u8 = 6;

impl Direct<'_> {
    /// Runs the program of a LINK, if that can be done here.
    pub(super) fn link(&mut self, cells: &Cells, command: &Command, at: &mut Standing<'_>) -> bool {
        let Some(window) = self.window.get_mut() else { return false };
        let is_here = command.arguments.are_there(at.activation(), &window.storage);
        if !is_here || self.level.within >= WITHIN_MAX || self.told.task.region.secured {
            return false;
        }
        let tcb = self.level.tcb;
        let mut found = None;
        let link = {
            let task = &mut *self.told.task;
            let own = ProgramCall::known(&self.window, at.program(), command, at.activation(), &[]);
            task.control.stands_until(cells.name, command.line);
            let is_here = |task: &mut Task, link: &Link| {
                found = own.with_window(|window| Found::of(task, tcb, link, window?));
                found.is_some()
            };
            let link = exec::link_known(task, &exec::Call::known(&own, command), command, is_here);
            task.control.stands_no_more();
            link
        };
        let came = match (link, found) {
            (Ok(link), Some(found)) => match self.runs_contained(found, link) {
                Ok(()) => {
                    let task = &mut *self.told.task;
                    let outcome = task.came_to.take().map_or(Ok(()), Err);
                    let own = ProgramCall::known(&self.window, at.program(), command, at.activation(), &[]);
                    exec::linked_known(task, &exec::Call::known(&own, command), command, outcome)
                }
                Err(rests) => return self.leaves(Ok(rests)),
            },
            (Ok(_), None) => return false,
            (Err(came), _) => came,
        };
        self.comes_to(came)
    }

    /// Runs a program one level down. A mistake of ours leaves the task at the level of the program that asked.
    ///
    /// # Errors
    /// It has not come to its end: code is left.
    fn runs_contained(&mut self, found: Found, link: Link) -> Result<(), Rests> {
        let depth = self.told.task.depth();
        contained_now(|| self.runs(found, link)).unwrap_or_else(|panic| {
            let task = &mut *self.told.task;
            while task.depth() > depth {
                task.leave();
            }
            if let Some(window) = task.window.take() {
                *self.window.get_mut() = Some(window);
            }
            Err(Rests::Failed(panic))
        })
    }

    /// Runs a program one level down.
    ///
    /// # Errors
    /// It has not come to its end: code is left.
    fn runs(&mut self, found: Found, link: Link) -> Result<(), Rests> {
        let Self { told, level, pace, window } = self;
        let task = &mut *told.task;
        task.window = window.get_mut().take();
        let run = Run::begin(Arc::clone(&link.program));
        let (mut below, entered) = Below::enter(task, level, found, link);
        let depth = task.depth();
        run.uses.fetch_add(1, Ordering::Relaxed);
        task.level_mut().characters = run.characters();
        let rests = match entered {
            Ok(()) => below.run(task, pace),
            Err(fault) => Some(Ok(Rests::NoRoom(fault))),
        };
        let came = match rests {
            None => {
                below.over(task, level);
                Ok(())
            }
            Some(rests) => {
                let Below { level: mut below, commarea, .. } = *below;
                below.within = 0;
                if let Some(window) = &mut task.window {
                    below.gives_up(window);
                }
                Err(Rests::Linked(Box::new(Inside {
                    program: run.end(),
                    depth,
                    level: below,
                    rests,
                    commarea,
                })))
            }
        };
        *window.get_mut() = task.window.take();
        came
    }
}
