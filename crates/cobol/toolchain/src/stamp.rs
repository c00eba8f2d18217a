//! Stamps of files: a file is unchanged by its stamp if that can be trusted, else by its content.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::members::STAMP_RESOLUTION;

/// A file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Time of change, size and inode; empty if the file had only just changed, for then a second change may not show.
    quick: String,
    /// Of the content.
    hash: String,
}

impl Stamp {
    /// The file as it is now, and its content.
    pub(crate) fn take(path: &Path) -> io::Result<(Self, Vec<u8>)> {
        let quick = quick(path)?;
        let content = fs::read(path)?;
        Ok((Self { quick, hash: hash(&content) }, content))
    }

    /// The stamp of a file that is not changed since; a new one if only its time is another; `None` if it is another
    /// file.
    pub(crate) fn still(&self, path: &Path) -> Option<Self> {
        let now = quick(path).ok()?;
        if !now.is_empty() && now == self.quick {
            return Some(self.clone());
        }
        let (now, _) = Self::take(path).ok()?;
        (now.hash == self.hash).then_some(now)
    }
}

fn quick(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    let settled = |changed: SystemTime| changed.elapsed().is_ok_and(|age| age > STAMP_RESOLUTION);
    if !metadata.modified().is_ok_and(settled) {
        return Ok(String::new());
    }
    Ok(format!("{}.{:09} {} {}", metadata.mtime(), metadata.mtime_nsec(), metadata.len(), metadata.ino()))
}

/// The content's hash, in hexadecimal.
pub(crate) fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}
