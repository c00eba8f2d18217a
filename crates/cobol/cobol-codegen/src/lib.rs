//! Machine code of COBOL programs.
//!
//! Here lives the translation of the intermediate form to Cranelift's, and what it leaves behind: position-independent code
//! without a relocation, each load and store of which is proved. This crate alone knows Cranelift.
//!
//! Out of scope: the meaning of an operation (`cobol-run`), memory that code runs in (`native`), unsafe code but the word that
//! code was proved (`load`).

#![doc = include_str!("../README.md")]

mod attempts;
mod begun;
mod calls;
mod digits;
mod edits;
mod emit;
mod fits;
mod left;
mod load;
mod numbers;
mod packed;
mod pictures;
mod places;
mod proof;
mod spans;
mod stores;
mod strings;
mod texts;
mod translate;
mod tries;

use cobol_ir::Program;
use cobol_ir::program::BlockId;
use cranelift_codegen::Context as Compilation;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;

pub use left::Left;
pub use load::LoadError;

/// Operations of a program beyond which registers are given out in one pass: the other way takes too long.
const SINGLE_PASS_FROM: usize = 20_000;

/// Compiled programs are for this machine.
#[derive(Clone)]
pub struct Compiler {
    careful: OwnedTargetIsa,
    quick: OwnedTargetIsa,
    counts: bool,
}

/// Reason why nothing can be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodegenError(pub String);

impl std::fmt::Display for CodegenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The instructions; the first byte is the entry, a function of C that takes a [`native::Context`] and gives a [`native::Status`].
    pub bytes: Vec<u8>,
    /// The blocks at which it may be entered: its beginning, where calls of the host go on, and labels.
    pub entries: Vec<BlockId>,
    /// Bytes that the storage has at least, for what has been proved of the code to hold.
    pub storage_min: usize,
    /// Number of operations and ends of blocks that are instructions of their own …
    pub inline: usize,
    /// … and which are left to the interpreter.
    pub left: Vec<Left>,
    /// It counts the statements that it comes to.
    pub counts: bool,
}

impl CodegenError {
    /// Code that might touch what it may not is never run.
    fn unproved(program: &Program, unproved: &proof::Unproved) -> Self {
        let line = unproved.line.and_then(|line| program.lines.get(line as usize));
        let place = line.map_or_else(String::new, |line| format!(" at line {}", line.line));
        Self(format!("the code of {}{place} is not proved: {}", program.name, unproved.what))
    }
}

impl Compiler {
    /// A compiler for this machine.
    ///
    /// # Errors
    /// There is none.
    pub fn new() -> Result<Self, CodegenError> {
        Ok(Self { careful: target(false)?, quick: target(true)?, counts: false })
    }

    /// The same, whose code counts the statements that it comes to: [`native::Loaded::reached`].
    #[must_use]
    pub fn counting(&self) -> Self {
        Self { counts: true, ..self.clone() }
    }

    /// Properties that its code depends on, in words: the compiler's version, the processor and its features.
    pub fn target(&self) -> String {
        let mut words = vec![cranelift_codegen::VERSION.to_owned(), self.careful.triple().to_string()];
        words.extend(self.careful.flags().iter().map(|value| value.to_string()));
        words.extend(self.careful.isa_flags().iter().map(|value| value.to_string()));
        words.join(" ")
    }

    /// Compiles a program, which has been verified.
    ///
    /// # Errors
    /// A mistake of ours: Cranelift refuses what it was given.
    pub fn compile(&self, program: &Program) -> Result<Code, CodegenError> {
        let steps: usize = program.blocks.iter().map(|block| block.steps.len() + 1).sum();
        let isa = if steps > SINGLE_PASS_FROM { &self.quick } else { &self.careful };
        let mut compilation = Compilation::new();
        let mut builder = FunctionBuilderContext::new();
        let counts = translate::translate(program, &mut compilation.func, &mut builder, isa, self.counts);
        let storage_min = proof::prove(&compilation.func, program, self.counts)
            .map_err(|unproved| CodegenError::unproved(program, &unproved))?;
        let code = compilation
            .compile(&**isa, &mut ControlPlane::default())
            .map_err(|error| CodegenError(format!("{:?}", error.inner)))?;
        debug_assert!(code.buffer.relocs().is_empty(), "code goes anywhere");
        let (bytes, entries) = (code.code_buffer().to_vec(), counts.entries);
        let (inline, left) = (counts.inline, counts.left);
        Ok(Code { bytes, entries, storage_min, inline, left, counts: self.counts })
    }
}

/// COBOL keeps everything in memory, so there is little to optimize: no optimization is as good, and takes half the time.
fn target(quick: bool) -> Result<OwnedTargetIsa, CodegenError> {
    let failed = |error: &dyn std::fmt::Display| CodegenError(error.to_string());
    let mut flags = settings::builder();
    let mut set = |name: &str, value: &str| flags.set(name, value).map_err(|error| failed(&error));
    set("opt_level", "none")?;
    set("is_pic", "false")?;
    set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
    set("enable_probestack", "false")?;
    set("unwind_info", "false")?;
    if quick {
        set("regalloc_algorithm", "single_pass")?;
    }
    let builder = cranelift_native::builder().map_err(|error| failed(&error))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| failed(&error))
}
