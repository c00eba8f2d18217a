//! A program read by our own front end: names, types and layouts, without a compiler.

use std::path::Path;
use std::sync::Arc;

use cobol_check::{Checked, Options};
use cobol_source::Library;
use diagnostics::{Diagnostic, Source};

use crate::artifact::Failure;
use crate::deck::{self, Kind};
use crate::library::CopyLibrary;
use crate::sources::Sources;
use crate::{codes, text};

/// Reads a source, and has something done with it and the library that answers its COPY statements: the messages about maps
/// that it copies come with what that gives.
pub(crate) fn with_library<T>(
    sources: &Sources,
    path: &Path,
    what: impl FnOnce(&Arc<Source>, &dyn Library) -> T,
) -> Result<(T, Vec<Diagnostic>), Diagnostic> {
    let shown = sources.name(path);
    let text = text::read(path)
        .map_err(|error| Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}")))?;
    let library = CopyLibrary::new(sources);
    let given = what(&Source::new(shown, text), &library);
    Ok((given, library.into_parts().1))
}

/// Reads and checks a source, with what is wrong with the maps that it copies.
pub(crate) fn examine(
    sources: &Sources,
    name: &str,
    path: &Path,
    options: &Options,
) -> Result<Checked, Failure> {
    let shown = sources.name(path);
    let text = text::read(path)
        .map_err(|error| Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}")))?;
    let source = deck::member(Kind::Program, name, &Source::new(shown, text));
    let library = CopyLibrary::new(sources);
    let mut checked = cobol_check::check(&source, &library, options);
    let (_, maps) = library.into_parts();
    checked.messages.extend(maps);
    Ok(checked)
}
