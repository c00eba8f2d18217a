//! Sources to loadable modules and maps: on demand, in parallel, cached by content.
//!
//! Here programs are found by member name, translated, compiled and kept; maps are found and assembled. Every failure
//! is shown at the user's own line. This is the only crate that starts other programs.
//!
//! What never lives here: the grammar of EXEC CICS (`translator`), the layout of maps (`bms`), and loading a module
//! (`cobol`).

mod anatomy;
mod artifact;
mod build;
mod cache;
mod codes;
mod compiler;
mod deck;
mod examine;
mod flight;
mod library;
mod lines;
mod listing;
mod members;
mod own;
mod own_files;
mod packages;
mod record;
mod shadow;
mod sources;
mod stamp;
mod text;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use config::{CobolCompiler, CobolConfig, CompileConfig, Located, SourceConfig};
use diagnostics::{Diagnostic, Severity, Source, any_error, nearest};
use parking_lot::Mutex;

pub use anatomy::{Anatomy, Item, Section};
pub use artifact::{Failure, Program};
pub use compiler::Compiler;
pub use lines::{LineMap, SourceLine};
pub use listing::{Listing, ProgramListing, Statement};

use build::{Attempt, Builder};
use cache::Cache;
use deck::Kind;
use flight::Flights;
use members::Members;
use own::{Kept, Made, OwnBuilder};
use own_files::OwnFiles;
use sources::Sources;
use watch::Watch;

/// Builds an application's programs and maps.
///
/// All functions may be called from any thread and block while they build: call them where a thread may wait.
#[derive(Debug)]
pub struct Toolchain {
    sources: Sources,
    doubts: Vec<Diagnostic>,
    cache: Cache,
    compiler: Compiler,
    options: translator::Options,
    choice: CobolConfig,
    own: Kept,
    own_files: OwnFiles,
    programs: Flights<Result<Program, Failure>>,
    /// Those that the hosted compiler makes for hosted programs, whatever their own compiler is.
    hosted: Flights<Result<Program, Failure>>,
    watch: Mutex<Watch>,
}

/// A mapset, assembled.
#[derive(Clone, Debug)]
pub struct Mapset {
    /// The member's name.
    pub name: String,
    /// Its maps.
    pub maps: bms::Mapset,
    /// Warnings.
    pub messages: Vec<Diagnostic>,
}

/// A member of an application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// A program.
    Program(String),
    /// A mapset.
    Mapset(String),
}

impl Member {
    /// The member's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Program(name) | Self::Mapset(name) => name,
        }
    }
}

/// One step of [`Toolchain::all`].
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// How many are done, this one included.
    pub done: usize,
    /// How many there are.
    pub total: usize,
    /// Which one.
    pub member: &'a Member,
    /// Whether it had to be built; a mapset always has to.
    pub built: bool,
    /// Whether it failed.
    pub failed: bool,
}

/// What became of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there to run, or to send.
    Compiled,
    /// All that is wrong with it is that it needs what is not built here.
    Refused,
    /// It has errors.
    Failed,
}

/// What became of one of several members.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which one.
    pub member: Member,
    /// What became of it.
    pub state: State,
    /// The errors for which it is not there, wherever they stand: in a copybook, in a map.
    pub errors: Vec<Diagnostic>,
}

/// What became of everything.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs that are there to run.
    pub programs: usize,
    /// Mapsets that are there to send.
    pub mapsets: usize,
    /// How many of the programs were built now.
    pub built: usize,
    /// What failed.
    pub failed: Vec<Member>,
    /// What became of each member.
    pub reports: Vec<Report>,
    /// Everything that was told, in the order of the members' names.
    pub messages: Vec<Diagnostic>,
}

