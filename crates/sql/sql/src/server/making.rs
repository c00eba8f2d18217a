//! A server's data: made as a whole, or not at all.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::sleep;

use super::beginning::Beginning;
use super::binaries::Binaries;
use super::cluster::Cluster;
use super::program::{listen, succeeded};
use super::{CannotStart, LOOK, OWNER, process};

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

impl Cluster {
    /// Makes the data if there is none, and looks whether these programs can work with it. No other process makes or starts anything
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
            let (folder, made) = (self.path().to_owned(), made.trim().to_owned());
            return Err(CannotStart::OtherRelease { folder, made, found: binaries.release });
        }
        Ok(())
    }

    /// Makes the data under another name first: it is there as a whole, or not. The name is this attempt's alone, since the
    /// program of one that was killed may still write into its own. An attempt that is given up ends its program and leaves nothing.
    async fn make(&self, binaries: &Binaries) -> Result<(), CannotStart> {
        self.clear();
        let attempt = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{NEW}.{}.{attempt}", std::process::id());
        let (new, data) = (self.path().join(name), self.data());
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
        process::as_account(&mut command, self.account.as_ref(), self.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| {
            let why = error.to_string();
            CannotStart::Program { program: program.clone(), why }
        })?;
        let words = listen(&mut child);
        let mut beginning = Beginning::group(child);
        // It takes seconds; tasks and timers of this thread go on meanwhile.
        let status = loop {
            match beginning.ended() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => sleep(LOOK).await,
                Err(error) => break Err(error),
            }
        };
        succeeded(&program, status, words)?;
        fs::rename(&new, &data).map_err(failed)
    }

    /// Removes what attempts have left that did not come to their end. What cannot be removed is in no one's way.
    fn clear(&self) {
        let entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(NEW)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
