//! Programs by our own compiler: source, checked program, intermediate form, machine code.
//!
//! The translator reads the source, too: what it says of commands holds for both compilers, and statements have the numbers
//! that it gives them. What is not built refuses the program by name and line (`cobol-ir`).

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use cobol_check::{Checked, CheckedProgram, Options};
use cobol_data::{Area, Type};
use cobol_ir::program::Service;
use cobol_source::CompilerOption;
use db2::package::Package;
use diagnostics::{Diagnostic, Source, any_error};
use native::{Compiler, Unit};
use parking_lot::Mutex;

use crate::artifact::{Failure, Program};
use crate::build::Attempt;
use crate::cache::Input;
use crate::deck::{self, Kind};
use crate::library::CopyLibrary;
use crate::listing::Listing;
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;
use crate::{codes, text};

/// A routine that every region answers, beside those of Language Environment.
const SLEEP: &str = "C$SLEEP";
/// The length of a POINTER, as on z/OS.
const POINTER: usize = 4;

/// What programs CALL that the region answers, beside Language Environment.
const OWN_SERVICES: [&str; 3] = [db2::call::SYMBOL, "DSNTIAR", "DSNTIAC"];

/// What a build needs.
pub(crate) struct OwnBuilder<'a> {
    pub(crate) sources: &'a Sources,
    /// How sources are read.
    pub(crate) options: &'a translator::Options,
}

/// Programs that were built before, as long as their files stay as they are. Machine code stays in memory: to make it again
/// costs less than most programs cost to compile elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<String, (Program, Vec<Input>)>>);

impl Kept {
    /// The program as it was built before, or as it is built now.
    pub(crate) fn attempt(&self, name: &str, build: impl FnOnce() -> Attempt) -> Attempt {
        let known = self.0.lock().get(name).cloned();
        if let Some((program, inputs)) = known
            && inputs.iter().all(Input::is_the_same)
        {
            return Attempt { result: Ok(Program { built: false, ..program }), inputs };
        }
        let attempt = build();
        let mut kept = self.0.lock();
        match &attempt.result {
            Ok(program) => kept.insert(name.to_owned(), (program.clone(), attempt.inputs.clone())),
            Err(_) => kept.remove(name),
        };
        attempt
    }
}

/// A source, read: its programs, what there is to say, and its files.
struct Read {
    programs: Vec<cobol_ir::Program>,
    listing: Listing,
    packages: Vec<Arc<Package>>,
    messages: Vec<Diagnostic>,
    /// The first record that is longer for the hosted compiler.
    differs: Option<Diagnostic>,
}

