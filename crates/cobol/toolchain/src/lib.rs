//! Sources to machine code and maps: on demand, in parallel, cached by content.
//!
//! Here programs are found by member name, compiled and kept; maps are found and assembled. Every failure is shown at the
//! user's own line.
//!
//! Out of scope: the grammar of EXEC CICS (`cobol-exec`), the layout of maps (`bms`), and running code (`native`).

mod artifact;
mod build;
mod codes;
mod deck;
mod drafts;
mod ending;
mod examine;
mod flight;
mod folder;
mod inputs;
mod inside;
mod kept;
mod library;
mod listing;
mod members;
mod programs;
mod record;
mod shadow;
mod sources;
mod stamp;
mod text;
mod unsaved;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use config::{CompileConfig, Located, SourceConfig};
use diagnostics::{Diagnostic, Severity, Source, any_error, nearest};
use parking_lot::Mutex;

pub use artifact::{Failure, Program};
pub use drafts::{Draft, Drafts};
pub use listing::{Listing, ProgramListing, Statement};
pub use unsaved::Unsaved;

use build::{KeptBuilds, Reading};
use deck::Kind;
use ending::Ending;
use flight::Flights;
use kept::CodeFiles;
use members::Members;
use sources::Sources;
use watch::Watch;

/// Builds an application's programs and maps.
///
/// All functions may be called from any thread and block while they build: call them where a thread may wait.
#[derive(Debug)]
pub struct Toolchain {
    sources: Sources,
    doubts: Vec<Diagnostic>,
    options: Reading,
    built: KeptBuilds,
    files: CodeFiles,
    programs: Flights<Result<Program, Failure>>,
    watch: Mutex<Watch>,
    ends: Ending,
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
    /// Number of finished members, this one included.
    pub done: usize,
    /// Number of all members.
    pub total: usize,
    /// Which one.
    pub member: &'a Member,
    /// True if it had to be built; a mapset always has to.
    pub built: bool,
    /// True if it failed.
    pub failed: bool,
}

/// Results for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberState {
    /// It is there to run, or to send.
    Compiled,
    /// All that is wrong with it is that it needs what is not built here.
    Refused,
    /// It has errors.
    Failed,
}

/// Result for one of several members.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which one.
    pub member: Member,
    /// Its result.
    pub state: MemberState,
    /// The errors for which it is not there, wherever they stand: in a copybook, in a map.
    pub errors: Vec<Diagnostic>,
}

/// Results for all members.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs that are there to run.
    pub programs: usize,
    /// Mapsets that are there to send.
    pub mapsets: usize,
    /// Number of programs that were built now.
    pub built: usize,
    /// Members that failed.
    pub failed: Vec<Member>,
    /// Result for each member.
    pub reports: Vec<Report>,
    /// Everything that was told, in the order of the members' names.
    pub messages: Vec<Diagnostic>,
}

