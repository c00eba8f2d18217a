//! One program, from its source to its module.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use db2::package::Package;
use diagnostics::{Diagnostic, Place, Severity, Source, any_error};
use translator::{Options, Translation};

use crate::anatomy;
use crate::artifact::{Failure, Program};
use crate::cache::{Built, Cache, Input, Told, unwritable};
use crate::compiler::{Compilation, Compiler, PRELUDE, Without};
use crate::deck::{self, Kind};
use crate::library::CopyLibrary;
use crate::listing::{self, Listing};
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;
use crate::{codes, text};

/// What a build needs.
pub(crate) struct Builder<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) cache: &'a Cache,
    pub(crate) compiler: &'a Compiler,
    /// How sources are read.
    pub(crate) options: &'a Options,
}

/// The result of a build, and the files that went into it whatever became of it.
pub(crate) struct Attempt {
    pub(crate) result: Result<Program, Failure>,
    pub(crate) inputs: Vec<Input>,
}

impl Builder<'_> {
    /// The program as it is in the cache, or else built.
    pub(crate) fn program(&self, name: &str, path: &Path) -> Attempt {
        if let Some(Built { program, inputs }) = self.cache.find(name, path, self.sources) {
            return Attempt { result: Ok(program), inputs };
        }
        match Stamp::take(path) {
            Ok((stamp, content)) => {
                let source = Source::new(self.sources.name(path), text::decode(content));
                self.build(name, path, stamp, &deck::member(Kind::Program, name, &source))
            }
            Err(error) => {
                let name = self.sources.name(path);
                let message = Diagnostic::error(codes::UNREADABLE, format!("{name} cannot be read: {error}"));
                let inputs = vec![Input { path: path.to_owned(), stamp: None }];
                Attempt { result: Err(message.into()), inputs }
            }
        }
    }

    fn build(&self, name: &str, path: &Path, stamp: Stamp, source: &Arc<Source>) -> Attempt {
        let library = CopyLibrary::new(self.sources);
        let mut translation = translator::translate(source, &library, self.options);
        let (copied, map_messages) = library.into_parts();
        translation.messages.extend(map_messages);
        translation.messages.extend(foreign_character(source));
        let ingredients = Ingredients { source: path.to_owned(), stamp, copied };
        let inputs = ingredients.inputs();
        Attempt { result: self.compile(name, translation, ingredients), inputs }
    }

    fn compile(
        &self,
        name: &str,
        translation: Translation,
        ingredients: Ingredients,
    ) -> Result<Program, Failure> {
        if any_error(&translation.messages) {
            return Err(Failure::Broken(translation.messages));
        }
        if let Some(missing) = self.compiler.missing() {
            return Err(missing.clone().into());
        }
        let unwritable = |error: io::Error| Failure::from(unwritable(self.cache.folder(), &error));
        let scratch = self.cache.scratch(name).map_err(unwritable)?;
        let text = text::encode(&translation.text);
        fs::write(scratch.path().join(Compiler::source(name)), text).map_err(unwritable)?;
        fs::write(scratch.path().join(PRELUDE.0), PRELUDE.1).map_err(unwritable)?;
        let flags = listing::flags(&translation);
        let compilation =
            self.compiler.compile(scratch.path(), name, &flags).map_err(|without| match without {
                Without::Compiler(error) => Failure::from(Compiler::absent(&error)),
                Without::End => Failure::from(self.compiler.too_long(name)),
            })?;
        let messages = told(name, &compilation, &translation);
        if !compilation.succeeded {
            return Err(Failure::Broken(messages));
        }
        let listing = Listing::of(&translation);
        let compiled = scratch.path().join(Compiler::module(name));
        let packages: Vec<Package> =
            translation.programs.iter().filter_map(|program| program.sql.clone()).collect();
        let told = Told { listing: &listing, packages: &packages, messages: &messages };
        let kept = self.cache.keep(name, &compiled, ingredients, &told, self.sources);
        let module = kept.map_err(unwritable)?;
        // Dumps are poorer without it, and nothing else.
        let storage = fs::read(scratch.path().join(Compiler::storage(name))).unwrap_or_default();
        let storage = String::from_utf8_lossy(&storage);
        let _ = anatomy::keep(&module, &storage, &translation.text);
        let (listing, packages) = (Arc::new(listing), packages.into_iter().map(Arc::new).collect());
        let name = name.to_owned();
        Ok(Program { name, module, own: None, listing, packages, messages, built: true })
    }
}

/// Everything that is to be said about a program that was compiled, or was not.
fn told(name: &str, compilation: &Compilation, translation: &Translation) -> Vec<Diagnostic> {
    let mut messages = translation.messages.clone();
    messages.extend(first_errors(translator::explain_cobc_output(translation, &compilation.output)));
    if !compilation.succeeded && !any_error(&messages) {
        messages.push(failed_elsewhere(name, compilation.output.trim()));
    }
    messages
}

/// What a compiler says that has no place in the program: the machine is at fault.
fn failed_elsewhere(name: &str, output: &str) -> Diagnostic {
    if output.contains("gcc: not found") || output.contains("gcc: command not found") {
        return Diagnostic::error(codes::NO_C_COMPILER, "the C compiler (gcc) is not installed")
            .help("the COBOL compiler needs it; on Debian: apt-get install gcc libc6-dev");
    }
    let help = match output.contains("No space left on device") {
        true => {
            "the disk is full: make room where the region keeps its state (`state` in region.toml, --data DIR)"
        }
        false => "this is not a fault of the program's text: what stands above are the compiler's own words",
    };
    Diagnostic::error(codes::COMPILER_FAILED, format!("the compiler failed on {name}: {output}")).help(help)
}

/// Errors that one compilation tells: one that unsettles the compiler brings hundreds of others.
const ERRORS_MAX: usize = 20;

/// The messages up to the last error that is shown, and how many more errors there are.
fn first_errors(mut messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_error = |message: &Diagnostic| message.severity == Severity::Error;
    let beyond = messages.iter().enumerate().filter(|(_, message)| is_error(message)).nth(ERRORS_MAX);
    if let Some((at, _)) = beyond {
        let more = messages[at..].iter().filter(|message| is_error(message)).count();
        messages.truncate(at);
        messages.push(
            Diagnostic::new(Severity::Note, codes::MORE_ERRORS, format!("errors that are not shown: {more}"))
                .help("correct the first ones: others often come from them"),
        );
    }
    messages
}

fn foreign_character(source: &Arc<Source>) -> Option<Diagnostic> {
    let (line, column) = text::foreign_character(&source.text)?;
    Some(
        Diagnostic::warning(codes::CHARACTER, "programs cannot hold this character")
            .at(Place::new(source, line, column, 1))
            .label("a question mark stands for it")
            .help("programs hold the characters of ISO 8859-1, one byte each"),
    )
}
