//! Helpers that code calls.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cobol_ir::program::{BlockId, End};
use cobol_run::{Fault, Host, Machine};

use crate::code_host::Flagged;
use crate::context::{Context, Status};
use crate::{CodeHost, Parts, Runner, Standing, calls};

/// A call of the host, as code names it: the block that ends with it, and its number among the program's.
fn call_of(which: u64) -> (BlockId, u32) {
    (BlockId((which >> 32) as u32), which as u32)
}

/// A command: zero if it has been answered, else the status with which code is left.
pub(crate) extern "C" fn host<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: as of `with_runner`; of the context the code that has called uses nothing meanwhile.
    let (runner, context) = unsafe { (&mut *(*context).runner.cast::<Runner<'_, H>>(), &mut *context) };
    let answered = catch_unwind(AssertUnwindSafe(|| match runner.answers(site) {
        true if runner.shows_again(context) => 0,
        true => Status::fault(Fault::Protection, 0).0,
        false => Status::host(block).0,
    }));
    answered.unwrap_or_else(|panic| {
        runner.host.failed(panic);
        Status::host(block).0
    })
}

/// A CALL: zero if the program that it names has come to its end, or the host has answered it, else the status with which code is
/// left.
pub(crate) extern "C" fn call<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: as of `host`.
    let (runner, context) = unsafe { (&mut *(*context).runner.cast::<Runner<'_, H>>(), &mut *context) };
    let called = catch_unwind(AssertUnwindSafe(|| match runner.calls(site) {
        true if runner.shows_again(context) => 0,
        true => Status::fault(Fault::Protection, 0).0,
        false => Status::host(block).0,
    }));
    called.unwrap_or_else(|panic| {
        runner.host.failed(panic);
        Status::host(block).0
    })
}

impl<H: CodeHost> Runner<'_, H> {
    #[inline(always)]
    fn answers(&mut self, site: u32) -> bool {
        let (Some(cells), Some((unit, place))) = (self.cells, self.unit) else { return false };
        let Self { frame, is_called, .. } = self;
        self.host.answer(cells, Standing { unit, place, frame, site, is_called: *is_called })
    }

    #[inline(always)]
    fn calls(&mut self, site: u32) -> bool {
        if calls::called(self, site).is_some() {
            return true;
        }
        // Programs that were left before their end stand above this one from now on: nothing is answered here.
        let is_left = |parts: Parts<'_>| parts.calls.is_some_and(|calls| calls.has_unfinished());
        self.panic.is_none() && !self.host.parts().is_none_or(is_left) && self.answers(site)
    }
}

/// Calls something with the runner of a context; what fails is a fault at the statement. A panic leaves the code, too.
#[inline]
pub(crate) fn with_runner<H: CodeHost>(
    context: *mut Context,
    what: impl FnOnce(&mut Runner<'_, H>) -> Result<i64, (Fault, u32)>,
) -> i64 {
    // SAFETY: code passes the context that it was given; its runner is alive as long as the code runs, and nobody else uses
    // it meanwhile: a helper that calls other code gives that a runner of its own.
    let runner = unsafe { &mut *(*context).runner.cast::<Runner<'_, H>>() };
    let done = catch_unwind(AssertUnwindSafe(|| {
        what(runner).unwrap_or_else(|(fault, line)| Status::fault(fault, line).0)
    }));
    done.unwrap_or_else(|panic| {
        runner.panic = Some(panic);
        Status::fault(Fault::Host, 0).0
    })
}

/// Does something with what carries out a part of the program that code leaves to the interpreter, and the host.
pub(crate) fn with_machine<H: CodeHost>(
    runner: &mut Runner<'_, H>,
    what: impl FnOnce(Machine<'_>, &mut dyn Host) -> Result<i64, Fault>,
) -> Result<i64, Fault> {
    let Runner { program, frame, host, flag, .. } = runner;
    let Parts { storage, host, .. } = host.parts().ok_or(Fault::Host)?;
    what(Machine::resumed(program, storage, frame), &mut Flagged { host, flag })
}

pub(crate) extern "C" fn step<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    with_runner::<H>(context, |runner| {
        let step = &runner.program.blocks[block].steps[at];
        let done = with_machine(runner, |mut machine, host| machine.step(&step.operation, host).map(|()| 0));
        done.map_err(|fault| (fault, step.line))
    })
}

pub(crate) extern "C" fn test<H: CodeHost>(context: *mut Context, block: u64) -> i64 {
    at_end::<H>(context, block, |runner, end| match end {
        End::Branch { test, .. } => with_machine(runner, |mut machine, _| machine.test(test).map(i64::from)),
        _ => Err(Fault::Host),
    })
}

pub(crate) extern "C" fn select<H: CodeHost>(context: *mut Context, block: u64) -> i64 {
    at_end::<H>(context, block, |runner, end| match end {
        // What is below zero would be a fault; it has no block, like zero.
        End::Select { value, .. } => {
            with_machine(runner, |mut machine, _| machine.select(value).map(|number| number.max(0)))
        }
        _ => Err(Fault::Host),
    })
}

/// The same with the end of a block.
fn at_end<H: CodeHost>(
    context: *mut Context,
    block: u64,
    what: impl FnOnce(&mut Runner<'_, H>, &End) -> Result<i64, Fault>,
) -> i64 {
    with_runner::<H>(context, |runner| {
        let block = &runner.program.blocks[block as usize];
        what(runner, &block.end).map_err(|fault| (fault, block.line))
    })
}
