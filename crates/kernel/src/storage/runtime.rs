//! A task's part of the TCB's COBOL runtime: its link levels there, and its storage by address.
//!
//! A region whose programs are all compiled natively does without that runtime. Addresses are those of the region's own areas
//! then, and are tried all the same.

use std::sync::Arc;

use cobol::{Host, Overlay, Run, StorageFault, Termination};

/// The part.
pub struct Runtime(Option<cobol::Task>);

impl Runtime {
    /// That of a task which somebody may end while it runs, where the TCB has a runtime.
    pub fn of(host: Option<&Host>, terminator: Arc<dyn AsRef<Termination> + Send + Sync>) -> Self {
        Self(host.map(|host| host.task_ended_by(terminator)))
    }

    /// As of [`cobol::Task::read`].
    ///
    /// # Errors
    /// The address is not storage.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        match &self.0 {
            Some(task) => task.read(address, into),
            None => cobol::read_storage(address, into),
        }
    }

    /// As of [`cobol::Task::is_whole`].
    pub fn is_whole(&self, address: usize, length: usize) -> bool {
        match &self.0 {
            Some(task) => task.is_whole(address, length),
            None => cobol::is_whole_storage(address, length),
        }
    }

    /// As of [`cobol::Task::write`].
    ///
    /// # Errors
    /// The address is not storage, or not writable.
    pub fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        match &self.0 {
            Some(task) => task.write(address, from),
            None => cobol::write_storage(address, from),
        }
    }

    /// As of [`cobol::Task::has_entered`].
    pub fn has_entered(&self, program: &cobol::Program) -> bool {
        self.0.as_ref().is_some_and(|task| task.has_entered(program))
    }

    /// As of [`cobol::Task::overlay`].
    pub fn overlay(&self) -> Option<Overlay> {
        self.0.as_ref().and_then(cobol::Task::overlay)
    }

    /// As of [`cobol::Task::entered`].
    pub fn entered(&self) -> Vec<cobol::Entered> {
        self.0.as_ref().map(cobol::Task::entered).unwrap_or_default()
    }

    /// As of [`cobol::Task::start`].
    ///
    /// # Errors
    /// There is no stack for it, or no runtime.
    pub fn start(&self, program: &cobol::Program, eib: usize, commarea: usize) -> Result<Run, cobol::Error> {
        match &self.0 {
            Some(task) => task.start(program, eib, commarea),
            None => Err(cobol::Error::NoRuntime { searched: Vec::new() }),
        }
    }
}
