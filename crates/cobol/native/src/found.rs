//! Helpers of steps whose places code has found.

use cobol_ir::program::End;
use cobol_run::ProgramFault;

use crate::CodeHost;
use crate::code::{HelpsFound, Running};
use crate::helpers::{with_machine, with_work};

/// A move of characters: see [`crate::FoundHelper`].
pub(crate) struct Moved;

impl<H: CodeHost> HelpsFound<H> for Moved {
    fn helps(at: &mut Running<'_, H>, which: u64, given: [i64; 4]) -> i64 {
        let [from, from_length, to, to_length] = given;
        let (block, step) = ((which >> 32) as usize, which as u32 as usize);
        with_work(at, |work| {
            let step = &work.program.blocks[block].steps[step];
            let moved = with_machine(work, |mut machine, _| {
                machine.move_found(&step.operation, (from, from_length), (to, to_length)).map(|()| 0)
            });
            moved.map_err(|fault| (fault, step.line))
        })
    }
}

/// A piece of a STRING: see [`crate::Context::appended`].
pub(crate) struct Appended;

impl<H: CodeHost> HelpsFound<H> for Appended {
    fn helps(at: &mut Running<'_, H>, which: u64, given: [i64; 4]) -> i64 {
        let [from, length, to, piece] = given;
        let (block, step) = ((which >> 32) as usize, which as u32 as usize);
        let (index, to) = (piece as u32 as usize, (piece >> 32 == 0).then_some(to));
        with_work(at, |work| {
            let step = &work.program.blocks[block].steps[step];
            let appended = with_machine(work, |mut machine, _| {
                machine.append_found(&step.operation, index, (from, length), to).map(|()| 0)
            });
            appended.map_err(|fault| (fault, step.line))
        })
    }
}

/// The test at the end of a block: see [`crate::FoundHelper`].
pub(crate) struct Tested;

impl<H: CodeHost> HelpsFound<H> for Tested {
    fn helps(at: &mut Running<'_, H>, block: u64, given: [i64; 4]) -> i64 {
        let [left, left_length, right, right_length] = given;
        with_work(at, |work| {
            let block = &work.program.blocks[block as usize];
            let End::Branch { test, .. } = &block.end else { return Err((ProgramFault::Host, block.line)) };
            let tested = with_machine(work, |mut machine, _| {
                machine.test_found(test, (left, left_length), (right, right_length)).map(i64::from)
            });
            tested.map_err(|fault| (fault, block.line))
        })
    }
}
