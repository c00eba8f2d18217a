//! A server's folder: its data, its log, where its socket goes.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::sleep;

use super::account::Account;
use super::beginning::Beginning;
use super::binaries::Binaries;
use super::{CannotStart, LOOK, OWNER, Private, USER, dump, process, socket};
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

/// An attempt to make data, whose rests are removed at its end.
struct Unfinished<'a>(&'a Cluster);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// The beginning of the names of data that are not whole yet.
const NEW: &str = "data.new";
/// Attempts of this process to make data.
static ATTEMPTS: AtomicU32 = AtomicU32::new(0);
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

    /// Makes the data if there is none, and looks whether these programs can work with it. Nobody else makes or starts anything
    /// there meanwhile ([`super::turn`]).
    pub(super) async fn prepare(&self, binaries: &Binaries) -> Result<(), CannotStart> {
        let version = self.data().join("PG_VERSION");
        if !version.exists() {
            self.make(binaries).await?;
        }
        if let Some(account) = &self.account {
            account.own_all(&self.data())?;
        }
        let made =
            fs::read_to_string(&version).map_err(|error| CannotStart::Io { path: version.clone(), error })?;
        if made.trim() != binaries.release.to_string() {
            let (folder, made) = (self.folder.clone(), made.trim().to_owned());
            return Err(CannotStart::OtherRelease { folder, made, found: binaries.release });
        }
        Ok(())
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

    /// Makes the data under another name first: it is there as a whole, or not. The name is this attempt's alone, since the
    /// program of one that was killed may still write into its own. An attempt that is given up ends its program and leaves nothing.
    async fn make(&self, binaries: &Binaries) -> Result<(), CannotStart> {
        self.clear();
        let attempt = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{NEW}.{}.{attempt}", std::process::id());
        let (new, data) = (self.folder.join(name), self.data());
        let failed = |error| CannotStart::Io { path: new.clone(), error };
        let _leaves_nothing = Unfinished(self);
        let program = binaries.program("initdb");
        let mut command = Command::new(&program);
        command.args([
            "--encoding=UTF8",
            "--locale=C",
            "--auth=trust",
            "--data-checksums",
            "--no-instructions",
        ]);
        command.arg(format!("--username={OWNER}")).arg("--pgdata").arg(&new);
        process::as_account(&mut command, self.account.as_ref(), &self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| {
            let why = error.to_string();
            CannotStart::Program { program: program.clone(), why }
        })?;
        let words = dump::listen(&mut child);
        let mut beginning = Beginning::group(child);
        // It takes seconds; tasks and timers of this thread go on meanwhile.
        let status = loop {
            match beginning.ended() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => sleep(LOOK).await,
                Err(error) => break Err(error),
            }
        };
        dump::succeeded(&program, status, words)?;
        fs::rename(&new, &data).map_err(failed)
    }

    /// Removes what attempts have left that did not come to their end. What cannot be removed is in nobody's way.
    fn clear(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(NEW)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }

    /// The process that the data's lock file names, if there is such a process.
    pub(super) fn running(&self) -> Option<u32> {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let pid = text.lines().next()?.trim().parse().ok()?;
        process::is_postgres(pid).then_some(pid)
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
