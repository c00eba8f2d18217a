//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage of a [`Task`]
//! and a [`Frame`] in it, and nothing else.
//!
//! What never lives here: what an operation means (`cobol-ir`), how it becomes instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

mod calls;
mod file;
mod kept;
mod unit;
mod windows;

use std::any::Any;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fmt, io, ptr};

use cobol_codegen::{CodegenError, Context, Status, TABLES};
use cobol_ir::program::{BlockId, End};
use cobol_ir::run::{Abend, Activation, Answer, Call, Fault, Frame, Host, Left, Machine, RESERVED, Task};
use cobol_ir::{Program, Unsound, may_stray, verify};
use memmap2::{Mmap, MmapMut};

pub use calls::{Calls, Interface, Unfinished, Within, give_back_code};
pub use cobol_codegen::{Compiler, Reached, STORAGE_MIN};
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
    /// Whether it may use a place anywhere in the task's storage, once somebody has asked.
    strays: OnceLock<bool>,
}

/// Bytes behind its last area that a storage shows, at most: programs which declare longer records than they are passed, or
/// use a table beyond its end, find zeros there.
pub const BEYOND: usize = 64 << 10;

/// What the helpers of one run need.
struct Runner<'r> {
    program: &'r Program,
    storage: &'r mut Task,
    frame: &'r mut Frame,
    host: &'r mut dyn Host,
    /// What may be called within code.
    calls: Option<Within<'r>>,
    flag: &'r AtomicU32,
    /// Where the machine's stack began when code was entered from outside.
    stack: usize,
    /// A mistake of ours in a helper: code has no frames that a panic could pass, so it goes on behind the code.
    panic: Option<Box<dyn Any + Send>>,
}

impl Runner<'_> {
    /// What carries out a part of the program that code leaves to the interpreter, and the host.
    fn machine(&mut self) -> (Machine<'_>, &mut dyn Host) {
        (Machine::resumed(self.program, self.storage, self.frame), self.host)
    }
}

/// A host whose routines the flag stops, too.
struct Flagged<'h> {
    host: &'h mut dyn Host,
    flag: &'h AtomicU32,
}

impl Host for Flagged<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.host.display(text, advancing);
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, Fault> {
        self.host.call(call)
    }

    fn must_stop(&mut self) -> bool {
        self.flag.load(Ordering::Relaxed) != 0 || self.host.must_stop()
    }
}

/// A program's entry.
type Entry = unsafe extern "C" fn(*mut Context) -> i64;

