//! The application that a document belongs to: the nearest folder with a `region.toml`, or the document's own.

use std::path::{Path, PathBuf};

use config::{Located, REGION_FILE, RegionConfig, SourceConfig};
use diagnostics::{Diagnostic, Source};
use toolchain::{Drafts, Unsaved};

/// Services of the command line.
#[derive(Clone, Copy)]
pub struct Host {
    /// Reads the region.toml of a folder.
    pub configuration: fn(&Path) -> Result<RegionConfig, Vec<Diagnostic>>,
    /// Gives messages the levels that a configuration asks for.
    pub levelled: fn(Vec<Diagnostic>, &RegionConfig) -> Vec<Diagnostic>,
    /// The version of the server.
    pub version: &'static str,
}

/// An application.
pub struct Folder {
    /// Its sources.
    pub drafts: Drafts,
    /// Its configuration.
    pub config: RegionConfig,
    /// True if a region.toml makes it an application.
    pub is_application: bool,
}

/// Folders in which copybooks are looked for where no region.toml says it, from a document's folder.
const USUAL: [&str; 12] = [
    ".",
    "copybooks",
    "copybook",
    "copy",
    "cpy",
    "maps",
    "bms",
    "../copybooks",
    "../../cobol/copybook",
    "../copy",
    "../cpy",
    "../maps",
];

impl Folder {
    /// The folder of the application that a file belongs to.
    pub fn of(path: &Path) -> PathBuf {
        let parent = path.parent().unwrap_or(path);
        let with_region = parent.ancestors().find(|folder| folder.join(REGION_FILE).is_file());
        with_region.unwrap_or(parent).to_owned()
    }

    /// Reads the application of a folder. A region.toml with mistakes counts as far as it can be read.
    pub fn open(root: &Path, host: &Host) -> Self {
        let is_application = root.join(REGION_FILE).is_file();
        let config = match is_application {
            true => (host.configuration)(root).unwrap_or_else(|_| as_far_as_it_goes(root)),
            false => config::region(&Source::new(REGION_FILE, "")).0,
        };
        let sources = if is_application { config.sources.clone() } else { usual(root) };
        Self { drafts: Drafts::new(root, &sources, &config.compile), config, is_application }
    }

    /// Programs whose text may copy a member, at most so many: their files.
    pub fn that_copy(&self, member: &str, unsaved: &Unsaved, most: usize) -> Vec<PathBuf> {
        let names = self.drafts.program_names();
        let files =
            names.iter().take(crate::limits::SEARCHED_MAX).filter_map(|name| self.drafts.program_file(name));
        let mut found: Vec<PathBuf> = files
            .filter(|path| self.drafts.text(path, unsaved).is_some_and(|text| names_it(&text, member)))
            .take(most)
            .collect();
        found.dedup();
        found
    }
}

/// Returns true if some word of a text is a name.
fn names_it(text: &str, name: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let mut places = text.match_indices(name);
    places.any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(crate::text::is_of_word) && !behind.is_some_and(crate::text::is_of_word)
    })
}

fn as_far_as_it_goes(root: &Path) -> RegionConfig {
    let text = std::fs::read_to_string(root.join(REGION_FILE)).unwrap_or_default();
    config::region(&Source::new(REGION_FILE, text)).0
}

fn usual(root: &Path) -> SourceConfig {
    let there = |names: &[&str]| {
        let names = names.iter().filter(|name| root.join(name).is_dir());
        names.map(|name| Located::default_value((*name).to_owned())).collect::<Vec<_>>()
    };
    SourceConfig {
        programs: there(&["."]),
        copybooks: there(&USUAL),
        maps: there(&USUAL),
        templates: Vec::new(),
    }
}
