//! A program: source, checked program, intermediate form, machine code.
//!
//! `cobol-exec` reads the EXEC blocks of the checked program: messages about commands, and the numbers of statements.
//! A program with a statement that is not built is refused, by name and line (`cobol-lower`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use cobol_check::{Checked, Options};
use cobol_codegen::Compiler;
use cobol_source::CompilerOption;
use db2::package::Package;
use diagnostics::{Diagnostic, Severity, Source, any_error};
use parking_lot::Mutex;

use crate::artifact::{Failure, Program};
use crate::deck::{self, Kind};
use crate::inputs::Input;
use crate::library::CopyLibrary;
use crate::listing::Listing;
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;
use crate::{codes, text};

/// The way in which sources are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) source: Options,
    /// The severity of commands and options that are not built.
    pub(crate) unbuilt: Severity,
}

/// The result of a build, and the files that went into it whatever became of it.
pub(crate) struct Attempt {
    pub(crate) result: Result<Program, Failure>,
    pub(crate) inputs: Vec<Input>,
}

/// Reader and compiler of programs.
pub(crate) struct Builder<'a> {
    pub(crate) sources: &'a Sources,
    /// Options of reading sources.
    pub(crate) options: &'a Reading,
    /// Code counts the statements that it comes to.
    pub(crate) counts: bool,
}

/// Programs that were built before, or whose code was found in its file, as long as their files stay as they are.
#[derive(Debug, Default)]
pub(crate) struct KeptBuilds(Mutex<HashMap<String, (Program, Vec<Input>)>>);

impl KeptBuilds {
    /// The programs that are kept.
    pub(crate) fn programs(&self) -> Vec<Program> {
        self.0.lock().values().map(|(program, _)| program.clone()).collect()
    }

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

/// A source, read: the files that went in, and what is compiled, unless something refuses it.
pub(crate) struct Read {
    pub(crate) from: Ingredients,
    pub(crate) taken: Result<Taken, Failure>,
}

/// Text that becomes a program.
pub(crate) struct Taken {
    programs: Vec<cobol_ir::Program>,
    listing: Listing,
    packages: Vec<Arc<Package>>,
    messages: Vec<Diagnostic>,
}

impl Builder<'_> {
    /// The program, compiled.
    ///
    /// # Errors
    /// The compiler has failed.
    pub(crate) fn compile(&self, name: &str, path: &Path, taken: Taken) -> Result<Program, Failure> {
        let compiler = compiler()?;
        let compiler = if self.counts { &compiler.counting() } else { compiler };
        let unit = compiler.unit(self.sources.name(path), taken.programs).map_err(|error| {
            let message = Diagnostic::error(codes::COMPILER_FAILED, format!("{name}: {error}"));
            Failure::from(message.help(A_MISTAKE_OF_OURS))
        })?;
        Ok(Program {
            name: name.to_owned(),
            source: path.to_owned(),
            unit: Arc::new(unit),
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
        let mut checked = cobol_check::check(&source, &library, &self.options.source);
        let exec = cobol_exec::read(&checked, self.options.unbuilt);
        if !checked.options.iter().any(|option| option.name == "TRUNC") {
            checked.options.push(CompilerOption::new("TRUNC", "BIN"));
        }
        let (copied, maps) = library.into_parts();
        let from = Ingredients { source: path.to_owned(), stamp, copied };
        Ok(Read { from, taken: taken(exec, &checked, maps) })
    }
}

/// Text that becomes a program; errors alone refuse it.
fn taken(exec: cobol_exec::Read, checked: &Checked, maps: Vec<Diagnostic>) -> Result<Taken, Failure> {
    let listing = Listing::of(&exec);
    let messages = told(exec.messages, checked, maps).map_err(Failure::Broken)?;
    let packages = exec.programs.into_iter().filter_map(|program| program.sql).map(Arc::new).collect();
    let programs = cobol_lower::lower_asked(checked, now(), &exec.asked).map_err(Failure::Broken)?;
    Ok(Taken { programs, listing, packages, messages })
}

/// The warnings of a text, in the order of `check`; all messages, if one refuses it.
pub(crate) fn told(
    of_blocks: Vec<Diagnostic>,
    checked: &Checked,
    maps: Vec<Diagnostic>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    // What the text and its blocks have comes first: the rest may be wrong because of it.
    let of_text = checked.messages.iter().filter(|message| message.code.starts_with("SPTR"));
    let mut messages: Vec<Diagnostic> = of_text.cloned().collect();
    messages.extend(of_blocks);
    messages.extend(maps);
    if any_error(&messages) {
        return Err(messages);
    }
    if any_error(&checked.messages) {
        return Err(checked.messages.clone());
    }
    for doubt in &checked.messages {
        if !messages.contains(doubt) {
            messages.push(doubt.clone());
        }
    }
    Ok(messages)
}

impl Taken {
    /// Its warnings.
    pub(crate) fn messages(self) -> Vec<Diagnostic> {
        self.messages
    }
}

/// Moment for WHEN-COMPILED.
pub(crate) fn now() -> cobol_run::Moment {
    let now = jiff::Zoned::now();
    cobol_run::Moment { unix_ms: now.timestamp().as_millisecond(), offset_s: now.offset().seconds() }
}

/// Help for a program on which the compiler fails.
const A_MISTAKE_OF_OURS: &str = "this is a mistake of the compiler, and no fault of the program: please report it with the program's text";

/// The compiler for this machine: made once.
pub(crate) fn compiler() -> Result<&'static Compiler, Failure> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let made = COMPILER.get_or_init(|| Compiler::new().map_err(|error| error.to_string()));
    made.as_ref().map_err(|error| {
        Diagnostic::error(codes::COMPILER_FAILED, format!("the compiler cannot be had: {error}")).into()
    })
}