impl Toolchain {
    /// A tool chain for the application in `root`, which keeps what it builds in `cache`.
    ///
    /// # Errors
    /// The cache cannot be written, or folders that were named are not there. Where there is no compiler, what is compiled
    /// already is found, and anything else is broken.
    pub fn new(
        root: &Path,
        sources: &SourceConfig,
        compile: &CompileConfig,
        cache: &Path,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut messages = Vec::new();
        // What is kept of a build names its files: they are the same ones wherever the caller stands.
        let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let doubts = Sources::doubts(root, sources);
        let sources = Sources::new(root, sources, &mut messages);
        if !messages.is_empty() {
            return Err(messages);
        }
        let compiler = Compiler::look(compile);
        let not_yet = match compile.not_yet {
            config::NotYet::Refuse => translator::NotYet::Refuse,
            config::NotYet::Warn => translator::NotYet::Warn,
        };
        let options = translator::Options { not_yet, ..translator::Options::default() };
        let front_end = env!("FRONT_END_FINGERPRINT");
        let fingerprint = format!("{front_end} {not_yet:?} {}", compiler.fingerprint());
        let own_files = OwnFiles::new(cache, &options);
        let cache = Cache::open(cache, fingerprint, &compiler).map_err(|message| vec![message])?;
        let (programs, watch) = (Flights::new(), Mutex::default());
        let choice = compile.cobol.clone();
        Ok(Self {
            sources,
            doubts,
            cache,
            compiler,
            options,
            choice,
            own: Kept::default(),
            own_files,
            programs,
            hosted: Flights::new(),
            watch,
        })
    }

    /// What is doubtful about the folders of sources.
    pub fn doubts(&self) -> &[Diagnostic] {
        &self.doubts
    }

