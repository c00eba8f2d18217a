//! Programs by our own compiler: source, checked program, intermediate form, machine code.
//!
//! The translator reads the source, too: what it says of commands holds for both compilers, and statements have the numbers
//! that it gives them. What is not built refuses the program by name and line (`cobol-ir`).

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cobol_check::{Checked, CheckedProgram, Options};
use cobol_data::{Area, Type};
use cobol_ir::program::Service;
use cobol_source::CompilerOption;
use db2::package::Package;
use diagnostics::{Diagnostic, Source, any_error};
use native::{Compiler, Unit};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

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
const OWN_SERVICES: [&str; 11] = [
    db2::call::SYMBOL,
    "DSNTIAR",
    "DSNTIAC",
    "EZASOKET",
    "EZACIC04",
    "EZACIC05",
    "EZACIC06",
    "EZACIC08",
    "EZACIC09",
    "EZACIC14",
    "EZACIC15",
];

/// What came of a build by our own compiler.
pub(crate) struct Made {
    pub(crate) result: Result<Program, Failure>,
    pub(crate) from: Origins,
}

/// What decides about a program: with any of it changed, it is built again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Origins {
    /// Its own files first, then those of programs that it CALLs.
    pub(crate) parts: Vec<Ingredients>,
    /// The sources of programs that it CALLs, by their names; none where there is none.
    pub(crate) called: Vec<(String, Option<PathBuf>)>,
}

impl Origins {
    /// All files.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        self.parts.iter().flat_map(Ingredients::inputs).collect()
    }
}

/// What a build needs.
pub(crate) struct OwnBuilder<'a> {
    pub(crate) sources: &'a Sources,
    /// How sources are read.
    pub(crate) options: &'a translator::Options,
}

/// Programs that were built before, or whose code was found in its file, as long as their files stay as they are.
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
    pub(crate) fn program(&self, name: &str, path: &Path, alone: bool) -> Made {
        let mut from = Origins::default();
        let result = self.read(name, path, &mut from).and_then(|read| {
            if !alone {
                self.fits_with_hosted(name, &read, &mut from)?;
            }
            let unit = Unit::new(self.sources.name(path), read.programs, compiler()?).map_err(|error| {
                let message = Diagnostic::error(codes::COMPILER_FAILED, format!("{name}: {error}"));
                Failure::from(message.help(format!("{A_MISTAKE_OF_OURS} gnucobol = [\"{name}\"]")))
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
        Made { result, from }
    }

    /// Whether the program is for our own compiler, and what there is to say of it; nothing is compiled. `alone` as of
    /// [`Self::program`].
    ///
    /// # Errors
    /// All that refuses it.
    pub(crate) fn accepts(&self, name: &str, path: &Path, alone: bool) -> Result<Vec<Diagnostic>, Failure> {
        let mut from = Origins::default();
        let read = self.read(name, path, &mut from)?;
        if !alone {
            self.fits_with_hosted(name, &read, &mut from)?;
        }
        Ok(read.messages)
    }

    /// Whether hosted programs beside it do not disturb it: those that it would CALL, and those that it shares records with.
    fn fits_with_hosted(&self, name: &str, read: &Read, from: &mut Origins) -> Result<(), Failure> {
        if let Some(differs) = &read.differs {
            return Err(differs.clone().into());
        }
        let mut calls = Calls::default();
        calls.seen.insert(name.to_owned());
        self.callable(name, &read.programs, &mut calls, from)?;
        match calls.unknown.iter().find(|(_, called)| !calls.entries.contains(called)) {
            Some((caller, called)) => Err(not_native(caller, called)),
            None => Ok(()),
        }
    }

    fn read(&self, name: &str, path: &Path, from: &mut Origins) -> Result<Read, Failure> {
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
        from.parts.push(Ingredients { source: path.to_owned(), stamp, copied });
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
        from: &mut Origins,
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
            let path = self.sources.programs.find(called);
            from.called.push((called.clone(), path.clone()));
            let Some(path) = path else {
                calls.unknown.push((name.to_owned(), called.clone()));
                continue;
            };
            let read = self.read(called, &path, from).map_err(|_| not_native(name, called))?;
            self.callable(called, &read.programs, calls, from)?;
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

/// What to do about a program that our own compiler fails on.
const A_MISTAKE_OF_OURS: &str = "this is a mistake of the native compiler, and no fault of the program: please report it; until it is mended, have the other \
     compiler take the program: [cobol]";

/// Whether the compiler has failed: that is no refusal, and is not passed over in silence.
pub(crate) fn has_failed(failure: &Failure) -> bool {
    failure.diagnostics().iter().any(|message| message.code == codes::COMPILER_FAILED)
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
pub(crate) fn compiler() -> Result<&'static Compiler, Failure> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let made = COMPILER.get_or_init(|| Compiler::new().map_err(|error| error.to_string()));
    made.as_ref().map_err(|error| {
        Diagnostic::error(codes::COMPILER_FAILED, format!("no native compiler: {error}")).into()
    })
}
