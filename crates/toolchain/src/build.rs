//! One program, from its source to its module.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use diagnostics::{Diagnostic, Place, Severity, Source, any_error};

use crate::artifact::{Failure, Listing, Program};
use crate::cache::{Built, Cache, Input, unwritable};
use crate::compiler::{Compilation, Compiler, Remark};
use crate::front::{self, Translated};
use crate::library::CopyLibrary;
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;
use crate::{codes, text};

/// What a build needs.
pub(crate) struct Builder<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) cache: &'a Cache,
    pub(crate) compiler: &'a Compiler,
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
                self.build(name, path, stamp, &source)
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
        let mut translated = front::translate(source, &library);
        let (copied, map_messages) = library.into_parts();
        translated.messages.extend(map_messages);
        translated.messages.extend(foreign_character(source));
        let ingredients = Ingredients { source: path.to_owned(), stamp, copied };
        let inputs = ingredients.inputs();
        Attempt { result: self.compile(name, translated, ingredients), inputs }
    }

    fn compile(
        &self,
        name: &str,
        mut translated: Translated,
        ingredients: Ingredients,
    ) -> Result<Program, Failure> {
        let text = match translated.cobol.take() {
            Some(text) if !any_error(&translated.messages) => text,
            _ => return Err(Failure::Broken(translated.messages)),
        };
        let unwritable = |error: io::Error| Failure::from(unwritable(self.cache.folder(), &error));
        let scratch = self.cache.scratch(name).map_err(unwritable)?;
        fs::write(scratch.path().join(Compiler::source(name)), text::encode(&text)).map_err(unwritable)?;
        let compilation = self
            .compiler
            .compile(scratch.path(), name, &translated.flags)
            .map_err(|error| Failure::from(Compiler::absent(&error)))?;
        self.explain(name, &compilation, &mut translated);
        if !compilation.succeeded {
            return Err(Failure::Broken(translated.messages));
        }
        let compiled = scratch.path().join(Compiler::module(name));
        let module = self.cache.keep(name, &compiled, ingredients, &translated).map_err(unwritable)?;
        Ok(Program {
            name: name.to_owned(),
            module,
            listing: Arc::new(translated.listing),
            messages: translated.messages,
            built: true,
        })
    }

    /// Adds what the compiler says, at the user's own lines.
    fn explain(&self, name: &str, compilation: &Compilation, translated: &mut Translated) {
        let Translated { listing, messages, .. } = translated;
        let mut seen: Vec<Diagnostic> = Vec::new();
        for remark in &compilation.remarks {
            let message = self.told(remark, listing);
            if !seen.contains(&message) {
                seen.push(message);
            }
        }
        messages.extend(seen);
        if !compilation.succeeded && !any_error(messages) {
            let output = compilation.output.trim();
            messages.push(
                Diagnostic::error(codes::COMPILER_FAILED, format!("the compiler failed on {name}: {output}"))
                    .help(
                        "this is not a fault of the program's text; is gcc installed and the disk not full?",
                    ),
            );
        }
    }

    fn told(&self, remark: &Remark, listing: &Listing) -> Diagnostic {
        let code = match remark.severity {
            Severity::Error => codes::COBOL_ERROR,
            Severity::Warning | Severity::Note => codes::COBOL_WARNING,
        };
        let message = Diagnostic::new(remark.severity, code, remark.text.clone());
        let line = u32::try_from(remark.line).ok().and_then(|line| listing.lines.line(line));
        let Some(line) = line else { return message };
        let Some(source) = self.sources.source(line.source) else { return message };
        let (column, length) = statement_columns(&source, line.line as usize);
        message.at(Place::new(&source, line.line as usize, column, length)).label("the compiler stops here")
    }
}

/// Where the text of a line begins and how long it is.
fn statement_columns(source: &Source, line: usize) -> (usize, usize) {
    let start = source.line_start(line);
    let text = source.text[start..].lines().next().unwrap_or("");
    let code: String = text.chars().take(PROGRAM_TEXT.end).skip(PROGRAM_TEXT.start).collect();
    let indent = code.chars().take_while(|c| c.is_whitespace()).count();
    (PROGRAM_TEXT.start + indent + 1, code.trim().chars().count())
}

/// The columns (from 0) of a line that hold program text.
const PROGRAM_TEXT: std::ops::Range<usize> = 7..72;

fn foreign_character(source: &Arc<Source>) -> Option<Diagnostic> {
    let (line, column) = text::foreign_character(&source.text)?;
    Some(
        Diagnostic::warning(codes::CHARACTER, "programs cannot hold this character")
            .at(Place::new(source, line, column, 1))
            .label("a question mark stands for it")
            .help("programs hold the characters of ISO 8859-1, one byte each"),
    )
}