    /// The compiler in use.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// That there is no compiler, if one of these programs has a source, is not compiled, and is not for our own one.
    pub fn not_compiled<'p>(&self, programs: impl Iterator<Item = &'p str>) -> Option<Diagnostic> {
        let missing = self.compiler.missing()?;
        let uncompiled = programs.filter(|name| {
            let source = self.sources.programs.find(name);
            let is_compiled = |path: PathBuf| {
                self.cache.find(name, &path, &self.sources).is_some() || !self.is_hosted(name)
            };
            source.is_some_and(|path| !is_compiled(path))
        });
        let names: Vec<&str> = uncompiled.collect();
        let text = format!("{}, and these programs are not compiled: {}", missing.message, names.join(", "));
        let help = format!("{}; syncpoint check with a compiler compiles all programs", missing.help);
        (!names.is_empty()).then(|| Diagnostic::error(missing.code, text).help(help))
    }

    /// A program, built now if anything that goes into it has changed, by the compiler that the configuration names for it. A
    /// request for a program that is being built waits for that build.
    ///
    /// # Errors
    /// No folder has it, or it does not translate or compile.
    pub fn program(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.programs.join(&name, || {
            let choice = self.choice.of(&name);
            if choice == CobolCompiler::Hosted {
                return self.hosted_now(&name);
            }
            let path = self.path(&name)?;
            let alone = choice == CobolCompiler::Native;
            let attempt = self.own.attempt(&name, || self.own_now(&name, &path, alone));
            match attempt.result {
                Err(refused) if choice == CobolCompiler::Auto && !own::has_failed(&refused) => {
                    let mut program = self.hosted_now(&name)?;
                    program.hosted_because = Some(own::reason(&refused));
                    Ok(program)
                }
                result => {
                    self.watch.lock().observe(Member::Program(name.clone()), attempt.inputs);
                    result
                }
            }
        })
    }

    /// Whether our own compiler takes a program, by the rules of `auto` unless the configuration has it compiled natively; what
    /// there is to say of it then. Nothing is compiled.
    ///
    /// # Errors
    /// No folder has it, or what refuses it, by name and line.
    pub fn accepts(&self, name: &str) -> Result<Vec<Diagnostic>, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let alone = self.choice.of(&name) == CobolCompiler::Native;
        self.own_builder().accepts(&name, &self.path(&name)?, alone)
    }

    /// Why a program runs by the hosted compiler; none if it is compiled natively.
    pub fn hosted_because(&self, name: &str) -> Option<String> {
        match self.choice.of(name) {
            CobolCompiler::Hosted => Some("the configuration says so".to_owned()),
            CobolCompiler::Native => None,
            CobolCompiler::Auto => self.accepts(name).err().map(|refused| own::reason(&refused)),
        }
    }

    /// Whether a program has a source.
    pub fn has(&self, name: &str) -> bool {
        self.sources.programs.find(name).is_some()
    }

    /// Whether a program is for the hosted compiler. One of which our own says what is wrong with it is not: it is refused.
    pub fn is_hosted(&self, name: &str) -> bool {
        self.hosted_because(name).is_some()
    }

    fn own_builder(&self) -> OwnBuilder<'_> {
        OwnBuilder { sources: &self.sources, options: &self.options }
    }

    /// A program by our own compiler: from its file, if nothing has changed that decides about it.
    fn own_now(&self, name: &str, path: &Path, alone: bool) -> Attempt {
        if let Some(found) = self.own_files.find(name, path, alone, &self.sources) {
            return found;
        }
        let Made { mut result, from } = self.own_builder().program(name, path, alone);
        let root = self.sources.root();
        match &mut result {
            Ok(program) => {
                let kept = self.own_files.keep(program, &from, alone, root);
                program.messages.extend(kept.err());
            }
            Err(refused) if !alone && !own::has_failed(refused) => {
                self.own_files.keep_refusal(name, &from, refused, root);
            }
            Err(_) => {}
        }
        Attempt { result, inputs: from.inputs() }
    }

    /// A program as the hosted compiler makes it, whatever the configuration says: for hosted programs that CALL it.
    ///
    /// # Errors
    /// As of [`Self::program`].
    pub fn hosted(&self, name: &str) -> Result<Program, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        self.hosted.join(&name, || self.hosted_now(&name))
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

    /// A program as our own front end reads it; nothing is compiled, and nothing kept.
    ///
    /// # Errors
    /// No folder has it, or it cannot be read.
    pub fn examine(&self, name: &str) -> Result<cobol_check::Checked, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let path = self.sources.programs.find(&name);
        let path =
            path.ok_or_else(|| missing(&self.sources.programs, &name, codes::NO_PROGRAM, "program"))?;
        examine::examine(&self.sources, &name, &path, &self.options)
    }

    /// Has something done with the text of a source, and with the library that answers its COPY statements; and what is wrong with
    /// the maps that it copies.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn with_library<T>(
        &self,
        path: &Path,
        what: impl FnOnce(&Arc<Source>, &dyn translator::Library) -> T,
    ) -> Result<(T, Vec<Diagnostic>), Diagnostic> {
        examine::with_library(&self.sources, path, what)
    }

    /// A mapset, assembled.
    ///
    /// # Errors
    /// No folder has it, or it does not assemble.
    pub fn mapset(&self, name: &str) -> Result<Mapset, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let path = self.sources.maps.find(&name);
        let path = path.ok_or_else(|| missing(&self.sources.maps, &name, codes::NO_MAPSET, "mapset"))?;
        self.watch.lock().observe(Member::Mapset(name.clone()), vec![cache::Input::of(&path)]);
        let shown = self.sources.name(&path);
        let text = text::read(&path).map_err(|error| {
            Failure::from(Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}")))
        })?;
        let source = deck::member(Kind::Map, &name, &Source::new(shown, text));
        let bms::Assembly { mut mapsets, messages } = bms::assemble(&source);
        // A source nearly always holds one mapset, under the member's name.
        let at = mapsets.iter().position(|mapset| mapset.name == name).unwrap_or(0);
        if any_error(&messages) || mapsets.is_empty() {
            return Err(Failure::Broken(messages));
        }
        Ok(Mapset { name, maps: mapsets.swap_remove(at), messages })
    }

    /// All programs and mapsets of the application's folders, in alphabetical order.
    pub fn members(&self) -> Vec<Member> {
        let programs = self.sources.programs.names().into_iter().map(Member::Program);
        programs.chain(self.sources.maps.names().into_iter().map(Member::Mapset)).collect()
    }

    /// Builds everything there is, on all processors; calls `progress` after each member.
    pub fn all(&self, progress: impl Fn(Progress<'_>) + Sync) -> Summary {
        self.build(&self.members(), progress)
    }

    /// Builds these members, on all processors; calls `progress` after each.
    pub fn build(&self, members: &[Member], progress: impl Fn(Progress<'_>) + Sync) -> Summary {
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Outcome>> = members.iter().map(|_| Mutex::default()).collect();
        let work = || {
            while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < members.len()) {
                let outcome = self.outcome(&members[at]);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                let (built, failed) = (outcome.built, outcome.failed);
                progress(Progress { done, total: members.len(), member: &members[at], built, failed });
                *outcomes[at].lock() = outcome;
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers().min(members.len()) {
                scope.spawn(work);
            }
        });
        let outcomes = outcomes.into_iter().map(Mutex::into_inner);
        let mut summary = Summary::default();
        for (member, outcome) in members.iter().zip(outcomes) {
            summary.add(member, outcome);
        }
        summary
    }

    fn outcome(&self, member: &Member) -> Outcome {
        let result = match member {
            Member::Program(name) => self.program(name).map(|program| {
                let note = |why| format!("{name} is compiled by the hosted compiler: {why}");
                let note = program.hosted_because.map(note);
                let note = note.map(|text| Diagnostic::new(Severity::Note, codes::HOSTED, text));
                (program.built, program.messages.into_iter().chain(note).collect())
            }),
            Member::Mapset(name) => self.mapset(name).map(|mapset| (true, mapset.messages)),
        };
        match result {
            Ok((built, messages)) => Outcome { built, failed: false, messages },
            Err(failure) => Outcome { built: true, failed: true, messages: failure.diagnostics().to_vec() },
        }
    }

    /// A source by the name that messages show, as it is now: for messages about what a build says of it.
    pub fn source(&self, name: &str) -> Option<Arc<Source>> {
        self.sources.source(name)
    }

    /// The members that were asked for and whose files have changed since they were last asked for or named here.
    ///
    /// Costs a look at the time stamp of each file: call it as often as a person should wait.
    pub fn changed(&self) -> Vec<Member> {
        self.watch.lock().changed()
    }
}

