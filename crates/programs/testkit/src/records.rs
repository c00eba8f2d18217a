//! A record server for the regions of a test, on a thread of its own.

use std::path::Path;
use std::rc::Rc;
use std::thread::JoinHandle;

use records::{Limits, Local};
use share::{Door, Server};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

/// The way in which a server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    InOrder,
    Crash,
}

/// A record server that runs; it ends when this is dropped.
pub(crate) struct Records {
    folder: tempfile::TempDir,
    running: Option<(oneshot::Sender<End>, JoinHandle<()>)>,
}

impl Records {
    /// Starts one on unused records.
    pub fn start() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let running = Some(serve(folder.path())?);
        Ok(Self { folder, running })
    }

    /// The folder by which regions find it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends it, in order or by a crash, and starts it again on its records.
    pub fn restart(&mut self, crash: bool) -> Result<(), String> {
        self.end(if crash { End::Crash } else { End::InOrder });
        self.running = Some(serve(self.folder.path())?);
        Ok(())
    }

    fn end(&mut self, how: End) {
        if let Some((ends, thread)) = self.running.take() {
            let _ = ends.send(how);
            let _ = thread.join();
        }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.end(End::InOrder);
    }
}

/// Serves a folder on a thread, and returns when regions can come.
fn serve(folder: &Path) -> Result<(oneshot::Sender<End>, JoinHandle<()>), String> {
    let (ends, ended) = oneshot::channel();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let folder = folder.to_owned();
    let thread = std::thread::spawn(move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready.send(Err(error.to_string()))),
        };
        LocalSet::new().block_on(&runtime, async {
            let door = match open(&folder).await {
                Ok(door) => door,
                Err(error) => return drop(ready.send(Err(error))),
            };
            let _ = ready.send(Ok(()));
            if ended.await == Ok(End::InOrder) {
                door.close().await;
            }
        });
    });
    match is_ready.recv() {
        Ok(Ok(())) => Ok((ends, thread)),
        Ok(Err(why)) => Err(why),
        Err(_) => Err(String::from("the record server has ended")),
    }
}

async fn open(folder: &Path) -> Result<Door, String> {
    let engine = Local::open(folder, Limits::default()).map_err(|error| error.to_string())?;
    let server = Server::open(engine, Rc::new(link::Timer::default())).await;
    let server = server.map_err(|error| error.to_string())?;
    Door::open(folder, server).map_err(|error| error.to_string())
}
