//! The port of a service: a listening socket and a door on each TCB that accepts clients.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::dispatcher::Dispatcher;
use kernel::name::Name8;
use kernel::region::Region;
use ports::{
    Certificate, ClientCertificates, Closing, Ending, Places, PortSocket, Sharing, Spared, TlsPolicy,
};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use web::{Door, KeptConnections, Limits, Welcome};

use crate::counts::{count, now};
use crate::host::RegionHost;
use crate::keyring;
use crate::opened::{CannotOpen, Opened};
use crate::region::{Certificates, Options, Web};
use crate::service::{Authenticate, Counts, Protocol, Said, Service, Ssl};

/// Parts of one TCB's door.
struct Parts {
    region: Arc<Region>,
    service: Arc<Service>,
    socket: PortSocket,
    limits: Limits,
    /// Connections that all of them keep.
    kept: KeptConnections,
    certificate: Option<Certificate>,
    ending: Arc<Ending>,
    closing: Arc<Closing>,
    connections: Arc<AtomicUsize>,
}

/// The certificate of services that name none.
const DEFAULT_CERTIFICATE: &str = "default";
/// Protocols that clients offer, the preferred one first.
const PROTOCOLS: [&str; 2] = ["h2", "http/1.1"];
/// Clients that may wait to be accepted: where a definition leaves it to the system, and at least. The published default
/// is 1; of clients that come together all but a few would have to knock again, a second later.
const BACKLOG: i32 = 4_096;
const BACKLOG_MIN: i32 = 128;

impl Service {
    /// Opens it, if it is closed.
    ///
    /// # Errors
    /// See [`CannotOpen`].
    pub fn open(self: &Arc<Self>, region: &Arc<Region>) -> Result<(), CannotOpen> {
        let mut opened = self.opened.lock();
        if opened.is_some() {
            return Ok(());
        }
        let mut certificate = self.certificate(region)?;
        if self.said.ssl == Ssl::Proxy && Web::of(region).options().proxies.is_empty() {
            let why = "SSL(ATTLSAWARE) needs `proxies` in [web] of region.toml: whose word counts";
            return Err(CannotOpen::Definition(why.to_owned()));
        }
        let default = Web::of(region).options().address;
        let address = self.address(default).map_err(CannotOpen::Definition)?;
        let dispatcher = Dispatcher::of(region);
        let tcbs = dispatcher.acceptor_tcbs(None);
        let backlog = match i32::try_from(self.said.backlog) {
            Ok(0) | Err(_) => BACKLOG,
            Ok(said) => said.clamp(BACKLOG_MIN, BACKLOG),
        };
        let sharing = Web::of(region).sharing();
        if let (Some(own), Some(sharing)) = (&certificate, sharing.filter(|sharing| sharing.shares(address)))
        {
            certificate = Some(self.resumed_elsewhere(own, sharing)?);
        }
        let port = ports::open_for(sharing, address, backlog, tcbs.len())
            .map_err(|why| CannotOpen::Port(self.name, why))?;
        let mut open = Opened {
            address: port.address,
            ending: Arc::default(),
            closing: Arc::default(),
            connections: Arc::default(),
            ended: Vec::new(),
        };
        let kept = KeptConnections::default();
        for (tcb, socket) in tcbs.iter().zip(port.sockets) {
            let parts = Parts {
                region: Arc::clone(region),
                service: Arc::clone(self),
                socket,
                limits: limits(region, self),
                kept: kept.clone(),
                certificate: certificate.clone(),
                ending: Arc::clone(&open.ending),
                closing: Arc::clone(&open.closing),
                connections: Arc::clone(&open.connections),
            };
            let (sender, ended) = oneshot::channel();
            open.ended.push(ended);
            dispatcher.on_tcb(*tcb, move || {
                tokio::task::spawn_local(async move {
                    serve(parts).await;
                    // No receiver waits if the region does not end.
                    let _ = sender.send(());
                });
            });
        }
        self.tell(open.address);
        self.counts.opened.store(now(), Ordering::Relaxed);
        *opened = Some(open);
        Ok(())
    }

