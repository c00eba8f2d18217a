//! The door: who may come in, and how many.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;

use tn3270::code_page::PrintingAscii;
use tn3270::telnet::{Offer, Server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

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
}

impl Door {
    /// A door to a region whose APPLID terminals are told in a BIND.
    pub fn new(region: Rc<dyn Region>, applid: &str, limits: Limits) -> Rc<Self> {
        let offer = Offer { application: PrintingAscii::encode(applid), ..Offer::default() };
        Rc::new(Self {
            region,
            offer,
            places: Semaphore::new(limits.connections_max),
            refusals: Semaphore::new(REFUSALS_MAX),
            handshakes: Semaphore::new(HANDSHAKES_MAX),
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
        let mut link = Link::new(stream, Server::new(self.offer.clone()), &self.limits);
        let Ok(_place) = self.places.try_acquire() else {
            return self.refuse(link).await;
        };
        tracing::debug!(%peer, "terminal connected");
        let why = connection::run(&mut link, &*self.region, peer, &self.limits).await;
        tracing::debug!(%peer, %why, "terminal disconnected");
        if why.can_be_told() {
            link.farewell(&self.limits).await;
        }
        why
    }

    async fn refuse<S: AsyncRead + AsyncWrite>(&self, mut link: Link<S>) -> Disconnect {
        let text = format!(
            "All {} connections of this TN3270 server are in use (connections_max). Try again later.",
            self.limits.connections_max
        );
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
            // A client that keeps the handshake waiting takes no place in the door yet, and is not waited for long.
            Self::Secure(certificate) => {
                let Ok(turn) = door.handshakes.try_acquire() else {
                    return Disconnect::Refused(String::from("too many TLS handshakes at a time"));
                };
                let handshake = certificate.0.accept(stream);
                let secured = tokio::time::timeout(door.limits.negotiation_max, handshake).await;
                drop(turn);
                match secured {
                    Ok(Ok(secured)) => door.serve_connection(secured, peer).await,
                    Ok(Err(error)) => {
                        tracing::warn!(%peer, %error, "no TLS connection was made");
                        Disconnect::Lost(error.kind())
                    }
                    Err(_) => Disconnect::NegotiationTimeout,
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
