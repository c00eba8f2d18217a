//! Programs, maps and templates for the kernel.

use std::sync::Arc;

use diagnostics::Diagnostic;
use exec_sql::Packages;
use kernel::programs::{Library, Module, Statement};
use toolchain::{Failure, Listing, Program, Toolchain};

use crate::templates::Templates;

/// The tool chain and the templates as the kernel's library.
pub(crate) struct Sources {
    /// Programs and maps.
    pub toolchain: Arc<Toolchain>,
    /// Document templates.
    pub templates: Templates,
    /// Packages of programs with EXEC SQL.
    pub packages: Arc<Packages>,
}

impl Library for Sources {
    fn module(&self, program: &str) -> Result<Option<Module>, String> {
        self.taken(self.toolchain.program(program))
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
    /// A built program, for the kernel.
    fn taken(&self, built: Result<Program, Failure>) -> Result<Option<Module>, String> {
        let built = match built {
            Ok(built) => built,
            Err(failure) => return absent(&failure),
        };
        let entry = built.listing.entry().unwrap_or(&built.name).to_owned();
        tell(&built.messages);
        built.packages.iter().for_each(|package| self.packages.add(package));
        let listing = Arc::clone(&built.listing);
        let statements = move |number| statement(&listing, number);
        Ok(Some(Module { entry, source: built.source, unit: built.unit, statements: Box::new(statements) }))
    }
}

/// A statement of a source that holds one program: of several, it would be unclear which is meant.
fn statement(listing: &Listing, number: u16) -> Option<Statement> {
    let [program] = listing.programs.as_slice() else { return None };
    let found = program.statements.get(usize::from(number).checked_sub(1)?)?;
    Some(Statement { source: found.source.clone(), line: found.line, text: found.text.clone() })
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
