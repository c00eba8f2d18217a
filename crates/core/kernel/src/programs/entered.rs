//! A program that a task has entered.

use std::sync::Arc;

use cobol_ir::program::{BlockId, Numeric};
use cobol_run::{Frame, Stand};
use native::Unit;
use smallvec::SmallVec;

use crate::name::Name8;
use crate::storage::Charge;

/// A program that is entered.
pub(crate) struct EnteredProgram {
    /// Its source's programs.
    pub unit: Arc<Unit>,
    /// Which of them.
    pub program: usize,
    /// None while it runs.
    pub frame: Option<Box<Frame>>,
    /// Block where it goes on; while another program runs that it has CALLed, the block of the CALL.
    pub at: BlockId,
    /// The statement that it is in, by its place in [`cobol_ir::Program::lines`].
    pub line: u32,
    /// Place where it rests in front of a statement, if a debugger has it rest there.
    pub stand: Option<Stand>,
    /// Parts of the window that it gives back when it is left.
    pub temporary: SmallVec<[(u32, usize); 2]>,
    /// Place of its RETURNING item.
    pub returning: Option<(u32, usize)>,
    /// Place where the program that it has CALLed gives back its result.
    pub wanted: Option<Wanted>,
    /// Its number among the programs that its level knows to CALL others, or to be CALLed, if it is one.
    pub again: Option<usize>,
    /// True if it was CALLed in such a way that its frame is kept for the next time.
    pub is_called_again: bool,
    /// The first letters of its name, once it has been shown as standing in a command.
    pub shown: Option<Name8>,
    /// Its LOCAL-STORAGE, as the region counts it.
    pub _storage: Option<Charge>,
}

/// Place and form of a result.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Its address.
    pub at: u32,
    /// Number of bytes.
    pub length: usize,
    /// Form of a number; `None` for characters.
    pub form: Option<Numeric>,
}

/// The programs of a level of a task: those that it has CALLed stand behind the first.
pub(crate) struct ProgramLevel {
    /// The level's number, from 1.
    pub depth: usize,
    /// The programs.
    pub programs: Vec<EnteredProgram>,
}

impl EnteredProgram {
    /// Its code.
    pub fn code(&self) -> Option<&native::Loaded<native::KeptProgram>> {
        self.unit.program(self.program)
    }
}
