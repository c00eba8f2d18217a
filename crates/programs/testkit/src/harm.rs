//! Harm to a region from outside: bytes that change on the disk, a folder in the way of a file, a database that is killed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// The file with the number of the private PostgreSQL's first process.
const DATABASE: &str = "postgresql/data/postmaster.pid";
/// The file that has the records.
const BASE: &str = "data.mdb";

/// Changes a bit wherever a text stands in the records of a region that has ended.
///
/// # Errors
/// If the records cannot be read or written, or the text is not among them.
pub fn damage(state: &Path, text: &str) -> io::Result<()> {
    let base = find(state)?.ok_or_else(|| io::Error::other(format!("{BASE} is nowhere below the state")))?;
    let mut bytes = fs::read(&base)?;
    let places: Vec<usize> = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, part)| *part == text.as_bytes())
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() {
        return Err(io::Error::other(format!("'{text}' is in no record")));
    }
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    fs::write(base, bytes)
}

/// Puts a folder where the region wants a file: a path below the state.
///
/// # Errors
/// If it cannot be made.
pub fn obstruct(state: &Path, path: &str) -> io::Result<()> {
    fs::create_dir_all(state.join(path))
}

/// Kills the private PostgreSQL of a region, with all its processes.
///
/// # Errors
/// If none runs, or the system does not let it be killed.
pub fn kill_database(state: &Path) -> io::Result<()> {
    let lock = fs::read_to_string(state.join(DATABASE))?;
    let first = lock.lines().next().unwrap_or_default().trim();
    let children = fs::read_to_string(format!("/proc/{first}/task/{first}/children"))?;
    let killed = Command::new("kill").arg("-KILL").arg(first).args(children.split_whitespace()).status()?;
    // A child that has ended meanwhile is no failure.
    match killed.success() || !Path::new(&format!("/proc/{first}")).exists() {
        true => Ok(()),
        false => Err(io::Error::other(format!("process {first} cannot be killed"))),
    }
}

fn find(folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name == BASE) {
            return Ok(Some(path));
        }
        if path.is_dir()
            && let Some(found) = find(&path)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
