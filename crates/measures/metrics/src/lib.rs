//! `/metrics` and `/health` of a region, on a port of this machine.
//!
//! In scope: HTTP for two paths, its limits, and the text of OpenMetrics. Out of scope: the figures themselves, which a
//! [`Host`] tells.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod door;
pub mod exposition;
pub mod family;
mod limits;

use std::net::SocketAddr;
use std::sync::Arc;

use ports::{CannotListen, Clients, Limits, Served};

pub use family::{Family, Kind, Sample, Value};

/// A region, as those who watch it see it. It is asked on a thread that runs no task.
pub trait Host: Send + Sync {
    /// All figures now; `None` if the region has ended.
    fn families(&self) -> Option<Vec<Family>>;

    /// Returns true if the region takes new tasks, and an object of JSON that says more.
    fn health(&self) -> (bool, String);
}

/// An open port.
pub struct Metrics {
    /// The address on which it listens.
    pub address: SocketAddr,
    served: Served,
}

/// Opens the port. It is to be called within a `LocalSet`.
///
/// # Errors
/// The port cannot be had.
pub fn open(at: SocketAddr, host: Arc<dyn Host>) -> Result<Metrics, CannotListen> {
    let (listener, address) = ports::listen(at)?;
    let clients = Clients::new(Limits::new(limits::CONNECTIONS_MAX, limits::CONNECTIONS_MAX));
    // One at a time: a hundred scrapers cost no more than one.
    let turn = Arc::new(tokio::sync::Mutex::new(()));
    let mut served = Served::default();
    served.serve(listener, move |stream, peer: SocketAddr| {
        let (host, turn) = (Arc::clone(&host), Arc::clone(&turn));
        let place = clients.admit(peer.ip());
        async move {
            // A client too many is let go without a word.
            if let Ok(_place) = place {
                door::serve(stream, host, turn).await;
            }
        }
    });
    Ok(Metrics { address, served })
}

impl Metrics {
    /// Stops serving; a client that is being answered has a while to take its answer.
    pub async fn stop(&mut self) {
        self.served.stop(limits::FAREWELL).await;
    }
}
