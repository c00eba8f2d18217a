//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage of a [`Task`]
//! and a [`Frame`] in it, and nothing else.
//!
//! What never lives here: the meaning of an operation (`cobol-run`), its instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

mod calls;
mod code_host;
mod context;
mod file;
mod found;
mod helpers;
mod kept;
mod unit;
mod windows;

use std::any::Any;
use std::ops::Deref;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::{io, ptr};

use cobol_ir::program::{BlockId, End};
use cobol_ir::{Program, may_stray};
use cobol_run::{Abend, Activation, Answer, Fault, Frame, Host, Left, Machine, RESERVED, Task};
use memmap2::{Mmap, MmapMut};

pub use calls::{Calls, Interface, Unfinished, Within, give_back_code};
use code_host::Flagged;
pub use code_host::{CodeHost, Parts, Standing};
pub use context::{
    Context, FoundHelper, Helper, IS_NEGATIVE, IS_NONE, PLACE_MAX, Reached, SIGNED, STORAGE_MIN, Status,
    TABLES,
};
pub use file::{FILE_MAX, Mapped, NotKept, NotTaken};
pub use kept::Kept;
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
    /// True if it may use a place anywhere in the task's storage; empty until somebody has asked.
    strays: OnceLock<bool>,
    /// Its host's cells, once it has run.
    cells: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Bytes behind its last area that a storage shows, at most: programs which declare longer records than they are passed, or
/// use a table beyond its end, find zeros there.
pub const BEYOND: usize = 64 << 10;

/// What the helpers of one run need.
struct Runner<'r, H: CodeHost> {
    program: &'r Program,
    /// The unit that the program is of, and its place there, where the host answers calls.
    unit: Option<(&'r Unit, usize)>,
    cells: Option<&'r H::Cells>,
    /// Bytes that a storage must have for the program.
    storage_min: usize,
    frame: &'r mut Frame,
    host: &'r mut H,
    /// What may be called within code.
    within: Option<Within>,
    /// It was itself called within code.
    is_called: bool,
    flag: &'r AtomicU32,
    /// Where the machine's stack began when code was entered from outside.
    stack: usize,
    /// A mistake of ours in a helper: code has no frames that a panic could pass, so it goes on behind the code.
    panic: Option<Box<dyn Any + Send>>,
}

/// A program's entry.
type Entry = unsafe extern "C" fn(*mut Context) -> i64;

impl<P: Deref<Target = Program>> Loaded<P> {
    /// Puts the code of a program into memory, with the blocks at which it may be entered and the bytes that a storage has at least.
    ///
    /// # Safety
    /// The program has been verified. The code was compiled from it for this machine, as a function that takes a [`Context`] and gives
    /// a [`Status`]; of each load and store in it somebody has proved that it stays within what the context names, for a storage of
    /// `storage_min` bytes and more.
    ///
    /// # Errors
    /// There is no memory for its code.
    pub unsafe fn proved(
        program: P,
        code: &[u8],
        entries: Vec<BlockId>,
        storage_min: usize,
    ) -> io::Result<Self> {
        let mut memory = MmapMut::map_anon(code.len())?;
        memory.copy_from_slice(code);
        Ok(Self::mapped(program, memory.make_exec()?, entries, storage_min))
    }

    /// A program whose code was compiled before, and lies in memory.
    pub(crate) fn mapped(program: P, code: Mmap, entries: Vec<BlockId>, storage_min: usize) -> Self {
        Self { program, code, entries, storage_min, strays: OnceLock::new(), cells: OnceLock::new() }
    }

    /// The program.
    #[inline]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What keeps it.
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

    /// How far behind an area the program may look by what it says of others' storage: it may declare a longer record than it is
    /// passed. Storage goes on so far behind its last area, and [`BEYOND`] further for a program that may stray.
    pub fn reach(&self) -> usize {
        let longest = self.program.linkage.iter().map(|linkage| linkage.length as usize).max();
        longest.unwrap_or(0).min(BEYOND)
    }

    /// Returns true if it uses a place that varies without bounds: that may be anywhere in the task's storage.
    pub fn may_stray(&self) -> bool {
        *self.strays.get_or_init(|| may_stray(&self.program))
    }

    /// Where it may be entered.
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
            return Err(self.abend(Fault::Protection, 0));
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
        let site = self.site(block).ok_or_else(|| failed(Fault::Host))?;
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

    /// Where a program goes on behind a call of the host at the end of a block.
    ///
    /// # Errors
    /// There is no such place.
    pub fn behind(&self, block: BlockId, answer: Answer) -> Result<BlockId, Fault> {
        let end = self.program.blocks.get(block.0 as usize).map(|block| &block.end);
        let Some(End::Host { next, failed, .. }) = end else { return Err(Fault::Host) };
        match answer {
            Answer::Continue => Ok(*next),
            Answer::NoProgram => failed.ok_or(Fault::NoProgram),
            Answer::Label(label) => self.label(label),
        }
    }

    /// Where a label is, by its place in [`Program::labels`].
    ///
    /// # Errors
    /// There is no such label.
    pub fn label(&self, label: u32) -> Result<BlockId, Fault> {
        self.program.labels.get(label as usize).copied().ok_or(Fault::Host)
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
        let Some(entry) = self.entry(at) else { return Err(self.abend(Fault::Host, 0)) };
        let mut runner = Runner {
            program: &self.program,
            unit,
            cells: self.cells_for::<H>(),
            storage_min: self.storage_min,
            frame,
            host,
            within,
            is_called: false,
            flag,
            stack: (&raw const entry).addr(),
            panic: None,
        };
        let status = self.enter(&mut runner, entry);
        if let Some(panic) = runner.panic.take() {
            resume_unwind(panic);
        }
        status.read().map_err(|(fault, line)| self.abend(fault, line))
    }

