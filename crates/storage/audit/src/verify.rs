//! Reading the audit: whether a line is missing or was changed, and its records as JSON.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::chain::{BEGINNING, Head, Noted, hash, split};

/// The result of verifying an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of records.
    pub records: u64,
    /// The number of the first: beyond 1, older files were removed.
    pub first: u64,
    /// The end of the chain; note it elsewhere, and a later `verify` finds whether the end was cut off.
    pub head: Head,
}

/// A fault of an audit.
#[derive(Debug, thiserror::Error)]
pub enum AuditFault {
    /// A folder or file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// There is no audit in the folder.
    #[error("there is no audit in {0}")]
    None(PathBuf),
    /// A line that no region has written.
    #[error("{path}:{line}: this is no record of an audit")]
    NoRecord {
        /// Its file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
    },
    /// The hash does not follow from the line and the hash before it.
    #[error("{path}:{line}: record {number} was changed, or what stood before it was changed or taken out")]
    Broken {
        /// Its file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// The number that it says.
        number: u64,
    },
    /// Numbers do not follow each other.
    #[error("{path}:{line}: record {number} stands where {expected} should")]
    Missing {
        /// Its file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// The number that it says.
        number: u64,
        /// The one that follows the number before it.
        expected: u64,
    },
    /// A file between others is not there.
    #[error("{0} is missing")]
    FileMissing(PathBuf),
    /// The end that was noted is not in the audit.
    #[error("record {0} was noted, and is not in the audit: its end was cut off or written again")]
    NotedMissing(u64),
}

/// The name of a file.
pub(crate) fn name(ordinal: u64) -> String {
    format!("{ordinal:06}.audit")
}

/// The files of an audit in their order, with their numbers.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(ordinal) = name.and_then(|name| name.strip_suffix(".audit")?.parse().ok()) {
            files.push((ordinal, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a whole audit and follows its chain. `noted`: an end that was noted before.
///
/// # Errors
/// The first fault found.
pub fn verify(folder: &Path, noted: Option<&Noted>) -> Result<Verified, AuditFault> {
    let mut chain = Chain { head: None, first: 0, records: 0, noted, seen: false, removed: None };
    each_line(folder, |path, line, text| chain.follow(path, line, text))?;
    let oldest = files(folder).ok().and_then(|files| files.first().map(|(ordinal, _)| *ordinal)).unwrap_or(1);
    // An orderly removal of old files is recorded in the file that begins then.
    if oldest > 1 && chain.removed.as_deref() != Some(name(oldest - 1).as_str()) {
        return Err(AuditFault::FileMissing(folder.join(name(oldest - 1))));
    }
    // The first file of all begins with the first record.
    if oldest == 1 && chain.first > 1 {
        let path = folder.join(name(oldest));
        return Err(AuditFault::Missing { path, line: 1, number: chain.first, expected: 1 });
    }
    match (chain.head, noted) {
        (_, Some(noted)) if !chain.seen => Err(AuditFault::NotedMissing(noted.number)),
        (Some(head), _) => Ok(Verified { records: chain.records, first: chain.first, head }),
        (None, _) => Err(AuditFault::None(folder.to_owned())),
    }
}

/// Writes all records, a JSON object a line, without looking at the chain.
///
/// # Errors
/// The first failure to read or write.
pub fn export(folder: &Path, out: &mut dyn Write) -> Result<(), AuditFault> {
    let written = |error| AuditFault::Unreadable { path: PathBuf::from("the output"), error };
    each_line(folder, |path, line, text| {
        let (_, json) = split(text).ok_or_else(|| AuditFault::NoRecord { path: path.to_owned(), line })?;
        writeln!(out, "{json}").map_err(written)
    })?;
    out.flush().map_err(written)
}

/// Calls a function for each line of all files.
fn each_line(
    folder: &Path,
    mut line: impl FnMut(&Path, usize, &str) -> Result<(), AuditFault>,
) -> Result<(), AuditFault> {
    let unreadable = |path: &Path, error| AuditFault::Unreadable { path: path.to_owned(), error };
    let files = match files(folder) {
        Ok(files) if files.is_empty() => return Err(AuditFault::None(folder.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(AuditFault::None(folder.to_owned()));
        }
        files => files.map_err(|error| unreadable(folder, error))?,
    };
    for pair in files.windows(2) {
        if pair[1].0 != pair[0].0 + 1 {
            return Err(AuditFault::FileMissing(folder.join(name(pair[0].0 + 1))));
        }
    }
    for (_, path) in files {
        let file = sealed::File::open(&path).map_err(|error| unreadable(&path, error))?;
        for (at, text) in BufReader::new(file).lines().enumerate() {
            line(&path, at + 1, &text.map_err(|error| unreadable(&path, error))?)?;
        }
    }
    Ok(())
}

/// The progress through a chain.
struct Chain<'a> {
    head: Option<Head>,
    first: u64,
    records: u64,
    noted: Option<&'a Noted>,
    seen: bool,
    /// The last file that the audit itself says it has removed.
    removed: Option<String>,
}

impl Chain<'_> {
    fn follow(&mut self, path: &Path, line: usize, text: &str) -> Result<(), AuditFault> {
        let path = path.to_owned();
        let parts = split(text)
            .and_then(|(hash, json)| Some((hash, json, serde_json::from_str::<Value>(json).ok()?)));
        let Some((found, json, value)) = parts else { return Err(AuditFault::NoRecord { path, line }) };
        let Some(number) = value.get("n").and_then(Value::as_u64) else {
            return Err(AuditFault::NoRecord { path, line });
        };
        // The oldest file that is kept gives the hash before it itself.
        let previous = value.get("previous").and_then(Value::as_str);
        let (before, expected) = match &self.head {
            Some(head) => (head.hash.as_str(), head.number + 1),
            None if number == 1 => (BEGINNING, 1),
            None => (previous.unwrap_or(BEGINNING), number),
        };
        if number != expected {
            return Err(AuditFault::Missing { path, line, number, expected });
        }
        if hash(before, json) != found {
            return Err(AuditFault::Broken { path, line, number });
        }
        if let Some(removed) = value.get("removed").and_then(Value::as_str) {
            self.removed = Some(removed.to_owned());
        }
        self.seen |= self.noted.is_some_and(|noted| noted.number == number && noted.hash == found);
        if self.head.is_none() {
            self.first = number;
        }
        self.records += 1;
        self.head = Some(Head { number, hash: found.to_owned() });
        Ok(())
    }
}
