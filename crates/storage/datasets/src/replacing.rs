//! Files that are written as a whole: a new one takes the place of the old one when it is complete.
//!
//! A program that is killed in the middle of its output, or that finds the disk full, leaves what was there before.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sealed::File;

/// The end of the name of a file that is not complete.
const UNFINISHED: &str = "~";

/// A file that takes the place of another. Dropping it leaves the other one as it is.
pub(crate) struct Replacing {
    unfinished: PathBuf,
    target: PathBuf,
    disk: Option<fs::File>,
}

impl Replacing {
    /// Opens a file to be written from its start or after its end. A file that is not an ordinary one, or is in a
    /// folder that takes no new files, is written in place: then there is nothing to finish.
    pub fn open(path: &Path, extend: bool) -> io::Result<(File, Option<Self>)> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A link leads to the file that is meant.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let there = match fs::metadata(&target) {
            Ok(metadata) if !metadata.is_file() => return Ok((in_place(path, extend)?, None)),
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if there.is_some() {
            // A user who may not write to the file must not replace it.
            OpenOptions::new().append(true).open(&target)?;
        }
        let unfinished = beside(&target);
        remove_left_behind(&target);
        let made = OpenOptions::new().create_new(true).write(true).open(&unfinished);
        if made.is_err() {
            return Ok((in_place(path, extend)?, None));
        }
        let mut handle = File::create(&unfinished)?;
        let own = Self { unfinished, target, disk: Some(handle.disk().try_clone()?) };
        if let Some(metadata) = there {
            handle.disk().set_permissions(metadata.permissions())?;
            if extend {
                io::copy(&mut File::open(&own.target)?, &mut handle)?;
            }
        }
        Ok((handle, Some(own)))
    }

    /// Takes the other's place.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(disk) = self.disk.take() {
            disk.sync_all()?;
        }
        fs::rename(&self.unfinished, &self.target)?;
        // Nothing is left to be removed.
        self.unfinished = PathBuf::new();
        Ok(())
    }
}

impl Drop for Replacing {
    fn drop(&mut self) {
        if !self.unfinished.as_os_str().is_empty() {
            // The next writer looks for it again.
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}

fn in_place(path: &Path, extend: bool) -> io::Result<File> {
    if extend { File::append(path) } else { File::create(path) }
}

/// Returns the name of an unfinished file, with the number of the process that writes it.
fn beside(target: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.{number}{UNFINISHED}", std::process::id()))
}

/// Removes what processes that are gone have left of this file.
fn remove_left_behind(target: &Path) {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let (start, folder) = (format!(".{name}."), target.parent().unwrap_or(Path::new(".")));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let numbers = found.strip_prefix(&start).and_then(|rest| rest.strip_suffix(UNFINISHED));
        let process = numbers.and_then(|numbers| numbers.split_once('.')?.0.parse::<u32>().ok());
        if process.is_some_and(|process| is_gone(Path::new("/proc"), process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns true if the system's list of processes does not show one. Without a list no process is known to be gone.
fn is_gone(processes: &Path, process: u32) -> bool {
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_not_finished_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("DATA");
        let write = |text: &str, extend: bool, finished: bool| {
            let (mut handle, replacing) = Replacing::open(&path, extend).expect("open");
            handle.write_all(text.as_bytes()).expect("written");
            if finished {
                replacing.expect("a file").finish().expect("finished");
            }
        };
        write("one", false, true);
        write("two", false, false);
        write("three", true, false);
        assert_eq!(fs::read_to_string(&path).expect("text"), "one");
        // What a process that was killed has left goes.
        fs::write(folder.path().join(".DATA.4294967294.0~"), "half").expect("written");
        write("two", true, true);
        assert_eq!(fs::read_to_string(&path).expect("text"), "onetwo");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(Replacing::open(Path::new("/dev/null"), false).expect("open").1.is_none());
    }

    #[test]
    fn a_process_is_gone_only_where_the_list_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_gone(folder.path(), 7), "there is no list");
        fs::create_dir(folder.path().join("self")).expect("a folder");
        assert!(is_gone(folder.path(), 7));
        fs::create_dir(folder.path().join("7")).expect("a folder");
        assert!(!is_gone(folder.path(), 7));
    }
}
