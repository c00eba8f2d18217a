//! The regions of a machine, as programs outside find them by their APPLIDs: each has a link to its state folder in the folder of
//! links.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

/// The state folder of the region of an APPLID, as the folder of links has it; nothing need be there.
pub fn neighbour(links: &Path, applid: &str) -> PathBuf {
    links.join(format!("{applid}.state"))
}

/// A region that is found; not any more once this is dropped.
#[derive(Debug)]
pub struct Findable {
    link: PathBuf,
    state: PathBuf,
}

/// Has a region found under its APPLID. One that ended without a word, or that has moved, is replaced.
///
/// # Errors
/// The link cannot be made.
pub fn make_findable(links: &Path, applid: &str, state: &Path) -> io::Result<Findable> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(links)?;
    let (link, state) = (neighbour(links, applid), std::path::absolute(state)?);
    match fs::remove_file(&link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => symlink(&state, &link)?,
    }
    Ok(Findable { link, state })
}

impl Drop for Findable {
    fn drop(&mut self) {
        // Another region of this APPLID may have come meanwhile.
        if fs::read_link(&self.link).is_ok_and(|state| state == self.state) {
            let _ = fs::remove_file(&self.link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_found_as_long_as_it_is_there_and_the_newest_one_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let (links, first, second) =
            (folder.path().join("links"), folder.path().join("a"), folder.path().join("b"));
        let known = make_findable(&links, "REGA", &first).expect("a link");
        assert_eq!(fs::read_link(neighbour(&links, "REGA")).expect("a link"), first);
        let newer = make_findable(&links, "REGA", &second).expect("a link");
        drop(known);
        assert_eq!(fs::read_link(neighbour(&links, "REGA")).expect("it stays"), second);
        drop(newer);
        assert!(fs::read_link(neighbour(&links, "REGA")).is_err());
    }
}
