//! Folder of a server's socket: the server's own folder or, if its path is too long, a short one.

use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::account::Account;
use super::{CannotStart, PORT};
use crate::address::socket_path;
use crate::limits;

/// Mode of the folder: its owner alone gets in, and so the server knows the user who connects.
const PRIVATE: u32 = 0o700;

/// The folder of the socket, which is there then and belongs to this user alone.
pub(super) fn folder(of: &Path, account: Option<&Account>) -> Result<PathBuf, CannotStart> {
    let folder = choose(of, &std::env::temp_dir());
    let failed = |error| CannotStart::Io { path: folder.clone(), error };
    match DirBuilder::new().mode(PRIVATE).create(&folder) {
        Ok(()) => {
            fs::set_permissions(&folder, Permissions::from_mode(PRIVATE)).map_err(failed)?;
            if let Some(account) = account {
                account.own(&folder)?;
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let about = fs::symlink_metadata(&folder).map_err(failed)?;
            let owner = account.map_or_else(|| rustix::process::geteuid().as_raw(), |account| account.uid);
            if !about.is_dir() || about.uid() != owner || about.mode() & 0o777 != PRIVATE {
                return Err(CannotStart::SocketFolder(folder));
            }
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(folder)
}

fn choose(of: &Path, short: &Path) -> PathBuf {
    let own = of.join("run");
    if socket_path(&own, PORT).as_os_str().len() <= limits::SOCKET_PATH_MAX {
        return own;
    }
    // The same folder has the same name, so that a later region finds the server.
    let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
    hasher.write(of.as_os_str().as_bytes());
    short.join(format!("syncpoint-{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_gets_a_short_folder_always_the_same() {
        let short = Path::new("/run/user/1000");
        assert_eq!(choose(Path::new("/srv/state/sql"), short), Path::new("/srv/state/sql/run"));
        let long = Path::new("/srv").join("x".repeat(90));
        let chosen = choose(&long, short);
        assert!(chosen.starts_with(short), "{chosen:?}");
        assert_eq!(chosen, choose(&long, short));
        assert_ne!(chosen, choose(&long.join("y"), short));
    }
}
