//! Names that the texts of files have, beside those of the files: a PROGRAM-ID, the label of a mapset.
//!
//! They are looked for only where no file has the name. A text is read again when its file has changed, and whether it has is
//! looked at once in a while.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The time for which an observation is believed.
const BELIEVED: Duration = Duration::from_secs(1);

/// The names in the texts of a folder's files.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// Each file with its time and length, and the names in it.
    files: BTreeMap<PathBuf, (Option<SystemTime>, u64, Vec<String>)>,
    looked: Option<Instant>,
}

impl Inside {
    /// Returns true if the files were looked at just now.
    pub(crate) fn is_fresh(&self) -> bool {
        self.looked.is_some_and(|looked| looked.elapsed() < BELIEVED)
    }

    /// Has the files looked at when something is asked next.
    pub(crate) fn ask_again(&mut self) {
        self.looked = None;
    }

    /// Looks at files, and reads those that have changed.
    pub(crate) fn read(&mut self, files: BTreeSet<PathBuf>, names: impl Fn(&Path) -> Vec<String>) {
        let before = std::mem::take(&mut self.files);
        for path in files {
            let metadata = fs::metadata(&path).ok();
            let time = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
            let length = metadata.map_or(0, |metadata| metadata.len());
            let known =
                before.get(&path).filter(|known| time.is_some() && (known.0, known.1) == (time, length));
            let found = known.map_or_else(|| names(&path), |known| known.2.clone());
            self.files.insert(path, (time, length, found));
        }
        self.looked = Some(Instant::now());
    }

    /// The names in a file.
    pub(crate) fn names_in(&self, path: &Path) -> &[String] {
        self.files.get(path).map_or(&[], |(.., names)| names)
    }

    /// All names, some of them perhaps more than once.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let all: BTreeSet<&String> = self.files.values().flat_map(|(.., names)| names).collect();
        all.into_iter()
    }

    /// The files whose texts have a name, in alphabetical order.
    pub(crate) fn files_of(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        self.files
            .iter()
            .filter(move |(_, (.., names))| names.iter().any(|own| own == name))
            .map(|(path, _)| path)
    }
}