/// What became of one member.
#[derive(Debug, Default)]
struct Outcome {
    built: bool,
    failed: bool,
    messages: Vec<Diagnostic>,
}

impl Outcome {
    fn report(&self, member: &Member) -> Report {
        let errors =
            self.messages.iter().filter(|message| self.failed && message.severity == Severity::Error);
        let errors: Vec<Diagnostic> = errors.cloned().collect();
        let refused = errors.iter().all(|error| translator::REFUSALS.contains(&error.code));
        let state = match () {
            () if !self.failed => State::Compiled,
            () if refused && !errors.is_empty() => State::Refused,
            () => State::Failed,
        };
        Report { member: member.clone(), state, errors }
    }
}

impl Summary {
    fn add(&mut self, member: &Member, outcome: Outcome) {
        self.reports.push(outcome.report(member));
        match member {
            _ if outcome.failed => self.failed.push(member.clone()),
            Member::Program(_) => {
                self.programs += 1;
                self.built += usize::from(outcome.built);
            }
            Member::Mapset(_) => self.mapsets += 1,
        }
        for message in outcome.messages {
            // A fault in a copybook is told once, not once for each program.
            if !self.messages.contains(&message) {
                self.messages.push(message);
            }
        }
    }
}

fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn missing(members: &Members, name: &str, code: &'static str, what: &str) -> Failure {
    let names = members.names();
    let help = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("there is a {near}; is that the one?"),
        None => format!("looked in {}", members.places()),
    };
    Failure::NotFound(Box::new(Diagnostic::error(code, format!("there is no {what} {name}")).help(help)))
}

/// The files that a configuration's path or glob means, in alphabetical order; `root` is the configuration's folder.
///
/// # Errors
/// The path was written by the user, and nothing has this name.
pub fn files(root: &Path, pattern: &Located<String>) -> Result<Vec<PathBuf>, Diagnostic> {
    let found = members::expand(root, &pattern.value);
    match members::not_there(pattern) {
        Some(message) if found.is_empty() => Err(message),
        _ => Ok(found),
    }
}
