//! The project's files, as a clean clone has them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file of the project.
pub(crate) struct File {
    /// Relative to the project's folder, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Folders that a build, a region or an editor makes, where git cannot say what is ours.
const NOT_OURS: [&str; 3] = ["target", ".git", ".syncpoint"];

/// All text files of the project, in the order of their names: those that git tracks, or everything where the folder is
/// not from git.
pub(crate) fn all(root: &Path) -> Vec<File> {
    let mut paths = tracked(root).unwrap_or_else(|| {
        let mut paths = Vec::new();
        walk(root, &mut paths);
        paths
    });
    paths.sort();
    paths.into_iter().filter_map(|path| read(root, &path)).collect()
}

/// The files that git tracks: a log or a dump that a developer keeps in the folder is not one of the project's.
fn tracked(root: &Path) -> Option<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached"]).current_dir(root);
    let listed = git.output().ok().filter(|output| output.status.success())?;
    let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let paths: Vec<PathBuf> =
        names.map(|name| root.join(OsStr::from_bytes(name))).filter(|path| path.is_file()).collect();
    // A copy without git's records within another repository has none.
    Some(paths).filter(|paths| !paths.is_empty())
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

/// Takes the folders of crates off a file's name: `kernel/src/lib.rs` of `crates/core/kernel/src/lib.rs`. `None` if the file is of no crate.
pub(crate) fn crate_of(name: &str) -> Option<&str> {
    name.strip_prefix("crates/")?.split_once('/').map(|(_, rest)| rest)
}

/// `None` for a file that is no text.
fn read(root: &Path, path: &Path) -> Option<File> {
    let name = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some(File { name, text: fs::read_to_string(path).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let status = Command::new("git").args(arguments).current_dir(folder).status().expect("git starts");
        assert!(status.success(), "git {arguments:?}");
    }

    #[test]
    fn a_file_that_git_does_not_track_is_none_of_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["own.md", "build.log"] {
            fs::write(folder.path().join(name), "# Text\n").expect("written");
        }
        let names = || all(folder.path()).into_iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names(), ["build.log", "own.md"], "not from git: everything");
        git(folder.path(), &["init", "--quiet"]);
        git(folder.path(), &["add", "own.md"]);
        assert_eq!(names(), ["own.md"]);
    }
}
