//! Programs, maps and templates for the kernel.

use std::sync::Arc;

use diagnostics::Diagnostic;
use kernel::programs::{Library, Module};
use toolchain::{Failure, Toolchain};

use crate::templates::Templates;

/// The tool chain and the templates as the kernel's library.
pub(crate) struct Sources {
    /// Programs and maps.
    pub toolchain: Arc<Toolchain>,
    /// Document templates.
    pub templates: Templates,
}

impl Library for Sources {
    fn module(&self, program: &str) -> Result<Option<Module>, String> {
        match self.toolchain.program(program) {
            Ok(built) => {
                let entry = built.listing.entry().unwrap_or(&built.name).to_owned();
                tell(&built.messages);
                let listing = Arc::clone(&built.listing);
                let lines = move |line| listing.lines.line(line).map(|own| (own.source.to_owned(), own.line));
                Ok(Some(Module { path: built.module, entry, lines: Box::new(lines) }))
            }
            Err(failure) => absent(&failure),
        }
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
