//! Runs the machine code of COBOL programs.
//!
//! Here live memory for code, the call into it, and the helpers that it calls. What it may touch is the storage and the
//! frame of a [`Machine`], and nothing else.
//!
//! What never lives here: what an operation means (`cobol-ir`), how it becomes instructions (`cobol-codegen`).

#![doc = include_str!("../README.md")]

use std::io;
use std::sync::atomic::AtomicU32;

use cobol_codegen::{Code, Context, Status, TABLES};
use cobol_ir::Program;
use cobol_ir::program::{BlockId, End};
use cobol_ir::run::{Abend, Answer, Fault, Host, Left, Machine};
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

impl<'p> Loaded<'p> {
    /// Puts the code of a program into memory.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(program: &'p Program, code: &Code) -> io::Result<Self> {
        let mut memory = MmapMut::map_anon(code.bytes.len())?;
        memory.copy_from_slice(&code.bytes);
        Ok(Self { program, code: memory.make_exec()? })
    }

    /// Runs it on a machine of the same program, to its end.
    ///
    /// # Errors
    /// It cannot go on; the statement is named.
    pub fn run(
        &self,
        machine: &mut Machine<'p>,
        host: &mut dyn Host,
        flag: &AtomicU32,
    ) -> Result<Left, Abend> {
        let (working, local) = {
            let activation = machine.activation_mut();
            (activation.working, activation.local)
        };
        let linkage = machine.activation_mut().linkage.as_mut_ptr();
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
        // SAFETY: the code was compiled from a verified program as a function of this type, and lies in memory that can be
        // executed and is kept by `self`. It reads and writes what the context names and nothing else: storage between its
        // beginning and its length, as many slots and linkage addresses as the program has, which are those of the machine.
        // None of these moves while it runs, and no reference to them is alive then but within its own helpers.
        let status = unsafe {
            let entry = std::mem::transmute::<*const u8, Entry>(self.code.as_ptr());
            entry(&raw mut context)
        };
        Status(status).read().map_err(|(fault, line)| Abend {
            fault,
            program: self.program.name.clone(),
            line: self.program.lines[line as usize].clone(),
        })
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
        match runner.machine.host_call(*site, runner.host)? {
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
