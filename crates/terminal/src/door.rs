//! The door: who may come in, and how many.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;

use tn3270::code_page::PrintingAscii;
use tn3270::telnet::{Offer, Server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::connection;
use crate::limits::{ACCEPT_REST, Limits, REFUSALS_MAX};
use crate::link::Link;
use crate::region::{Disconnect, Region};

/// A door to one region. Several listeners may share it, and so its limits.
pub struct Door {
    region: Rc<dyn Region>,
    offer: Offer,
    limits: Limits,
    places: Semaphore,
    refusals: Semaphore,
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

/// Serves all connections that a listener accepts. It must run within a `LocalSet`; when it is dropped, so are they.
pub async fn serve(listener: TcpListener, door: Rc<Door>) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Screens are sent whole: to wait for more would only delay them.
                    let _ = stream.set_nodelay(true);
                    let door = Rc::clone(&door);
                    connections.spawn_local(async move { door.serve_connection(stream, peer).await });
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
