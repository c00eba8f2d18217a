//! A record server and regions of a few lines, on one thread, with streams in memory.
#![allow(dead_code, reason = "each test uses some of it")]

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use link::carrier::Halves;
use link::{Patience, Timer};
use records::{Engine, Limits, Local, Recovery, StoreId, UnitOfWork};
use share::{Connector, Remote, Server};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn small() -> Limits {
    Limits { segment_bytes: 256 * 1024, base_bytes: 64 << 20, ..Limits::default() }
}

/// Runs a test on one thread.
pub async fn here<T>(test: impl Future<Output = T>) -> T {
    tokio::task::LocalSet::new().run_until(test).await
}

/// A place where a server may be, and the folder of its stamps.
#[derive(Clone, Default)]
pub struct Site(Rc<RefCell<Option<Server>>>, Option<Rc<Path>>, Rc<RefCell<Vec<JoinHandle<()>>>>);

impl Site {
    /// A server of an engine is there from now on.
    pub async fn serves(&self, engine: Arc<dyn Engine>) -> Server {
        let server = Server::open(engine, Rc::new(Timer::default())).await.expect("a server");
        if let Some(folder) = &self.1 {
            server.stamps_are_in(folder).expect("stamps");
        }
        *self.0.borrow_mut() = Some(server.clone());
        server
    }

    /// A place where regions keep copies of records.
    pub fn with_stamps(folder: &Path) -> Self {
        Self(Rc::default(), Some(folder.into()), Rc::default())
    }

    /// The server is killed: all its connections break.
    pub async fn is_killed(&self) {
        let server = self.0.borrow_mut().take();
        let serves = std::mem::take(&mut *self.2.borrow_mut());
        for served in serves {
            served.abort();
            let _ = served.await;
        }
        // Its commits would have died with it, or be done before the next one begins.
        while server.as_ref().is_some_and(Server::is_busy) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// No server is there.
    pub fn is_empty(&self) {
        *self.0.borrow_mut() = None;
    }
}

impl Site {
    /// The server, if there is one, serves a connection.
    pub fn accept(&self, stream: DuplexStream) -> io::Result<()> {
        let server = self.0.borrow().clone().ok_or(io::ErrorKind::ConnectionRefused)?;
        let serves = tokio::task::spawn_local(async move {
            server.serve(link::carrier::other(stream), Patience::HERE).await;
        });
        self.2.borrow_mut().push(serves);
        Ok(())
    }
}

impl Connector for Site {
    async fn connect(&self) -> io::Result<Halves> {
        let (one, other) = tokio::io::duplex(1 << 16);
        self.accept(other)?;
        Ok(link::carrier::other(one))
    }

    fn folder(&self) -> Option<&Path> {
        self.1.as_deref()
    }
}

/// A region: its engine, and the task of its link.
pub struct Region {
    pub engine: Arc<Remote>,
    link: JoinHandle<()>,
}

impl Region {
    pub async fn start(site: &Site, applid: &str, run: u64) -> Self {
        let (engine, runs) = Remote::without_thread(applid, run, site.clone(), PATIENCE);
        let link = tokio::task::spawn_local(runs);
        engine.is_there().await.expect("the server is there");
        Self { engine, link }
    }

    pub fn begin(&self) -> Box<dyn UnitOfWork> {
        begin(&*self.engine)
    }

    /// Kills it.
    pub fn kill(self) {
        self.link.abort();
    }
}

pub fn begin(engine: &dyn Engine) -> Box<dyn UnitOfWork> {
    engine.begin(engine.locks().new_owner())
}

pub fn open(folder: &Path) -> Arc<Local> {
    Local::open(folder, small()).expect("an engine")
}

pub async fn store(engine: &dyn Engine, name: &str, recovery: Recovery) -> StoreId {
    let mut unit = begin(engine);
    let store = unit.create_store(name, recovery).expect("a store");
    unit.commit().await.expect("committed");
    store
}

pub async fn put(engine: &dyn Engine, store: StoreId, records: &[(&str, &str)]) {
    let mut unit = begin(engine);
    for (key, record) in records {
        unit.put(store, key.as_bytes(), record.as_bytes()).await.expect("put");
    }
    unit.commit().await.expect("committed");
}

pub async fn read(engine: &dyn Engine, store: StoreId, key: &str) -> Option<String> {
    let mut record = Vec::new();
    let there = begin(engine).get(store, key.as_bytes(), &mut record).await.expect("a read");
    there.then(|| String::from_utf8(record).expect("text"))
}
