//! Spare levels: the first level of a task that has ended waits on its TCB for the next task that begins with the same copy of its
//! program.
//!
//! ```text
//! runs ── RETURN, and it is simple ──► its task has it ── committed ──► spare: the window is zeros ── a task begins ──► runs
//!           │ anything else                │ abend
//!           ▼                              ▼
//!          gone                           gone
//! ```
//!
//! Only what no program can see stays: the places of programs in the window, their frames, and which program each CALL has led to. All bytes of
//! the window are cleared as those of any window that is given back, and WORKING-STORAGE is written again when a task begins.
//! The program of a CALL is looked for again once any name has come to mean another program ([`crate::programs::Programs::changes`]).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

use native::Unit;

use super::below::declared_commarea;
use super::{Level, pace};
use crate::dispatcher::abends::runaway_limit;
use crate::dispatcher::thread::Tcb;
use crate::limits::{COMMAREA_UNSEEN_MIN, SPARE_LEVELS_BYTES_MAX};
use crate::programs::Programs;
use crate::region::Looks;
use crate::storage::Window;
use crate::task::Task;

/// Those of a TCB, the oldest first.
#[derive(Default)]
pub(in crate::dispatcher) struct Spares {
    all: RefCell<VecDeque<Spare>>,
    /// The bytes of all their windows.
    bytes: Cell<usize>,
    /// The number of changes to the region's programs when these levels began.
    changes: Cell<u64>,
}

/// One of them.
struct Spare {
    level: Box<Level>,
    window: Box<Window>,
    /// The bytes of the window.
    bytes: usize,
}

impl Spares {
    /// Those of a TCB.
    pub fn of(tcb: &Tcb) -> &Self {
        tcb.part()
    }

    /// A task has ended on this TCB, and has left a level and its window.
    pub fn keep(&self, tcb: usize, left: Box<dyn Any + Send>, mut window: Box<Window>) {
        let Ok(mut level) = left.downcast::<Level>() else { return };
        if level.tcb != tcb || level.changes < self.changes.get() || !level.programs.is_spared(&mut window) {
            return;
        }
        self.is_of(level.changes);
        level.arguments.clear();
        let mut all = self.all.borrow_mut();
        let bytes = window.storage.memory().len();
        all.push_back(Spare { level, window, bytes });
        self.bytes.update(|all| all + bytes);
        while self.bytes.get() > SPARE_LEVELS_BYTES_MAX
            && let Some(oldest) = all.pop_front()
        {
            self.bytes.update(|all| all - oldest.bytes);
        }
    }

    /// The level of a task that begins with a program, and its window. `None` if there is no spare one, or the task needs another.
    pub(super) fn begin(&self, task: &mut Task, unit: &Arc<Unit>) -> Option<Box<Level>> {
        let is_simple = task.depth() == 1 && task.window.is_none();
        if !is_simple || task.region.looks.any(Looks::WATCHED | Looks::DEBUGGED) {
            return None;
        }
        self.is_of(Programs::of(&task.region).changes());
        let commarea = task.level().commarea.as_ref().map(|own| (own.address(), own.length()));
        // One that tasks share is not copied.
        if commarea.is_some_and(|(address, _)| task.region.arena.at(address).is_some()) {
            return None;
        }
        let length = commarea.map(|(_, length)| length);
        let Spare { mut level, mut window, bytes } = {
            let mut all = self.all.borrow_mut();
            let place = all.iter().rposition(|spare| spare.level.begins_with(unit, length))?;
            all.remove(place)?
        };
        self.bytes.update(|all| all - bytes);
        level.programs.begins_again(&mut window, &task.level().eib).ok()?;
        match commarea {
            Some((area, length)) if level.programs.shows_commarea => {
                level.programs.takes_commarea(&mut window, area, length).ok()?;
            }
            Some((area, length)) => {
                let room = length.max(declared_commarea(unit));
                level.programs.has_commarea(&mut window, area, length, room);
            }
            None => {}
        }
        (level.limit, level.number) = (runaway_limit(task), pace::number_of_level());
        (level.has_given_way, level.pending) = (true, None);
        window.takes_twa(&task.twa);
        task.window = Some(window);
        Some(level)
    }

    /// Gives up all levels if the region's programs have changed since they began.
    fn is_of(&self, changes: u64) {
        if self.changes.replace(changes) != changes {
            self.all.borrow_mut().clear();
            self.bytes.set(0);
        }
    }
}

impl Level {
    /// Returns true if its first program is that of a unit, and it has room for a COMMAREA of so many bytes, or for none.
    fn begins_with(&self, unit: &Arc<Unit>, commarea: Option<usize>) -> bool {
        self.programs.stack.first().is_some_and(|first| Arc::ptr_eq(&first.unit, unit))
            && match (commarea, self.programs.room_of_commarea()) {
                (Some(length), Some(room)) => length <= room,
                (None, None) => true,
                (Some(length), None) => length >= COMMAREA_UNSEEN_MIN && self.programs.names_no_commarea(),
                (None, Some(_)) => false,
            }
    }

    /// It is over: its storage is given back, or stays with the task for the next one.
    pub(super) fn is_over(mut self: Box<Self>, task: &mut Task, has_returned: bool) {
        let Some(mut window) = task.window.take() else { return };
        if has_returned && self.may_be_spared(task) {
            // All of the window is cleared before the next task has it, and what is no part of the level has no place there.
            let _ = self.programs.unshare(&mut window);
            task.left = Some(self);
        } else {
            self.heap.end(&mut window);
            self.programs.end(&mut window);
        }
        task.window = Some(window);
    }

    fn may_be_spared(&self, task: &Task) -> bool {
        task.depth() == 1
            && self.within == 0
            && self.below.is_none()
            && self.pending.is_none()
            && self.heap.is_empty()
            && self.changes == Programs::of(&task.region).changes()
            && !task.region.looks.any(Looks::WATCHED | Looks::DEBUGGED)
            && self.programs.may_be_spared()
    }
}
