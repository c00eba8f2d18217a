//! The log and the base of a record engine in a PostgreSQL database.
//!
//! ```text
//!  records::Local ── log ───► Log (Disk)    ─┐                       ┌─ tables files, pieces
//!   locks, overlay── base ──► Store (Depot) ─┤ lanes ──► sessions ──► ├─ table records
//!                                            └─ one thread           └─ table lease: who may write
//! ```
//!
//! - [`Database`]: opened by taking the lease; makes the engine; gives the lease back.
//! - [`Direct`]: the engine directly in the database, for several regions without a server.
//! - [`Holder`]: the one who may have it: a folder, and a run in it.
//!
//! Below a server, locks of records and units of work are the engine's.

mod direct;
mod disk;
mod holder;
mod lane;
mod lease;
pub mod limits;
mod schema;
mod store;
mod text;
mod thread;

use std::sync::Arc;
use std::time::Duration;

use records::{Keys, Limits, Local};
use sql::Address;
use thiserror::Error;
use tokio::sync::{oneshot, watch};

pub use self::direct::Direct;
pub use self::holder::{Holder, is_elsewhere};
use self::lane::{Ask, Lanes};

/// The choices with which a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server, the database and the role.
    pub address: Address,
    /// The schema of the tables, which belongs to this region alone.
    pub schema: String,
    /// The holder that takes the lease.
    pub holder: Holder,
    /// The time for which a lease lasts that is not renewed.
    pub lease: Duration,
}

/// The reason that a database is of no use.
#[derive(Debug, Error)]
pub enum CannotOpen {
    /// There is no session.
    #[error("{0}")]
    Connect(#[from] sql::CannotConnect),
    /// The session was lost, or a statement was refused.
    #[error("{0}")]
    Failure(#[from] sql::Failure),
    /// The tables cannot be made.
    #[error("the schema {schema} cannot be used: {why}")]
    Schema {
        /// Their schema.
        schema: String,
        /// The reason.
        why: String,
    },
    /// Another version has made them.
    #[error(
        "the tables in the schema {schema} were made by another version of Syncpoint (their format says {format})"
    )]
    Format {
        /// Their schema.
        schema: String,
        /// Their format.
        format: String,
    },
    /// A name that is none.
    #[error("`{0}` is no name of a schema: up to 63 small letters, digits and _, with a letter first")]
    Name(String),
    /// The lease is too short or too long.
    #[error("a lease lasts {} to {} seconds", limits::LEASE_MIN.as_secs(), limits::LEASE_MAX.as_secs())]
    Lease,
    /// Another run of a region has its place.
    #[error("{0} runs already: {1}")]
    InUse(String, String),
    /// The thread that speaks with the database is not there.
    #[error("the thread for the database: {0}")]
    Thread(String),
}

/// A database whose lease this process has. Dropped without [`Database::close`], it leaves the lease to run out.
pub struct Database {
    lanes: Arc<Lanes>,
    over: watch::Receiver<Option<String>>,
}

impl Database {
    /// Connects, makes the tables if they are not there, and takes the lease, however long another one has it. Dropped, it gives up.
    ///
    /// # Errors
    /// See [`CannotOpen`].
    pub async fn open(mut options: Options) -> Result<Self, CannotOpen> {
        schema::check_name(&options.schema)?;
        if !(limits::LEASE_MIN..=limits::LEASE_MAX).contains(&options.lease) {
            return Err(CannotOpen::Lease);
        }
        let (over, is_over) = watch::channel(None);
        let (lanes, queues) = Lanes::new(options.holder.lock.take());
        let (ready, is_ready) = oneshot::channel();
        thread::start(options, queues, over, ready).map_err(|error| CannotOpen::Thread(error.to_string()))?;
        match is_ready.await {
            Ok(opened) => opened?,
            Err(_) => return Err(CannotOpen::Thread("it has ended".to_owned())),
        }
        Ok(Self { lanes: Arc::new(lanes), over: is_over })
    }

    /// Opens the engine and brings it to the state of the last commit. Blocks the calling thread.
    ///
    /// # Errors
    /// The engine's own.
    pub fn engine(&self, limits: Limits, keys: impl Into<Keys>) -> records::Result<Arc<Local>> {
        let log = Arc::new(disk::Log::new(Arc::clone(&self.lanes)));
        let store = Arc::new(store::Store::new(Arc::clone(&self.lanes)));
        Local::open_elsewhere(log, store, limits, keys)
    }

    /// Waits until the lease is lost; why. From then on nothing is written or read any more.
    pub async fn lost(&self) -> String {
        let mut over = self.over.clone();
        let lost = over.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
        lost.unwrap_or_else(|| "the thread for the database has ended".to_owned())
    }

    /// Gives the lease back, so that another server need not wait. The engine must be gone: what it writes from here on is refused.
    pub async fn close(self) {
        let lanes = Arc::clone(&self.lanes);
        // A thread of its own, since the answer is waited for.
        let given_back = tokio::task::spawn_blocking(move || lanes.log.ask(Ask::last())).await;
        if let Ok(Err(error)) = given_back {
            tracing::warn!(target: "RM", "the lease of the records was not given back: {error}");
        }
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