    /// The same certificate with tickets that other regions take.
    fn resumed_elsewhere(&self, own: &Certificate, sharing: &Sharing) -> Result<Certificate, CannotOpen> {
        let secret = sharing.tickets().map_err(|why| {
            CannotOpen::Definition(format!("the secret of TLS sessions cannot be shared: {why}"))
        })?;
        own.shared(secret, &self.name.to_string()).map_err(CannotOpen::Certificate)
    }

    /// Says where it listens, and who can reach it there.
    fn tell(&self, address: SocketAddr) {
        let name = self.name;
        tracing::info!(target: "SO", "TCPIPSERVICE {name} listens on {address}");
        let is_named = self.moved.is_some() || !self.said.host.is_empty();
        if address.ip().is_loopback() && !is_named {
            tracing::info!(
                target: "SO",
                "TCPIPSERVICE {name} is for this machine only: its definition names no address; `address` of [web] in \
                 region.toml says where such services listen"
            );
        } else if !address.ip().is_loopback() && self.said.ssl == Ssl::No {
            tracing::warn!(
                target: "SO",
                "other machines can reach TCPIPSERVICE {name}, and what they send travels in clear: SSL(YES) encrypts"
            );
        }
    }

    /// Certificate of the service, if it speaks TLS.
    fn certificate(&self, region: &Region) -> Result<Option<Certificate>, CannotOpen> {
        if !matches!(self.said.ssl, Ssl::Yes | Ssl::Clients) {
            return Ok(None);
        }
        let label = self.said.certificate.as_deref().unwrap_or(DEFAULT_CERTIFICATE);
        if label.contains(['/', '\0']) || label.starts_with('.') {
            return Err(CannotOpen::Definition(format!("CERTIFICATE({label}) is no file's name")));
        }
        let Options { keyring, tls, resumption, revoked, .. } = Web::of(region).options();
        let authorities = keyring.join("authorities.pem");
        let revoked =
            keyring::revoked_certificates(keyring, revoked.as_deref()).map_err(CannotOpen::Definition)?;
        let clients = (self.said.ssl == Ssl::Clients).then_some(ClientCertificates {
            authorities: &authorities,
            required: self.said.authenticate != Authenticate::Automatic,
            revoked: revoked.as_deref(),
        });
        let (chain, key) = (keyring.join(format!("{label}.pem")), keyring.join(format!("{label}.key")));
        let name = self.name.to_string();
        let ciphers = self.said.ciphers.as_ref();
        let suites = ciphers.map(|ciphers| ciphers.suites(keyring, &format!("TCPIPSERVICE {name}")));
        let suites = suites.transpose().map_err(CannotOpen::Definition)?.unwrap_or_default();
        let others = keyring::others(keyring, label);
        let policy = TlsPolicy {
            versions: *tls,
            resumption: *resumption,
            name: name.trim_end(),
            suites: &suites,
            others: &others,
        };
        let read =
            Certificate::with_policy(&chain, &key, clients, &policy).map_err(CannotOpen::Certificate)?;
        Ok(Some(if self.said.protocol == Protocol::Http { read.offering(&PROTOCOLS) } else { read }))
    }
}

impl Web {
    /// Opens the services that are to be open, and says whose certificates of clients are.
    ///
    /// # Errors
    /// The port of a service that the configuration names cannot be had. That of another is only told.
    pub fn open(&self, region: &Arc<Region>, certificates: Arc<dyn Certificates>) -> Result<(), CannotOpen> {
        // It is set once.
        let _ = self.certificates.set(certificates);
        *self.serves.lock() = true;
        for service in self.services().into_iter().filter(|service| service.said.opens) {
            match service.open(region) {
                Ok(()) => {}
                Err(why) if service.moved.is_some() => return Err(why),
                Err(why) => {
                    tracing::error!(target: "SO", "TCPIPSERVICE {} is not opened: {why}", service.name)
                }
            }
        }
        Ok(())
    }

