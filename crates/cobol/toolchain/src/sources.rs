//! The application's sources: programs, copybooks and maps by member name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::SourceConfig;
use diagnostics::{Diagnostic, Source};
use serde::{Deserialize, Serialize};

use crate::deck::Kind;
use crate::members::{self, Members};
use crate::text;

/// All folders of an application.
#[derive(Debug)]
pub(crate) struct Sources {
    root: PathBuf,
    pub(crate) programs: Members,
    pub(crate) copybooks: Members,
    pub(crate) maps: Members,
}

/// The user's file that answers a COPY.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Found {
    /// A copybook.
    Copybook(PathBuf),
    /// A map, whose symbolic map is generated.
    Map(PathBuf),
}

impl Found {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Copybook(path) | Self::Map(path) => path,
        }
    }

    pub(crate) fn path_mut(&mut self) -> &mut PathBuf {
        match self {
            Self::Copybook(path) | Self::Map(path) => path,
        }
    }
}

impl Sources {
    pub(crate) fn new(root: &Path, config: &SourceConfig, messages: &mut Vec<Diagnostic>) -> Self {
        Self {
            root: root.to_owned(),
            programs: Members::new(root, &config.programs, Kind::Program, messages),
            copybooks: Members::new(root, &config.copybooks, Kind::Copybook, messages),
            maps: Members::new(root, &config.maps, Kind::Map, messages),
        }
    }

    /// The application's folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Doubts about the paths of a configuration.
    pub(crate) fn doubts(root: &Path, config: &SourceConfig) -> Vec<Diagnostic> {
        let kinds = [
            (&config.programs, Kind::Program),
            (&config.copybooks, Kind::Copybook),
            (&config.maps, Kind::Map),
        ];
        kinds.into_iter().flat_map(|(paths, kind)| members::without_members(root, paths, kind)).collect()
    }

    /// The user's file that answers `COPY member`: a copybook, of the folder that has the library's name if there is one; else a
    /// map; `None` leaves it to the supplied members.
    pub(crate) fn copied(&self, member: &str, library: Option<&str>) -> Option<Found> {
        let of_library = library.and_then(|library| self.copybooks.find_in(library, member));
        let own = of_library.or_else(|| self.copybooks.find(member)).map(Found::Copybook);
        own.or_else(|| self.maps.find(member).map(Found::Map))
    }

    /// A file's name as the user would write it.
    pub(crate) fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// The file of a name that [`Sources::name`] gave, or the supplied member of that name.
    pub(crate) fn source(&self, name: &str) -> Option<Arc<Source>> {
        let path = self.root.join(name);
        let own = text::read(&path).ok().map(|text| Source::new(name, text));
        own.or_else(|| cobol_source::supplied(name))
    }
}
