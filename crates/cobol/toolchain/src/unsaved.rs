//! Texts of files that an editor has and the disk has not.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Texts that an editor has of files, by their paths.
#[derive(Clone, Debug, Default)]
pub struct Unsaved(HashMap<PathBuf, Arc<str>>);

impl Unsaved {
    /// Has a text stand for a file.
    pub fn insert(&mut self, path: PathBuf, text: Arc<str>) {
        self.0.insert(path, text);
    }

    /// The text that stands for a file.
    pub fn get(&self, path: &Path) -> Option<&str> {
        self.0.get(path).map(|text| &**text)
    }
}
