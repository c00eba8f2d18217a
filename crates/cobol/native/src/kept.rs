//! A program as a unit keeps it: there from the beginning, or as bytes of a file until it is needed.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use cobol_ir::Program;
use memmap2::Mmap;

/// A program that is compiled already: its code runs without it, but for what code leaves to the interpreter.
#[derive(Debug)]
pub struct KeptProgram {
    program: OnceLock<Program>,
    stored: Option<Stored>,
}

/// Bytes of a file that has been found whole.
#[derive(Clone, Debug)]
struct Stored {
    file: Arc<Mmap>,
    range: Range<usize>,
}

impl KeptProgram {
    /// A program in a file.
    pub(crate) fn stored(file: &Arc<Mmap>, range: Range<usize>) -> Self {
        Self { program: OnceLock::new(), stored: Some(Stored { file: Arc::clone(file), range }) }
    }

    /// It as bytes, if a file holds it.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        let stored = self.stored.as_ref()?;
        stored.file.get(stored.range.clone())
    }
}

impl From<Program> for KeptProgram {
    fn from(program: Program) -> Self {
        Self { program: OnceLock::from(program), stored: None }
    }
}

impl Deref for KeptProgram {
    type Target = Program;

    /// Read where it is first needed: most programs of a region are not needed at its start.
    ///
    /// # Panics
    /// The file, which was written by a compiler of this very version and is whole, holds no program: a mistake of ours.
    #[inline]
    fn deref(&self) -> &Program {
        self.program.get_or_init(|| {
            let read = self.bytes().and_then(Program::from_bytes);
            read.unwrap_or_else(|| {
                panic!("a stored program cannot be read: the file of its code is to be removed")
            })
        })
    }
}
