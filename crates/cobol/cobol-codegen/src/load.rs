//! From a program to code in memory: verified, compiled, proved, loaded.

use std::ops::Deref;
use std::{fmt, io};

use cobol_ir::{Program, Unsound, verify};
use native::{KeptProgram, Loaded, Unit};

use crate::{CodegenError, Compiler};

/// The reason why a program cannot be run as code: a mistake of ours, or no memory.
#[derive(Debug)]
pub enum LoadError {
    /// The verifier refuses it.
    Unsound(Unsound),
    /// It does not compile.
    Codegen(CodegenError),
    /// There is no memory for its code.
    Memory(io::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsound(unsound) => unsound.fmt(f),
            Self::Codegen(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Compiler {
    /// Verifies a program, compiles it, and puts its code into memory.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn load<P: Deref<Target = Program>>(&self, program: P) -> Result<Loaded<P>, LoadError> {
        verify(&program).map_err(LoadError::Unsound)?;
        let code = self.compile(&program).map_err(LoadError::Codegen)?;
        // SAFETY: the program was verified, and its code was compiled from it just now; `compile` gives no code of which a load or
        // store is not proved, those of counters for a context that has some.
        let loaded =
            unsafe { Loaded::proved(program, &code.bytes, code.entries, code.storage_min, code.counts) };
        loaded.map_err(LoadError::Memory)
    }

    /// Compiles and loads the programs of a source, in their order; messages show the source by its name.
    ///
    /// # Errors
    /// One of them cannot be run.
    pub fn unit(&self, source: String, programs: Vec<Program>) -> Result<Unit, LoadError> {
        let loaded = programs.into_iter().map(|program| self.load(KeptProgram::from(program)));
        Ok(Unit::of(source, loaded.collect::<Result<_, _>>()?))
    }
}
