//! Storage that a program gets for one run.

use std::ffi::c_void;

use super::{leave, running};
use crate::tcb::Event;

/// `cob_malloc` as modules call it: LOCAL-STORAGE, given back when the task ends in the middle of the program.
pub(super) unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    // SAFETY: plain allocation; libcob's own is the same.
    let allocation = unsafe { libc::calloc(1, size.max(1)) };
    if allocation.is_null() {
        leave(Event::GaveUp);
    }
    if let Some((_, level)) = running() {
        level.allocations.borrow_mut().push(allocation);
    }
    allocation
}

/// `cob_free` as modules call it.
pub(super) unsafe extern "C" fn release(allocation: *mut c_void) {
    if let Some((_, level)) = running() {
        level.allocations.borrow_mut().retain(|a| *a != allocation);
    }
    // SAFETY: the program gives back what `allocate`, or libcob by the same means, gave it.
    unsafe { libc::free(allocation) };
}
