//! Rests of programs: their reasons, and the level that was left where its program stood.

use std::sync::Arc;

use areas::Area;
use cobol_ir::program::{BlockId, Leave};
use cobol_run::{Abend as Ended, ProgramFault, Stand};

use super::Level;
use super::found::Passed;
use crate::dispatcher::contain::Panic;
use crate::exec::Flow;
use crate::programs::Program;
use crate::raise::Abend;
use crate::storage::StorageAddress;
use crate::task::{Commarea, Task};

/// Reasons why a program rests.
pub(super) enum Rests {
    /// It has ended.
    Left(Leave),
    /// A call of the host is to be answered.
    Host(BlockId),
    /// A statement is next, by its place in [`cobol_ir::Program::lines`].
    Statement(Stand, u32),
    /// It goes on at a label that HANDLE has named, by its number.
    Label(i32),
    /// A command passes control.
    Flow(Box<Flow>),
    /// RETURN: the level is over.
    Return,
    /// A command has ended with an abend.
    Abend(Abend),
    /// The region's own code has failed in a command.
    Failed(Panic),
    /// A program that it has LINKed to, which was run where it stands, has not come to its end.
    Linked(Box<Inside>),
    /// There is no room for its storage.
    NoRoom(ProgramFault),
}

/// A level that was entered where the program stood that LINKed to it, and has not come to its end.
pub(super) struct Inside {
    /// Its program.
    pub program: Arc<Program>,
    /// Its depth among the task's levels.
    pub depth: usize,
    /// It, and what its program has come to.
    pub(super) level: Level,
    pub(super) rests: Result<Rests, Ended>,
    /// Its COMMAREA.
    pub(super) commarea: Option<Passed>,
}

impl Inside {
    /// It goes on outside of code, and so do all above it: its COMMAREA is an area, as that of any level, for which its place in the
    /// window stands. The caller's bytes, and that area.
    pub(super) fn stands_for(&mut self, task: &mut Task) -> Option<(u32, Area)> {
        let (passed, window) = self.commarea.take().zip(task.window.as_mut())?;
        let area = Area::with(&window.read(passed.at, passed.length).unwrap_or_default());
        let address = StorageAddress::of(&area);
        window.share(passed.at, passed.length, address);
        self.level.programs.shows_commarea = true;
        task.level_at(self.depth)?.commarea = Some(Commarea::Lent { address, length: passed.length });
        Some((passed.from, area))
    }
}
