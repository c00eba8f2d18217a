//! Sockets in folders: a short path to each, whatever the length of its folder's.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::descriptors::OWN;

/// Only the owner of a socket may connect.
const OWNER_ONLY: u32 = 0o600;
/// Bytes of a socket's name, at most.
const NAME_MAX: usize = 107;

/// A path by which a socket can be made or found.
#[derive(Debug)]
pub struct LocalPath {
    path: PathBuf,
    /// The folder, open as long as the path is used: a long one is named by this descriptor.
    _folder: File,
}

impl LocalPath {
    /// The path of a socket in a folder.
    ///
    /// # Errors
    /// There is no such folder; or its name is long, and the system shows no open files (/proc).
    pub fn new(folder: &Path, name: &str) -> io::Result<Self> {
        Self::by(Path::new(OWN), folder, name)
    }

    fn by(open_files: &Path, folder: &Path, name: &str) -> io::Result<Self> {
        let open = File::open(folder)?;
        let direct = folder.join(name);
        if direct.as_os_str().as_bytes().len() <= NAME_MAX {
            return Ok(Self { path: direct, _folder: open });
        }
        let short = open_files.join(open.as_raw_fd().to_string());
        if !short.exists() {
            let message = format!(
                "the socket {} has a name of more than {NAME_MAX} bytes, and what such a one needs is not there: {} (is /proc mounted?)",
                direct.display(),
                open_files.display()
            );
            return Err(io::Error::other(message));
        }
        Ok(Self { path: short.join(name), _folder: open })
    }

    /// Makes the socket, for its owner alone, and listens there on a thread that may wait. One that a killed process has left is
    /// replaced. `None` if a process answers there.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub fn listen_blocking(&self) -> io::Result<Option<UnixListener>> {
        if UnixStream::connect(self).is_ok() {
            return Ok(None);
        }
        match fs::remove_file(self) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(self)?;
        fs::set_permissions(self, Permissions::from_mode(OWNER_ONLY))?;
        Ok(Some(listener))
    }

    /// The same on an event loop.
    ///
    /// # Errors
    /// As of [`Self::listen_blocking`].
    pub fn listen(&self) -> io::Result<Option<tokio::net::UnixListener>> {
        let Some(listener) = self.listen_blocking()? else { return Ok(None) };
        listener.set_nonblocking(true)?;
        tokio::net::UnixListener::from_std(listener).map(Some)
    }
}

impl AsRef<Path> for LocalPath {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_needs_no_list_of_open_files_and_a_long_one_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = folder.path().join("none");
        let short = LocalPath::by(&none, folder.path(), "a").expect("a path");
        let _listener = UnixListener::bind(&short).expect("a socket");
        let long = folder.path().join("x".repeat(120));
        fs::create_dir(&long).expect("a folder");
        let refused = LocalPath::by(&none, &long, "a").expect_err("it is too long").to_string();
        assert!(refused.contains("more than 107 bytes") && refused.contains("/proc"), "{refused}");
        let there = LocalPath::new(&long, "a").expect("a path");
        let listener = there.listen_blocking().expect("a socket");
        assert!(UnixStream::connect(&there).is_ok() && long.join("a").exists());
        assert!(there.listen_blocking().is_ok_and(|another| another.is_none()), "somebody answers there");
        let mode = fs::metadata(long.join("a")).expect("a socket").permissions().mode();
        assert_eq!(mode & 0o777, OWNER_ONLY);
        drop(listener);
        assert!(there.listen_blocking().is_ok_and(|another| another.is_some()), "it was left by a dead one");
        assert!(LocalPath::new(&none, "a").is_err());
    }
}
