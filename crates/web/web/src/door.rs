//! The door: who may come in, and how many.

use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ports::{Certificate, Clients, Closing};
use tokio::sync::Semaphore;

use crate::host::{Host, Peer};
use crate::limits::Limits;
use crate::traffic::Traffic;

/// Refused clients that hear why at a time; others are only let go.
const REFUSALS_MAX: usize = 64;

/// A door to one region. Several listeners may share it, and so its limits.
pub struct Door<H> {
    pub(crate) host: Rc<H>,
    pub(crate) limits: Limits,
    pub(crate) clients: Arc<Clients>,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) refusals: Semaphore,
    kept: KeptConnections,
    closing: Closing,
}

/// Properties of a port's connections.
#[derive(Clone, Default)]
pub struct Welcome {
    /// With a TLS handshake.
    pub certificate: Option<Certificate>,
    /// With the header of PROXY protocol v2, from one of these peers; TLS is theirs.
    pub proxies: Option<Rc<[IpAddr]>>,
    /// True if HTTP/2 is spoken without TLS, if the client begins with it. With TLS a client chooses among the
    /// protocols that the certificate offers ([`Certificate::offering`]).
    pub http2: bool,
    /// No HTTP is spoken: [`Host::converse`] answers what comes.
    pub bytes: bool,
}

/// Number of connections that are kept behind their first answer, by all doors that share this.
#[derive(Clone, Default)]
pub struct KeptConnections(Arc<AtomicUsize>);

impl KeptConnections {
    /// Number of kept connections at present.
    pub fn present(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn one(&self, most: Option<usize>) -> Option<KeptOne> {
        let most = most.unwrap_or(usize::MAX);
        let more = |present: usize| (present < most).then_some(present + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(KeptOne(self.clone()))
    }
}

/// The place of a connection that is kept behind its first answer.
pub(crate) struct KeptOne(KeptConnections);

impl Drop for KeptOne {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<H: Host> Door<H> {
    /// A door to a region.
    pub fn new(host: Rc<H>, limits: Limits) -> Rc<Self> {
        Self::counting(host, limits, KeptConnections::default(), Arc::default())
    }

    /// One of several doors to a region on threads of their own: they keep connections, and count, together.
    pub fn counting(host: Rc<H>, limits: Limits, kept: KeptConnections, traffic: Arc<Traffic>) -> Rc<Self> {
        let clients = Clients::new(limits.of_clients());
        let refusals = Semaphore::new(REFUSALS_MAX);
        Rc::new(Self { host, limits, clients, traffic, refusals, kept, closing: Closing::default() })
    }

    /// Connections at present.
    pub fn connections(&self) -> usize {
        self.clients.present()
    }

    /// Connections that are kept at present.
    pub fn kept(&self) -> usize {
        self.kept.present()
    }

    /// Ends each connection behind the request it works on.
    pub fn close(&self) {
        self.closing.close();
    }

    pub(crate) fn host(&self) -> &H {
        &self.host
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) async fn closed(&self) {
        self.closing.closed().await;
    }

    /// Returns true if connections are kept at all, as things are.
    pub(crate) fn keeps(&self) -> bool {
        !self.closing.is_closed()
            && !self.host.sends_away()
            && self.limits.idle_max.is_none_or(|idle| !idle.is_zero())
    }

    /// A place among those that are kept.
    pub(crate) fn keep(&self) -> Option<KeptOne> {
        let kept = self.kept.one(self.limits.kept_max);
        if kept.is_none() {
            self.traffic.not_kept.one();
        }
        kept
    }

    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// A request has broken off.
    pub(crate) fn broke_off(&self, peer: &Peer) {
        self.traffic.broken_off.one();
        tracing::info!(target: "WB", client = %peer.client, "a client has left in the middle of its request");
    }

    /// An answer could not be delivered.
    pub(crate) fn undelivered(&self, peer: &Peer) {
        self.traffic.undelivered.one();
        tracing::info!(target: "WB", client = %peer.client, "an answer is lost: its client has gone");
    }
}
