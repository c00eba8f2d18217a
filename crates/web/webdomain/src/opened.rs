//! An open port, and the reasons why there is none.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kernel::name::Name8;
use ports::{CannotListen, CertificateError, Closing, Ending};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Reasons why a service is not open.
#[derive(Debug)]
pub enum CannotOpen {
    /// Its port cannot be had.
    Port(Name8, CannotListen),
    /// Its certificate cannot be used.
    Certificate(CertificateError),
    /// Its host has no address; a certificate has no name; no proxy is named.
    Definition(String),
}

impl std::fmt::Display for CannotOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Port(_, why) => write!(f, "{why}; {}", why.help()),
            Self::Certificate(why) => why.fmt(f),
            Self::Definition(why) => f.write_str(why),
        }
    }
}

/// An open port, wherever its doors live.
pub(crate) struct Opened {
    /// Address of the port.
    pub address: SocketAddr,
    pub ending: Arc<Ending>,
    pub closing: Arc<Closing>,
    pub connections: Arc<AtomicUsize>,
    pub ended: Vec<oneshot::Receiver<()>>,
}

impl Opened {
    /// Number of requests and connections in hand now.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Waits until its connections have ended by themselves, but no longer than `farewell`; those that are left are dropped.
    pub async fn stop(self, farewell: Duration) {
        self.ending.close();
        self.closing.close();
        let mut ended = self.ended;
        let all = async {
            for door in &mut ended {
                // A TCB that is gone serves no clients.
                let _ = door.await;
            }
        };
        if timeout(farewell, all).await.is_err() {
            self.ending.stop();
            for door in ended {
                let _ = door.await;
            }
        }
    }
}
