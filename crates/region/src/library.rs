//! Programs, maps and templates for the kernel.

use std::path::Path;
use std::sync::Arc;

use diagnostics::Diagnostic;
use exec_sql::Packages;
use kernel::programs::{Library, Module, Section, Statement, StorageItem};
use toolchain::{Anatomy, Failure, Item, Listing, Program, Toolchain};

use crate::templates::Templates;

/// The tool chain and the templates as the kernel's library.
pub(crate) struct Sources {
    /// Programs and maps.
    pub toolchain: Arc<Toolchain>,
    /// Document templates.
    pub templates: Templates,
    /// Where the packages of programs with EXEC SQL go.
    pub packages: Arc<Packages>,
}

impl Library for Sources {
    fn module(&self, program: &str) -> Result<Option<Module>, String> {
        self.taken(self.toolchain.program(program))
    }

    fn hosted(&self, program: &str) -> Result<Option<Module>, String> {
        self.taken(self.toolchain.hosted(program))
    }

    fn storage(&self, module: &Path) -> Option<Vec<StorageItem>> {
        let items = Anatomy::of(module)?.items.into_iter();
        Some(
            items
                .map(|Item { section, number, layout }| StorageItem {
                    section: as_kernel(section),
                    number,
                    layout,
                })
                .collect(),
        )
    }

    fn template(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        self.templates.text(name)
    }

    fn mapset(&self, mapset: &str) -> Result<Option<bms::Mapset>, String> {
        match self.toolchain.mapset(mapset) {
            Ok(built) => {
                tell(&built.messages);
                Ok(Some(built.maps))
            }
            Err(failure) => absent(&failure),
        }
    }
}

impl Sources {
    /// What has been built, for the kernel.
    fn taken(&self, built: Result<Program, Failure>) -> Result<Option<Module>, String> {
        let built = match built {
            Ok(built) => built,
            Err(failure) => return absent(&failure),
        };
        let entry = built.listing.entry().unwrap_or(&built.name).to_owned();
        tell(&built.messages);
        let not_called_natively = built.refuses_native_callers();
        built.packages.iter().for_each(|package| self.packages.add(package));
        let listing = Arc::clone(&built.listing);
        // Our own compiler names lines of the source; the other one those of the text that the translator makes of it.
        let source = built.own.as_ref().map(|unit| unit.source().to_owned());
        let lines = move |line| match &source {
            Some(source) => Some((source.clone(), line)),
            None => listing.lines.line(line).map(|own| (own.source.to_owned(), own.line)),
        };
        let listing = Arc::clone(&built.listing);
        let statements = move |number| statement(&listing, number);
        Ok(Some(Module {
            path: built.module,
            entry,
            own: built.own,
            not_called_natively,
            lines: Box::new(lines),
            statements: Box::new(statements),
        }))
    }
}

/// A statement of a source that holds one program: of several, nobody could say which is meant.
fn statement(listing: &Listing, number: u16) -> Option<Statement> {
    let [program] = listing.programs.as_slice() else { return None };
    let found = program.statements.get(usize::from(number).checked_sub(1)?)?;
    Some(Statement { source: found.source.clone(), line: found.line, text: found.text.clone() })
}

fn as_kernel(section: toolchain::Section) -> Section {
    match section {
        toolchain::Section::Working => Section::Working,
        toolchain::Section::Local => Section::Local,
        toolchain::Section::Linkage => Section::Linkage,
    }
}

fn absent<T>(failure: &Failure) -> Result<Option<T>, String> {
    match failure {
        Failure::NotFound(_) => Ok(None),
        Failure::Broken(messages) => Err(joined(messages)),
    }
}

fn tell(warnings: &[Diagnostic]) {
    if !warnings.is_empty() {
        tracing::warn!(target: "PG", "{}", joined(warnings));
    }
}

fn joined(messages: &[Diagnostic]) -> String {
    messages.iter().map(|message| message.render(false)).collect::<Vec<_>>().join("\n\n")
}
