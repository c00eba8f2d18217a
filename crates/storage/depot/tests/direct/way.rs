//! A way to the database that can be cut: behind a request, so that its answer is lost, or for a time.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sql::{Address, ListenPlace};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

/// The state of a way.
#[derive(Default)]
pub struct WayState {
    /// The answer to the next text with these words is lost, and the connection with it.
    pub loses_commit: AtomicBool,
    /// Connections that were cut.
    pub cuts: AtomicUsize,
    /// Nothing goes through.
    pub is_closed: AtomicBool,
    closes: Notify,
}

impl WayState {
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.closes.notify_waiters();
    }
}

/// A way to a server, whose socket is in a folder.
pub struct Way {
    pub state: Arc<WayState>,
    pub address: Address,
}

impl Way {
    /// Begins a way in a folder.
    pub fn new(folder: &Path, to: &Address) -> Self {
        let state = Arc::<WayState>::default();
        let (socket, served) = (folder.join(".s.PGSQL.5432"), Arc::clone(&state));
        let ListenPlace::Socket { folder: far, port } = to.place.clone() else {
            panic!("the server has a socket")
        };
        let far = far.join(format!(".s.PGSQL.{port}"));
        let (ready, is_ready) = std::sync::mpsc::channel();
        // A thread of its own: that of the test waits for an engine that ends.
        std::thread::spawn(move || {
            crate::place::block_on(async move {
                let listener = UnixListener::bind(socket).unwrap();
                ready.send(()).unwrap();
                while let Ok((near, _)) = listener.accept().await {
                    if served.is_closed.load(Ordering::SeqCst) {
                        continue;
                    }
                    let far = UnixStream::connect(&far).await.unwrap();
                    tokio::task::spawn_local(carry(Arc::clone(&served), near, far));
                }
            })
        });
        is_ready.recv().unwrap();
        let address = Address::socket(folder, 5432, &to.user, &to.database);
        Self { state, address }
    }
}

async fn carry(state: Arc<WayState>, near: UnixStream, far: UnixStream) {
    let ((mut asks, mut hears), (mut answers, mut sends)) = (near.into_split(), far.into_split());
    let loses = Arc::new(AtomicBool::new(false));
    let there = {
        let (state, loses) = (Arc::clone(&state), Arc::clone(&loses));
        async move {
            let mut bytes = vec![0; 1 << 16];
            loop {
                let count = asks.read(&mut bytes).await.unwrap_or(0);
                if count == 0 {
                    return;
                }
                let is_commit = bytes[..count].windows(8).any(|word| word == b"; COMMIT");
                if is_commit && state.loses_commit.swap(false, Ordering::SeqCst) {
                    loses.store(true, Ordering::SeqCst);
                }
                if sends.write_all(&bytes[..count]).await.is_err() {
                    return;
                }
            }
        }
    };
    let back = {
        let state = Arc::clone(&state);
        async move {
            let mut bytes = vec![0; 1 << 16];
            loop {
                let count = answers.read(&mut bytes).await.unwrap_or(0);
                if count == 0 || loses.load(Ordering::SeqCst) {
                    state.cuts.fetch_add(1, Ordering::SeqCst);
                    return;
                }
                if hears.write_all(&bytes[..count]).await.is_err() {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = there => {}
        () = back => {}
        () = state.closes.notified() => {}
    }
}
