//! Programs by our own compiler: source, checked program, intermediate form, machine code.
//!
//! The translator reads the source, too: what it says of commands holds for both compilers, and statements have the numbers
//! that it gives them. What is not built refuses the program by name and line (`cobol-ir`).

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use cobol_check::{Checked, Options};
use cobol_codegen::Compiler;
use cobol_ir::program::Service;
use cobol_source::CompilerOption;
use db2::package::Package;
use diagnostics::{Diagnostic, Source, any_error};
use parking_lot::Mutex;
use translator::Translation;

use crate::artifact::{Failure, Program};
use crate::build::Attempt;
use crate::cache::Input;
use crate::deck::{self, Kind};
use crate::facts::Facts;
use crate::library::CopyLibrary;
use crate::listing::Listing;
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;
use crate::{codes, text};

/// A routine that every region answers, beside those of Language Environment.
const SLEEP: &str = "C$SLEEP";
/// The length of a POINTER, as on z/OS.
pub(crate) const POINTER: usize = 4;

/// What programs CALL that the region answers, beside Language Environment.
const OWN_SERVICES: [&str; 12] = [
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
    "VSVPSYNC",
];

/// What reads and compiles programs.
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

/// A source, read: what is known of it, and what is compiled, unless our own compiler does not take it.
pub(crate) struct Read {
    pub(crate) facts: Facts,
    pub(crate) taken: Result<Taken, Failure>,
}

/// What becomes a program.
pub(crate) struct Taken {
    programs: Vec<cobol_ir::Program>,
    listing: Listing,
    packages: Vec<Arc<Package>>,
    messages: Vec<Diagnostic>,
}

impl OwnBuilder<'_> {
    /// The program, compiled.
    ///
    /// # Errors
    /// The compiler has failed.
    pub(crate) fn compile(&self, name: &str, path: &Path, taken: Taken) -> Result<Program, Failure> {
        let unit = compiler()?.unit(self.sources.name(path), taken.programs).map_err(|error| {
            let message = Diagnostic::error(codes::COMPILER_FAILED, format!("{name}: {error}"));
            Failure::from(message.help(format!("{A_MISTAKE_OF_OURS} gnucobol = [\"{name}\"]")))
        })?;
        Ok(Program {
            name: name.to_owned(),
            module: path.to_owned(),
            own: Some(Arc::new(unit)),
            listing: Arc::new(taken.listing),
            packages: taken.packages,
            messages: taken.messages,
            built: true,
        })
    }

    /// Reads a program.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub(crate) fn read(&self, name: &str, path: &Path) -> Result<Read, Failure> {
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
            checked.options.push(CompilerOption::new("TRUNC", "BIN"));
        }
        let (copied, maps) = library.into_parts();
        let from = Ingredients { source: path.to_owned(), stamp, copied };
        let taken = taken(translation, &checked, maps);
        Ok(Read { facts: Facts::of(from, &checked, &taken), taken })
    }
}

/// What becomes a program, if our own compiler takes it; else all that refuses it.
fn taken(translation: Translation, checked: &Checked, maps: Vec<Diagnostic>) -> Result<Taken, Failure> {
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
        return Err(Failure::Broken(checked.messages.clone()));
    }
    for doubt in &checked.messages {
        if !messages.contains(doubt) {
            messages.push(doubt.clone());
        }
    }
    let (sql, packages): (Vec<_>, Vec<_>) =
        translation.programs.into_iter().map(|program| (program.sql_blocks, program.sql)).unzip();
    let packages = packages.into_iter().flatten().map(Arc::new).collect();
    let programs = cobol_lower::lower_with_sql(checked, now(), &sql).map_err(Failure::Broken)?;
    Ok(Taken { programs, listing, packages, messages })
}

impl Taken {
    /// What there is to say of it.
    pub(crate) fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }

    /// The programs that it CALLs by a literal, beside those of its own source.
    pub(crate) fn calls(&self) -> BTreeSet<String> {
        let sites = self.programs.iter().flat_map(|program| &program.sites);
        let called = sites.filter_map(|site| match &site.service {
            Service::Call(called) => Some(called),
            _ => None,
        });
        let own = |called: &str| self.programs.iter().any(|own| own.name.eq_ignore_ascii_case(called));
        called.filter(|called| !own(called) && !is_service(called)).cloned().collect()
    }

    /// The names of its entries.
    pub(crate) fn entries(&self) -> BTreeSet<String> {
        let entries = self.programs.iter().flat_map(|program| &program.entries);
        entries.map(|entry| entry.name.clone()).collect()
    }
}

/// Whether the region answers a CALL of this name.
pub(crate) fn is_service(called: &str) -> bool {
    le::SERVICES.contains(&called) || OWN_SERVICES.contains(&called) || called == SLEEP
}

/// What WHEN-COMPILED says.
fn now() -> cobol_run::Moment {
    let now = jiff::Zoned::now();
    cobol_run::Moment { unix_ms: now.timestamp().as_millisecond(), offset_s: now.offset().seconds() }
}

/// What to do about a program that our own compiler fails on.
const A_MISTAKE_OF_OURS: &str = "this is a mistake of the native compiler, and no fault of the program: please report it; until it is mended, have the other \
     compiler take the program: [cobol]";

/// The compiler for this machine: made once.
pub(crate) fn compiler() -> Result<&'static Compiler, Failure> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let made = COMPILER.get_or_init(|| Compiler::new().map_err(|error| error.to_string()));
    made.as_ref().map_err(|error| {
        Diagnostic::error(codes::COMPILER_FAILED, format!("no native compiler: {error}")).into()
    })
}
