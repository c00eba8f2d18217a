//! Sources as an editor has them: read and checked as a build reads them, without code, and without a folder to keep it in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Checked, Options};
use config::{CompileConfig, SourceConfig};
use db2::package::Package;
use diagnostics::{Diagnostic, Source};

use crate::build::{self, Reading};
use crate::deck::{self, Kind};
use crate::library::CopyLibrary;
use crate::sources::{Found, Sources};
use crate::text;
use crate::unsaved::Unsaved;

/// A program of a text.
#[derive(Debug)]
pub struct Draft {
    /// The program's name as a member.
    pub name: String,
    /// The program as the front end reads it.
    pub checked: Checked,
    /// The packages of its SQL.
    pub packages: Vec<Package>,
    /// Everything that `check` tells of it.
    pub messages: Vec<Diagnostic>,
    /// Files that answered its COPY statements, each with the member's name.
    pub copied: Vec<(String, PathBuf)>,
}

/// The sources of an application, for an editor.
#[derive(Debug)]
pub struct Drafts {
    sources: Sources,
    options: Reading,
    /// Mistakes and doubts about the folders.
    pub doubts: Vec<Diagnostic>,
}

impl Drafts {
    /// The sources of the application in `root`. A folder that is not there is a doubt, and the others count.
    pub fn new(root: &Path, sources: &SourceConfig, compile: &CompileConfig) -> Self {
        let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut doubts = Sources::doubts(root, sources);
        let sources = Sources::new(root, sources, &mut doubts);
        let options = Reading { source: Options::default(), unbuilt: compile.not_yet };
        Self { sources, options, doubts }
    }

    /// The application's folder, to which the names of sources in messages are relative.
    pub fn root(&self) -> &Path {
        self.sources.root()
    }

    /// The programs of a text that stands in a file, or is to. `None` if `stop` says so meanwhile.
    pub fn programs(
        &self,
        path: &Path,
        text: &str,
        unsaved: &Unsaved,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Draft>> {
        let source = Source::new(self.sources.name(path), text);
        let names = member_names(path, &source);
        names.into_iter().map(|name| self.program(&name, &source, unsaved, stop)).collect()
    }

    fn program(
        &self,
        name: &str,
        source: &Arc<Source>,
        unsaved: &Unsaved,
        stop: &dyn Fn() -> bool,
    ) -> Option<Draft> {
        let source = deck::member(Kind::Program, name, source);
        let library = CopyLibrary::with_unsaved(&self.sources, unsaved);
        if stop() {
            return None;
        }
        let checked = cobol_check::check(&source, &library, &self.options.source);
        if stop() {
            return None;
        }
        let exec = cobol_exec::read(&checked, self.options.unbuilt);
        let (copied, maps) = library.into_parts();
        if stop() {
            return None;
        }
        let lowered = build::told(exec.messages, &checked, maps).and_then(|messages| {
            cobol_lower::lower_asked(&checked, build::now(), &exec.asked).map(|_| messages)
        });
        let messages = lowered.unwrap_or_else(|messages| messages);
        let packages = exec.programs.into_iter().filter_map(|program| program.sql).collect();
        let copied = copied
            .into_iter()
            .filter_map(|copied| {
                let found = self.sources.copied(&copied.member, copied.library.as_deref())?;
                Some((copied.member, found.path().to_owned()))
            })
            .collect();
        Some(Draft { name: name.to_owned(), checked, packages, messages, copied })
    }

    /// The mapsets of a text.
    pub fn mapsets(&self, path: &Path, text: &str) -> bms::Assembly {
        let source = Source::new(self.sources.name(path), text);
        let stem = stem(path);
        bms::assemble(&deck::member(Kind::Map, &stem, &source))
    }

    /// The descriptions of a copybook that no program copies: what is wrong with them.
    pub fn copybook(&self, path: &Path, text: &str, unsaved: &Unsaved) -> Vec<Diagnostic> {
        let source = Source::new(self.sources.name(path), text);
        let library = CopyLibrary::with_unsaved(&self.sources, unsaved);
        let Options { format, tab_width, .. } = self.options.source;
        let text = cobol_source::read(&source, &library, format, tab_width);
        text.messages.list
    }

    /// The file of a program.
    pub fn program_file(&self, name: &str) -> Option<PathBuf> {
        self.sources.programs.find(name.trim_end())
    }

    /// The file of a mapset.
    pub fn map_file(&self, name: &str) -> Option<PathBuf> {
        self.sources.maps.find(name.trim_end())
    }

    /// The file that answers a COPY; a map's source where that is a symbolic map.
    pub fn copied_file(&self, name: &str, library: Option<&str>) -> Option<PathBuf> {
        self.sources.copied(name, library).map(|found| match found {
            Found::Copybook(path) | Found::Map(path) => path,
        })
    }

    /// A file's name as messages have it.
    pub fn name(&self, path: &Path) -> String {
        self.sources.name(path)
    }

    /// The path of a source that a message names; `None` for one that is supplied or made of a map.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.sources.root().join(name);
        path.is_file().then_some(path)
    }

    /// Names of programs.
    pub fn program_names(&self) -> Vec<String> {
        self.sources.programs.names()
    }

    /// Names of mapsets.
    pub fn map_names(&self) -> Vec<String> {
        self.sources.maps.names()
    }

    /// Names of what COPY may name: copybooks, symbolic maps, and what every region supplies.
    pub fn copy_names(&self) -> Vec<String> {
        let programs = self.sources.programs.names();
        let mut names = self.sources.copybooks.names();
        names.retain(|name| programs.binary_search(name).is_err());
        names.extend(self.sources.maps.names());
        names.extend(cobol_source::supplied_names().map(str::to_owned));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A file's text: as an editor has it, else as it is on disk.
    pub fn text(&self, path: &Path, unsaved: &Unsaved) -> Option<String> {
        unsaved.get(path).map(str::to_owned).or_else(|| text::read(path).ok())
    }
}

/// The names of the programs of a file, as a region would ask for them.
fn member_names(path: &Path, source: &Arc<Source>) -> Vec<String> {
    let stem = stem(path);
    let names = if jcl::is_job(&source.text) {
        deck::names(Kind::Program, &stem, source)
    } else if deck::is_name(&stem) {
        Vec::new()
    } else {
        deck::names_within(Kind::Program, &source.text)
    };
    if names.is_empty() { vec![stem] } else { names }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().to_ascii_uppercase()).unwrap_or_default()
}
