//! The thread on which the link to the server lives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use link::carrier::{Halves, connect_unix};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use super::Remote;
use super::calls::Calls;
use super::elsewhere::{Elsewhere, NotThere, Ways};
use super::runner::{Connector, run, stop};
use crate::door::path_to;
use crate::hello;
use crate::limits::PATIENCE;

/// The thread; it ends when this is dropped, after what was sent before.
pub(super) struct Thread {
    ends: Option<oneshot::Sender<()>>,
    handle: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// The way over a socket of this machine.
struct Socket(PathBuf);

impl Connector for Socket {
    async fn connect(&self) -> io::Result<Halves> {
        let in_file =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", self.0.display()));
        let path = path_to(&self.0).map_err(in_file)?;
        connect_unix(path.as_ref()).await.map_err(in_file)
    }

    fn folder(&self) -> Option<&Path> {
        self.0.parent().filter(|folder| *folder != Path::new("")).or(Some(Path::new(".")))
    }
}

impl Remote {
    /// The engine of the server at a socket, for the region with this APPLID.
    ///
    /// # Errors
    /// The server is not there, or does not want the region.
    pub async fn open(socket: &Path, applid: &str, locks_per_owner: usize) -> Result<Arc<Self>, NotThere> {
        Self::open_by(Socket(socket.to_owned()), 0, applid, locks_per_owner).await
    }

    /// The engine of a server of another machine; `records` is the number of the records that the region has used before, or 0.
    ///
    /// # Errors
    /// No server is there, or none that wants the region, or has these records.
    pub async fn open_elsewhere(
        elsewhere: Elsewhere,
        records: u64,
        applid: &str,
        locks_per_owner: usize,
    ) -> Result<Arc<Self>, NotThere> {
        Self::open_by(Ways::new(elsewhere)?, records, applid, locks_per_owner).await
    }

    async fn open_by(
        connector: impl Connector + Send,
        records: u64,
        applid: &str,
        locks_per_owner: usize,
    ) -> Result<Arc<Self>, NotThere> {
        let calls = Arc::new(Calls::new(PATIENCE));
        calls.records_are(records);
        let (ends, ended) = oneshot::channel::<()>();
        let ours = hello::of_region(applid, run_number());
        let to_run = Arc::clone(&calls);
        let thread = std::thread::Builder::new().name("records".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            LocalSet::new().block_on(&runtime, async move {
                tokio::select! {
                    () = run(Arc::clone(&to_run), connector, ours) => {}
                    _ = ended => {}
                }
                stop(&to_run);
            });
        });
        let handle = thread.map_err(|error| NotThere(format!("no thread for the link: {error}")))?;
        let remote =
            Self::new(calls, Some(Thread { ends: Some(ends), handle: Some(handle) }), locks_per_owner);
        remote.is_there().await.map_err(NotThere)?;
        Ok(remote)
    }
}

/// A number for this run of a region: another one at each start.
fn run_number() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    (since.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48)
}
