//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage of a [`Task`]
//! and a [`Frame`] in it, and nothing else.
//!
//! Out of scope: the meaning of an operation (`cobol-run`), its instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

mod calls;
mod code_host;
mod context;
mod file;
mod found;
mod helpers;
mod kept;
mod links;
mod unit;
mod windows;

use std::any::Any;
use std::ops::Deref;
use std::panic::resume_unwind;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::{io, ptr};

use cobol_ir::program::{BlockId, End};
use cobol_ir::{Program, may_stray};
use cobol_run::{Abend, Activation, Answer, Fault, Frame, Host, Left, Machine, RESERVED, SHARED, Task};
use memmap2::{Mmap, MmapMut};

pub use calls::{Calls, Interface, Unfinished, Within, give_back_code};
use code_host::Flagged;
pub use code_host::{CodeHost, Parts, Standing};
pub use context::{
    BUSY, Context, FoundHelper, Helper, IS_NEGATIVE, IS_NONE, NOWHERE, PLACE_MAX, Reached, SIGNED,
    STORAGE_MIN, Status, TABLES,
};
pub use file::{FILE_MAX, Mapped, NotKept, NotTaken};
pub use kept::Kept;
pub use links::{CLEARED_SLOTS_MAX, LINKED_RECORDS_MAX, LINKS_MAX, Link, Linked, clears_slots, links_of};
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
    /// True if code may enter it again by itself; empty until somebody has asked.
    begins_by_itself: OnceLock<bool>,
    /// Its host's cells, once it has run.
    cells: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Bytes behind its last area that a storage shows, at most: programs which declare longer records than they are passed, or
/// use a table beyond its end, find zeros there.
pub const BEYOND: usize = 64 << 10;

/// The needs of the helpers of one run. A program that is called within code keeps its own from one CALL to the next, so it has no references:
/// [`Runner::work`] makes them of it while a helper runs.
struct Runner {
    program: NonNull<Program>,
    /// The unit that the program is of, and its place there, where the host answers calls.
    unit: Option<(NonNull<Unit>, usize)>,
    /// The host's cells of the program.
    cells: Option<NonNull<()>>,
    /// Bytes that a storage must have for the program.
    storage_min: usize,
    frame: NonNull<Frame>,
    host: NonNull<()>,
    /// What may be called within code.
    within: Option<Within>,
    /// It was itself called within code.
    is_called: bool,
    flag: NonNull<AtomicU32>,
    /// Where the machine's stack began when code was entered from outside.
    stack: usize,
    /// A mistake of ours in a helper: code has no frames that a panic could pass, so it goes on behind the code.
    panic: Option<Box<dyn Any + Send>>,
}

