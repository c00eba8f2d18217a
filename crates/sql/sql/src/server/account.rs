//! As whom a server runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use super::CannotStart;

/// Another user than the region's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The rights of a folder that its group may pass through.
const PASSABLE: u32 = 0o710;
const PASSWD: &str = "/etc/passwd";

impl Account {
    /// The account for a server; `None`: the region's own, which is not root.
    pub(super) fn for_server(name: &str) -> Result<Option<Self>, CannotStart> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let users =
            fs::read_to_string(PASSWD).map_err(|error| CannotStart::Io { path: PASSWD.into(), error })?;
        match find(&users, name) {
            // Root by another name is refused as well.
            Some(account) if account.uid != 0 => Ok(Some(account)),
            _ => Err(CannotStart::NoAccount(name.to_owned())),
        }
    }

    /// Gives it a folder.
    pub(super) fn own(&self, folder: &Path) -> Result<(), CannotStart> {
        chown(folder, Some(self.uid), Some(self.gid))
            .map_err(|error| CannotStart::Io { path: folder.into(), error })
    }

    /// Gives it data with all that is in them, where they belong to another user: a restored backup is its reader's.
    pub(super) fn own_all(&self, data: &Path) -> Result<(), CannotStart> {
        use std::os::unix::fs::MetadataExt;
        let failed = |path: &Path, error| CannotStart::Io { path: path.into(), error };
        let about = fs::symlink_metadata(data).map_err(|error| failed(data, error))?;
        if about.uid() == self.uid {
            return Ok(());
        }
        if about.is_dir() {
            for entry in fs::read_dir(data).map_err(|error| failed(data, error))? {
                self.own_all(&entry.map_err(|error| failed(data, error))?.path())?;
            }
        }
        // The folder last: it says that all is done.
        std::os::unix::fs::lchown(data, Some(self.uid), Some(self.gid)).map_err(|error| failed(data, error))
    }

    /// Lets it pass through a folder, and see nothing there.
    pub(super) fn let_through(&self, folder: &Path) -> Result<(), CannotStart> {
        chown(folder, None, Some(self.gid))
            .and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(PASSABLE)))
            .map_err(|error| CannotStart::Io { path: folder.into(), error })
    }

    /// Checks that the account can reach a folder: it may pass through all that are above. Of its groups only the
    /// first counts.
    pub(super) fn can_reach(&self, folder: &Path) -> Result<(), CannotStart> {
        use std::os::unix::fs::MetadataExt;
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder));
        for above in folder.ancestors().skip(1) {
            let about = fs::metadata(above).map_err(|error| CannotStart::Io { path: above.into(), error })?;
            let shift = match () {
                () if about.uid() == self.uid => 6,
                () if about.gid() == self.gid => 3,
                () => 0,
            };
            if about.mode() >> shift & 1 == 0 {
                return Err(CannotStart::Closed { user: self.name.clone(), folder: above.into() });
            }
        }
        Ok(())
    }
}

fn find(users: &str, name: &str) -> Option<Account> {
    let mut fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = fields.find(|fields| fields.first() == Some(&name))?;
    Some(Account {
        name: name.to_owned(),
        uid: found.get(2)?.parse().ok()?,
        gid: found.get(3)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_name() {
        let users = "root:x:0:0:root:/:/bin/sh\npostgres:x:101:104:x:/var/lib/postgresql:/bin/bash\nbad:x\n";
        assert_eq!(
            find(users, "postgres"),
            Some(Account { name: "postgres".to_owned(), uid: 101, gid: 104 })
        );
        assert_eq!((find(users, "bad"), find(users, "nobody")), (None, None));
    }
}
