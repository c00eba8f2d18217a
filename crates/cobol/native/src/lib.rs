//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage of a [`Task`]
//! and a [`Frame`] in it, and nothing else. Unsafe code stands in `code` alone.
//!
//! Out of scope: the meaning of an operation (`cobol-run`), its instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

mod calling;
mod calls;
#[allow(unsafe_code, reason = "the one file that has it")]
mod code;
mod code_host;
mod file;
mod found;
mod helpers;
mod hosting;
mod kept;
mod shown;
mod unit;
mod windows;

use std::any::Any;
use std::ops::{Deref, Range};
use std::panic::resume_unwind;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cobol_ir::program::{BlockId, End};
use cobol_ir::{Program, changed_working, may_stray, names_commarea};
use cobol_run::{Abend, Answer, Frame, Host, Left, Machine, ProgramFault, Task};
use memmap2::Mmap;

pub use calling::give_back_code;
pub use calls::{Calls, Interface, Unfinished};
pub use code::context::{
    BUSY, Context, FoundHelper, Helper, IS_NEGATIVE, IS_NONE, LINKED_RECORDS_MAX, Link, NOWHERE, PLACE_MAX,
    Reached, SIGNED, STORAGE_MIN, Status, TABLES, Within,
};
pub use code::links::{CLEARED_SLOTS_MAX, LINKS_MAX, Linked, clears_slots, links_of};
use code::{Hosted, links};
use code_host::Flagged;
pub use code_host::{CodeHost, Parts, Standing};
pub use file::{FILE_MAX, Mapped, NotKept, NotTaken};
pub use kept::KeptProgram;
pub use unit::Unit;
pub use windows::{Windows, windows};

/// A program whose code lies in memory. It is kept by `P`, a reference of some kind.
#[derive(Debug)]
pub struct Loaded<P> {
    program: P,
    code: Mmap,
    entries: Vec<BlockId>,
    /// Bytes that the storage has at least, for what was proved of the code to hold.
    storage_min: usize,
    /// True if it may use a place anywhere in the task's storage; empty until it was first asked for.
    strays: OnceLock<bool>,
    /// The bytes of WORKING-STORAGE that it may change, if these are known; empty until they were first asked for.
    changes: OnceLock<Option<Box<[Range<usize>]>>>,
    /// True if a statement names the COMMAREA; empty until that was asked.
    names_commarea: OnceLock<bool>,
    /// True if code may enter it again by itself; empty until it was first asked for.
    begins_by_itself: OnceLock<bool>,
    /// Numbers of times that its statements were reached, by their places in [`Program::lines`]; empty unless its code counts.
    counters: Box<[AtomicU64]>,
    /// Its host's cells, once it has run.
    cells: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Bytes behind its last area that a storage shows, at most: programs which declare longer records than they are passed, or
/// use a table beyond its end, find zeros there.
pub const BEYOND: usize = 64 << 10;

impl<P: Deref<Target = Program>> Loaded<P> {
    /// Bytes of its machine code.
    pub(crate) fn code_length(&self) -> usize {
        self.code.len()
    }

    /// A program whose code was compiled before, and lies in memory.
    pub(crate) fn mapped(
        program: P,
        code: Mmap,
        entries: Vec<BlockId>,
        storage_min: usize,
        counts: bool,
    ) -> Self {
        let counted = if counts { program.lines.len() } else { 0 };
        let counters = (0..counted).map(|_| AtomicU64::new(0)).collect();
        let (strays, changes) = (OnceLock::new(), OnceLock::new());
        let (names_commarea, begins_by_itself, cells) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self {
            program,
            code,
            entries,
            storage_min,
            strays,
            changes,
            names_commarea,
            begins_by_itself,
            counters,
            cells,
        }
    }

    /// The counters of its statements; empty unless its code counts.
    pub(crate) fn counters(&self) -> &[AtomicU64] {
        &self.counters
    }

    /// The statements that were reached, by their places in [`Program::lines`], and how often. Two threads that count one statement at
    /// the same moment may count it once.
    pub fn reached(&self) -> impl Iterator<Item = (u32, u64)> {
        let counts = self.counters.iter().map(|counter| counter.load(Ordering::Relaxed));
        (0..).zip(counts).filter(|(_, count)| *count > 0)
    }

    /// The program.
    #[inline]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The reference that keeps it.
    pub(crate) fn kept(&self) -> &P {
        &self.program
    }

    /// Its instructions.
    pub(crate) fn code(&self) -> &[u8] {
        &self.code
    }

    /// Bytes that a storage must have in which it runs.
    pub fn storage_min(&self) -> usize {
        self.storage_min
    }

    /// Bytes behind an area at which the program may look by what it says of others' storage: it may declare a longer record than it is
    /// passed. Storage goes on so far behind its last area, and [`BEYOND`] further for a program that may stray.
    pub fn reach(&self) -> usize {
        let longest = self.program.linkage.iter().map(|linkage| linkage.length as usize).max();
        longest.unwrap_or(0).min(BEYOND)
    }

    /// Returns true if it uses a place that varies without bounds: that may be anywhere in the task's storage.
    pub fn may_stray(&self) -> bool {
        *self.strays.get_or_init(|| may_stray(&self.program))
    }

    /// The bytes of WORKING-STORAGE that are not what they were at the beginning once it has run, at most. `None` if it may have changed
    /// any of the storage of its task.
    pub fn changes(&self) -> Option<&[Range<usize>]> {
        let changes = || changed_working(&self.program).map(Vec::into_boxed_slice);
        self.changes.get_or_init(changes).as_deref()
    }

    /// Returns true if a statement of it names its COMMAREA.
    pub fn names_commarea(&self) -> bool {
        *self.names_commarea.get_or_init(|| names_commarea(&self.program))
    }

