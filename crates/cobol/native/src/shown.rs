//! The part of a context that says where storage and frame lie.

use std::ptr;

use cobol_ir::Program;
use cobol_run::{Activation, Frame, RESERVED, SHARED};

use crate::code::{Running, Work, links};
use crate::{CodeHost, Parts};

impl<H: CodeHost> Running<'_, H> {
    /// Shows code where storage and frame lie. False if the frame is not of this program, or its segments do not lie in the
    /// storage.
    pub(crate) fn shows(&mut self) -> bool {
        let context = self.context();
        let Work { program, storage_min, frame, host, .. } = self.work();
        let Some(Parts { storage, .. }) = host.parts() else { return false };
        if !belongs((program, storage_min), storage.memory().len(), frame) {
            return false;
        }
        let Activation { working, local, .. } = frame.activation;
        context.records.set(frame.records(program, storage).as_ptr());
        context.slots.set(frame.slots_mut().as_mut_ptr());
        context.linkage.set(frame.activation.linkage.as_ptr());
        let code = frame.activation.return_code(program);
        let code = code.filter(|at| *at < SHARED && storage.has(*at, links::NO_CODE.len() as u32));
        let memory = storage.memory_mut();
        context.return_code.set(match code {
            Some(at) => memory.as_ptr().wrapping_add(at as usize),
            None => links::NO_CODE.as_ptr(),
        });
        let first = memory.as_mut_ptr();
        context.memory.set(first);
        context.length.set(memory.len() as u64);
        context.working_at.set(first.wrapping_add(working as usize));
        context.working.set(working);
        context.local.set(local);
        true
    }

    /// Something may have moved the storage, or given records other places: shows code where both lie now.
    #[inline(always)]
    pub(crate) fn shows_again(&mut self) -> bool {
        let context = self.context();
        let Work { program, frame, host, .. } = self.work();
        let Some(Parts { storage, calls, .. }) = host.parts() else { return false };
        let memory = storage.memory_mut();
        let is_there =
            ptr::eq(memory.as_ptr(), context.memory.get()) && memory.len() as u64 == context.length.get();
        if !is_there {
            if let Some(calls) = calls {
                calls.unlink();
            }
            return self.shows();
        }
        // What they say is what they have said, and where they lie, too, unless something has changed.
        if !frame.records_stand() {
            context.records.set(frame.records(program, storage).as_ptr());
        }
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
