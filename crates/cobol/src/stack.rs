//! Stacks of tasks: mapped with a guard on both sides, and used again.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use corosensei::stack::{Stack, StackPointer};

use crate::error::Error;

/// Bytes of a task's stack: address space; only pages that were touched are memory.
pub const STACK_SIZE: usize = 256 * 1024;

/// Bytes without access below and above each stack. More than one page, because a COBOL program's frame (it holds
/// the PERFORM stack) is more than one; above, because a PERFORM without end grows upwards.
const GUARD_SIZE: usize = 64 * 1024;

/// Stacks kept for the next tasks.
const POOLED_MAX: usize = 1024;

/// One mapped stack.
pub struct TaskStack {
    mapping: usize,
}

impl TaskStack {
    const MAPPED: usize = GUARD_SIZE + STACK_SIZE + GUARD_SIZE;

    fn map() -> Result<Self, Error> {
        let failed = || Error::system("mapping a task's stack")(std::io::Error::last_os_error());
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing of ours.
        let mapping =
            unsafe { libc::mmap(std::ptr::null_mut(), Self::MAPPED, libc::PROT_NONE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(failed());
        }
        let stack = Self { mapping: mapping as usize };
        let usable = (stack.mapping + GUARD_SIZE) as *mut _;
        // SAFETY: within the mapping just made.
        match unsafe { libc::mprotect(usable, STACK_SIZE, libc::PROT_READ | libc::PROT_WRITE) } {
            0 => Ok(stack),
            _ => Err(failed()),
        }
    }

    /// The address behind its last byte.
    pub fn top(&self) -> usize {
        self.mapping + GUARD_SIZE + STACK_SIZE
    }

    /// Its lowest usable address.
    pub fn bottom(&self) -> usize {
        self.mapping + GUARD_SIZE
    }

    /// Its lowest address, guard included.
    pub fn lowest(&self) -> usize {
        self.mapping
    }
}

impl Drop for TaskStack {
    fn drop(&mut self) {
        // SAFETY: our own mapping; the coroutine that used it has ended.
        unsafe { libc::munmap(self.mapping as *mut _, Self::MAPPED) };
    }
}

fn pointer(address: usize) -> StackPointer {
    NonZeroUsize::new(address).expect("mappings are not at address zero")
}

// SAFETY: base and limit are the ends of memory that this value owns; the limit includes the guard, as the trap
// handler wants it, and the guard keeps an overflow from leaving the stack unnoticed.
unsafe impl Stack for TaskStack {
    fn base(&self) -> StackPointer {
        pointer(self.top())
    }

    fn limit(&self) -> StackPointer {
        pointer(self.lowest())
    }
}

/// A thread's stacks that no task uses.
#[derive(Default)]
pub struct Pool(RefCell<Vec<TaskStack>>);

impl Pool {
    /// A stack: an old one if there is one.
    pub fn take(&self) -> Result<TaskStack, Error> {
        let pooled = self.0.borrow_mut().pop();
        pooled.map_or_else(TaskStack::map, Ok)
    }

    /// Keeps a stack for the next task.
    pub fn give(&self, stack: TaskStack) {
        let mut pool = self.0.borrow_mut();
        if pool.len() < POOLED_MAX {
            pool.push(stack);
        }
    }
}