    /// Returns true if code may enter it again by itself once it has come to its end.
    fn begins_by_itself(&self) -> bool {
        *self.begins_by_itself.get_or_init(|| links::begins_by_itself(&self.program))
    }

    /// The entry at which it begins again, and clears the numbers of its frame itself if they are few.
    #[inline]
    fn begins_again(&self) -> u64 {
        if clears_slots(&self.program) { self.entries.len() as u64 } else { 0 }
    }

    /// The blocks at which it may be entered.
    pub(crate) fn entries(&self) -> &[BlockId] {
        &self.entries
    }

    /// Runs it on a machine of the same program, to its end: the host answers its calls where they come.
    ///
    /// # Errors
    /// It cannot go on; the statement is named. A machine whose storage is not this program's is a protection exception.
    pub fn run<'p>(
        &'p self,
        machine: &mut Machine<'p>,
        host: &mut dyn Host,
        flag: &AtomicU32,
    ) -> Result<Left, Abend> {
        if !ptr::eq(machine.program(), &*self.program) {
            return Err(self.abend(ProgramFault::Protection, 0));
        }
        let mut at = BlockId(0);
        loop {
            let (storage, frame) = machine.parts();
            let block = match self.resume(storage, frame, at, host, flag)? {
                Reached::Left(how) => return Ok(how),
                Reached::Host(block) => block,
            };
            at = self.called(machine, block, host, flag)?;
        }
    }

    /// A call of the host, answered: where the program goes on.
    fn called<'p>(
        &'p self,
        machine: &mut Machine<'p>,
        block: BlockId,
        host: &mut dyn Host,
        flag: &AtomicU32,
    ) -> Result<BlockId, Abend> {
        let failed = |fault| self.abend_at(fault, block);
        let site = self.site(block).ok_or_else(|| failed(ProgramFault::Host))?;
        let answer = machine.host_call(site, &mut Flagged { host, flag }).map_err(failed)?;
        self.behind(block, answer).map_err(failed)
    }

    /// The call of the host with which a block ends, by its place in [`Program::sites`].
    pub fn site(&self, block: BlockId) -> Option<u32> {
        match self.program.blocks.get(block.0 as usize)?.end {
            End::Host { site, .. } => Some(site),
            _ => None,
        }
    }

    /// The block at which a program goes on behind a call of the host at the end of a block.
    ///
    /// # Errors
    /// There is no such place.
    pub fn behind(&self, block: BlockId, answer: Answer) -> Result<BlockId, ProgramFault> {
        let end = self.program.blocks.get(block.0 as usize).map(|block| &block.end);
        let Some(End::Host { next, failed, .. }) = end else { return Err(ProgramFault::Host) };
        match answer {
            Answer::Continue => Ok(*next),
            Answer::NoProgram => failed.ok_or(ProgramFault::NoProgram),
            Answer::Label(label) => self.label(label),
        }
    }

    /// The block of a label, by its place in [`Program::labels`].
    ///
    /// # Errors
    /// There is no such label.
    pub fn label(&self, label: u32) -> Result<BlockId, ProgramFault> {
        self.program.labels.get(label as usize).copied().ok_or(ProgramFault::Host)
    }

    /// Runs it from one of its entries to the next call of the host, or to its end: its beginning, or what [`Self::behind`]
    /// and [`Self::label`] give. Between two calls it has nothing but its frame, and the storage may have moved by then.
    ///
    /// # Errors
    /// As [`Self::run`]; a block that is no entry is the host's fault.
    pub fn resume(
        &self,
        storage: &mut Task,
        frame: &mut Frame,
        at: BlockId,
        host: &mut dyn Host,
        flag: &AtomicU32,
    ) -> Result<Reached, Abend> {
        self.resume_of(None, frame, at, (&mut code_host::Leaves { storage, host }, flag), None)
    }

    /// The same of a program of a unit whose host answers calls where code stands: code is left where that says so.
    ///
    /// # Errors
    /// As [`Self::resume`].
    fn resume_of<H: CodeHost>(
        &self,
        unit: Option<(&Unit, usize)>,
        frame: &mut Frame,
        at: BlockId,
        (host, flag): (&mut H, &AtomicU32),
        within: Option<Within>,
    ) -> Result<Reached, Abend> {
        let Some(entry) = self.entry(at) else { return Err(self.abend(ProgramFault::Host, 0)) };
        let links = match within {
            Some(within) => host.parts().and_then(|parts| Some(parts.calls?.begins(within.number))),
            None => None,
        };
        let links = links.unwrap_or_else(links::unknown);
        let (status, panic) = self.run_from((unit, frame), (host, flag), within, (links, entry));
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        status.read().map_err(|(fault, line)| self.abend(fault, line))
    }

    /// The cells of a host.
    #[inline]
    fn cells_for<H: Hosted>(&self) -> Option<&H::Cells> {
        if let Some(kept) = self.cells.get() {
            return kept.downcast_ref();
        }
        let made = H::cells(&self.program)?;
        self.cells.get_or_init(|| Box::new(made)).downcast_ref()
    }

    /// The place of a block among the entries.
    #[inline]
    fn entry(&self, at: BlockId) -> Option<u64> {
        if at == BlockId(0) {
            return Some(0);
        }
        self.entries.binary_search(&at).ok().map(|place| place as u64)
    }

    fn abend(&self, fault: ProgramFault, line: u32) -> Abend {
        let line = self.program.lines[line as usize].clone();
        Abend { fault, program: self.program.name.clone(), line }
    }

    /// A fault at the end of a block.
    pub fn abend_at(&self, fault: ProgramFault, block: BlockId) -> Abend {
        let line = self.program.blocks.get(block.0 as usize).map_or(0, |block| block.line);
        self.abend(fault, line)
    }
}
