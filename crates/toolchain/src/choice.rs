//! Which compiler a program has, and the program by it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::CobolCompiler;
use diagnostics::Diagnostic;

use crate::artifact::{Failure, Program};
use crate::build::{Attempt, Builder};
use crate::cache::Input;
use crate::facts::{Facts, Held};
use crate::own::{self, OwnBuilder, Read};
use crate::whole::{self, Node, Nodes, Spoiler, Whole, Why};
use crate::{Member, Toolchain, codes, missing, spread};

/// What `auto` says of a program.
struct Verdict {
    /// Why it is hosted, if it is.
    result: Result<(), Failure>,
    /// The files that have decided.
    inputs: Vec<Input>,
}

impl Toolchain {
    /// A program, built now if anything that goes into it has changed, by the compiler that the configuration names for it. A
    /// request for a program that is being built waits for that build.
    ///
    /// # Errors
    /// No folder has it, or it does not translate or compile; or it would have to be hosted since it has changed, and others that
    /// were decided about natively see the same records otherwise.
    pub fn program(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.programs.join(&name, || {
            let path = self.path(&name)?;
            match self.choice.of(&name) {
                CobolCompiler::Hosted => {
                    self.may_be_hosted(&name, &path, None)?;
                    self.hosted_now(&name)
                }
                CobolCompiler::Native => {
                    let mut built = self.native_now(&name, &path, None, Vec::new())?;
                    built.messages.extend(self.calls_across(&name));
                    Ok(built)
                }
                CobolCompiler::Auto => self.decided_now(&name, &path),
            }
        })
    }

    /// A program that `auto` decides about.
    fn decided_now(&self, name: &str, path: &Path) -> Result<Program, Failure> {
        // Of a file that cannot be read the hosted compiler says so.
        let Ok((facts, taken)) = self.known.of(name, path, &self.own_builder()) else {
            return self.hosted_now(name);
        };
        let Verdict { result, inputs } = self.verdict(name, &facts);
        match result {
            Ok(()) => {
                let read = taken.map(|taken| Read { facts: Facts::clone(&facts), taken: Ok(taken) });
                self.native_now(name, path, read, inputs)
            }
            Err(refused) => {
                let built =
                    self.may_be_hosted(name, path, Some(&refused)).and_then(|()| self.hosted_now(name));
                self.watch.lock().observe(Member::Program(name.to_owned()), inputs);
                Ok(Program { hosted_because: Some(own::reason(&refused)), ..built? })
            }
        }
    }

    /// A program by our own compiler. `decided`: the files that have decided that it is, beside its own.
    fn native_now(
        &self,
        name: &str,
        path: &Path,
        read: Option<Read>,
        decided: Vec<Input>,
    ) -> Result<Program, Failure> {
        let Attempt { result, mut inputs } = self.own.attempt(name, || self.own_now(name, path, read));
        let others = decided.into_iter().filter(|other| inputs.iter().all(|own| own.path != other.path));
        let others: Vec<Input> = others.collect();
        inputs.extend(others);
        self.watch.lock().observe(Member::Program(name.to_owned()), inputs);
        result
    }

