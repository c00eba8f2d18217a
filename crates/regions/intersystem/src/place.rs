//! The socket of a region in the folder of links.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use kernel::name::Name8;
use ports::LocalPath;
use tokio::net::UnixListener;

/// Only the owner may look into the folder.
const FOLDER: u32 = 0o700;

/// The path to the socket of a region.
pub(crate) fn path(folder: &Path, applid: Name8) -> io::Result<LocalPath> {
    LocalPath::new(folder, &applid.to_string())
}

/// Listens at this region's socket.
///
/// # Errors
/// The folder cannot be used, or a region of the same APPLID runs.
pub(crate) fn listen(folder: &Path, applid: Name8) -> io::Result<UnixListener> {
    if !folder.exists() {
        fs::DirBuilder::new().recursive(true).mode(FOLDER).create(folder)?;
    }
    path(folder, applid)?
        .listen()?
        .ok_or_else(|| io::Error::other(format!("a region {applid} runs already that uses this folder")))
}

/// Takes the socket away.
pub(crate) fn remove(folder: &Path, applid: Name8) {
    // No region listens there any more: a file that stays does no harm.
    let _ = fs::remove_file(folder.join(applid.to_string()));
}
