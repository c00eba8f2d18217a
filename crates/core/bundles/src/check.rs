//! A bundle looked at without a region: what is wrong with it, and what it would bring.

use std::path::Path;
use std::sync::Arc;

use bundle_source::{Need, Part};
use csd::Definition;
use diagnostics::{Source, TextPlace};

use crate::content::{self, Content, MANIFEST};
use crate::reading::{self, Reading};

/// The result of a look at a bundle.
#[derive(Debug, Default)]
pub struct Looked {
    /// The resources that it defines, each at its line.
    pub definitions: Vec<Definition>,
    /// The resources that it needs from elsewhere: type, name, and the line of the manifest.
    pub imports: Vec<(String, String, TextPlace)>,
    /// The faults, in the order of the manifest.
    pub faults: Vec<BundleFault>,
}

/// A fault of a bundle.
#[derive(Debug)]
pub struct BundleFault {
    /// The part; `None` if the bundle cannot be read at all.
    pub part: Option<String>,
    /// The line that has it, in a part or in the manifest; `None` if neither can be read.
    pub place: Option<TextPlace>,
    /// The reason: a sentence.
    pub why: String,
    /// Something is wrong; otherwise it asks for what regions do not have, or is not there yet.
    pub is_wrong: bool,
}

/// Looks at the bundle in a folder or a zip below the folder of the application.
pub fn look(application: &Path, directory: &str) -> Looked {
    let read = Content::open(application, directory).and_then(|content| {
        let manifest = content.manifest()?;
        Ok((content, manifest))
    });
    let (content, manifest) = match read {
        Ok(read) => read,
        Err(fault) => {
            let text = |name: &str| std::fs::read_to_string(application.join(name)).unwrap_or_default();
            // One that is deployed later is not there yet.
            let is_wrong = application.join(directory).exists();
            let place =
                fault.at.map(|(name, line)| TextPlace::new(&Source::new(&*name, text(&name)), line, 1, 0));
            return Looked {
                faults: vec![BundleFault { part: None, place, why: fault.why, is_wrong }],
                ..Looked::default()
            };
        }
    };
    let source = Source::new(content.shown(MANIFEST), content.text(MANIFEST).unwrap_or_default());
    let mut looked = Looked::default();
    for part in &manifest.parts {
        let place = TextPlace::new(&source, part.line, 1, 0);
        match reading::read(&content, &manifest, part, true) {
            Ok(Reading::Resource(_, _, definition)) => looked.definitions.push(definition),
            Ok(Reading::Import) if part.need == Need::Required => {
                looked.imports.push((part.kind.clone(), part.name.clone(), place));
            }
            Ok(Reading::Made(kind, text)) => match (kind.check)(&reading::file(&content, part, &text)) {
                Ok(needed) => {
                    let imports = needed.into_iter().map(|(of, name)| (of.to_owned(), name, place.clone()));
                    looked.imports.extend(imports);
                }
                Err(fault) => {
                    looked.faults.push(of_part(&content, part, reading::of_file(&text, fault), place));
                }
            },
            Ok(_) => {}
            Err(fault) => looked.faults.push(of_part(&content, part, fault, place)),
        }
    }
    looked
}

/// The fault of a part: at its own line, or at that of the manifest.
fn of_part(content: &Content, part: &Part, fault: content::ContentFault, manifest: TextPlace) -> BundleFault {
    let own = |line: usize| {
        let text = content.text(&part.path).unwrap_or_default();
        let source: Arc<Source> = Source::new(content.shown(&part.path), text);
        TextPlace::new(&source, line, 1, 0)
    };
    BundleFault {
        part: Some(part.name.clone()),
        is_wrong: !fault.is_absence,
        place: Some(fault.at.map_or(manifest, |(_, line)| own(line))),
        why: fault.why,
    }
}
