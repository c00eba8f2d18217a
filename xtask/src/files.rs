//! The project's files, as a clean clone has them.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the project.
pub(crate) struct File {
    /// Relative to the project's folder, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Folders that a build, a region or an editor makes.
const NOT_OURS: [&str; 3] = ["target", ".git", ".syncpoint"];

/// All text files of the project, in the order of their names.
pub(crate) fn all(root: &Path) -> Vec<File> {
    let mut paths = Vec::new();
    walk(root, &mut paths);
    paths.sort();
    paths.into_iter().filter_map(|path| read(root, &path)).collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = !NOT_OURS.iter().any(|name| entry.file_name() == *name);
        if path.is_dir() && ours {
            walk(&path, paths);
        } else if path.is_file() && ours {
            paths.push(path);
        }
    }
}

/// `None` for a file that is no text.
fn read(root: &Path, path: &Path) -> Option<File> {
    let name = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some(File { name, text: fs::read_to_string(path).ok()? })
}
