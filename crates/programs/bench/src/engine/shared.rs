//! Units of work of a region whose records are at a record server, beside the same in an engine of the region's own.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use records::{Engine, Limits, Local};
use share::{Door, Remote, Server, socket};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use super::updates::{Commit, TOGETHER};
use super::{DataSet, count, without_checkpoints};
use crate::Options;
use crate::clock::{in_turns, spent};
use crate::promise::Measured;
use crate::site::{RECORD, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 7;
/// Microseconds in a second.
const MICROSECONDS: f64 = 1e6;

/// A record server on a thread of this process, until it is dropped.
struct ServerHere {
    ends: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), String>>>,
}

impl ServerHere {
    fn start(folder: &Path) -> Result<Self, String> {
        let (ready, is_ready) = std::sync::mpsc::channel();
        let (ends, ended) = oneshot::channel();
        let folder = folder.to_owned();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| format!("no event loop: {error}"))?;
            LocalSet::new().block_on(&runtime, serve(&folder, || ready.send(()).unwrap_or_default(), ended))
        });
        let (ends, thread) = (Some(ends), Some(thread));
        let mut server = Self { ends, thread };
        // It is ready, or has ended with its reason.
        match is_ready.recv() {
            Ok(()) => Ok(server),
            Err(_) => Err(server.end().err().unwrap_or_else(|| "the record server has ended".into())),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        drop(self.ends.take());
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().map_err(|_| "the record server has panicked".to_owned())?
    }
}

impl Drop for ServerHere {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Serves a folder until it is to end.
async fn serve(folder: &Path, ready: impl FnOnce(), ended: oneshot::Receiver<()>) -> Result<(), String> {
    let engine = Local::open_with(folder, without_checkpoints(), None).map_err(|error| error.to_string())?;
    let server = Server::open(engine, Rc::new(link::Timer::default())).await;
    let door = Door::open(folder, server.map_err(|error| error.to_string())?);
    let door = door.map_err(|error| format!("no socket: {error}"))?;
    ready();
    let _ = ended.await;
    door.close().await;
    Ok(())
}

/// READ UPDATE, REWRITE, SYNCPOINT at a record server, beside the same here: the processor time of all threads.
pub(crate) fn unit(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let records = count(options);
    let units = options.size(64_000, 2 * TOGETHER);
    let folder = workshop.scratch("record-server")?;
    let mut server = ServerHere::start(&folder)?;
    let open = |runtime: &tokio::runtime::Runtime| {
        let place = socket(&folder);
        let opening = Remote::open(&place, "BENCH", Limits::default().locks_per_owner);
        let engine: Arc<dyn Engine> = runtime.block_on(opening).map_err(|why| why.to_string())?;
        Ok(engine)
    };
    let shared = DataSet::over(open)?.filled(records)?;
    let own = DataSet::loaded(&workshop.scratch("rls-unit")?, None, records)?;
    let (of_shared, of_own) = (shared.open(), own.open());
    let per_unit = MICROSECONDS / units as f64;
    let (figure, floor) = in_turns(
        "rls-unit",
        options.size(ROUNDS, 1),
        || spent(|| shared.update(&of_shared, units, TOGETHER, Commit::Forced)) * per_unit,
        || spent(|| own.update(&of_own, units, TOGETHER, Commit::Forced)) * per_unit,
    );
    let alone = options.size(4_000, 2);
    let one = spent(|| shared.update(&of_shared, alone, 1, Commit::Forced)) * MICROSECONDS / alone as f64;
    drop((of_shared, shared));
    server.end()?;
    let note = format!("{records} records of {RECORD} bytes; one in flight {one:.1} us");
    Ok(Measured::new(figure, floor).note(note))
}
