//! One file takes the place of another, unless that is not the one that was read.
//!
//! ```text
//! bank.csd                     the text that everybody reads
//! bank.csd.OLD-NEW.changing    beside it for a moment: first the new text, then the old one, by their checksums
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// The end of the name of a file beside a text.
const BESIDE: &str = ".changing";

/// Steps of an exchange, for tests that end a process behind one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The file beside is there, and empty.
    Created,
    /// A part of the new text is in it.
    Begun,
    /// The new text is in it.
    Written,
    /// The new text is forced.
    Forced,
    /// The two files have changed places.
    Exchanged,
    /// The old text is gone.
    Removed,
}

/// The outcome of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchanged {
    /// The new text is there for good.
    Done,
    /// Another program has saved the text since it was read: it stays.
    SavedByAnother,
}

/// Returns true if a path is that of a file beside a text.
pub fn is_beside(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(BESIDE)
}

/// Puts a new content in the place of the one that was read; `None` if there was no file. `between` is called after each
/// step.
///
/// # Errors
/// The file system's: the old content is there, or the next change ends first the exchange.
pub fn exchange(
    path: &Path,
    was: Option<&[u8]>,
    new: &[u8],
    between: &mut dyn FnMut(Step),
) -> io::Result<Exchanged> {
    // A link stays one.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(&path, was.unwrap_or_default(), new);
    let placed = write(&path, &beside, new, between).and_then(|()| match was {
        Some(_) => take_place(&path, &beside),
        None => appear(&path, &beside),
    });
    if !matches!(placed, Ok(Exchanged::Done)) {
        // It was never more than a try.
        let _ = fs::remove_file(&beside);
        return placed;
    }
    // If this fails, the old text, or another's, stays beside the new one: the next change ends it first.
    was.map_or(Ok(Exchanged::Done), |was| settle(&path, &beside, was, new, between))
}

fn beside(path: &Path, was: &[u8], new: &[u8]) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{:08x}-{:08x}{BESIDE}", crc32fast::hash(was), crc32fast::hash(new)));
    PathBuf::from(name)
}

fn write(path: &Path, beside: &Path, new: &[u8], between: &mut dyn FnMut(Step)) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(beside)?;
    between(Step::Created);
    if let Ok(metadata) = path.metadata() {
        file.set_permissions(metadata.permissions())?;
    }
    let (first, rest) = new.split_at(new.len() / 2);
    file.write_all(first)?;
    between(Step::Begun);
    file.write_all(rest)?;
    between(Step::Written);
    file.sync_all()?;
    between(Step::Forced);
    Ok(())
}

/// A file that was not there comes, unless another program has made it meanwhile.
fn appear(path: &Path, beside: &Path) -> io::Result<Exchanged> {
    match renameat_with(CWD, beside, CWD, path, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(Exchanged::SavedByAnother),
        Err(error) => return Err(error.into()),
    }
    force_folder(path)?;
    Ok(Exchanged::Done)
}

fn take_place(path: &Path, beside: &Path) -> io::Result<Exchanged> {
    match swap(path, beside) {
        Ok(()) => Ok(Exchanged::Done),
        // The file was taken away.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Exchanged::SavedByAnother),
        Err(error) => Err(error),
    }
}

/// Looks whether the text that has left its place is the one that was read.
fn settle(
    path: &Path,
    beside: &Path,
    was: &[u8],
    new: &[u8],
    between: &mut dyn FnMut(Step),
) -> io::Result<Exchanged> {
    between(Step::Exchanged);
    let is_that = fs::read(beside)? == was;
    match is_that {
        true => force_folder(path)?,
        false => put_back(path, beside, new)?,
    }
    fs::remove_file(beside)?;
    between(Step::Removed);
    Ok(if is_that { Exchanged::Done } else { Exchanged::SavedByAnother })
}

fn swap(path: &Path, beside: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, beside, CWD, path, RenameFlags::EXCHANGE)?)
}

/// Gives the text of another who has saved meanwhile its place again; a still later one keeps it.
fn put_back(path: &Path, beside: &Path, new: &[u8]) -> io::Result<()> {
    swap(path, beside)?;
    if fs::read(beside)? != new {
        swap(path, beside)?;
    }
    force_folder(path)
}

fn force_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Ends what a killed process has left beside a text: called with the lock.
pub(crate) fn finish(path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let start = format!("{}.", name.to_string_lossy());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let sums = found.strip_prefix(&start).and_then(|rest| rest.strip_suffix(BESIDE));
        if let Some((was, new)) = sums.and_then(|sums| sums.split_once('-')) {
            finish_one(&path, &entry.path(), was, new)?;
        }
    }
    Ok(())
}

fn finish_one(path: &Path, beside: &Path, was: &str, new: &str) -> io::Result<()> {
    let sum = |path: &Path| Ok::<String, io::Error>(format!("{:08x}", crc32fast::hash(&fs::read(path)?)));
    let (inside, outside) = (sum(beside)?, sum(path)?);
    // The new text is in place and what came out is not what was read: another's, who had saved it just before.
    if outside == new && inside != was && inside != new {
        swap(path, beside)?;
        force_folder(path)?;
    }
    fs::remove_file(beside)
}