impl Toolchain {
    /// A tool chain for the application in `root`, which keeps what it builds in `cache`.
    ///
    /// # Errors
    /// The cache cannot be written, or folders that were named are not there.
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
        let options = Reading { source: cobol_check::Options::default(), unbuilt: compile.not_yet };
        folder::open(cache).map_err(|message| vec![message])?;
        let files = CodeFiles::new(cache, &options);
        let (built, programs, watch) = (KeptBuilds::default(), Flights::new(), Mutex::default());
        Ok(Self { sources, doubts, options, built, files, programs, watch, ends: Ending::default() })
    }

    /// The same, whose programs count the statements that they come to ([`native::Loaded::reached`]).
    #[must_use]
    pub fn counting(self) -> Self {
        Self { files: self.files.counting(), ..self }
    }

    /// The programs that have been asked for and are there.
    pub fn known(&self) -> Vec<Program> {
        self.built.programs()
    }

    /// Doubts about the folders of sources.
    pub fn doubts(&self) -> &[Diagnostic] {
        &self.doubts
    }

    /// Returns true if a program has a source.
    pub fn has(&self, name: &str) -> bool {
        self.sources.programs.find(name).is_some()
    }

    /// Returns the message that no folder has a program; `None` if one has it.
    pub fn absent(&self, name: &str) -> Option<Diagnostic> {
        let name = name.trim_end().to_ascii_uppercase();
        if self.has(&name) {
            return None;
        }
        let failure = missing(&self.sources.programs, &name, codes::NO_PROGRAM, "program");
        failure.diagnostics().first().cloned()
    }

    /// A program as the front end reads it; nothing is compiled, and nothing kept.
    ///
    /// # Errors
    /// No folder has it, or it cannot be read.
    pub fn examine(&self, name: &str) -> Result<cobol_check::Checked, Failure> {
        let name = name.trim_end().to_ascii_uppercase();
        let path = self.sources.programs.find(&name);
        let path =
            path.ok_or_else(|| missing(&self.sources.programs, &name, codes::NO_PROGRAM, "program"))?;
        examine::examine(&self.sources, &name, &path, &self.options.source)
    }

    /// Has something done with the text of a source, and with the library that answers its COPY statements; and what is wrong with
    /// the maps that it copies.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn with_library<T>(
        &self,
        path: &Path,
        what: impl FnOnce(&Arc<Source>, &dyn cobol_source::Library) -> T,
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
        self.watch.lock().observe(Member::Mapset(name.clone()), vec![inputs::Input::of(&path)]);
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

    /// The same with programs and mapsets that are found by what stands in their files alone.
    pub fn all_members(&self) -> Vec<Member> {
        let programs = self.sources.programs.all_names().into_iter().map(Member::Program);
        programs.chain(self.sources.maps.all_names().into_iter().map(Member::Mapset)).collect()
    }

    /// Names of programs and mapsets that stand in several files, none of which is called so.
    pub fn doubled(&self) -> Vec<Diagnostic> {
        let root = self.sources.root();
        [&self.sources.programs, &self.sources.maps]
            .into_iter()
            .flat_map(|members| members.doubled(root))
            .collect()
    }

    /// Builds everything there is, on all processors; calls `progress` after each member.
    pub fn all(&self, progress: impl Fn(Progress<'_>) + Sync) -> Summary {
        self.build(&self.members(), progress)
    }

    /// Builds these members, on all processors; calls `progress` after each. Once the tool chain [rests](Self::rest) no further one
    /// is begun, and the summary has those that were.
    pub fn build(&self, members: &[Member], progress: impl Fn(Progress<'_>) + Sync) -> Summary {
        let done = AtomicUsize::new(0);
        let outcomes = spread(members.len(), &|| !self.ends.rests(), &|at| {
            let outcome = self.outcome(&members[at]);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let (built, failed) = (outcome.built, outcome.failed);
            progress(Progress { done, total: members.len(), member: &members[at], built, failed });
            outcome
        });
        let mut summary = Summary::default();
        for (member, outcome) in members.iter().zip(outcomes) {
            summary.add(member, outcome);
        }
        summary
    }

    fn outcome(&self, member: &Member) -> Outcome {
        let result = match member {
            Member::Program(name) => self.program(name).map(|program| (program.built, program.messages)),
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

/// Result for one member.
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
        let refused = errors.iter().all(is_refusal);
        let state = match () {
            () if !self.failed => MemberState::Compiled,
            () if refused && !errors.is_empty() => MemberState::Refused,
            () => MemberState::Failed,
        };
        Report { member: member.clone(), state, errors }
    }
}

/// Returns true if an error says that something is not built, and not that a source is wrong.
fn is_refusal(error: &Diagnostic) -> bool {
    cobol_exec::REFUSALS.contains(&error.code) || cobol_lower::refused_construct(&error.message).is_some()
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
            // A fault in a copybook is reported once, not once for each program.
            if !self.messages.contains(&message) {
                self.messages.push(message);
            }
        }
    }
}

/// Does something so many times, on all processors, as long as it is to go on; what came of each.
fn spread<T: Send>(
    times: usize,
    goes_on: &(dyn Fn() -> bool + Sync),
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..times).map(|_| Mutex::default()).collect();
    let worker = || {
        while goes_on()
            && let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < times)
        {
            *results[at].lock() = Some(work(at));
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers().min(times) {
            scope.spawn(worker);
        }
    });
    results.into_iter().filter_map(Mutex::into_inner).collect()
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
