//! The door: who may come in, and how many.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use ebcdic::CodePage;
use tn3270::telnet::{Offer, Server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::addresses::{Addresses, Connected};
use crate::connection;
use crate::limits::{ACCEPT_REST, HANDSHAKES_MAX, Limits, REFUSALS_MAX};
use crate::link::Link;
use crate::region::{Disconnect, Region};
use crate::secure::Certificate;

/// A door to one region. Several listeners may share it, and so its limits.
pub struct Door {
    region: Rc<dyn Region>,
    offer: Offer,
    limits: Limits,
    places: Semaphore,
    refusals: Semaphore,
    handshakes: Semaphore,
    addresses: Addresses,
}

impl Door {
    /// A door to a region whose APPLID terminals are told in a BIND.
    pub fn new(region: Rc<dyn Region>, applid: &str, limits: Limits) -> Rc<Self> {
        let offer = Offer { application: CodePage::Ibm037.encode(applid), ..Offer::default() };
        Rc::new(Self {
            region,
            offer,
            places: Semaphore::new(limits.connections_max),
            refusals: Semaphore::new(REFUSALS_MAX),
            handshakes: Semaphore::new(HANDSHAKES_MAX),
            addresses: Addresses::default(),
            limits,
        })
    }

    /// Connections at present.
    pub fn connections(&self) -> usize {
        self.limits.connections_max - self.places.available_permits()
    }

    /// Waits until there are no connections. Meanwhile new ones are refused.
    pub async fn emptied(&self) {
        let all = u32::try_from(self.limits.connections_max).unwrap_or(u32::MAX);
        // It is never closed.
        let _ = self.places.acquire_many(all).await;
    }

    /// Serves one connection to its end, over whatever carries bytes: a socket, TLS on a socket, a pipe.
    pub async fn serve_connection<S: AsyncRead + AsyncWrite>(
        &self,
        stream: S,
        peer: SocketAddr,
    ) -> Disconnect {
        match self.addresses.connect(peer.ip(), self.limits.connections_per_address) {
            Some(_connected) => self.serve_connected(stream, peer).await,
            None => {
                let link = Link::new(stream, Server::new(self.offer.clone()), &self.limits);
                self.refuse(link, self.limits.connections_per_address, "connections-per-address").await
            }
        }
    }

    async fn serve_connected<S: AsyncRead + AsyncWrite>(&self, stream: S, peer: SocketAddr) -> Disconnect {
        let mut link = Link::new(stream, Server::new(self.offer.clone()), &self.limits);
        let Ok(_place) = self.places.try_acquire() else {
            return self.refuse(link, self.limits.connections_max, "connections_max").await;
        };
        tracing::debug!(%peer, "terminal connected");
        let why = connection::run(&mut link, &*self.region, peer, &self.limits).await;
        tracing::debug!(%peer, %why, "terminal disconnected");
        if why.can_be_told() {
            link.farewell(&self.limits).await;
        }
        why
    }

    /// Shakes hands; `None` if that takes too long. A client takes its turn once it has begun to speak, and keeps nobody of
    /// another address waiting for longer than a handshake may take.
    async fn handshake(
        &self,
        certificate: &Certificate,
        stream: TcpStream,
        connected: &Connected<'_>,
    ) -> Option<io::Result<TlsStream<TcpStream>>> {
        let begins = async {
            // What is wrong with the connection shows in the handshake.
            let _ = stream.peek(&mut [0]).await;
            (connected.turn().await, self.handshakes.acquire().await)
        };
        let _turns = timeout(self.limits.negotiation_max, begins).await.ok()?;
        timeout(self.limits.handshake_max, certificate.0.accept(stream)).await.ok()
    }

    async fn refuse<S: AsyncRead + AsyncWrite>(
        &self,
        mut link: Link<S>,
        most: usize,
        limit: &str,
    ) -> Disconnect {
        let text =
            format!("All {most} connections of this TN3270 server are in use ({limit}). Try again later.");
        if let Ok(_turn) = self.refusals.try_acquire() {
            link.server.turn_away(&text);
            link.farewell(&self.limits).await;
        }
        Disconnect::Refused(text)
    }
}

/// How a listener begins a connection.
#[derive(Clone)]
pub enum Welcome {
    /// With the protocol itself.
    Plain,
    /// With a TLS handshake.
    Secure(Certificate),
}

impl Welcome {
    async fn receive(self, door: &Door, stream: TcpStream, peer: SocketAddr) -> Disconnect {
        match self {
            Self::Plain => door.serve_connection(stream, peer).await,
            Self::Secure(certificate) => {
                let most = door.limits.connections_per_address;
                let Some(connected) = door.addresses.connect(peer.ip(), most) else {
                    return Disconnect::Refused(String::from("too many connections from one address"));
                };
                let secured = door.handshake(&certificate, stream, &connected).await;
                match secured {
                    Some(Ok(secured)) => door.serve_connected(secured, peer).await,
                    Some(Err(error)) => {
                        tracing::warn!(%peer, %error, "no TLS connection was made");
                        Disconnect::Lost(error.kind())
                    }
                    None => Disconnect::NegotiationTimeout,
                }
            }
        }
    }
}

/// Serves all connections that a listener accepts. It must run within a `LocalSet` or a `LocalRuntime`; when it is dropped, so are they.
pub async fn serve(listener: TcpListener, door: Rc<Door>, welcome: Welcome) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Screens are sent whole: to wait for more would only delay them.
                    let _ = stream.set_nodelay(true);
                    let (door, welcome) = (Rc::clone(&door), welcome.clone());
                    connections.spawn_local(async move { welcome.receive(&door, stream, peer).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_REST).await;
                }
            },
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a connection's task failed");
                }
            }
        }
    }
}
