//! PostgreSQL's programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::CannotStart;

/// The oldest release with all that is used: transaction numbers of 64 bits in SQL, a session's lost client noticed.
pub(super) const OLDEST: u32 = 14;
/// Folder in which Debian keeps a folder for each release.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder of the programs, and their release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binaries {
    folder: PathBuf,
    pub(super) release: u32,
}

impl Binaries {
    /// Finds them: in the folder that is named, or Debian's newest, or in PATH.
    pub(super) fn find(named: Option<&Path>) -> Result<Self, CannotStart> {
        let path = env::var_os("PATH").unwrap_or_default();
        let places: Vec<PathBuf> = match named {
            Some(folder) => vec![folder.to_owned()],
            None => debian(Path::new(DEBIAN)).into_iter().chain(env::split_paths(&path)).collect(),
        };
        let folder =
            places.iter().find(|folder| folder.join("postgres").is_file() && folder.join("initdb").is_file());
        let folder = folder.ok_or_else(|| CannotStart::NoBinaries {
            looked: named.map_or_else(|| format!("{DEBIAN} and PATH"), |folder| folder.display().to_string()),
        })?;
        let program = folder.join("postgres");
        let failed = |why: String| CannotStart::Program { program: program.clone(), why };
        let output =
            Command::new(&program).arg("--version").output().map_err(|error| failed(error.to_string()))?;
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let release =
            release(&shown).ok_or_else(|| failed(format!("its version cannot be read: {shown}")))?;
        if release < OLDEST {
            return Err(CannotStart::TooOld { program, found: release });
        }
        Ok(Self { folder: folder.clone(), release })
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Debian's folders of programs, the newest release first.
fn debian(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut releases: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    releases.sort_by_key(|(release, _)| std::cmp::Reverse(*release));
    releases.into_iter().map(|(_, folder)| folder).collect()
}

/// `postgres (PostgreSQL) 15.18 (Debian …)`
fn release(shown: &str) -> Option<u32> {
    let number = shown.split_once("(PostgreSQL) ")?.1;
    number.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        assert_eq!(release("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(release("postgres (PostgreSQL) 19devel\n"), Some(19));
        assert_eq!(release("something else"), None);
    }

    #[test]
    fn a_missing_program_is_a_message_that_names_the_package() {
        let empty = tempfile::tempdir().unwrap();
        let error = Binaries::find(Some(empty.path())).unwrap_err().to_string();
        assert!(error.contains("apt-get install postgresql"), "{error}");
    }

    #[test]
    fn the_newest_release_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for release in ["9", "17", "15", "x"] {
            std::fs::create_dir(folder.path().join(release)).unwrap();
        }
        let found = debian(folder.path());
        assert_eq!(found.first(), Some(&folder.path().join("17/bin")));
        assert_eq!(found.len(), 3);
    }
}
