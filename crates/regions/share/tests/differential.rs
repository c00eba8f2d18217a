//! Data sets on the engine of a record server, compared with SQLite: the same operations as on the engine of one machine.

#[path = "../../../storage/vsam/tests/differential/three.rs"]
mod three;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use records::{Engine, Limits, Local};
use share::{Door, Remote, Server, socket};
use tokio::sync::oneshot;

static WITH_COPIES: AtomicBool = AtomicBool::new(true);

/// A server in a thread, and a region that is its guest.
pub struct Opened {
    /// The engine of the region.
    pub engine: Arc<dyn Engine>,
    _server: Thread,
}

struct Thread(Option<oneshot::Sender<()>>, Option<std::thread::JoinHandle<()>>);

impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.0.take());
        if let Some(thread) = self.1.take() {
            thread.join().expect("the server ends");
        }
    }
}

impl Opened {
    /// The engine of a folder.
    pub async fn new(folder: &Path) -> Self {
        let (ready, is_ready) = oneshot::channel();
        let (ends, ended) = oneshot::channel::<()>();
        let place = folder.to_owned();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let local = tokio::task::LocalSet::new();
            local.block_on(&runtime.expect("a runtime"), async {
                let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
                let engine = Local::open(&place, limits).expect("an engine");
                let server = Server::open(engine, Rc::new(link::Timer::default())).await.expect("a server");
                let door = Door::open(&place, server).expect("a socket");
                ready.send(()).expect("somebody waits");
                let _ = ended.await;
                door.close().await;
            });
        });
        is_ready.await.expect("it is ready");
        let engine = Remote::open(&socket(folder), "REGA", 1_000).await.expect("the server is there");
        // With copies of what was read and without, in turns.
        if WITH_COPIES.fetch_not(Ordering::Relaxed) {
            engine.copies_take(1 << 20);
        }
        Self { engine, _server: Thread(Some(ends), Some(thread)) }
    }
}

#[test]
fn a_data_set_and_sqlite_give_the_same_answers() {
    three::a_data_set_and_sqlite_give_the_same_answers("-p share --test differential");
}