    /// The cells of a host.
    #[inline]
    fn cells_for<H: CodeHost>(&self) -> Option<&H::Cells> {
        if let Some(kept) = self.cells.get() {
            return kept.downcast_ref();
        }
        let made = H::cells(&self.program)?;
        self.cells.get_or_init(|| Box::new(made)).downcast_ref()
    }

    /// Enters its code, whose program is the runner's.
    #[inline]
    fn enter<H: CodeHost>(&self, runner: &mut Runner<'_, H>, entry: u64) -> Status {
        let mut context = Context {
            memory: ptr::null_mut(),
            length: 0,
            working_at: ptr::null_mut(),
            slots: ptr::null_mut(),
            records: ptr::null(),
            constants: self.program.constants.as_ptr(),
            tables: TABLES.as_ptr(),
            flag: runner.flag.as_ptr(),
            step: helpers::step::<H>,
            test: helpers::test::<H>,
            select: helpers::select::<H>,
            call: helpers::call::<H>,
            host: helpers::host::<H>,
            moved: found::moved::<H>,
            tested: found::tested::<H>,
            appended: found::appended::<H>,
            entry,
            working: 0,
            local: 0,
            runner: ptr::null_mut(),
        };
        if !runner.shows(&mut context) {
            return Status::fault(Fault::Protection, 0);
        }
        context.runner = ptr::from_mut(runner).cast();
        // SAFETY: the code was compiled from this program, which was verified, as a function of this type; it lies in memory
        // that can be executed and is kept by `self`. It reads and writes what the context names and nothing else: storage
        // between its beginning and its length, the segments of the program, which lie there (`belongs`), as many slots and places
        // of records as the program has, and the bytes that these places say are there: of the same storage, or of shared storage,
        // which stays mapped as long as a task has it. No reference to any of it is alive while code runs but within its own
        // helpers, and none to shared storage at any time. A host that answers a call, or a program that is called, may move the
        // storage, and give records other places: what the context says of both is renewed before code goes on (`shows_again`), and
        // code uses nothing behind such a call that it has loaded in front of it of the context, or of the places of records, which
        // was proved. Slots and the list of places do not move: of a frame a host sees no more than `Standing` shows, and programs
        // that are called have frames of their own. SET ADDRESS OF within a helper changes a place where it is: a place that code
        // has loaded before is still one that the program had.
        Status(unsafe {
            let entry = std::mem::transmute::<*const u8, Entry>(self.code.as_ptr());
            entry(&raw mut context)
        })
    }

    /// Where code goes on at a block, by its place among the entries.
    #[inline]
    fn entry(&self, at: BlockId) -> Option<u64> {
        if at == BlockId(0) {
            return Some(0);
        }
        self.entries.binary_search(&at).ok().map(|place| place as u64)
    }

    fn abend(&self, fault: Fault, line: u32) -> Abend {
        let line = self.program.lines[line as usize].clone();
        Abend { fault, program: self.program.name.clone(), line }
    }

    /// A fault at the end of a block.
    pub fn abend_at(&self, fault: Fault, block: BlockId) -> Abend {
        let line = self.program.blocks.get(block.0 as usize).map_or(0, |block| block.line);
        self.abend(fault, line)
    }
}

impl<H: CodeHost> Runner<'_, H> {
    /// Shows code where storage and frame lie. False if the frame is not of this program, or its segments do not lie in the
    /// storage.
    fn shows(&mut self, context: &mut Context) -> bool {
        let Some(Parts { storage, .. }) = self.host.parts() else { return false };
        if !belongs((self.program, self.storage_min), storage.memory().len(), self.frame) {
            return false;
        }
        let Activation { working, local, .. } = self.frame.activation;
        context.records = self.frame.records(self.program, storage).as_ptr();
        context.slots = self.frame.slots_mut().as_mut_ptr();
        let memory = storage.memory_mut();
        (context.memory, context.length) = (memory.as_mut_ptr(), memory.len() as u64);
        context.working_at = context.memory.wrapping_add(working as usize);
        (context.working, context.local) = (working, local);
        true
    }

    /// Something may have moved the storage, or given records other places: shows code where both lie now.
    #[inline(always)]
    fn shows_again(&mut self, context: &mut Context) -> bool {
        let Some(Parts { storage, .. }) = self.host.parts() else { return false };
        let memory = storage.memory_mut();
        let is_there = ptr::eq(memory.as_ptr(), context.memory) && memory.len() as u64 == context.length;
        if !is_there {
            return self.shows(context);
        }
        context.records = self.frame.records(self.program, storage).as_ptr();
        true
    }
}

/// Returns true if a frame is of a program, and its segments lie in a storage of so many bytes.
#[inline]
fn belongs((program, storage_min): (&Program, usize), length: usize, frame: &mut Frame) -> bool {
    let activation = &frame.activation;
    let within = |at: u32, own: usize| at as usize >= RESERVED && at as usize + own <= length;
    length >= storage_min
        && activation.linkage.len() == program.linkage.len()
        && within(activation.working, program.working.len())
        && within(activation.local, program.local.len())
        && frame.slots_mut().len() >= program.slots as usize
}
