//! Programs and maps for the kernel, from the tool chain.

use std::sync::Arc;

use diagnostics::Diagnostic;
use kernel::programs::{Library, Module};
use toolchain::{Failure, Toolchain};

/// The tool chain as the kernel's library.
pub(crate) struct Sources(pub Arc<Toolchain>);

impl Library for Sources {
    fn module(&self, program: &str) -> Result<Option<Module>, String> {
        match self.0.program(program) {
            Ok(built) => {
                let entry = built.listing.entry().unwrap_or(&built.name).to_owned();
                tell(&built.messages);
                Ok(Some(Module { path: built.module, entry }))
            }
            Err(failure) => absent(&failure),
        }
    }

    fn mapset(&self, mapset: &str) -> Result<Option<bms::Mapset>, String> {
        match self.0.mapset(mapset) {
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
