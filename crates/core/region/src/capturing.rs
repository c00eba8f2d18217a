//! `[[event]]` as capture specifications.

use std::path::Path;

use capture::{Shape, Specification};
use config::{EventConfig, Located, RegionConfig, at};
use copybook::Layout;
use diagnostics::{Diagnostic, Source, any_error};

use crate::codes;

/// The folder of files of events within the state.
const EVENTS: &str = "events";

/// The specifications of a region.
///
/// # Errors
/// Copybooks that are not there, or describe no record.
pub(crate) fn specifications(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<Vec<Specification>, Vec<Diagnostic>> {
    config.events.iter().map(|event| specification(root, state, event)).collect()
}

fn specification(root: &Path, state: &Path, event: &EventConfig) -> Result<Specification, Vec<Diagnostic>> {
    let file = state.join(EVENTS).join(&event.file);
    let from: Shape = event.copybook.as_ref().map(|copybook| layout(root, copybook)).transpose()?;
    let specification = Specification::new(&event.name, event.transactional, file).from(from);
    event.containers.iter().try_fold(specification, |specification, (name, copybook)| {
        Ok(specification.container(&name.value, layout(root, copybook)?))
    })
}

/// The first record of a copybook.
fn layout(root: &Path, copybook: &Located<String>) -> Result<Layout, Vec<Diagnostic>> {
    let path = root.join(&copybook.value);
    let refused = |text: String| vec![at(Diagnostic::error(codes::EVENT, text), copybook)];
    let text =
        std::fs::read_to_string(&path).map_err(|error| refused(format!("{}: {error}", path.display())))?;
    let source = Source::new(copybook.value.as_str(), text);
    let parsed = copybook::parse(&source);
    if any_error(&parsed.messages) {
        return Err(parsed.messages);
    }
    let first = parsed.layouts.into_iter().next();
    first.ok_or_else(|| refused(format!("{} describes no record", copybook.value)))
}
