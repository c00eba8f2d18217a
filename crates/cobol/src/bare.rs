//! A thread without a COBOL runtime: addresses are tried there all the same.

use crate::error::{Error, StorageFault};
use crate::storage::element_end;
use crate::{memory, signals};

/// A thread that may [`read_storage`] and [`write_storage`], for as long as this lives.
#[derive(Debug)]
pub struct Bare(());

impl Bare {
    /// Makes this thread one.
    ///
    /// # Errors
    /// The system refuses a stack for signals, or a clock.
    pub fn new() -> Result<Self, Error> {
        signals::install()?;
        Ok(Self(()))
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        signals::leave();
    }
}

/// Copies from an address that somebody gave.
///
/// # Errors
/// If it is not storage.
pub fn read_storage(address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
    memory::read_element(address, into, || None)
}

/// Copies to an address of an area of the running task.
///
/// # Errors
/// If it is not storage, or not writable.
pub fn write_storage(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    // SAFETY: as of [`crate::Task::write`]: what the task may, the region does for it.
    unsafe { memory::write_element(address, from) }
}

/// Returns true if so many bytes at an address lie in one storage element, as far as elements are known.
pub fn is_whole_storage(address: usize, length: usize) -> bool {
    element_end(address).is_ok_and(|end| end.is_none_or(|end| length <= end - address))
}
