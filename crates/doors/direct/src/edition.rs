//! The copy of a program that an instance runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernel::programs::Program;

/// The copy of a program that an instance runs.
pub(crate) struct Edition {
    program: Arc<Program>,
    copies: u64,
}

impl Edition {
    /// The present one.
    pub fn of(program: Arc<Program>) -> Arc<Self> {
        let copies = program.copies.load(Ordering::Relaxed);
        Arc::new(Self { program, copies })
    }

    /// Returns true if there is no newer one.
    pub fn is_present(&self) -> bool {
        self.program.copies.load(Ordering::Relaxed) == self.copies
    }
}
