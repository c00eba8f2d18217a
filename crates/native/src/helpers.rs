//! Helpers that code calls.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cobol_ir::program::{BlockId, End};
use cobol_run::{Fault, Host, Machine};

use crate::code_host::Flagged;
use crate::context::{Context, Status};
use crate::{CodeHost, Parts, Runner, Standing, Work, calls};

/// A call of the host, as code names it: the block that ends with it, and its number among the program's.
fn call_of(which: u64) -> (BlockId, u32) {
    (BlockId((which >> 32) as u32), which as u32)
}

/// The context of code that has called a helper, and its runner.
///
/// # Safety
/// A helper asks with the context that code has passed to it.
#[inline(always)]
unsafe fn of_code<'c>(context: *mut Context) -> (&'c mut Runner, &'c mut Context) {
    // SAFETY: code passes the context that it was given; its runner is alive as long as the code runs, and nobody else uses
    // either meanwhile: a helper that calls other code gives that a runner of its own, and so does code that calls other code.
    unsafe { (&mut *(*context).runner.cast::<Runner>(), &mut *context) }
}

/// A command: zero if it has been answered, else the status with which code is left.
pub(crate) extern "C" fn host<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: code has called.
    let (runner, context) = unsafe { of_code(context) };
    let answered = catch_unwind(AssertUnwindSafe(|| match runner.answers::<H>(site) {
        true => goes_on::<H>(runner, context),
        false => Status::host(block).0,
    }));
    answered.unwrap_or_else(|panic| failed::<H>(runner, block, panic))
}

/// A CALL: zero if the program that it names has come to its end, or the host has answered it, else the status with which code is
/// left.
pub(crate) extern "C" fn call<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: code has called.
    let (runner, context) = unsafe { of_code(context) };
    let called = catch_unwind(AssertUnwindSafe(|| match runner.calls::<H>(context, site) {
        true => goes_on::<H>(runner, context),
        false => Status::host(block).0,
    }));
    called.unwrap_or_else(|panic| failed::<H>(runner, block, panic))
}

/// A program that code has entered by itself has called the host, and has come to its end: zero, or the status with which code is left.
pub(crate) extern "C" fn renew<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: code has called.
    let (runner, context) = unsafe { of_code(context) };
    let renewed = catch_unwind(AssertUnwindSafe(|| match calls::has_called::<H>(runner, site) {
        Some(()) => goes_on::<H>(runner, context),
        None => Status::fault(Fault::Host, 0).0,
    }));
    renewed.unwrap_or_else(|panic| failed::<H>(runner, block, panic))
}

/// A program that code has entered by itself was left before its end: the status with which code is left.
pub(crate) extern "C" fn left<H: CodeHost>(
    context: *mut Context,
    which: u64,
    status: i64,
    _: i64,
    _: i64,
    _: i64,
) -> i64 {
    let (block, site) = call_of(which);
    // SAFETY: code has called.
    let (runner, _) = unsafe { of_code(context) };
    let left = catch_unwind(AssertUnwindSafe(|| {
        calls::left::<H>(runner, site, Status(status));
        Status::host(block).0
    }));
    left.unwrap_or_else(|panic| failed::<H>(runner, block, panic))
}

/// The host was called: zero, and code goes on, or the status with which it is left.
#[inline(always)]
fn goes_on<H: CodeHost>(runner: &Runner, context: &mut Context) -> i64 {
    context.touched = 1;
    // SAFETY: the runner is one of code that was entered with this host, and what was used of it before is not used any more.
    match unsafe { runner.shows_again::<H>(context) } {
        true => 0,
        false => Status::fault(Fault::Protection, 0).0,
    }
}

#[cold]
fn failed<H: CodeHost>(runner: &Runner, block: BlockId, panic: Box<dyn Any + Send>) -> i64 {
    // SAFETY: the runner is one of code that was entered with this host; whoever used it before has panicked.
    unsafe { runner.work::<H>() }.host.failed(panic);
    Status::host(block).0
}

impl Runner {
    #[inline(always)]
    fn answers<H: CodeHost>(&mut self, site: u32) -> bool {
        // SAFETY: the runner is one of code that was entered with this host.
        let Work { unit, cells, frame, host, .. } = unsafe { self.work::<H>() };
        let (Some(cells), Some((unit, place))) = (cells, unit) else { return false };
        host.answer(cells, Standing { unit, place, frame, site, is_called: self.is_called })
    }

    #[inline(always)]
    fn calls<H: CodeHost>(&mut self, context: &mut Context, site: u32) -> bool {
        if calls::called::<H>(self, context, site).is_some() {
            return true;
        }
        // SAFETY: the runner is one of code that was entered with this host.
        let Work { host, .. } = unsafe { self.work::<H>() };
        // Programs that were left before their end stand above this one from now on: nothing is answered here.
        let is_left = |parts: Parts<'_>| parts.calls.is_some_and(|calls| calls.has_unfinished());
        self.panic.is_none() && !host.parts().is_none_or(is_left) && self.answers::<H>(site)
    }
}

/// Calls something with the runner of a context; what fails is a fault at the statement. A panic leaves the code, too.
#[inline]
pub(crate) fn with_runner(
    context: *mut Context,
    what: impl FnOnce(&mut Runner) -> Result<i64, (Fault, u32)>,
) -> i64 {
    // SAFETY: code has called.
    let (runner, _) = unsafe { of_code(context) };
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
    runner: &mut Runner,
    what: impl FnOnce(Machine<'_>, &mut dyn Host) -> Result<i64, Fault>,
) -> Result<i64, Fault> {
    // SAFETY: the runner is one of code that was entered with this host.
    let Work { program, frame, host, flag, .. } = unsafe { runner.work::<H>() };
    let Parts { storage, host, .. } = host.parts().ok_or(Fault::Host)?;
    what(Machine::resumed(program, storage, frame), &mut Flagged { host, flag })
}

pub(crate) extern "C" fn step<H: CodeHost>(context: *mut Context, which: u64) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    with_runner(context, |runner| {
        let step = &runner.program().blocks[block].steps[at];
        let done =
            with_machine::<H>(runner, |mut machine, host| machine.step(&step.operation, host).map(|()| 0));
        done.map_err(|fault| (fault, step.line))
    })
}

pub(crate) extern "C" fn test<H: CodeHost>(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        End::Branch { test, .. } => {
            with_machine::<H>(runner, |mut machine, _| machine.test(test).map(i64::from))
        }
        _ => Err(Fault::Host),
    })
}

pub(crate) extern "C" fn select<H: CodeHost>(context: *mut Context, block: u64) -> i64 {
    at_end(context, block, |runner, end| match end {
        // What is below zero would be a fault; it has no block, like zero.
        End::Select { value, .. } => {
            with_machine::<H>(runner, |mut machine, _| machine.select(value).map(|number| number.max(0)))
        }
        _ => Err(Fault::Host),
    })
}

/// The same with the end of a block.
fn at_end(
    context: *mut Context,
    block: u64,
    what: impl FnOnce(&mut Runner, &End) -> Result<i64, Fault>,
) -> i64 {
    with_runner(context, |runner| {
        let block = &runner.program().blocks[block as usize];
        what(runner, &block.end).map_err(|fault| (fault, block.line))
    })
}
