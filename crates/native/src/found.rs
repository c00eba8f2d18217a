//! Helpers of steps whose places code has found.

use crate::context::Context;
use cobol_ir::program::End;
use cobol_run::Fault;

use crate::CodeHost;
use crate::helpers::{with_machine, with_runner};

/// A move of characters: see [`crate::FoundHelper`].
pub(crate) extern "C" fn moved<H: CodeHost>(
    context: *mut Context,
    which: u64,
    from: i64,
    from_length: i64,
    to: i64,
    to_length: i64,
) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    with_runner(context, |runner| {
        let step = &runner.program().blocks[block].steps[at];
        let moved = with_machine::<H>(runner, |mut machine, _| {
            machine.move_found(&step.operation, (from, from_length), (to, to_length)).map(|()| 0)
        });
        moved.map_err(|fault| (fault, step.line))
    })
}

/// A piece of a STRING: see [`Context::appended`].
pub(crate) extern "C" fn appended<H: CodeHost>(
    context: *mut Context,
    which: u64,
    from: i64,
    length: i64,
    to: i64,
    piece: i64,
) -> i64 {
    let (block, at) = ((which >> 32) as usize, which as u32 as usize);
    let (index, to) = (piece as u32 as usize, (piece >> 32 == 0).then_some(to));
    with_runner(context, |runner| {
        let step = &runner.program().blocks[block].steps[at];
        let appended = with_machine::<H>(runner, |mut machine, _| {
            machine.append_found(&step.operation, index, (from, length), to).map(|()| 0)
        });
        appended.map_err(|fault| (fault, step.line))
    })
}

/// The test at the end of a block: see [`crate::FoundHelper`].
pub(crate) extern "C" fn tested<H: CodeHost>(
    context: *mut Context,
    block: u64,
    left: i64,
    left_length: i64,
    right: i64,
    right_length: i64,
) -> i64 {
    with_runner(context, |runner| {
        let block = &runner.program().blocks[block as usize];
        let End::Branch { test, .. } = &block.end else { return Err((Fault::Host, block.line)) };
        let tested = with_machine::<H>(runner, |mut machine, _| {
            machine.test_found(test, (left, left_length), (right, right_length)).map(i64::from)
        });
        tested.map_err(|fault| (fault, block.line))
    })
}