impl OwnBuilder<'_> {
    /// The program, built. `alone`: what it CALLs has to be there when it does so; otherwise it is refused where that is not
    /// for our own compiler, or where it may share records with hosted programs that see them otherwise.
    pub(crate) fn program(&self, name: &str, path: &Path, alone: bool) -> Attempt {
        let mut inputs = Vec::new();
        let result = self.read(name, path, &mut inputs).and_then(|read| {
            if !alone {
                self.fits_with_hosted(name, &read, &mut inputs)?;
            }
            let unit = Unit::new(self.sources.name(path), read.programs, compiler()?).map_err(|error| {
                Failure::from(Diagnostic::error(codes::COMPILER_FAILED, format!("{name}: {error}")))
            })?;
            Ok(Program {
                name: name.to_owned(),
                module: path.to_owned(),
                own: Some(Arc::new(unit)),
                hosted_because: None,
                listing: Arc::new(read.listing),
                packages: read.packages,
                messages: read.messages,
                built: true,
            })
        });
        Attempt { result, inputs }
    }

    /// Whether the program is for our own compiler, and what there is to say of it; nothing is compiled. `alone` as of
    /// [`Self::program`].
    ///
    /// # Errors
    /// All that refuses it.
    pub(crate) fn accepts(&self, name: &str, path: &Path, alone: bool) -> Result<Vec<Diagnostic>, Failure> {
        let mut inputs = Vec::new();
        let read = self.read(name, path, &mut inputs)?;
        if !alone {
            self.fits_with_hosted(name, &read, &mut inputs)?;
        }
        Ok(read.messages)
    }

    /// Whether hosted programs beside it do not disturb it: those that it would CALL, and those that it shares records with.
    fn fits_with_hosted(&self, name: &str, read: &Read, inputs: &mut Vec<Input>) -> Result<(), Failure> {
        if let Some(differs) = &read.differs {
            return Err(differs.clone().into());
        }
        let mut calls = Calls::default();
        calls.seen.insert(name.to_owned());
        self.callable(name, &read.programs, &mut calls, inputs)?;
        match calls.unknown.iter().find(|(_, called)| !calls.entries.contains(called)) {
            Some((caller, called)) => Err(not_native(caller, called)),
            None => Ok(()),
        }
    }

    fn read(&self, name: &str, path: &Path, inputs: &mut Vec<Input>) -> Result<Read, Failure> {
        let shown = self.sources.name(path);
        let (stamp, content) = Stamp::take(path).map_err(|error| {
            Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}"))
        })?;
        let source = deck::member(Kind::Program, name, &Source::new(shown, text::decode(content)));
        let library = CopyLibrary::new(self.sources);
        let own = translator::Options { own: true, ..*self.options };
        let translation = translator::translate(&source, &library, &own);
        let options = Options {
            format: self.options.format,
            tab_width: self.options.tab_width,
            pointer_length: POINTER,
        };
        let mut checked = cobol_check::check(&source, &library, &options);
        if !checked.options.iter().any(|option| option.name == "TRUNC") {
            checked.options.push(CompilerOption { name: "TRUNC".into(), value: "BIN".into() });
        }
        let (copied, maps) = library.into_parts();
        *inputs = Ingredients { source: path.to_owned(), stamp, copied }.inputs();
        let listing = Listing::of(&translation);
        let mut messages = translation.messages;
        // Its item has storage here.
        messages.retain(|message| {
            message.code != translator::NO_RETURNING && !translator::HOSTED_ONLY.contains(&message.code)
        });
        messages.extend(maps);
        if any_error(&messages) {
            return Err(Failure::Broken(messages));
        }
        if any_error(&checked.messages) {
            return Err(Failure::Broken(checked.messages));
        }
        let (sql, packages): (Vec<_>, Vec<_>) =
            translation.programs.into_iter().map(|program| (program.sql_blocks, program.sql)).unzip();
        let packages = packages.into_iter().flatten().map(Arc::new).collect();
        let programs = cobol_ir::lower_with_sql(&checked, now(), &sql).map_err(Failure::Broken)?;
        let differs = checked.programs.iter().find_map(|program| shared_otherwise(&checked, program));
        Ok(Read { programs, listing, packages, messages, differs })
    }

    /// Whether all that programs CALL by a literal are programs for our own compiler, or perhaps entries of such; their files go
    /// into the program, too.
    fn callable(
        &self,
        name: &str,
        programs: &[cobol_ir::Program],
        calls: &mut Calls,
        inputs: &mut Vec<Input>,
    ) -> Result<(), Failure> {
        let entries = programs.iter().flat_map(|program| &program.entries);
        calls.entries.extend(entries.map(|entry| entry.name.clone()));
        let own = |called: &str| programs.iter().any(|program| program.name.eq_ignore_ascii_case(called));
        let sites = programs.iter().flat_map(|program| &program.sites);
        for site in sites {
            let Service::Call(called) = &site.service else { continue };
            let is_service = le::SERVICES.contains(&called.as_str())
                || OWN_SERVICES.contains(&called.as_str())
                || called == SLEEP;
            if own(called) || is_service || !calls.seen.insert(called.clone()) {
                continue;
            }
            let Some(path) = self.sources.programs.find(called) else {
                calls.unknown.push((name.to_owned(), called.clone()));
                continue;
            };
            let mut own_inputs = Vec::new();
            let read = self.read(called, &path, &mut own_inputs);
            inputs.append(&mut own_inputs);
            let read = read.map_err(|_| not_native(name, called))?;
            self.callable(called, &read.programs, calls, inputs)?;
        }
        Ok(())
    }
}

/// What a program and those that it CALLs CALL.
#[derive(Default)]
struct Calls {
    /// Programs that were looked at.
    seen: BTreeSet<String>,
    /// Their entries.
    entries: BTreeSet<String>,
    /// What has no source, with who CALLs it.
    unknown: Vec<(String, String)>,
}

fn not_native(caller: &str, called: &str) -> Failure {
    let message = format!("{caller} CALLs {called}, which is not compiled natively");
    Diagnostic::error(codes::NOT_NATIVE, message).into()
}

/// What WHEN-COMPILED says.
fn now() -> cobol_ir::run::Moment {
    let now = jiff::Zoned::now();
    cobol_ir::run::Moment { unix_ms: now.timestamp().as_millisecond(), offset_s: now.offset().seconds() }
}

/// An item that hosted programs see otherwise in a record: a pointer has eight bytes there, and floating point is the
/// processor's own. What is passed by others is such a record, too.
fn shared_otherwise(checked: &Checked, program: &CheckedProgram) -> Option<Diagnostic> {
    program.items.all().find_map(|(_, item)| {
        let passed = matches!(item.area, Area::Linkage | Area::File(_));
        let message = match item.kind {
            Type::Pointer | Type::FunctionPointer if item.parent.is_some() => {
                "a pointer within a record has 4 bytes here, and 8 in hosted programs"
            }
            Type::FloatShort | Type::FloatLong if item.parent.is_some() || passed => {
                "floating point in a record is hexadecimal here, and the processor's own in hosted programs"
            }
            _ => return None,
        };
        Some(checked.at(item.at, Diagnostic::error(codes::NOT_NATIVE, message)))
    })
}

/// Why a program is not for our own compiler, on one line: the first construct, and where it stands.
pub(crate) fn reason(failure: &Failure) -> String {
    let first = failure.diagnostics().iter().find(|message| message.severity == diagnostics::Severity::Error);
    let Some(first) = first else { return String::from("it is refused") };
    match &first.place {
        Some(place) => format!("{} line {}: {}", place.source.name, place.line, first.message),
        None => first.message.clone(),
    }
}

/// The compiler for this machine: made once.
fn compiler() -> Result<&'static Compiler, Failure> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let made = COMPILER.get_or_init(|| Compiler::new().map_err(|error| error.to_string()));
    made.as_ref().map_err(|error| {
        Diagnostic::error(codes::COMPILER_FAILED, format!("no native compiler: {error}")).into()
    })
}
