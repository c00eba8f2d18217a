//! The beginning of a file: it says if the file is sealed.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::block::{HEAD, Head, MAGIC};

/// Returns true if a file is sealed.
pub fn is_sealed(path: &Path) -> bool {
    let head = beginning(path);
    head.len() == HEAD as usize && Head::read(&head).is_some()
}

/// Returns true if a file begins as a sealed one does, or as half of its beginning.
pub(crate) fn begins_as_sealed(path: &Path) -> bool {
    let head = beginning(path);
    let length = head.len().min(MAGIC.len());
    length > 0 && head[..length] == MAGIC[..length]
}

/// Reads from the beginning of a file as much as there is.
pub(crate) fn read_some(file: &fs::File, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match file.read_at(&mut into[read..], read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

fn beginning(path: &Path) -> Vec<u8> {
    let mut head = [0; HEAD as usize];
    let is_file = fs::metadata(path).is_ok_and(|file| file.is_file());
    let read = is_file.then(|| fs::File::open(path).and_then(|file| read_some(&file, &mut head)));
    head[..read.and_then(Result::ok).unwrap_or_default()].to_vec()
}