    /// Opens those services that were open before the support was closed. The log names one that cannot be.
    pub(crate) fn open_support(&self, region: &Arc<Region>) {
        let waiting = {
            let mut support = self.support.lock();
            support.is_closed = false;
            std::mem::take(&mut support.waiting)
        };
        for service in waiting.into_iter().filter_map(|name| self.service(name)) {
            if let Err(why) = service.open(region) {
                tracing::error!(target: "SO", "TCPIPSERVICE {} is not opened: {why}", service.name);
            }
        }
    }

    /// Puts a service there, and opens it if that is wanted by now.
    pub(crate) fn install_service(
        &self,
        region: &Arc<Region>,
        name: Name8,
        said: Said,
    ) -> Result<(), String> {
        let moved = self.options().services.iter().find(|(other, _)| *other == name).map(|(_, at)| *at);
        let service = Arc::new(Service::new(name, said, moved));
        self.services.lock().insert(name, Arc::clone(&service));
        let serves = *self.serves.lock() && self.is_supported();
        if serves && service.said.opens {
            service.open(region).map_err(|why| format!("TCPIPSERVICE {name}: {why}"))?;
        }
        Ok(())
    }
}

/// Limits of each of a service's doors.
fn limits(region: &Region, service: &Service) -> Limits {
    let said = &service.said;
    Limits {
        sizes: http::Limits::with_body(said.body_max),
        kept_max: said.kept_max,
        idle_max: said.idle_max,
        deflates: Web::of(region).options().deflating.contains(&service.name),
        ..Limits::default()
    }
}

/// A connection that counts, as long as this lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(connections: &Arc<AtomicUsize>, counts: &Counts) -> Self {
        let before = connections.fetch_add(1, Ordering::Relaxed);
        count(&counts.connections);
        counts.connections_most.fetch_max(before as u64 + 1, Ordering::Relaxed);
        Self(Arc::clone(connections))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves the clients of one TCB.
async fn serve(parts: Parts) {
    let Parts { region, service, socket, limits, kept, certificate, ending, closing, connections } = parts;
    let places = Arc::clone(Web::of(&region).places());
    let listener = match socket.here() {
        Ok(listener) => Spared::new(listener, Arc::clone(&places)),
        Err(error) => {
            return tracing::error!(target: "SO", "TCPIPSERVICE {} accepts no clients: {error}", service.name);
        }
    };
    let proxies =
        (service.said.ssl == Ssl::Proxy).then(|| Rc::from(Web::of(&region).options().proxies.as_slice()));
    let (counts, is_http) = (Arc::clone(&service.counts), service.said.protocol == Protocol::Http);
    let traffic = Arc::clone(&counts.traffic);
    let door = Door::counting(Rc::new(RegionHost::new(region, service)), limits, kept, traffic);
    let welcome = Welcome { certificate, proxies, http2: is_http, bytes: !is_http };
    let closes = async {
        closing.closed().await;
        door.close();
        std::future::pending::<()>().await;
    };
    let served = ports::serve(listener, &ending, |stream, client| {
        let counted = Counted::new(&connections, &counts);
        let (door, welcome, places) = (Rc::clone(&door), welcome.clone(), Arc::clone(&places));
        seated(door, welcome, places, counted, (stream, client))
    });
    tokio::select! {
        () = served => {}
        () = closes => {}
    }
}

/// Serves a client, once there is a place for it.
async fn seated(
    door: Rc<Door<RegionHost>>,
    welcome: Welcome,
    places: Arc<Places>,
    _counted: Counted,
    (stream, client): (TcpStream, SocketAddr),
) {
    let mut place = places.place().await;
    let seat = place.seat();
    door.seat(welcome, stream, client, Some(seat)).await;
}

#[cfg(test)]
mod tests {
    use web::IDLE_BYTES_MAX;

    use super::*;

    /// Bytes of a connection's future, the region's part included.
    fn size<A, B, C, D, E, F>(_: impl Fn(A, B, C, D, E) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_connection_that_waits_for_its_client_has_no_room_for_a_request_at_work() {
        let bytes = size(seated);
        eprintln!("a connection's future: {bytes} bytes");
        // The rest is its client's addresses, and buffers while something comes: `web` looks at them.
        assert!(bytes <= IDLE_BYTES_MAX / 2, "{bytes} bytes a connection");
    }
}
