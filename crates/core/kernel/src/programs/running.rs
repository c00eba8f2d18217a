//! Uses of programs that take place now.

use std::ops::Deref;
use std::sync::Arc;

use super::Program;

/// A use of a program by a level: it takes place until this is dropped.
pub(crate) struct Run(Arc<Program>);

impl Run {
    /// Begins a use.
    pub fn begin(program: Arc<Program>) -> Self {
        program.running.begins();
        Self(program)
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.0
    }

    /// Ends it, and gives the program back.
    pub fn end(self) -> Arc<Program> {
        Arc::clone(&self.0)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.0.running.ends();
    }
}

impl Deref for Run {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}