    /// Whether our own compiler takes a program, by the rules of `auto` unless the configuration has it compiled natively; what
    /// there is to say of it then. Nothing is compiled.
    ///
    /// # Errors
    /// No folder has it, or what refuses it, by name and line.
    pub fn accepts(&self, name: &str) -> Result<Vec<Diagnostic>, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let (facts, _) = self.known.of(&name, &self.path(&name)?, &self.own_builder())?;
        let messages = facts.messages(&self.sources);
        match self.choice.of(&name) {
            CobolCompiler::Native if facts.refused => Err(Failure::Broken(messages)),
            CobolCompiler::Native => Ok(messages),
            _ => self.verdict(&name, &facts).result.map(|()| messages),
        }
    }

    /// Why a program runs by the hosted compiler; none if it is compiled natively.
    pub fn hosted_because(&self, name: &str) -> Option<String> {
        match self.choice.of(name) {
            CobolCompiler::Hosted => Some(whole::CONFIGURED.to_owned()),
            CobolCompiler::Native => None,
            CobolCompiler::Auto => self.accepts(name).err().map(|refused| own::reason(&refused)),
        }
    }

    /// Warnings of the hosted programs that a natively compiled one CALLs: each of these CALLs ends the task. Names that it gets from
    /// elsewhere than its text are not known.
    pub fn calls_across(&self, name: &str) -> Vec<Diagnostic> {
        if !self.choice.is_mixed() || self.hosted_because(name).is_some() {
            return Vec::new();
        }
        let Some((facts, _)) = self.look(name) else { return Vec::new() };
        let called = facts.calls.iter().chain(&facts.perhaps);
        let called: BTreeSet<&String> =
            called.filter(|called| self.sources.programs.find(called).is_some()).collect();
        let hosted = called.into_iter().filter_map(|called| Some((called, self.hosted_because(called)?)));
        let warning = |(called, why): (&String, String)| {
            let text = format!(
                "{name} is compiled natively and CALLs {called}, which is hosted ({why}): that CALL is abend 4038"
            );
            Diagnostic::warning(codes::ACROSS, text)
                .help(format!("name {name} in `gnucobol` of [cobol], or {called} in `native`"))
        };
        hosted.map(warning).collect()
    }

    /// Whether a program is for the hosted compiler. One of which our own says what is wrong with it is not: it is refused.
    pub fn is_hosted(&self, name: &str) -> bool {
        self.hosted_because(name).is_some()
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

    pub(crate) fn hosted_now(&self, name: &str) -> Result<Program, Failure> {
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

    /// A program by our own compiler: from its file, if nothing has changed that goes into it. `read`: its source, if it was read
    /// just now.
    fn own_now(&self, name: &str, path: &Path, read: Option<Read>) -> Attempt {
        if let Some(found) = self.own_files.find(name, path, &self.sources) {
            return found;
        }
        let builder = self.own_builder();
        let Read { facts, taken } = match read.map_or_else(|| builder.read(name, path), Ok) {
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

    /// What `auto` says of a program whose facts these are.
    fn verdict(&self, name: &str, facts: &Arc<Facts>) -> Verdict {
        let mut nodes = Nodes::new();
        let mut inputs = facts.from.inputs();
        nodes.insert(name.to_owned(), self.node(CobolCompiler::Auto, facts));
        let mut left = [&facts.calls[..], &facts.perhaps].concat();
        while let Some(called) = left.pop() {
            if nodes.contains_key(&called) {
                continue;
            }
            let Some((facts, node)) = self.look(&called) else { continue };
            inputs.extend(facts.from.inputs());
            left.extend(facts.calls.iter().chain(&facts.perhaps).cloned());
            nodes.insert(called, node);
        }
        let shares = nodes.values().any(|node| !node.holds.is_empty());
        let none = Whole::default();
        let whole = if shares { self.whole() } else { &none };
        let hosted = whole.hosted(&nodes);
        let result = match hosted.get(name) {
            None => Ok(()),
            Some(Why::Shares(shape)) => {
                let programs = whole.spoiler(*shape).map(Spoiler::shown).unwrap_or_default();
                let message = facts.holds(*shape).map(|held| held.differs(&programs, &self.sources));
                Err(Failure::Broken(message.into_iter().collect()))
            }
            Some(Why::Calls(_)) => {
                let (caller, called) = whole::call(&hosted, name);
                Err(Diagnostic::error(codes::NOT_NATIVE, whole::calls(caller, called)).into())
            }
            Some(Why::Configured | Why::Refused(_)) => Err(Failure::Broken(facts.messages(&self.sources))),
        };
        Verdict { result, inputs }
    }

    /// What is decided about the application as it was when that was first asked: it holds for as long as this tool chain lives, for
    /// programs that run cannot be given other records.
    fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| {
            let names = self.sources.programs.names();
            let nodes = spread(names.len(), &|at| Some((names[at].clone(), self.look(&names[at])?.1)));
            Whole::of(&nodes.into_iter().flatten().collect())
        })
    }

    /// A program as the decision sees it; none that is not there, or cannot be read.
    fn look(&self, name: &str) -> Option<(Arc<Facts>, Node)> {
        let path = self.sources.programs.find(name)?;
        let (facts, _) = self.known.of(name, &path, &self.own_builder()).ok()?;
        // Where all is hosted, what is asked is what `auto` would do.
        let compiler = match self.choice.of(name) {
            CobolCompiler::Hosted if !self.choice.is_mixed() => CobolCompiler::Auto,
            compiler => compiler,
        };
        let node = self.node(compiler, &facts);
        Some((facts, node))
    }

    fn node(&self, compiler: CobolCompiler, facts: &Facts) -> Node {
        Node {
            compiler,
            refused: facts.reason(),
            holds: facts.holds.iter().map(|held| held.shape).collect(),
            calls: facts.calls.clone(),
            perhaps: facts.perhaps.clone(),
            entries: facts.entries.clone(),
        }
    }

    /// Whether a program may be hosted that was perhaps decided about as a native one: others that are native may see its records
    /// otherwise. `refused`: why it would be, if it has changed.
    fn may_be_hosted(&self, name: &str, path: &Path, refused: Option<&Failure>) -> Result<(), Failure> {
        let Some(whole) = self.whole.get().filter(|_| self.choice.is_mixed()) else { return Ok(()) };
        let Ok((facts, _)) = self.known.of(name, path, &self.own_builder()) else { return Ok(()) };
        let other = |held: &Held| whole.another_native(held.shape, name).map(str::to_owned);
        let Some((held, other)) = facts.holds.iter().find_map(|held| Some((held, other(held)?))) else {
            return Ok(());
        };
        let mut messages = refused.map_or_else(Vec::new, |refused| refused.diagnostics().to_vec());
        let Diagnostic { message, .. } = held.differs("hosted programs", &self.sources);
        let text = format!("{name} would be hosted now, and {other} is native since the start: {message}");
        messages.push(Diagnostic::error(codes::DECIDED, text).help(
            "take the change back, or start the region again: a start decides about all programs together",
        ));
        Err(Failure::Broken(messages))
    }

    /// That the hosted copy of a native program sees its records otherwise than native programs do.
    fn copy_differs(&self, name: &str) -> Option<Diagnostic> {
        if !self.choice.is_mixed() || self.choice.of(name) == CobolCompiler::Hosted {
            return None;
        }
        let (facts, _) = self.look(name)?;
        let held = facts.holds.iter().find(|held| self.whole().spoiler(held.shape).is_none())?;
        let Diagnostic { message, place, .. } = held.differs("the copy for hosted callers", &self.sources);
        let mut warning =
            Diagnostic::warning(codes::DECIDED, format!("a hosted program CALLs {name}: {message}"));
        warning.place = place;
        Some(warning.help("name the caller in `native` of [cobol], or this program in `gnucobol`"))
    }
}