/// The things that a runner names, while a helper works with it.
struct Work<'r, H: CodeHost> {
    program: &'r Program,
    unit: Option<(&'r Unit, usize)>,
    cells: Option<&'r H::Cells>,
    frame: &'r mut Frame,
    host: &'r mut H,
    flag: &'r AtomicU32,
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
        let (strays, begins_by_itself, cells) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { program, code, entries, storage_min, strays, begins_by_itself, cells }
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

    /// Returns true if code may enter it again by itself once it has come to its end.
    fn begins_by_itself(&self) -> bool {
        *self.begins_by_itself.get_or_init(|| links::begins_by_itself(&self.program))
    }

    /// The entry at which it begins again, and clears the numbers of its frame itself if they are few.
    #[inline]
    fn begins_again(&self) -> u64 {
        if clears_slots(&self.program) { self.entries.len() as u64 } else { 0 }
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
        let links = match within {
            Some(within) => host.parts().and_then(|parts| Some(parts.calls?.begins(within.number))),
            None => None,
        };
        let runner = Runner {
            program: NonNull::from(&*self.program),
            unit: unit.map(|(unit, place)| (NonNull::from(unit), place)),
            cells: self.cells_for::<H>().map(|cells| NonNull::from(cells).cast()),
            storage_min: self.storage_min,
            frame: NonNull::from(frame),
            host: NonNull::from(host).cast(),
            within,
            is_called: false,
            flag: NonNull::from(flag),
            stack: (&raw const entry).addr(),
            panic: None,
        };
        let mut context = self.context::<H>(&runner, entry);
        context.links = links.unwrap_or_else(links::unknown);
        let mut inner = links::Inner { context, runner };
        // SAFETY: what the runner names is borrowed until the code has been left, and nobody else uses it meanwhile.
        let status = unsafe { enter::<H>(&raw mut inner) };
        if let Some(panic) = inner.runner.panic.take() {
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

    /// The context of its code, but for where storage and frame lie. The program is the runner's.
    #[inline]
    fn context<H: CodeHost>(&self, runner: &Runner, entry: u64) -> Context {
        Context {
            memory: ptr::null_mut(),
            length: 0,
            working_at: ptr::null_mut(),
            slots: ptr::null_mut(),
            records: ptr::null(),
            constants: self.program.constants.as_ptr(),
            tables: TABLES.as_ptr(),
            flag: runner.flag.as_ptr().cast(),
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
            links: links::unknown(),
            linkage: ptr::null(),
            stack_limit: runner.stack.saturating_sub(calls::STACK_MAX) as u64,
            code: self.code.as_ptr(),
            called_from: NOWHERE,
            return_code: links::NO_CODE.as_ptr(),
            touched: 0,
            renew: helpers::renew::<H>,
            left: helpers::left::<H>,
            runner: ptr::null_mut(),
        }
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

/// Enters code at the entry that its context names.
///
/// # Safety
/// The context and its runner are of one program that is loaded, and both are of this host. What the runner names stays where it is as
/// long as the code runs, and so do context and runner; nobody else uses any of it meanwhile but helpers of this code.
unsafe fn enter<H: CodeHost>(inner: *mut links::Inner) -> Status {
    // SAFETY: as the caller says; the borrow ends before the code begins.
    let links::Inner { context, runner } = unsafe { &mut *inner };
    // SAFETY: as above.
    if !unsafe { runner.shows::<H>(context) } {
        return Status::fault(Fault::Protection, 0);
    }
    context.runner = ptr::from_mut(runner).cast();
    let code = context.code;
    // SAFETY: the code was compiled from this program, which was verified, as a function of this type; it lies in memory
    // that can be executed and is kept by its `Loaded`. It reads and writes what the context names and nothing else: storage
    // between its beginning and its length, the segments of the program, which lie there (`belongs`), as many slots and places
    // of records as the program has, and the bytes that these places say are there: of the same storage, or of shared storage,
    // which stays mapped as long as a task has it. No reference to any of it is alive while code runs but within its own
    // helpers, and none to shared storage at any time. A host that answers a call, or a program that is called, may move the
    // storage, and give records other places: what the context says of both is renewed before code goes on (`shows_again`), and
    // code uses nothing behind such a call that it has loaded in front of it of the context, or of the places of records, which
    // was proved. Slots and the list of places do not move: of a frame a host sees no more than `Standing` shows, and programs
    // that are called have frames of their own. SET ADDRESS OF within a helper changes a place where it is: a place that code
    // has loaded before is still one that the program had. Through a link code enters another program's code with the context which
    // that has: only as it stands there (`Context::called_from`), which was proved, and which nobody says of a context that does
    // not name what there is now.
    Status(unsafe {
        let entry = std::mem::transmute::<*const u8, Entry>(code);
        entry(inner.cast::<Context>())
    })
}

impl Runner {
    /// The program.
    fn program<'p>(&self) -> &'p Program {
        // SAFETY: a program stays where it is as long as its code runs, and is never changed.
        unsafe { self.program.as_ref() }
    }

    /// Lends the things that it names.
    ///
    /// # Safety
    /// It is one of code that was entered with such a host, and a helper of that code asks. What was given before is not used any more.
    #[inline(always)]
    unsafe fn work<'r, H: CodeHost>(&self) -> Work<'r, H> {
        // SAFETY: what a runner names stays where it is while code runs, and nobody else uses it meanwhile, as the caller of `enter`
        // says: a program that is called has a frame of its own, and the host is used by one helper at a time.
        unsafe {
            Work {
                program: self.program.as_ref(),
                unit: match self.unit {
                    Some((unit, place)) => Some((unit.as_ref(), place)),
                    None => None,
                },
                cells: match self.cells {
                    Some(cells) => Some(cells.cast::<H::Cells>().as_ref()),
                    None => None,
                },
                frame: &mut *self.frame.as_ptr(),
                host: &mut *self.host.as_ptr().cast::<H>(),
                flag: self.flag.as_ref(),
            }
        }
    }

    /// Shows code where storage and frame lie. False if the frame is not of this program, or its segments do not lie in the
    /// storage.
    ///
    /// # Safety
    /// As of [`Self::work`].
    unsafe fn shows<H: CodeHost>(&self, context: &mut Context) -> bool {
        // SAFETY: as the caller says.
        let Work { program, frame, host, .. } = unsafe { self.work::<H>() };
        let Some(Parts { storage, .. }) = host.parts() else { return false };
        if !belongs((program, self.storage_min), storage.memory().len(), frame) {
            return false;
        }
        let Activation { working, local, .. } = frame.activation;
        context.records = frame.records(program, storage).as_ptr();
        context.slots = frame.slots_mut().as_mut_ptr();
        context.linkage = frame.activation.linkage.as_ptr();
        let code = frame.activation.return_code(program);
        let code = code.filter(|at| *at < SHARED && storage.has(*at, links::NO_CODE.len() as u32));
        let memory = storage.memory_mut();
        context.return_code = match code {
            Some(at) => memory.as_ptr().wrapping_add(at as usize),
            None => links::NO_CODE.as_ptr(),
        };
        (context.memory, context.length) = (memory.as_mut_ptr(), memory.len() as u64);
        context.working_at = context.memory.wrapping_add(working as usize);
        (context.working, context.local) = (working, local);
        true
    }

    /// Something may have moved the storage, or given records other places: shows code where both lie now.
    ///
    /// # Safety
    /// As of [`Self::work`].
    #[inline(always)]
    unsafe fn shows_again<H: CodeHost>(&self, context: &mut Context) -> bool {
        // SAFETY: as the caller says.
        let Work { program, frame, host, .. } = unsafe { self.work::<H>() };
        let Some(Parts { storage, calls, .. }) = host.parts() else { return false };
        let memory = storage.memory_mut();
        let is_there = ptr::eq(memory.as_ptr(), context.memory) && memory.len() as u64 == context.length;
        if !is_there {
            if let Some(calls) = calls {
                calls.unlink();
            }
            // SAFETY: as the caller says.
            return unsafe { self.shows::<H>(context) };
        }
        context.records = frame.records(program, storage).as_ptr();
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
