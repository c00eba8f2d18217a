//! Programs by name: found as they were compiled before, or compiled now.

use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;

use crate::artifact::{Failure, Program};
use crate::build::{Attempt, Builder, Read};
use crate::inputs::Input;
use crate::{Member, Toolchain, codes, missing};

impl Toolchain {
    /// A program, built now if anything that goes into it has changed. A request for a program that is being built waits for that
    /// build.
    ///
    /// # Errors
    /// No folder has it, or something refuses it.
    pub fn program(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.programs.join(&name, || {
            let path = self.path(&name)?;
            let Attempt { result, inputs } = self.built.attempt(&name, || self.attempt(&name, &path));
            self.watch.lock().observe(Member::Program(name.clone()), inputs);
            result
        })
    }

    /// Reads a program and looks whether the compiler takes it; its warnings. No code is made.
    ///
    /// # Errors
    /// No folder has it, or what refuses it, by name and line.
    pub fn accepts(&self, name: &str) -> Result<Vec<Diagnostic>, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        Ok(self.builder().read(&name, &self.path(&name)?)?.taken?.messages())
    }

    /// The source of a program.
    fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        let programs = &self.sources.programs;
        programs.find(name).ok_or_else(|| missing(programs, name, codes::NO_PROGRAM, "program"))
    }

    fn builder(&self) -> Builder<'_> {
        Builder { sources: &self.sources, options: &self.options, counts: self.files.counts() }
    }

    /// A program from its file, if nothing has changed that goes into it; else compiled.
    fn attempt(&self, name: &str, path: &Path) -> Attempt {
        if let Some(found) = self.files.find(name, path, &self.sources) {
            return found;
        }
        let builder = self.builder();
        let read = self.ends.goes_on(name).and_then(|()| builder.read(name, path));
        let Read { from, taken } = match read {
            Ok(read) => read,
            Err(failure) => return Attempt { result: Err(failure), inputs: vec![Input::of(path)] },
        };
        let taken = taken.and_then(|taken| self.ends.goes_on(name).map(|()| taken));
        let mut result = taken.and_then(|taken| builder.compile(name, path, taken));
        if let Ok(program) = &mut result {
            let kept = self.files.keep(program, &from, self.sources.root());
            program.messages.extend(kept.err());
        }
        Attempt { result, inputs: from.inputs() }
    }
}
