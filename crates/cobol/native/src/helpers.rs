//! Helpers that code calls.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cobol_ir::program::{BlockId, End};
use cobol_run::{Host, Machine, ProgramFault};

use crate::code::context::Status;
use crate::code::{Helps, HelpsFound, Running, Work};
use crate::code_host::Flagged;
use crate::{CodeHost, Parts, Standing, calling};

/// A call of the host, as code names it: the block that ends with it, and its number among the program's.
fn call_of(which: u64) -> (BlockId, u32) {
    (BlockId((which >> 32) as u32), which as u32)
}

/// A command: zero if it has been answered, else the status with which code is left.
pub(crate) struct Command;

impl<H: CodeHost> Helps<H> for Command {
    fn helps(at: &mut Running<'_, H>, which: u64) -> i64 {
        let (block, site) = call_of(which);
        let answered = catch_unwind(AssertUnwindSafe(|| match answers(at, site) {
            true => goes_on(at),
            false => Status::host(block).0,
        }));
        answered.unwrap_or_else(|panic| failed(at, block, panic))
    }
}

/// A CALL: zero if the program that it names has come to its end, or the host has answered it, else the status with which code is
/// left.
pub(crate) struct Called;

impl<H: CodeHost> Helps<H> for Called {
    fn helps(at: &mut Running<'_, H>, which: u64) -> i64 {
        let (block, site) = call_of(which);
        let called = catch_unwind(AssertUnwindSafe(|| match is_called(at, site) {
            true => goes_on(at),
            false => Status::host(block).0,
        }));
        called.unwrap_or_else(|panic| failed(at, block, panic))
    }
}

/// A program that code has entered by itself has called the host, and has come to its end: zero, or the status with which code is left.
pub(crate) struct Renewed;

impl<H: CodeHost> Helps<H> for Renewed {
    fn helps(at: &mut Running<'_, H>, which: u64) -> i64 {
        let (block, site) = call_of(which);
        let renewed = catch_unwind(AssertUnwindSafe(|| match calling::has_called(at, site) {
            Some(()) => goes_on(at),
            None => Status::fault(ProgramFault::Host, 0).0,
        }));
        renewed.unwrap_or_else(|panic| failed(at, block, panic))
    }
}

/// A program that code has entered by itself was left before its end: the status with which code is left.
pub(crate) struct Left;

impl<H: CodeHost> HelpsFound<H> for Left {
    fn helps(at: &mut Running<'_, H>, which: u64, [status, ..]: [i64; 4]) -> i64 {
        let (block, site) = call_of(which);
        let left = catch_unwind(AssertUnwindSafe(|| {
            calling::left(at, site, Status(status));
            Status::host(block).0
        }));
        left.unwrap_or_else(|panic| failed(at, block, panic))
    }
}

/// The host was called: zero, and code goes on, or the status with which it is left.
#[inline(always)]
fn goes_on<H: CodeHost>(at: &mut Running<'_, H>) -> i64 {
    at.context().touched.set(1);
    match at.shows_again() {
        true => 0,
        false => Status::fault(ProgramFault::Protection, 0).0,
    }
}

#[cold]
fn failed<H: CodeHost>(at: &mut Running<'_, H>, block: BlockId, panic: Box<dyn Any + Send>) -> i64 {
    at.work().host.failed(panic);
    Status::host(block).0
}

#[inline(always)]
fn answers<H: CodeHost>(at: &mut Running<'_, H>, site: u32) -> bool {
    let Work { unit, cells, frame, host, is_called, .. } = at.work();
    let (Some(cells), Some((unit, place))) = (cells, unit) else { return false };
    host.answer(cells, Standing { unit, place, frame, site, is_called })
}

#[inline(always)]
fn is_called<H: CodeHost>(at: &mut Running<'_, H>, site: u32) -> bool {
    if calling::called(at, site).is_some() {
        return true;
    }
    // Programs that were left before their end stand above this one from now on: nothing is answered here.
    let is_left = |parts: Parts<'_>| parts.calls.is_some_and(|calls| calls.has_unfinished());
    !at.has_panic() && !at.work().host.parts().is_none_or(is_left) && answers(at, site)
}

/// Does something with the program that has called; what fails is a fault at the statement. A panic leaves the code, too.
#[inline]
pub(crate) fn with_work<H: CodeHost>(
    at: &mut Running<'_, H>,
    what: impl FnOnce(Work<'_, H>) -> Result<i64, (ProgramFault, u32)>,
) -> i64 {
    let done = catch_unwind(AssertUnwindSafe(|| {
        what(at.work()).unwrap_or_else(|(fault, line)| Status::fault(fault, line).0)
    }));
    done.unwrap_or_else(|panic| {
        at.context().panic.set(Some(panic));
        Status::fault(ProgramFault::Host, 0).0
    })
}

/// Does something with what carries out a part of the program that code leaves to the interpreter, and the host.
pub(crate) fn with_machine<H: CodeHost>(
    work: Work<'_, H>,
    what: impl FnOnce(Machine<'_>, &mut dyn Host) -> Result<i64, ProgramFault>,
) -> Result<i64, ProgramFault> {
    let Work { program, frame, host, flag, .. } = work;
    let Parts { storage, host, .. } = host.parts().ok_or(ProgramFault::Host)?;
    what(Machine::resumed(program, storage, frame), &mut Flagged { host, flag })
}

/// A step that is carried out.
pub(crate) struct Step;

impl<H: CodeHost> Helps<H> for Step {
    fn helps(at: &mut Running<'_, H>, which: u64) -> i64 {
        let (block, step) = ((which >> 32) as usize, which as u32 as usize);
        with_work(at, |work| {
            let step = &work.program.blocks[block].steps[step];
            let done =
                with_machine(work, |mut machine, host| machine.step(&step.operation, host).map(|()| 0));
            done.map_err(|fault| (fault, step.line))
        })
    }
}

/// The test at the end of a block.
pub(crate) struct Test;

impl<H: CodeHost> Helps<H> for Test {
    fn helps(at: &mut Running<'_, H>, block: u64) -> i64 {
        at_end(at, block, |work, end| match end {
            End::Branch { test, .. } => {
                with_machine(work, |mut machine, _| machine.test(test).map(i64::from))
            }
            _ => Err(ProgramFault::Host),
        })
    }
}

/// The number with which a block ends.
pub(crate) struct Select;

impl<H: CodeHost> Helps<H> for Select {
    fn helps(at: &mut Running<'_, H>, block: u64) -> i64 {
        at_end(at, block, |work, end| match end {
            // A number below zero would be a fault; it has no block, like zero.
            End::Select { value, .. } => {
                with_machine(work, |mut machine, _| machine.select(value).map(|number| number.max(0)))
            }
            _ => Err(ProgramFault::Host),
        })
    }
}

/// The same with the end of a block.
fn at_end<H: CodeHost>(
    at: &mut Running<'_, H>,
    block: u64,
    what: impl FnOnce(Work<'_, H>, &End) -> Result<i64, ProgramFault>,
) -> i64 {
    with_work(at, |work| {
        let block = &work.program.blocks[block as usize];
        what(work, &block.end).map_err(|fault| (fault, block.line))
    })
}
