//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage and the
//! frame of a [`Machine`], and nothing else.
//!
//! What never lives here: what an operation means (`cobol-ir`), how it becomes instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

use std::sync::atomic::AtomicU32;
use std::{fmt, io};

use cobol_codegen::{CodegenError, Compiler, Context, STORAGE_MIN, Status, TABLES};
use cobol_ir::program::{BlockId, End};
use cobol_ir::run::{Abend, Answer, Fault, Host, Left, Machine, RESERVED};
use cobol_ir::{Program, Unsound, verify};
use memmap2::{Mmap, MmapMut};

/// A program whose code lies in memory.
#[derive(Debug)]
pub struct Loaded<'p> {
    program: &'p Program,
    code: Mmap,
}

/// What the helpers of one run need.
struct Runner<'r, 'm> {
    program: &'r Program,
    machine: &'r mut Machine<'m>,
    host: &'r mut dyn Host,
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

impl<'p> Loaded<'p> {
    /// Verifies a program, compiles it, and puts its code into memory.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn new(program: &'p Program, compiler: &Compiler) -> Result<Self, LoadError> {
        verify(program).map_err(LoadError::Unsound)?;
        let code = compiler.compile(program).map_err(LoadError::Codegen)?;
        let mut memory = MmapMut::map_anon(code.bytes.len()).map_err(LoadError::Memory)?;
        memory.copy_from_slice(&code.bytes);
        Ok(Self { program, code: memory.make_exec().map_err(LoadError::Memory)? })
    }

    /// Runs it on a machine of the same program, to its end.
    ///
    /// # Errors
    /// It cannot go on; the statement is named. A machine whose storage is not this program's is a protection exception.
    pub fn run(
        &self,
        machine: &mut Machine<'p>,
        host: &mut dyn Host,
        flag: &AtomicU32,
    ) -> Result<Left, Abend> {
        if !self.belongs(machine) {
            return Err(self.abend(Fault::Protection, 0));
        }
        let activation = machine.activation_mut();
        let (working, local) = (activation.working, activation.local);
        let linkage = activation.linkage.as_mut_ptr();
        let slots = machine.slots_mut().as_mut_ptr();
        let memory = machine.memory_mut();
        let (memory, length) = (memory.as_mut_ptr(), memory.len() as u64);
        let mut runner = Runner { program: self.program, machine, host };
        let mut context = Context {
            memory,
            length,
            slots,
            linkage,
            constants: self.program.constants.as_ptr(),
            tables: TABLES.as_ptr(),
            flag: flag.as_ptr(),
            step,
            test,
            select,
            host: call_host,
            working,
            local,
            runner: (&raw mut runner).cast(),
        };
        // SAFETY: the code was compiled from this program, which was verified, as a function of this type; it lies in memory
        // that can be executed and is kept by `self`. It reads and writes what the context names and nothing else: storage
        // between its beginning and its length, the segments of the program, which lie there (`belongs`), and as many slots
        // and linkage addresses as the program has. None of these moves while it runs (`call_host` looks), and no reference
        // to them is alive then but within its own helpers.
        let status = unsafe {
            let entry = std::mem::transmute::<*const u8, Entry>(self.code.as_ptr());
            entry(&raw mut context)
        };
        Status(status).read().map_err(|(fault, line)| self.abend(fault, line))
    }

    /// Whether a machine is of this program, and its segments lie in its storage.
    fn belongs(&self, machine: &mut Machine<'p>) -> bool {
        let length = machine.memory_mut().len();
        let program = self.program;
        let same = std::ptr::eq(machine.program(), program);
        let slots = machine.slots_mut().len() >= program.slots as usize;
        let activation = machine.activation_mut();
        let within = |at: u32, own: &[u8]| at as usize >= RESERVED && at as usize + own.len() <= length;
        same && slots
            && length >= STORAGE_MIN
            && activation.linkage.len() == program.linkage.len()
            && within(activation.working, &program.working)
            && within(activation.local, &program.local)
    }

    fn abend(&self, fault: Fault, line: u32) -> Abend {
        let line = self.program.lines[line as usize].clone();
        Abend { fault, program: self.program.name.clone(), line }
    }
}

/// Calls something with the runner of a context; what fails is a fault at the statement.
fn with_runner(
    context: *mut Context,
    line: impl FnOnce(&Program) -> u32,
    what: impl FnOnce(&mut Runner<'_, '_>) -> Result<i64, Fault>,
) -> i64 {
    // SAFETY: code passes the context that it was given; its runner is alive as long as the code runs, and nobody else uses
    // it meanwhile: helpers do not call code.
    let runner = unsafe { &mut *(*context).runner.cast::<Runner<'_, '_>>() };
    let line = line(runner.program);
    what(runner).unwrap_or_else(|fault| Status::fault(fault, line).0)
}

extern "C" fn step(context: *mut Context, which: u64) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    with_runner(
        context,
        |program| program.blocks[block].steps[at].line,
        |runner| {
            let operation = &runner.program.blocks[block].steps[at].operation;
            runner.machine.step(operation, runner.host).map(|()| 0)
        },
    )
}

extern "C" fn test(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        End::Branch { test, .. } => runner.machine.test(test).map(i64::from),
        _ => Err(Fault::Host),
    })
}

extern "C" fn select(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        // What is below zero would be a fault; it has no block, like zero.
        End::Select { value, .. } => runner.machine.select(value).map(|number| number.max(0)),
        _ => Err(Fault::Host),
    })
}

extern "C" fn call_host(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| {
        let End::Host { site, failed, .. } = end else { return Err(Fault::Host) };
        let place = |machine: &mut Machine<'_>| machine.memory_mut().as_mut_ptr_range();
        let before = place(runner.machine);
        let answer = runner.machine.host_call(*site, runner.host)?;
        // A host that has put other storage in the place of the task's: code must not go on.
        if place(runner.machine) != before {
            return Err(Fault::Host);
        }
        match answer {
            Answer::Continue => Ok(0),
            Answer::NoProgram if failed.is_none() => Err(Fault::NoProgram),
            Answer::NoProgram => Ok(1),
            Answer::Label(label) if (label as usize) < runner.program.labels.len() => {
                Ok(i64::from(label) + 2)
            }
            Answer::Label(_) => Err(Fault::Host),
        }
    })
}

/// The same with the end of a block.
fn at_end(
    context: *mut Context,
    block: u64,
    what: impl FnOnce(&mut Runner<'_, '_>, &End) -> Result<i64, Fault>,
) -> i64 {
    let block = BlockId(block as u32);
    with_runner(
        context,
        |program| program.blocks[block.0 as usize].line,
        |runner| {
            let program = runner.program;
            what(runner, &program.blocks[block.0 as usize].end)
        },
    )
}