/// Why a program cannot be run as code: a mistake of ours, or no memory.
#[derive(Debug)]
pub enum LoadError {
    /// The verifier refuses it.
    Unsound(Unsound),
    /// It does not compile.
    Codegen(CodegenError),
    /// There is no memory for its code.
    Memory(io::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsound(unsound) => unsound.fmt(f),
            Self::Codegen(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl<P: Deref<Target = Program>> Loaded<P> {
    /// Verifies a program, compiles it, and puts its code into memory.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn new(program: P, compiler: &Compiler) -> Result<Self, LoadError> {
        verify(&program).map_err(LoadError::Unsound)?;
        let code = compiler.compile(&program).map_err(LoadError::Codegen)?;
        let mut memory = MmapMut::map_anon(code.bytes.len()).map_err(LoadError::Memory)?;
        memory.copy_from_slice(&code.bytes);
        let memory = memory.make_exec().map_err(LoadError::Memory)?;
        Ok(Self::mapped(program, memory, code.entries, code.storage_min))
    }

    /// A program whose code was compiled before, and lies in memory.
    pub(crate) fn mapped(program: P, code: Mmap, entries: Vec<BlockId>, storage_min: usize) -> Self {
        Self { program, code, entries, storage_min, strays: OnceLock::new() }
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
        self.resume_within(storage, frame, at, (host, flag), None)
    }

    /// The same of a program that may call others where its code stands.
    ///
    /// # Errors
    /// As [`Self::resume`].
    pub fn resume_within(
        &self,
        storage: &mut Task,
        frame: &mut Frame,
        at: BlockId,
        (host, flag): (&mut dyn Host, &AtomicU32),
        calls: Option<Within<'_>>,
    ) -> Result<Reached, Abend> {
        let Some(entry) = self.entry(at) else { return Err(self.abend(Fault::Host, 0)) };
        let mut host = Flagged { host, flag };
        let stack = (&raw const entry).addr();
        let program = &*self.program;
        let mut runner = Runner { program, storage, frame, host: &mut host, calls, flag, stack, panic: None };
        let status = self.enter(&mut runner, entry);
        if let Some(panic) = runner.panic.take() {
            resume_unwind(panic);
        }
        status.read().map_err(|(fault, line)| self.abend(fault, line))
    }

    /// Enters its code, whose program is the runner's.
    #[inline]
    fn enter(&self, runner: &mut Runner<'_>, entry: u64) -> Status {
        if !self.belongs(runner.storage, runner.frame) {
            return Status::fault(Fault::Protection, 0);
        }
        let Activation { working, local, .. } = runner.frame.activation;
        let records = runner.frame.records(runner.program, runner.storage).as_ptr();
        let slots = runner.frame.slots_mut().as_mut_ptr();
        let memory = runner.storage.memory_mut();
        let (memory, length) = (memory.as_mut_ptr(), memory.len() as u64);
        let mut context = Context {
            memory,
            length,
            working_at: memory.wrapping_add(working as usize),
            slots,
            records,
            constants: self.program.constants.as_ptr(),
            tables: TABLES.as_ptr(),
            flag: runner.flag.as_ptr(),
            step,
            test,
            select,
            call,
            entry,
            working,
            local,
            runner: ptr::from_mut(runner).cast(),
        };
        // SAFETY: the code was compiled from this program, which was verified, as a function of this type; it lies in memory
        // that can be executed and is kept by `self`. It reads and writes what the context names and nothing else: storage
        // between its beginning and its length, the segments of the program, which lie there (`belongs`), as many slots and places
        // of records as the program has, and the bytes that these places say are there: of the same storage, or of shared storage,
        // which stays mapped as long as a task has it. None of these moves while it runs: calls of the host, which alone could
        // move them, leave it; SET ADDRESS OF changes a place where it is. No reference to them is alive then but within its own
        // helpers, and none to shared storage at any time; one that calls another program enters code of the same storage with
        // another frame, and holds no reference to either meanwhile.
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

    /// Whether a frame is of this program, and its segments lie in the storage.
    #[inline]
    fn belongs(&self, storage: &Task, frame: &mut Frame) -> bool {
        let length = storage.memory().len();
        let program = &*self.program;
        let activation = &frame.activation;
        let within = |at: u32, own: &[u8]| at as usize >= RESERVED && at as usize + own.len() <= length;
        length >= self.storage_min
            && activation.linkage.len() == program.linkage.len()
            && within(activation.working, &program.working)
            && within(activation.local, &program.local)
            && frame.slots_mut().len() >= program.slots as usize
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

/// A CALL: zero if the program that it names has come to its end, one if code is to be left for it.
extern "C" fn call(context: *mut Context, site: u64) -> i64 {
    with_runner(context, |runner| Ok(i64::from(calls::called(runner, site as u32).is_none())))
}

/// Calls something with the runner of a context; what fails is a fault at the statement. A panic leaves the code, too.
fn with_runner(
    context: *mut Context,
    what: impl FnOnce(&mut Runner<'_>) -> Result<i64, (Fault, u32)>,
) -> i64 {
    // SAFETY: code passes the context that it was given; its runner is alive as long as the code runs, and nobody else uses
    // it meanwhile: a helper that calls other code gives that a runner of its own.
    let runner = unsafe { &mut *(*context).runner.cast::<Runner<'_>>() };
    let done = catch_unwind(AssertUnwindSafe(|| {
        what(runner).unwrap_or_else(|(fault, line)| Status::fault(fault, line).0)
    }));
    done.unwrap_or_else(|panic| {
        runner.panic = Some(panic);
        Status::fault(Fault::Host, 0).0
    })
}

extern "C" fn step(context: *mut Context, which: u64) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    with_runner(context, |runner| {
        let step = &runner.program.blocks[block].steps[at];
        let (mut machine, host) = runner.machine();
        match machine.step(&step.operation, host) {
            Ok(()) => Ok(0),
            Err(fault) => Err((fault, step.line)),
        }
    })
}

extern "C" fn test(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        End::Branch { test, .. } => runner.machine().0.test(test).map(i64::from),
        _ => Err(Fault::Host),
    })
}

extern "C" fn select(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        // What is below zero would be a fault; it has no block, like zero.
        End::Select { value, .. } => runner.machine().0.select(value).map(|number| number.max(0)),
        _ => Err(Fault::Host),
    })
}

/// The same with the end of a block.
fn at_end(
    context: *mut Context,
    block: u64,
    what: impl FnOnce(&mut Runner<'_>, &End) -> Result<i64, Fault>,
) -> i64 {
    with_runner(context, |runner| {
        let block = &runner.program.blocks[block as usize];
        what(runner, &block.end).map_err(|fault| (fault, block.line))
    })
}
