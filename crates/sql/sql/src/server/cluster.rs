//! A server's folder: its data, its log, where its socket goes.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::account::Account;
use super::{CannotStart, Private, USER, signals, socket};
use crate::address::Address;
use crate::session::Session;

/// A folder in which a server can run.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    folder: PathBuf,
    socket_folder: PathBuf,
    port: u16,
    pub(super) account: Option<Account>,
}

/// Number of lines shown from the end of a log.
const LAST_WORDS: usize = 10;

impl Cluster {
    /// Makes the folder if it is not there.
    pub(super) fn folder(private: &Private, account: Option<Account>) -> Result<Self, CannotStart> {
        let folder = private.folder.clone();
        let failed = |path: &Path, error| CannotStart::Io { path: path.into(), error };
        if !folder.exists() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder)
                .map_err(|error| failed(&folder, error))?;
        }
        let folder = fs::canonicalize(&folder).map_err(|error| failed(&private.folder, error))?;
        if let Some(account) = &account {
            private.through.as_ref().map_or(Ok(()), |above| account.let_through(above))?;
            account.can_reach(&folder)?;
            account.own(&folder)?;
        }
        let socket_folder = socket::folder(&folder, account.as_ref())?;
        Ok(Self { folder, socket_folder, port: private.port, account })
    }

    /// Its folder.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn socket_folder(&self) -> &Path {
        &self.socket_folder
    }

    /// A database as programs see it.
    pub(super) fn address(&self, database: &str) -> Address {
        self.address_of(USER, database)
    }

    /// A database as a role sees it.
    pub(super) fn address_of(&self, role: &str, database: &str) -> Address {
        Address::socket(&self.socket_folder, self.port, role, database)
    }

    /// The process that the data's lock file names, if there is such a process.
    pub(super) fn running(&self) -> Option<u32> {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let pid = text.lines().next()?.trim().parse().ok()?;
        signals::is_postgres(pid).then_some(pid)
    }

    /// Returns true if the server of a session works on this folder's data.
    pub(super) async fn is_answered_by(&self, session: &mut Session) -> bool {
        let Ok(answer) = session.script("SHOW data_directory").await else { return false };
        let shown =
            answer.rows.row(0).next().flatten().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        shown.is_some_and(|shown| Path::new(&shown) == self.data())
    }

    /// The end of the log.
    pub(super) fn last_words(&self) -> String {
        let log = fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n")
    }
}
