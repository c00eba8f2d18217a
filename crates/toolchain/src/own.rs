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

/// The length of a POINTER, as on z/OS.
const POINTER: usize = 4;

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
                if let Some(differs) = read.differs {
                    return Err(differs.into());
                }
                let mut seen = BTreeSet::from([name.to_owned()]);
                self.callable(name, &read.programs, &mut seen, &mut inputs)?;
            }
            let unit = Unit::new(read.programs, compiler()?).map_err(|error| {
                Failure::from(Diagnostic::error(codes::COMPILER_FAILED, format!("{name}: {error}")))
            })?;
            Ok(Program {
                name: name.to_owned(),
                module: path.to_owned(),
                own: Some(Arc::new(unit)),
                hosted_because: None,
                listing: Arc::new(read.listing),
                packages: Vec::new(),
                messages: read.messages,
                built: true,
            })
        });
        Attempt { result, inputs }
    }

    fn read(&self, name: &str, path: &Path, inputs: &mut Vec<Input>) -> Result<Read, Failure> {
        let shown = self.sources.name(path);
        let (stamp, content) = Stamp::take(path).map_err(|error| {
            Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}"))
        })?;
        let source = deck::member(Kind::Program, name, &Source::new(shown, text::decode(content)));
        let library = CopyLibrary::new(self.sources);
        let translation = translator::translate(&source, &library, self.options);
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
        messages.extend(maps);
        if any_error(&messages) {
            return Err(Failure::Broken(messages));
        }
        if any_error(&checked.messages) {
            return Err(Failure::Broken(checked.messages));
        }
        let programs = cobol_ir::lower_at(&checked, now()).map_err(Failure::Broken)?;
        let differs = checked.programs.iter().find_map(|program| shared_otherwise(&checked, program));
        Ok(Read { programs, listing, messages, differs })
    }

    /// Whether all that programs CALL by a literal are programs for our own compiler; their files go into the program, too.
    fn callable(
        &self,
        name: &str,
        programs: &[cobol_ir::Program],
        seen: &mut BTreeSet<String>,
        inputs: &mut Vec<Input>,
    ) -> Result<(), Failure> {
        let own = |called: &str| programs.iter().any(|program| program.name.eq_ignore_ascii_case(called));
        let sites = programs.iter().flat_map(|program| &program.sites);
        for site in sites {
            let Service::Call(called) = &site.service else { continue };
            let is_service = le::SERVICES.contains(&called.as_str());
            if own(called) || is_service || !seen.insert(called.clone()) {
                continue;
            }
            let refused = || {
                let message = format!("{name} CALLs {called}, which is not compiled natively");
                Failure::from(Diagnostic::error(codes::NOT_NATIVE, message))
            };
            let path = self.sources.programs.find(called).ok_or_else(refused)?;
            let mut own_inputs = Vec::new();
            let read = self.read(called, &path, &mut own_inputs);
            inputs.append(&mut own_inputs);
            self.callable(called, &read.map_err(|_| refused())?.programs, seen, inputs)?;
        }
        Ok(())
    }
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
