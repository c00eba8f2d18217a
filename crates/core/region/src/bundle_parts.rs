//! Bundles that definitions name, looked at before a region has them.

use std::collections::HashSet;
use std::path::Path;

use bundles::check::{BundleFault, look};
use csd::{Definition, ResourceType};
use diagnostics::Diagnostic;

use crate::codes;

/// Beginnings of names that need no definition.
const SUPPLIED: &str = "DFH";

/// Resources that bundles bring, and faults of bundles.
#[derive(Default)]
pub(crate) struct Brought {
    /// The resources of their parts, at their lines.
    pub definitions: Vec<Definition>,
    /// A message for each part that would be disabled, and for each bundle that would not be enabled.
    pub messages: Vec<Diagnostic>,
}

/// The folder or the zip of a BUNDLE.
fn directory(bundle: &Definition) -> &str {
    bundle.get("BUNDLEDIR").unwrap_or_default()
}

fn bundles_of(definitions: &[Definition]) -> impl Iterator<Item = &Definition> {
    definitions.iter().filter(|definition| definition.resource == ResourceType::Bundle)
}

/// Looks at the bundles of the definitions that a start installs.
pub(crate) fn brought(root: &Path, definitions: &[Definition]) -> Brought {
    let mut taken: HashSet<(ResourceType, String)> =
        definitions.iter().map(|definition| (definition.resource, definition.name.clone())).collect();
    let mut brought = Brought::default();
    let mut imports = Vec::new();
    for bundle in bundles_of(definitions) {
        let looked = look(root, directory(bundle));
        brought.messages.extend(looked.faults.into_iter().map(|fault| message(bundle, fault)));
        imports.extend(looked.imports.into_iter().map(|import| (bundle, import)));
        for part in looked.definitions {
            if taken.insert((part.resource, part.name.clone())) {
                brought.definitions.push(part);
            } else {
                let why = format!("there is a {} {} already", part.resource, part.name);
                let fault =
                    BundleFault { part: Some(part.name), place: Some(part.place), why, is_wrong: true };
                brought.messages.push(message(bundle, fault));
            }
        }
    }
    let is_missing = |kind: &str, name: &str| {
        ResourceType::named(kind).is_some_and(|resource| {
            operation::definitions::of(resource).is_some()
                && !name.starts_with(SUPPLIED)
                && !taken.contains(&(resource, name.to_owned()))
        })
    };
    for (bundle, (kind, name, place)) in imports {
        if is_missing(&kind, &name) {
            let text = format!("BUNDLE {} imports {kind} {name}, which is not defined", bundle.name);
            let message =
                Diagnostic::warning(codes::BUNDLE, text).at(place).label("the bundle is not enabled");
            brought
                .messages
                .push(message.help("define it in a group that is installed, or in another bundle"));
        }
    }
    brought
}

/// Faults of bundles that are defined and that a start does not install: those whose folders are there.
pub(crate) fn not_installed(
    root: &Path,
    everywhere: &[Definition],
    installed: &[Definition],
) -> Vec<Diagnostic> {
    let seen: HashSet<&str> = bundles_of(installed).map(directory).collect();
    let others = bundles_of(everywhere).filter(|bundle| {
        let directory = directory(bundle);
        !directory.is_empty() && !seen.contains(directory) && root.join(directory).exists()
    });
    let mut looked_at = HashSet::new();
    let others = others.filter(|bundle| looked_at.insert(directory(bundle)));
    let faults = others.flat_map(|bundle| {
        look(root, directory(bundle)).faults.into_iter().map(move |fault| message(bundle, fault))
    });
    faults.collect()
}

fn message(bundle: &Definition, fault: BundleFault) -> Diagnostic {
    let BundleFault { part, place, why, is_wrong } = fault;
    let (text, label) = match part {
        Some(part) => {
            (format!("part {part} of BUNDLE {}: {why}", bundle.name), "the part and its bundle are disabled")
        }
        None => (format!("BUNDLE {}: {why}", bundle.name), "the bundle is not installed"),
    };
    let message = match is_wrong {
        true => Diagnostic::error(codes::BUNDLE, text),
        false => Diagnostic::warning(codes::BUNDLE, text),
    };
    message.at(place.unwrap_or_else(|| bundle.place.clone())).label(label)
}
