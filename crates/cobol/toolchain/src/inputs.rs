//! The files that go into a program, and their changes.

use std::io;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;

use crate::codes;
use crate::record::Ingredients;
use crate::sources::Sources;
use crate::stamp::Stamp;

/// A file that went into a program, as it was.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// `None` while it cannot be read.
    pub(crate) stamp: Option<Stamp>,
}

impl Input {
    /// A file as it is now.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), stamp: Stamp::take(path).ok().map(|(stamp, _)| stamp) }
    }

    /// Returns true if the file is as it was.
    pub(crate) fn is_the_same(&self) -> bool {
        self.stamp.as_ref().is_some_and(|stamp| stamp.still(&self.path).is_some())
    }

    /// Takes the file as it is now; returns true if it has changed. A file that is just being replaced has not.
    pub(crate) fn renew(&mut self) -> bool {
        if let Some(stamp) = self.stamp.as_ref().and_then(|stamp| stamp.still(&self.path)) {
            self.stamp = Some(stamp);
            return false;
        }
        let now = Self::of(&self.path);
        let changed = now.stamp.is_some();
        if changed {
            *self = now;
        }
        changed
    }
}

/// `None` if a file is no longer what its stamp says; else whether it was touched and has a new stamp.
fn renew(stamp: &mut Stamp, path: &Path) -> Option<bool> {
    let now = stamp.still(path)?;
    let touched = now != *stamp;
    *stamp = now;
    Some(touched)
}

impl Ingredients {
    /// `None` if one of the files is another one, or answers another COPY; else whether one was touched.
    pub(crate) fn renew(&mut self, sources: &Sources) -> Option<bool> {
        let mut touched = renew(&mut self.stamp, &self.source)?;
        for copied in &mut self.copied {
            let now = sources.copied(&copied.member, copied.library.as_deref());
            if now.as_ref() != copied.file.as_ref().map(|file| &file.found) {
                return None;
            }
            if let Some(file) = &mut copied.file {
                touched |= renew(&mut file.stamp, file.found.path())?;
            }
        }
        Some(touched)
    }

    /// The source and its copybooks.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let source = Input { path: self.source.clone(), stamp: Some(self.stamp.clone()) };
        let copybooks = self.copied.iter().filter_map(|copied| copied.file.as_ref());
        let copybooks = copybooks
            .map(|file| Input { path: file.found.path().to_owned(), stamp: Some(file.stamp.clone()) });
        [source].into_iter().chain(copybooks).collect()
    }
}

/// Error: a folder or file of compiled programs cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::UNWRITABLE, format!("{} cannot be written: {error}", path.display()))
        .help("name another folder with `state` in region.toml or with --data")
}
