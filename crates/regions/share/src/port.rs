//! The port of a record server, for regions of other machines: TCP with TLS, at which both ends show certificates.

use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use link::Patience;
use link::carrier::{Identity, other};
use ports::{CannotListen, Certificate, ClientCertificates, Clients, Limits, Served};
use tokio::net::TcpStream;

use crate::allowed::Allowed;
use crate::limits::{REFUSALS_EVERY, REGIONS_MAX, REGIONS_PER_ADDRESS_MAX};
use crate::server::Server;

/// The choices of a port.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its address.
    pub listen: SocketAddr,
    /// The server's certificate and key, and the authorities of regions. The files are read at each connection.
    pub identity: Identity,
    /// The file of the certificates that may come, and of the APPLIDs that each may have. It is read at each connection, too.
    pub allowed: PathBuf,
}

/// The reason why a port is not open.
#[derive(Debug, thiserror::Error)]
pub enum NoPort {
    /// It cannot be had.
    #[error("cannot listen on {}: {}; {}", .0.address, .0.system, .0.help())]
    Port(CannotListen),
    /// A file cannot be used.
    #[error("{0}")]
    File(String),
}

/// The refusals of a port, of which the log has one in a while.
#[derive(Default)]
struct Refusals {
    last: Cell<Option<Instant>>,
    unsaid: Cell<u64>,
}

impl Refusals {
    fn say(&self, from: IpAddr, why: &dyn std::fmt::Display) {
        if self.last.get().is_some_and(|last| last.elapsed() < REFUSALS_EVERY) {
            return self.unsaid.set(self.unsaid.get() + 1);
        }
        self.last.set(Some(Instant::now()));
        let unsaid = self.unsaid.take();
        tracing::warn!(target: "RS", unsaid, "a connection from {from} is refused: {why}");
    }
}

/// All that a connection needs.
struct Entrance {
    server: Server,
    port: Port,
    clients: std::sync::Arc<Clients>,
    refusals: Refusals,
}

impl Port {
    fn certificate(&self) -> Result<Certificate, NoPort> {
        let Identity { chain, key, authorities } = &self.identity;
        let clients = ClientCertificates { authorities, required: true, revoked: None };
        Certificate::read(chain, key, Some(clients)).map_err(|why| NoPort::File(why.to_string()))
    }

    /// Opens it.
    ///
    /// # Errors
    /// See [`NoPort`].
    pub(crate) fn open(self, server: Server, served: &mut Served) -> Result<SocketAddr, NoPort> {
        self.certificate()?;
        Allowed::read(&self.allowed).map_err(NoPort::File)?;
        let (listener, address) = ports::listen(self.listen).map_err(NoPort::Port)?;
        let clients = Clients::new(Limits::new(REGIONS_MAX, REGIONS_PER_ADDRESS_MAX));
        let entrance = Rc::new(Entrance { server, port: self, clients, refusals: Refusals::default() });
        served.serve(listener, move |stream, peer: SocketAddr| {
            let entrance = Rc::clone(&entrance);
            async move {
                if let Err(why) = entrance.serve(stream, peer.ip()).await {
                    entrance.refusals.say(peer.ip(), &why);
                }
            }
        });
        tracing::info!(target: "RS", "regions of other machines come to {address}");
        Ok(address)
    }
}

impl Entrance {
    /// Serves a connection to its end; an error if it is none of a region that may come.
    async fn serve(&self, stream: TcpStream, from: IpAddr) -> Result<(), String> {
        let arrival = self.clients.arrive(from).map_err(|why| why.to_string())?;
        let certificate = self.port.certificate().map_err(|why| why.to_string())?;
        let stream = arrival.shake_hands(&certificate, stream).await.map_err(|why| why.to_string())?;
        let _presence = arrival.enter().map_err(|why| why.to_string())?;
        let shown = ports::client_certificate(&stream).unwrap_or_default();
        let may_come = |applid: &str| Allowed::read(&self.port.allowed)?.check(&shown, applid);
        self.server.serve_far(other(stream), Patience::ELSEWHERE, &may_come).await
    }
}
