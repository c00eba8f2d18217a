//! The compiler of a program, and the program by it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::CobolCompiler;
use diagnostics::Diagnostic;

use crate::artifact::{Failure, Program};
use crate::build::{Attempt, Builder};
use crate::cache::Input;
use crate::facts::Facts;
use crate::own::{OwnBuilder, Read};
use crate::{Member, Toolchain, codes, missing};

impl Toolchain {
    /// A program, built now if anything that goes into it has changed, by the compiler that the configuration names for it. A
    /// request for a program that is being built waits for that build.
    ///
    /// # Errors
    /// No folder has it, or it does not translate or compile.
    pub fn program(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.programs.join(&name, || match self.choice.of(&name) {
            CobolCompiler::Hosted => self.hosted_now(&name),
            CobolCompiler::Native => {
                let mut built = self.native_now(&name, &self.path(&name)?)?;
                built.messages.extend(self.calls_across(&name));
                Ok(built)
            }
        })
    }

    /// A program by our own compiler.
    fn native_now(&self, name: &str, path: &Path) -> Result<Program, Failure> {
        let Attempt { result, inputs } = self.own.attempt(name, || self.own_now(name, path));
        self.watch.lock().observe(Member::Program(name.to_owned()), inputs);
        result
    }

    /// Looks whether our own compiler takes a program, whatever the configuration says; its warnings. Nothing is compiled.
    ///
    /// # Errors
    /// No folder has it, or what refuses it, by name and line.
    pub fn accepts(&self, name: &str) -> Result<Vec<Diagnostic>, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let facts = self.known.of(&name, &self.path(&name)?, &self.own_builder())?;
        let messages = facts.messages(&self.sources);
        if facts.refused { Err(Failure::Broken(messages)) } else { Ok(messages) }
    }

    /// Warnings of the hosted programs that a natively compiled one CALLs: each of these CALLs ends the task. Names that it gets from
    /// elsewhere than its text are not known.
    pub fn calls_across(&self, name: &str) -> Vec<Diagnostic> {
        if !self.choice.is_mixed() || self.is_hosted(name) {
            return Vec::new();
        }
        let Some(facts) = self.look(name) else { return Vec::new() };
        let called: BTreeSet<&String> = facts.calls.iter().chain(&facts.perhaps).collect();
        let is_program = |called: &&String| self.has(called) && self.is_hosted(called);
        let warning = |called: &String| {
            let text = format!(
                "{name} CALLs {called}, which is compiled by GnuCOBOL, as [cobol] says: that CALL is abend 4038"
            );
            Diagnostic::warning(codes::ACROSS, text)
                .help(format!("name {name} in `gnucobol` of [cobol], too, or {called} in `native`"))
        };
        called.into_iter().filter(is_program).map(warning).collect()
    }

    /// Returns true if the configuration leaves a program to GnuCOBOL.
    pub fn is_hosted(&self, name: &str) -> bool {
        self.choice.of(name) == CobolCompiler::Hosted
    }

    /// A program as the hosted compiler makes it, whatever the configuration says: for hosted programs that CALL it.
    ///
    /// # Errors
    /// As of [`Self::program`].
    pub fn hosted(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.hosted.join(&name, || {
            let mut program = self.hosted_now(&name)?;
            program.messages.extend(self.copy_differs(&name));
            Ok(program)
        })
    }

    fn hosted_now(&self, name: &str) -> Result<Program, Failure> {
        let path = self.path(name)?;
        let (sources, cache, compiler) = (&self.sources, &self.cache, &self.compiler);
        let builder = Builder { sources, cache, compiler, options: &self.options };
        let attempt = builder.program(name, &path);
        self.watch.lock().observe(Member::Program(name.to_owned()), attempt.inputs);
        attempt.result
    }

    /// The source of a program.
    fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        let programs = &self.sources.programs;
        programs.find(name).ok_or_else(|| missing(programs, name, codes::NO_PROGRAM, "program"))
    }

    fn own_builder(&self) -> OwnBuilder<'_> {
        OwnBuilder { sources: &self.sources, options: &self.options }
    }

    /// A program by our own compiler: from its file, if nothing has changed that goes into it.
    fn own_now(&self, name: &str, path: &Path) -> Attempt {
        if let Some(found) = self.own_files.find(name, path, &self.sources) {
            return found;
        }
        let builder = self.own_builder();
        let Read { facts, taken } = match builder.read(name, path) {
            Ok(read) => read,
            Err(failure) => return Attempt { result: Err(failure), inputs: vec![Input::of(path)] },
        };
        let mut result = taken.and_then(|taken| builder.compile(name, path, taken));
        if let Ok(program) = &mut result {
            let kept = self.own_files.keep(program, &facts.from, self.sources.root());
            program.messages.extend(kept.err());
        }
        Attempt { result, inputs: facts.from.inputs() }
    }

    /// The facts of a program; `None` if it is not there, or cannot be read.
    pub(crate) fn look(&self, name: &str) -> Option<Arc<Facts>> {
        let path = self.sources.programs.find(name)?;
        self.known.of(name, &path, &self.own_builder()).ok()
    }

    /// A warning that the hosted copy of a native program sees its records otherwise than native programs do.
    fn copy_differs(&self, name: &str) -> Option<Diagnostic> {
        if self.is_hosted(name) {
            return None;
        }
        let facts = self.look(name)?;
        let held = facts.holds.first()?;
        let Diagnostic { message, place, .. } = held.differs("the copy for hosted callers", &self.sources);
        let mut warning =
            Diagnostic::warning(codes::DECIDED, format!("a hosted program CALLs {name}: {message}"));
        warning.place = place;
        Some(warning.help("name the caller in `native` of [cobol], or this program in `gnucobol`"))
    }
}
