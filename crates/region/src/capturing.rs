//! `[[event]]` as capture specifications.

use std::path::Path;
use std::sync::Arc;

use capture::{Shape, Specification};
use config::{CobolConfig, EventConfig, Located, RegionConfig, at};
use copybook::Layout;
use diagnostics::{Diagnostic, Source, any_error};

use crate::{codes, hosted_records};

/// The folder of files of events within the state.
const EVENTS: &str = "events";

/// The specifications of a region, and warnings about their copybooks.
///
/// # Errors
/// Copybooks that are not there, describe no record, or describe one that all programs see otherwise.
pub(crate) fn specifications(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<(Vec<Specification>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut reader = Reader { root, cobol: &config.compile.cobol, messages: Vec::new() };
    let read: Result<Vec<Specification>, _> =
        config.events.iter().map(|event| reader.specification(state, event)).collect();
    Ok((read?, reader.messages))
}

struct Reader<'a> {
    root: &'a Path,
    cobol: &'a CobolConfig,
    messages: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn specification(&mut self, state: &Path, event: &EventConfig) -> Result<Specification, Vec<Diagnostic>> {
        let file = state.join(EVENTS).join(&event.file);
        let from: Shape = event.copybook.as_ref().map(|copybook| self.layout(copybook)).transpose()?;
        let specification = Specification::new(&event.name, event.transactional, file).from(from);
        event.containers.iter().try_fold(specification, |specification, (name, copybook)| {
            Ok(specification.container(&name.value, self.layout(copybook)?))
        })
    }

    /// The first record of a copybook.
    fn layout(&mut self, copybook: &Located<String>) -> Result<Layout, Vec<Diagnostic>> {
        let (source, layout) = layout(self.root, copybook)?;
        let differences = hosted_records::differences(self.cobol, None, &source);
        if any_error(&differences) {
            return Err(differences);
        }
        self.messages.extend(differences);
        Ok(layout)
    }
}

fn layout(root: &Path, copybook: &Located<String>) -> Result<(Arc<Source>, Layout), Vec<Diagnostic>> {
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
    let layout = first.ok_or_else(|| refused(format!("{} describes no record", copybook.value)))?;
    Ok((source, layout))
}
